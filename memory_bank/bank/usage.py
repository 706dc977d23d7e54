"""The cost of judgements: single model requests, and their totals."""

from __future__ import annotations

from typing import Literal

from memory_bank.bank.value import Value, Worded, WordedText

Retry = Literal["no", "transient", "correction", "parameter"]


class ModelCall(Value):
    """One request to a language model. The server counts the tokens; `estimated` says that it did not.

    `cached_tokens` are those of the prompt that the server had read before, 0 where it does not say.
    `retry` is why the request was repeated; `error` describes what was wrong with its result. `cost_usd` is None if
    the price is unknown.
    """

    provider: str
    model: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    estimated: bool = False
    milliseconds: int = 0
    cost_usd: float | None = None
    retry: Retry = "no"
    error: str | None = None


class Usage(Value):
    """The total cost of several requests. `cost_usd` is None if the price of any of them is unknown."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = 0.0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def in_words(self) -> str:
        """The totals on one line, for a person."""
        cost = "cost unknown" if self.cost_usd is None else f"${self.cost_usd:.4f}"
        tokens = f"{self.tokens:,} tokens ({self.prompt_tokens:,} in, {self.completion_tokens:,} out)"
        return f"{self.calls} calls, {tokens}, {self.seconds:.1f} s, {cost}"

    @classmethod
    def of(cls, calls: tuple[ModelCall, ...]) -> Usage:
        """The total of some requests; `seconds` is the sum of their durations."""
        total = cls()
        for call in calls:
            total += cls(
                calls=1,
                prompt_tokens=call.prompt_tokens,
                completion_tokens=call.completion_tokens,
                cached_tokens=call.cached_tokens,
                cost_usd=call.cost_usd,
                seconds=call.milliseconds / 1000,
            )
        return total

    def __add__(self, other: Usage) -> Usage:
        priced = self.cost_usd is not None and other.cost_usd is not None
        return Usage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            cost_usd=(self.cost_usd or 0.0) + (other.cost_usd or 0.0) if priced else None,
            seconds=self.seconds + other.seconds,
        )


class Remark(Worded):
    """A change that code made to a judgement: input left out or shortened, output dropped or repaired."""

    kind: Literal["left_out", "shortened", "dropped", "repaired"]
    what: WordedText
