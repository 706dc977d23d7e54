"""`bench`, long-term memory: what it adds to the start of a task, in a file of Milvus Lite (issue "a session").

Twenty users have 10,000 facts each; one of them has 100 episodes too. The facts are in fives that are near each other,
and each query is near one of the fives, so that all of what a recall does has to be done. Vectors are made up: no model
is measured here, and a query costs nothing to embed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory_bank.evaluation.figures import Figure
from memory_bank.evaluation.timing import Pairs, by_turns, seconds, yardstick
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.milvus import MilvusStore
from memory_bank.long_term.milvus_connection import DEADLINE
from memory_bank.long_term.record import FACT_TYPES, Episode, Fact, Scope
from memory_bank.long_term.store import Embedded

_DIMENSION = 384
_USERS, _FACTS, _EPISODES, _QUERIES = 20, 10_000, 100, 100
_ALIKE = 5
_ROUNDS = 5
_MODEL = "made up"
_K = 15
_THEN = datetime(2024, 1, 1, tzinfo=UTC)
_ONE = Scope(user="user 0")


def long_term_figures(scale: float = 1.0) -> list[Figure]:
    """What a recall takes for one user among twenty, against an exact search over that user's facts."""
    with tempfile.TemporaryDirectory() as folder:
        uri = str(Path(folder) / "memory.db")
        asked = _fill(uri, round(_FACTS * scale))
        opening = by_turns(partial(_open, uri), lambda: yardstick(10), _ROUNDS)
        with closing(MilvusStore(uri, _MODEL, deadline=60)) as store:
            memory = LongTermMemory(store, lambda: asked)
            rounds = [_timed(memory, asked) for _ in range(_ROUNDS)]
            found = _found(store, asked)
    half, most = (
        Pairs.of(((np.percentile(ours, percent), np.median(exact)) for ours, exact in rounds), 1e3)
        for percent in (50, 95)
    )
    whose = f"of one user with {len(asked.facts):,} facts among {_USERS * len(asked.facts):,}"
    return [
        Figure.below(f"recall {whose}, p50, against exact search", "ms", half, 50),
        Figure.below(f"recall {whose}, p95, against exact search's p50", "ms", most, 100),
        Figure.least("of what the exact search finds, the store finds", "of 1", found, 0.99),
        Figure.below(
            f"opening the memory of {_USERS * len(asked.facts):,} facts, against fixed work", "s", opening, DEADLINE
        ),
    ]


def _open(uri: str) -> None:
    with closing(MilvusStore(uri, _MODEL, deadline=60)) as store:
        store.count(Scope(user="nobody"))


@dataclass(frozen=True, eq=False)
class _Asked:
    """One user's vectors of facts, and an embedder that knows the queries' vectors: a query's text is its number."""

    facts: NDArray[np.float32]
    queries: NDArray[np.float32]
    name: str = _MODEL
    dimension: int = _DIMENSION
    max_tokens: int = 256

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors that are there already."""
        return self.queries[[int(text) for text in texts]]

    def count_tokens(self, text: str) -> int:
        """A word is one."""
        return len(text.split())


def _fill(uri: str, count: int) -> _Asked:
    """Keep the users' records, and return what the first of them is asked."""
    chance = np.random.default_rng(20240103)
    with closing(MilvusStore(uri, _MODEL, deadline=60)) as store:
        for number in reversed(range(_USERS)):
            topics = _unit(chance.standard_normal((count // _ALIKE, _DIMENSION)))
            facts = _near(chance, np.repeat(topics, _ALIKE, axis=0))
            user = f"user {number}"
            store.add(user, [Embedded(_fact(user, place), vector) for place, vector in enumerate(facts)])
        episodes = _near(chance, topics[:_EPISODES])
        store.add(_ONE.user, [Embedded(_episode(place), vector) for place, vector in enumerate(episodes)])
    return _Asked(facts, _near(chance, topics[:_QUERIES]))


def _timed(memory: LongTermMemory, asked: _Asked) -> tuple[list[float], list[float]]:
    """Seconds of each recall, and of the products with all the user's vectors and their order, by turns."""
    ours, exact = list[float](), list[float]()
    for number, query in enumerate(asked.queries):
        ours.append(seconds(partial(memory.recall, _ONE, str(number))))
        exact.append(seconds(partial(_best, asked, query)))
    return ours, exact


def _found(store: MilvusStore, asked: _Asked) -> float:
    """The share of the exact search's best that the store has among its own."""
    shares = []
    for query in asked.queries:
        hits = {hit.record.content for hit in store.search(_ONE, query, FACT_TYPES, _K)}
        best = {_fact(_ONE.user, int(place)).content for place in _best(asked, query)}
        shares.append(len(hits & best) / len(best))
    return float(np.mean(shares))


def _best(asked: _Asked, query: NDArray[np.float32]) -> NDArray[np.intp]:
    """The places of the facts nearest to a query, nearest first."""
    return np.argsort(-(asked.facts @ query))[:_K]


def _fact(user: str, place: int) -> Fact:
    return Fact(user_id=user, content=f"Fact {place} of this person is about one thing.", created=_THEN, updated=_THEN)


def _episode(place: int) -> Episode:
    return Episode(user_id=_ONE.user, goal=f"Task {place}", outcome="done", created=_THEN, updated=_THEN)


def _near(chance: np.random.Generator, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Vectors with a cosine of about 0.9 to the given ones; two of one have about 0.8."""
    return _unit(vectors + 0.5 * _unit(chance.standard_normal(vectors.shape)))


def _unit(vectors: NDArray[np.float64] | NDArray[np.float32]) -> NDArray[np.float32]:
    unit: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit
