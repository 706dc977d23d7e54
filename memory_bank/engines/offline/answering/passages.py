"""Candidate passages for an answer: statements of memory entries, chats and the reference library."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import groupby, pairwise

from memory_bank.agents.react import EnhancedPrompt, LibraryPassage, Quote, Tools
from memory_bank.bank.above import Above
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Claim
from memory_bank.bank.spoken import SpokenTurn, turns_of
from memory_bank.engines.offline.sources import document_of, search_library
from memory_bank.judgement.statement import PlacedStatement, Statement, context, statements_of
from memory_bank.search.dialogue import days_of
from memory_bank.text.mail import mail_headers
from memory_bank.text.sentences import sentences
from memory_bank.text.span import Span
from memory_bank.text.tokens import tokenize, words
from memory_bank.text.written_dates import days_named

MOST = 600
"""Most passages that are considered for one question."""
SHORT_REPLY = 22
"""Words up to which a question in a chat and its reply are one passage."""
FEWEST_STEMS = 2
"""Different words that a sentence must have to be quoted alone, unless it is an entry of a list."""
_FIRST_PERSON = re.compile(r"\bI['’]m\b|\bI\b(?!['’])|我(?!们)")


@dataclass(frozen=True)
class CandidatePassage:
    """A statement of an entry, with its context.

    In a chat, `turn` is the turn it was said in. A question with its reply is read as `words_said`, without the time
    and the name between the two.
    """

    entry: Entry = field(hash=False)
    span: Span
    context: str = ""
    turn: SpokenTurn | None = None
    words_said: str = ""
    found: LibraryPassage | None = field(default=None, hash=False)
    """The passage of the reference library that it comes from, where memory does not hold it yet."""
    lead: str = ""
    """The heading, question or label that it stands under."""
    item: bool = False
    """Whether it is an entry of a list or a row of a table."""
    sender: str = ""
    """Who wrote the mail that it stands in."""
    begun: int = 0
    """Where in the document the section begins that it stands in."""

    @property
    def text(self) -> str:
        """The exact words."""
        return self.span.of(self.entry.text)

    @property
    def statement(self) -> Statement:
        """The passage as a model reads it."""
        return Statement(self.words_said or self.text, self.context)

    @property
    def as_read(self) -> Statement:
        """The passage as the answer model reads it: who says it by name in place of "I", or in a chat before it."""
        statement = self.statement
        name = self.sender if self.turn is None else self.turn.speaker
        if not name:
            return statement
        named, times = _FIRST_PERSON.subn(lambda said: f"{name} is" if len(said[0]) > 1 else name, statement.text)
        unnamed = statement.text if self.turn is None else f"{name}: {statement.text}"
        return Statement(named if times else unnamed, statement.context)

    @property
    def stands_alone(self) -> bool:
        """Whether it can be quoted by itself, unlike the "Yes." of a short reply."""
        return self.item or len(set(tokenize(self.text))) >= FEWEST_STEMS

    @property
    def section(self) -> tuple[str, str, int]:
        """Its document and what it stands under there: passages with the same belong together."""
        return self.document, self.lead, self.begun

    @property
    def position(self) -> tuple[str, int]:
        """Its document and where it stands in it."""
        start = self.entry.metadata.get("start")
        return self.document, (start if isinstance(start, int) else 0) + self.span.start

    @property
    def source(self) -> str:
        """The document's name."""
        return str(self.entry.metadata.get("source", ""))

    @property
    def document(self) -> str:
        """The document's id, which tells it from others of the same name; its name where it has no id."""
        return document_of(self.entry)

    def states(self, claim: Claim) -> bool:
        """Whether a claim stands in it."""
        return claim.overlaps(self.entry.id, *self.span)

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


def pool_for(prompt: EnhancedPrompt, tools: Tools, questions: Sequence[str]) -> list[CandidatePassage]:
    """Statements of the entries behind the nodes that are relevant to the questions, best nodes first."""
    distinct: dict[tuple[str, ...], str] = {}
    for question in questions:  # a task and its only part may differ by a question mark
        distinct.setdefault(tuple(words(question)), question)
    nodes = [node for question in distinct.values() for node in tools.research(question)]
    passages = passages_of([node.id for node in (*nodes, *prompt.nodes)], tools)
    return filter_by_days_asked(prompt.task.description, passages)


def passages_of(node_ids: Iterable[str], tools: Tools) -> list[CandidatePassage]:
    """The statements of the entries behind some nodes, in the order of the nodes; none of a mail's header."""
    passages: list[CandidatePassage] = []
    for node_id in dict.fromkeys(node_ids):
        for entry in tools.deep_retrieval(node_id):
            if entry.records_verification:
                continue
            if turns := turns_of(entry):
                passages += _chat_passages(entry, turns)
                continue
            above = Above.of_metadata(entry.metadata)
            headers = mail_headers(entry.text)
            for placed in statements_of(entry.text, above=above, short_items=True, short_joined=True):
                past = [header for header in headers if header.span.start <= placed.start]
                if not past or placed.start >= past[-1].span.end:
                    passages.append(replace(_placed(entry, placed), sender=past[-1].sender if past else ""))
        if len(passages) >= MOST:
            break
    return in_sections(list(dict.fromkeys(passages))[:MOST])


