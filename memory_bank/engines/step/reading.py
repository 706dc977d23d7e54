"""Parse the result of a step from its messages: an answer sentence by sentence, or a verdict with its evidence.

The agent's answer is untrusted text. Its marks `[n12]` and `[r3]` must lead to a node of memory or to a tool result;
other marks are dropped and recorded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError

from memory_bank.agents.prompt import clean_text, unescape_quote
from memory_bank.agents.react import REACT, EnhancedPrompt, ImageRead, Quote, Statement, StepResult, Tools
from memory_bank.bank.conflict import Conflict, Evidence, Side, Verdict, Verification, sides_quoted
from memory_bank.bank.errors import InvalidOutputError
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.message import Message
from memory_bank.bank.query_graph import Claim
from memory_bank.bank.usage import Remark
from memory_bank.engines.client.structured_output import parse_reply, split_reasoning
from memory_bank.judgement.alignment import locate_quotation
from memory_bank.judgement.conflict_relevance import relevant_conflicts
from memory_bank.judgement.grounding import Grounding, SourceText, figures_in
from memory_bank.search.embedding import Embedder
from memory_bank.text.sentences import sentences
from memory_bank.text.wording import Wording

EndReason = Literal["answer", "call_limit", "token_limit"]
MOST_SENTENCES = 60
_ANSWER = re.compile(r"<answer\b[^<>]*>(.*?)(?:</answer\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_TAGS = re.compile(r"<tool_call>.*?(?:</tool_call>|\Z)|</?(?:answer|tool_response)\b[^<>]*>", re.DOTALL | re.IGNORECASE)
_ID = r"(?:node\s+|节点\s*|conflict\s+|矛盾\s*)?[nrx]\d{1,9}"
_IDS = rf"{_ID}(?:\s*(?:[,;，；、&]|and\b|和|与)\s*{_ID})*\s*(?:[:：][^\[\]\n]{{0,80}})?"
_ONE_MARK = rf"(?:[\[【]\s*{_IDS}[\]】]|[(（]\s*(?!x){_IDS}[)）])"
"""In round brackets no conflict stands first: "(x2)" is "twice"."""
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
    """A passage that the agent gives as evidence."""

    cite: str = Field(description="where it stands: n12 or r3")
    quote: str = Field(description="the passage, word for word")
    supports: Side | Literal["none"]


class VerdictReply(BaseModel):
    """The verdict on a conflict, as the agent writes it."""

    verdict: Verdict
    reason: str
    confidence: float
    evidence: list[EvidenceReply]


class FurtherReply(VerdictReply):
    """A verdict on another conflict."""

    conflict: str


class VerificationReply(VerdictReply):
    """The verdict of a cross-validation, and those on other conflicts that its evidence settles.

    Those are read one by one (`FurtherReply`), so that a mistake in one spoils no other.
    """

    also: list[Any] = Field(default_factory=list)


def answer_text(last_message: str) -> str:
    """The answer in an agent's last message: the last non-empty `<answer>`, or the whole text without one."""
    text, _reasoning = split_reasoning(last_message)
    tagged = [answer for content in _ANSWER.findall(text) if (answer := _TAGS.sub("", content).strip())]
    return tagged[-1] if tagged else _TAGS.sub("", text).strip()


