"""Reports: the figures are there, every name is text, and a file is whole or not there."""

import errno
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmill as rm
from reported import HOSTILE, compared


class Page(HTMLParser):
    """Collects tags, attributes, and the text of cells and of all."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.cells: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag == "td":
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.cells and self.tags[-1] == "td":
            self.cells[-1] += data


def written(data: Any, path: Path, **options: Any) -> str:
    rm.report(data, path, **options)
    return path.read_text(encoding="utf-8")


def test_html_of_a_comparison(tmp_path: Path) -> None:
    comparison = compared()
    text = written(comparison, tmp_path / "report.html")
    page = Page(text)
    found = comparison.find("ndcg@5")
    assert f"{found.means[0]:.4f}" in page.cells
    assert f"{found.difference:+.4f}***" in page.cells
    assert page.text.count("Who carries the change of") == 3
    assert f"better in {', '.join(comparison.metrics)}" in page.text
    for name in HOSTILE:
        assert name in page.text
    assert page.tags.count("script") == 1  # our own
    assert page.tags.count("svg") == 7
    assert {name for name, _ in page.attributes if name.startswith("on")} == set()
    assert not re.search(r"(src|href)=\"(https?:)?//", text)
    ids = [value for name, value in page.attributes if name == "id"]
    plain = [value for value in ids if value and re.fullmatch(r"[mpc][0-9a-f]{10}", value)]
    assert len(plain) == len(set(plain))  # pictures do not take each other's markers
    for fact in (rm.__version__, rm.build_info()["isa_active"], "100, seed 0", "ideal"):
        assert fact in page.text


def test_html_of_a_result(tmp_path: Path) -> None:
    result = rm.evaluate([[3, 2, 1], [1, 2, 3], [1, 3, 2]], [[0, 1, 0]] * 3, "mrr ndcg@2")
    result.segments = {"kind": np.array(["a", "b", "a"])}
    text = written(result, tmp_path / "r.html", title="Last <week>")
    page = Page(text)
    assert f"{result.means['mrr']:.4f}" in page.cells
    assert f"{result.by('kind')['a'].means['mrr']:.4f}" in page.cells
    assert "<title>Last &lt;week&gt;</title>" in text
    assert "None of the rules holds." in page.text


def test_markdown(tmp_path: Path) -> None:
    lines = written(compared(), tmp_path / "r.md").splitlines()
    header, rule, *rows = lines[2:]
    n_columns = header.count(" | ") + 1
    assert rule.count("---") == n_columns
    cells = re.split(r"(?<!\\)\|", rows[0])
    assert len(cells) == n_columns + 2
    assert cells[6].strip().endswith(r"\*\*\*")
    assert not any("<script>" in line for line in lines)


def test_latex(tmp_path: Path) -> None:
    text = written(compared(), tmp_path / "r.tex")
    assert text.count("\\begin{table}") == text.count("\\end{table}") == 3
    rows = [line for line in text.splitlines() if line.endswith("\\\\")]
    assert "new \\& better" in text
    assert re.search(r"[^\\]&amp;", text.replace("]]\\textgreater{}\\&amp;", "")) is None
    first = re.split(r"(?<!\\)&", rows[0])
    assert all(len(re.split(r"(?<!\\)&", row)) == len(first) for row in rows[: 1 + 3])
    assert re.search(r"(?<!\\)[%#_$]", text.split("\n", 1)[1].replace("tabular", "")) is None


def test_bad_arguments(tmp_path: Path) -> None:
    with pytest.raises(rm.InputTypeError, match="data: got int; wanted a Result or a Comparison"):
        rm.report(3, tmp_path / "r.html")  # type: ignore[arg-type]
    with pytest.raises(rm.InputTypeError, match="path: got None; wanted the name of a file"):
        rm.report(compared(), None)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError, match=r"r\.md: there is no folder '.*none'"):
        rm.report(compared(), tmp_path / "none" / "r.md")
    with pytest.raises(rm.InputError, match=r"wanted a name that ends in \.html, \.md, \.tex"):
        rm.report(compared(), tmp_path / "r.pdf")


def named(*names: str) -> rm.Comparison:
    results = {
        name: rm.evaluate([[3, 2, 1], [1, 2, 3]], [[0, 1, 0], [0, 0, 1]], "mrr ndcg@2")
        for name in names
    }
    return rm.compare(results, resamples=10)


def test_letters_that_the_font_of_plots_lacks(tmp_path: Path) -> None:
    """The reader's font may have them, so nobody is warned."""
    assert "日本語" in written(named("日本語", "中文"), tmp_path / "r.html")


@pytest.mark.parametrize("ending", ["html", "md", "tex"])
def test_names_that_utf8_has_no_form_for(ending: str, tmp_path: Path) -> None:
    with pytest.raises(rm.InputError, match=r"data: got '.*\\udcff.*'; wanted text that UTF-8"):
        rm.report(named("\udcff", "b"), tmp_path / f"r.{ending}")
    assert not list(tmp_path.iterdir())


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="no space"):
        rm.report(compared(), tmp_path / "r.md")
    assert not list(tmp_path.iterdir())


def test_html_needs_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(rm.MissingDependencyError, match=r"pip install 'rankmill\[plots\]'"):
        rm.report(compared(), tmp_path / "r.html")
    assert not list(tmp_path.iterdir())
