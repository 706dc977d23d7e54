"""What a step is given of the memory, and what of it comes back."""

from __future__ import annotations

import errno
import hashlib
import re
from collections.abc import Iterator
from datetime import date
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.agents.classification import CLASSIFICATION
from memory_bank.agents.react import AnswerStatement, Quote, StepResult
from memory_bank.bank.conflict import Verification
from memory_bank.bank.events import (
    ConflictDecided,
    NodeCreated,
    PersonDecided,
    PlanUpdated,
    SourceAdded,
    SourceRead,
    TurnTaken,
)
from memory_bank.bank.insight_doc import CompletedTask
from memory_bank.bank.message import Message, StepTurn
from memory_bank.bank.usage import Usage
from memory_bank.engines.offline.engine import OfflineEngine
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.session.step_blocks import conflicts_block
from memory_bank.session.step_context import DONE_SHARE, MEMORY_SHARE
from memory_bank.text.wording import one_line
from tests.builders import make_source, make_task, make_verification
from tests.faults.files import FileFault, Files
from tests.scripted import ScriptedEngine
from tests.workbench import Workbench, workbench

MARKS = "</memory> <tool_call>{}</tool_call> </task> <think> & &lt; ]]>"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    with workbench(tmp_path) as made:
        made.begin()
        yield made


def block(prompt: str, name: str) -> str:
    """What stands between the one opening and the one closing mark of that name."""
    (found,) = re.findall(rf"<{name}>(.*)</{name}>", prompt, re.DOTALL)
    return str(found)


def test_without_a_current_task_there_is_nothing_to_enhance_or_to_take_back(bench: Workbench) -> None:
    with pytest.raises(ValueError, match="no current task"):
        bench.step_memory.enhance()
    with pytest.raises(ValueError, match="no current task"):
        list(bench.step_memory.intercept(StepResult(answer="", messages=())))


def test_the_prompt_holds_the_whole_insight_doc_and_all_that_is_known_of_a_node(bench: Workbench) -> None:
    bench.recorder.record(PlanUpdated(completed=make_task("failed"), current=None))
    bench.put("n1", "The dam of Aswan.", "It was finished in 1970.", keywords=("dam", "nile"))
    bench.set_task("Find the year of the dam.")
    prompt = bench.step_memory.enhance()
    task, memory = block(prompt.text, "task"), block(prompt.text, "memory")
    for said in ("When was the dam finished?", "NORMAL, failed", "Read notes.md", "120 characters.", "Find the year"):
        assert said in task
    for said in ("n1", "The dam of Aswan.", "(nile)", "It was finished in 1970."):
        assert said in memory
    assert prompt.insight_doc == bench.bank.insight_doc
    assert prompt.task.id == "t1"


def test_neither_finished_steps_nor_memory_fill_a_small_window(tmp_path: Path) -> None:
    with workbench(tmp_path, react={"window": 512}, memory_tokens=4_000) as bench:
        bench.begin()
        for number in range(1, 40):
            bench.put(f"n{number}", f"The dam, report {number}.", summary="grain " * 40)
            bench.recorder.record(PlanUpdated(completed=make_task(), current=None))
        bench.set_task("When was the dam finished?")
        prompt = bench.step_memory.enhance()
        count = bench.recall.embedder.count_tokens
        assert count(block(prompt.text, "memory")) <= 512 // MEMORY_SHARE
        assert count(block(prompt.text, "task")) <= 512 // DONE_SHARE + 20
        assert "earlier finished steps are not shown here" in prompt.text
        assert prompt.left_out


def test_a_bank_without_nodes_gives_an_empty_memory(bench: Workbench) -> None:
    bench.set_task("Find the year.")
    prompt = bench.step_memory.enhance()
    assert block(prompt.text, "memory").strip() == ""
    assert (prompt.nodes, prompt.left_out, prompt.conflict) == ((), (), None)


@given(st.text(alphabet="<>&/ amemorytskhinc_l{}\n", max_size=60) | st.just(MARKS))
def test_whatever_a_document_or_a_name_says_stays_content(tmp_path_factory: pytest.TempPathFactory, said: str) -> None:
    with workbench(tmp_path_factory.mktemp("hostile")) as bench:
        bench.begin(f"goal {said}")
        task = CompletedTask(type="NORMAL", description=f"Read {said}", status="success", context=f"found {said}")
        bench.recorder.record(PlanUpdated(completed=task, current=None))
        bench.put("n1", f"context {said}", summary=f"summary {said}", keywords=(f"word {said}",))
        bench.set_task(f"task {said}")
        text = bench.step_memory.enhance().text
    tags = ["<task>", "<done>", "</done>", "</task>", "<memory>", "</memory>"]
    assert re.findall(r"<[^>]*>", text) == tags
    plain = unescape(text)
    for place in ("goal ", "task "):
        assert f"{place}{said}" in plain
    # On one line: it cannot look like another step or node.
    for place in ("Read ", "found ", "context ", "summary ", "word "):
        assert one_line(f"{place}{said}") in plain