@dataclass
class _Sources:
    """The texts that a mark can cite: nodes of memory, and tool results by number. Collects the remarks too."""

    prompt: EnhancedPrompt
    marked: Mapping[int, Message]
    tools: Tools
    conflicts: tuple[Conflict, ...] = ()
    remarks: list[Remark] = field(default_factory=list)
    barring: set[str] = field(default_factory=set)
    """Ids of the conflicts for which a sentence was left out."""

    def __post_init__(self) -> None:
        self.conflicts = self.tools.conflicts()

    def note(self, kind: Literal["dropped", "repaired"], what: str) -> None:
        self.remarks.append(Remark(kind=kind, what=what))

    def texts(self, mark: str) -> list[SourceText]:
        """The texts that a mark cites; none for an unknown mark."""
        if mark[0] not in "nrx":
            return []
        number = int(mark[1:])
        if mark[0] == "x":
            conflict = self.conflict(f"x{number}")
            return [*self._claims(conflict), *_evidence_texts(conflict)] if conflict else []
        if mark[0] == "r":
            message = self.marked.get(number)
            if message is None:
                return []
            pages = ((0, message.page),) if message.page else ()
            return [SourceText(message.source or message.name or "", message.content, pages=pages)]
        entries = self.tools.deep_retrieval(f"n{number}")
        return [
            SourceText(
                str(entry.metadata.get("source", "")), entry.text, entry.id, self._barred(entry.id), _pages(entry)
            )
            for entry in entries
            if "conflict_id" not in entry.metadata  # the record of a verification makes no claims of its own
        ]

    def conflict(self, mark: str) -> Conflict | None:
        """The conflict of a mark."""
        return next((conflict for conflict in self.conflicts if conflict.id == mark), None)

    def _claims(self, conflict: Conflict) -> list[SourceText]:
        """The claims of a conflict where they stand; the refuted ones are barred.

        Those of an undecided one are not: told together they are the dispute.
        """
        nodes = (conflict.merged_into,) if conflict.merged_into else conflict.node_ids
        entries = {entry.id: entry for node in nodes for entry in self.tools.deep_retrieval(node)}
        texts = []
        for claim in conflict.parties:
            entry = entries.get(claim.entry_id)
            text = entry.text[claim.start : claim.end] if entry else claim.text
            barred = ((0, len(text)),) if claim in conflict.refuted else ()
            pages = ((0, claim.page),) if claim.page else ()
            texts.append(SourceText(claim.source, text, claim.entry_id, barred, pages, claim.start))
        return texts

    def all_marks(self) -> list[str]:
        """Every valid mark."""
        node_ids = [node.id for node in self.prompt.nodes]
        return [*node_ids, *(f"r{number}" for number in self.marked)]

    def _barred(self, entry_id: str) -> tuple[tuple[int, int], ...]:
        barred = (claim for conflict in self.conflicts for claim in conflict.barred)
        return tuple((claim.start, claim.end) for claim in barred if claim.entry_id == entry_id)


def _evidence_texts(conflict: Conflict) -> list[SourceText]:
    return [SourceText(each.source, each.passage, each.entry_id) for each in conflict.evidence]


def _pages(entry: Entry) -> tuple[tuple[int, int], ...]:
    """The start of each page in an entry, with its number; an entry within one page has only that page."""
    first = [(0, entry.metadata["page"])] if entry.metadata.get("page") else []
    return tuple((start, page) for start, page in (*first, *entry.metadata.get("pages", ())))


def new_tool_results(messages: Sequence[Message]) -> list[Message]:
    """The new tool results of a step in order: the first is `[r1]`."""
    return [message for message in messages if message.role == "tool" and not message.from_memory]


def read_step(
    prompt: EnhancedPrompt,
    messages: Sequence[Message],
    tools: Tools,
    grounding: Grounding,
    ended: EndReason = "answer",
    *,
    marked: Mapping[int, Message] | None = None,
) -> StepResult:
    """Parse the result of a step from its messages, the last of which is the agent's answer.

    `marked` are the tool results by number, where that is not the order of the messages. `InvalidOutputError` when the
    answer lacks the verdict asked for, or says nothing about the image to be read.
    """
    sources = _Sources(
        prompt, dict(enumerate(new_tool_results(messages), start=1)) if marked is None else marked, tools
    )
    last_message = next((message.content for message in reversed(messages) if message.role == "assistant"), "")
    text = answer_text(last_message)
    if prompt.conflict is not None:
        verification, also = _verifications(prompt.conflict, text, sources)
        result = verdict_result(verification, tuple(messages))
        return result.model_copy(update={"also": also, "ended": ended, "remarks": tuple(sources.remarks)})
    if prompt.image is not None:
        description = _DESCRIPTION.search(last_message)
        text = (description[1] if description else text).strip()
        if not text:
            raise InvalidOutputError(REACT, "the answer holds nothing of the image", said=last_message)
        image = ImageRead(id=prompt.image.source.id, described=description is not None)
        return StepResult(answer=text, messages=tuple(messages), image=image, ended=ended)
    # A mark after the full stop belongs to the sentence before it.
    text = _MARKS_AFTER_STOP.sub(lambda match: f" {match[2].strip()}{match[1]} ", text)
    statements = _statements(text, sources, grounding)
    return StepResult(
        answer="\n".join(_plain(line) for line in text.splitlines()).strip(),
        messages=tuple(messages),
        statements=tuple(statements),
        conflicts=_relevant_conflicts(prompt, statements, sources, grounding.embedder),
        ended=ended,
        remarks=tuple(sources.remarks),
    )


