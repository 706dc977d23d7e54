"""Which conflicts bear on a task: by the likeness of what is disputed to what is asked."""

from __future__ import annotations

from collections.abc import Sequence

from memory_bank.bank.conflict import Conflict
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.tokens import tokenize

SIMILAR = 0.45
"""Cosine of task and disputed claim from which the conflict bears on the task by itself."""
SOMEWHAT = 0.25
"""Cosine from which it does so when task and claim also share a third of the task's words."""


def bearing_on(task: str, conflicts: Sequence[Conflict], embedder: Embedder) -> list[Conflict]:
    """Those of `conflicts` that bear on the task, the closest first."""
    if not conflicts:
        return []
    texts = [claim.text for conflict in conflicts for claim in conflict.claims]
    vectors = embedder.embed([task, *texts])
    cosines = vectors[1:] @ vectors[0]
    asked = set(tokenize(task))
    scored = []
    for index, conflict in enumerate(conflicts):
        likeness = float(max(cosines[2 * index], cosines[2 * index + 1]))
        words = {word for claim in conflict.claims for word in tokenize(claim.text)}
        shared = len(asked & words) / max(len(asked), 1)
        if likeness >= SIMILAR or (likeness >= SOMEWHAT and shared >= 1 / 3):
            scored.append((likeness + shared, -index, conflict))
    return [conflict for _, _, conflict in sorted(scored, key=lambda item: item[:2], reverse=True)]
