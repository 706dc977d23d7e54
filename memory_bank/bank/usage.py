"""What judgements cost: every request to a model, and the sums of many."""

from __future__ import annotations

from typing import Literal

from memory_bank.bank.value import Value

Retry = Literal["no", "transient", "correction", "parameter"]


class ModelCall(Value):
    """One request to a language model. Tokens are the server's own count; `estimated` where it gives none.

    `retry` says why it was made a second time; `error` what was wrong with its outcome, in words. `cost_usd` is
    None where no price is known.
    """

    provider: str
    model: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False
    milliseconds: int = 0
    cost_usd: float | None = None
    retry: Retry = "no"
    error: str | None = None


class Usage(Value):
    """What judgements cost. `cost_usd` is None where no price is known."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = 0.0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """Prompt and completion together."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def in_words(self) -> str:
        """On one line, for a person."""
        cost = "cost unknown" if self.cost_usd is None else f"${self.cost_usd:.4f}"
        tokens = f"{self.tokens:,} tokens ({self.prompt_tokens:,} in, {self.completion_tokens:,} out)"
        return f"{self.calls} calls, {tokens}, {self.seconds:.1f} s, {cost}"

    @classmethod
    def of(cls, calls: tuple[ModelCall, ...]) -> Usage:
        """The sum of requests; `seconds` is the time they took, one after another."""
        total = cls()
        for call in calls:
            total += cls(
                calls=1,
                prompt_tokens=call.prompt_tokens,
                completion_tokens=call.completion_tokens,
                cost_usd=call.cost_usd,
                seconds=call.milliseconds / 1000,
            )
        return total

    def __add__(self, other: Usage) -> Usage:
        known = self.cost_usd is not None and other.cost_usd is not None
        return Usage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost_usd=(self.cost_usd or 0.0) + (other.cost_usd or 0.0) if known else None,
            seconds=self.seconds + other.seconds,
        )


class Remark(Value):
    """What code did to a judgement: input that did not fit, output that was not to be trusted."""

    kind: Literal["left_out", "shortened", "dropped", "repaired"]
    what: str