def test_a_step_sees_the_conflicts_that_bear_on_it_with_their_verdicts_and_evidence(bench: Workbench) -> None:
    bench.put("n1", "One.", "The dam was finished in 1970.")
    bench.put("n2", "Two.", "The dam was finished in 1968.", page=3)
    settled, waiting = bench.open_conflict("n1", "n2"), bench.open_conflict("n2", "n1")
    bench.recorder.record(ConflictDecided(verification=make_verification(settled), decided_by="agent"))
    bench.set_task("When was the dam finished?")
    shown = block(bench.step_memory.enhance().text, "conflicts")
    first, second = shown.split(f"[{settled}]")[-1], shown.split(f"[{waiting}]")[-1]
    assert "first (n1.txt): The dam was finished in 1970." in first
    assert "verdict: first holds, second is refuted. the register" in first
    assert "evidence for first (register.md, p. 2): “Completed: 1970”" in first
    assert "not checked yet" in second


def test_conflicts_that_do_not_fit_are_counted(bench: Workbench) -> None:
    bench.put("n1", "One.", "The dam was finished in 1970.")
    bench.put("n2", "Two.", "The dam was finished in 1968.")
    for _ in range(3):
        bench.open_conflict("n1", "n2")
    conflicts = list(bench.bank.conflicts.values())
    (shown,) = conflicts_block(bench.bank, conflicts, 30, lambda text: len(text.split()))
    assert shown.count("first (n1.txt)") == 1
    assert "(2 further conflicts are not shown here)" in shown


def test_the_parts_of_a_document_keep_its_date_and_its_head(bench: Workbench) -> None:
    bench.recorder.record(SourceAdded(source=make_source()))
    read = SourceRead(source_id="s1", title="", media_type="text/plain", characters=9, pages=1, dated=date(2024, 3, 1))
    bench.recorder.record(read)
    head = "Notes on the dam\nby Vera Holt, 1 March 2024\n\nThe dam was finished in 1970."
    bench.put("n1", "The year.", head, source="notes.md", source_id="s1", start=0, unit="s1.1.1")
    bench.put("n2", "The height.", "The dam is 111 m high.", source="notes.md", source_id="s1", start=99)
    bench.set_task("How high is the dam?")
    memory = block(bench.step_memory.enhance().text, "memory")
    assert memory.count("notes.md · 2024-03-01 · Notes on the dam · by Vera Holt, 1 March 2024") == 1
    assert "[n2] (notes.md) The height." in memory


def test_memory_comes_newest_first(bench: Workbench) -> None:
    for number, seconds in enumerate((30, 10, 40, 20), start=1):
        bench.put(f"n{number}", f"The dam, report {number}.", seconds=seconds)
    bench.set_task("The dam?")
    prompt = bench.step_memory.enhance()
    assert [node.id for node in prompt.nodes] == ["n3", "n1", "n4", "n2"]
    assert re.findall(r"\[(n\d)\]", prompt.text) == ["n3", "n1", "n4", "n2"]


def test_nodes_of_the_same_moment_come_best_first(tmp_path: Path) -> None:
    """Not in an order that differs from process to process, as that of a set does."""
    with workbench(tmp_path, retrieval_k=30) as bench:
        bench.begin()
        for number in range(1, 25):
            bench.put(f"n{number}", "dam " * number + "mill " * (25 - number))
        bench.set_task("dam")
        best_first = [hit.id for hit in bench.recall.retrieve("dam")]
        assert [node.id for node in bench.step_memory.enhance().nodes] == best_first


def test_the_worst_memory_is_left_out_first_and_reported(tmp_path: Path) -> None:
    padding = "grain " * 40
    with workbench(tmp_path, memory_tokens=110) as bench:
        bench.begin()
        bench.put("n1", "Nothing of the kind.", summary=padding)
        bench.put("n2", "The dam of Aswan was finished.", summary=padding, seconds=5)
        bench.put("n3", "The dam of Aswan.", summary=padding, seconds=9)
        bench.put("n4", "A dam.", summary=padding, seconds=7)
        bench.set_task("When was the dam of Aswan finished?")
        prompt = bench.step_memory.enhance()
        assert [node.id for node in prompt.nodes] == ["n3", "n2"]
        assert prompt.left_out == ("n4", "n1")
        assert bench.recall.embedder.count_tokens(block(prompt.text, "memory")) <= 110


