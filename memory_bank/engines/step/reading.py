"""Parse the result of a step from its messages: an answer sentence by sentence, or a verdict with its evidence.

The agent's answer is untrusted text. Its marks `[n12]` and `[r3]` must lead to a node of memory or to a tool result;
other marks are dropped and recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError

from memory_bank.agents.prompt import clean_text, unescape_quote
from memory_bank.agents.react import REACT, AnswerStatement, EnhancedPrompt, ImageRead, Quote, StepResult, Tools
from memory_bank.bank.conflict import Conflict, Evidence, Side, Verdict, Verification, sides_quoted
from memory_bank.bank.errors import InvalidOutputError
from memory_bank.bank.message import Message
from memory_bank.bank.query_graph import Claim
from memory_bank.engines.client.structured_output import parse_reply, split_reasoning
from memory_bank.engines.step.marks import (
    NUMBER_IN_BRACKETS,
    heading_of,
    is_heading,
    marks_in,
    strip_markup,
    with_marks_inside,
)
from memory_bank.engines.step.sources import Sources
from memory_bank.judgement.alignment import locate_quotation
from memory_bank.judgement.conflict_relevance import conflicts_on_goal
from memory_bank.judgement.grounding import (
    MOST_QUOTES,
    Grounding,
    OpenSentence,
    Passage,
    SecondLook,
    SecondReading,
    SourceText,
    Support,
    figures_in,
)
from memory_bank.search.embedding import Embedder
from memory_bank.text.sentences import sentences
from memory_bank.text.tokens import tokenize
from memory_bank.text.wording import Wording

EndReason = Literal["answer", "call_limit", "token_limit"]
MOST_SENTENCES = 60
_ANSWER = re.compile(r"<answer\b[^<>]*>(.*?)(?:</answer\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_TAGS = re.compile(r"<tool_call>.*?(?:</tool_call>|\Z)|</?(?:answer|tool_response)\b[^<>]*>", re.DOTALL | re.IGNORECASE)
_DESCRIPTION = re.compile(r"<description>\s*(\S.*?)\s*</description>", re.DOTALL | re.IGNORECASE)


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


def new_tool_results(messages: Sequence[Message]) -> list[Message]:
    """The new tool results of a step in order: the first is `[r1]`."""
    return [message for message in messages if message.is_material]


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
    sources = Sources(prompt, dict(enumerate(new_tool_results(messages), start=1)) if marked is None else marked, tools)
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
    text = with_marks_inside(text)
    asked = f"{prompt.insight_doc.task_goal} {prompt.task.description}"
    statements = list(_statements(text, asked, sources, grounding))
    return StepResult(
        answer="\n".join(strip_markup(line) for line in text.splitlines()).strip(),
        messages=tuple(messages),
        statements=tuple(statements),
        conflicts=_relevant_conflicts(prompt, statements, sources, grounding.embedder),
        ended=ended,
        remarks=tuple(sources.remarks),
    )


def verdict_result(verification: Verification, messages: tuple[Message, ...] = ()) -> StepResult:
    """A verdict as the result of a step; without messages it was known before."""
    answer = Wording("{verdict}: {reason}", verdict=Wording(verification.verdict), reason=verification.reason)
    messages = messages or (Message(role="assistant", content=answer),)
    return StepResult(answer=answer, messages=messages, verification=verification)


# -- an answer -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Sentence:
    """A sentence as written and in plain words, the texts that it cites, and the passages that support it.

    `nearest_cited` are the passages of those texts that are most similar to it, `barred` the passages that would
    support it but are disputed or refuted claims.
    """

    written: str
    text: str
    marks: tuple[str, ...]
    cited: tuple[SourceText, ...]
    nearest_cited: tuple[Passage, ...]
    support: Support
    barred: tuple[Quote, ...] = ()

    @property
    def open(self) -> bool:
        """Whether a second look can change what supports it; a heading needs no support."""
        return self.support.open and bool(self.support.quotes or not is_heading(self.written))

    def read_again(self, reading: SecondReading) -> _Sentence:
        """The sentence as the second look found it."""
        quotes = reading.quotes(self.text, self.support)
        barred = {passage.quote for passage in self.support.nearest if passage.barred}
        if barred.isdisjoint(quotes):
            return replace(self, support=replace(self.support, quotes=quotes))
        return replace(self, support=replace(self.support, quotes=()), barred=quotes)

    def shown_citations(self) -> tuple[Quote, ...]:
        """The nearest passage of each text that the sentence cites, to be shown though none supports it."""
        nearest = {
            (passage.quote.source, passage.quote.entry_id): passage.quote
            for passage in reversed(self.nearest_cited)
            if not passage.barred
        }
        return tuple(reversed(nearest.values()))[:MOST_QUOTES]


def _statements(text: str, asked: str, sources: Sources, grounding: Grounding) -> Iterator[AnswerStatement]:
    spans = sentences(text)
    if len(spans) > MOST_SENTENCES:
        sources.note("dropped", Wording("all of the answer after its first {number} sentences", number=MOST_SENTENCES))
    groups: list[tuple[str | None, list[_Sentence]]] = [(None, [])]
    for span in spans[:MOST_SENTENCES]:
        written = span.of(text)
        if heading := heading_of(written):
            groups.append((heading, []))
        elif (sentence := _grounded(written, sources, grounding)) is not None:
            groups[-1][1].append(sentence)
    shown = _shown_headings(groups, asked, sources)
    headings = [heading if heading in shown else None for heading, group in groups for _ in group]
    read = _read_again([sentence for _, group in groups for sentence in group], grounding.second_look)
    for heading, sentence in zip(headings, read, strict=True):
        statement = _statement(sentence, sources, grounding)
        if statement is not None:
            yield statement.model_copy(update={"heading": heading})


def _shown_headings(groups: Sequence[tuple[str | None, Sequence[_Sentence]]], asked: str, sources: Sources) -> set[str]:
    """The headings of an answer that has several: those of sentences that, with the task, have all their words.

    A heading is not grounded, so it may say nothing of its own.
    """
    known = set(tokenize(asked))
    headed = {
        heading
        for heading, group in groups
        if heading and group and set(tokenize(heading)) <= known.union(*(tokenize(one.text) for one in group))
    }
    shown = headed if len(headed) > 1 else set[str]()
    for heading, _ in groups:
        if heading and heading not in shown:
            sources.note("dropped", Wording("a heading, no sentence: {text}", text=heading))
    return shown


def _grounded(sentence: str, sources: Sources, grounding: Grounding) -> _Sentence | None:
    """A sentence with the passages that support it, of the texts it cites or else of any; None where it says nothing.

    What ends in a colon says nothing, whatever it cites; a question is supported by nothing.
    """
    text, marks = strip_markup(sentence), marks_in(sentence)
    if not re.search(r"\w", text):
        return None
    if text.endswith((":", "：")):
        sources.note("dropped", Wording("a heading, no sentence: {text}", text=text[:200]))
        return None
    if text.endswith(("?", "？")):
        return _Sentence(sentence, text, (), (), (), Support())
    unknown = [mark for mark in [*marks, *NUMBER_IN_BRACKETS.findall(sentence)] if not sources.texts(mark)]
    if unknown:
        sources.note("dropped", Wording("marks that lead nowhere: {marks}", marks=", ".join(unknown)[:200]))
    cited = tuple(_texts(marks, sources))
    support = in_cited = grounding.support(text, cited)
    if not in_cited.quotes:
        elsewhere = grounding.support(text, _texts(sources.all_marks(), sources))
        found = elsewhere.nearest[: len(elsewhere.quotes)]
        if not in_cited.open:
            support = replace(elsewhere, open=elsewhere.open and (bool(cited) or elsewhere.similar))
        elif found:
            support = replace(elsewhere, nearest=tuple(dict.fromkeys((*in_cited.nearest, *found))))
    if support.open:
        support = replace(support, nearest=(*support.nearest, *_settling(support.nearest, sources)))
    return _Sentence(sentence, text, marks, cited, in_cited.nearest, support)


def _settling(passages: Sequence[Passage], sources: Sources) -> list[Passage]:
    """The passages on which verdicts about claims in these passages rest, without those that are among them."""
    quotes = [passage.quote for passage in passages]
    known = {(quote.source, quote.text) for quote in quotes}
    decided = (each for each in sources.conflicts if not each.undecided and _overlaps(each.parties, quotes))
    texts = (text for conflict in decided for text in sources.evidence(conflict))
    settling = {(each.quote.source, each.quote.text): each for text in texts for each in text.passages()}
    return [passage for key, passage in settling.items() if key not in known]


def _read_again(grounded: Sequence[_Sentence], second_look: SecondLook) -> list[_Sentence]:
    """The sentences, those left open as a second look reads them; there is none where nothing is open."""
    places = [place for place, sentence in enumerate(grounded) if sentence.open]
    befores = {place + 1: sentence.text for place, sentence in enumerate(grounded) if place not in places}
    asked = [
        OpenSentence(grounded[place].text, grounded[place].support.nearest, befores.get(place, "")) for place in places
    ]
    again = list(grounded)
    for place, reading in zip(places, second_look(asked) if asked else (), strict=True):
        if reading is not None:
            again[place] = grounded[place].read_again(reading)
    return again


def _statement(sentence: _Sentence, sources: Sources, grounding: Grounding) -> AnswerStatement | None:
    """A sentence with its quotes; None for a heading, and for a disputed or refuted claim."""
    text, quotes, barred = sentence.text, sentence.support.quotes, sentence.barred
    if not quotes and not barred:
        texts = sentence.cited or _texts(sources.all_marks(), sources)
        barred = grounding.quotes(text, [replace(each, barred=()) for each in texts])
    barring = _barring(sentence, barred, sources)
    if barring:
        # The answer tells those conflicts itself: disputes with both sides, refuted claims with the reason.
        sources.barring.update(conflict.id for conflict in barring)
        ids = ", ".join(conflict.id for conflict in barring)
        sources.note("dropped", f"rests on a claim that is disputed or refuted ({ids}): {text[:200]}")
        return None
    if quotes:
        return AnswerStatement(quotes=quotes, text=text)
    if is_heading(sentence.written):
        sources.note("dropped", Wording("a heading, no sentence: {text}", text=text[:200]))
        return None
    sources.note("dropped", Wording("not affirmed, no passage bears it: {text}", text=text[:200]))
    return AnswerStatement(quotes=(), text=text, cited=sentence.shown_citations())


def _barring(sentence: _Sentence, barred: Sequence[Quote], sources: Sources) -> list[Conflict]:
    """The conflicts that bar a sentence: it takes one side of them, or rests on a claim that they bar."""
    disputes = [conflict for mark in sentence.marks if (conflict := sources.conflict(mark)) and conflict.undecided]
    places = [(quote.entry_id, quote.start, quote.end) for quote in sentence.support.quotes]
    barring = [each for each in disputes if len(set(sides_quoted(each, places))) == 1]
    # A passage with other figures than the sentence's is not what the sentence says, whatever it shares with it.
    stated = figures_in(sentence.text, to_be_borne=True)
    barred = tuple(quote for quote in barred if not stated or stated & figures_in(quote.text))
    return barring + [each for each in sources.conflicts if _overlaps(each.barred, barred)]


def _overlaps(claims: Sequence[Claim], quotes: Sequence[Quote]) -> bool:
    return any(claim.overlaps(quote.entry_id, quote.start, quote.end) for claim in claims for quote in quotes)


def _texts(marks: Sequence[str], sources: Sources) -> list[SourceText]:
    return [text for mark in dict.fromkeys(marks) for text in sources.texts(mark)]


def _relevant_conflicts(
    prompt: EnhancedPrompt, statements: Sequence[AnswerStatement], sources: Sources, embedder: Embedder
) -> tuple[str, ...]:
    """Ids of conflicts about the task, with a claim in a quoted passage, or for which a sentence was left out."""
    goal = prompt.insight_doc.task_goal
    about_goal = {conflict.id for conflict in conflicts_on_goal(goal, sources.conflicts, embedder)}
    quoted = [quote for statement in statements for quote in statement.quotes]
    return tuple(
        conflict.id
        for conflict in sources.conflicts
        if conflict.id in about_goal | sources.barring or _overlaps(conflict.parties, quoted)
    )


# -- a verdict -----------------------------------------------------------------------------------------------


def _verifications(conflict: Conflict, text: str, sources: Sources) -> tuple[Verification, tuple[Verification, ...]]:
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


def _verification(conflict: Conflict, reply: VerdictReply, sources: Sources) -> Verification:
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


def _evidence(cited: EvidenceReply, sources: Sources) -> Evidence | None:
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
                title=text.title,
            )
    sources.note("dropped", Wording("evidence not found where it is said to stand: {text}", text=cited.quote[:200]))
    return None


def _is_supported(
    verdict: Verdict, conflict: Conflict, evidence: Sequence[Evidence], references: Sequence[str]
) -> bool:
    """Whether evidence supports a verdict: for a side, from a reference or a source that is no party to the dispute."""
    if verdict == "inconclusive":
        return True
    if verdict == "both":
        return bool(evidence)
    parties = {claim.source for claim in conflict.claims} - set(references)
    return any(item.supports == verdict and item.source not in parties for item in evidence)
