"""The Insight Doc page: the timeline, what is folded into a task, and two moments compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from components import changes as change_list
from components.look import escape
from memory_bank.bank.events import ConflictOpened, Event, PlanUpdated
from tests.builders import every_event, in_markdown, make_claim, make_conflict, make_current, make_node, make_task
from tests.large_session import large_session
from tests.pages.conftest import Page
from tests.pages.hostile import EVIL, hostile_events
from tests.pages.test_time import view_of

Keep = Callable[[str, Sequence[Event]], str]

EVENTS = every_event()


def show(keep: Keep, events: Sequence[Event] = EVENTS) -> Page:
    return Page(run=keep("done", events)).go("insight_doc")


def unfold(page: Page, number: int) -> Page:
    """Open a task, as a click on its line does."""
    page.test.session_state[f"task-{number}-fold"] = True
    return page.run()


def compare(page: Page, with_what: str) -> Page:
    page.field("Compare with an earlier moment").select(with_what)
    return page.run()


def test_every_task_is_told_with_what_it_took(keep: Keep) -> None:
    page = show(keep)
    assert "When was the dam finished?" in page.markup
    assert page.markup.count('class="mb-doc"') == 3
    for said in (
        "3 tasks, 1 failed",
        "reading s1",
        "step t1",
        "120 characters.",
        "requests",
        ">00:17</time>",
        ">00:31</time>",
    ):
        assert said in page.markup


def test_a_session_without_tasks_says_what_will_be_here(keep: Keep) -> None:
    assert "Nothing is done yet." in show(keep, EVENTS[:2]).markup


def test_a_task_leads_to_its_moment(keep: Keep) -> None:
    page = show(keep)
    page.press("Show this moment")
    assert view_of(page).at == 5
    assert page.markup.count('class="mb-doc"') == 1


def test_a_task_opens_to_what_it_was_given_did_and_left(keep: Keep) -> None:
    page = unfold(show(keep), 3)
    assert "What it did" in page.markup
    assert "1 more node did not fit." in page.markup
    given, left = page.mounted("linked_text")[:2]
    assert "node:n1" in given
    assert "The dam." in given
    for link in ("node:n3", "conflict:x1", "conflict:x2"):
        assert link in left
    for said in ("settled by a person", "opened again", "1 new relation", "was taken back"):
        assert said in left


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ("The start, when the memory was empty", "2 nodes added"),
        ("The moment before this step", "the answer was given"),
        ("After task 1: Read notes.md", "2 tasks done"),
    ],
)
def test_two_moments_are_compared_and_no_longer(keep: Keep, choice: str, said: str) -> None:
    page = compare(show(keep), choice)
    assert said in page.markup
    page.press("Stop comparing")
    assert view_of(page).compared_to is None
    assert said not in page.markup


def test_nodes_and_conflicts_of_markdown_are_told_as_plain_text(keep: Keep) -> None:
    text = "The dam was finished in 1968."
    claims = (make_claim(), make_claim("c2", "e2", text).model_copy(update={"end": len(text) + len("****")}))
    conflict = make_conflict().model_copy(update={"claims": claims, "description": f"Or: {text}"})
    first = next(event for event in EVENTS if isinstance(event, ConflictOpened))
    events = [event.model_copy(update={"conflict": conflict}) if event == first else event for event in EVENTS]
    page = compare(show(keep, in_markdown(events)), "The start, when the memory was empty")
    assert "**" not in "".join(unfold(page, 3).mounted("linked_text"))


def test_what_is_compared_stays_when_time_moves_before_it(keep: Keep) -> None:
    page = compare(show(keep), "After task 2: Read notes.md")
    view_of(page).move(6)
    assert "The memory did not change" in page.run().markup
    assert page.field("Compare with an earlier moment").value == view_of(page).compared_to


def test_a_long_timeline_is_shown_part_by_part_the_newest_first(keep: Keep) -> None:
    steps: list[Event] = [
        PlanUpdated(completed=make_task() if number else None, current=make_current(f"t{number + 1}"))
        for number in range(120)
    ]
    page = show(keep, [*EVENTS[:2], *steps])
    assert page.markup.count('class="mb-number"') == 20
    assert "101–120 of 120" in page.everything
    next(button for button in page.test.button if button.key == "tasks-part-back").click()
    assert page.run().markup.count('class="mb-number"') == 50


def test_what_a_model_says_is_text(keep: Keep) -> None:
    page = compare(show(keep, hostile_events()), "The start, when the memory was empty")
    unfold(page, 1)
    for tag in ("<img", "<script", "</script", "<a ", "</memory"):
        assert tag not in page.markup.replace("<a class", "")
    assert escape(EVIL) in page.markup
    assert not page.test.markdown, "no text of a document goes through Markdown"
    for label in [*page.labels(), *(expander.label for expander in page.test.expander)]:
        assert ":material" not in label


@pytest.mark.slow
def test_a_large_session_is_listed_in_part(keep: Keep) -> None:
    page = compare(show(keep, large_session()), "The start, when the memory was empty")
    added = page.mounted("linked_text")[0]
    assert added.count("node:") == 25
    assert "and 9" in added


# -- the list of changes


def test_only_what_is_different_about_a_node_is_shown() -> None:
    before = make_node("n1", "The dam.")
    after = before.model_copy(update={"context": "The high dam.", "status": "disputed"})
    blocks = list(change_list._changed(before, after, (1, 2)))
    texts = ["".join(segment.text for segment in block.segments) for block in blocks]
    assert texts == [
        "n1 The high dam. · was active, now disputed · 1 record before, 2 records now",
        "Before: The dam.",
        "After: The high dam.",
    ]
    marked = [segment.text.strip() for block in blocks for segment in block.segments if segment.marked]
    assert marked == ["high"]