def test_a_neighbour_gives_way_before_what_was_found_itself(tmp_path: Path) -> None:
    padding = "grain " * 40
    with workbench(tmp_path, memory_tokens=100, retrieval_k=2) as bench:
        bench.begin()
        bench.put("n1", "The dam of Aswan.", summary=padding)
        bench.put("n2", "The Aswan dam.", summary=padding)
        bench.put("n3", "Cotton.", summary=padding, seconds=99)
        bench.relate("n1", "n3")
        bench.set_task("The dam of Aswan?")
        prompt = bench.step_memory.enhance()
        assert {node.id for node in prompt.nodes} == {"n1", "n2"}
        assert prompt.left_out == ("n3",)


def test_neighbours_of_what_was_found_worse_give_way_first(tmp_path: Path) -> None:
    padding = "grain " * 40
    with workbench(tmp_path, memory_tokens=150, retrieval_k=2) as bench:
        bench.begin()
        bench.put("n1", "The dam of Aswan.", summary=padding)
        bench.put("n2", "A dam.", summary=padding)
        bench.put("n3", "Cotton.", summary=padding)
        bench.put("n4", "Sheep.", summary=padding, seconds=99)
        bench.relate("n1", "n3")
        bench.relate("n2", "n4")
        bench.set_task("The dam of Aswan?")
        prompt = bench.step_memory.enhance()
        assert {node.id for node in prompt.nodes} == {"n1", "n2", "n3"}
        assert prompt.left_out == ("n4",)


def test_neighbours_of_what_was_found_come_along(tmp_path: Path) -> None:
    with workbench(tmp_path, retrieval_k=1) as bench:
        bench.begin()
        bench.put("n1", "The dam of Aswan.")
        bench.put("n2", "Cotton.")
        bench.put("n3", "Sheep.")
        bench.relate("n1", "n2")
        bench.set_task("The dam of Aswan?")
        assert {node.id for node in bench.step_memory.enhance().nodes} == {"n1", "n2"}


def test_what_is_in_dispute_comes_before_everything_else(tmp_path: Path) -> None:
    padding = "dam " * 40
    with workbench(tmp_path, memory_tokens=100) as bench:
        bench.begin()
        bench.put("n1", "Cotton.", "Cotton cost 3 pounds.")
        bench.put("n2", "Prices.", "Cotton cost 4 pounds.")
        for number in range(3, 8):
            bench.put(f"n{number}", f"The dam {number}.", summary=padding)
        conflict_id = bench.open_conflict("n1", "n2")
        bench.set_task("Verify the dam.", conflict_id)
        prompt = bench.step_memory.enhance()
        assert {"n1", "n2"} <= {node.id for node in prompt.nodes}
        assert prompt.conflict == bench.bank.conflicts[conflict_id]


# -- interception ----------------------------------------------------------------------------------------


def message(content: str, **more: object) -> Message:
    return Message.model_validate({"role": "tool", "content": content, **more})


def test_new_material_of_a_step_goes_the_ordinary_path_with_its_origin(bench: Workbench) -> None:
    bench.set_task("Find the year.")
    found = message("The dam was finished in 1970.", name="search", source="register.txt", page=3)
    events = list(bench.step_memory.intercept(StepResult(answer="1970", messages=(found,))))
    (node,) = bench.bank.query_graph
    (entry,) = bench.bank.trees.entries(node.id)
    assert entry.text == found.content
    assert {name: entry.metadata[name] for name in ("source", "page", "step", "tool", "agent")} == {
        "source": "register.txt",
        "page": 3,
        "step": "t1",
        "tool": "search",
        "agent": "react",
    }
    (claim,) = node.claims
    assert (claim.source, claim.page) == ("register.txt", 3)
    assert any(isinstance(event, NodeCreated) for event in events)


def test_what_a_step_read_from_memory_or_said_itself_is_not_stored(bench: Workbench) -> None:
    bench.set_task("Find the year.")
    messages = (
        Message(role="system", content="The dam was finished in 1968."),
        Message(role="user", content="The dam was finished in 1968."),
        Message(role="assistant", content="The dam was finished in 1968."),
        message("The dam was finished in 1968.", from_memory=True, source="memory"),
        message(" \n"),
    )
    assert list(bench.step_memory.intercept(StepResult(answer="1968", messages=messages))) == []
    assert len(bench.bank.query_graph) == 0


