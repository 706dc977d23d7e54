"""Insight Doc: the state of the task, one step at a time."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from memory_bank.bank.value import Id, Value, Worded, WordedText

TaskType = Literal["NORMAL", "CROSS_VALIDATE"]


class CompletedTask(Worded):
    """A finished step. `context` is its finding, in one or two sentences."""

    type: TaskType
    description: WordedText
    status: Literal["success", "failed"]
    context: WordedText


class CurrentTask(Worded):
    """The next step. `id` is its number in the run (`t3`).

    `conflict_id` is the conflict that a CROSS_VALIDATE verifies, `image_id` the image that a task is to read.
    """

    id: str = Field(pattern=r"^t[1-9][0-9]{0,8}$")
    type: TaskType
    description: WordedText
    conflict_id: str | None = None
    image_id: Id | None = None

    def completed(self, status: Literal["success", "failed"], context: str) -> CompletedTask:
        """The task as it is recorded once it is finished."""
        return CompletedTask(type=self.type, description=self.description, status=status, context=context)


class InsightDoc(Value):
    """The person's goal, the finished steps, and the next step (None when nothing is left to do)."""

    doc_id: str
    task_goal: str
    completed_tasks: tuple[CompletedTask, ...] = ()
    current_task: CurrentTask | None = None

    def plan(self, completed: CompletedTask | None, current: CurrentTask | None) -> InsightDoc:
        """The document with a finished task added, if there is one, and the next one set."""
        completed_tasks = self.completed_tasks if completed is None else (*self.completed_tasks, completed)
        return self.model_copy(update={"completed_tasks": completed_tasks, "current_task": current})
