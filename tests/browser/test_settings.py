"""The Settings page before a person's eyes: a key typed and gone, a server tried, an engine chosen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Visitors
from tests.browser.serving import serving
from tests.pages.little_server import api, http_server

KEY = "sk-very-secret-1234"


@pytest.fixture
def model_address() -> Iterator[str]:
    """The address of a local server that answers."""
    with http_server(api) as url:
        yield f"{url}/v1"


def choose_local(page: Page, address: str) -> None:
    page.goto("/")
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("combobox", name="Engine for all agents", exact=True).click()
    page.get_by_role("option", name="Local server").click()
    page.get_by_label("Local server: key").fill(KEY)
    page.get_by_label("Local server: address").fill(address)
    page.get_by_label("Local server: model").fill("llama")
    page.get_by_role("button", name="Save and test the connection").click()


def test_a_server_is_tried_and_then_offered_for_a_session(page: Page, model_address: str) -> None:
    choose_local(page, model_address)
    expect(page.get_by_text("answers as llama")).to_be_visible()
    key = page.get_by_label("Local server: key")
    expect(key).to_have_value("")
    expect(key).to_have_attribute("placeholder", "set in this tab")
    expect(key).to_have_attribute("type", "password")
    assert KEY not in page.content()
    page.get_by_role("link", name="Session", exact=True).click()
    expect(page.get_by_role("radio", name="llama at 127.0.0.1")).to_be_checked()
    expect(page.get_by_text("The task and the text of the documents are sent to 127.0.0.1")).to_be_visible()
    page.get_by_role("link", name="Settings").click()
    model = page.get_by_label("Local server: model")
    expect(model).to_have_value("llama")
    page.get_by_role("button", name="Reset to the environment").click()
    expect(model.and_(page.locator("[value='']"))).to_be_visible()
    expect(model).to_have_count(1)  # the field of before stands beside the new one for a moment
    expect(key).to_have_attribute("placeholder", "none")


def test_what_one_visitor_chose_is_not_there_for_another(visitors: Visitors, model_address: str) -> None:
    one, other = visitors.page(), visitors.page()
    other.goto("/")
    choose_local(one, model_address)
    expect(one.get_by_text("answers as llama")).to_be_visible()
    expect(other.get_by_text("nothing is sent anywhere")).to_be_visible()
    expect(other.get_by_role("radio")).to_have_count(0)
    one.get_by_role("link", name="Session", exact=True).click()
    expect(one.get_by_role("radio")).to_have_count(2)
    one.reload()
    one.get_by_role("link", name="Settings").click()
    expect(one.get_by_label("Local server: key")).to_have_attribute("placeholder", "none")


def test_settings_can_be_made_with_the_keyboard_alone(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name="Settings").click()
    page.get_by_label("OpenAI: model").focus()
    page.keyboard.type("gpt-5")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Saved for this tab.")).to_be_visible()
    expect(page.get_by_label("OpenAI: model")).to_have_value("gpt-5")


def test_a_new_server_may_be_asked_for_another_page_first(chromium: Browser, tmp_path: Path) -> None:
    """Streamlit would run the file by itself, without the navigation and the style of `app.py`."""
    with serving(tmp_path) as served:
        page = chromium.new_page()
        page.goto(f"{served.url}/settings")
        expect(page.get_by_role("link", name="Session", exact=True)).to_be_visible()
        expect(page.get_by_text("visitor")).to_have_count(0)
        expect(page.get_by_role("heading", name="Settings", exact=True)).to_be_visible()
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.close()