def test_a_result_without_a_source_is_named_by_its_tool(bench: Workbench) -> None:
    bench.set_task("Find the year.")
    messages = (message("The dam was finished in 1970.", name="visit"), message("Sheep graze in Kent."))
    list(bench.step_memory.intercept(StepResult(answer="", messages=messages)))
    assert [entry.metadata["source"] for entry in bench.bank.trees] == ["visit", "tool result"]


PAGE = """Mills of Kent

The mill closed in 1921.

    print("The mill closed in", 1900 + 21)
"""


def test_a_visited_page_is_kept_as_it_came_beside_its_record(bench: Workbench, tmp_path: Path) -> None:
    bench.set_task("Find the year.")
    visited = message(PAGE, name="visit", source="https://mills.test/kent", title="Mills of Kent")
    bench.recorder.record(TurnTaken(task_id="t1", number=1, turn=StepTurn(messages=(visited,)), usage=Usage()))
    came = bench.recorder.log.events[-1].at
    list(bench.step_memory.intercept(StepResult(answer="1921", messages=(visited,))))
    for entry in bench.bank.trees:
        (kept,) = entry.attachments
        assert (kept.id, kept.type, kept.media_type, kept.path) == ("t1.m1", "document", "text/plain", "files/t1.m1")
        content = (tmp_path / kept.path).read_bytes()
        assert content.decode() == PAGE  # code in it too, which is text and nothing else
        assert (kept.bytes, kept.sha256) == (len(content), hashlib.sha256(content).hexdigest())
        assert (entry.metadata["url"], entry.metadata["title"]) == ("https://mills.test/kent", "Mills of Kent")
        assert came is not None
        assert entry.metadata["visited_at"] == came.isoformat()
    assert [path.name for path in (tmp_path / "files").iterdir()] == ["t1.m1"]


def test_of_what_a_step_brings_only_visited_pages_are_kept_as_files(bench: Workbench, tmp_path: Path) -> None:
    bench.set_task("Find the year.")
    found = (
        message("The dam was finished in 1970.", name="search", source="https://dams.test/"),
        message("The weir is 12 m wide.", name="visit"),
        message("The barn burnt down.", name="visit", source="https://barns.test/", from_memory=True),
    )
    list(bench.step_memory.intercept(StepResult(answer="", messages=found)))
    assert not any(entry.attachments for entry in bench.bank.trees)
    assert not any((tmp_path / "files").iterdir())


def test_a_step_taken_back_twice_as_after_a_crash_is_stored_once(bench: Workbench) -> None:
    bench.set_task("Find the year.")
    result = StepResult(answer="", messages=(message("The dam was finished in 1970.", source="r.txt"),))
    list(bench.step_memory.intercept(result))
    assert list(bench.step_memory.intercept(result)) == []
    assert len(bench.bank.trees) == 1


def test_what_an_earlier_step_brought_from_the_same_source_is_not_stored_again(bench: Workbench) -> None:
    """A question that is asked a second time looks in the same library."""
    found = message("The dam was finished in 1970.", source="r.txt")
    bench.set_task("Find the year.")
    list(bench.step_memory.intercept(StepResult(answer="", messages=(found, found))))
    assert len(bench.bank.trees) == 1
    bench.set_task("Find the year again.", task_id="t2")
    elsewhere = message(found.content, source="other.txt")
    new = message("It is 111 m high.", source="r.txt")
    list(bench.step_memory.intercept(StepResult(answer="", messages=(found, elsewhere, new))))
    stored = [(entry.metadata["source"], entry.text) for entry in bench.bank.trees]
    assert stored == [("r.txt", found.content), ("other.txt", found.content), ("r.txt", new.content)]


def verified(bench: Workbench, verdict: str) -> tuple[StepResult, Verification]:
    bench.put("n1", "One.", "The dam was finished in 1970.")
    bench.put("n2", "Two.", "The dam was finished in 1968.")
    conflict_id = bench.open_conflict("n1", "n2")
    bench.set_task("Verify it.", conflict_id)
    verification = make_verification(conflict_id).model_copy(update={"verdict": verdict})
    messages = (
        Message(role="user", content="Which year?"),
        message("Completed: 1970", name="search", source="register.md"),
        Message(role="assistant", content="The first."),
    )
    return StepResult(answer="", messages=messages, verification=verification), verification


