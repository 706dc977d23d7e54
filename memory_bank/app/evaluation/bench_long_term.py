"""`bench`, part `long-term`: time of a recall at the start of a task, from a Milvus Lite file (issue "a session").

Twenty users have 10,000 facts each; one of them also has 100 episodes. The facts are in groups of five similar ones,
and each query is similar to one group, so that a recall goes through all of its steps. The vectors are random: no model
is measured here, and embedding a query costs nothing.
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

from memory_bank.app.evaluation.figures import Figure, Pairs, near, seconds, time_alternating, unit, yardstick
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.milvus import MilvusStore
from memory_bank.long_term.milvus_connection import DEADLINE
from memory_bank.long_term.record import Episode, Fact, Scope
from memory_bank.long_term.store import EmbeddedRecord

_DIMENSION = 384
_USERS, _FACTS, _EPISODES, _QUERIES = 20, 10_000, 100, 100
_GROUP_SIZE = 5
_ROUNDS = 5
_MODEL = "made up"
_K = 15
_CREATED = datetime(2024, 1, 1, tzinfo=UTC)
_FIRST_USER = Scope(user="user 0")


def long_term_figures(scale: float = 1.0) -> list[Figure]:
    """Time of a recall for one user among twenty, against an exact search over that user's facts."""
    with tempfile.TemporaryDirectory() as folder:
        uri = str(Path(folder) / "memory.db")
        vectors = _fill(uri, round(_FACTS * scale))
        opening = time_alternating(partial(_open, uri), lambda: yardstick(10), _ROUNDS)
        with closing(MilvusStore(uri, _MODEL, deadline=60)) as store:
            memory = LongTermMemory(store, lambda: vectors)
            rounds = [_recall_times(memory, vectors) for _ in range(_ROUNDS)]
    median, p95 = (
        Pairs.of(((np.percentile(ours, percent), np.median(exact)) for ours, exact in rounds), 1e3)
        for percent in (50, 95)
    )
    facts = f"{_USERS * len(vectors.facts):,} facts"
    recall = f"recall of one user with {len(vectors.facts):,} among {facts}"
    return [
        Figure.of(f"{recall}, p50, against exact search", "ms", median, ("most", 50)),
        Figure.of(f"{recall}, p95, against exact search's p50", "ms", p95, ("most", 100)),
        Figure.of(f"opening the memory of {facts}, against fixed work", "s", opening, ("most", DEADLINE)),
    ]


def _open(uri: str) -> None:
    with closing(MilvusStore(uri, _MODEL, deadline=60)) as store:
        store.count(Scope(user="nobody"))


@dataclass(eq=False)
class _FixedVectors:
    """The vectors of one user's facts, and an embedder that looks up query vectors: a query's text is its number."""

    facts: NDArray[np.float32]
    queries: NDArray[np.float32]
    name: str = _MODEL
    dimension: int = _DIMENSION
    max_tokens: int = 256

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Look up the vectors of queries."""
        return self.queries[[int(text) for text in texts]]

    def count_tokens(self, text: str) -> int:
        """Count words."""
        return len(text.split())


def _fill(uri: str, count: int) -> _FixedVectors:
    """Store the records of all users; returns the vectors of the first user's facts and queries."""
    rng = np.random.default_rng(20240103)
    with closing(MilvusStore(uri, _MODEL, deadline=60)) as store:
        for user_number in reversed(range(_USERS)):
            topics = unit(rng.standard_normal((count // _GROUP_SIZE, _DIMENSION)))
            facts = near(rng, np.repeat(topics, _GROUP_SIZE, axis=0))
            user = f"user {user_number}"
            store.add(user, [EmbeddedRecord(_fact(user, number), vector) for number, vector in enumerate(facts)])
        episodes = near(rng, topics[:_EPISODES])
        store.add(
            _FIRST_USER.user, [EmbeddedRecord(_episode(number), vector) for number, vector in enumerate(episodes)]
        )
    return _FixedVectors(facts, near(rng, topics[:_QUERIES]))


def _recall_times(memory: LongTermMemory, vectors: _FixedVectors) -> tuple[list[float], list[float]]:
    """Seconds of each recall and of an exact search for the same query, alternating."""
    ours, exact = list[float](), list[float]()
    for number, query in enumerate(vectors.queries):
        ours.append(seconds(partial(memory.recall, _FIRST_USER, str(number))))
        exact.append(seconds(partial(_exact_search, vectors, query)))
    return ours, exact


def _exact_search(vectors: _FixedVectors, query: NDArray[np.float32]) -> NDArray[np.intp]:
    """The numbers of the facts nearest to a query, nearest first."""
    return np.argsort(-(vectors.facts @ query))[:_K]


def _fact(user: str, number: int) -> Fact:
    return Fact(
        user_id=user, content=f"Fact {number} of this person is about one thing.", created=_CREATED, updated=_CREATED
    )


def _episode(number: int) -> Episode:
    return Episode(user_id=_FIRST_USER.user, goal=f"Task {number}", outcome="done", created=_CREATED, updated=_CREATED)
