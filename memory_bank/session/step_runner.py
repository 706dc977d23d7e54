"""Carries out one step: the current task is done by the framework, and its result is taken into memory."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import Any

from memory_bank.agents.planning import StepReport
from memory_bank.agents.react import REACT, EnhancedPrompt, Framework, StepResult
from memory_bank.bank.errors import AgentError, UnreadableImageError
from memory_bank.bank.events import Event, Notice, PromptEnhanced
from memory_bank.bank.insight_doc import CurrentTask
from memory_bank.bank.settings import Settings
from memory_bank.engines.offline.engine import OfflineFramework
from memory_bank.session.wiring import Components, Parts
from memory_bank.text.wording import Wording


class StepRunner:
    """Carries out the steps of a session, each up to a report for planning."""

    def __init__(self, components: Components, parts: Parts, settings: Settings) -> None:
        self._recorder = components.recorder
        self._bank = components.recorder.bank
        self._ingestion = components.ingestion
        self._step_memory = components.step_memory
        self._tools = components.tools
        self._parts = parts
        self._settings = settings

    def has_begun(self, task: CurrentTask) -> bool:
        """Whether something of the step is recorded already."""
        judged = f"{REACT}/{task.id}" in self._bank.judgements
        return judged or task.id in self._bank.prompted or self._earlier_verdict(task) is not None

    def run(self, task: CurrentTask) -> Generator[Event, None, StepReport]:
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
                yield from self._ingestion.take(image, result.answer, result.image)
            else:
                yield from self._step_memory.intercept(result)
        except AgentError as error:  # recorded as AgentFailed; the task fails and the run goes on
            if image is not None:
                yield self._ingestion.refuse(image, error.reason)
            return StepReport(failed=True, found=error.reason, new_nodes=0)
        prefix = f"{task.id if image is None else image.id}."
        new_nodes = sum(unit.startswith(prefix) for unit in self._bank.units)  # including those made before a crash
        return StepReport(failed=False, found=result.answer, new_nodes=new_nodes)

    def outputs(self) -> Iterator[Mapping[str, Any]]:
        """The recorded results of all steps, in order."""
        return (output for key, output in self._bank.judgements.items() if key.startswith(f"{REACT}/"))

    def _earlier_verdict(self, task: CurrentTask) -> StepResult | None:
        """The result of an earlier step with the agent's verdict on the task's conflict, if there is one."""
        conflict = self._bank.conflicts.get(task.conflict_id) if task.conflict_id else None
        if conflict is None or conflict.decided_by != "agent":
            return None
        results = (StepResult.model_validate(output) for output in self.outputs() if output.get("verification"))
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
        if (verified := self._earlier_verdict(task)) is not None:
            return verified
        key = f"{REACT}/{task.id}"
        if key in self._bank.judgements:
            return StepResult.model_validate(self._bank.judgements[key])
        prompt = self._step_memory.enhance()
        if task.id not in self._bank.prompted:
            node_ids = tuple(node.id for node in prompt.nodes)
            yield self._recorder.record(PromptEnhanced(task_id=task.id, node_ids=node_ids, left_out=prompt.left_out))
        result = yield from self._act(prompt)
        if result.ended == "call_limit":
            message = Wording(
                "Step {step} reached its limit: {number} requests (MAX_LLM_CALL_PER_RUN); it answered at once.",
                step=task.id,
                number=self._settings.max_llm_call_per_run,
            )
            yield self._recorder.record(Notice(message=message))
        elif result.ended != "answer":
            message = Wording(
                "Step {step} reached its limit: {number} tokens of context (MAX_CONTEXT_TOKENS); it answered at once.",
                step=task.id,
                number=self._settings.max_context_tokens,
            )
            yield self._recorder.record(Notice(message=message))
        return result

    def _act(self, prompt: EnhancedPrompt) -> Generator[Event, None, StepResult]:
        """Let the framework act. An image that it does not see, or fails to read, is read by the embedded engine."""
        framework: Framework = self._parts.framework
        if prompt.image is None or framework.sees:
            try:
                return (yield from self._recorder.act(framework, prompt, self._tools))
            except AgentError as error:
                if prompt.image is None or isinstance(error, UnreadableImageError):
                    raise
                message = Wording(
                    "The model could not read {file} ({reason}); the embedded engine reads it.",
                    file=prompt.image.source.name,
                    reason=error.reason,
                )
                yield self._recorder.record(Notice(message=message))
        return (yield from self._recorder.act(OfflineFramework(self._parts.embedder), prompt, self._tools))
