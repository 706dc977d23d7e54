"""The statements of memory among which an answer is looked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from itertools import pairwise

from memory_bank.agents.react import Passage as Found
from memory_bank.agents.react import Quote, Tools
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.spoken import Spoken, turns_of
from memory_bank.judgement.statement import Statement, context, statements_of
from memory_bank.modules.sentences import sentences
from memory_bank.modules.span import Span
from memory_bank.modules.tokens import tokenize

MOST = 600
"""Statements that are looked at for one question."""
SHORT_REPLY = 22
"""Words up to which a question in a chat and its reply are one passage."""
FEWEST_STEMS = 2
"""Different words that a sentence of a chat must have to be quoted alone."""


@dataclass(frozen=True)
class Passage:
    """A statement of an entry, and what stands around it.

    Of what was said in a chat, `turn` is the turn; a question with its reply is read as `words_said`, without the time
    and the name that stand between the two.
    """

    entry: Entry = field(hash=False)
    span: Span
    context: str = ""
    turn: Spoken | None = None
    words_said: str = ""
    found: Found | None = field(default=None, hash=False)
    """The passage of the reference library that it is of, where memory does not hold it yet."""

    @property
    def text(self) -> str:
        """The words, exactly."""
        return self.span.of(self.entry.text)

    @property
    def statement(self) -> Statement:
        """The passage as a model reads it."""
        return Statement(self.words_said or self.text, self.context)

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of the entry, and those that are told of it."""
        return frozenset(tokenize(f"{self.source} {self.context} {self.entry.text}"))

    @property
    def source(self) -> str:
        """The document's name."""
        return str(self.entry.metadata.get("source", ""))

    @property
    def document(self) -> str:
        """What tells its document from others, those of the same name too."""
        return str(self.entry.metadata.get("source_id") or self.source)

    @property
    def quote(self) -> Quote:
        """The passage as evidence of an answer."""
        return Quote(
            source=self.source,
            text=self.text,
            entry_id=None if self.found else self.entry.id,
            start=self.span.start,
            end=self.span.end,
        )


def passages_of(node_ids: Iterable[str], tools: Tools) -> list[Passage]:
    """The statements of the entries behind some nodes, in the order of the nodes."""
    found: list[Passage] = []
    for node_id in dict.fromkeys(node_ids):
        for entry in tools.deep_retrieval(node_id):
            if "conflict_id" in entry.metadata:  # the record of a verification speaks of claims, it makes none
                continue
            if turns := turns_of(entry):
                found += _said(entry, turns)
                continue
            title = str(entry.metadata.get("title") or entry.metadata.get("source", ""))
            found += [
                Passage(entry, Span(one.start, one.end), one.statement.context)
                for one in statements_of(entry.text, title)
            ]
        if len(found) >= MOST:
            break
    return list(dict.fromkeys(found))[:MOST]


def library_passages(questions: Iterable[str], tools: Tools, known: Iterable[Passage]) -> list[Passage]:
    """The statements of what the reference library has on some questions, but for what memory holds of it already."""
    there = {(one.source, one.entry.text) for one in known}
    found = {(one.source_id, one.start): one for question in questions for one in tools.search(question)}
    return [
        Passage(_entry(one), Span(made.start, made.end), made.statement.context, found=one)
        for one in found.values()
        if (one.source, one.text) not in there
        for made in statements_of(one.text)
    ]


def _entry(found: Found) -> Entry:
    """A passage as the record that it becomes if it is quoted; it has no place in time among those of memory."""
    return Entry(
        id=f"{found.source_id}.{found.start}",
        text=found.text,
        created_at=datetime.max.replace(tzinfo=UTC),
        metadata={"source": found.source, "source_id": found.source_id},
    )


def _said(entry: Entry, turns: Sequence[Spoken]) -> Iterator[Passage]:
    """The sentences of a chat. A short reply stands with the question that it answers."""
    replies = [_replies(before, turn, entry.text) for before, turn in pairwise(turns)]
    earlier = ("", "", *(entry.text[turn.said : turn.end] for turn in turns))
    for n, (turn, is_reply, is_asked) in enumerate(zip(turns, (False, *replies), (*replies, False), strict=True)):
        who = f"{turn.speaker} {turn.day:%d %B %Y}" if turn.day else turn.speaker
        if is_reply:
            words = f"{earlier[n + 1].strip()} {entry.text[turn.said : turn.end]}"
            yield Passage(entry, Span(turns[n - 1].said, turn.end), context(who, "", earlier[n]), turn, words)
        elif not is_asked:
            words = entry.text[turn.said : turn.end]
            for span in sentences(words):
                if len(set(tokenize(span.of(words)))) >= FEWEST_STEMS:
                    place = Span(turn.said + span.start, turn.said + span.end)
                    yield Passage(entry, place, context(who, "", earlier[n + 1]), turn)


def _replies(before: Spoken, turn: Spoken, text: str) -> bool:
    """Whether a turn is a short reply to a question that another speaker asked just before."""
    together = before.sitting == turn.sitting and before.speaker != turn.speaker
    asked = text[before.said : before.end].rstrip().endswith(("?", "？"))
    return together and asked and len(text[before.said : turn.end].split()) <= SHORT_REPLY
