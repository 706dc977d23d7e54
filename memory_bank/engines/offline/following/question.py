"""A question of a conversation, in either language: whether it stands alone, and how it reads when it does.

By rules alone, so that the same conversation gives the same question each time.
"""

from __future__ import annotations

from collections.abc import Sequence

from memory_bank.agents.remember import PastTask
from memory_bank.engines.offline.following import chinese, english
from memory_bank.modules.tokens import holds_chinese

LONGEST = 300
"""Characters of a question that can be a follow-up: a longer one says what it is about."""
_LAST = 6
"""Tasks of a conversation that are looked at."""


def vague(question: str) -> bool:
    """Whether a question does not stand alone: it names nothing, points to what it does not name, or is a part of one.

    So are "How much?", "And when was it built?" and "那什么时候？"; "When is the meeting?" stands alone.
    """
    said = " ".join(question.split())
    if not said or len(said) > LONGEST:
        return False
    return chinese.vague(said) if holds_chinese(said) else english.vague(said)


def standing_alone(task: str, conversation: Sequence[PastTask]) -> str:
    """The task as it reads without its conversation (oldest first): "And when was it built?" with the bridge's name.

    As it is where it stands alone, and where the conversation does not tell what it means. What was asked before is
    read in full first, so that a row of such questions keeps its subject.
    """
    return _after(task, _resolved(conversation)) if conversation and vague(task) else task


def with_context(question: str, conversation: Sequence[PastTask]) -> str:
    """A question that does not stand alone, read in full, after what the conversation was last about.

    "The trip to Hawaii: what else?" What the question itself then names is not said twice; a question that stands
    alone, and one of which nothing was said before, are as they are.
    """
    if not conversation or not vague(question):
        return question
    about, alone = subject(conversation), standing_alone(question, conversation)
    return f"{about}: {alone}" if about and about.casefold() not in alone.casefold() else alone


def subject(conversation: Sequence[PastTask]) -> str:
    """What a conversation was last about, in its own words; empty where that cannot be told."""
    before = _resolved(conversation)
    if not before:
        return ""
    return chinese.subject(before) if holds_chinese(before[-1].asked) else english.subject(before)


def _resolved(conversation: Sequence[PastTask]) -> list[PastTask]:
    """The last tasks of a conversation, each question as it reads by itself."""
    before: list[PastTask] = []
    for task in conversation[-_LAST:]:
        asked = _after(" ".join(task.asked.split()), before)
        before.append(PastTask(asked=asked[:LONGEST], found=task.found[:LONGEST]))
    return before


def _after(task: str, before: Sequence[PastTask]) -> str:
    """The task as it reads by itself, after tasks whose questions do so already."""
    if not before or not vague(task):
        return task
    said = " ".join(task.split())
    return chinese.standing_alone(said, before) if holds_chinese(said) else english.standing_alone(said, before)
