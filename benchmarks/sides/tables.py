"""Every side of the comparisons of tables: the values of each user, ascending by user."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sides import Call, Values


def engine(folder: Path, n_threads: int, form: str) -> Call:
    """evaluate_runs of files, or of frames in memory; TREC files by rankmill.trec."""
    import rankmill as rm

    if form == "trec":
        return _engine_trec(folder, n_threads)
    names = {"mixed": ("mixed", "truth"), "pandas_text": ("text-run", "text-truth")}
    suffix = "csv" if form == "csv" else "parquet"
    run, truth = (folder / f"{name}.{suffix}" for name in names.get(form, ("run", "truth")))
    tables: tuple[Any, Any] = (run, truth)
    if form.startswith("pandas"):
        import pandas

        tables = (pandas.read_parquet(run), pandas.read_parquet(truth))
    elif form == "polars":
        import polars

        tables = (polars.read_parquet(run), polars.read_parquet(truth))

    def call() -> Values:
        result = rm.evaluate_runs(*tables, ["ndcg@10", "recall@10"], n_threads=n_threads)
        return {name: result[name] for name in result.names}

    return call


def _engine_trec(folder: Path, n_threads: int) -> Call:
    from rankmill import trec

    def call() -> Values:
        found = trec.evaluate(
            folder / "truth.trec",
            folder / "run.trec",
            ["ndcg_cut.10", "recall.10"],
            n_threads=n_threads,
        )
        return {"ndcg@10": found.values["ndcg_cut_10"], "recall@10": found.values["recall_10"]}

    return call


def polars_parquet(folder: Path, n_threads: int) -> Call:
    """Expressions over files sorted by user. POLARS_MAX_THREADS holds for the process."""
    import polars as pl

    return lambda: _polars(
        pl.scan_parquet(folder / "run.parquet"), pl.scan_parquet(folder / "truth.parquet")
    )


def polars_mixed(folder: Path, n_threads: int) -> Call:
    """The same where rows are mixed."""
    import polars as pl

    return lambda: _polars(
        pl.scan_parquet(folder / "mixed.parquet"), pl.scan_parquet(folder / "truth.parquet")
    )


def polars_csv(folder: Path, n_threads: int) -> Call:
    """The same of CSV files."""
    import polars as pl

    return lambda: _polars(pl.scan_csv(folder / "run.csv"), pl.scan_csv(folder / "truth.csv"))


def polars_frame(folder: Path, n_threads: int) -> Call:
    """The same of frames."""
    import polars as pl

    run = pl.read_parquet(folder / "run.parquet")
    truth = pl.read_parquet(folder / "truth.parquet")
    return lambda: _polars(run.lazy(), truth.lazy())


def _polars(run: Any, truth: Any) -> Values:
    """Keep the first ten of each user, join the truth, and sum by user."""
    import polars as pl

    place = pl.col("score").rank("ordinal", descending=True).over("user")
    hits = (
        run.with_columns(place=place)
        .filter(pl.col("place") <= 10)
        .join(truth, on=["user", "item"], how="semi")
        .group_by("user")
        .agg(hits=pl.len(), dcg=(1 / (pl.col("place") + 1).log(2)).sum())
    )
    ideal = pl.DataFrame(
        {
            "best": pl.Series(range(1, 11), dtype=pl.UInt32),
            "ideal": (1 / (pl.Series(range(1, 11)) + 1).log(2)).cum_sum(),
        }
    )
    found = (
        truth.group_by("user")
        .agg(relevant=pl.len())
        .join(hits, on="user", how="left")
        .with_columns(best=pl.min_horizontal("relevant", pl.lit(10, pl.UInt32)))
        .join(ideal.lazy(), on="best", how="left")
        .sort("user")
        .select(
            pl.col("dcg").fill_null(0) / pl.col("ideal"),
            recall=pl.col("hits").fill_null(0) / pl.col("relevant"),
        )
        .collect()
    )
    return {"ndcg@10": found["dcg"].to_numpy(), "recall@10": found["recall"].to_numpy()}


def rectools_csv(folder: Path, n_threads: int) -> Call:
    """Read by pandas, ranked by it, and measured by RecTools, which takes ranked lists."""
    import pandas as pd

    return lambda: _rectools(pd.read_csv(folder / "run.csv"), pd.read_csv(folder / "truth.csv"))


def rectools_frame(folder: Path, n_threads: int) -> Call:
    """The same of frames."""
    import pandas as pd

    run, truth = pd.read_csv(folder / "run.csv"), pd.read_csv(folder / "truth.csv")
    return lambda: _rectools(run, truth)


def _rectools(run: Any, truth: Any) -> Values:
    from rectools.metrics import NDCG, Recall

    names = {"user": "user_id", "item": "item_id"}
    shown = run.rename(columns=names).sort_values("score", ascending=False)
    shown["rank"] = shown.groupby("user_id").cumcount() + 1
    interactions = truth.rename(columns=names)
    # Users are in the order of their groups, and so ascending.
    return {
        "ndcg@10": NDCG(10, divide_by_achievable=True)
        .calc_per_user(shown, interactions)
        .sort_index()
        .to_numpy(),
        "recall@10": Recall(10).calc_per_user(shown, interactions).sort_index().to_numpy(),
    }


def ranx_frame(folder: Path, n_threads: int) -> Call:
    """from_df of both frames, and evaluate."""
    import pandas as pd
    import ranx

    ids = {"user": object, "item": object}
    run = pd.read_parquet(folder / "text-run.parquet").astype(ids)
    truth = pd.read_parquet(folder / "text-truth.parquet").astype(ids).assign(score=1)
    columns = {"q_id_col": "user", "doc_id_col": "item", "score_col": "score"}

    def call() -> Values:
        qrels, shown = ranx.Qrels.from_df(truth, **columns), ranx.Run.from_df(run, **columns)
        found = ranx.evaluate(
            qrels, shown, ["ndcg@10", "recall@10"], return_mean=False, threads=n_threads
        )
        return {"ndcg@10": found["ndcg@10"], "recall@10": found["recall@10"]}

    return call


def pytrec_eval_files(folder: Path, n_threads: int) -> Call:
    """Its own reader of both files, and its evaluator."""
    import numpy as np
    import pytrec_eval

    def call() -> Values:
        with (folder / "truth.trec").open() as qrels, (folder / "run.trec").open() as run:
            evaluator = pytrec_eval.RelevanceEvaluator(
                pytrec_eval.parse_qrel(qrels), {"ndcg_cut.10", "recall.10"}
            )
            found = evaluator.evaluate(pytrec_eval.parse_run(run))
        rows = [found[query] for query in sorted(found)]
        return {
            "ndcg@10": np.array([row["ndcg_cut_10"] for row in rows]),
            "recall@10": np.array([row["recall_10"] for row in rows]),
        }

    return call


def replay_parquet(folder: Path, n_threads: int) -> Call:
    """RePlay over polars frames."""
    import numpy as np
    import polars as pl
    from replay.metrics import NDCG, PerUser, Recall

    columns = {"query_column": "user", "item_column": "item", "rating_column": "score"}

    def call() -> Values:
        run, truth = (pl.read_parquet(folder / f"{name}.parquet") for name in ("run", "truth"))
        found = {}
        for name, metric in (("ndcg@10", NDCG), ("recall@10", Recall)):
            by_user = metric(10, mode=PerUser(), **columns)(run, truth)
            values = next(iter(by_user.values()))
            found[name] = np.array([values[user] for user in sorted(values)])
        return found

    return call
