"""Structure on a model: it condenses and quotes; code keeps what the content bears out.

A claim is kept as the content has it, or not at all. A sentence of the summary with a number that the content does
not have is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import ceil
from xml.sax.saxutils import escape

from pydantic import BaseModel, Field

from memory_bank.agents.agent import Language
from memory_bank.agents.structure import FoundClaim, StructureInput, StructureOutput
from memory_bank.bank.spoken import Spoken, turns_within
from memory_bank.engines.llm.alignment import find, invented_numbers
from memory_bank.engines.llm.consultation import Consultation
from memory_bank.engines.llm.prompt import as_written, clean, clean_keywords, fenced, rules
from memory_bank.engines.llm.window import brief
from memory_bank.engines.offline.summary import summarise
from memory_bank.modules.chunking import chunk
from memory_bank.modules.sentences import sentences
from memory_bank.modules.span import Span

LONGEST_CLAIM = 400
"""Characters up to which a quotation is one claim; a longer one is taken sentence by sentence."""
LONGEST_PART = 1_500
FALLBACK_CHARACTERS = 400
LEAST_ROOM = 64
"""Tokens of content that are sent at least, however small a window is set."""
_LIST_MARK = re.compile(r"^\s*[(（]?\d{1,2}(?:[.)）]\s|、)")

PROMPT: dict[Language, str] = {
    "en": """You condense a passage of a document so that it can be found again and checked. The passage is in \
<document>; <topic> tells what it is about and is not to be quoted.
- key_information: what the passage says, in one to four sentences.
- evidence: the figures, observations or sources that it gives for this; empty if it gives none.
- logic: how it reasons from one to the other, or how its parts hang together; empty if it does not.
- claims: every statement of the passage that can be checked, because it holds a number, a quantity, a date, a name \
in a role, or says that something is not so. Copy each one from <document> character by character, in the language \
it is written in, as a whole sentence of at most 400 characters. No headings, questions or guesses; nothing twice.
{rules}""",
    "zh": """你把文档中的一段内容压缩，使其日后可以被检索和核查。内容在 <document> 中；<topic> 说明其主题，不得引用。
- key_information：该段说了什么，一至四句。
- evidence：该段为此给出的数据、观察或来源；没有则留空。
- logic：该段如何由依据得出结论，或各部分如何关联；没有则留空。
- claims：该段中所有可以核查的陈述，即含有数字、数量、日期、人或机构的身份，或否定某事的句子。逐字照抄 <document> \
的原文，保持原文语言，每条为一个完整句子，不超过 400 个字符。不要标题、问句或推测，不要重复。
{rules}""",
}
LABELS: dict[Language, tuple[str, str, str]] = {
    "en": ("", "Evidence: ", "Logic: "),
    "zh": ("", "依据：", "逻辑："),
}


class StructureReply(BaseModel):
    """What a model makes of a passage. All but the first may be missing, as after an answer that was cut off."""

    key_information: str = Field(description="what the passage says, one to four sentences")
    evidence: str = Field(default="", description="figures, observations or sources given for it, or empty")
    logic: str = Field(default="", description="how it reasons, or empty")
    claims: list[str] = Field(default=[], description="checkable statements, word for word from the document")


_CHAT: dict[Language, str] = {
    "en": """
The passage is of a chat: in brackets before each turn stands who said it and when, as [Ada, 2023-05-08 13:56]. Say in \
key_information who said what, and when it was. Copy claims from the words said, without the brackets.""",
    "zh": """
