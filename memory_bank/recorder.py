"""The one way in: records events in log and bank alike, and has judgements made, each at most once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, Generic

from memory_bank.agents.agent import Agent, Engine, Input, Judgement, Language, Output, language_of
from memory_bank.agents.attempt import ATTEMPTS, Attempted, attempt
from memory_bank.agents.react import REACT, EnhancedPrompt, Framework, StepResult, Tools
from memory_bank.agents.research import RESEARCH
from memory_bank.bank.bank import Bank
from memory_bank.bank.event_log import EventLog
from memory_bank.bank.message import Turn
from memory_bank.bank.usage import Usage
from memory_bank.clock import Clock
from memory_bank.errors import (
    AgentError,
    BudgetError,
    InvalidOutputError,
    MemoryBankError,
    ModelRefusedError,
    RunStoppedError,
)
from memory_bank.events import AgentCalled, AgentFailed, EngineChoice, Event, Notice, TextStreamed, TurnTaken
from memory_bank.modules.parallel import in_order
from memory_bank.modules.returning import Returning
from memory_bank.observability import observe, span

_SAID_CHARACTERS = 4_000


@dataclass(frozen=True)
class Budget:
    """What a session may spend on models, and how many requests may wait at a time. None: no limit."""

    tokens: int | None = None
    cost_usd: float | None = None
    parallel: int = 4

    def check(self, spent: Usage) -> None:
        """`BudgetError` once it is spent."""
        if self.tokens is not None and spent.tokens >= self.tokens:
            raise BudgetError(f"{spent.tokens:,} of {self.tokens:,} tokens are spent (MAX_TOTAL_TOKENS)")
        if self.cost_usd is not None and spent.cost_usd is None:
            raise BudgetError(
                f"only {self.cost_usd:.4f} USD may be spent (MAX_COST_USD), and the price of a model that was asked is "
                "not known; set MAX_TOTAL_TOKENS instead"
            )
        if self.cost_usd is not None and (spent.cost_usd or 0.0) >= self.cost_usd:
            raise BudgetError(f"{spent.cost_usd:.4f} of {self.cost_usd:.4f} USD are spent (MAX_COST_USD)")


@dataclass(frozen=True)
class _Outcome(Generic[Output]):
    """How the attempts at one judgement ended, and who made it."""

    key: str
    agent: str
    choice: EngineChoice
    attempted: Attempted[Output]
    seconds: float = 0.0


@dataclass(frozen=True)
class Beside(Generic[Output]):
    """A judgement that is being made while the run goes on."""

    outcome: Future[_Outcome[Output]]

    @property
    def done(self) -> bool:
        """Whether it can be recorded without waiting."""
        return self.outcome.done()


@dataclass
class Recorder:
    """A session's log and the bank it adds up to, kept in step."""

    log: EventLog
    clock: Clock
    engines: Mapping[str, Engine]
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        self.bank = Bank.replay(self.log.events)
        self._noted: deque[_Outcome[Any]] = deque()

    def record(self, event: Event) -> Event:
        """Give an event its place and time, write it, let it take effect, and hand it on.

        One that cannot be written (`OSError`) has no effect. One that does not fit (`CorruptLogError`) does not stay in
        the log, which could not be read with it.
        """
        self.log.claim()
        numbered = event.model_copy(update={"seq": len(self.log.events) + 1, "at": self.clock.now()})
        self.log.append(numbered, self.bank.apply)
        observe(numbered, self.bank.session_id)
        return numbered

    # -- judgements ------------------------------------------------------------------------------------------

    def judge(self, agent: Agent[Input, Output], key: str, given: Input) -> Generator[Event, None, Output]:
        """An agent's judgement of `given`, made once and recorded under `key`; retried once.

        `AgentError` after the second failure; both failures are recorded. `BudgetError` when nothing may be spent,
        `RunStoppedError` when trying again makes no sense.
        """
        results = yield from self.judge_all(agent, [(key, given)])
        result = results[0]
        if isinstance(result, AgentError):
            raise result
        return result

    def judge_all(
        self, agent: Agent[Input, Output], asked: Sequence[tuple[str, Input]]
    ) -> Generator[Event, None, list[Output | AgentError]]:
        """Judgements that do not depend on each other, side by side where they wait for a server.

        They are recorded in the order in which they were asked for. One that failed is an `AgentError` in its place.
        """
        failed: dict[str, AgentError] = {}
        missing = [(key, given) for key, given in dict(asked).items() if key not in self.bank.judgements]
        late: list[Event] = []
        try:
            with closing(self._outcomes(agent, missing, late)) as outcomes:
                for outcome in outcomes:
                    yield from self._settle(outcome)
                    if outcome.attempted.judgement is None:
                        failed[outcome.key] = _final(outcome.attempted.failures[-1])
        except MemoryBankError:
            yield from late  # what was still out when this came up: recorded, and handed on like the rest
            raise
        return [
            failed[key] if key in failed else agent.output_type.model_validate(self.bank.judgements[key])
            for key, _given in asked
        ]

    def beside(self, agent: Agent[Input, Output], key: str, given: Input) -> Beside[Output]:
        """Have a judgement made beside the run, in a thread of its own; `settle` records it.

        `BudgetError` when nothing may be spent.
        """
        engine = self.engines[agent.set_as]
        self.budget.check(self.bank.usage)
        language = language_of(self.bank.insight_doc.task_goal)
        pool = ThreadPoolExecutor(1, thread_name_prefix="beside")
        outcome = pool.submit(self._attempt, engine, agent, key, given, language)
        pool.shutdown(wait=False)
        return Beside(outcome)

    def settle(self, beside: Beside[Output]) -> Generator[Event, None, Output]:
        """Wait for a judgement made beside the run, and record it. `AgentError` after the second failure."""
        outcome = beside.outcome.result()
        yield from self._settle(outcome)
        if outcome.attempted.judgement is None:
            raise _final(outcome.attempted.failures[-1])
        return outcome.attempted.judgement.output

    def _outcomes(
        self, agent: Agent[Input, Output], asked: Sequence[tuple[str, Input]], late: list[Event]
    ) -> Generator[_Outcome[Output], None, None]:
        engine = self.engines[agent.set_as]
        language = language_of(self.bank.insight_doc.task_goal)

        def work() -> Iterator[Callable[[], _Outcome[Output]]]:
            for key, given in asked:
                if engine.remote:
                    self.budget.check(self.bank.usage)
                yield lambda key=key, given=given: self._attempt(engine, agent, key, given, language)  # type: ignore[misc]

        if engine.remote and len(asked) > 1:
            yield from in_order(work(), self.budget.parallel, lambda outcome: late.extend(self._settle(outcome)))
        else:
            for piece in work():
                yield piece()

    def _attempt(
        self, engine: Engine, agent: Agent[Input, Output], key: str, given: Input, language: Language
    ) -> _Outcome[Output]:
        """Judge, and once more if that fails. Touches neither log nor bank: it may run in any thread."""
        started = self.clock.elapsed()
        with span(agent.name, session=self.bank.session_id, key=key, provider=engine.choice.provider):
            attempted = attempt(engine, agent, given, language, self.clock.sleep)
        return _Outcome(key, agent.set_as, engine.choice, attempted, self.clock.elapsed() - started)

    def _settle(self, outcome: _Outcome[Output]) -> list[Event]:
        """Record an outcome, all of it before any of it is handed on: who stops listening has what was paid for."""
        failures, judgement = outcome.attempted.failures, outcome.attempted.judgement
        events = [
            self._record_failure(
                outcome.key, outcome.agent, number, error, again=judgement is not None or number < len(failures)
            )
            for number, error in enumerate(failures, start=1)
        ]
        if judgement is not None:
            events.append(self._record_call(outcome.key, outcome.agent, outcome.choice, judgement, outcome.seconds))
        return events

    def _record_failure(self, key: str, agent: str, attempt: int, error: AgentError, *, again: bool) -> Event:
        return self.record(
            AgentFailed(
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
        self, key: str, agent: str, choice: EngineChoice, judgement: Judgement[Output], seconds: float
    ) -> Event:
        usage = judgement.usage if judgement.calls else Usage(seconds=seconds)
        return self.record(
            AgentCalled(
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

    def act(self, framework: Framework, prompt: EnhancedPrompt, tools: Tools) -> Generator[Event, None, StepResult]:
        """A step's result: each turn is recorded when it is taken, and a turn is never taken twice.

        A failure is retried once, from the last turn; `AgentError` after the second one on end. What a model said
        wrong counts however many turns lie between.
        """
        task_id = prompt.task.id
        key = f"{REACT}/{task_id}"
        if key in self.bank.judgements:
            return StepResult.model_validate(self.bank.judgements[key])
        failed: AgentError | None = None
        turns = self.bank.turns.get(task_id, ())
        in_a_row = wrong = 0
        while True:
            started, before = self.clock.elapsed(), len(turns)
            try:
                result = yield from self._turns(framework, prompt, tools, failed)
            except AgentError as error:
                turns = self.bank.turns.get(task_id, ())
                in_a_row = 1 if len(turns) > before else in_a_row + 1
                wrong += isinstance(error, InvalidOutputError)
                number = max(in_a_row, wrong) if isinstance(error, InvalidOutputError) else in_a_row
                again = number < ATTEMPTS and error.retried
                yield from [*self._settle_noted(task_id), self._record_failure(key, REACT, number, error, again=again)]
                if not again:
                    raise _final(error) from None
                failed = error
                self.clock.sleep(error.wait)
            except BaseException:  # what was paid for is not paid for twice
                self._settle_noted(task_id)
                raise
            else:
                seconds = 0.0 if framework.remote else self.clock.elapsed() - started
                judgement = Judgement(result, remarks=result.remarks)
                noted = self._settle_noted(task_id)
                yield from [*noted, self._record_call(key, REACT, framework.choice, judgement, seconds)]
                return result

    def may_ask(self) -> None:
        """`BudgetError` when no tool may ask a model any more, for what is spent and for what is noted."""
        noted = (call for outcome in self._noted for call in outcome.attempted.calls)
        self.budget.check(self.bank.usage + Usage.of(tuple(noted)))

    def note(self, agent: Agent[Any, Any], choice: EngineChoice, attempted: Attempted[Any]) -> None:
        """Take note of what a tool had judged, from its thread: it is recorded before the step's next event."""
        self._noted.append(_Outcome(agent.name.partition("_")[2], RESEARCH, choice, attempted))

    def _settle_noted(self, task_id: str) -> list[Event]:
        """Record what the tools of a step had judged, in order, as any other judgement."""
        events: list[Event] = []
        while self._noted:
            outcome = self._noted.popleft()
            prefix = f"{RESEARCH}/{task_id}/"
            number = 1 + sum(key.startswith(prefix) for key in self.bank.judgements)
            events += self._settle(replace(outcome, key=f"{prefix}{number}/{outcome.key}"))
        return events

    def take(self, task_id: str, choice: EngineChoice, result: StepResult) -> None:
        """Record a step that was taken elsewhere, after what the bank's tools had judged for it."""
        self._settle_noted(task_id)
        self._record_call(f"{REACT}/{task_id}", REACT, choice, Judgement(result, remarks=result.remarks), 0.0)

    def _turns(
        self, framework: Framework, prompt: EnhancedPrompt, tools: Tools, failed: AgentError | None
    ) -> Generator[Event, None, StepResult]:
        task_id = prompt.task.id
        turns = tuple(self.bank.turns.get(task_id, ()))
        if framework.remote:
            self.budget.check(self.bank.usage)
        lost = self.bank.failed_requests[f"{REACT}/{task_id}"]
        number = len(turns)
        steps = Returning(framework.act(prompt, tools, turns, failed, lost))
        for progress in steps:
            if isinstance(progress, Turn):
                number += 1
                usage = Usage.of(progress.calls)
                turn = TurnTaken(task_id=task_id, number=number, turn=progress, usage=usage)
                yield from [*self._settle_noted(task_id), self.record(turn)]
                # A turn without tools is the answer: it is paid for, and taken.
                if framework.remote and any(message.role == "tool" for message in progress.messages):
                    self.budget.check(self.bank.usage)
            elif isinstance(progress, Notice):
                yield self.record(progress)
            else:
                yield self.record(TextStreamed(task_id=task_id, text=progress))
        return steps.result


def _final(error: AgentError) -> AgentError:
    """A failure that the run can live with, as it is; `RunStoppedError` for one that all others would repeat."""
    if isinstance(error, ModelRefusedError):
        raise RunStoppedError(error.reason) from error
    return error
