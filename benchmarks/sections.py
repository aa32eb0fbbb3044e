"""The text of docs/benchmarks.md from measured results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from targets import BOUNDS, NUMPY, PEERS, Target

Row = Mapping[str, Any]
Found = Mapping[str, Any]

_HEAD = """\
# Benchmarks

The data is fixed in `src/rankmill/bench/workloads.py`: the same bytes on every machine. Values are
checked equal before anything is timed, under the conventions written in `benchmarks/contests.py`.
Sides take turns, so that what disturbs the machine meets all of them. Times are medians; a ratio is
the time of the other over that of rankmill: above 1, rankmill is faster. The ratio of the fastest
calls stands beside it: where the two differ, the machine was busy.
"""
_HOW = """\
## Measure it yourself

```sh
rankmill bench                          # against numpy, a tenth of the size, under two minutes
python benchmarks/compare.py            # the same at full size
python benchmarks/peers.py --venvs FOLDER --install
python benchmarks/report.py --results FOLDER --venvs FOLDER     # this page
python benchmarks/instructions.py --check       # instruction counts against the committed ones
```
"""


def page(found: Found) -> str:
    """The whole page."""
    numpy, peers, growth = found["compare"], found["peers"], found["growth"]
    tools = [_peers(peers), _modules(peers)]
    parts = [_HEAD, _targets(numpy, peers), _numpy(numpy), *tools, *_growth(growth), _HOW]
    return "\n".join(parts)


def ratio(row: Row) -> float:
    """Of the medians."""
    return float(row["theirs"] / row["ours"])


def least_ratio(row: Row) -> float:
    """Of the fastest calls."""
    return float(row["theirs_least"] / row["ours_least"])


def table(head: str, rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    names = head.split("|")
    lines = ["| " + " | ".join(names) + " |", "|---" * len(names) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _times(row: Row) -> list[str]:
    ms = [f"{row[side] * 1e3:,.1f} ms" for side in ("ours", "theirs")]
    return [*ms, _number(ratio(row)), _number(least_ratio(row))]


def _machine(found: Found) -> str:
    """The facts without which a figure says nothing."""
    return "\n".join(f"- {name}: {value}" for name, value in found["machine"].items()) + "\n"


def _targets(numpy: Found, peers: Found) -> str:
    rows = [_target(target, numpy["lines"], "against") for target in NUMPY]
    rows += [_target(target, peers["outcomes"], "contest") for target in PEERS]
    text = (
        "## Targets\n\nSet before the engine was written. Met where the ratio of the medians "
        "reaches it. docs/decisions.md\nhas the figures behind what bounds a missed one. Targets "
        "below 1 are against work that no way can\nleave out.\n\n"
    )
    return text + table("task|against|threads|target|medians|fastest|result", rows)


def _target(target: Target, rows: list[Row], key: str) -> list[str]:
    held = [row for row in rows if row[key] == target.against]
    held = [row for row in held if row.get("task", target.task) == target.task]
    held = [row for row in held if target.threads in (0, row["threads"])][-1:]
    name = [target.task, target.against.removeprefix(f"{target.task} ")]
    if not held:
        return [*name, "", _number(target.ratio), "", "", "not measured"]
    got, least = ratio(held[0]), least_ratio(held[0])
    met = got >= target.ratio
    result = "met" if met else f"**missed**; {BOUNDS[target.task]}"
    figures = [_number(target.ratio), _number(got), _number(least)]
    return [*name, str(held[0]["threads"]), *figures, result]


def _numpy(found: Found) -> str:
    rows = [
        [row["task"], row["against"], f"{row['users']:,}", str(row["threads"]), *_times(row)]
        for row in found["lines"]
    ]
    head = "task|against|users|threads|rankmill|other|ratio|of fastest"
    text = "## Against numpy\n\nOne process, medians of 5.\n\n" + _machine(found) + "\n"
    return text + table(head, rows)


def _peers(found: Found) -> str:
    rows = [_peer(row) for row in found["outcomes"] if not is_module(row)]
    head = "contest|users|threads|rankmill|other|ratio|of fastest|note"
    text = (
        "## Against other tools\n\nA process per side, each tool in an environment of its own."
        " Medians of 5."
        "\n\n" + _machine(found) + "\n" + table(head, rows)
    )
    absent = [f"- {line}" for line in found["missing"]]
    absent += [f"- {name}: not compared; {why}" for name, why in found["left_out"].items()]
    plot = "\n![ratio per peer](benchmarks-peers.svg)\n"
    return text + plot + "\nAbsent or not compared:\n\n" + "\n".join(absent) + "\n"


def is_module(row: Row) -> bool:
    """Tell a contest of a drop-in module with its library."""
    return str(row["contest"]).startswith("module ")


def _modules(found: Found) -> str:
    rows = [_peer(row) for row in found["outcomes"] if is_module(row)]
    head = "contest|users|threads|rankmill|other|ratio|of fastest|note"
    text = (
        "## Through the drop-in modules\n\nThe same code with a module of `rankmill.compat` and"
        " with its library, conversion\nincluded; measured as above.\n\n"
    )
    return text + table(head, rows)


def _peer(row: Row) -> list[str]:
    scaled = row["peer_users"] < row["users"]
    part = f"timed on {row['peer_users']:,} users and scaled; " if scaled else ""
    name = row["contest"] if row["peer"] == "-" else f"{row['contest']} ({row['peer']})"
    facts = [name, f"{row['users']:,}", str(row["threads"]), *_times(row)]
    return [*facts, part + row["note"]]


def _growth(found: Found) -> list[str]:
    users = [[f"{n:,}", f"{t:,.0f}"] for n, t in found["users"]]
    candidates = [
        [name, f"{n:,}", f"{t:,.0f}", f"{t / n:.2f}"]
        for name, line in found["candidates"].items()
        for n, t in line
    ]
    threads = [
        [name, str(n), f"{t:,.0f}", f"{line[0][1] / t:.2f}"]
        for name, line in found["threads"].items()
        for n, t in line
    ]
    return [
        "## Growth\n\nFastest of several calls; one thread but for the last table.\n",
        _machine(found),
        "![time by users](benchmarks-users.svg)\n",
        table("users of W1|ns per user", users),
        "![time by candidates](benchmarks-candidates.svg)\n",
        table("data|candidates|ns per user|ns per candidate", candidates),
        "![time by threads](benchmarks-threads.svg)\n",
        table("task|threads|ns per user|times as fast as one", threads),
    ]
