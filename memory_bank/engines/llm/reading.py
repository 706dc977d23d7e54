"""What a step brought, read from its messages: an answer sentence by sentence, or a verdict with its evidence.

The last word of the acting agent is text like any other. Its marks `[n12]` and `[r3]` must lead to memory or to what
a tool brought; what they do not lead to is dropped, and noted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import BaseModel, Field

from memory_bank.agents.react import REACT, EnhancedPrompt, ImageRead, Statement, StepResult, Tools
from memory_bank.bank.conflict import Conflict, Evidence, Side, Verdict, Verification
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.message import Message
from memory_bank.bank.usage import Remark
from memory_bank.engines.llm.alignment import find
from memory_bank.engines.llm.grounding import Grounding, Text
from memory_bank.engines.llm.prompt import as_written, clean
from memory_bank.engines.llm.structured_output import parse_reply, split_reasoning
from memory_bank.engines.offline.bearing import bearing_on
from memory_bank.errors import InvalidOutputError
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.sentences import sentences

Ended = Literal["answer", "call_limit", "token_limit"]
MOST_SENTENCES = 60
_ANSWER = re.compile(r"<answer\b[^<>]*>(.*?)(?:</answer\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_TAGS = re.compile(r"<tool_call>.*?(?:</tool_call>|\Z)|</?(?:answer|tool_response)\b[^<>]*>", re.DOTALL | re.IGNORECASE)
_ID = r"(?:node\s+|节点\s*)?[nr]\d{1,9}"
_ONE_MARK = rf"[\[(【（]\s*{_ID}(?:\s*(?:[,;，；、&]|and\b|和|与)\s*{_ID})*\s*(?:[:：][^\[\]\n]{{0,80}})?[\])】）]"
_MARK = re.compile(_ONE_MARK, re.IGNORECASE)
_LEANING = re.compile(rf"(?:according to|based on|根据|据)\s*{_ONE_MARK}\s*[,，:：]?\s*", re.IGNORECASE)
_DESCRIPTION = re.compile(r"<description>\s*(\S.*?)\s*</description>", re.DOTALL | re.IGNORECASE)
_MARKS_AFTER_STOP = re.compile(rf"([.!?。！？]+[\"”’)*]*)[^\S\n]*((?:{_ONE_MARK}[^\S\n]*)+)([.。]?)", re.IGNORECASE)
_NUMBER_IN_BRACKETS = re.compile(r"\[\d{1,3}\]")
_EMPHASIS = re.compile(r"\*\*|__|`|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
_LIST_MARKER = re.compile(r"\A\s*(?:[-*+•–]\s+|#{1,6}\s+|\(?\d{1,2}[.)](?=\s)|\d{1,2}、)\s*")
_HEADING = re.compile(r"\s*#{1,6}\s|\s*\*\*[^*\n]+\*\*\s*$|.*[:：]\W*$", re.DOTALL)
_EMPTY_BRACKETS = re.compile(r"\(\s*\)|\[\s*\]|（\s*）")
_SPACE_BEFORE_STOP = re.compile(r"\s+(?=[.,;:!?。，；：！？、](?!\d))")


class EvidenceReply(BaseModel):
    """A passage that was weighed."""

    cite: str = Field(description="where it stands: n12 or r3")
    quote: str = Field(description="the passage, word for word")
    supports: Side


class VerdictReply(BaseModel):
    """How a cross-validation ends."""

    verdict: Verdict
    reason: str
    confidence: float
    evidence: list[EvidenceReply]


def answer_text(said: str) -> str:
    """The answer in what an agent said last: in the last tag that holds one, or all of it when it forgot the tag."""
    spoken, _reasoning = split_reasoning(said)
    tagged = [text for found in _ANSWER.findall(spoken) if (text := _TAGS.sub("", found).strip())]
    return tagged[-1] if tagged else _TAGS.sub("", spoken).strip()


@dataclass
class _Shown:
    """What the step could rest on: memory by node, and what its tools brought, by number."""

    prompt: EnhancedPrompt
    marked: Mapping[int, Message]
    tools: Tools
    conflicts: tuple[Conflict, ...] = ()
    remarks: list[Remark] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.conflicts = self.tools.conflicts()

    def note(self, kind: Literal["dropped", "repaired"], what: str) -> None:
        self.remarks.append(Remark(kind=kind, what=what))

    def texts(self, mark: str) -> list[Text]:
        """What a mark leads to; nothing for one that leads nowhere."""
        if mark[0] not in "nr":
            return []
        number = int(mark[1:])
        if mark[0] == "r":
            message = self.marked.get(number)
            if message is None:
                return []
            pages = ((0, message.page),) if message.page else ()
            return [Text(message.source or message.name or "", message.content, pages=pages)]
        entries = self.tools.deep_retrieval(f"n{number}")
        return [
            Text(str(entry.metadata.get("source", "")), entry.text, entry.id, self._barred(entry.id), _pages(entry))
            for entry in entries
            if "conflict_id" not in entry.metadata  # the record of a verification makes no claims of its own
        ]

    def all_marks(self) -> list[str]:
        """Every mark that could have been made."""
        known = [node.id for node in self.prompt.nodes]
        return [*known, *(f"r{number}" for number in self.marked)]

    def _barred(self, entry_id: str) -> tuple[tuple[int, int], ...]:
        barred = (claim for conflict in self.conflicts for claim in conflict.barred)
        return tuple((claim.start, claim.end) for claim in barred if claim.entry_id == entry_id)


def _pages(entry: Entry) -> tuple[tuple[int, int], ...]:
    """Where the pages of an entry begin; one that lies within a page has that page alone."""
    first = [(0, entry.metadata["page"])] if entry.metadata.get("page") else []
    return tuple((start, page) for start, page in (*first, *entry.metadata.get("pages", ())))


def brought(messages: Sequence[Message]) -> list[Message]:
    """What the tools of a step brought that is new, in order: number 1 is `[r1]`."""
    return [message for message in messages if message.role == "tool" and not message.from_memory]


def read_step(
    prompt: EnhancedPrompt,
    messages: Sequence[Message],
    tools: Tools,
    grounding: Grounding,
    ended: Ended = "answer",
    *,
    marked: Mapping[int, Message] | None = None,
) -> StepResult:
    """A step's result from its messages, the last of which is the agent's answer.

    `marked` is what its tools brought by number, where that is not the order of the messages. `InvalidOutputError`
    when a verdict is asked for and the answer holds none.
    """
    shown = _Shown(prompt, dict(enumerate(brought(messages), start=1)) if marked is None else marked, tools)
    said = next((message.content for message in reversed(messages) if message.role == "assistant"), "")
    text = answer_text(said)
    if prompt.conflict is not None:
        verification = _verification(prompt.conflict, text, shown)
        return StepResult(
            answer=f"{verification.verdict}: {verification.reason}",
            messages=tuple(messages),
            verification=verification,
            ended=ended,
            remarks=tuple(shown.remarks),
        )
    if prompt.image is not None:
        described = _DESCRIPTION.search(said)
        text = (described[1] if described else text).strip()
        if not text:
            raise InvalidOutputError(REACT, "the answer holds nothing of the image", said=said)
        read = ImageRead(id=prompt.image.source.id, described=described is not None)
        return StepResult(answer=text, messages=tuple(messages), image=read, ended=ended)
    # A mark after the full stop belongs to the sentence before it.
    text = _MARKS_AFTER_STOP.sub(lambda match: f" {match[2].strip()}{match[1]} ", text)
    statements = _statements(text, shown, grounding)
    return StepResult(
        answer="\n".join(_plain(line) for line in text.splitlines()).strip(),
        messages=tuple(messages),
        statements=tuple(statements),
        conflicts=_bearing(prompt, statements, shown, grounding.embedder),
        ended=ended,
        remarks=tuple(shown.remarks),
    )


# -- an answer -----------------------------------------------------------------------------------------------


def _statements(text: str, shown: _Shown, grounding: Grounding) -> list[Statement]:
    spans = sentences(text)
    if len(spans) > MOST_SENTENCES:
        shown.note("dropped", f"all of the answer after its first {MOST_SENTENCES} sentences")
    found = (_statement(span.of(text), shown, grounding) for span in spans[:MOST_SENTENCES])
    return [statement for statement in found if statement is not None]


def _statement(marked: str, shown: _Shown, grounding: Grounding) -> Statement | None:
    """A sentence with its passages; None for what is no sentence, and for what the answer states by itself."""
    written = _plain(marked)
    if not re.search(r"\w", written):
        return None
    marks = [mark.lower() for group in _MARK.findall(marked) for mark in re.findall(r"[nr]\d+", group, re.IGNORECASE)]
    nowhere = [mark for mark in [*marks, *_NUMBER_IN_BRACKETS.findall(marked)] if not shown.texts(mark)]
    if nowhere:
        shown.note("dropped", f"marks that lead nowhere: {', '.join(nowhere)[:200]}")
    cited, every = _texts(marks, shown), _texts(shown.all_marks(), shown)
    quotes = grounding.quotes(written, cited) or grounding.quotes(written, every)
    if not quotes and grounding.quotes(written, [replace(text, barred=()) for text in [*cited, *every]]):
        # The answer states disputes by itself, with both sides, and what was refuted with the reason.
        shown.note("dropped", f"rests on a disputed or refuted claim: {written[:200]}")
        return None
    if not quotes and _HEADING.match(_MARK.sub("", marked)):
        shown.note("dropped", f"a heading, no sentence: {written[:200]}")
        return None
    if not quotes:
        shown.note("dropped", f"not affirmed, no passage bears it: {written[:200]}")
    return Statement(quotes=quotes, text=written)


def _plain(marked: str) -> str:
    """What was written as a person reads it: without marks, numbers that look like citations, and Markdown."""
    text = _LEANING.sub("", marked)
    for pattern in (_MARK, _NUMBER_IN_BRACKETS, _EMPTY_BRACKETS, _LIST_MARKER, _EMPHASIS):
        text = pattern.sub("", text)
    return _SPACE_BEFORE_STOP.sub("", clean(text))


def _texts(marks: Sequence[str], shown: _Shown) -> list[Text]:
    return [text for mark in dict.fromkeys(marks) for text in shown.texts(mark)]


def _bearing(
    prompt: EnhancedPrompt, statements: Sequence[Statement], shown: _Shown, embedder: Embedder
) -> tuple[str, ...]:
    """Conflicts about the task, and those with a claim in a passage that is quoted."""
    goal = prompt.insight_doc.task_goal
    close = {conflict.id for conflict in bearing_on(goal, shown.conflicts, embedder)}
    quoted = [(quote.entry_id, quote.start, quote.end) for statement in statements for quote in statement.quotes]
    return tuple(
        conflict.id
        for conflict in shown.conflicts
        if conflict.id in close or any(claim.overlaps(*place) for claim in conflict.parties for place in quoted)
    )


# -- a verdict -----------------------------------------------------------------------------------------------


def _verification(conflict: Conflict, text: str, shown: _Shown) -> Verification:
    try:
        reply = parse_reply(text, VerdictReply)
    except ValueError as error:
        raise InvalidOutputError(REACT, f"the verdict cannot be read: {error}", said=text) from None
    evidence = tuple(item for item in (_evidence(given, shown) for given in reply.evidence) if item is not None)
    verdict, reason = reply.verdict, clean(reply.reason, 1_000)
    if not _borne(verdict, conflict, evidence):
        shown.note("repaired", f"verdict {verdict!r} without a passage that bears it")
        reason = f"No passage outside the two documents bears the verdict {verdict!r}. {reason}".strip()
        verdict = "inconclusive"
    return Verification(
        conflict_id=conflict.id,
        verdict=verdict,
        reason=reason,
        confidence=min(max(reply.confidence, 0.0), 1.0),
        evidence=evidence,
    )


def _evidence(given: EvidenceReply, shown: _Shown) -> Evidence | None:
    """The passage as it really stands where the agent says it stands, or nothing."""
    marks = re.findall(r"(?<![a-z\d])[nr]\d{1,9}(?!\w)", given.cite.lower())
    for text in _texts(marks, shown):
        span = find(as_written(given.quote), text.text)
        if span is not None:
            return Evidence(
                source=text.source,
                passage=span.of(text.text),
                supports=given.supports,
                page=text.page_at(span.start),
                entry_id=text.entry_id,
            )
    shown.note("dropped", f"evidence not found where it is said to stand: {given.quote[:200]}")
    return None


def _borne(verdict: Verdict, conflict: Conflict, evidence: Sequence[Evidence]) -> bool:
    """Whether a verdict has a passage that bears it, from somebody who is not a party to the dispute."""
    if verdict == "inconclusive":
        return True
    if verdict == "both":
        return bool(evidence)
    parties = {claim.source for claim in conflict.claims}
    return any(item.supports == verdict and item.source not in parties for item in evidence)