@pytest.mark.parametrize("by_person", [False, True])
def test_further_verdicts_are_carried_out_too_except_where_a_person_decided(
    bench: Workbench,
    by_person: bool,  # noqa: FBT001
) -> None:
    result, _ = verified(bench, "first")
    bench.put("n3", "Three.", "The dam is 111 m high.")
    bench.put("n4", "Four.", "The dam is 99 m high.")
    other = bench.open_conflict("n3", "n4")
    if by_person:
        bench.recorder.record(PersonDecided(conflict_id=other, verdict="second", reason="I was there"))
    further = make_verification(other).model_copy(update={"reason": "The register says so."})
    list(bench.step_memory.intercept(result.model_copy(update={"also": (further,)})))
    assert bench.bank.conflicts["x1"].verdict == "first"
    assert bench.bank.conflicts[other].verdict == (None if by_person else "first")


@pytest.mark.parametrize(
    ("name", "quoted", "kept"), [("search", True, True), ("search", False, False), ("x", False, True)]
)
def test_where_a_model_reads_a_found_passage_is_kept_only_if_quoted_and_without_a_request(
    tmp_path: Path,
    name: str,
    quoted: bool,  # noqa: FBT001
    kept: bool,  # noqa: FBT001
) -> None:
    offline = OfflineEngine(HashEmbedder())
    engine = ScriptedEngine({"classification": lambda given: offline.judge(CLASSIFICATION, given).output}, remote=True)
    with workbench(tmp_path) as bench:
        bench.begin()
        bench.set_task("Find the year.")
        bench.recorder.engines = {**bench.recorder.engines, "classification": engine}
        found = message("The dam was finished in 1970.", name=name, source="register.txt")
        quotes = (Quote(source="register.txt", text=found.content),) if quoted else ()
        statements = (AnswerStatement(quotes=quotes, text="It was 1970."),)
        list(bench.step_memory.intercept(StepResult(answer="1970", messages=(found,), statements=statements)))
        assert [entry.text for entry in bench.bank.trees] == ([found.content] if kept else [])
        assert bool(engine.asked) == (name == "x")


def test_a_verification_goes_to_integration_with_the_whole_exchange_as_its_record(bench: Workbench) -> None:
    result, verification = verified(bench, "first")
    events = list(bench.step_memory.intercept(result))
    (decided,) = [event for event in events if isinstance(event, ConflictDecided)]
    assert (decided.verification, decided.decided_by) == (verification, "agent")
    (node,) = bench.bank.query_graph
    record = bench.bank.trees.entries(node.id)[-1]
    assert record.text == "Which year?\n\nCompleted: 1970\n\nThe first.\n\nregister.md: Completed: 1970"
    assert record.metadata["conflict_id"] == verification.conflict_id
    assert record.metadata["step"] == "t1"


def test_the_evidence_of_a_verification_does_not_become_nodes(bench: Workbench) -> None:
    result, _ = verified(bench, "inconclusive")
    list(bench.step_memory.intercept(result))
    assert [node.id for node in bench.bank.query_graph] == ["n1", "n2"]
    assert [node.status for node in bench.bank.query_graph] == ["disputed", "disputed"]


def test_a_dispute_taken_back_twice_keeps_one_record(bench: Workbench) -> None:
    result, _ = verified(bench, "inconclusive")
    list(bench.step_memory.intercept(result))
    list(bench.step_memory.intercept(result))
    texts = [entry.text for entry in bench.bank.trees]
    assert len([text for text in texts if text.startswith("Which year?")]) == 1


def test_a_visited_page_lasts_before_its_record_is_written(bench: Workbench, tmp_path: Path) -> None:
    bench.set_task("Find the year.")
    visited = message(PAGE, name="visit", source="https://mills.test/kent")
    files = Files(tmp_path / "files")
    with files.patched():
        list(bench.step_memory.intercept(StepResult(answer="1921", messages=(visited,))))
    assert (files.counts["rename"], files.counts["fsync"]) == (1, 2), "the page, and the folder that names it"


def test_a_page_that_finds_no_room_leaves_no_part_of_itself(bench: Workbench, tmp_path: Path) -> None:
    bench.set_task("Find the year.")
    result = StepResult(answer="", messages=(message(PAGE, name="visit", source="https://mills.test/kent"),))
    fault = FileFault("write", 1, errno.ENOSPC, half=True)
    with Files(tmp_path / "files", fault).patched(), pytest.raises(OSError, match="Errno"):
        list(bench.step_memory.intercept(result))
    assert list((tmp_path / "files").iterdir()) == []
