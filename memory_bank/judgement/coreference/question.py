"""Follow-up questions in English and Chinese: detect them, and rewrite them so that they stand alone.

Uses rules only, so the same conversation always gives the same question.
"""

from __future__ import annotations

from collections.abc import Sequence

from memory_bank.agents.remember import PastTask
from memory_bank.judgement.coreference import chinese, english
from memory_bank.text.tokens import holds_chinese

LONGEST = 300
"""Most characters of a follow-up question: a longer question says what it is about."""
_LAST = 6
"""Most recent tasks of a conversation that are considered."""


def is_follow_up(question: str) -> bool:
    """Whether a question does not stand alone: it names nothing, refers to something earlier, or is a fragment.

    "How much?", "And when was it built?" and "那什么时候？" are vague; "When is the meeting?" is not.
    """
    flat = " ".join(question.split())
    if not flat or len(flat) > LONGEST:
        return False
    return chinese.is_follow_up(flat) if holds_chinese(flat) else english.is_follow_up(flat)


def standing_alone(task: str, conversation: Sequence[PastTask]) -> str:
    """The task rewritten to stand alone: "And when was it built?" with the bridge's name in place of "it".

    Unchanged where it stands alone already, and where the conversation (oldest task first) does not tell what it means.
    Earlier questions are rewritten first, so that a series of follow-ups keeps its subject.
    """
    return _rewritten(task, _standing_alone_tasks(conversation))


def with_context(question: str, conversation: Sequence[PastTask]) -> str:
    """A follow-up question, rewritten, after the topic of the conversation: "The trip to Hawaii: what else?".

    The topic is left out where the rewritten question names it. A question that stands alone, or that has no
    conversation before it, is unchanged.
    """
    if not conversation or not is_follow_up(question):
        return question
    topic, alone = subject(conversation), standing_alone(question, conversation)
    return f"{topic}: {alone}" if topic and topic.casefold() not in alone.casefold() else alone


def subject(conversation: Sequence[PastTask]) -> str:
    """What a conversation was last about, in its own words; empty where that cannot be told."""
    before = _standing_alone_tasks(conversation)
    if not before:
        return ""
    return chinese.subject(before) if holds_chinese(before[-1].asked) else english.subject(before)


def _standing_alone_tasks(conversation: Sequence[PastTask]) -> list[PastTask]:
    """The last tasks of a conversation, each question rewritten to stand alone."""
    tasks: list[PastTask] = []
    for task in conversation[-_LAST:]:
        asked = _rewritten(" ".join(task.asked.split()), tasks)
        tasks.append(PastTask(asked=asked[:LONGEST], found=task.found[:LONGEST]))
    return tasks


def _rewritten(task: str, before: Sequence[PastTask]) -> str:
    """The task rewritten to stand alone, after tasks whose questions stand alone already."""
    if not before or not is_follow_up(task):
        return task
    flat = " ".join(task.split())
    return chinese.standing_alone(flat, before) if holds_chinese(flat) else english.standing_alone(flat, before)
