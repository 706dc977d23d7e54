"""Records of long-term memory: facts, episodes, and the turns of a conversation; their export as JSON."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, TypeAdapter, ValidationError

from memory_bank.bank.errors import ImportRefusedError, UsageError
from memory_bank.bank.value import Id, Time, Value
from memory_bank.long_term.record_type import LONGEST_TEXT
from memory_bank.text.wording import Wording, one_line

Teller = Literal["person", "agent"]
"""Who had a fact stored: a person by their own words, or the agent of a session."""
AGENTS_IMPORTANCE = 0.3
"""Importance of a fact that an agent had stored: lower than that of a fact a person told."""
MOST_DISPUTES = 4
_MOST_CHANGES = 8

Name = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"\S")]
"""Name of a user or a project, compared exactly: two different names never mean the same person."""
Text = Annotated[str, StringConstraints(max_length=LONGEST_TEXT)]
SaidText = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TEXT, pattern=r"\S")]


def new_record_id() -> str:
    """An id that cannot be guessed: 128 random bits in hexadecimal."""
    return secrets.token_hex(16)


class Scope(Value):
    """The records of a user, in all projects or in one."""

    user: Name
    project: Name | None = None


def scope_of(user: str, project: str | None = None) -> Scope:
    """The scope for names given by a person. `UsageError` where a name is empty, too long or not a string."""
    try:
        return Scope(user=user, project=project)
    except ValidationError as error:
        which = error.errors()[0]["loc"][0]
        raise UsageError(f"the {which} must be a name of 1 to 200 characters") from error


class Change(Value):
    """An entry of a record's history: an earlier content, or a dispute that was turned down, and when that ended."""

    content: str
    until: Time
    source_session: str | None = None


class Stored(Value):
    """Fields of every record. `importance` is 0 to 1; `history` holds the newest earlier values, newest last."""

    id: Id = Field(default_factory=new_record_id)
    user_id: Name
    project_id: Name | None = None
    source_session: Annotated[str, StringConstraints(max_length=100)] | None = None
    created: Time
    updated: Time
    access_count: int = Field(0, ge=0)
    importance: float = Field(0.5, ge=0.0, le=1.0)
    expires: Time | None = None
    history: tuple[Change, ...] = Field((), max_length=_MOST_CHANGES)

    @property
    def scope(self) -> Scope:
        """The user and project that the record belongs to."""
        return Scope(user=self.user_id, project=self.project_id)


class FactDispute(Value):
    """A statement that contradicts a stored fact, until a person decides; `reason` says where they differ."""

    id: Id = Field(default_factory=new_record_id)
    content: SaidText
    context: Text = ""
    reason: Text = ""
    said: Time
    told_by: Teller = "person"
    source_session: Annotated[str, StringConstraints(max_length=100)] | None = None

    @property
    def text(self) -> str:
        """The statement with its context."""
        return _in_context(self.content, self.context)


class Fact(Stored):
    """Something that is the case (semantic) or how something is done (procedural); `context` names its subject.

    Statements that contradict it are in `disputes` until a person decides.
    """

    type: Literal["semantic", "procedural"] = "semantic"
    content: SaidText
    context: Text = ""
    told_by: Teller = "person"
    disputes: tuple[FactDispute, ...] = Field((), max_length=MOST_DISPUTES)

    @property
    def text(self) -> str:
        """The fact with its context, as it is embedded, compared and recalled."""
        return _in_context(self.content, self.context)


class Episode(Stored):
    """A task that was carried out."""

    type: Literal["episode"] = "episode"
    goal: SaidText
    steps: tuple[Text, ...] = Field((), max_length=20)
    outcome: Text = ""
    lessons: tuple[Text, ...] = Field((), max_length=20)

    @property
    def content(self) -> str:
        """The whole of it, for a person or a prompt."""
        parts = [f"Goal: {self.goal}"]
        parts += [f"Steps: {'; '.join(self.steps)}"] if self.steps else []
        parts += [f"Outcome: {self.outcome}"] if self.outcome else []
        return "\n".join([*parts, *(f"Lesson: {lesson}" for lesson in self.lessons)])

    @property
    def text(self) -> str:
        """The goal alone, as it is embedded: tasks are compared by their goals."""
        return self.goal


