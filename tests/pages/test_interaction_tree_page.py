"""The Interaction Tree page: from a node to its records, and from a passage to its page."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import wait
from io import BytesIO
from pathlib import Path
from subprocess import TimeoutExpired

import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.bank.events import EntryRecorded, Event, NodeCreated, SourceAdded, SourceRead, StatusChanged
from memory_bank.bank.interaction_tree import Attachment, Entry
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.bank.source import Source
from memory_bank.documents.page_image import PageImage
from memory_bank.storage.session_store import SessionStore
from pages.shared import passage_view
from pages.shared.passage_view import NoPicture, passages, picture_of
from tests.builders import at, every_event, make_created, make_node
from tests.pages.conftest import Page
from tests.pages.hostile import EVIL, hostile_events

Keep = Callable[[str, Sequence[Event]], str]
FIRST, SECOND = "The dam was finished in 1970.", "It stands 111 metres high."


def opened(session_id: str, **state: object) -> Page:
    """The page of a session. `state` is what is selected: node, passage, moment."""
    page = Page(run=session_id).go("interaction_tree")
    if state:
        view = page.test.session_state["view"]
        for name, value in state.items():
            setattr(view, name, value)
        page.run()
    return page


def entry(entry_id: str, text: str, *, seconds: float = 0, **metadata: object) -> Entry:
    return Entry(id=entry_id, text=text, created_at=at(seconds), metadata=metadata)


def added(source_id: str, name: str, media_type: str, pages: int = 0) -> list[Event]:
    source = Source(id=source_id, name=name, role="material", path=f"files/{source_id}", bytes=9, sha256="00" * 32)
    read = SourceRead(source_id=source_id, title=None, media_type=media_type, characters=9, pages=pages)
    return [SourceAdded(source=source), read]


def with_source(name: str, media_type: str, pages: int = 0, **metadata: object) -> list[Event]:
    """A session with one document, and a node with a record of it and a claim in the record."""
    text = f"{FIRST}\n{SECOND}"
    claim = Claim(id="c1", text=SECOND, entry_id="e1", start=len(FIRST) + 1, end=len(text), source=name, page=1)
    record = entry("e1", text, source_id="s1", source=name, **metadata)
    return [
        make_created(),
        StatusChanged(status="running"),
        *added("s1", name, media_type, pages),
        NodeCreated(node=make_node("n1", "The dam", claim), entry=record, unit="s1.1.1"),
        StatusChanged(status="finished"),
    ]


def pdf(*pages: str) -> bytes:
    written = BytesIO()
    canvas = Canvas(written)
    for text in pages:
        canvas.drawString(72, 700, text)
        canvas.showPage()
    canvas.save()
    return written.getvalue()


def made(page: Page) -> Page:
    """The page once its pictures are there, as its ticking would bring it."""
    wait(page.test.session_state["view"].pending, timeout=20)
    return page.run()


def alts(page: Page) -> list[str]:
    """What the pictures say to those who cannot see them."""
    return [image.alt for element in page.test.get("image") for image in element.proto.imgs]


def labels(page: Page) -> list[str]:
    """The folds of the page, with their text as a person reads it."""
    return [fold.label.replace("\\", "").replace("\u2060", "") for fold in page.test.expander]


def unfold(page: Page, key: str) -> Page:
    page.test.session_state[key] = True
    return page.run()


# -- the tree


def test_a_node_leads_to_its_merge_and_its_records(keep: Keep) -> None:
    page = opened(keep("a", every_event()), node="n3")
    assert labels(page)[0].startswith("n1 + n2 became n3")
    assert [label.split(" · ")[0] for label in labels(page)[1:]] == ["e1", "e2", "e3", "e5"]


def test_a_merged_node_leads_to_what_it_became(keep: Keep) -> None:
    page = opened(keep("a", every_event()), node="n1")
    assert "n1 was merged into n3." in page.markup
    assert page.field("Choose a node").value == "n3"


def test_a_merge_shows_the_nodes_before_and_the_node_after(keep: Keep) -> None:
    page = unfold(opened(keep("a", every_event()), node="n3"), "merge-n3")
    assert "The year of the dam." in page.markup  # n2 as it had been rewritten before the merge
    assert "When the dam was finished, settled." in page.markup
    assert "By the verdict on conflict x1" in page.labels()


def test_a_past_moment_shows_the_trees_of_then(keep: Keep) -> None:
    events = every_event()
    before = next(event.seq for event in events if event.type == "nodes_merged") - 1
    session_id = keep("a", events)
    then = opened(session_id, node="n1", at=before)
    assert [label.split(" · ")[0] for label in labels(then)] == ["e1"]
    assert "Node n3 does not exist at this moment." in opened(session_id, node="n3", at=before).markup


def test_markdown_is_read_as_plain_text(keep: Keep, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.pages.test_interaction_tree_page.SECOND", "It **stands** 111 metres high.")
    page = unfold(opened(keep("a", with_source("notes.md", "text/markdown"))), "record-e1")
    assert page.markup.count("<mark>It stands 111 metres high.</mark>") == 2, "in its record and in its context"
    assert "**" not in page.markup


def test_a_record_of_a_step_shows_what_the_agent_did(keep: Keep) -> None:
    step = EntryRecorded(
        node_id="n3", entry=entry("e9", "It was 1970.", source="register.md", step="t1", tool="search")
    )
    page = unfold(opened(keep("a", [*every_event()[:-1], step]), node="n3"), "record-e9")
    assert "What the agent did: 1 turn" in labels(page)
    assert "returned by the tool search" in page.markup
    page = unfold(page, "step-e9")
    assert {"Reasoning", "Tool search: query: the dam"} <= set(labels(page))


def test_a_node_with_hundreds_of_records_shows_them_part_by_part(keep: Keep) -> None:
    many = [EntryRecorded(node_id="n1", entry=entry(f"e{n}", "More.", seconds=n)) for n in range(2, 152)]
    page = opened(keep("a", [*with_source("notes.md", "text/markdown"), *many]))
    assert len(labels(page)) == 20
    assert "1–20 of 151" in page.messages
    page.test.button(key="records-n1-forth").click()
    assert labels(page.run())[0].startswith("e21 ·")


def test_a_record_of_any_length_is_read_part_by_part(keep: Keep) -> None:
    long = "word " * 4000
    node = Node(id="n1", summary="", context="The dam", keywords=(), timestamp=at(0))
    events = [make_created(), NodeCreated(node=node, entry=entry("e1", long), unit="s1.1.1")]
    page = opened(keep("a", events))
    assert "Part 1 of 5" in page.messages
    assert len(page.markup) < 10_000


def test_before_anything_is_in_memory_it_is_said_what_will_be_here(keep: Keep) -> None:
    assert "There is no node at this moment." in opened(keep("a", [make_created()])).markup


def test_hostile_text_stays_text_however_deep_one_looks(keep: Keep) -> None:
    step = EntryRecorded(node_id="n1", entry=entry("e9", EVIL, source=EVIL, step=EVIL, tool=EVIL))
    page = opened(keep("a", [*hostile_events()[:-1], step]), node="n1")
    for key in ("record-e9", "step-e9", "turns-e9-1-0-thought", "turns-e9-1-0-0-call"):
        unfold(page, key)
    assert len(labels(page)) == 5
    assert "<img" not in page.markup
    assert "<script" not in page.markup
    assert not any("**bold**" in fold.label for fold in page.test.expander)


# -- the place of a passage


def test_the_page_of_a_document_is_shown_with_its_neighbours(keep: Keep, store: SessionStore) -> None:
    session_id = keep("a", with_source("tour.pdf", "application/pdf", 2, page=1))
    (store.find(session_id) / "files/s1").write_bytes(pdf(SECOND, "Another page."))
    page = opened(session_id)
    if not alts(page):
        assert "Preparing page 1 …" in page.markup
    assert alts(made(page)) == ["Page 1 of tour.pdf, with the passage marked"]
    assert "Page 1 of 2" in page.messages
    page.test.button(key="evidence-e1-30-56-forth").click()
    assert alts(made(page.run())) == ["Page 2 of tour.pdf"]
    assert "could not be located" not in page.markup


def test_a_passage_that_is_not_on_its_page_is_said_not_to_be(keep: Keep, store: SessionStore) -> None:
    session_id = keep("a", with_source("tour.pdf", "application/pdf", 1, page=1))
    (store.find(session_id) / "files/s1").write_bytes(pdf("Another page."))
    page = made(opened(session_id))
    assert alts(page) == ["Page 1 of tour.pdf"]
    assert "The passage could not be located in the picture of this page" in page.markup


def test_a_damaged_file_is_told_in_words(keep: Keep, store: SessionStore) -> None:
    session_id = keep("a", with_source("tour.pdf", "application/pdf", 1, page=1))
    (store.find(session_id) / "files/s1").write_bytes(b"no PDF")
    assert "This page cannot be shown as a picture: it is damaged." in made(opened(session_id)).markup


def test_of_an_imported_session_the_text_is_shown_and_the_missing_file_told(keep: Keep) -> None:
    page = opened(keep("a", with_source("tour.pdf", "application/pdf", 1, page=1)))
    assert "The file of tour.pdf is missing" in page.markup
    assert f"<mark>{SECOND}</mark>" in page.markup


def test_an_image_is_shown(keep: Keep, store: SessionStore) -> None:
    session_id = keep("a", with_source("dam.png", "image/png"))
    Image.new("RGB", (40, 30), "red").save(store.find(session_id) / "files/s1", "PNG")
    assert alts(made(opened(session_id))) == ["dam.png"]


def test_an_image_attached_to_a_record_is_shown(keep: Keep, store: SessionStore) -> None:
    image = Attachment(id="a1", type="image", path="files/a1", media_type="image/png", bytes=9, sha256="00" * 32)
    record = entry("e1", "A photograph.").model_copy(update={"attachments": (image,)})
    session_id = keep("a", [make_created(), NodeCreated(node=make_node(), entry=record, unit="s1.1.1")])
    assert "The file is missing" in opened(session_id).markup
    Image.new("RGB", (40, 30), "red").save(store.find(session_id) / "files/a1", "PNG")
    assert alts(made(opened(session_id))) == ["a1"]


@pytest.mark.parametrize(("name", "language"), [("dam.py", "python"), ("DAM.TS", "typescript"), ("notes.md", None)])
def test_source_code_is_coloured(keep: Keep, name: str, language: str | None) -> None:
    shown = opened(keep("a", with_source(name, "text/plain"))).test.code
    assert [block.language for block in shown] == ([] if language is None else [language])


def test_a_record_without_claims_can_be_shown_at_its_place(keep: Keep) -> None:
    more = EntryRecorded(node_id="n1", entry=entry("e2", "Nothing is claimed here.", source="notes.md"))
    page = opened(keep("a", [*with_source("notes.md", "text/markdown"), more]))
    page = unfold(page, "record-e2").press("Show in context")
    assert "<mark>Nothing is claimed here.</mark>" in page.markup


# -- which part of a passage stands on which page

TWO_PAGES = "First page ends here. Second page begins."


@pytest.mark.parametrize(
    ("pages", "span", "page", "wanted"),
    [
        ([[0, 3], [22, 4]], (0, 41), 3, {3: "First page ends here. ", 4: "Second page begins."}),
        ([[0, 3], [22, 4]], (22, 28), 4, {4: "Second"}),
        (None, (0, 5), 7, {7: "First"}),
        (None, (0, 5), None, {1: ""}),
        ("what", (0, 5), 7, {7: "First"}),
        ([[0, "x"], 7], (0, 5), 7, {7: "First"}),
        ([[22, 4], [0, 3]], (0, 5), 7, {7: "First"}),
        ([[0, -3], [22, 4]], (0, 5), 7, {7: "First"}),
    ],
)
def test_each_page_is_given_its_part_of_a_passage(
    pages: object, span: tuple[int, int], page: int | None, wanted: dict[int, str]
) -> None:
    found = passages(entry("e1", TWO_PAGES, pages=pages), span, page)
    assert {number: words for number, (words, _before) in found.items()} == wanted


def test_pictures_are_kept_for_who_asks_next_and_only_so_many(keep: Keep, store: SessionStore) -> None:
    session_id = keep("a", with_source("tour.pdf", "application/pdf", 1, page=1))
    file = store.find(session_id) / "files/s1"
    file.write_bytes(pdf(SECOND))
    first = picture_of("page", file, 1, "", 50, "")
    assert picture_of("page", file, 1, "", 50, "") is first
    others = [picture_of("page", file, 1, "", 50 + width, "") for width in range(1, 49)]
    assert picture_of("page", file, 1, "", 50, "") is not first
    for work in others:
        work.cancel()


FILE = Path("tour.pdf")
PATIENCE = 10
"""Seconds after which a thread that should have ended is taken for hung."""


def test_pictures_that_nobody_waits_for_any_more_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    started, door = threading.Semaphore(0), threading.Event()

    def slow(*_given: object) -> PageImage:
        started.release()
        assert door.wait(PATIENCE)
        return PageImage(b"")

    monkeypatch.setattr(passage_view, "render_isolated", slow)
    picture_of.clear()
    works = [picture_of("page", FILE, number) for number in range(2)]
    assert all(started.acquire(timeout=PATIENCE) for _work in works)
    works += [picture_of("page", FILE, number) for number in range(2, 60)]
    door.set()
    wait(works, PATIENCE)
    assert [work.cancelled() for work in works] == [False] * 2 + [True] * 10 + [False] * 48


def timed_out() -> UnreadableDocumentError:
    error = UnreadableDocumentError(FILE.name, "drawing it takes too long")
    error.__cause__ = TimeoutExpired("draw", 20)
    return error


@pytest.mark.parametrize(
    ("error", "said", "again"),
    [
        (UnreadableDocumentError(FILE.name, "it has no page 7"), "it has no page 7", False),
        (timed_out(), "drawing it takes too long", True),
        (RuntimeError("a bug"), "an unexpected RuntimeError; the server's log has the details", True),
    ],
)
def test_why_there_is_no_picture_is_said_and_what_may_pass_is_tried_again_later(
    monkeypatch: pytest.MonkeyPatch, error: Exception, said: str, *, again: bool
) -> None:
    def failing(*_given: object) -> PageImage:
        raise error

    now = 1000.0
    monkeypatch.setattr(passage_view, "render_isolated", failing)
    monkeypatch.setattr(passage_view, "monotonic", lambda: now)
    picture_of.clear()
    work = picture_of("page", FILE, 7)
    made = work.result(PATIENCE)
    assert isinstance(made, NoPicture)
    assert made.reason == said
    assert picture_of("page", FILE, 7) is work, "not at every redraw"
    now += 100
    assert (picture_of("page", FILE, 7) is not work) == again
