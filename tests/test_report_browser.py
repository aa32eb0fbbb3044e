"""A report in a real browser: no errors, nothing loaded, tables that sort, names that are text."""

import json
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

import rankmill as rm
from reported import compared

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.process,
    pytest.mark.skipif(not (BROWSER and DRIVER), reason="needs chromium and chromedriver"),
]
FLAGS = """
--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync
--disable-background-networking --disable-component-update
""".split()  # noqa: SIM905


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from selenium import webdriver

    folder = tmp_path_factory.mktemp("browser")
    rm.report(compared(), folder / "report.html")
    options = webdriver.ChromeOptions()
    options.binary_location = str(BROWSER)
    for flag in (*FLAGS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(str(DRIVER))
    with webdriver.Chrome(options, service) as browser:
        browser.get((folder / "report.html").as_uri())
        yield browser


def test_no_errors_and_nothing_is_loaded(page: Any) -> None:
    assert page.get_log("browser") == []
    messages = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    asked = [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]
    ours = [url for url in asked if not url.startswith(("data:", "chrome"))]
    assert ours
    assert all(url.startswith("file:") and url.endswith("report.html") for url in ours), ours
    assert page.title.startswith("Comparison of")  # no name ran as a script


def test_tables_sort(page: Any) -> None:
    def column(at: int) -> list[str]:
        rows = "[...document.querySelector('tbody').rows]"
        script = f"return {rows}.map(row => row.cells[arguments[0]].innerText)"
        found: list[str] = page.execute_script(script, at)
        return found

    def numbers(at: int) -> list[float]:
        return [float(text.rstrip("*")) for text in column(at)]

    buttons = page.find_elements("css selector", "thead button")
    before = numbers(5)
    buttons[5].click()
    assert numbers(5) == sorted(before)
    buttons[5].send_keys("\n")  # by the keyboard
    assert numbers(5) == sorted(before, reverse=True)
    sorts = page.find_elements("css selector", "th[aria-sort]")
    assert [head.get_attribute("aria-sort") for head in sorts] == ["descending"]
    buttons[0].click()
    assert column(0) == sorted(column(0))


@pytest.mark.parametrize("width", [360, 1280])
def test_no_width_scrolls_sideways(page: Any, width: int) -> None:
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    assert page.execute_script("return document.documentElement.scrollWidth") <= width
    pictures = "[...document.querySelectorAll('svg')]"
    shown = page.execute_script(
        f"return {pictures}.every(picture => picture.getBoundingClientRect().width > 99)"
    )
    assert shown


def test_it_prints(page: Any) -> None:
    pdf = page.execute_cdp_cmd("Page.printToPDF", {"landscape": True})["data"]
    assert len(pdf) > 10_000
