"""Records every event in the log and applies it to the bank; has each judgement made at most once.

`FallbackEngine` is the engine of a tool's judgements, which are recorded too.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, Generic

from memory_bank.agents.agent import Agent, Engine, Input, Judgement, Language, Output, Several, prompt_language
from memory_bank.agents.attempt import ATTEMPTS, AttemptResult, attempt
from memory_bank.agents.react import REACT, EnhancedPrompt, Framework, StepResult, Tools
from memory_bank.agents.research import RESEARCH
from memory_bank.bank import events as ev
from memory_bank.bank.bank import Bank
from memory_bank.bank.clock import Clock
from memory_bank.bank.errors import (
    AgentError,
    BudgetError,
    InvalidOutputError,
    MemoryBankError,
    ModelRefusedError,
    RunStoppedError,
)
from memory_bank.bank.message import StepTurn
from memory_bank.bank.usage import Remark, Usage
from memory_bank.session.observability import observe, span
from memory_bank.storage.event_log import EventLog
from memory_bank.text.iteration import Returning
from memory_bank.text.parallel import in_order
from memory_bank.text.wording import Wording

Events = Generator[ev.Event, None, None]
"""Recorded events, handed on one by one."""

_SAID_CHARACTERS = 4_000
"""Most characters recorded of a model's text that was wrong."""


@dataclass(frozen=True)
class Budget:
    """The limits of a session on model use: tokens, cost, and parallel requests. None: no limit."""

    tokens: int | None = None
    cost_usd: float | None = None
    parallel: int = 4

    def check(self, spent: Usage) -> None:
        """`BudgetError` once the budget is spent."""
        if self.tokens is not None and spent.tokens >= self.tokens:
            used, most = f"{spent.tokens:,}", f"{self.tokens:,}"
            raise BudgetError(Wording("{spent} of {most} tokens are spent (MAX_TOTAL_TOKENS)", spent=used, most=most))
        if self.cost_usd is None:
            return
        most = f"{self.cost_usd:.4f}"
        if spent.cost_usd is None:
            raise BudgetError(
                Wording(
                    "only {most} USD may be spent (MAX_COST_USD), and the price of a model that was asked is "
                    "not known; set MAX_TOTAL_TOKENS instead",
                    most=most,
                )
            )
        if spent.cost_usd >= self.cost_usd:
            used = f"{spent.cost_usd:.4f}"
            raise BudgetError(Wording("{spent} of {most} USD are spent (MAX_COST_USD)", spent=used, most=most))


@dataclass(frozen=True)
class _Outcome(Generic[Output]):
    """How the attempts at one judgement, or at several made together, ended, and which engine made it."""

    keys: tuple[str, ...]
    agent: str
    choice: ev.EngineChoice
    attempted: AttemptResult[Any]
    seconds: float = 0.0


@dataclass
class Recorder:
    """Keeps a session's log and its bank in step."""

    log: EventLog
    clock: Clock
    engines: Mapping[str, Engine]
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        self.bank = Bank.replay(self.log.events)
        self._tool_outcomes: deque[_Outcome[Any]] = deque()

    def record(self, event: ev.Event) -> ev.Event:
        """Number and date an event, write it to the log, apply it to the bank, and return it.

        An event that cannot be written (`OSError`) has no effect. One that does not fit the bank (`CorruptLogError`) is
        removed from the log again, which otherwise could not be read.
        """
        self.log.claim()
        numbered = event.model_copy(update={"seq": len(self.log.events) + 1, "at": self.clock.now()})
        self.log.append(numbered, self.bank.apply)
        observe(numbered, self.bank.session_id)
        return numbered

    # -- judgements ------------------------------------------------------------------------------------------

    def judge(self, agent: Agent[Input, Output], key: str, agent_input: Input) -> Generator[ev.Event, None, Output]:
        """An agent's judgement of an input, made once and recorded under `key`; retried once.

        `AgentError` after the second failure; both failures are recorded. `BudgetError` when nothing more may be spent,
        `RunStoppedError` when every further request would fail in the same way.
        """
        (result,) = yield from self.judge_groups(agent, [[(key, agent_input)]])
        if isinstance(result, AgentError):
            raise result
        return result

    def judge_groups(
        self, agent: Agent[Input, Output], groups: Sequence[Sequence[tuple[str, Input]]]
    ) -> Generator[ev.Event, None, list[Output | AgentError]]:
        """Judgements that do not depend on each other, made in parallel if the engine is a server.

        Each is of a key with an input; a model is asked about a group in one request, and fails for all of it. They are
        recorded in their order. A judgement that failed is returned as an `AgentError` in its place.
        """
        failed: dict[str, AgentError] = {}
        keys = [key for group in groups for key, _input in group]
        groups_by_key = {key: number for number, group in enumerate(groups) for key, _input in group}
        missing = [
            {key: value for key, value in group if key not in self.bank.judgements and groups_by_key[key] == number}
            for number, group in enumerate(groups)
        ]
        late: list[ev.Event] = []
        try:
            with closing(self._outcomes(agent, [group for group in missing if group], late)) as outcomes:
                for outcome in outcomes:
                    yield from self._record_outcome(outcome)
                    if outcome.attempted.judgement is None:
                        failed |= dict.fromkeys(outcome.keys, _final(outcome.attempted.failures[-1]))
        except MemoryBankError:
            yield from late  # requests still running at the error: already recorded, yielded like the rest
            raise
        return [
            failed[key] if key in failed else agent.output_type.model_validate(self.bank.judgements[key])
            for key in keys
        ]

    def _outcomes(
        self, agent: Agent[Input, Output], groups: Sequence[Mapping[str, Input]], late: list[ev.Event]
    ) -> Generator[_Outcome[Output], None, None]:
        """The outcomes in order. When the caller stops early, events of running requests go to `late`."""
        engine = self.engines[agent.set_as]
        language = prompt_language(self.bank.insight_doc.task_goal)
        if not engine.remote:
            groups = [{key: value} for group in groups for key, value in group.items()]

        def work() -> Iterator[Callable[[], _Outcome[Output]]]:
            for group in groups:
                if engine.remote:
                    self.budget.check(self.bank.usage)
                yield lambda group=group: self._attempt(engine, agent, group, language)  # type: ignore[misc]

        if engine.remote and len(groups) > 1:
            yield from in_order(
                work(), self.budget.parallel, lambda outcome: late.extend(self._record_outcome(outcome))
            )
        else:
            for attempt_one in work():
                yield attempt_one()

    def _attempt(
        self, engine: Engine, agent: Agent[Input, Output], group: Mapping[str, Input], language: Language
    ) -> _Outcome[Output]:
        """Judge, and retry once if that fails. Touches neither log nor bank: it may run in any thread."""
        started, keys = self.clock.elapsed(), tuple(group)
        with span(agent.name, session=self.bank.session_id, key=keys[0], provider=engine.choice.provider):
            given: Any = group[keys[0]] if len(keys) == 1 else Several(each=tuple(group.values()))
            attempted = attempt(lambda failed: engine.judge(agent, given, language, failed), self.clock.sleep)
        return _Outcome(keys, agent.set_as, engine.choice, attempted, self.clock.elapsed() - started)

    def _record_outcome(self, outcome: _Outcome[Output]) -> list[ev.Event]:
        """Record failures and judgement. All are recorded before any is yielded, so nothing paid for is lost.

        Of judgements made together the first stands for the requests.
        """
        failures, judgement = outcome.attempted.failures, outcome.attempted.judgement
        first, *others = outcome.keys
        events = [
            self._record_failure(
                first, outcome.agent, number, error, again=judgement is not None or number < len(failures)
            )
            for number, error in enumerate(failures, start=1)
        ]
        if judgement is None:
            return events
        outputs = judgement.output.each if others else (judgement.output,)
        made = [
            replace(judgement, output=outputs[0]),
            *(Judgement(output, choice=judgement.choice) for output in outputs[1:]),
        ]
        for key, each in zip(outcome.keys, made, strict=True):
            seconds = outcome.seconds if key == first else 0.0
            events.append(self._record_call(key, outcome.agent, outcome.choice, each, seconds))
        return events

    def _record_failure(self, key: str, agent: str, attempt: int, error: AgentError, *, again: bool) -> ev.Event:
        return self.record(
            ev.AgentFailed(
                key=key,
                agent=agent,
                attempt=attempt,
                error=error.reason,
                again=again,
                said=error.said[:_SAID_CHARACTERS],
                usage=Usage.of(error.calls),
                calls=error.calls,
            )
        )

    def _record_call(
        self, key: str, agent: str, choice: ev.EngineChoice, judgement: Judgement[Output], seconds: float
    ) -> ev.Event:
        usage = judgement.usage if judgement.calls else Usage(seconds=seconds)
        choice = judgement.choice or choice
        return self.record(
            ev.AgentCalled(
                key=key,
                agent=agent,
                provider=choice.provider,
                model=choice.model,
                output=judgement.output.model_dump(mode="json"),
                usage=usage,
                calls=judgement.calls,
                remarks=judgement.remarks,
                reasoning=judgement.reasoning,
            )
        )

    # -- steps -----------------------------------------------------------------------------------------------

    def act(self, framework: Framework, prompt: EnhancedPrompt, tools: Tools) -> Generator[ev.Event, None, StepResult]:
        """A step's result. Each turn is recorded when it is taken, and is never taken twice.

        A failure is retried once, from the last turn. `AgentError` after the second failure in a row; of invalid
        outputs, after the second one in the step.
        """
        task_id = prompt.task.id
        key = f"{REACT}/{task_id}"
        if key in self.bank.judgements:
            return StepResult.model_validate(self.bank.judgements[key])
        failure: AgentError | None = None
        turns = self.bank.turns.get(task_id, ())
        in_a_row = invalid = 0
        while True:
            started, before = self.clock.elapsed(), len(turns)
            try:
                result = yield from self._turns(framework, prompt, tools, failure)
            except AgentError as error:
                turns = self.bank.turns.get(task_id, ())
                in_a_row = 1 if len(turns) > before else in_a_row + 1
                invalid += isinstance(error, InvalidOutputError)
                number = max(in_a_row, invalid) if isinstance(error, InvalidOutputError) else in_a_row
                again = number < ATTEMPTS and error.retried
                yield from [
                    *self._record_tool_outcomes(task_id),
                    self._record_failure(key, REACT, number, error, again=again),
                ]
                if not again:
                    raise _final(error) from None
                failure = error
                self.clock.sleep(error.wait)
            except BaseException:  # recorded, so that it is not paid for twice
                self._record_tool_outcomes(task_id)
                raise
            else:
                seconds = 0.0 if framework.remote else self.clock.elapsed() - started
                judgement = Judgement(result, result.calls, result.remarks)
                from_tools = self._record_tool_outcomes(task_id)
                yield from [*from_tools, self._record_call(key, REACT, framework.choice, judgement, seconds)]
                return result

    def may_ask(self) -> None:
        """`BudgetError` when no tool may ask a model any more; requests that are not recorded yet count too."""
        unrecorded = (call for outcome in self._tool_outcomes for call in outcome.attempted.calls)
        self.budget.check(self.bank.usage + Usage.of(tuple(unrecorded)))

    def note(self, agent: Agent[Any, Any], choice: ev.EngineChoice, attempted: AttemptResult[Any]) -> None:
        """Keep a judgement that a tool asked for, from any thread; it is recorded before the step's next event."""
        self._tool_outcomes.append(_Outcome((agent.name.partition("_")[2],), RESEARCH, choice, attempted))

    def _record_tool_outcomes(self, task_id: str) -> list[ev.Event]:
        """Record the judgements that the tools of a step asked for, in order."""
        events: list[ev.Event] = []
        while self._tool_outcomes:
            outcome = self._tool_outcomes.popleft()
            prefix = f"{RESEARCH}/{task_id}/"
            number = 1 + sum(key.startswith(prefix) for key in self.bank.judgements)
            events += self._record_outcome(replace(outcome, keys=(f"{prefix}{number}/{outcome.keys[0]}",)))
        return events

    def take(self, task_id: str, choice: ev.EngineChoice, result: StepResult) -> None:
        """Record the result of a step done by another framework, after the judgements that its tools asked for."""
        self._record_tool_outcomes(task_id)
        self._record_call(f"{REACT}/{task_id}", REACT, choice, Judgement(result, remarks=result.remarks), 0.0)

    def _turns(
        self, framework: Framework, prompt: EnhancedPrompt, tools: Tools, failure: AgentError | None
    ) -> Generator[ev.Event, None, StepResult]:
        """Let the framework act once, and record its turns. `failure` is how the attempt before ended."""
        task_id = prompt.task.id
        turns = tuple(self.bank.turns.get(task_id, ()))
        if framework.remote:
            self.budget.check(self.bank.usage)
        lost = self.bank.failed_requests[f"{REACT}/{task_id}"]
        number = len(turns)
        steps = Returning(framework.act(prompt, tools, turns, failure, lost))
        for progress in steps:
            if isinstance(progress, StepTurn):
                number += 1
                usage = Usage.of(progress.calls)
                turn = ev.TurnTaken(task_id=task_id, number=number, turn=progress, usage=usage)
                yield from [*self._record_tool_outcomes(task_id), self.record(turn)]
                # A turn without tools is the answer: it is paid for already, so the budget is not checked.
                if framework.remote and any(message.role == "tool" for message in progress.messages):
                    self.budget.check(self.bank.usage)
            elif isinstance(progress, ev.Notice):
                yield self.record(progress)
            else:
                yield self.record(ev.TextStreamed(task_id=task_id, text=progress))
        return steps.result


