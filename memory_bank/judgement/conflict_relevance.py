"""Select the conflicts that are relevant to a task, by similarity of meaning."""

from __future__ import annotations

from collections.abc import Sequence

from memory_bank.bank.conflict import Conflict
from memory_bank.search.embedding import MULTILINGUAL_MODEL, Embedder, load_embedder
from memory_bank.search.relevance import cannot_be_embedded
from memory_bank.text.tokens import tokenize

SIMILAR = 0.45
"""Cosine of task and disputed claim from which the conflict is relevant without further conditions."""
SOMEWHAT = 0.25
"""Cosine from which it is relevant if task and claims also share a third of the task's words."""

ABOUT_CONFLICTS = 0.5
"""Cosine of a task and an example from which it may ask for the contradictions themselves. Of the 840 English and
Chinese tasks of the training corpus two are judged to ask for them, and both do."""
_ASKING_FOR_CONFLICTS = (
    "Which statements in the documents contradict each other?",
    "Find the contradictions between the documents.",
    "Where do the sources disagree?",
    "Are there conflicts between these files?",
    "List all inconsistencies and discrepancies.",
    "哪些说法互相矛盾？",
    "找出文件之间的矛盾和不一致之处。",
)
_ASKING_FOR_OTHER_THINGS = (
    "What are these documents about?",
    "Summarise the documents.",
    "Compare the two documents.",
    "What do the sources say?",
    "What do the sources agree on?",
    "List what the documents mention.",
    "这些文件讲了什么？",
    "总结这些文件。",
    "比较这两份文件。",
)


def asks_for_conflicts(task: str, embedder: Embedder) -> bool:
    """Whether the task is to name what contradicts, whatever it is about."""
    reading = load_embedder(MULTILINGUAL_MODEL) if cannot_be_embedded(task, embedder) else embedder
    vectors = reading.embed([task, *_ASKING_FOR_CONFLICTS, *_ASKING_FOR_OTHER_THINGS])
    cosines = vectors[1:] @ vectors[0]
    nearest, other = cosines[: len(_ASKING_FOR_CONFLICTS)].max(), cosines[len(_ASKING_FOR_CONFLICTS) :].max()
    return bool(nearest >= ABOUT_CONFLICTS and nearest > other)


def conflicts_on_goal(goal: str, conflicts: Sequence[Conflict], embedder: Embedder) -> list[Conflict]:
    """The conflicts that bear on a session's goal: those of which a model said so, then the most relevant of others."""
    unjudged = [conflict for conflict in conflicts if conflict.bears is None]
    return [*(conflict for conflict in conflicts if conflict.bears), *relevant_conflicts(goal, unjudged, embedder)]


def relevant_conflicts(task: str, conflicts: Sequence[Conflict], embedder: Embedder) -> list[Conflict]:
    """The conflicts that are relevant to the task, most relevant first."""
    if not conflicts:
        return []
    texts = [claim.text for conflict in conflicts for claim in conflict.claims]
    vectors = embedder.embed([task, *texts])
    cosines = vectors[1:] @ vectors[0]
    task_words = set(tokenize(task))
    scored = []
    for index, conflict in enumerate(conflicts):
        similarity = float(cosines[2 * index : 2 * index + 2].max())
        words = {word for claim in conflict.claims for word in tokenize(claim.text)}
        shared = len(task_words & words) / max(len(task_words), 1)
        if similarity >= SIMILAR or (similarity >= SOMEWHAT and shared >= 1 / 3):
            scored.append((similarity + shared, -index, conflict))
    return [conflict for _, _, conflict in sorted(scored, key=lambda item: item[:2], reverse=True)]
