"""The Long-term memory page: for one user alone; look, decide, search, correct, forget, take along."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import streamlit as st

from memory_bank.bank.errors import LongTermError
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.record import Episode, Fact, Scope, Turn, export_records
from pages.shared.user import current_user
from tests.builders import NOON, every_event
from tests.pages.conftest import Keep, Page, logged_in
from tests.pages.hostile import EVIL
from tests.pages.test_session_page import wait_until

ANN = Scope(user="https://login.example ann")
LOCAL = Scope(user="local")


def fact(content: str, user: str = "local", **given: Any) -> Fact:
    return Fact(content=content, user_id=user, **{"created": NOON, "updated": NOON, **given})


def opened(user: dict[str, Any] | None = None) -> Page:
    return Page(user).go("long_term_memory")


def contents(memory: LongTermMemory, scope: Scope = LOCAL) -> set[str]:
    return {record.content for record in memory.records(scope)}


def titles(page: Page) -> list[str]:
    """What the records that are listed say, from above."""
    return [body.split("<h3>")[1].partition("</h3>")[0] for body in bodies(page) if '<div class="mb-row">' in body]


def bodies(page: Page) -> list[str]:
    return [element.proto.body for element in page.test.get("html")]


def disputed(memory: LongTermMemory) -> Fact:
    """A stored fact, and another that contradicts it."""
    memory.remember(fact("budget is $10,000", context="Hawaii trip", created=NOON - timedelta(days=2)))
    told = memory.remember(fact("budget is $12,000", context="Hawaii trip"))
    assert isinstance(told.against, Fact)
    return told.against


# -- whose memory --------------------------------------------------------------------------------------------


def test_without_login_there_is_one_local_user(memory: LongTermMemory) -> None:
    memory.remember(fact("Ann prefers trains."))
    memory.remember(fact("Bob prefers ships.", "bob"))
    page = opened()
    assert titles(page) == ["Ann prefers trains."]
    assert "Log in" not in page.labels()


def test_with_login_each_sees_their_own_and_nobody_the_local_users(memory: LongTermMemory) -> None:
    for user in ("local", "https://login.example ann", "https://login.example bob", "https://other.example ann"):
        memory.remember(fact(f"Said by {user}.", user))
    page = opened(logged_in("ann", name="Ann", email="bob@login.example"))
    assert titles(page) == ["Said by https://login.example ann."]
    assert "Logged in as Ann" in page.messages
    assert "Log out" in page.labels()


NOBODY = [
    {"is_logged_in": False},
    {"is_logged_in": False, "iss": "https://login.example", "sub": "ann"},
    {"is_logged_in": True, "email": "ann@login.example"},
    {"is_logged_in": True, "iss": "https://login.example"},
    {"is_logged_in": True, "iss": "https://login.example", "sub": " "},
    {"is_logged_in": True, "iss": "https://login.example ann", "sub": "x"},
    {"is_logged_in": "yes", "iss": "https://login.example", "sub": "ann"},
]


@pytest.mark.parametrize("user", NOBODY)
def test_whoever_is_not_logged_in_by_issuer_and_subject_is_nobody(memory: LongTermMemory, user: dict[str, Any]) -> None:
    memory.remember(fact("Said by Ann.", ANN.user))
    memory.remember(fact("Said here."))
    page = opened(user)
    assert "Log in to see what is remembered for you." in page.markup
    assert titles(page) == []
    assert page.labels() == ["Log in"]


def test_the_address_and_the_tab_name_no_user(memory: LongTermMemory) -> None:
    memory.remember(fact("Said by Ann.", ANN.user))
    page = Page(name=ANN.user, sub="ann", iss="https://login.example", is_logged_in="true")
    page.test.session_state["user"] = ANN.user
    assert titles(page.go("long_term_memory")) == []


def test_a_long_name_is_a_user_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    names = set()
    for subject in ("a" * 250, "a" * 251):
        monkeypatch.setattr(st, "user", logged_in(subject))
        names.add(current_user())
    assert len(names) == 2
    assert all(name is not None and Scope(user=name) for name in names)


def test_login_that_is_not_set_up_right_is_told_in_a_line(memory: LongTermMemory) -> None:
    page = opened({"is_logged_in": False}).press("Log in")
    assert "Login is not configured correctly" in page.messages


# -- looking -------------------------------------------------------------------------------------------------


def test_an_empty_memory_says_how_something_comes_into_it(memory: LongTermMemory) -> None:
    page = opened()
    assert "Nothing is kept here yet." in page.markup
    assert "0 of at most 10,000 records · long_term.db" in page.markup


def test_each_kind_is_told_with_all_that_is_known_of_it(memory: LongTermMemory, keep: Keep) -> None:
    keep("mine", every_event())
    common: dict[str, Any] = {"user_id": "local", "created": NOON, "updated": NOON}
    memory.create(
        fact("It is 5.", context="The fee", project_id="trips", source_session="mine", expires=NOON.replace(year=2999))
    )
    memory.create(fact("Press twice.", type="procedural", source_session="gone", told_by="agent"))
    memory.create(Episode(goal="Find it", steps=("looked", "asked"), outcome="found", lessons=("ask",), **common))
    memory.create(Turn(asked="What?", done="read", result="That.", conversation_id="c", **common))
    page = opened()
    for said in (
        *("<b>fact</b>", "<b>how-to</b>", "<b>past task</b>", "<b>conversation turn</b>"),
        *("The fee", "project trips", "since 2024-05-01", "until 2999-05-01", "recalled 0 times", "importance 0.5"),
        *("<dd>looked</dd><dd>asked</dd>", "<dd>found</dd>", "<dt>Lesson</dt><dd>ask</dd>", "<dd>That.</dd>"),
        *("from session mine", "from session gone, which no longer exists", "4 of at most 10,000 records"),
    ):
        assert said in page.markup, said
    assert page.press("Open its session").address == ["mine"]


def test_projects_and_kinds_are_chosen(memory: LongTermMemory) -> None:
    memory.create(fact("A fact of trips.", project_id="trips"))
    memory.create(fact("A way of trips.", project_id="trips", type="procedural"))
    memory.create(fact("A fact of none."))
    page = opened()
    assert len(titles(page)) == 3
    page.test.selectbox(key="memory-project").select(("trips",))
    assert set(titles(page.run())) == {"A fact of trips.", "A way of trips."}
    page.test.get("button_group")[0].set_value(["procedural"])
    assert titles(page.run()) == ["A way of trips."]
    page.test.get("button_group")[0].set_value([])
    page.test.selectbox(key="memory-project").select("none")
    assert titles(page.run()) == ["A fact of none."]


def test_a_search_brings_what_is_like_it_with_its_similarity(memory: LongTermMemory) -> None:
    memory.create(fact("Ann prefers trains."))
    memory.create(fact("The fee is 5."))
    page = opened()
    page.test.text_input(key="memory-search").input("Ann prefers trains.")
    assert titles(page.run())[0] == "Ann prefers trains."
    assert "similarity 1.00" in page.markup


def test_a_search_without_a_project_finds_what_is_behind_much_of_a_project(memory: LongTermMemory) -> None:
    for number in range(25):
        memory.create(fact("Ann prefers trains.", project_id=f"p{number}"))
    memory.create(fact("Ann prefers old trains."))
    page = opened()
    page.test.selectbox(key="memory-project").set_value("none")
    page.test.text_input(key="memory-search").input("Ann prefers trains.")
    assert titles(page.run()) == ["Ann prefers old trains."]


def test_nothing_is_embedded_to_list(memory: LongTermMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.create(fact("Ann prefers trains."))
    monkeypatch.setattr(memory, "embedder", lambda: pytest.fail("an embedding model was loaded"))
    assert titles(opened()) == ["Ann prefers trains."]


def test_many_records_are_listed_in_parts_newest_first(memory: LongTermMemory) -> None:
    for number in range(25):
        when = NOON + timedelta(hours=number)
        memory.create(fact(f"Fact {number:02}.", created=when, updated=when))
    page = opened()
    assert titles(page) == [f"Fact {number:02}." for number in range(24, 4, -1)]
    assert titles(page.press("Next")) == [f"Fact {number:02}." for number in range(4, -1, -1)]


def test_what_a_record_says_is_text(memory: LongTermMemory) -> None:
    evil = " ".join(EVIL.split())
    told = fact(evil, context=evil, project_id=evil[:200], source_session="<b>evil</b>")
    memory.create(told)
    memory.correct(told.model_copy(update={"content": f"{evil} again"}), told.id)
    page = opened()
    for markup in bodies(page):
        assert "<img" not in markup
        assert "<script>" not in markup
    assert "&lt;img src=x" in page.markup
    assert all("**bold**" not in label for label in page.labels())


# -- disputes ------------------------------------------------------------------------------------------------

VERDICTS = [
    ("Keep the stored fact", {"budget is $10,000"}),
    ("Use the new statement", {"budget is $12,000"}),
    ("Keep both", {"budget is $10,000", "budget is $12,000"}),
]


@pytest.mark.parametrize(("label", "left"), VERDICTS)
def test_a_dispute_is_shown_with_both_sides_and_decided(memory: LongTermMemory, label: str, left: set[str]) -> None:
    disputed(memory)
    page = opened()
    assert "1 waits for you" in page.markup
    assert "Stored on 2024-05-01" in page.markup
    assert "<mark>10,000</mark>" in page.markup
    assert "<mark>12,000</mark>" in page.markup
    page.press(label)
    assert "waits for you" not in page.markup
    assert page.test.info[0].value.startswith("Decided.")
    assert contents(memory) == left


def test_a_dispute_that_was_decided_elsewhere_is_told(memory: LongTermMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = disputed(memory)
    page = opened()
    decide = memory.decide

    def too_late(user: str, *given: Any) -> Fact | None:
        memory.forget(user, stored.id)
        return decide(user, *given)

    monkeypatch.setattr(memory, "decide", too_late)
    page.press("Keep both")
    assert page.test.info[0].value.startswith("The fact or its dispute no longer exists")
    assert contents(memory) == set()


# -- correcting ----------------------------------------------------------------------------------------------


def test_a_fact_is_corrected_and_keeps_what_it_said(memory: LongTermMemory) -> None:
    memory.create(fact("The fee is 5.", told_by="agent", source_session="mine", project_id="trips"))
    page = opened().press("Correct")
    page.field("Corrected text").input("The fee is 6.")
    page.field("What it is about, corrected (optional)").input("The ferry")
    page.press("Save the correction")
    (record,) = memory.records(LOCAL)
    assert isinstance(record, Fact)
    assert (record.text, record.told_by, record.project_id) == ("The ferry: The fee is 6.", "person", "trips")
    assert [change.content for change in record.history] == ["The fee is 5."]
    assert "1 earlier wording" in [fold.label for fold in page.test.expander]


@pytest.mark.parametrize("content", ["", "   "])
def test_a_correction_that_says_nothing_is_refused_in_a_line(memory: LongTermMemory, content: str) -> None:
    memory.create(fact("The fee is 5."))
    page = opened().press("Correct")
    page.field("Corrected text").input(content)
    page.press("Save the correction")
    assert "Nothing was saved: write the fact." in page.messages
    assert contents(memory) == {"The fee is 5."}
    assert titles(page.press("Leave it as it is")) == ["The fee is 5."]
    assert "Save the correction" not in page.labels()


def test_what_was_forgotten_meanwhile_does_not_come_back_by_a_correction(memory: LongTermMemory) -> None:
    told = fact("The fee is 5.")
    memory.create(told)
    page = opened().press("Correct")
    page.field("Corrected text").input("The fee is 6.")
    memory.forget("local", told.id)
    page.press("Save the correction")
    assert contents(memory) == set()


# -- forgetting ----------------------------------------------------------------------------------------------


def test_forgetting_one_takes_a_second_press(memory: LongTermMemory) -> None:
    memory.create(fact("The fee is 5."))
    memory.create(fact("Said by Ann.", ANN.user))
    page = opened().press("Forget")
    assert "This cannot be undone." in page.markup
    page.press("Keep it")
    assert contents(memory) == {"The fee is 5."}
    page.press("Forget").press("Forget it")
    assert (contents(memory), contents(memory, ANN)) == (set(), {"Said by Ann."})
    assert page.test.info[0].value == "Forgotten."


def test_a_project_is_forgotten_and_nothing_else(memory: LongTermMemory) -> None:
    memory.create(fact("One of trips.", project_id="trips"))
    memory.create(fact("Two of trips.", project_id="trips"))
    memory.create(fact("Of none."))
    page = opened()
    assert "Forget this project" not in page.labels()
    page.test.selectbox(key="memory-project").select(("trips",))
    page.run().press("Forget this project")
    assert "Forget 2 records of project trips?" in page.markup
    page.press("Forget for good")
    assert page.test.info[0].value == "2 records were forgotten."
    assert contents(memory) == {"Of none."}


def test_everything_of_the_user_is_forgotten_and_nothing_of_another(memory: LongTermMemory) -> None:
    memory.create(fact("Of trips.", project_id="trips"))
    memory.create(fact("Of none."))
    memory.create(fact("Said by Ann.", ANN.user))
    page = opened().press("Forget everything").press("Keep them").press("Forget everything").press("Forget for good")
    assert (contents(memory), contents(memory, ANN)) == (set(), {"Said by Ann."})
    assert "Nothing is kept here yet." in page.markup


# -- adding, taking along ------------------------------------------------------------------------------------


def add(page: Page, content: str, context: str = "", project: str = "") -> Page:
    page.field("What to remember").input(content)
    page.field("What it is about (optional)").input(context)
    page.field("Project (optional)").input(project)
    return page.press("Add")


def test_a_fact_added_by_hand_is_kept_known_or_disputed(memory: LongTermMemory) -> None:
    page = add(opened(), "budget is $10,000", "Hawaii trip", "trips")
    assert page.test.info[0].value == "Kept as a new fact."
    (record,) = memory.records(Scope(user="local", project="trips"))
    assert (record.content, record.source_session) == ("budget is $10,000", None)
    assert page.field("What to remember").value == ""
    page = add(page, "budget is $10,000", "Hawaii trip", "trips")
    assert page.test.info[0].value.startswith("Updated the existing fact.")
    page = add(page, "budget is $12,000", "Hawaii trip", "trips")
    assert page.test.info[0].value.startswith("It contradicts a stored fact.")
    assert "1 waits for you" in page.markup


def test_a_fact_that_says_nothing_is_refused_and_what_was_typed_stays(memory: LongTermMemory) -> None:
    page = add(opened(), "  ", "Hawaii trip")
    assert "Nothing was saved: write the fact." in page.messages
    assert page.field("What it is about (optional)").value == "Hawaii trip"
    assert contents(memory) == set()


def test_an_export_holds_the_projects_that_are_shown(memory: LongTermMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.create(fact("Of trips.", project_id="trips"))
    memory.create(fact("Of none."))
    memory.create(fact("Said by Ann.", ANN.user))
    given: dict[str, Any] = {}
    monkeypatch.setattr(st, "download_button", lambda _label, **named: given.update(named))
    page = opened()
    assert given["data"]() == export_records(memory.records(LOCAL))
    page.test.selectbox(key="memory-project").select("none")
    page.run()
    assert "Of none." in given["data"]()
    assert "Of trips." not in given["data"]()


def test_an_import_becomes_the_users_own(memory: LongTermMemory) -> None:
    text = export_records([fact("Said by Ann.", ANN.user), fact("The fee is 5.", ANN.user)])
    page = opened()
    for told in ("2 records were imported. 0 already existed.", "0 records were imported. 2 already existed."):
        page.upload("import-memory-file", {"memory.json": text.encode()})
        page.press("Import")
        wait_until(page, lambda told=told: told in page.markup)
        assert contents(memory) == {"Said by Ann.", "The fee is 5."}
    assert contents(memory, ANN) == set()


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"format": "other"}', b"\xff\xfe"])
def test_an_import_of_anything_else_is_refused_in_a_line(memory: LongTermMemory, content: bytes) -> None:
    page = opened()
    page.upload("import-memory-file", {"memory.json": content})
    page.press("Import")
    assert "Nothing was imported." in page.messages
    assert "this is no export of long-term memory" in page.messages


# -- where it is away ----------------------------------------------------------------------------------------


def test_a_memory_that_is_away_is_told_and_the_page_works_again_when_it_is_back(
    memory: LongTermMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.create(fact("The fee is 5."))
    with monkeypatch.context() as broken:
        broken.setattr(memory, "records", failing)
        page = opened()
        assert "Long-term memory cannot be reached now." in page.messages
        assert "another process has it open" in page.messages
    assert titles(page.press("Try again")) == ["The fee is 5."]
    with monkeypatch.context() as broken:
        broken.setattr(memory, "forget", failing)
        page.press("Forget").press("Forget it")
        assert "Long-term memory could not do this" in page.messages
    assert contents(memory) == {"The fee is 5."}


def failing(*_given: object, **_named: object) -> None:
    raise LongTermError("long-term memory at long_term.db cannot be opened: another process has it open")


# -- what goes away while it is chosen -----------------------------------------------------------------------


def test_a_kind_that_is_chosen_may_go_away(memory: LongTermMemory) -> None:
    memory.create(fact("A fact."))
    memory.create(fact("A way.", type="procedural"))
    page = opened()
    page.test.get("button_group")[0].set_value(["procedural"])
    page.run().press("Forget").press("Forget it")
    assert titles(page) == ["A fact."]


# -- ways to log in ------------------------------------------------------------------------------------------

WAYS = [
    ({}, ["Log in"]),
    ({"client_id": "x"}, ["Log in"]),
    ({"google": {"client_id": "x"}, "okta": {"client_id": "y"}}, ["Log in with google", "Log in with okta"]),
    ({"client_id": "x", "okta": {"client_id": "y"}}, ["Log in", "Log in with okta"]),
]


@pytest.mark.parametrize(("section", "labels"), WAYS)
def test_there_is_a_button_for_each_way_to_log_in(
    memory: LongTermMemory, section: dict[str, Any], labels: list[str]
) -> None:
    page = Page({"is_logged_in": False})
    page.test.secrets = {"auth": section} if section else {}
    assert page.go("long_term_memory").labels() == labels
