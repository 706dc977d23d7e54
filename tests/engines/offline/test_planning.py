"""Planning without a model: relevant conflicts first, then images, other conflicts, the question, done."""

from __future__ import annotations

from collections.abc import Sequence

from memory_bank.agents.planning import MOST_VERIFICATIONS, PlanningInput, PlanningOutput, StepReport
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.insight_doc import CompletedTask, CurrentTask, InsightDoc
from memory_bank.bank.source import Source
from memory_bank.engines.offline.planning import FOUND_CHARACTERS, MOST_OTHER_CONFLICTS, plan
from memory_bank.search.hash_embedder import HashEmbedder
from tests.builders import make_claim, make_conflict, make_current, make_source

GOAL = "When was the dam of Aswan finished?"


class Work:
    """A session as Planning sees it: the open conflicts and images, and the Insight Doc with what was done."""

    def __init__(self, *conflicts: Conflict, goal: str = GOAL, images: Sequence[Source] = ()) -> None:
        self.open = list(conflicts)
        self.verified: dict[str, Conflict] = {}
        self.images = list(images)
        self.doc = InsightDoc(doc_id="d", task_goal=goal)
        self.steps = 0

    def plan(self, *, failed: bool = False, found: str = "found", new_nodes: int = 0) -> PlanningOutput:
        """Plan after the current task was done, or for the first time."""
        report = StepReport(failed=failed, found=found, new_nodes=new_nodes) if self.doc.current_task else None
        given = PlanningInput(
            insight_doc=self.doc,
            new_nodes=(),
            open_conflicts=tuple(self.open),
            images=tuple(self.images),
            last_step=report,
            verified=tuple(self.verified.values()),
        )
        output = plan(given, HashEmbedder())
        self.steps += 1
        following = None
        if output.next_task is not None:
            following = CurrentTask(id=f"t{self.steps}", **dict(output.next_task))
            self.verified |= {each.id: each for each in self.open if each.id == following.conflict_id}
        self.doc = self.doc.plan(output.completed, following)
        return output

    def next(self, *, failed: bool = False, found: str = "found", new_nodes: int = 0) -> str:
        """What is planned next: a conflict's id, "question" or "done"."""
        following = self.plan(failed=failed, found=found, new_nodes=new_nodes).next_task
        if following is None:
            return "done"
        assert (following.type == "CROSS_VALIDATE") == (following.conflict_id is not None)
        return following.conflict_id or ("question" if following.description == self.doc.task_goal else "?")

    def settle(self, conflict_id: str) -> None:
        self.open = [conflict for conflict in self.open if conflict.id != conflict_id]


def dispute(conflict_id: str, first: str, second: str) -> Conflict:
    claims = (make_claim("c1", "e1", first), make_claim("c2", "e2", second))
    return make_conflict(conflict_id).model_copy(update={"claims": claims, "description": f"{first} or {second}"})


def dam(conflict_id: str) -> Conflict:
    return dispute(conflict_id, "The dam of Aswan was finished in 1970.", "The dam of Aswan was finished in 1968.")


def wool(conflict_id: str) -> Conflict:
    return dispute(conflict_id, "Wool cost 3 pounds.", "Wool cost 4 pounds.")


def test_without_conflicts_the_question_comes_and_then_the_end() -> None:
    work = Work()
    assert [work.next(), work.next()] == ["question", "done"]


def test_a_verification_names_the_conflict_its_nodes_and_the_point_in_dispute() -> None:
    following = Work(dam("x3")).plan().next_task
    assert following is not None
    assert (following.type, following.conflict_id) == ("CROSS_VALIDATE", "x3")
    for text in ("x3", "n1", "n2", "1970", "1968"):
        assert text in following.description


def test_images_are_read_after_relevant_conflicts_and_before_everything_else() -> None:
    images = [make_source("s2"), make_source("s4")]
    work = Work(wool("x1"), dam("x2"), images=images)
    assert work.next() == "x2"
    work.settle("x2")
    read = []
    while work.images:
        following = work.plan().next_task
        assert following is not None
        read.append((following.type, following.description, following.image_id))
        work.images.pop(0)
    assert read == [("NORMAL", "Read image s2 (notes.md)", "s2"), ("NORMAL", "Read image s4 (notes.md)", "s4")]
    assert work.next() == "x1"


