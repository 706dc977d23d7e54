"""How long pages take with a large session, beside an empty one: `python -m tests.browser.page_times`.

First paint is what a person waits for in Chromium, with the server warm, until the page's own content is there. A tick
is the server's part of one more look at a running session to which events were added: all that the script does, and
what it sends. Prints a table; exit code 1 says that a target is missed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest.mock import patch

from playwright.sync_api import Browser, sync_playwright
from streamlit.testing.v1 import AppTest

from memory_bank.app.cli.grammar import file_to_write
from memory_bank.app.evaluation.figures import Figure, Pairs, figures_report, seconds, yardstick
from memory_bank.bank.events import Event
from memory_bank.session.session import Session
from memory_bank.storage.event_log import EventLog
from memory_bank.storage.session_store import SessionStore, new_session_id
from pages.shared.server import get_server
from tests.browser.serving import ROOT, Served, launch, serving
from tests.large_session import large_session, new_node

PAGES = ("session", "query_graph", "insight_doc", "interaction_tree", "conflicts", "ask")
PAINT_SECONDS, TICK_MS = 3.0, 200.0
_DRAWN = "(root, some) => root.network !== undefined && (!some || root.network.body.data.nodes.length > 0)"
REPEATS, TICKS, TOLD = 3, 7, 5000


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=file_to_write, help="write the figures to this file")
    file = parser.parse_args().json
    text, good = figures_report(page_figures(), file)
    sys.stdout.write(text + "\n")
    return 0 if good else 1


def page_figures() -> list[Figure]:
    """First paint of every page and the ticks, large against empty.

    An empty session's own are there too, against fixed work: what makes all pages slower would change no ratio.
    """
    large = large_session()
    with tempfile.TemporaryDirectory() as folder:
        return [*_paints(Path(folder), large), *_ticks(Path(folder), large)]


def _keep(store: Path, session_id: str, events: Sequence[Event]) -> None:
    log = EventLog(SessionStore(store).create(session_id))
    for event in events:
        log.append(event)
    log.close()


def _paints(folder: Path, large: list[Event]) -> list[Figure]:
    with serving(folder) as served, sync_playwright() as playwright:
        _keep(served.store, "large", large)
        _keep(served.store, "empty", large[:2])
        browser = launch(playwright)
        _paint(browser, served, "session", "empty")  # the server is warm from here on
        figures = []
        for page in PAGES:
            took = Pairs.of(
                [
                    (_paint_anew(browser, served, page, "large"), _paint_anew(browser, served, page, "empty"))
                    for _ in range(REPEATS)
                ]
            )
            figures.append(
                Figure.of(f"first paint of {page}, 1,000 nodes, 20,000 events", "s", took, ("most", PAINT_SECONDS))
            )
        empty = Pairs.of([(_paint_anew(browser, served, "session", "empty"), _fixed()) for _ in range(REPEATS)])
        browser.close()
    return [*figures, Figure.of("first paint of an empty session, against fixed work", "s", empty)]


def _fixed() -> float:
    return seconds(lambda: yardstick(10))


def _paint_anew(browser: Browser, served: Served, page: str, which: str) -> float:
    """First paint of a session that the server has not seen before: read, added up and laid out in that time."""
    session_id = new_session_id()
    shutil.copytree(served.store / which, served.store / session_id)
    return _paint(browser, served, page, session_id, some=which == "large")


def _paint(browser: Browser, served: Served, page: str, session_id: str, *, some: bool = False) -> float:
    """Seconds from the address to the page's content, in a browser that has nothing of it yet; with `some` nodes."""
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    tab = context.new_page()
    began = time.perf_counter()
    tab.goto(f"{served.url}/{'' if page == 'session' else page}?run={session_id}")
    tab.locator(".mb-status").first.wait_for(timeout=60_000)
    # The script has run to its end: nothing is marked as being drawn any more.
    tab.locator("[data-test-script-state=notRunning]").wait_for(state="attached", timeout=60_000)
    if page in ("session", "query_graph"):
        graph = tab.locator(".graph").first
        while not graph.evaluate(_DRAWN, some):
            tab.wait_for_timeout(20)
    took = time.perf_counter() - began
    context.close()
    return took


def _ticks(folder: Path, large: list[Event]) -> list[Figure]:
    store = folder / "ticking"
    running = [event for event in large if event.type != "answer_given"][:-1]
    figures = []
    # Only while it lasts: what is measured after this is not to run on this store, nor without a model.
    with patch.dict(os.environ, STORAGE_DIR=str(store), EMBEDDING_MODEL="hash"):
        get_server.clear()
        for page in PAGES:
            looks = [
                _looks(store, f"{page.replace('_', '')}{which}", page, events)
                for which, events in (("large", running), ("empty", running[:2]))
            ]
            took = Pairs.of(zip(*looks, strict=True), 1e3)
            figures.append(Figure.of(f"a tick of {page}, 1,000 nodes, 20,000 events", "ms", took, ("most", TICK_MS)))
        looks = _looks(store, "bare", "session", running[:2])
        empty = Pairs.of(((took, _fixed()) for took in looks), 1e3)
    get_server.clear()
    return [*figures, Figure.of("a tick of an empty session, against fixed work", "ms", empty)]


def _looks(store: Path, session_id: str, page: str, events: Sequence[Event]) -> Iterator[float]:
    """Seconds of the server for one more look, several times.

    The whole script is run, which is more than the fragment that ticks.
    """
    _keep(store, session_id, events)
    session = Session.open(session_id, settings=get_server().settings)
    get_server().runner.add(session)
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    test.query_params["run"] = session_id
    if page != "session":
        test.run()
        test.switch_page(f"pages/{page}.py")
    test.run()
    assert not test.exception, test.exception
    for number in range(1, TICKS + 1):
        for event in new_node(TOLD + number, number if len(events) > 2 else 0):
            session._recorder.record(event)
        yield seconds(test.run)
    session.close()


if __name__ == "__main__":
    sys.exit(main())