def in_sections(passages: Sequence[CandidatePassage]) -> list[CandidatePassage]:
    """The passages, in their order, each with where its section begins: those of one lead that follow one another."""
    begun: dict[int, int] = {}
    in_order = sorted(range(len(passages)), key=lambda n: passages[n].position)
    for _, section in groupby(in_order, key=lambda n: (passages[n].document, passages[n].lead)):
        numbers = list(section)
        begun |= dict.fromkeys(numbers, passages[numbers[0]].position[1])
    return [replace(passage, begun=begun[n]) for n, passage in enumerate(passages)]


def library_passages(
    questions: Iterable[str], tools: Tools, known: Iterable[CandidatePassage]
) -> list[CandidatePassage]:
    """The statements that the reference library has on some questions, without those that memory holds already."""
    in_memory = {(passage.source, passage.entry.text) for passage in known}
    passages: list[CandidatePassage] = []
    for found in search_library(questions, tools):
        if (found.source, found.text) not in in_memory:
            entry = Entry(  # that it becomes if it is quoted; dated last, since it has no time among those of memory
                id=f"{found.source_id}.{found.start}",
                text=found.text,
                created_at=datetime.max.replace(tzinfo=UTC),
                metadata={"source": found.source, "source_id": found.source_id, "start": found.start},
            )
            statements = statements_of(found.text, found.source, above=found.above, short_joined=True)
            passages += [_placed(entry, placed, found) for placed in statements]
    return in_sections(passages)


def _placed(entry: Entry, placed: PlacedStatement, found: LibraryPassage | None = None) -> CandidatePassage:
    span, context = Span(placed.start, placed.end), placed.statement.context
    return CandidatePassage(entry, span, context, found=found, lead=placed.lead, item=placed.item)


def _chat_passages(entry: Entry, turns: Sequence[SpokenTurn]) -> Iterator[CandidatePassage]:
    """The sentences of a chat. A short reply is one passage with the question that it answers.

    The context of a passage is its speaker and day, and the turn before it.
    """
    replies = [_is_short_reply(previous, turn, entry.text) for previous, turn in pairwise(turns)]
    # Two blanks stand for the turns before the first, so that turn n is texts[n + 2].
    texts = ["", "", *(entry.text[turn.said : turn.end] for turn in turns)]
    for n, (turn, is_reply, has_reply) in enumerate(zip(turns, (False, *replies), (*replies, False), strict=True)):
        speaker = f"{turn.speaker} {turn.day:%d %B %Y}" if turn.day else turn.speaker
        said = texts[n + 2]
        if is_reply:
            span = Span(turns[n - 1].said, turn.end)
            yield CandidatePassage(entry, span, context(speaker, "", texts[n]), turn, f"{texts[n + 1].strip()} {said}")
        elif not has_reply:
            for sentence in sentences(said):
                if len(set(tokenize(sentence.of(said)))) >= FEWEST_STEMS:
                    span = Span(turn.said + sentence.start, turn.said + sentence.end)
                    yield CandidatePassage(entry, span, context(speaker, "", texts[n + 1]), turn)


def _is_short_reply(previous: SpokenTurn, turn: SpokenTurn, text: str) -> bool:
    """Whether a turn is a short reply to a question that another speaker asked just before."""
    same_exchange = previous.sitting == turn.sitting and previous.speaker != turn.speaker
    is_question = text[previous.said : previous.end].rstrip().endswith(("?", "？"))
    return same_exchange and is_question and len(text[previous.said : turn.end].split()) <= SHORT_REPLY


# -- who said it, and when -----------------------------------------------------------------------------------------

_SAYING = (
    r"(?:sa(?:y|ys|id)|tell|tells|told|mention\w*|writes?|wrote|ask\w*|thinks?|thought|reports?|reported|suggest\w*"
    r"|promise\w*|plans?|planned|wants?|wanted|answer\w*|repl(?:y|ies|ied)|complain\w*)"
)


def filter_by_days_asked(question: str, pool: Sequence[CandidatePassage]) -> list[CandidatePassage]:
    """The passages without what was said at other times than asked about, unless nothing is left."""
    spoken = [(passage, passage.turn) for passage in pool if passage.turn is not None]
    by_speaker = [pair for pair in spoken if asks_for_speaker(pair[0], question)] or spoken
    last_day = max((turn.day for _, turn in spoken if turn.day), default=None)
    asked_days = days_named(question, last_day) if last_day else []
    in_time = {
        id(passage)
        for passage, turn in by_speaker
        if any(asked.meets(days) for asked in asked_days for days in days_of(passage.text, turn.day))
    }
    return [passage for passage in pool if passage.turn is None or not in_time or id(passage) in in_time]


def asks_for_speaker(passage: CandidatePassage, question: str) -> bool:
    """Whether a question asks what the speaker of a passage said: "What did Ada say …", "according to Ada"."""
    if passage.turn is None:
        return False
    names = "|".join(re.escape(name) for name in {passage.turn.speaker, passage.turn.speaker.split(" ")[0]})
    before = rf"(?:\b(?:did|does|has|had)\s+(?:{names})\b.*\b{_SAYING}\b|\baccording to (?:{names})\b)"
    after = rf"(?:\b(?:{names})\s+{_SAYING}\b|(?:{names}).{{0,6}}(?:说|提到|觉得|认为|问|写))"
    return re.search(f"{before}|{after}", question, re.IGNORECASE) is not None