class Turn(Stored):
    """One task of a conversation: what was asked, what was done, and what came of it."""

    type: Literal["turn"] = "turn"
    conversation_id: Id
    asked: SaidText
    done: Text = ""
    result: Text = ""

    @property
    def content(self) -> str:
        """The whole of it, for a person or a prompt."""
        parts = (("Asked", self.asked), ("Done", self.done), ("Result", self.result))
        return "\n".join(f"{name}: {text}" for name, text in parts if text)

    @property
    def text(self) -> str:
        """What was asked, as it is embedded."""
        return self.asked


Record = Annotated[Fact | Episode | Turn, Field(discriminator="type")]
RECORD: TypeAdapter[Fact | Episode | Turn] = TypeAdapter(Record)


def turned_down(fact: Fact, dispute: FactDispute, now: datetime) -> Fact:
    """The fact unchanged, with a rejected dispute moved into its history."""
    change = Change(content=dispute.content, until=now, source_session=dispute.source_session)
    return without(fact, dispute).model_copy(update={"history": (*fact.history, change)[-_MOST_CHANGES:]})


def without(fact: Fact, dispute: FactDispute) -> Fact:
    """The fact without one of its disputes."""
    return fact.model_copy(update={"disputes": tuple(other for other in fact.disputes if other.id != dispute.id)})


def disputed(fact: Fact, new: Fact, reason: str) -> Fact | None:
    """The fact with the new one as a dispute, if it is not one already; None where it has `MOST_DISPUTES`."""
    if any(dispute.text == new.text for dispute in fact.disputes):
        return fact
    if len(fact.disputes) == MOST_DISPUTES:
        return None
    fields = new.model_dump(include={"content", "context", "told_by", "source_session"})
    dispute = FactDispute(**fields, reason=reason[:LONGEST_TEXT], said=new.created)
    return fact.model_copy(update={"disputes": (*fact.disputes, dispute)})


def _in_context(content: str, context: str) -> str:
    return f"{context}: {content}" if context else content


def revised(old: Fact | Episode | Turn, new: Fact | Episode | Turn) -> Fact | Episode | Turn:
    """The old record with the new one's content; the old content goes into its history where they differ.

    Its disputes stay, except those that say what it says now.
    """
    change = Change(content=old.content, until=new.updated, source_session=old.source_session)
    history = old.history if (old.content, old.text) == (new.content, new.text) else (*old.history, change)
    retained: dict[str, Any] = {
        "id": old.id,
        "created": old.created,
        "access_count": old.access_count,
        "importance": max(old.importance, new.importance),
        "history": history[-_MOST_CHANGES:],
    }
    if isinstance(old, Fact):
        retained["disputes"] = tuple(dispute for dispute in old.disputes if dispute.text != new.text)
    return new.model_copy(update=retained)


def first_fault(error: ValidationError) -> str:
    """The first validation error of a record from outside, on one line."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{one_line(where):.80}: {one_line(first['msg']):.120}"


class MemoryExport(Value):
    """The records of a scope. Vectors are left out: they are computed again."""

    format: Literal["memory-bank-long-term"] = "memory-bank-long-term"
    version: Literal[1] = 1
    records: tuple[Record, ...]


def export_records(records: Sequence[Fact | Episode | Turn]) -> str:
    """Records as JSON text."""
    document = MemoryExport(records=tuple(records)).model_dump(mode="json")
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def parse_records(text: str | bytes) -> tuple[Fact | Episode | Turn, ...]:
    """The records of an export. `ImportRefusedError` says in one line what is wrong with it."""
    try:
        return MemoryExport.model_validate_json(text).records
    except ValidationError as error:
        raise ImportRefusedError(
            Wording("this is no export of long-term memory, or damaged: {detail}", detail=first_fault(error))
        ) from error
