"""The loop of a session: reads the sources, then plans and does steps until there is an answer.

The loop keeps no state of its own: it always derives from the bank what is still to do. So a run that was paused,
cancelled or killed is continued from its log by the same code that started it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import Any, Literal

from memory_bank.agents.planning import PLANNING, PlanningInput, PlanningOutput, StepReport
from memory_bank.agents.react import REACT, EnhancedPrompt, StepResult
from memory_bank.bank.errors import AgentError, BudgetError, UnreadableImageError
from memory_bank.bank.events import AnswerGiven, Event, Notice, PlanUpdated, PromptEnhanced
from memory_bank.bank.insight_doc import CurrentTask
from memory_bank.bank.settings import Settings
from memory_bank.engines.offline.engine import OfflineFramework
from memory_bank.judgement.conflict_relevance import conflicts_on_goal
from memory_bank.session.answering import compose_answer
from memory_bank.session.recorder import Events
from memory_bank.session.wiring import Components, Parts
from memory_bank.text.wording import Wording


class Loop:
    """Does all the work of a session. Each part of it yields the events that it recorded."""

    def __init__(self, components: Components, parts: Parts, settings: Settings) -> None:
        self._components = components
        self._recorder = components.recorder
        self._bank = components.recorder.bank
        self._decisions = components.decisions
        self._remembering = components.remembering
        self._parts = parts
        self._settings = settings

    def run(self) -> Events:
        """Work until all is done; closing the generator stops the work after an event."""
        try:
            yield from self._until_done()
        finally:
            self._remembering.record_stored()

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
                result = self._last_result()  # if it is recorded, the task succeeded
                unmet = Wording("The budget was spent before this was done.")
                yield from self._end_task(*((unmet, "failed") if result is None else (result.answer, "success")))
            yield from self._answer(unfinished)
            yield from self._remembering.end()
            if not (self._bank.decisions or self._bank.answer_stale):  # else a person decided something meanwhile
                return

    def _read_and_step(self) -> Events:
        """Recall long-term memory, read and compare the sources, then do steps until none is left."""
        yield from self._remembering.begin()
        for source in list(self._bank.sources.values()):
            if source.id not in self._bank.ingested and not source.is_image:
                yield from self._components.ingestion.read(source)
        yield from self._components.comparison.compare()
        while (yield from self._advance()):
            yield from self._remembering.between_steps()

    def _advance(self) -> Generator[Event, None, bool]:
        """Do the next thing there is to do; False when nothing is left."""
        bank, task = self._bank, self._bank.insight_doc.current_task
        if task is None and bank.plans_since_answer > self._settings.max_steps:
            return False
        if self._plan_key in bank.judgements:  # the run ended between the judgement and the plan
            yield from self._plan(None)
        elif task is not None and self._has_begun(task):  # finished before decisions take effect
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
        last, outputs = self._bank.insight_doc.completed_tasks[-1:], list(self._outputs())
        if not last or not outputs or (self._bank.answer is not None and not self._bank.answer_stale):
            return False
        return bool(outputs[-1].get("verification")) and (last[0].type, last[0].status) == ("CROSS_VALIDATE", "success")

    def _do_step(self, task: CurrentTask) -> Generator[Event, None, bool]:
        """Do a step and plan the next; False when the limit of steps is reached."""
        report = yield from self._step(task)
        if self._bank.plans_since_answer >= self._settings.max_steps:
            message = Wording(
                "Stopped after {number} steps, the limit (MAX_STEPS); the answer is the best so far.",
                number=self._settings.max_steps,
            )
            yield self._recorder.record(Notice(message=message))
            yield from self._end_task(report.found, "failed" if report.failed else "success")
            return False
        yield from self._plan(report)
        return True

    # -- one step --------------------------------------------------------------------------------------------

    def _has_begun(self, task: CurrentTask) -> bool:
        """Whether something of the step is recorded already."""
        judged = f"{REACT}/{task.id}" in self._bank.judgements
        return judged or task.id in self._bank.prompted or self._earlier_verdict(task) is not None

    def _step(self, task: CurrentTask) -> Generator[Event, None, StepReport]:
        """Do the step, or the rest of it after a crash."""
        conflict = self._bank.conflicts.get(task.conflict_id) if task.conflict_id else None
        if conflict is not None and conflict.decided_by == "person":
            found = Wording(
                "A person decided: {verdict}. {reason}", verdict=Wording(conflict.verdict or ""), reason=conflict.reason
            )
            return StepReport(failed=False, found=found, new_nodes=0)
        if (refused := self._bank.refused_image(task)) is not None:  # the run ended before it was reported
            return StepReport(failed=True, found=refused, new_nodes=0)
        image = self._bank.waiting_image(task)
        try:
            result = yield from self._result(task)
            if image is not None and result.image is not None:
                yield from self._components.ingestion.take(image, result.answer, result.image)
            else:
                yield from self._components.step_memory.intercept(result)
        except AgentError as error:  # recorded as AgentFailed; the task fails and the run goes on
            if image is not None:
                yield self._components.ingestion.refuse(image, error.reason)
            return StepReport(failed=True, found=error.reason, new_nodes=0)
        prefix = f"{task.id if image is None else image.id}."
        new_nodes = sum(unit.startswith(prefix) for unit in self._bank.units)  # including those made before a crash
        return StepReport(failed=False, found=result.answer, new_nodes=new_nodes)

    def _outputs(self) -> Iterator[Mapping[str, Any]]:
        """The recorded results of all steps, in order."""
        return (output for key, output in self._bank.judgements.items() if key.startswith(f"{REACT}/"))

    def _earlier_verdict(self, task: CurrentTask) -> StepResult | None:
        """The result of an earlier step with the agent's verdict on the task's conflict, if there is one."""
        conflict = self._bank.conflicts.get(task.conflict_id) if task.conflict_id else None
        if conflict is None or conflict.decided_by != "agent":
            return None
        results = (StepResult.model_validate(output) for output in self._outputs() if output.get("verification"))
        verdicts = [
            result.model_copy(update={"verification": verification, "also": ()})
            if verification in result.also
            else result
            for result in results
            for verification in (result.verification, *result.also)
            if verification and verification.conflict_id == conflict.id
        ]
        return verdicts[-1] if verdicts else None  # the last one: the conflict may have been reopened in between

    def _result(self, task: CurrentTask) -> Generator[Event, None, StepResult]:
        """The result of the step: an earlier one if it is recorded, else of the framework."""
        if (recorded := self._earlier_verdict(task) or self._last_result()) is not None:
            return recorded
        prompt = self._components.step_memory.enhance()
        if task.id not in self._bank.prompted:
            node_ids = tuple(node.id for node in prompt.nodes)
            yield self._recorder.record(PromptEnhanced(task_id=task.id, node_ids=node_ids, left_out=prompt.left_out))
        result = yield from self._act(prompt)
        if result.ended == "answer":
            return result
        if result.ended == "call_limit":
            message = Wording(
                "Step {step} reached its limit: {number} requests (MAX_LLM_CALL_PER_RUN); it answered at once.",
                step=task.id,
                number=self._settings.max_llm_call_per_run,
            )
        else:
            message = Wording(
                "Step {step} reached its limit: {number} tokens of context (MAX_CONTEXT_TOKENS); it answered at once.",
                step=task.id,
                number=self._settings.max_context_tokens,
            )
        yield self._recorder.record(Notice(message=message))
        return result

    def _act(self, prompt: EnhancedPrompt) -> Generator[Event, None, StepResult]:
        """Let the framework act. An image that it does not see, or fails to read, is read by the embedded engine."""
        framework = self._parts.framework
        if prompt.image is None or framework.sees:
            try:
                return (yield from self._recorder.act(framework, prompt, self._components.tools))
            except AgentError as error:
                if prompt.image is None or isinstance(error, UnreadableImageError):
                    raise
                message = Wording(
                    "The model could not read {file} ({reason}); the embedded engine reads it.",
                    file=prompt.image.source.name,
                    reason=error.reason,
                )
                yield self._recorder.record(Notice(message=message))
        return (yield from self._recorder.act(OfflineFramework(self._parts.embedder), prompt, self._components.tools))

    # -- planning and the answer -----------------------------------------------------------------------------

    def _plan(self, report: StepReport | None) -> Events:
        """Plan the next task, after the report of a step if there is one."""
        bank, graph = self._bank, self._bank.query_graph
        task = bank.insight_doc.current_task
        verified = {*bank.verified, task and task.conflict_id}
        result = self._last_result() if report is not None and not report.failed else None
        concerned = result.conflicts if result is not None else ()
        decided = any(bank.conflicts[each].verdict for each in concerned if each in bank.conflicts)
        agent_input = PlanningInput(
            insight_doc=bank.insight_doc,
            new_nodes=tuple(graph[node_id] for node_id in bank.unplanned if node_id in graph),
            open_conflicts=tuple(bank.plannable_conflicts(failed_now=report is not None and report.failed)),
            images=tuple(bank.waiting_images()),
            last_step=report,
            # The whole task, with passages or with a conflict that has its verdict.
            answered=result is not None
            and not result.unanswered
            and (decided or any(statement.quotes for statement in result.statements)),
            concerned=concerned,
            verified=tuple(conflict for conflict in bank.conflicts.values() if conflict.id in verified),
            conversation=self._remembering.recalled.conversation,
        )
        try:
            output: PlanningOutput = yield from self._recorder.judge(PLANNING, self._plan_key, agent_input)
        except AgentError as error:  # recorded; the run must not end because of one judgement
            message = Wording("Planning failed ({reason}); the embedded engine plans this step.", reason=error.reason)
            yield self._recorder.record(Notice(message=message))
            output = self._components.embedded.judge(PLANNING, agent_input).output
        following = output.next_task
        current = following and CurrentTask(id=self._next_task_id, **dict(following))
        yield self._recorder.record(PlanUpdated(completed=output.completed, current=current))

    def _last_result(self) -> StepResult | None:
        """The recorded result of the current task; None if there is none."""
        task = self._bank.insight_doc.current_task
        output = self._bank.judgements.get(f"{REACT}/{task.id}") if task else None
        return None if output is None else StepResult.model_validate(output)

    def _end_task(self, context: str, status: Literal["success", "failed"]) -> Events:
        """End the current task, if there is one, and plan no other."""
        task = self._bank.insight_doc.current_task
        if task is not None:
            yield self._recorder.record(PlanUpdated(completed=task.completed(status, context), current=None))

    def _answer(self, unfinished: str) -> Events:
        """Compose the answer from the results of all steps on the question, unless the present one is still valid."""
        if self._bank.answer is None or self._bank.answer_stale:
            results = [
                StepResult.model_validate(output)
                for output in self._outputs()
                if not (output.get("verification") or output.get("image"))
            ]
            newest_first = [result for result in reversed(results) if result.answer or result.statements]
            if newest_first:
                last = newest_first[0]
            else:  # no step worked on the question: the conflicts that bear on it
                goal, conflicts = self._bank.insight_doc.task_goal, list(self._bank.conflicts.values())
                bearing = conflicts_on_goal(goal, conflicts, self._components.recall.embedder)
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
