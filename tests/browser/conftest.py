"""Visitors: each has a browser context of its own, and none may see an error or ask another host for anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright

from memory_bank.demo import load_demo
from memory_bank.session import Session
from tests.browser.serving import Served, launch, serving

LAPTOP: dict[str, object] = {"viewport": {"width": 1366, "height": 768}}

expect.set_options(timeout=15_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The app, served once for all browser tests."""
    with serving(tmp_path_factory.mktemp("served")) as served:
        yield served


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


class Visitors:
    """Makes visitors and notes what goes wrong before their eyes."""

    def __init__(self, browser: Browser, served: Served) -> None:
        self._browser = browser
        self._served = served
        self._contexts: list[BrowserContext] = []
        self.wrong: list[str] = []

    def context(self, options: Mapping[str, object] | None = None) -> BrowserContext:
        context = self._browser.new_context(**{**LAPTOP, **(options or {})})  # type: ignore[arg-type]
        context.on("page", self._watch)
        self._contexts.append(context)
        return context

    def page(self, options: Mapping[str, object] | None = None) -> Page:
        page = self.context(options).new_page()
        page.goto(self._served.url)
        return page

    def _watch(self, page: Page) -> None:
        page.on("console", self._note_console)
        page.on("pageerror", lambda error: self.wrong.append(f"error on the page: {error}"))
        page.on("request", self._note_request)

    def _note_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.wrong.append(f"console: {message.text}")

    def _note_request(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme not in ("blob", "data") and address.netloc != urlsplit(self._served.url).netloc:
            self.wrong.append(f"a request to another host: {request.url}")

    def close(self) -> None:
        for context in self._contexts:
            context.close()


@pytest.fixture
def visitors(chromium: Browser, served: Served) -> Iterator[Visitors]:
    made = Visitors(chromium, served)
    yield made
    made.close()
    assert not made.wrong, made.wrong


@pytest.fixture
def page(visitors: Visitors) -> Page:
    """One visitor at the start of the app."""
    return visitors.page()


@pytest.fixture(scope="session")
def finished_demo(served: Served) -> str:
    """The id of a demo session that has ended, put into the server's store."""
    demo = load_demo()
    session = Session.create(demo.task, demo.documents, demo.sources, sessions=served.store)
    for _event in session.run():
        pass
    return session.id


@pytest.fixture
def open_demo(page: Page, served: Served, finished_demo: str) -> Callable[[], Page]:
    def go() -> Page:
        page.goto(served.address(finished_demo))
        expect(page.get_by_text("finished", exact=True)).to_be_visible()
        return page

    return go
