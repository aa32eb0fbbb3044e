"""A report as one HTML file that asks no network for anything."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from rankmill import plots
from rankmill.compare import Comparison, correlate
from rankmill.findings import findings
from rankmill.info import build_info
from rankmill.report.tables import Table, summary, tables
from rankmill.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Nothing may be loaded, and no script run but our own.
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
_MOST_SPREADS: Final = 4


def page(data: Result | Comparison, title: str) -> str:
    """Return the HTML."""
    parts = [
        f"<h1>{escape(title)}</h1>",
        *(f'<p class="lead">{escape(line)}</p>' for line in summary(data)),
        *_findings(data),
        *_tables(data),
        *_plots(data),
        *_provenance(data),
    ]
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>",
            f"<style>\n{_file('style.css')}</style>",
            "</head>",
            "<body>",
            *parts,
            f"<script>\n{_file('sort.js')}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _file(name: str) -> str:
    return files("rankmill.report").joinpath(name).read_text(encoding="utf-8")


def _findings(data: Result | Comparison) -> Iterator[str]:
    notes = findings(data)
    yield "<h2>Findings</h2>"
    if not notes:
        yield "<p>None of the rules holds.</p>"
        return
    yield '<ul class="findings">'
    for note in notes:
        yield f"<li>{escape(note.text)}</li>"
    yield "</ul>"


def _tables(data: Result | Comparison) -> Iterator[str]:
    yield "<h2>Figures</h2>"
    for table in tables(data):
        caption = escape(table.caption)
        yield f'<div class="scroll" tabindex="0" role="region" aria-label="{caption}">'
        yield f"<table><caption>{caption}</caption>"
        yield "<thead><tr>" + "".join(_heads(table)) + "</tr></thead><tbody>"
        for row in table.rows:
            yield "<tr>" + "".join(_cells(table, row)) + "</tr>"
        yield "</tbody></table></div>"


def _class(table: Table, column: int) -> str:
    return ' class="text"' if column < table.n_texts else ""


def _heads(table: Table) -> Iterator[str]:
    for column, name in enumerate(table.header):
        button = f'<button type="button">{escape(name)}</button>'
        yield f'<th scope="col"{_class(table, column)}>{button}</th>'


def _cells(table: Table, row: tuple[str, ...]) -> Iterator[str]:
    for column, text in enumerate(row):
        yield f"<td{_class(table, column)}>{escape(text)}</td>"


def _plots(data: Result | Comparison) -> Iterator[str]:
    yield '<h2>Pictures</h2><div class="plots">'
    for number, (caption, ax) in enumerate(_pictures(data)):
        yield f"<figure>{_svg(ax, number)}<figcaption>{escape(caption)}</figcaption></figure>"
    yield "</div>"


def _pictures(data: Result | Comparison) -> Iterator[tuple[str, Axes]]:
    if isinstance(data, Comparison):
        yield (
            "Differences from the baseline; filled where the interval leaves out 0",
            plots.forest(data),
        )
        models: Any = data.results
        for metric in data.metrics[:_MOST_SPREADS]:
            for model in data.models[1:]:
                if data.find(metric, model).users:
                    caption = f"Who carries the change of {metric} in {model}"
                    yield caption, plots.gain(data, metric, model)
    else:
        models = data
    names = data.metrics if isinstance(data, Comparison) else data.names
    for metric in names[:_MOST_SPREADS]:
        yield f"Distribution of {metric} over users", plots.distribution(models, metric)
    if isinstance(data, Result) and len(data.names) > 1 and data.n_users > 2:
        yield "How the metrics move together over users", plots.correlation(correlate(data))


def _svg(ax: Axes, number: int) -> str:
    """Return a picture whose ids do not clash with those of others, and whose text is text."""
    from matplotlib import rc_context

    stream = io.StringIO()
    figure = ax.get_figure(root=True)
    assert figure is not None
    with (
        rc_context({"svg.fonttype": "none", "svg.hashsalt": f"rankmill-{number}"}),
        warnings.catch_warnings(),
    ):
        warnings.filterwarnings(
            "ignore", "Glyph .* missing from font"
        )  # the reader's font shows it
        figure.savefig(stream, format="svg", metadata={"Date": None})
    text = stream.getvalue()
    return re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)


def _provenance(data: Result | Comparison) -> Iterator[str]:
    result = next(iter(data.results.values())) if isinstance(data, Comparison) else data
    info = build_info()
    facts = {
        "rankmill": info["version"],
        "made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "users": f"{result.n_users:,}",
        "metrics": ", ".join(result.names),
        "left out": f"{result.ignored:,} users with nothing on record",
        "weights": "of users" if result.weights is not None else "none",
        "compiler": info["compiler"],
        "threads": info["n_threads"],
        "instruction set": info["isa_active"],
    }
    if isinstance(data, Comparison):
        facts["resamples"] = f"{data.resamples:,}, seed {data.seed}"
    rules = result.conventions
    facts |= {field: getattr(rules, field) for field in rules.__slots__}
    yield "<h2>How it was made</h2><dl>"
    for name, value in facts.items():
        yield f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>"
    yield "</dl>"