def test_relevant_conflicts_are_verified_first_then_the_others_then_the_question() -> None:
    work = Work(wool("x1"), dam("x2"), wool("x3"))
    order = []
    while (step := work.next()) != "done":
        order.append(step)
        work.settle(step)
    assert order == ["x2", "x1", "x3", "question"]


def test_only_a_limited_number_of_other_conflicts_delays_the_answer() -> None:
    work = Work(*(wool(f"x{number}") for number in range(1, 40)))
    order = []
    while (step := work.next()) != "done":
        order.append(step)
        work.settle(step)
    assert order == [*(f"x{number}" for number in range(1, MOST_OTHER_CONFLICTS + 1)), "question"]


def test_a_relevant_conflict_is_verified_however_many_others_were() -> None:
    work = Work(*(wool(f"x{number}") for number in range(1, 40)))
    for _ in range(MOST_OTHER_CONFLICTS):
        work.settle(work.next())
    work.open.append(dam("x99"))
    assert work.next() == "x99"


def test_the_question_is_answered_however_many_conflicts_are_relevant() -> None:
    work = Work(*(dam(f"x{number}") for number in range(1, MOST_VERIFICATIONS + 10)))
    for _ in range(MOST_VERIFICATIONS):
        work.settle(work.next())
    assert work.next() == "question"


def test_a_reopened_conflict_is_verified_again_however_many_others_were() -> None:
    work = Work(*(wool(f"x{number}") for number in range(1, 40)))
    first = work.next()
    work.settle(first)
    for _ in range(MOST_OTHER_CONFLICTS):
        work.settle(work.next())
    assert work.next() == "done"
    work.open.append(wool(first))  # by a person, or by new evidence
    assert work.next() == first


def test_each_dispute_is_verified_once_before_its_repetitions() -> None:
    def coal(conflict_id: str) -> Conflict:
        return dispute(conflict_id, "Coal cost 3 pounds.", "Coal cost 4 pounds.")

    work = Work(wool("x1"), wool("x2"), coal("x3"), coal("x4"), dam("x5"), dam("x6"))
    order = []
    while (step := work.next()) != "done":
        order.append(step)
        work.settle(step)
    assert order == ["x5", "x6", "x1", "x3", "x2", "x4", "question"]


def test_the_question_is_asked_again_after_a_verification() -> None:
    work = Work()
    assert work.next() == "question"
    work.open.append(dam("x1"))
    assert work.next() == "x1"
    work.settle("x1")
    assert [work.next(), work.next()] == ["question", "done"]


def test_the_question_is_asked_again_when_its_step_brought_something_new() -> None:
    work = Work()
    assert work.next() == "question"
    assert work.next(new_nodes=2) == "question"
    assert work.next(new_nodes=2) == "done"  # what two tries did not answer, a third does not


def test_a_question_whose_step_fails_is_not_retried_for_ever() -> None:
    work = Work()
    steps = [work.next() for _ in range(1)]
    while steps[-1] != "done" and len(steps) < 10:
        steps.append(work.next(failed=True))
    assert steps[-1] == "done"


def test_reading_a_document_is_not_an_answer_to_the_question() -> None:
    work = Work()
    read = CompletedTask(type="NORMAL", description="Read notes.md", status="success", context="3 topics.")
    work.doc = work.doc.plan(read, work.doc.current_task)
    assert work.next() == "question"


def test_the_finished_task_is_recorded_with_what_it_found_on_one_line() -> None:
    work = Work()
    assert work.plan().completed is None
    completed = work.plan(found="It was\n finished   in 1970.").completed
    assert completed == CompletedTask(
        type="NORMAL", description=GOAL, status="success", context="It was finished in 1970."
    )
    work = Work(dam("x1"))
    work.plan()
    completed = work.plan(failed=True, found="the line is dead").completed
    assert completed is not None
    assert (completed.type, completed.status, completed.context) == ("CROSS_VALIDATE", "failed", "the line is dead")


def test_the_result_of_a_task_is_cut_to_a_sentence_or_two() -> None:
    work = Work()
    work.plan()
    completed = work.plan(found="very " * 500).completed
    assert completed is not None
    assert len(completed.context) <= FOUND_CHARACTERS
    assert completed.context.endswith("very…")


def test_without_a_report_there_is_nothing_to_record() -> None:
    """The state after a crash between plan and step."""
    doc = InsightDoc(doc_id="d", task_goal=GOAL, current_task=make_current())
    output = plan(PlanningInput(insight_doc=doc, new_nodes=(), open_conflicts=()), HashEmbedder())
    assert output.completed is None
