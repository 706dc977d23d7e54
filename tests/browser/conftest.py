"""Visitors: each has a browser context of its own, and none may see an error or ask another host for anything."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Page,
    Request,
    expect,
)

from memory_bank.app.demo import load_demo
from memory_bank.session.session import Session
from memory_bank.storage.session_store import new_session_id
from tests.browser.serving import Served, serving

LAPTOP: dict[str, object] = {"viewport": {"width": 1366, "height": 768}}
EVERY_PAGE = {
    "": ".mb-status h1",
    "query_graph": ".st-key-graph-filter",
    "insight_doc": ".mb-doc",
    "interaction_tree": ".st-key-tree-place .mb-passage",
    "conflicts": "[class*=st-key-sides-]",
    "ask": ".st-key-examples button",
    "long_term_memory": ".st-key-long-term",
    "sessions": ".mb-row",
    "settings": "[data-testid=stForm]",
}
"""Where each page is, and what must be seen on it of a session, in any language; no other page has that."""

SMOKE = {
    "test_first_run_from_conflict_to_answer_to_its_place_in_the_document",
    "test_own_documents_with_bad_files_among_them",
    "test_nothing_is_started_without_a_task_or_with_empty_files_only",
}
"""The journeys that `make test` takes too; the others are slow."""

expect.set_options(timeout=40_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")
            item.add_marker(pytest.mark.xdist_group("browser"))  # one server and one browser for all of them
            if item.name not in SMOKE:
                item.add_marker("slow")
            item.add_marker(pytest.mark.flaky(reruns=2))  # on two busy cores Chromium may miss a press; it is told


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The app, served once for all browser tests."""
    with serving(tmp_path_factory.mktemp("served")) as served:
        yield served


class Visitors:
    """Makes visitors and notes what goes wrong before their eyes."""

    def __init__(self, browser: Browser, served: Served) -> None:
        self._browser = browser
        self._served = served
        self._contexts: list[BrowserContext] = []
        self.wrong: list[str] = []

    def context(self, options: Mapping[str, object] | None = None) -> BrowserContext:
        given = {**LAPTOP, "base_url": self._served.url, **(options or {})}
        context = self._browser.new_context(**given)  # type: ignore[arg-type]
        context.set_default_timeout(60_000)  # a busy machine with two cores is slow, not wrong
        context.on("page", self._watch)
        self._contexts.append(context)
        return context

    def page(self, options: Mapping[str, object] | None = None) -> Page:
        """An empty page: a visitor who has not come yet. `goto("/")` leads to the start."""
        return self.context(options).new_page()

    def _watch(self, page: Page) -> None:
        page.on("console", self._note_console)
        page.on("pageerror", lambda error: self.wrong.append(f"error on the page: {error}"))
        page.on("request", self._note_request)
        page.on("dialog", self._note_dialog)

    def _note_dialog(self, dialog: Dialog) -> None:
        self.wrong.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

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
    """One visitor, who has not come yet."""
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
        settle(page)
        return page

    return go


@pytest.fixture
def own_demo(served: Served, finished_demo: str) -> str:
    """The id of a finished demo session that only this test looks at."""
    session_id = new_session_id()
    shutil.copytree(served.store / finished_demo, served.store / session_id)
    return session_id


def walk(page: Page, address: str) -> Iterator[str]:
    """Open a session and go to every page by the navigation, as a person does; the name of each when it is drawn."""
    page.goto(address)
    expect(page.locator(EVERY_PAGE[""])).to_be_visible()
    for name, main in EVERY_PAGE.items():
        turn_to(page, name)
        expect(page.locator(main).first).to_be_visible()
        settle(page)
        yield name


def turn_to(page: Page, name: str) -> None:
    """Press a page's name in the navigation; what was drawn before may still be there for a moment."""
    link = page.locator(f"[data-testid$=NavLink][href$='/{name}']")
    expect(link).to_be_attached()
    unfold = page.get_by_test_id("stExpandSidebarButton")
    if unfold.is_visible():  # the navigation of a narrow screen
        unfold.click()
    link.click()
    expect(page).to_have_url(re.compile(rf"/{name}(\?|$)"))


def open_all(page: Page) -> None:
    """Open whatever is folded, also within what was folded."""
    folded = page.locator("details:not([open]) > summary").filter(visible=True)
    for _ in range(40):
        if not folded.count():
            return
        folded.first.click()
        settle(page)
    raise AssertionError("something cannot be opened, or folds itself again")


def settle(page: Page) -> None:
    """Wait until the page's script has run to its end."""
    page.locator("[data-test-script-state=notRunning]").wait_for(state="attached")


def wait_until(page: Page, holds: Callable[[], bool], seconds: float = 15) -> None:
    """Wait until something holds; `page.wait_for_function` may not run under the page's content security policy."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came to hold"
        page.wait_for_timeout(50)


@contextmanager
def opened_offline(chromium: Browser, file: Path) -> Iterator[Page]:
    """A file in a browser without a network, which asks for nothing else and reports no error."""
    with chromium.new_context(offline=True) as context:
        page = context.new_page()
        asked: list[str] = []
        wrong: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(file.as_uri())
        yield page
        assert asked == [file.as_uri()]
        assert not wrong, wrong