def verdict_result(verification: Verification, messages: tuple[Message, ...] = ()) -> StepResult:
    """A verdict as the result of a step; without messages it was known before."""
    found = Wording("{verdict}: {reason}", verdict=Wording(verification.verdict), reason=verification.reason)
    said = messages or (Message(role="assistant", content=found),)
    return StepResult(answer=found, messages=said, verification=verification)


# -- an answer -----------------------------------------------------------------------------------------------


def _statements(text: str, sources: _Sources, grounding: Grounding) -> list[Statement]:
    spans = sentences(text)
    if len(spans) > MOST_SENTENCES:
        sources.note("dropped", Wording("all of the answer after its first {number} sentences", number=MOST_SENTENCES))
    statements = (_statement(span.of(text), sources, grounding) for span in spans[:MOST_SENTENCES])
    return [statement for statement in statements if statement is not None]


def _statement(sentence: str, sources: _Sources, grounding: Grounding) -> Statement | None:
    """A sentence with its quotes; None for a heading, for no words, and for a disputed or refuted claim."""
    plain = _plain(sentence)
    if not re.search(r"\w", plain):
        return None
    marks = [
        mark.lower() for group in _MARK.findall(sentence) for mark in re.findall(r"[nrx]\d+", group, re.IGNORECASE)
    ]
    unknown = [mark for mark in [*marks, *_NUMBER_IN_BRACKETS.findall(sentence)] if not sources.texts(mark)]
    if unknown:
        sources.note("dropped", Wording("marks that lead nowhere: {marks}", marks=", ".join(unknown)[:200]))
    cited, all_texts = _texts(marks, sources), _texts(sources.all_marks(), sources)
    quotes = grounding.quotes(plain, cited) or grounding.quotes(plain, all_texts)
    disputes = [conflict for mark in marks if (conflict := sources.conflict(mark)) and conflict.undecided]
    barred = () if quotes else grounding.quotes(plain, [replace(text, barred=()) for text in cited or all_texts])
    barring = [each for each in disputes if _takes_side(quotes, each)]
    # A passage with other figures than the sentence's is not what the sentence says, whatever it shares with it.
    stated = figures_in(plain, to_be_borne=True)
    barred = tuple(quote for quote in barred if not stated or stated & figures_in(quote.text))
    barring += [each for each in sources.conflicts if _overlaps(each.barred, barred)]
    if barring:
        # The answer tells those conflicts itself: disputes with both sides, refuted claims with the reason.
        sources.barring.update(conflict.id for conflict in barring)
        ids = ", ".join(conflict.id for conflict in barring)
        sources.note("dropped", f"rests on a claim that is disputed or refuted ({ids}): {plain[:200]}")
        return None
    if not quotes and _HEADING.match(_MARK.sub("", sentence)):
        sources.note("dropped", Wording("a heading, no sentence: {text}", text=plain[:200]))
        return None
    if not quotes:
        sources.note("dropped", Wording("not affirmed, no passage bears it: {text}", text=plain[:200]))
    return Statement(quotes=quotes, text=plain)


def _takes_side(quotes: Sequence[Quote], conflict: Conflict) -> bool:
    """Whether some passages are from one side of an undecided conflict without the other."""
    return len(set(sides_quoted(conflict, ((quote.entry_id, quote.start, quote.end) for quote in quotes)))) == 1


def _overlaps(claims: Sequence[Claim], quotes: Sequence[Quote]) -> bool:
    return any(claim.overlaps(quote.entry_id, quote.start, quote.end) for claim in claims for quote in quotes)


def _plain(text: str) -> str:
    """The text as a person reads it: without marks, numbers that look like citations, and Markdown."""
    text = _LEANING.sub("", text)
    for pattern in (_MARK, _NUMBER_IN_BRACKETS, _EMPTY_BRACKETS, _LIST_MARKER, _EMPHASIS):
        text = pattern.sub("", text)
    return _SPACE_BEFORE_STOP.sub("", clean_text(text))


