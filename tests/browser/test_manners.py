"""How the app treats people: their language, their phone, their keyboard; and it never leaves them at a loss."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from playwright.sync_api import Page, expect

from memory_bank.bank.bank import Bank
from memory_bank.bank.events import Event, NodeCreated, NodesMerged, StatusChanged
from memory_bank.storage.event_log import EventLog, read_events
from memory_bank.storage.session_store import SessionStore
from tests.browser import graph
from tests.browser.conftest import EVERY_PAGE, Visitors, open_all, settle, turn_to, walk
from tests.browser.serving import Served
from tests.builders import make_created

RUN_MS = 60_000
CHINESE: dict[str, object] = {"locale": "zh-CN"}
PHONE: dict[str, object] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "user_agent": "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/126.0.0.0 Mobile Safari/537.36",
}
OF_A_SESSION = [name for name in EVERY_PAGE if name not in ("", "long_term_memory", "sessions", "settings")]


# -- in Chinese

_READ = """() => {
  const found = [];
  const look = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (["SCRIPT", "STYLE", "NOSCRIPT"].includes(element.tagName) || !element.checkVisibility()) continue;
      for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) found.push(node.textContent);
      for (const name of ["aria-label", "title", "placeholder", "alt", "aria-valuetext", "aria-description"])
        found.push(element.getAttribute(name) ?? "");
      if (element.shadowRoot) look(element.shadowRoot);
    }
  };
  look(document.body);
  return [...new Set(found)];
}"""
"""Every text on the page and every label for a screen reader, also within our own components."""
_WORD = r"[A-Za-z][A-Za-z’']*"
_SENTENCE = re.compile(rf"{_WORD}(?:[\s,]+{_WORD}){{2,}}")
_NOT_OURS = (
    "Skip to main content",
    "MB per file",
    "Choose an option",
    "hide columns",
    "Download as CSV",
    "Help for Serper",
    "Help for Jina",
    "Drag and drop",
    "Press Enter to apply",
    "Press Enter to submit form",
)
"""What Streamlit says by itself."""


def content_of(served: Served, session_id: str) -> str:
    """All that documents, the task and the models said in a session, as its words."""
    events = list(read_events(served.store / session_id / "events.jsonl"))
    bank = Bank.replay(events)
    texts = [bank.insight_doc.task_goal, *(source.name for source in bank.sources.values())]
    for event in events:
        if isinstance(event, NodeCreated | NodesMerged):
            texts += [event.node.context, event.node.summary, *event.node.keywords]
            texts += [event.entry.text] if event.entry else []
    for conflict in bank.conflicts.values():
        texts += [claim.text for claim in conflict.claims] + [found.passage for found in conflict.evidence]
    return spoken(" | ".join(texts))


def spoken(text: str) -> str:
    """A text as its words, in small letters with single spaces."""
    return " ".join(re.findall(rf"{_WORD}|[^A-Za-z\s,]+", text)).casefold()


def read(page: Page) -> list[str]:
    """Every text on the page."""
    found: list[str] = page.evaluate(_READ)
    return found


def english_in(texts: Iterable[str], content: str = "") -> list[str]:
    """What is English, three words or more, and is said by no document."""
    allowed = f"{content} | {spoken(' | '.join(_NOT_OURS))}"
    found = []
    for sentence in (sentence for text in texts for sentence in _SENTENCE.findall(text)):
        words = spoken(sentence).split()
        threes = [" ".join(words[at : at + 3]) for at in range(len(words) - 2)]
        if any(three not in allowed for three in threes):
            found.append(sentence)
    return found


def test_in_chinese_the_demo_is_told_in_chinese_from_its_start_to_its_end(visitors: Visitors, served: Served) -> None:
    page = visitors.page(CHINESE)
    page.goto("/")
    expect(page.get_by_role("button", name="试看演示")).to_be_visible()
    assert english_in(read(page)) == []
    page.get_by_role("button", name="试看演示").click()
    expect(page.get_by_text("运行中", exact=True)).to_be_visible(timeout=RUN_MS)
    page.locator("summary").last.click()  # the events
    told: set[str] = set()
    ended = page.get_by_text("已完成", exact=True)
    for _ in range(RUN_MS // 500):
        told.update(read(page))
        if ended.is_visible():
            break
        page.wait_for_timeout(500)
    expect(ended).to_be_visible()
    content = content_of(served, page.url.partition("run=")[2])
    assert english_in(told, content) == []


def test_in_chinese_every_page_is_chinese(visitors: Visitors, served: Served, finished_demo: str) -> None:
    page, content = visitors.page(CHINESE), content_of(served, finished_demo)
    for name in walk(page, served.address(finished_demo)):
        open_all(page)
        assert english_in(read(page), content) == [], name
        assert page.evaluate("document.documentElement.lang").startswith("zh"), name


def test_the_language_is_changed_on_the_settings_page_at_once(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name="Settings").click()
    expect(page.get_by_role("heading", name="Settings", exact=True)).to_be_visible()
    assert english_in(read(page))
    page.get_by_text("中文").click()
    expect(page.get_by_role("heading", name="设置", exact=True)).to_be_visible()
    settle(page)
    assert english_in(read(page)) == []
    page.get_by_role("link", name="会话", exact=True).click()
    expect(page.get_by_role("button", name="试看演示")).to_be_visible()
    settle(page)
    assert english_in(read(page)) == []
    page.get_by_role("link", name="设置").click()
    page.get_by_text("English").click()
    expect(page.get_by_role("heading", name="Settings", exact=True)).to_be_visible()


# -- on a phone


def test_on_a_phone_every_page_can_be_reached_and_read(visitors: Visitors, served: Served, finished_demo: str) -> None:
    page = visitors.page(PHONE)
    for name in walk(page, served.address(finished_demo)):
        expect(page.get_by_test_id("stSidebar")).not_to_be_in_viewport()
        for wide in ("html", "[data-testid=stMain]"):
            assert page.locator(wide).evaluate("element => element.scrollWidth - innerWidth") <= 1, (name, wide)
        box = page.locator(EVERY_PAGE[name]).first.bounding_box()
        assert box is not None
        assert box["x"] >= 0, name
        assert box["x"] + box["width"] <= 391, name


def test_on_a_phone_the_first_screen_shows_the_examples_and_where_to_begin_with_own_documents(
    visitors: Visitors,
) -> None:
    page = visitors.page(PHONE)
    page.goto("/")
    for name in ("Try the demo", "Try the dispute", "Try it in Chinese"):
        expect(page.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("textbox", name="Task")).to_be_in_viewport(ratio=1)
    expect(page.get_by_test_id("stFileUploader").first).to_be_in_viewport(ratio=1)


def test_on_a_phone_the_demo_can_be_begun_and_a_citation_tapped(
    visitors: Visitors, served: Served, finished_demo: str
) -> None:
    page = visitors.page(PHONE)
    page.goto("/")
    expect(page.get_by_role("button", name="Try the demo")).to_be_in_viewport()
    page.goto(served.address(finished_demo))
    expect(page.get_by_role("heading", name="Answer")).to_be_visible()
    page.get_by_role("button", name="Citation 4:").tap()
    expect(page.get_by_role("heading", name="Passage 4")).to_be_visible()
    picture = page.get_by_role("img", name="Page 1 of brochure.pdf, with the passage marked")
    expect(picture).to_be_visible(timeout=RUN_MS)
    assert picture.evaluate("picture => picture.getBoundingClientRect().right") <= 390


@pytest.mark.parametrize("screen", [PHONE, {}], ids=["phone", "laptop"])
def test_the_answer_to_a_further_question_is_seen_where_it_was_asked(
    visitors: Visitors, served: Served, finished_demo: str, screen: dict[str, object]
) -> None:
    page = visitors.page(screen)
    page.goto(served.address(finished_demo))
    cited, passage = page.get_by_role("button", name="Citation 4:").first, page.get_by_role("heading", name="Passage 4")
    cited.click()
    picture = page.get_by_role("img", name="Page 1 of brochure.pdf, with the passage marked")
    expect(picture).to_be_visible(timeout=RUN_MS)
    page.get_by_role("textbox", name="Ask a further question").fill("How long is the Nile?")
    page.get_by_role("button", name="Ask", exact=True).click()
    asked = page.get_by_role("heading", name="How long is the Nile?", exact=True)
    expect(asked).to_be_in_viewport()
    expect(passage).to_have_count(0)
    expect(page.get_by_role("heading", name="Passage 1")).to_be_visible(timeout=RUN_MS)
    expect(asked).to_be_in_viewport()
    cited.click()
    expect(passage).to_be_visible()


# -- with the keyboard alone

_FOCUSED = """() => {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  const style = getComputedStyle(element);
  const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  return {
    name: element.getAttribute("aria-label") || element.innerText || "",
    shown: ring || style.boxShadow !== "none",
  };
}"""


def tab_to(page: Page, name: str) -> None:
    """Press Tab until what has this name has the focus, which must be seen."""
    for _ in range(60):
        page.keyboard.press("Tab")
        focused = page.evaluate(_FOCUSED)
        if name in focused["name"] and focused["shown"]:
            return
    raise AssertionError(f"{name!r} was not reached, or its focus is not seen")  # a redrawn page has it on its body


def test_citations_graph_and_time_are_reached_and_used_with_the_keyboard(
    page: Page, served: Served, finished_demo: str
) -> None:
    page.goto(served.address(finished_demo))
    expect(page.get_by_role("heading", name="Passage 1")).to_be_visible()
    graph.wait_until(page, "nodes.length > 3")
    tab_to(page, "Citation 2:")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Passage 2")).to_be_visible()
    expect(page.get_by_role("button", name="Citation 2:")).to_be_focused()

    tab_to(page, "Query Graph:")
    before = graph.state(page)["scale"]
    tab_to(page, "Zoom in")
    page.keyboard.press("Enter")
    assert graph.state(page)["scale"] > before

    tab_to(page, "Play")
    tab_to(page, "Moment:")
    page.keyboard.press("Home")
    expect(page.locator(".mb-moment b")).to_have_text(re.compile("^Event 1 of"))
    expect(page.get_by_role("heading", name="Answer")).to_have_count(0)
    tab_to(page, "Now")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Answer")).to_be_visible()


# -- where there is nothing


def test_without_a_session_every_page_leads_to_one(page: Page) -> None:
    page.goto("/")
    for name in OF_A_SESSION:
        turn_to(page, name)
        expect(page.get_by_text("No session is open in this tab."), name).to_be_visible()
        expect(page.get_by_role("link", name="Open or import a session"), name).to_be_visible()
        page.get_by_role("link", name="Start a session").click()
        expect(page.get_by_role("button", name="Try the demo"), name).to_be_visible()


def test_an_address_that_leads_nowhere_says_so_and_leads_to_the_start(page: Page, served: Served) -> None:
    for name in ("", *OF_A_SESSION):
        page.goto(f"{served.url}/{name}?run=nobody-has-this")
        expect(page.get_by_text("There is no session at this address."), name).to_be_visible()
        page.get_by_role("button", name="Start a new session").click()
        expect(page.get_by_role("button", name="Try the demo"), name).to_be_visible()
        assert "run=" not in page.url, name


def test_an_address_that_cannot_be_one_does_no_harm(page: Page, served: Served) -> None:
    for run in ("../../etc/passwd", "%00", "-x", "a" * 300, "<img src=x onerror=window.evil=1>"):
        page.goto(f"{served.url}/?run={run}")
        expect(page.get_by_text("There is no session at this address."), run).to_be_visible()
        assert page.evaluate("window.evil") is None


def test_a_damaged_record_is_told_on_every_page_and_left_as_it_is(
    page: Page, served: Served, finished_demo: str
) -> None:
    lines = (served.store / finished_demo / "events.jsonl").read_bytes().splitlines(keepends=True)
    damaged = b"".join([*lines[:9], b"nonsense\n", *lines[10:]])
    log = SessionStore(served.store).create("damaged") / "events.jsonl"
    log.write_bytes(damaged)
    for name in ("", *OF_A_SESSION):
        page.goto(f"{served.url}/{name}?run=damaged")
        expect(page.get_by_text("The log of this session is damaged and cannot be shown."), name).to_be_visible()
        expect(page.get_by_role("button", name="Start a new session"), name).to_be_visible()
    assert log.read_bytes() == damaged


EMPTY = {
    "": "Press a node in the graph",
    "query_graph": "Nodes appear here as documents are read.",
    "insight_doc": "Nothing is done yet.",
    "interaction_tree": "There is no node at this moment.",
    "conflicts": "No conflicts yet.",
    "ask": "The memory is empty at this moment.",
}


def test_a_session_with_nothing_in_it_yet_says_on_every_page_what_will_be_there(page: Page, served: Served) -> None:
    log = EventLog(SessionStore(served.store).create("empty"))
    events: list[Event] = [make_created(), StatusChanged(status="paused")]
    for seq, event in enumerate(events, start=1):
        log.append(event.model_copy(update={"seq": seq}))
    log.close()
    page.goto(served.address("empty"))
    for name, said in EMPTY.items():
        turn_to(page, name)
        expect(page.get_by_text(said).first, name).to_be_visible()
