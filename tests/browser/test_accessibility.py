"""Every page, light and dark, by axe-core: no violation that is serious or worse."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitors
from tests.browser.serving import Served

PAGES = (
    "",
    "query_graph",
    "insight_doc",
    "interaction_tree",
    "conflicts",
    "ask",
    "long_term_memory",
    "sessions",
    "settings",
)
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
    page.locator("[data-test-script-state=notRunning]").wait_for(state="attached")
    page.wait_for_timeout(500)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("address", PAGES)
def test_no_page_shuts_anybody_out(
    visitors: Visitors, served: Served, finished_demo: str, address: str, theme: Literal["light", "dark"]
) -> None:
    page = visitors.page({"color_scheme": theme})
    page.goto(f"{served.url}/{address}?run={finished_demo}")
    expect(page.locator("h1, h2, .mb-status").first).to_be_visible()
    at_rest(page)
    assert serious(page) == []


@pytest.mark.parametrize("theme", THEMES)
def test_the_start_shuts_nobody_out(visitors: Visitors, theme: Literal["light", "dark"]) -> None:
    page = visitors.page({"color_scheme": theme})
    expect(page.get_by_role("button", name="Try the demo")).to_be_visible()
    at_rest(page)
    assert serious(page) == []
