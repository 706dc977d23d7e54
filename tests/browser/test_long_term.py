"""The Long-term memory page in a real browser: decided with the keyboard, read in the dark, on a phone, in Chinese."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.browser import long_term
from tests.browser.conftest import Visitors, settle
from tests.browser.serving import Served
from tests.browser.test_accessibility import THEMES, at_rest, serious
from tests.browser.test_manners import CHINESE, PHONE, english_in, read, spoken, tab_to

ADDRESS = "long_term_memory"


@pytest.fixture
def kept(page: Page, served: Served) -> Iterator[Page]:
    """The page with some facts and a dispute, which are forgotten after the test."""
    page.goto(f"{served.url}/{ADDRESS}")
    long_term.forget_everything(page)
    for fact in long_term.FACTS:
        long_term.add(page, *fact)
    yield page
    page.goto(f"{served.url}/{ADDRESS}")
    long_term.forget_everything(page)


def test_a_dispute_is_decided_with_the_keyboard_and_a_record_corrected_and_forgotten(kept: Page) -> None:
    settle(kept)
    tab_to(kept, "Use the new statement")
    kept.keyboard.press("Enter")
    expect(kept.get_by_text("Decided.")).to_be_visible()
    expect(kept.get_by_text("waits for you")).to_have_count(0)
    record = kept.locator("[class*=st-key-record-]").filter(has_text="budget is $12,000")
    record.get_by_text("1 earlier wording").click()
    expect(record.get_by_text("budget is $10,000")).to_be_visible()
    record.get_by_role("button", name="Correct").click()
    record.get_by_role("textbox", name="Corrected text").fill("budget is $11,000")
    record.get_by_role("button", name="Save the correction").click()
    expect(kept.locator(".mb-row h3").filter(has_text="budget is $11,000")).to_be_visible()
    record = kept.locator("[class*=st-key-record-]").filter(has_text="budget is $11,000")
    record.get_by_role("button", name="Forget").click()
    record.get_by_role("button", name="Forget it").click()
    expect(kept.get_by_text("Forgotten.")).to_be_visible()
    expect(kept.get_by_text("budget is $11,000")).to_have_count(0)


def test_it_is_found_by_meaning(kept: Page) -> None:
    kept.get_by_role("textbox", name="Search by meaning").fill("How does Ann like to travel?")
    kept.keyboard.press("Enter")
    expect(kept.get_by_role("heading", name="Search results")).to_be_visible()
    expect(kept.locator(".mb-row h3").first).to_contain_text("Ann prefers trains")


def test_it_shuts_nobody_out_in_light_and_dark_on_a_phone_and_in_chinese(
    kept: Page, visitors: Visitors, served: Served
) -> None:
    for theme in THEMES:
        assert serious(look(visitors, served, theme)) == [], theme
    phone = look(visitors, served, "light", PHONE)
    for wide in ("html", "[data-testid=stMain]"):
        assert phone.locator(wide).evaluate("element => element.scrollWidth - innerWidth") <= 1, wide
    content = spoken(" | ".join(" | ".join(fact) for fact in long_term.FACTS))
    assert english_in(read(look(visitors, served, "light", CHINESE)), content) == []


def look(
    visitors: Visitors, served: Served, theme: Literal["light", "dark"], more: dict[str, object] | None = None
) -> Page:
    """Another visitor's view of the same page: without login all are one user."""
    page = visitors.context({"color_scheme": theme, **(more or {})}).new_page()
    page.goto(f"{served.url}/{ADDRESS}")
    expect(page.locator(".mb-side").first).to_be_visible(timeout=long_term.OPENED_MS)
    at_rest(page)
    return page
