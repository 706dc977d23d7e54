"""The one way in: records events in log and bank alike, and has judgements made, each at most once."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping

from memory_bank.agents.agent import Agent, Engine, Input, Output
from memory_bank.bank.bank import Bank
from memory_bank.bank.event_log import EventLog
from memory_bank.clock import Clock
from memory_bank.errors import AgentError
from memory_bank.events import AgentCalled, AgentFailed, EngineChoice, Event, Usage

ATTEMPTS = 2


class Recorder:
    """A session's log and the bank it adds up to, kept in step."""

    def __init__(self, log: EventLog, clock: Clock, engines: Mapping[str, Engine]) -> None:
        self.log = log
        self.clock = clock
        self.bank = Bank.replay(log.events)
        self._engines = engines

    def record(self, event: Event) -> Event:
        """Give an event its place and time, let it take effect, write it, and hand it on.

        An event that does not fit (`CorruptLogError`) never reaches the log, which could not be read with it.
        """
        self.log.claim()
        numbered = event.model_copy(update={"seq": len(self.log.events) + 1, "at": self.clock.now()})
        self.bank.apply(numbered)
        self.log.append(numbered)
        return numbered

    def judge(self, agent: Agent[Input, Output], key: str, given: Input) -> Generator[Event, None, Output]:
        """An agent's judgement of `given`; see `call`."""
        engine = self._engines[agent.name]
        return (
            yield from self.call(agent.name, key, agent.output_type, engine.choice, lambda: engine.judge(agent, given))
        )

    def call(
        self,
        agent: str,
        key: str,
        output_type: type[Output],
        choice: EngineChoice,
        make: Callable[[], tuple[Output, Usage]],
    ) -> Generator[Event, None, Output]:
        """The judgement recorded under `key`, or else what `make` brings, recorded; retried once.

        `AgentError` after the second failure; both failures are recorded.
        """
        if key in self.bank.judgements:
            return output_type.model_validate(self.bank.judgements[key])
        for attempt in range(1, ATTEMPTS + 1):
            started = self.clock.elapsed()
            try:
                output, usage = make()
            except AgentError as error:
                yield self.record(AgentFailed(key=key, agent=agent, attempt=attempt, error=error.reason))
                continue
            seconds = self.clock.elapsed() - started
            yield self.record(
                AgentCalled(
                    key=key,
                    agent=agent,
                    provider=choice.provider,
                    model=choice.model,
                    output=output.model_dump(mode="json"),
                    usage=usage.model_copy(update={"seconds": seconds}),
                )
            )
            return output
        raise AgentError(agent, f"failed {ATTEMPTS} times; see the events before this one")
