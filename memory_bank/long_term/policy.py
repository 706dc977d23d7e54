"""Limits, lifetimes and recall thresholds of long-term memory: the defaults of section 5; what it refuses to keep."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory_bank.bank.errors import UsageError
from memory_bank.judgement.utterances.prompt_injection import is_prompt_injection
from memory_bank.judgement.utterances.secret_detection import holds_secret
from memory_bank.long_term.store import AnyRecord, FoundRecord


@dataclass(frozen=True)
class Policy:
    """Limits and thresholds. The similarities are cosines, and mean nothing for other scores.

    They hold for both bundled models, whose similarities are distributed alike. On the pairs of
    `tests/long_term/test_policy.py`, no unrelated pair reaches `fact_threshold`, and of 1,700 at most five reach
    `compared`; no pair that is close but says another thing reaches `same`. (MiniLM: for English only.)

    `worded_threshold` applies instead of `fact_threshold` to a fact that has every content word of the query ("Where do
    I live?", "I live in Lyon"). From `same` on, two facts are one fact told again. From `near_duplicate` on, two
    recalled records count as one. From `compared` on, two facts are checked for a contradiction. `half_life` is the age
    at which a record has lost half of what age can take away, which is the share `decay` of its rank.
    """

    facts_k: int = 5
    fact_threshold: float = 0.6
    worded_threshold: float = 0.5
    episodes_k: int = 3
    episode_threshold: float = 0.4
    same: float = 0.9
    near_duplicate: float = 0.95
    compared: float = 0.5
    compared_k: int = 20
    half_life: timedelta = timedelta(days=180)
    decay: float = 0.2
    recalled_tokens: int = 1_000
    quota: int = 10_000
    kept_for: timedelta | None = None
    idle_for: timedelta = timedelta(days=90)
    unimportant: float = 0.3

    def rank(self, hit: FoundRecord, now: datetime) -> float:
        """The similarity of a hit, reduced with age by up to the share `decay`."""
        age = max(now - hit.record.updated, timedelta(0))
        halvings: float = age / self.half_life
        return hit.similarity * (1 - self.decay * (1 - math.pow(0.5, halvings)))

    def is_over(self, record: AnyRecord, now: datetime) -> bool:
        """Whether a record has expired."""
        return record.expires is not None and record.expires <= now

    def is_unused(self, record: AnyRecord, now: datetime) -> bool:
        """Whether a record of little importance was never recalled and not updated for `idle_for`."""
        idle = now - record.updated >= self.idle_for
        return idle and record.access_count == 0 and record.importance < self.unimportant


def check_storable(*texts: str) -> None:
    """Raise `UsageError` for texts that an agent must not store; a document may have asked it to."""
    if any(holds_secret(text) or is_prompt_injection(text) for text in texts):
        raise UsageError("this is not kept: it tells a secret, or how an assistant is to behave")
