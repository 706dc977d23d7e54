"""The loop of a session: reads the sources, then plans and does steps until there is an answer.

The loop keeps no state of its own: it always derives from the bank what is still to do. So a run that was paused,
cancelled or killed is continued from its log by the same code that started it.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Literal

from memory_bank.agents.planning import PLANNING, NewNode, PlanningInput, PlanningOutput, StepReport
from memory_bank.agents.react import REACT, StepResult
from memory_bank.bank.errors import AgentError, BudgetError
from memory_bank.bank.events import AnswerGiven, Event, Notice, PlanUpdated
from memory_bank.bank.insight_doc import CompletedTask, CurrentTask
from memory_bank.bank.settings import Settings
from memory_bank.judgement.conflict_relevance import relevant_conflicts
from memory_bank.session.answering import compose_answer
from memory_bank.session.recorder import Events
from memory_bank.session.step_runner import StepRunner
from memory_bank.session.wiring import Components, Parts
from memory_bank.text.wording import Wording


class Loop:
    """Does all the work of a session. Each part of it yields the events that it recorded."""

    def __init__(self, components: Components, parts: Parts, settings: Settings) -> None:
        self._components = components
        self._recorder = components.recorder
        self._bank = components.recorder.bank
        self._decisions = components.decisions
        self._keeping = components.keeping
        self._parts = parts
        self._steps = StepRunner(components, parts, settings)
        self._max_steps = settings.max_steps

    def run(self) -> Events:
        """Work until all is done; closing the generator stops the work after an event."""
        try:
            yield from self._until_done()
        finally:
            self._keeping.record_stored()

    def _until_done(self) -> Events:
        while True:
            unfinished = ""
            try:
                yield from self._read_and_step()
            except BudgetError as error:
                unfinished = Wording("the budget is spent: {reason}", reason=error)
                message = Wording("The budget is spent: {reason}. The answer is the best so far.", reason=error)
                yield self._recorder.record(Notice(message=message))
                yield from self._decisions.take_effect()
                yield from self._end_task_without_budget()
            yield from self._answer(unfinished)
            yield from self._keeping.end()
            if not (self._bank.decisions or self._bank.answer_stale):  # else a person decided something meanwhile
                return

    def _read_and_step(self) -> Events:
        """Recall long-term memory, read and compare the sources, then do steps until none is left."""
        yield from self._components.recollection.begin()
        for source in list(self._bank.sources.values()):
            if source.id not in self._bank.ingested and not source.is_image:
                yield from self._components.ingestion.read(source)
        yield from self._components.comparison.compare()
        while (yield from self._advance()):
            yield from self._keeping.between_steps()

    def _advance(self) -> Generator[Event, None, bool]:
        """Do the next thing there is to do; False when nothing is left."""
        bank, task = self._bank, self._bank.insight_doc.current_task
        if task is None and bank.plans_since_answer > self._max_steps:
            return False
        if self._plan_key in bank.judgements:  # the run ended between the judgement and the plan
            yield from self._plan(None)
        elif task is not None and self._steps.has_begun(task):  # finished before decisions take effect
            return (yield from self._do_step(task))
        elif (yield from self._decisions.advance()):
            pass
        elif task is not None:
            return (yield from self._do_step(task))
        elif not bank.planned:
            yield from self._plan(None)
        elif bank.ask_again or self._last_verdict_unused():
            goal = CurrentTask(id=self._next_task_id, type="NORMAL", description=bank.insight_doc.task_goal)
            yield self._recorder.record(PlanUpdated(completed=None, current=goal))
        else:
            return False
        return True

    def _last_verdict_unused(self) -> bool:
        """Whether the last step was a successful verification, so that no step could use its verdict in an answer."""
        last, outputs = self._bank.insight_doc.completed_tasks[-1:], list(self._steps.outputs())
        if not last or not outputs or (self._bank.answer is not None and not self._bank.answer_stale):
            return False
        return bool(outputs[-1].get("verification")) and (last[0].type, last[0].status) == ("CROSS_VALIDATE", "success")

    def _do_step(self, task: CurrentTask) -> Generator[Event, None, bool]:
        """Do a step and plan the next; False when the limit of steps is reached."""
        report = yield from self._steps.run(task)
        if self._bank.plans_since_answer >= self._max_steps:
            message = Wording(
                "Stopped after {number} steps, the limit (MAX_STEPS); the answer is the best so far.",
                number=self._max_steps,
            )
            yield self._recorder.record(Notice(message=message))
            yield from self._end_task(report.found, "failed" if report.failed else "success")
            return False
        yield from self._plan(report)
        return True

    def _plan(self, report: StepReport | None) -> Events:
        """Plan the next task, after the report of a step if there is one."""
        bank, graph = self._bank, self._bank.query_graph
        result = self._last_result() if report is not None and not report.failed else None
        agent_input = PlanningInput(
            insight_doc=bank.insight_doc,
            new_nodes=tuple(
                NewNode(id=node.id, summary=node.summary, context=node.context, keywords=node.keywords)
                for node in (graph[node_id] for node_id in bank.unplanned if node_id in graph)
            ),
            open_conflicts=tuple(bank.plannable_conflicts(failed_now=report is not None and report.failed)),
            images=tuple(bank.waiting_images()),
            last_step=report,
            answered=result is not None and self._answers(result),
            concerned=result.conflicts if result is not None else (),
            conversation=self._components.recollection.recalled.conversation,
        )
        try:
            output: PlanningOutput = yield from self._recorder.judge(PLANNING, self._plan_key, agent_input)
        except AgentError as error:  # recorded; the run must not end because of one judgement
            message = Wording("Planning failed ({reason}); the embedded engine plans this step.", reason=error.reason)
            yield self._recorder.record(Notice(message=message))
            output = self._components.embedded.judge(PLANNING, agent_input).output
        following = output.next_task
        current = following and CurrentTask(
            id=self._next_task_id,
            type=following.type,
            description=following.description,
            conflict_id=following.conflict_id,
        )
        yield self._recorder.record(PlanUpdated(completed=output.completed, current=current))

    def _last_result(self) -> StepResult | None:
        """The recorded result of the current task; None if there is none."""
        task = self._bank.insight_doc.current_task
        output = self._bank.judgements.get(f"{REACT}/{task.id}") if task else None
        return None if output is None else StepResult.model_validate(output)

    def _answers(self, result: StepResult) -> bool:
        """Whether a result answers its whole task: with passages, or with a conflict that has its verdict."""
        decided = any(conflict.verdict for conflict in self._bank.conflicts.values() if conflict.id in result.conflicts)
        return not result.unanswered and (decided or any(statement.quotes for statement in result.statements))

    def _end_task_without_budget(self) -> Events:
        """End the current task when the budget is spent: a success if its result is recorded, else a failure."""
        result = self._last_result()
        if result is None:
            yield from self._end_task(Wording("The budget was spent before this was done."), "failed")
        else:
            yield from self._end_task(result.answer, "success")

    def _end_task(self, context: str, status: Literal["success", "failed"]) -> Events:
        """End the current task, if there is one, and plan no other."""
        task = self._bank.insight_doc.current_task
        if task is not None:
            completed = CompletedTask(type=task.type, description=task.description, status=status, context=context)
            yield self._recorder.record(PlanUpdated(completed=completed, current=None))

    def _answer(self, unfinished: str) -> Events:
        """Compose the answer from the results of all steps on the question, unless the present one is still valid."""
        if self._bank.answer is None or self._bank.answer_stale:
            results = [
                StepResult.model_validate(output)
                for output in self._steps.outputs()
                if not (output.get("verification") or output.get("image"))
            ]
            newest_first = [result for result in reversed(results) if result.answer or result.statements]
            if newest_first:
                last = newest_first[0]
            else:  # no step worked on the question: the conflicts that bear on it
                goal, conflicts = self._bank.insight_doc.task_goal, list(self._bank.conflicts.values())
                bearing = relevant_conflicts(goal, conflicts, self._components.recall.embedder)
                last = StepResult(answer="", messages=(), conflicts=tuple(conflict.id for conflict in bearing))
            answer = compose_answer(
                self._bank, last, unfinished, earlier=newest_first[1:], judge=self._parts.pair_judge
            )
            yield self._recorder.record(AnswerGiven(answer=answer))

    @property
    def _next_task_id(self) -> str:
        return f"t{self._bank.plans + 1}"

    @property
    def _plan_key(self) -> str:
        return f"{PLANNING.name}/{self._next_task_id}"