def _texts(marks: Sequence[str], sources: _Sources) -> list[SourceText]:
    return [text for mark in dict.fromkeys(marks) for text in sources.texts(mark)]


def _relevant_conflicts(
    prompt: EnhancedPrompt, statements: Sequence[Statement], sources: _Sources, embedder: Embedder
) -> tuple[str, ...]:
    """Ids of conflicts about the task, with a claim in a quoted passage, or for which a sentence was left out."""
    goal = prompt.insight_doc.task_goal
    about_goal = {conflict.id for conflict in relevant_conflicts(goal, sources.conflicts, embedder)}
    quoted = [quote for statement in statements for quote in statement.quotes]
    return tuple(
        conflict.id
        for conflict in sources.conflicts
        if conflict.id in about_goal | sources.barring or _overlaps(conflict.parties, quoted)
    )


# -- a verdict -----------------------------------------------------------------------------------------------


def _verifications(conflict: Conflict, text: str, sources: _Sources) -> tuple[Verification, tuple[Verification, ...]]:
    """The verdict on the conflict of the step, and those on other conflicts that are settled by it."""
    try:
        reply = parse_reply(text, VerificationReply)
    except ValueError as error:
        raise InvalidOutputError(
            REACT, Wording("the verdict cannot be read: {reason}", reason=error), said=text
        ) from None
    others = {other.id: other for other in sources.prompt.others}
    also = dict[str, Verification]()
    for said in reply.also:
        try:
            further = FurtherReply.model_validate(said)
        except ValidationError:
            sources.note("dropped", f"a further verdict that cannot be read: {str(said)[:200]}")
            continue
        other = others.get(further.conflict.strip(" []").lower())
        if other is None or other.id in also:
            sources.note("dropped", f"a verdict on {further.conflict[:60]!r}, which was not asked for")
            continue
        verification = _verification(other, further, sources)
        if verification.verdict != "inconclusive":  # it was not searched for, so it stays open
            also[other.id] = verification
    return _verification(conflict, reply, sources), tuple(also.values())


def _verification(conflict: Conflict, reply: VerdictReply, sources: _Sources) -> Verification:
    evidence = tuple(item for cited in reply.evidence if (item := _evidence(cited, sources)) is not None)
    verdict, reason = reply.verdict, clean_text(reply.reason, 1_000)
    if not _is_supported(verdict, conflict, evidence, sources.prompt.references):
        sources.note("repaired", Wording("verdict {verdict} without a passage that bears it", verdict=Wording(verdict)))
        reason = Wording(
            "No passage outside the two documents bears the verdict {verdict}. {reason}",
            verdict=Wording(verdict),
            reason=reason,
        )
        verdict = "inconclusive"
    return Verification(
        conflict_id=conflict.id,
        verdict=verdict,
        reason=reason,
        confidence=min(max(reply.confidence, 0.0), 1.0),
        evidence=evidence,
    )


def _evidence(cited: EvidenceReply, sources: _Sources) -> Evidence | None:
    """The passage in the words of the text that the agent cites; None where it is not there, or bears on neither."""
    if cited.supports == "none":
        return None
    marks = re.findall(r"(?<![a-z\d])[nr]\d{1,9}(?!\w)", cited.cite.lower())
    for text in _texts(marks, sources):
        span = locate_quotation(unescape_quote(cited.quote), text.text)
        if span is not None:
            return Evidence(
                source=text.source,
                passage=span.of(text.text),
                supports=cited.supports,
                page=text.page_at(span.start),
                entry_id=text.entry_id,
            )
    sources.note("dropped", Wording("evidence not found where it is said to stand: {text}", text=cited.quote[:200]))
    return None


def _is_supported(
    verdict: Verdict, conflict: Conflict, evidence: Sequence[Evidence], references: Sequence[str]
) -> bool:
    """Whether evidence supports a verdict.

    For a side, it must come from a source that is no party to the dispute, or from a reference: that was given to check
    against, also where the conflict was opened by comparing a document with it.
    """
    if verdict == "inconclusive":
        return True
    if verdict == "both":
        return bool(evidence)
    parties = {claim.source for claim in conflict.claims} - set(references)
    return any(item.supports == verdict and item.source not in parties for item in evidence)
