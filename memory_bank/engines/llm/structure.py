"""Structure by a language model: it summarises topics and says which sentences are no claims.

Claims are sentences of the content, so no word of them can be invented: the model only names sentences by number, and
one with a figure stays a claim whatever it says. A sentence of the summary with a number that the content does not have
is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from xml.sax.saxutils import escape

from pydantic import BaseModel

from memory_bank.agents.agent import Language
from memory_bank.agents.prompt import clean_text, fenced, rules, unescape_quote
from memory_bank.agents.structure import FoundClaim, StructureInput, StructureOutput
from memory_bank.bank.spoken import SpokenTurn, turns_within
from memory_bank.engines.llm.consultation import Consultation
from memory_bank.engines.llm.window import one_paragraph
from memory_bank.judgement.alignment import invented_numbers, numbers
from memory_bank.judgement.statement import statements_of
from memory_bank.text.chunking import chunk
from memory_bank.text.iteration import packed
from memory_bank.text.sentences import sentences
from memory_bank.text.span import Span
from memory_bank.text.summary import summarise
from memory_bank.text.wording import Wording, one_line

LONGEST_SUMMARY = 3_000
FALLBACK_CHARACTERS = 400
LEAST_ROOM = 64
"""Tokens of content per request at least, however small the window."""
_LIST_MARK = re.compile(r"^\s*[(（]?\d{1,2}(?:[.)）]\s|、)")

PROMPT: dict[Language, str] = {
    "en": """You condense a document so that it can be found again and checked. <document> holds its topics; a number \
in brackets stands before each sentence.
For each topic:
- summary: what it says, in one to four sentences: the key information, what it rests on (figures, observations, \
sources), and how one follows from the other. Say who states it and for when, where the document tells.
- no_claim: the numbers of sentences that say nothing to be checked: greetings, praise, advice. Whatever tells a fact, \
a date, a role, a plan or a denial is a claim. Often empty.
{rules}""",
    "zh": """你把一份文档压缩，使其日后可以被检索和核查。<document> 中是它的各个主题，每个句子前有方括号编号。
