"""What a person does on the Long-term memory page."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import settle

FACTS = (
    ("The ferry takes bicycles only on weekdays.", "Hawaii trip", "trips"),
    ("Ann prefers trains to planes when the journey takes less than six hours.", "", ""),
    ("budget is $10,000", "Hawaii trip", "trips"),
    ("budget is $12,000", "Hawaii trip", "trips"),
)
"""Content, context and project; the last two contradict each other."""
OPENED_MS = 60_000
"""The first look opens the store, the first fact loads the embedding model."""


def add(page: Page, content: str, context: str = "", project: str = "") -> None:
    """Keep a fact."""
    settle(page)
    page.get_by_role("textbox", name="What to remember", exact=True).fill(content)
    page.get_by_role("textbox", name="What it is about (optional)").fill(context)
    page.get_by_role("textbox", name="Project (optional)").fill(project[:200])
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_test_id("stAlert")).to_be_visible(timeout=OPENED_MS)
    expect(page.get_by_role("textbox", name="What to remember", exact=True)).to_have_value("")


def forget_everything(page: Page) -> None:
    """Leave nothing behind."""
    button = page.get_by_role("button", name="Forget everything")
    expect(button).to_be_visible(timeout=OPENED_MS)
    settle(page)
    if button.is_enabled():
        button.click()
        page.get_by_role("button", name="Forget for good").click()
    expect(page.get_by_text("Nothing is kept here yet.")).to_be_visible()
