"""What the next step is told of the finished ones: all of it, or what matters of it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.bank.insight_doc import CompletedTask, InsightDoc
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.session.step_blocks import MOST_TOKENS, finished_step_lines
from tests.builders import make_current

count = HashEmbedder().count_tokens
GOAL = "When was Beacon Mill last worked?"


def task(description: str, found: str, status: str = "success", kind: str = "NORMAL") -> CompletedTask:
    return CompletedTask.model_validate({"type": kind, "description": description, "status": status, "context": found})


def doc(*tasks: CompletedTask) -> InsightDoc:
    return InsightDoc(doc_id="d", task_goal=GOAL, completed_tasks=tasks, current_task=make_current("t9"))


def lines(*tasks: CompletedTask, tokens: int = MOST_TOKENS) -> list[str]:
    return finished_step_lines(doc(*tasks), tokens, count)


def look(number: int) -> CompletedTask:
    return task(f"Look at record {number} of the county.", "It was looked at, and it says little of mills.")


def test_what_fits_is_told_whole_and_in_order() -> None:
    assert lines(
        task("Read a.txt", "Said."), task("Verify x1", "first: as the register says", kind="CROSS_VALIDATE")
    ) == [
        "- [NORMAL, success] Read a.txt: Said.",
        "- [CROSS_VALIDATE, success] Verify x1: first: as the register says",
    ]


def test_without_a_finished_step_there_is_no_line() -> None:
    assert lines() == []


def test_of_two_hundred_steps_the_newest_are_whole_and_the_others_are_counted() -> None:
    found = lines(*map(look, range(200)), tokens=400)
    shown = [int(number) for line in found for number in re.findall(r"record (\d+)", line)]
    assert shown == sorted(shown)
    assert shown[-5:] == [195, 196, 197, 198, 199]
    assert found[0] == f"({200 - len(shown)} earlier finished steps are not shown here)"
    assert sum(map(count, found)) <= 400


@pytest.mark.parametrize(
    "third",
    [
        task("Look for Beacon Mill.", "Beacon Mill was last worked in 1921."),
        task("Verify x1 (n1 and n2): 1921 or 1955", "second: the register says so", kind="CROSS_VALIDATE"),
    ],
    ids=["found value", "verdict"],
)
def test_a_value_found_or_a_verdict_of_step_three_outlasts_two_hundred_steps(third: CompletedTask) -> None:
    found = lines(look(1), look(2), third, *map(look, range(3, 200)), tokens=200)
    assert f"- [{third.type}, success] {third.description}: {third.context}" in found


def test_a_failure_is_left_out_first_and_what_bears_on_the_goal_last() -> None:
    value = task("Look for Beacon Mill.", "Beacon Mill was last worked in 1921.")
    other = task("Look for Harlow house.", "It has a door of 1821 there.")
    plain = task("Look for Harlow house.", "It has a door of oak there.")
    failed = task("Look for Harlow house.", "It has a door of iron there.", status="failed")
    newest = task("Rest.", "word " * 20)
    shown = [
        "".join(name for name, one in zip("voxf", (value, other, plain, failed), strict=True) if one.context in text)
        for text in (
            "".join(lines(failed, plain, value, other, newest, tokens=tokens)) for tokens in range(100, 49, -1)
        )
    ]
    assert list(dict.fromkeys(shown)) == ["voxf", "vox", "vo", "v"]


def test_an_older_step_is_told_by_its_beginning() -> None:
    long = task("Look for Beacon Mill.", f"Beacon Mill was last worked in 1921. {'So it is said. ' * 60}")
    (line,) = [line for line in lines(long, *map(look, range(30)), tokens=300) if "1921" in line]
    assert count(line) < 80
    assert line.startswith("- [NORMAL, success] Look for Beacon Mill.: Beacon Mill was last worked in 1921.")


@given(
    st.lists(
        st.builds(
            task,
            st.text(alphabet="a b<>&\n[-1", max_size=80),
            st.text(alphabet="a b<>&\n[-1", max_size=400),
            st.sampled_from(["success", "failed"]),
            st.sampled_from(["NORMAL", "CROSS_VALIDATE"]),
        ),
        max_size=30,
    ),
    st.integers(20, 300),
)
def test_it_keeps_to_its_tokens_and_no_step_can_look_like_two(tasks: list[CompletedTask], tokens: int) -> None:
    found = lines(*tasks, tokens=tokens)
    assert sum(map(count, found)) <= tokens
    assert all(len(line.splitlines()) == 1 for line in found)
    assert not re.search("[<>]", "".join(found))
    notes = [int(number) for line in found for number in re.findall(r"^\((\d+) earlier", line)]
    assert len(found) - len(notes) + sum(notes) == len(tasks)
