"""How much is kept, for how long, and what is good enough to be recalled: the defaults of section 5."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory_bank.long_term.store import AnyRecord, Hit


@dataclass(frozen=True)
class Policy:
    """Every number is of one thing: the similarities are cosines, and mean nothing for other scores.

    They hold for both models that come with this program, which spread alike: on the pairs of
    `tests/long_term/test_policy.py`, of what has nothing in common nothing reaches `fact_threshold` or, of 1,700 pairs,
    more than five `compared`; of what is near and another thing nothing reaches `same`. (MiniLM: of English alone.)

    A fact with every telling word of a query ("Where do I live?", "I live in Lyon") is recalled from `worded_threshold`
    on. `same` and more is one fact told again. Among what is recalled, `near_duplicate` and more is the same thing
    twice. From `compared` on, two facts are held against each other for a contradiction. `half_life` is the age at
    which a record counts half of what age can take away, which is `decay` of its rank.
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

    def rank(self, hit: Hit, now: datetime) -> float:
        """The similarity, less up to a share of it with age."""
        age = max(now - hit.record.updated, timedelta(0))
        halvings: float = age / self.half_life
        return hit.similarity * (1 - self.decay * (1 - math.pow(0.5, halvings)))

    def is_over(self, record: AnyRecord, now: datetime) -> bool:
        """Whether a record has expired."""
        return record.expires is not None and record.expires <= now

    def is_unused(self, record: AnyRecord, now: datetime) -> bool:
        """Whether a record of little importance was never recalled for long."""
        idle = now - record.updated >= self.idle_for
        return idle and record.access_count == 0 and record.importance < self.unimportant
