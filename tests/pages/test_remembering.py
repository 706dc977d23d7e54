"""Sessions that remember: turned on in the form, for one owner alone; follow-ups; what was recalled and kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from memory_bank.bank.errors import LongTermError
from memory_bank.bank.events import Event, MemoryKept, MemoryRecalled, Notice, SourceAdded, StatusChanged
from memory_bank.bank.source import Role, Source
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.owner import FILE, Owner, read_owner, write_owner
from memory_bank.long_term.record import Fact, Turn
from memory_bank.session.remembering import UNAVAILABLE
from memory_bank.storage.session_store import SessionStore
from memory_bank.text.wording import Wording
from pages.shared.page_paths import LONG_TERM_MEMORY_PAGE
from pages.shared.remembered import own_memory
from tests.builders import NOON, every_event, make_created
from tests.pages.conftest import Keep, Page, logged_in
from tests.pages.hostile import EVIL
from tests.pages.test_session_page import wait_until

ANN = "https://login.example ann"
FOLD = "fold-long-term"
NOT_THERE = "There is no session at this address."


def begin(page: Page, *, remember: bool, project: str = "") -> Page:
    page.test.text_area(key="task").input("When was the dam finished?")
    page.test.text_area(key="pasted").input("The dam was finished in 1970.")
    page.test.text_input(key="remember-project").input(project)
    if remember:
        page.test.checkbox(key="remember").check()
    page.press("Run")
    wait_until(page, lambda: "<b>finished</b>" in page.markup)
    return page


def owned(keep: Keep, store: SessionStore, user: str, events: Sequence[Event] | None = None) -> str:
    """A session in the store that remembers for somebody."""
    session_id = keep("mine", every_event() if events is None else events)
    write_owner(store.folder / session_id, Owner(user=user, project="trips", conversation_id="c1"))
    return session_id


# -- turning it on -------------------------------------------------------------------------------------------


def test_a_session_remembers_nothing_unless_that_is_ticked(store: SessionStore) -> None:
    page = begin(Page(), remember=False, project="trips")
    assert read_owner(store.folder / page.address[0]) is None
    assert "Ask a follow-up" not in page.markup


def test_a_session_that_remembers_does_so_for_its_user_in_the_project_named(
    store: SessionStore, memory: LongTermMemory
) -> None:
    page = begin(Page(), remember=True, project="  the   trips ")
    owner = read_owner(store.folder / page.address[0])
    assert owner is not None
    assert (owner.user, owner.project) == ("local", "the trips")
    page.press("New")
    assert page.test.text_input(key="remember-project").value == "the trips", "the tab keeps the project's name"
    assert not page.test.checkbox(key="remember").value, "it is off again"


def test_with_login_it_is_offered_to_who_is_logged_in(store: SessionStore, memory: LongTermMemory) -> None:
    page = Page({"is_logged_in": False})
    assert [box.key for box in page.test.checkbox] == []
    assert "Log in" in page.labels()
    page = begin(Page(logged_in("ann")), remember=True)
    owner = read_owner(store.folder / page.address[0])
    assert owner is not None
    assert (owner.user, owner.project) == (ANN, None)


# -- for its owner alone -------------------------------------------------------------------------------------

PAGES = ["session", "query_graph", "insight_doc", "interaction_tree", "conflicts", "ask"]
OTHERS = [logged_in("bob"), logged_in("ann", "https://other.example"), {"is_logged_in": False}]


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("user", OTHERS)
def test_anothers_session_looks_like_none(keep: Keep, store: SessionStore, user: dict[str, Any], name: str) -> None:
    page = Page(user, run=owned(keep, store, ANN)).go(name)
    assert NOT_THERE in page.messages
    nowhere = Page(user, run="nobody-has-this").go(name)
    assert page.markup == nowhere.markup
    assert page.messages == nowhere.messages
    assert page.labels() == nowhere.labels()


def test_the_owner_opens_it(keep: Keep, store: SessionStore) -> None:
    assert "<b>finished</b>" in Page(logged_in("ann"), run=owned(keep, store, ANN)).markup


@pytest.mark.parametrize("user", [ANN, "http://login.example ann", f"sha256 {'0' * 64}"])
def test_without_login_the_session_of_a_user_of_a_login_is_nobodys(keep: Keep, store: SessionStore, user: str) -> None:
    assert NOT_THERE in Page(run=owned(keep, store, user)).messages


@pytest.mark.parametrize("user", ["local", "ann"])
def test_without_login_any_other_is_opened_by_its_address(keep: Keep, store: SessionStore, user: str) -> None:
    assert "<b>finished</b>" in Page(run=owned(keep, store, user)).markup


def test_a_login_that_was_there_once_opens_nothing_when_its_secrets_are_away(keep: Keep, store: SessionStore) -> None:
    session_id = owned(keep, store, "local")
    assert "<b>finished</b>" in Page(run=session_id).markup
    Page({"is_logged_in": False})
    page = Page(run=session_id)
    assert NOT_THERE in page.messages
    assert "Log in" in page.go("long_term_memory").labels()


def test_a_session_without_memory_is_shared_by_its_address_as_ever(keep: Keep) -> None:
    assert "<b>finished</b>" in Page(logged_in("bob"), run=keep("free", every_event())).markup


def test_it_is_in_nobody_elses_list(keep: Keep, store: SessionStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIST_ALL_SESSIONS", "true")
    owned(keep, store, ANN)
    assert "No sessions yet." in Page(logged_in("bob")).go("sessions").markup
    assert "When was the dam finished?" in Page(logged_in("ann")).go("sessions").markup


@pytest.mark.parametrize("user", [logged_in("ann"), None])
@pytest.mark.parametrize("damaged", [True, False])
def test_where_it_cannot_be_told_whose_it_is_nobody_sees_it(
    keep: Keep, store: SessionStore, user: dict[str, Any] | None, *, damaged: bool
) -> None:
    note = store.folder / owned(keep, store, ANN) / FILE
    if damaged:
        note.write_text("{", encoding="utf-8")
    else:  # cannot be read
        note.unlink()
        note.mkdir()
    assert NOT_THERE in Page(user, run="mine").messages
    assert own_memory("mine") is None


# -- the next task of a conversation -------------------------------------------------------------------------


def with_files(keep: Keep, store: SessionStore) -> str:
    """A finished session with a document, a reference, an image that was read, and a file that is gone."""
    given: list[tuple[str, Role, bytes | None]] = [
        ("notes.md", "material", b"The dam was finished in 1970."),
        ("register.md", "reference", b"Register. The dam was finished in 1970."),
        ("photo.png", "material", b"\x89PNG"),
        ("lost.md", "material", None),
    ]
    sources = [
        Source(id=f"s{n}", name=name, role=role, path=f"files/s{n}", bytes=1, sha256="00" * 32)
        for n, (name, role, _content) in enumerate(given, start=1)
    ]
    events = [make_created(), *(SourceAdded(source=source) for source in sources), StatusChanged(status="finished")]
    session_id = owned(keep, store, "local", events)
    for source, (_name, _role, content) in zip(sources, given, strict=True):
        if content is not None:
            (store.folder / session_id / source.path).write_bytes(content)
    return session_id


@pytest.mark.parametrize("same", [True, False])
def test_a_follow_up_is_a_session_of_the_same_conversation(
    keep: Keep, store: SessionStore, memory: LongTermMemory, monkeypatch: pytest.MonkeyPatch, *, same: bool
) -> None:
    started: list[Any] = []
    page = Page(run=with_files(keep, store))
    monkeypatch.setattr("pages.shared.server.Server.start", lambda _self, new, _settings: started.append(new) or "next")
    page.field("Next task").input("And  its height?")
    page.test.checkbox(key="follow-up-same").set_value(same)
    page.press("Ask")
    (new,) = started
    assert (new.task, new.owner) == ("And its height?", Owner(user="local", project="trips", conversation_id="c1"))
    assert [file.name for file in new.documents] == (["notes.md", "photo.png"] if same else [])
    assert [file.data for file in new.sources] == ([b"Register. The dam was finished in 1970."] if same else [])
    assert page.address == ["next"]
    left = page.test.session_state["messages of next"]
    assert left == (("lost.md was left out: the file no longer exists.",) if same else ())


def test_a_follow_up_needs_a_task(keep: Keep, store: SessionStore) -> None:
    page = Page(run=with_files(keep, store)).press("Ask")
    assert "Write a task first." in page.messages
    assert store.ids() == ["mine"]


@pytest.mark.parametrize("user", ["ann", ANN])
def test_a_follow_up_is_for_the_owner_alone(keep: Keep, store: SessionStore, user: str) -> None:
    assert "Ask a follow-up" not in Page(run=owned(keep, store, user)).markup


# -- what was recalled and kept ------------------------------------------------------------------------------


def remembered(keep: Keep, store: SessionStore, user: str, *more: Event) -> Page:
    session_id = owned(keep, store, user, [make_created(), *more, StatusChanged(status="finished")])
    page = Page(run=session_id)
    return page.unfold(FOLD) if "From long-term memory" in str(page.test.expander) else page


def test_what_was_recalled_and_kept_is_told_as_it_is_now(
    keep: Keep, store: SessionStore, memory: LongTermMemory
) -> None:
    common: dict[str, Any] = {"user_id": "local", "created": NOON, "updated": NOON}
    known = memory.create(Fact(content=f"Ann prefers trains. {EVIL}", **common))
    asked = memory.create(Turn(asked="What of the dam?", conversation_id="c1", **common))
    new = memory.create(Fact(content="The fee is 5.", **common))
    other = memory.create(Fact(content="Said by Bob.", **{**common, "user_id": "bob"}))
    page = remembered(
        *(keep, store, "local"),
        MemoryRecalled(fact_ids=(known.id, "gone", other.id), turn_ids=(asked.id,)),
        MemoryKept(created=(new.id,), updated=(known.id,), disputed=(known.id,)),
    )
    assert "From long-term memory (4 recalled, 2 kept)" in [fold.label for fold in page.test.expander]
    for said in ("Ann prefers trains.", "What of the dam?", "The fee is 5."):
        assert said in page.markup
    assert "2 have been forgotten since." in page.markup
    assert "Said by Bob." not in page.markup
    assert "<img" not in page.markup


def test_why_nothing_was_looked_for_is_told(keep: Keep, store: SessionStore, memory: LongTermMemory) -> None:
    page = remembered(keep, store, "local", MemoryRecalled(skipped="a greeting"))
    assert "No search was made: a greeting" in page.markup


def test_that_nothing_bears_on_the_task_is_told(keep: Keep, store: SessionStore, memory: LongTermMemory) -> None:
    page = remembered(keep, store, "local", MemoryRecalled())
    assert "No stored record is relevant to this task." in page.markup


def test_a_memory_that_is_away_is_told_in_a_line(
    keep: Keep, store: SessionStore, memory: LongTermMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_given: object) -> None:
        raise LongTermError("long-term memory at x could not be reached")

    monkeypatch.setattr(memory, "get", away)
    page = remembered(keep, store, "local", MemoryRecalled(fact_ids=("f1",)))
    assert "Long-term memory cannot be reached now, so its records are not shown." in page.markup
    assert "long-term memory at x could not be reached" in page.messages


@pytest.mark.parametrize(
    "events",
    [
        [MemoryRecalled(skipped=UNAVAILABLE)],
        [
            Notice(
                message=Wording(
                    "The work goes on without long-term memory, which could not be used: {reason}", reason="it is full"
                )
            )
        ],
    ],
)
def test_that_memory_was_away_during_the_work_is_told(
    keep: Keep, store: SessionStore, memory: LongTermMemory, events: list[Event]
) -> None:
    session_id = owned(keep, store, "local", [make_created(), *events, StatusChanged(status="finished")])
    told = [fold.label for fold in Page(run=session_id).test.expander]
    assert "Long-term memory was unavailable. The session continued without it." in told


def test_a_follow_up_that_is_sent_twice_is_begun_once(
    keep: Keep, store: SessionStore, memory: LongTermMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    session_id = with_files(keep, store)
    page = Page(run=session_id)
    monkeypatch.setattr(
        "pages.shared.server.Server.start", lambda _self, new, _settings: started.append(new.task) or "next"
    )
    for _ in range(2):
        page.test.query_params["run"] = session_id
        page.run()
        page.field("Next task").input("And its height?")
        page.press("Ask")
    assert started == ["And its height?"]


def test_nobody_else_is_told_what_was_recalled(keep: Keep, store: SessionStore, memory: LongTermMemory) -> None:
    page = remembered(keep, store, "ann", MemoryRecalled(fact_ids=("f1",)))
    assert "From long-term memory" not in str([fold.label for fold in page.test.expander])
    assert LONG_TERM_MEMORY_PAGE not in page.markup
