"""Insight Doc: the state of the task, one step at a time (section 1)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from memory_bank.bank.value import Value

TaskType = Literal["NORMAL", "CROSS_VALIDATE"]


class CompletedTask(Value):
    """A finished step: what it was, how it ended, and in one or two sentences what it found."""

    type: TaskType
    description: str
    status: Literal["success", "failed"]
    context: str


class CurrentTask(Value):
    """The one next step. `id` is its place in the run (`t3`); `conflict_id` says what a CROSS_VALIDATE is about."""

    id: str = Field(pattern=r"^t[1-9][0-9]{0,8}$")
    type: TaskType
    description: str
    conflict_id: str | None = None


class InsightDoc(Value):
    """The person's goal, what was done, and the one next step (None when nothing is left to do)."""

    doc_id: str
    task_goal: str
    completed_tasks: tuple[CompletedTask, ...] = ()
    current_task: CurrentTask | None = None

    def plan(self, completed: CompletedTask | None, current: CurrentTask | None) -> InsightDoc:
        """The document after a step: the finished task added, the next one set."""
        done = self.completed_tasks if completed is None else (*self.completed_tasks, completed)
        return self.model_copy(update={"completed_tasks": done, "current_task": current})

    def finish(self, task: CompletedTask) -> InsightDoc:
        """The document with one more finished task and the same current one."""
        return self.model_copy(update={"completed_tasks": (*self.completed_tasks, task)})
