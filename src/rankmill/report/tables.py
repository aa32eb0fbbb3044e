"""The tables of a report as rows of text, and these as Markdown and LaTeX."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rankmill.compare import Comparison, Difference
from rankmill.findings import findings
from rankmill.result import Result

# Resampled p-values stop at 1 / (resamples + 1), which the correction for many rows multiplies.
_TEST: Final = "t"
MARKS: Final = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
LEGEND: Final = (
    "p: paired t-test, corrected by Holm over all rows; * p < 0.05, ** p < 0.01, *** p < 0.001"
)


@dataclass(frozen=True)
class Table:
    """A caption, a header and rows; the first `n_texts` columns are text, the others numbers."""

    caption: str
    header: tuple[str, ...]
    rows: list[tuple[str, ...]]
    n_texts: int


def tables(data: Result | Comparison) -> list[Table]:
    """Return the tables of a report, the most important first."""
    if isinstance(data, Result):
        found = [_described(data, "Metrics over users")]
        found += [_segments(data, name) for name in data.segments]
        return found
    return [_differences(data), *_of_models(data)]


def _described(result: Result, caption: str) -> Table:
    rows: list[tuple[str, ...]] = [
        (
            name,
            f"{spread.mean:.4f}",
            "{:.4f} to {:.4f}".format(*spread.interval),
            f"{spread.quantiles[0.5]:.4f}",
            f"{spread.users:,}",
            f"{spread.undefined:,}",
        )
        for name, spread in result.describe().items()
    ]
    header = ("metric", "mean", "95 % interval", "median", "users", "undefined")
    return Table(caption, header, rows, 1)


def _segments(result: Result, name: str) -> Table:
    parts = result.by(name)
    rows: list[tuple[str, ...]] = [
        (str(key), f"{part.n_users:,}", *(f"{mean:.4f}" for mean in part.means.values()))
        for key, part in parts.items()
    ]
    return Table(f"Means by {name}", (name, "users", *result.names), rows, 1)


def mark(difference: Difference) -> str:
    """Return the mark of significance."""
    p = difference.adjusted["holm"][_TEST]
    return next((stars for bound, stars in MARKS if p < bound), "")


def _p_text(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def _differences(comparison: Comparison) -> Table:
    rows: list[tuple[str, ...]] = [
        (
            found.metric,
            found.segment or "all users",
            found.model,
            f"{found.means[0]:.4f}",
            f"{found.means[1]:.4f}",
            f"{found.difference:+.4f}{mark(found)}",
            f"{found.relative:+.2%}",
            "{:+.4f} to {:+.4f}".format(*found.interval),
            _p_text(found.adjusted["holm"][_TEST]),
            f"{found.better:.1%}",
            f"{found.worse:.1%}",
            f"{found.detectable:.4f}",
            f"{found.contribution:+.4f}",
            f"{found.users:,}",
        )
        for found in comparison.differences
    ]
    base = comparison.baseline
    header: tuple[str, ...] = ("metric", "segment", "model", base, "model's mean", "difference")
    header += ("relative", "95 % interval", "p", "better", "worse", "detectable")
    header += ("contribution", "users")
    return Table(f"Differences from {base}. {LEGEND}", header, rows, 3)


def _of_models(comparison: Comparison) -> list[Table]:
    results = comparison.results.items()
    return [_described(result, f"Metrics of {name}, paired users") for name, result in results]


def summary(data: Result | Comparison) -> list[str]:
    """Return some sentences that say the most important."""
    if isinstance(data, Result):
        means = ", ".join(f"{name} {mean:.4f}" for name, mean in data.means.items())
        return [f"{data.n_users:,} users: {means}."]
    lines = []
    for model in data.models[1:]:
        rows = [d for d in data.differences if d.model == model and not d.segment]
        up = [d.metric for d in rows if mark(d) and d.difference > 0]
        down = [d.metric for d in rows if mark(d) and d.difference < 0]
        same = [d.metric for d in rows if not mark(d)]
        said = [
            f"{word} {', '.join(names)}"
            for word, names in (("better in", up), ("worse in", down), ("no clear change in", same))
            if names
        ]
        lines.append(f"{model} against {data.baseline}: {'; '.join(said)}.")
    unpaired = {name: count for name, count in data.unpaired.items() if count}
    lines += [f"{count:,} users of {name} had no pair." for name, count in unpaired.items()]
    return lines


def markdown(data: Result | Comparison, title: str) -> str:
    """Return the tables as Markdown."""

    def cell(text: str) -> str:
        for sign in "\\`*_|[]<>":
            text = text.replace(sign, f"\\{sign}")
        return text.replace("\n", " ")

    lines = [f"# {cell(title)}", ""]
    for at, table in enumerate(tables(data)):
        if at:
            lines += ["", f"## {cell(table.caption)}", ""]
        lines.append(f"| {' | '.join(map(cell, table.header))} |")
        n_numbers = len(table.header) - table.n_texts
        lines.append("|" + " --- |" * table.n_texts + " ---: |" * n_numbers)
        lines += [f"| {' | '.join(map(cell, row))} |" for row in table.rows]
        if not at and isinstance(data, Comparison):
            lines += ["", cell(LEGEND)]
    notes = findings(data)
    if notes:
        lines += ["", "## Findings", "", *(f"- {cell(note.text)}" for note in notes)]
    return "\n".join(lines) + "\n"


_LATEX: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
        "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "<": r"\textless{}", ">": r"\textgreater{}", "\n": " ",
    }
)  # fmt: skip


def latex(data: Result | Comparison, title: str) -> str:
    """Return the tables as LaTeX, for the package booktabs."""

    def cell(text: str) -> str:
        return text.translate(_LATEX)

    lines = [f"% {cell(title)}; needs \\usepackage{{booktabs}}"]
    for table in tables(data):
        columns = "l" * table.n_texts + "r" * (len(table.header) - table.n_texts)
        lines += [
            "\\begin{table}",
            f"\\caption{{{cell(table.caption)}}}",
            f"\\begin{{tabular}}{{{columns}}}",
            "\\toprule",
            " & ".join(map(cell, table.header)) + " \\\\",
            "\\midrule",
            *(" & ".join(map(cell, row)) + " \\\\" for row in table.rows),
            "\\bottomrule",
            "\\end{tabular}",
            "\\end{table}",
        ]
    return "\n".join(lines) + "\n"