def _final(error: AgentError) -> AgentError:
    """The failure itself; raises `RunStoppedError` for a refusal that every other request would get too."""
    if isinstance(error, ModelRefusedError):
        raise RunStoppedError(error.reason) from error
    return error


@dataclass
class FallbackEngine:
    """Judges with `first`, in two attempts; if both fail, with `second`, and a remark says why.

    For judgements whose failure must not end a run, and that only a tool waits for: those of research. `account` checks
    the budget and records them, in the thread that judges.
    """

    first: Engine
    second: Engine
    account: Recorder | None = None
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        self.choice, self.remote = self.first.choice, self.first.remote

    def judge(
        self, agent: Agent[Input, Output], given: Input, language: Language = "en", failed: AgentError | None = None
    ) -> Judgement[Output]:
        """The judgement, with the requests of all attempts. `AgentError` only where `second` fails too."""
        del failed
        attempted, reason = AttemptResult[Output](), ""
        try:
            if self.account is not None:
                self.account.may_ask()
        except BudgetError as error:
            reason = Wording("the budget is spent: {reason}", reason=error)
        else:
            attempted = attempt(lambda error: self.first.judge(agent, given, language, error), self.sleep)
        judgement, choice = attempted.judgement, self.first.choice
        if judgement is None:
            reason = reason or attempted.failures[-1].reason
            judgement, choice = self.second.judge(agent, given, language), self.second.choice
            remark = Remark(
                kind="repaired",
                what=Wording("The embedded engine judged instead of the model: {reason}", reason=reason),
            )
            judgement = replace(judgement, remarks=(*judgement.remarks, remark))
        attempted = AttemptResult(attempted.failures, judgement)
        if self.account is not None:
            self.account.note(agent, choice, attempted)
        return Judgement(judgement.output, attempted.calls, judgement.remarks, judgement.reasoning)