对每个主题（topic）：
- summary：该主题说了什么，一至四句：关键信息、其依据（数据、观察、来源）以及二者的关联。\
文档写明由谁陈述、指何时的，也要写明。
- no_claim：没有可核查内容的句子的编号，如问候、赞美、建议。凡陈述事实、日期、身份、计划或否定的句子都可核查。常为空。
{rules}""",
}
_CHAT: dict[Language, str] = {
    "en": "\nIt is a chat: in brackets before each turn stands who said it and when. Say in the summary who said what "
    "and when.",
    "zh": "\n这是一段对话：每句话前的方括号中是说话人和时间。在 summary 中写明谁在何时说了什么。",
}
_TOPIC: dict[Language, str] = {"en": "Topic {number}: {context}", "zh": "主题 {number}：{context}"}


class TopicReply(BaseModel):
    """What the model says of one topic. Fields may be missing where the answer was cut off."""

    topic: int
    summary: str = ""
    no_claim: list[int] = []


class StructureReply(BaseModel):
    """What the model answers: an entry for each topic."""

    topics: list[TopicReply]


@dataclass(frozen=True)
class _Part:
    """A part of a topic's content that one request shows: characters from `start`, with its turns and statements.

    `head` is what is shown above it: the document with its date, and what the topic is about.
    """

    topic: int
    start: int
    text: str
    head: str
    turns: tuple[SpokenTurn, ...]
    statements: tuple[Span, ...]


def structure(inputs: Sequence[StructureInput], consultation: Consultation) -> tuple[StructureOutput, ...]:
    """Summary and claims of each topic, in as many requests as the window needs. `AgentError` when there is no answer.

    `InvalidOutputError` for an answer about something else: no sentence of it is borne out by the content.
    """
    system = PROMPT[consultation.language].format(rules=rules(consultation.language, "document"))
    system += _CHAT[consultation.language] if any(each.turns for each in inputs) else ""
    summaries: list[list[str]] = [[] for _ in inputs]
    claims: list[list[FoundClaim]] = [[] for _ in inputs]
    for parts in _requests(inputs, system, consultation):
        reply = consultation.ask(system, _prompt(inputs, parts, consultation.language), StructureReply)
        _refuse_if_foreign(reply, parts, consultation)
        said = {entry.topic: entry for entry in reversed(reply.topics)}
        first = 1
        for number, part in enumerate(parts, start=1):
            entry = said.get(number, TopicReply(topic=number))
            summaries[part.topic].append(_summary(entry, part, consultation))
            claims[part.topic] += [  # the model may say that a sentence is none; one with a figure stays
                FoundClaim(text=span.of(part.text), start=part.start + span.start, end=part.start + span.end)
                for n, span in enumerate(part.statements, start=first)
                if n not in entry.no_claim or numbers(span.of(part.text))
            ]
            first += len(part.statements)
    return tuple(
        StructureOutput(summary="\n".join(summary), claims=tuple(found))
        for summary, found in zip(summaries, claims, strict=True)
    )


# -- the prompt ----------------------------------------------------------------------------------------------


def _requests(inputs: Sequence[StructureInput], system: str, consultation: Consultation) -> Iterator[list[_Part]]:
    """The parts of all contents, as many in each request as fit the window."""
    count = consultation.count_tokens
    names = [count(f"{one_line(each.document)} {one_line(each.context)}") + LEAST_ROOM // 4 for each in inputs]
    room = max(consultation.room(system, fenced("document", "")) - max(names), LEAST_ROOM)
    parts = (part for topic, each in enumerate(inputs) for part in _parts(topic, each, room, consultation))
    return packed(parts, room, lambda part: count(escape(_shown(part, 100))) + names[part.topic])


def _parts(topic: int, each: StructureInput, room: int, consultation: Consultation) -> Iterator[_Part]:
    """The parts of a content that each fit the room, with the share that numbers and speakers take of it."""
    count = consultation.count_tokens
    whole = _part(topic, each, Span(0, len(each.content)))
    share = max(count(escape(_shown(whole, 100))) / max(count(escape(each.content)), 1), 1.0)
    for piece in chunk(each.content, room, lambda text: ceil(count(escape(text)) * share)):
        if piece.of(each.content).strip():
            yield _part(topic, each, piece)


def _part(topic: int, each: StructureInput, piece: Span) -> _Part:
    text = piece.of(each.content)
    turns = tuple(turns_within(each.turns, [(piece.start, piece.end)]))
    spans = [(turn.said, turn.end) for turn in turns] or [(0, len(text))]
    statements = tuple(
        Span(start + placed.start, start + placed.end)
        for start, end in spans
        for placed in statements_of(text[start:end])
    )
    return _Part(topic, piece.start, text, f"{each.document}\n{each.context}", turns, statements)


def _prompt(inputs: Sequence[StructureInput], parts: Sequence[_Part], language: Language) -> str:
    """The parts one after another, below what is known of their document."""
    document = one_line(inputs[parts[0].topic].document)
    lines = [document] if document else []
    first = 1
    for number, part in enumerate(parts, start=1):
        lines.append(_TOPIC[language].format(number=number, context=one_line(inputs[part.topic].context)))
        lines.append(_shown(part, first))
        first += len(part.statements)
    return fenced("document", "\n".join(lines))


def _shown(part: _Part, first: int) -> str:
    """The text of a part with a number before each statement, and in a chat speaker and time before each turn."""
    marks = [(span.start, 1, f"[{number}] ") for number, span in enumerate(part.statements, start=first)]
    names = {turn.start: turn for turn in part.turns}
    marks += [(start, 0, f"[{turn.speaker_and_time}] ") for start, turn in names.items()]
    shown, position = "", 0
    for place, _order, mark in sorted(marks):
        shown += part.text[position:place] + mark
        position = max(place, names[place].said) if place in names and not _order else place
    return shown + part.text[position:]


# -- the answer ----------------------------------------------------------------------------------------------


def _refuse_if_foreign(reply: StructureReply, parts: Sequence[_Part], consultation: Consultation) -> None:
    """Refuse an answer of which no sentence is borne out by the text."""
    text = "\n".join(_readable(part) for part in parts)
    told = [sentence for entry in reply.topics for sentence in _sentences(_cleaned(entry)) if sentence.strip()]
    invented = [_invented(sentence, text) for sentence in told]
    if told and all(invented):
        listed = ", ".join(sorted(frozenset[str]().union(*invented))[:5])
        consultation.refuse(f"these numbers of the summary are not in <document>: {listed}")


def _summary(entry: TopicReply, part: _Part, consultation: Consultation) -> str:
    """The summary without sentences that have numbers not in the text."""
    text = _readable(part)
    supported: list[str] = []
    for sentence in _sentences(_cleaned(entry)):
        invented = _invented(sentence, text)
        if invented:
            what = Wording(
                "a sentence of the summary left out: not in the text: {values}: {sentence}",
                values=", ".join(sorted(invented)),
                sentence=clean_text(sentence, 120),
            )
            consultation.repair(what)
        else:
            supported.append(sentence)
    summary = "".join(supported).strip()
    if not summary:
        consultation.repair(Wording("nothing is left of the summary: sentences of the text stand in its place"))
    return summary or summarise(part.text, FALLBACK_CHARACTERS)


def _readable(part: _Part) -> str:
    """The text of a part with what is shown above it, and in a chat who spoke when."""
    return "\n".join([part.head, part.text, *(turn.speaker_and_time for turn in part.turns)])


def _cleaned(entry: TopicReply) -> str:
    return one_paragraph(unescape_quote(entry.summary), LONGEST_SUMMARY)


def _sentences(text: str) -> list[str]:
    """Split a text into sentences, each with the white space after it, so that joined they are the text."""
    starts = [0, *(span.start for span in sentences(text)[1:]), len(text)]
    return [text[start:end] for start, end in pairwise(starts)]


def _invented(sentence: str, text: str) -> frozenset[str]:
    return invented_numbers(_LIST_MARK.sub("", sentence), text)
