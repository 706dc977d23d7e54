"""Every page, light and dark, by axe-core: no violation that is serious or worse."""

from __future__ import annotations

from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import settle, walk
from tests.browser.serving import Served

THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def serious(page: Page) -> list[str]:
    """What axe-core finds that is serious or worse, a line for each place."""
    found: list[dict[str, Any]] = Axe().run(page).response["violations"]
    return [
        f"{violation['id']} ({violation['impact']}): {node['target']} {node['html'][:200]}"
        for violation in found
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


def at_rest(page: Page) -> None:
    """Wait until all is drawn and has its colours: what is being drawn is pale."""
    settle(page)
    page.wait_for_timeout(500)


def shut_out(page: Page) -> dict[str, list[str]]:
    """What is serious on a page in each theme that has something; the page changes its theme as its system does."""
    found = {}
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        at_rest(page)
        found[theme] = serious(page)
    return {theme: places for theme, places in found.items() if places}


def test_no_page_shuts_anybody_out(page: Page, served: Served, finished_demo: str) -> None:
    assert {name: found for name in walk(page, served.address(finished_demo)) if (found := shut_out(page))} == {}


def test_the_start_shuts_nobody_out(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("button", name="Try the demo")).to_be_visible()
    assert shut_out(page) == {}
