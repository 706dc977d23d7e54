"""Long-term memory in a session: what was told in one is used in another, for the same user only."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

from memory_bank.agents.remember import Extraction, ExtractionInput
from memory_bank.bank.bank import Bank
from memory_bank.bank.errors import LongTermError
from memory_bank.bank.events import MemoryKept, MemoryRecalled
from memory_bank.bank.settings import Settings
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.owner import Owner
from memory_bank.long_term.record import Episode, Fact, Scope, Turn
from memory_bank.session.remembering import RecalledRecords
from memory_bank.session.session import Session
from memory_bank.session.step_blocks import remembered_block
from memory_bank.storage.session_store import Upload
from tests.builders import warned
from tests.session.kit import ANN, BOB, long_term, parts, session

TOLD = "The spare key of the boathouse lies under the blue flowerpot. When was Harlow Bridge opened?"
ASKED = "Where does the spare key of the boathouse lie?"
LETTER = Upload("letter.txt", b"Harlow Bridge was opened in 1931. It is 70 metres long.")


def test_a_fact_told_in_one_session_is_used_in_another_and_cited(tmp_path: Path) -> None:
    memory = long_term()
    session(tmp_path, TOLD, memory, documents=[LETTER])
    later = session(tmp_path, ASKED, memory)
    assert later.answer is not None
    assert "under the blue flowerpot" in later.answer.affirmed
    (citation,) = later.answer.citations
    assert citation.source.startswith("long-term memory, told on ")
    entry = later.bank.trees.entry(citation.entry_id)
    assert "flowerpot" in entry.text[citation.start : citation.end]


def test_another_user_and_a_session_without_memory_know_nothing_of_it(tmp_path: Path) -> None:
    memory = long_term()
    session(tmp_path, TOLD, memory, documents=[LETTER])
    for owner in (BOB, None, Owner(user="ann", project="boats", conversation_id="c3")):
        later = session(tmp_path, ASKED, memory, owner)
        assert later.answer is not None
        assert "flowerpot" not in later.answer.text
        assert not later.bank.units


def test_what_a_task_came_to_is_known_to_a_later_one_without_its_documents(tmp_path: Path) -> None:
    memory = long_term()
    session(tmp_path, "When was Harlow Bridge opened?", memory, documents=[LETTER])
    later = session(tmp_path, "When was Harlow Bridge opened to traffic?", memory)
    assert later.answer is not None
    assert "1931" in later.answer.affirmed
    assert later.answer.citations[0].source.startswith("long-term memory, found on ")


def test_what_was_recalled_is_never_kept_again(tmp_path: Path) -> None:
    memory = long_term()
    session(tmp_path, TOLD, memory, documents=[LETTER])
    before = {record.id: record.content for record in memory.records(ANN.scope)}
    session(tmp_path, ASKED, memory)
    facts = [record for record in memory.records(ANN.scope) if isinstance(record, Fact)]
    assert [fact.content for fact in facts] == ["The spare key of the boathouse lies under the blue flowerpot."]
    new = [record for record in memory.records(ANN.scope) if record.id not in before]
    assert {type(record) for record in new} == {Episode, Turn}
    assert [record.outcome for record in new if isinstance(record, Episode)] == [""]


def test_the_extraction_is_told_what_was_recalled(tmp_path: Path) -> None:
    memory = long_term()
    session(tmp_path, TOLD, memory)
    seen: list[ExtractionInput] = []

    def extract(given: ExtractionInput) -> Extraction:
        seen.append(given)
        return Extraction()

    session(tmp_path, ASKED, memory, remember_extraction=extract)
    assert [given.known for given in seen] == [("The spare key of the boathouse lies under the blue flowerpot.",)]
    assert [utterance.text for utterance in seen[0].utterances] == [ASKED]


@pytest.mark.parametrize("first", ["f", "2"])  # an id in figures must not make sources look like issues of a series
def test_what_contradicts_a_stored_fact_waits_for_a_person_and_the_next_session_shows_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    ids = count()
    monkeypatch.setattr(secrets, "token_hex", lambda _size: f"{first}{next(ids):031d}")
    memory = long_term()
    session(tmp_path, "The budget for the Hawaii trip is $10,000. What is Hawaii?", memory)
    later = session(tmp_path, "The budget for the Hawaii trip is $12,000. What can be seen there?", memory)
    kept = [event for event in later.events if isinstance(event, MemoryKept)]
    (stored,) = [record for record in memory.records(ANN.scope) if isinstance(record, Fact)]
    assert stored.content == "The budget for the Hawaii trip is $10,000."
    assert [dispute.content for dispute in stored.disputes] == ["The budget for the Hawaii trip is $12,000."]
    assert kept[0].disputed == (stored.id,)
    third = session(tmp_path, "What is my budget for the Hawaii trip?", memory)
    assert third.answer is not None
    assert len(third.bank.conflicts) == 1
    assert "$10,000" in third.answer.text
    assert "$12,000" in third.answer.text


def prompts_of(running: Session) -> list[str]:
    """Run a session; the prompts of its steps."""
    enhance = running.adapter.enhance
    steps = (event for event in running.run() if event.type == "prompt_enhanced")
    return [prompt.text for _ in steps if (prompt := enhance())]


def test_tasks_of_a_conversation_know_what_was_asked_and_found_before(tmp_path: Path) -> None:
    memory = long_term()
    session(tmp_path, "When was Harlow Bridge opened?", memory, documents=[LETTER])
    other = session(tmp_path, "How long is Harlow Bridge?", memory, Owner(user="ann", conversation_id="c9"), [LETTER])
    assert not other.bank.recalled or not other.bank.recalled.turn_ids
    later = Session.create(
        "And how long is it?",
        [LETTER],
        settings=Settings(),
        sessions=tmp_path,
        parts=parts(lambda: memory),
        owner=ANN,
    )
    prompts = prompts_of(later)
    assert later.bank.recalled is not None
    assert len(later.bank.recalled.turn_ids) == 1
    assert "asked: When was Harlow Bridge opened?" in prompts[0]
    assert "1931" in prompts[0]
    assert later.answer is not None
    assert later.answer.affirmed.startswith("“It is 70 metres long.”")


def test_a_forgotten_fact_is_in_no_log_and_is_not_given_again(tmp_path: Path) -> None:
    memory = long_term()
    session(tmp_path, TOLD, memory)
    begun = Session.create(
        ASKED, settings=Settings(), sessions=tmp_path, parts=parts(lambda: memory), owner=ANN, session_id="again"
    )
    run = begun.run()
    while not isinstance(next(run), MemoryRecalled):
        pass
    begun.pause()
    run.close()
    assert "flowerpot" not in (tmp_path / "again" / "events.jsonl").read_text(encoding="utf-8")
    memory.forget_all(Scope(user="ann"))
    opened = Session.open("again", settings=Settings(), sessions=tmp_path, parts=parts(lambda: memory))
    for _event in opened.run():
        pass
    assert opened.answer is not None
    assert "flowerpot" not in opened.answer.text


def test_memory_that_is_away_is_told_once_and_the_task_goes_on(tmp_path: Path) -> None:
    def away() -> LongTermMemory:
        raise LongTermError("Milvus at localhost:1 cannot be reached")

    begun = Session.create(
        "When was Harlow Bridge opened?",
        [LETTER],
        settings=Settings(),
        sessions=tmp_path,
        parts=parts(away),
        owner=ANN,
    )
    events = list(begun.run())
    assert begun.answer is not None
    assert "1931" in begun.answer.affirmed
    notices = warned(events)
    assert notices == [
        "The work goes on without long-term memory, which could not be used: Milvus at localhost:1 cannot be reached"
    ]
    assert begun.bank.status == "finished"


def test_a_session_killed_at_any_event_goes_on_with_the_same_memory(tmp_path: Path) -> None:
    whole = session(tmp_path / "whole", TOLD, long_term(), documents=[LETTER])
    number = len(whole.events)
    for cut in range(1, number):
        memory, folder = long_term(), tmp_path / str(cut)
        begun = Session.create(
            TOLD,
            [LETTER],
            settings=Settings(),
            sessions=folder,
            parts=parts(lambda memory=memory: memory),
            owner=ANN,
            session_id="one",
        )
        run = begun.run()
        for _ in range(cut):
            next(run, None)
        run.close()
        begun.close()
        opened = Session.open("one", settings=Settings(), sessions=folder, parts=parts(lambda memory=memory: memory))
        for _event in opened.run():
            pass
        assert opened.answer == whole.answer
        kinds = sorted(record.type for record in memory.records(ANN.scope))
        assert kinds == ["episode", "semantic", "turn"], cut
        assert Bank.replay(opened.events).answer == whole.answer


def test_no_export_names_the_user(tmp_path: Path) -> None:
    owner = Owner(user="ann-of-the-mill", project="secret-project", conversation_id="c1")
    exported = session(tmp_path, TOLD, long_term(), owner, [LETTER]).export(files=True)
    assert "ann-of-the-mill" not in exported
    assert "secret-project" not in exported


def test_asking_again_without_the_documents_does_not_lose_what_was_found(tmp_path: Path) -> None:
    memory, asked = long_term(), "When was Harlow Bridge opened?"
    session(tmp_path, asked, memory, documents=[LETTER])
    for _again in range(3):
        later = session(tmp_path, asked, memory)
        assert later.answer is not None
        assert "1931" in later.answer.affirmed


def test_tasks_that_differ_in_a_year_are_two(tmp_path: Path) -> None:
    memory = long_term()
    for year, revenue in ((2023, 40), (2024, 55)):
        report = Upload("r.txt", f"The revenue of Harlow Ltd in {year} was {revenue} million euros.".encode())
        session(tmp_path, f"What was the revenue of Harlow Ltd in {year}?", memory, documents=[report])
    outcomes = [record.outcome for record in memory.records(ANN.scope) if isinstance(record, Episode)]
    assert sorted("40 million" in outcome for outcome in outcomes) == [False, True]


def test_a_pause_while_memories_are_taken_in_changes_nothing(tmp_path: Path) -> None:
    memory = long_term()
    session(tmp_path, TOLD, memory, documents=[LETTER])
    whole = session(tmp_path, ASKED, memory).answer
    for cut in range(1, 12):
        paused = Session.create(ASKED, settings=Settings(), sessions=tmp_path, parts=parts(lambda: memory), owner=ANN)
        for number, _event in enumerate(paused.run(), start=1):
            if number == cut:
                paused.pause()
        for _event in paused.run():
            pass
        assert paused.answer is not None
        assert whole is not None
        assert paused.answer.text == whole.text, cut


def test_what_an_agent_had_kept_is_never_told_as_the_persons(tmp_path: Path) -> None:
    memory, now = long_term(), datetime(2024, 1, 1, tzinfo=UTC)
    session(tmp_path, "The budget for the Hawaii trip is $10,000. What is Hawaii?", memory)
    common = {"user_id": "ann", "created": now, "updated": now, "told_by": "agent"}
    memory.remember(Fact(**common, content="The budget for the Hawaii trip is $90,000."))
    later = session(tmp_path, "What is my budget for the Hawaii trip?", memory)
    sources = {str(entry.metadata["source"]): entry.text for entry in later.bank.trees}
    assert {text for source, text in sources.items() if "kept by an agent on" in source} == {
        "The budget for the Hawaii trip is $90,000."
    }
    same = memory.remember(Fact(**common, content="The budget for the Hawaii trip is $10,000."))
    assert isinstance(same.record, Fact)
    assert same.record.told_by == "person"
    (dispute,) = same.record.disputes
    memory.decide("ann", same.record.id, dispute.id, "both")
    tellers = {fact.content: fact.told_by for fact in memory.records(ANN.scope) if isinstance(fact, Fact)}
    assert tellers["The budget for the Hawaii trip is $90,000."] == "agent"


def test_one_fact_that_cannot_be_kept_does_not_lose_the_others(tmp_path: Path) -> None:
    memory = long_term()
    for number in range(1, 6):
        session(tmp_path, f"The budget for the Hawaii trip is ${number}0,000. What is Hawaii?", memory)
    task = "The budget for the Hawaii trip is $60,000. My sister Eva is allergic to nuts. What is Hawaii?"
    last = session(tmp_path, task, memory)
    contents = {record.content for record in memory.records(ANN.scope) if isinstance(record, Fact)}
    assert "My sister Eva is allergic to nuts." in contents
    (notice,) = warned(last.events)
    assert notice.startswith("A fact was not kept: 4 other statements are disputed against ")


def test_a_later_session_is_told_nothing_that_was_forgotten(tmp_path: Path) -> None:
    memory = long_term()
    first = session(tmp_path, TOLD, memory)
    session(tmp_path, ASKED, memory)
    for record in memory.records(ANN.scope):
        assert record.source_session != first.id or memory.forget("ann", record.id)
    other = Owner(user="ann", conversation_id="another")
    third = Session.create(ASKED, settings=Settings(), sessions=tmp_path, parts=parts(lambda: memory), owner=other)
    prompts = prompts_of(third)
    assert prompts
    assert "flowerpot" not in "".join(prompts)


def test_a_long_answer_before_leaves_the_conversation_in_the_prompt(tmp_path: Path) -> None:
    turn = Turn(
        user_id="ann",
        created=datetime(2024, 1, 1, tzinfo=UTC),
        updated=datetime(2024, 1, 1, tzinfo=UTC),
        conversation_id="c1",
        asked="\u95ee" * 500,
        result="\u7b54" * 1_900,
    )
    (block,) = remembered_block(RecalledRecords(turns=(turn,)), 1_000, len)
    assert "found: " in block
    assert len(block) < 1_200


def test_of_the_last_answer_twice_as_much_is_shown_as_of_one_before() -> None:
    def turn(word: str) -> Turn:
        day = datetime(2024, 1, 1, tzinfo=UTC)
        result = f"{word} " * 250
        return Turn(user_id="ann", created=day, updated=day, conversation_id="c1", asked="What?", result=result)

    (block,) = remembered_block(RecalledRecords(turns=(turn("before"), turn("lately"))), 1_000, len)
    assert block.count("lately") == pytest.approx(2 * block.count("before"), abs=2)
    assert block.count("before") > 30
