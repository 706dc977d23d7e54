"""What a step brought, read from its messages: an answer sentence by sentence, or a verdict with its evidence.

The last word of the acting agent is text like any other. Its marks `[n12]` and `[r3]` must lead to memory or to what
a tool brought; what they do not lead to is dropped, and noted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import BaseModel, Field

from memory_bank.agents.react import REACT, EnhancedPrompt, Statement, StepResult, Tools
from memory_bank.bank.conflict import Conflict, Evidence, Side, Verdict, Verification
from memory_bank.bank.message import Message
from memory_bank.bank.usage import Remark
from memory_bank.engines.llm.alignment import find
from memory_bank.engines.llm.grounding import Text, ground
from memory_bank.engines.llm.prompt import as_written, clean
from memory_bank.engines.llm.structured_output import parse_reply
from memory_bank.engines.offline.bearing import bearing_on
from memory_bank.errors import InvalidOutputError
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.sentences import sentences

Ended = Literal["answer", "call_limit", "token_limit"]
MOST_SENTENCES = 60
_ANSWER = re.compile(r"<answer>(.*?)(?:</answer>|\Z)", re.DOTALL | re.IGNORECASE)
_TAGS = re.compile(r"<tool_call>.*?(?:</tool_call>|\Z)|</?(?:answer|tool_response)>", re.DOTALL | re.IGNORECASE)
_MARK = re.compile(r"\[((?:[nr]\d{1,9})(?:\s*[,;，、]\s*[nr]\d{1,9})*)\]", re.IGNORECASE)
_MARKS_AFTER_STOP = re.compile(r"([.!?。！？]+[\"”’)]*)\s*((?:\[(?:[nr]\d{1,9}[\s,;，、]*)+\]\s*)+)", re.IGNORECASE)


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
    """The answer in what an agent said last: inside its tag, or all of it when it forgot the tag."""
    tagged = _ANSWER.search(said)
    return _TAGS.sub("", tagged[1] if tagged else said).strip()


@dataclass
class _Shown:
    """What the step could rest on: memory by node, and what its tools brought, by number."""

    prompt: EnhancedPrompt
    messages: Sequence[Message]
    tools: Tools
    conflicts: tuple[Conflict, ...] = ()
    remarks: list[Remark] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.conflicts = self.tools.conflicts()
        self._brought = brought(self.messages)

    def texts(self, mark: str) -> list[Text]:
        """What a mark leads to; nothing for one that leads nowhere."""
        number = int(mark[1:])
        if mark[0].lower() == "r":
            if not 1 <= number <= len(self._brought):
                return []
            message = self._brought[number - 1]
            return [Text(message.source or message.name or "", message.content)]
        entries = self.tools.deep_retrieval(f"n{number}")
        return [
            Text(str(entry.metadata.get("source", "")), entry.text, entry.id, self._barred(entry.id))
            for entry in entries
            if "conflict_id" not in entry.metadata  # the record of a verification makes no claims of its own
        ]

    def all_marks(self) -> list[str]:
        """Every mark that could have been made."""
        known = [node.id for node in self.prompt.nodes]
        return [*known, *(f"r{number}" for number in range(1, len(self._brought) + 1))]

    def _barred(self, entry_id: str) -> tuple[tuple[int, int], ...]:
        barred = [
            claim
            for conflict in self.conflicts
            for claim in (conflict.refuted if conflict.status == "resolved" else conflict.claims)
            if conflict.verdict != "both"
        ]
        return tuple((claim.start, claim.end) for claim in barred if claim.entry_id == entry_id)

    def page(self, mark: str) -> int | None:
        """The page of what a tool brought."""
        number = int(mark[1:])
        return self._brought[number - 1].page if mark[0].lower() == "r" else None


def brought(messages: Sequence[Message]) -> list[Message]:
    """What the tools of a step brought that is new, in order: number 1 is `[r1]`."""
    return [message for message in messages if message.role == "tool" and not message.from_memory]


def read_step(
    prompt: EnhancedPrompt, messages: Sequence[Message], tools: Tools, embedder: Embedder, ended: Ended = "answer"
) -> StepResult:
    """A step's result from its messages, the last of which is the agent's answer.

    `InvalidOutputError` when a verdict is asked for and the answer holds none.
    """
    shown = _Shown(prompt, messages, tools)
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
    statements = _statements(text, shown, embedder)
    return StepResult(
        answer=_MARK.sub("", text).strip(),
        messages=tuple(messages),
        statements=tuple(statements),
        conflicts=_bearing(prompt, statements, shown, embedder),
        ended=ended,
        remarks=tuple(shown.remarks),
    )


# -- an answer -----------------------------------------------------------------------------------------------


def _statements(text: str, shown: _Shown, embedder: Embedder) -> list[Statement]:
    # A mark after the full stop belongs to the sentence before it.
    moved = _MARKS_AFTER_STOP.sub(lambda match: f" {match[2].strip()}{match[1]} ", text)
    found = []
    for span in sentences(moved)[:MOST_SENTENCES]:
        marked = span.of(moved)
        written = clean(_MARK.sub("", marked)).replace(" .", ".").lstrip("-*•# ")
        if not re.search(r"\w", written):
            continue
        marks = [mark for group in _MARK.findall(marked) for mark in re.findall(r"[nr]\d+", group, re.IGNORECASE)]
        cited, every = _texts(marks, shown), _texts(shown.all_marks(), shown)
        quotes = ground(written, cited, embedder) or ground(written, every, embedder)
        if not quotes and ground(written, [replace(text, barred=()) for text in every], embedder):
            # The answer states disputes by itself, with both sides, and what was refuted with the reason.
            shown.remarks.append(Remark(kind="dropped", what=f"rests on a disputed or refuted claim: {written[:200]}"))
            continue
        if not quotes:
            shown.remarks.append(Remark(kind="dropped", what=f"not affirmed, no passage bears it: {written[:200]}"))
        found.append(Statement(quotes=quotes, text=written))
    return found


def _texts(marks: Sequence[str], shown: _Shown) -> list[Text]:
    return [text for mark in dict.fromkeys(marks) for text in shown.texts(mark)]


def _bearing(
    prompt: EnhancedPrompt, statements: Sequence[Statement], shown: _Shown, embedder: Embedder
) -> tuple[str, ...]:
    """Conflicts about the task, and those with a claim in an entry that is quoted."""
    goal = prompt.insight_doc.task_goal
    close = {conflict.id for conflict in bearing_on(goal, shown.conflicts, embedder)}
    quoted = {(quote.entry_id, quote.start) for statement in statements for quote in statement.quotes}
    return tuple(
        conflict.id
        for conflict in shown.conflicts
        if conflict.id in close or any((claim.entry_id, claim.start) in quoted for claim in conflict.claims)
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
        shown.remarks.append(Remark(kind="repaired", what=f"verdict {verdict!r} without a passage that bears it"))
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
    match = re.fullmatch(r"\[?([nr]\d{1,9})\]?", given.cite.strip(), re.IGNORECASE)
    for text in shown.texts(match[1]) if match else ():
        span = find(as_written(given.quote), text.text)
        if span is not None and match is not None:
            return Evidence(
                source=text.source,
                passage=span.of(text.text),
                supports=given.supports,
                page=shown.page(match[1]),
                entry_id=text.entry_id,
            )
    shown.remarks.append(
        Remark(kind="dropped", what=f"evidence not found where it is said to stand: {given.quote[:200]}")
    )
    return None


def _borne(verdict: Verdict, conflict: Conflict, evidence: Sequence[Evidence]) -> bool:
    """Whether a verdict has a passage that bears it, from somebody who is not a party to the dispute."""
    if verdict == "inconclusive":
        return True
    if verdict == "both":
        return bool(evidence)
    parties = {claim.source for claim in conflict.claims}
    return any(item.supports == verdict and item.source not in parties for item in evidence)