该段出自对话：每句话前的方括号中是说话人和时间，例如“[Ada, 2023-05-08 13:56]”。\
在 key_information 中写明谁在何时说了什么。claims 只抄说出的话，不要抄方括号。""",
}


def structure(given: StructureInput, consultation: Consultation) -> StructureOutput:
    """Summary and claims of one cluster, in as many requests as the window asks for. `AgentError` when none can be had.

    `InvalidOutputError` for an answer about something else: no claim is in the content, and its numbers are not.
    """
    system = PROMPT[consultation.language].format(rules=rules(consultation.language, "topic", "document"))
    system += _CHAT[consultation.language] if given.turns else ""
    topic = fenced("topic", f"{clean(given.context, 300)}\n{', '.join(clean_keywords(given.keywords))}")
    room = max(consultation.room(system, topic, fenced("document", "")), LEAST_ROOM)
    summaries: list[str] = []
    claims: list[FoundClaim] = []
    for part in chunk(given.content, room, _measure(given, consultation)):
        text = part.of(given.content)
        if not text.strip():
            continue
        shown = _shown(text, turns_within(given.turns, [(part.start, part.end)]))
        reply = consultation.ask(system, f"{topic}\n{fenced('document', shown)}", StructureReply)
        spans = _aligned(reply, text, consultation)
        summaries.append(_summary(reply, shown, consultation))
        claims += [
            FoundClaim(text=span.of(text), start=part.start + span.start, end=part.start + span.end) for span in spans
        ]
    return StructureOutput(summary="\n".join(summaries), claims=tuple(claims))


def _measure(given: StructureInput, consultation: Consultation) -> Callable[[str], int]:
    """How many tokens a piece of the content takes as it is shown; in a chat names and times take their share."""
    count = consultation.count_tokens
    if not given.turns:
        return lambda piece: count(escape(piece))
    longer = count(_shown(given.content, given.turns)) / max(count(given.content), 1)
    return lambda piece: ceil(count(escape(piece)) * max(longer, 1.0))


def _shown(text: str, turns: Sequence[Spoken]) -> str:
    """A part of a chat with who said each turn, and when, in front of it: the day may stand far above in the chat."""
    shown, at = "", 0
    for turn in turns:
        shown += f"{text[at : turn.start]}[{turn.place}] {text[turn.said : turn.end]}"
        at = turn.end
    return shown + text[at:]


# -- claims --------------------------------------------------------------------------------------------------


def _aligned(reply: StructureReply, text: str, consultation: Consultation) -> list[Span]:
    """Where the claims stand, in the order of the text, none over another."""
    places = {quote: find(quote, text) for quote in reply.claims if quote.strip()}
    found = [span for span in places.values() if span is not None]
    lost = [clean(quote, 120) for quote, span in places.items() if span is None]
    if lost and not found:
        _refuse_if_foreign(reply, text, consultation)
    if lost:
        shown = "; ".join(lost[:3])
        consultation.remark("dropped", f"{_count(len(lost), 'claim')} dropped: not in the text: {shown}")
    short = [span for claim in dict.fromkeys(found) for span in _at_length(text, claim)]
    apart = _apart(short)
    if len(apart) < len(short):
        overlapping = _count(len(short) - len(apart), "claim")
        consultation.remark("dropped", f"{overlapping} dropped: part of another claim, or overlapping it")
    return apart


def _refuse_if_foreign(reply: StructureReply, text: str, consultation: Consultation) -> None:
    invented = {number for part in _written(reply) for said in _sentences(part) for number in _invented(said, text)}
    if invented:
        named = ", ".join(sorted(invented)[:5])
        reason = f"no claim is in <document> word for word, and these numbers of the summary are not in it: {named}"
        consultation.refuse(reason)


def _at_length(text: str, claim: Span) -> list[Span]:
    """The claim itself, or its sentences where it is too long for one."""
    if claim.end - claim.start <= LONGEST_CLAIM:
        return [claim]
    return [Span(claim.start + found.start, claim.start + found.end) for found in sentences(claim.of(text))]


def _apart(spans: Sequence[Span]) -> list[Span]:
    """Of spans that overlap the longer one, in the order of the text."""
    kept: list[Span] = []
    for span in sorted(spans):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
        elif span.end - span.start > kept[-1].end - kept[-1].start:
            kept[-1] = span
    return kept


# -- summary -------------------------------------------------------------------------------------------------


def _written(reply: StructureReply) -> list[str]:
    parts = (reply.key_information, reply.evidence, reply.logic)
    return [brief(as_written(part), LONGEST_PART) for part in parts]


def _summary(reply: StructureReply, text: str, consultation: Consultation) -> str:
    """The three parts, a line each, without the sentences whose numbers the text does not have."""
    lines: list[str] = []
    for label, written in zip(LABELS[consultation.language], _written(reply), strict=True):
        kept = _borne_out(written, text, consultation)
        if kept:
            lines.append(f"{label}{kept}")
    if lines:
        return "\n".join(lines)
    consultation.remark("repaired", "nothing is left of the summary: sentences of the text stand in its place")
    return summarise(text, FALLBACK_CHARACTERS)


def _borne_out(written: str, text: str, consultation: Consultation) -> str:
    kept: list[str] = []
    for sentence in _sentences(written):
        invented = _invented(sentence, text)
        if invented:
            what = f"a sentence of the summary left out: not in the text: {', '.join(sorted(invented))}"
            consultation.remark("repaired", f"{what}: {clean(sentence, 120)}")
        else:
            kept.append(sentence)
    return "".join(kept).strip()


def _sentences(written: str) -> list[str]:
    """The sentences with the white space after them: joined they are the text."""
    starts = [0, *(span.start for span in sentences(written)[1:]), len(written)]
    return [written[start:end] for start, end in pairwise(starts)]


def _invented(sentence: str, text: str) -> frozenset[str]:
    return invented_numbers(_LIST_MARK.sub("", sentence), text)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
