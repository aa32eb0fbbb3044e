"""What every metric means for one user, in plain Python, straight from the definitions.

This file imports nothing of rankmill and no numpy. It is slow on purpose: a tie is settled by
writing out every order of it, AUC walks every pair, a threshold metric walks every threshold.
The engine is compared with it and never the other way round.

Words used below, for one user:

- ``order``: the grades of the candidates, best rank first, one tie order already chosen;
- ``missed``: grades of relevant items that are no candidates (a retrieval list left them out);
- ``R``: relevant items, candidates or not; ``h(k)``: relevant items in the first k places;
- ``n``: number of candidates; without k every "first k places" means the whole list.

A metric that has no value for a user (nothing to divide by) returns None.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

Number = int | float


class Rules(NamedTuple):
    """The conventions, under the names and with the defaults of the public ones."""

    ties: str = "average"
    gain: str | Mapping[float, float] = "exp2"
    discount: str = "log2"
    ideal: str = "all"
    empty: str = "skip"
    without_relevant: str = "by_formula"
    precision_denominator: str = "k"
    recall_denominator: str = "relevant"
    ap_denominator: str = "relevant"
    recall_level: str = "above"
    min_grade: float | None = None
    # Parameters of single metrics.
    persistence: float = 0.8
    max_grade: float = 4.0
    recall: float | None = None
    multiple: float = 1.0


# --- what the metrics are made of ------------------------------------------------------------


def is_relevant(grade: Number, rules: Rules) -> bool:
    """Whether a binary metric counts the item: grade > 0, or grade >= min_grade if one is set."""
    return grade > 0 if rules.min_grade is None else grade >= rules.min_grade


def gain(grade: Number, rules: Rules) -> float:
    """2^grade - 1, the grade, 1 if relevant, or its table entry; 0 for every grade <= 0."""
    if grade <= 0:
        return 0.0
    if rules.gain == "exp2":
        return 2.0**grade - 1.0
    if rules.gain == "linear":
        return float(grade)
    if rules.gain == "binary":
        return float(is_relevant(grade, rules))
    assert not isinstance(rules.gain, str)
    return float(rules.gain[grade])


def divisor(rank: int, rules: Rules) -> float:
    """What the gain at a rank, counted from 1, is divided by."""
    if rules.discount == "ln":
        return math.log(rank + 1)
    if rules.discount == "jarvelin":
        return max(1.0, math.log2(rank))
    return float(rank) if rules.discount == "reciprocal" else math.log2(rank + 1)


def discounted(gains: Sequence[float], rules: Rules) -> float:
    """Sum of gain / log2(rank + 1), or another divisor, rank counted from 1."""
    return math.fsum(g / divisor(rank, rules) for rank, g in enumerate(gains, start=1))


def places(order: Sequence[Number], k: int | None) -> int:
    """k, or the number of candidates without k."""
    return len(order) if k is None else k


def n_hits(order: Sequence[Number], k: int | None, rules: Rules) -> int:
    """h(k): relevant items in the first k places."""
    return sum(is_relevant(grade, rules) for grade in order[:k])


def n_relevant(order: Sequence[Number], missed: Sequence[Number], rules: Rules) -> int:
    """R: relevant items, candidates or not."""
    return sum(is_relevant(grade, rules) for grade in (*order, *missed))


def share(part: Number, whole: Number) -> float:
    """part / whole, and 0 where there is nothing to find and nothing to look through."""
    return part / whole if whole else 0.0


# --- metrics of one order --------------------------------------------------------------------


def cg(order: Sequence[Number], missed: Sequence[Number], k: int | None, rules: Rules) -> float:
    """Sum of gain(grade) over the first k places."""
    return math.fsum(gain(grade, rules) for grade in order[:k])


def dcg(order: Sequence[Number], missed: Sequence[Number], k: int | None, rules: Rules) -> float:
    """Sum of gain(grade) / log2(rank + 1), or another divisor, over the first k places."""
    return discounted([gain(grade, rules) for grade in order[:k]], rules)


def idcg(order: Sequence[Number], missed: Sequence[Number], k: int | None, rules: Rules) -> float:
    """DCG of the best order.

    ideal="all": all relevant items, missed ones too, by descending gain, cut at k.
    ideal="uncut": the same, not cut.
    ideal="retrieved": the items standing in the first k places, by descending gain.
    ideal="full": k items with the gain of the best one.
    """
    items = order[:k] if rules.ideal == "retrieved" else [*order, *missed]
    gains = sorted((gain(grade, rules) for grade in items), reverse=True)
    if rules.ideal == "full":
        gains = gains[:1] * places(order, k)
    return discounted(gains if rules.ideal == "uncut" else gains[:k], rules)


def ndcg(
    order: Sequence[Number], missed: Sequence[Number], k: int | None, rules: Rules
) -> float | None:
    """DCG / IDCG; None if not even the ideal gains anything.

    ideal="retrieved" is 0 with nothing relevant retrieved, and None if there is nothing relevant.
    """
    best = rules._replace(ideal="all") if rules.ideal == "retrieved" else rules
    if idcg(order, missed, k, best) == 0:
        return None
    return share(dcg(order, missed, k, rules), idcg(order, missed, k, rules))


def _precision_denominator(order: Sequence[Number], k: int | None, rules: Rules) -> int:
    """k, or min(k, n); n without k."""
    if rules.precision_denominator == "k":
        return places(order, k)
    return min(places(order, k), len(order))


def _relevant_denominator(rule: str, order: Sequence[Number], k: int | None, found: int) -> int:
    """R, or min(k, R); min(n, R) without k."""
    return found if rule == "relevant" else min(places(order, k), found)


def precision(
    order: Sequence[Number], missed: Sequence[Number], k: int | None, rules: Rules
) -> float | None:
    """h(k) / k, or h(k) / min(k, n); h / n without k; None if that denominator is 0."""
    denominator = _precision_denominator(order, k, rules)
    return n_hits(order, k, rules) / denominator if denominator else None


def recall(
    order: Sequence[Number], missed: Sequence[Number], k: int | None, rules: Rules
) -> float | None:
    """h(k) / R, or h(k) / min(k, R); None if R is 0."""
    relevant = n_relevant(order, missed, rules)
    if relevant == 0:
        return None
    denominator = _relevant_denominator(rules.recall_denominator, order, k, relevant)
    return share(n_hits(order, k, rules), denominator)


def f1(
    order: Sequence[Number], missed: Sequence[Number], k: int | None, rules: Rules
) -> float | None:
    """Harmonic mean of precision and recall, 2 P r / (P + r), 0 if both are 0; None if R is 0."""
    r = recall(order, missed, k, rules)
    if r is None:
        return None
    p = precision(order, missed, k, rules) or 0.0
    return share(2 * p * r, p + r)


def hit(order: Sequence[Number], missed: Sequence[Number], k: int | None, rules: Rules) -> float:
    """1 if the first k places hold a relevant item, else 0."""
    return 1.0 if n_hits(order, k, rules) else 0.0


def mrr(order: Sequence[Number], missed: Sequence[Number], k: int | None, rules: Rules) -> float:
    """1 / rank of the first relevant item if it stands in the first k places, else 0."""
    for rank, grade in enumerate(order[:k], start=1):
        if is_relevant(grade, rules):
            return 1 / rank
    return 0.0


def average_precision(
    order: Sequence[Number], missed: Sequence[Number], k: int | None, rules: Rules
) -> float | None:
    """Sum of h(rank) / rank over relevant items in the first k places, / R, min(k, R), k or h(k).

    None if R is 0; 0 if h(k) is what divides and is 0.
    """
    relevant = n_relevant(order, missed, rules)
    if relevant == 0:
        return None
    total, hits = [], 0
    for rank, grade in enumerate(order[:k], start=1):
        if is_relevant(grade, rules):
            hits += 1
            total.append(hits / rank)
    if rules.ap_denominator in ("k", "hits"):
        denominator = places(order, k) if rules.ap_denominator == "k" else hits
    else:
        denominator = _relevant_denominator(rules.ap_denominator, order, k, relevant)
    return share(math.fsum(total), denominator)


def rbp(order: Sequence[Number], missed: Sequence[Number], k: int | None, rules: Rules) -> float:
    """(1 - p) times the sum of p^(rank - 1) over relevant items in the first k places."""
    p = rules.persistence
    hits = [rank for rank, grade in enumerate(order[:k], start=1) if is_relevant(grade, rules)]
    return (1 - p) * math.fsum(p ** (rank - 1) for rank in hits)


def err(order: Sequence[Number], missed: Sequence[Number], k: int | None, rules: Rules) -> float:
    """Sum of 1 / rank times the chance to stop there, and at none before, in the first k places."""
    total, reached = [], 1.0
    for rank, grade in enumerate(order[:k], start=1):
        stop = (2 ** max(grade, 0) - 1) / 2**rules.max_grade
        total.append(reached * stop / rank)
        reached *= 1 - stop
    return math.fsum(total)


def needed_hits(part: float, relevant: int) -> int:
    """The whole number that trec_eval makes of a share of the relevant items."""
    return int(part * relevant + 0.9)


def r_precision(
    order: Sequence[Number], missed: Sequence[Number], k: int | None, rules: Rules
) -> float | None:
    """h(R) / R, or with a multiple of R; None if R is 0."""
    relevant = n_relevant(order, missed, rules)
    if relevant == 0:
        return None
    looked_at = needed_hits(rules.multiple, relevant)
    return share(n_hits(order, looked_at, rules), looked_at)


def iprec(
    order: Sequence[Number], missed: Sequence[Number], k: int | None, rules: Rules
) -> float | None:
    """Greatest precision at the ranks that reach a recall, or the mean over 0, 0.1, ..., 1.

    0 if no rank reaches it; None if R is 0.
    """
    relevant = n_relevant(order, missed, rules)
    if relevant == 0:
        return None
    levels = [level / 10 for level in range(11)] if rules.recall is None else [rules.recall]
    nearest = rules.recall_level == "nearest"

    def needed(level: float) -> int:
        return math.floor(level * relevant + 0.5) if nearest else needed_hits(level, relevant)

    hits = [(n_hits(order, rank, rules), rank) for rank in range(1, len(order) + 1)]
    best = [
        max((h / rank for h, rank in hits if h >= needed(level)), default=0.0) for level in levels
    ]
    return math.fsum(best) / len(best)


# --- metrics of the scores: a tie is one threshold, so no order of it is needed ----------------


def auc(
    scores: Sequence[Number], grades: Sequence[Number], missed: Sequence[Number], rules: Rules
) -> float | None:
    """Share of (relevant, other) candidate pairs in which the relevant one scores higher.

    A tie counts one half. None without a pair.
    """
    positives = [s for s, g in zip(scores, grades, strict=True) if is_relevant(g, rules)]
    negatives = [s for s, g in zip(scores, grades, strict=True) if not is_relevant(g, rules)]
    pairs = len(positives) * len(negatives)
    if pairs == 0:
        return None
    twice_won = sum((p > n) * 2 + (p == n) for p in positives for n in negatives)
    return twice_won / (2 * pairs)


def _predicted_and_hits(
    scores: Sequence[Number], grades: Sequence[Number], rules: Rules
) -> Iterator[tuple[int, int]]:
    """For each distinct score, highest first: candidates at or above it, relevant among them."""
    for threshold in sorted(set(scores), reverse=True):
        taken = [g for s, g in zip(scores, grades, strict=True) if s >= threshold]
        yield len(taken), n_hits(taken, None, rules)


def pr_auc(
    scores: Sequence[Number], grades: Sequence[Number], missed: Sequence[Number], rules: Rules
) -> float | None:
    """Sum over thresholds of (recall gained there) * (precision there); None if R is 0."""
    relevant = n_relevant(grades, missed, rules)
    if relevant == 0:
        return None
    steps, before = [], 0
    for predicted, hits in _predicted_and_hits(scores, grades, rules):
        steps.append((hits - before) / relevant * hits / predicted)
        before = hits
    return math.fsum(steps)


def max_f1(
    scores: Sequence[Number], grades: Sequence[Number], missed: Sequence[Number], rules: Rules
) -> float | None:
    """Best over thresholds of 2 h / (predicted + R), 0 without a candidate; None if R is 0."""
    relevant = n_relevant(grades, missed, rules)
    if relevant == 0:
        return None
    steps = _predicted_and_hits(scores, grades, rules)
    return max((2 * hits / (predicted + relevant) for predicted, hits in steps), default=0.0)


OrderMetric = Callable[[Sequence[Number], Sequence[Number], int | None, Rules], float | None]
ScoreMetric = Callable[[Sequence[Number], Sequence[Number], Sequence[Number], Rules], float | None]

CUTOFF_METRICS: dict[str, OrderMetric] = {
    "cg": cg,
    "dcg": dcg,
    "idcg": idcg,
    "ndcg": ndcg,
    "precision": precision,
    "recall": recall,
    "f1": f1,
    "hit": hit,
    "mrr": mrr,
    "map": average_precision,
    "rbp": rbp,
}
GAIN_METRICS = ("cg", "dcg", "idcg", "ndcg")
ORDER_METRICS: dict[str, OrderMetric] = {
    **CUTOFF_METRICS,
    "r_precision": r_precision,
    "err": err,
    "iprec": iprec,
}
SCORE_METRICS: dict[str, ScoreMetric] = {"auc": auc, "pr_auc": pr_auc, "max_f1": max_f1}


# --- ties --------------------------------------------------------------------------------------


def arrangements(grades: Sequence[Number]) -> Iterator[list[Number]]:
    """Every distinct order of a tie's grades, each once.

    All orders of the items are equally likely and each distinct order of the grades stands for
    equally many of them, so the mean over these is the mean over all orders.
    """

    def place(kinds: list[Number], free: list[int], chosen: list[Number]) -> Iterator[list[Number]]:
        if not free:
            yield list(chosen)
            return
        kind, *others = kinds
        for spots in itertools.combinations(free, grades.count(kind)):
            for spot in spots:
                chosen[spot] = kind
            yield from place(others, [spot for spot in free if spot not in spots], chosen)

    kinds = sorted(set(grades), key=grades.count)  # the commonest last: it takes what is left
    yield from place(kinds, list(range(len(grades))), list(grades))


def settled(tie: list[tuple[Number, Any]], ties: str) -> list[Number]:
    """The one order of a tie of (grade, id) pairs under a rule other than "average"."""
    if ties == "worst":
        tie = sorted(tie, key=lambda item: item[0])
    elif ties == "best":
        tie = sorted(tie, key=lambda item: item[0], reverse=True)
    elif ties == "id_descending":
        tie = sorted(tie, key=lambda item: item[1], reverse=True)
    else:
        assert ties == "input_order", ties
    return [grade for grade, _ in tie]


def tie_orders(
    scores: Sequence[Number], grades: Sequence[Number], ids: Sequence[Any] | None, ties: str
) -> list[list[Number]]:
    """Every order of the candidates that is equally likely under the tie rule."""
    names = range(len(scores)) if ids is None else ids
    per_tie: list[list[list[Number]]] = []
    for score in sorted(set(scores), reverse=True):
        # A grade below 0 acts as 0 in every metric: telling them apart only adds equal orders.
        tie = [
            (max(grade, 0), name)
            for s, grade, name in zip(scores, grades, names, strict=True)
            if s == score
        ]
        if ties == "average":
            per_tie.append(list(arrangements([grade for grade, _ in tie])))
        else:
            per_tie.append([settled(tie, ties)])
    return [list(itertools.chain(*parts)) for parts in itertools.product(*per_tie)]


# --- one user, all users -----------------------------------------------------------------------


def evaluate_metrics(
    metrics: Sequence[tuple[str, int | None]],
    scores: Sequence[Number],
    grades: Sequence[Number],
    *,
    unretrieved: Sequence[Number] = (),
    ids: Sequence[Any] | None = None,
    **conventions: Any,
) -> list[float | None]:
    """Values of (name, k) metrics for one user: the mean over all tie orders, None if undefined."""
    rules = Rules(**conventions)
    orders = tie_orders(scores, grades, ids, rules.ties)
    values: list[float | None] = []
    counted = rules._replace(min_grade=None)
    for name, k in metrics:
        of_grades = name == "err" or (name in GAIN_METRICS and rules.gain != "binary")
        if rules.without_relevant == "undefined" and not n_relevant(
            grades, unretrieved, counted if of_grades else rules
        ):
            values.append(None)
            continue
        if name in SCORE_METRICS:
            assert k is None, name
            values.append(SCORE_METRICS[name](scores, grades, unretrieved, rules))
            continue
        found = [ORDER_METRICS[name](order, unretrieved, k, rules) for order in orders]
        defined = [value for value in found if value is not None]
        assert len(defined) in (0, len(found)), "whether a metric is defined never hangs on a tie"
        values.append(math.fsum(defined) / len(defined) if defined else None)
    return values


def evaluate_user(
    metric: str,
    k: int | None,
    scores: Sequence[Number],
    grades: Sequence[Number],
    *,
    unretrieved: Sequence[Number] = (),
    ids: Sequence[Any] | None = None,
    **conventions: Any,
) -> float | None:
    """One metric for one user, see :func:`evaluate_metrics`."""
    return evaluate_metrics(
        [(metric, k)], scores, grades, unretrieved=unretrieved, ids=ids, **conventions
    )[0]


def evaluate_list(
    metric: str,
    k: int | None,
    recommended: Sequence[Any],
    relevant: Mapping[Any, Number],
    *,
    exclude: Sequence[Any] = (),
    **conventions: Any,
) -> float | None:
    """One metric for one user whose items are ranked already: scores fall from place to place.

    Excluded items are neither candidates nor relevant.
    """
    listed = [item for item in recommended if item not in exclude]
    missed = [g for item, g in relevant.items() if item not in listed and item not in exclude]
    return evaluate_user(
        metric,
        k,
        [-place for place in range(len(listed))],
        [relevant.get(item, 0) for item in listed],
        unretrieved=missed,
        **conventions,
    )


def mean(values: Sequence[float | None], empty: str = "skip") -> float:
    """Mean over users, correctly rounded.

    Undefined users are left out (skip) or count as 0, 1/2 or 1; NaN if none is left.
    """
    if empty == "skip":
        counted = [value for value in values if value is not None]
    else:
        fill = {"zero": 0.0, "half": 0.5, "one": 1.0}[empty]
        counted = [fill if value is None else value for value in values]
    if not counted:
        return math.nan
    return float(sum(map(Fraction, counted)) / len(counted))
