"""Cross-validation without a model: passages for and against each side are gathered, weighed, and decided.

The reference library is asked first, then the other documents in memory. A document is one voice however often
it says a thing, and copies of one text are one voice. Too little evidence is `inconclusive`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory_bank.agents.react import EnhancedPrompt, StepResult, Tools
from memory_bank.bank.conflict import Conflict, Evidence, Side, Verdict, Verification
from memory_bank.bank.message import Message
from memory_bank.bank.query_graph import Claim
from memory_bank.engines.offline.claims import ClaimText, claim_features, extract_claims
from memory_bank.engines.offline.comparison import Difference, Relation, compare, document_claims
from memory_bank.engines.offline.subjects import SubjectKind, topic_words
from memory_bank.engines.offline.tokens import tokenise
from memory_bank.engines.offline.values import Agreement, agreement, extract_values
from memory_bank.modules.sentences import sentences
from memory_bank.modules.tokens import tokenize, words

REFERENCE_VOICE = 2.0
"""A reference source speaks this much louder than a document of the material: the person named it to check against."""
MATERIAL_VOICE = 1.0
ENOUGH = 1.0
"""How much louder one side must be than the other."""


@dataclass(frozen=True)
class _Found:
    """A statement that speaks to the conflict."""

    evidence: Evidence
    voice: float


def verify(prompt: EnhancedPrompt, conflict: Conflict, tools: Tools) -> StepResult:
    """A verdict on a conflict, with every passage that was weighed."""
    point = _Point.of(conflict, tools)
    queries = dict.fromkeys([conflict.claims[0].text, conflict.claims[1].text, conflict.description])
    found = _from_references(point, queries, tools)
    found += _from_memory(conflict, point, prompt, tools)
    found = _one_voice_each(found)
    verdict, confidence, reason = _decide(conflict, found)
    verification = Verification(
        conflict_id=conflict.id,
        verdict=verdict,
        reason=reason,
        confidence=confidence,
        evidence=tuple(item.evidence for item in found),
    )
    return StepResult(
        answer=f"{_VERDICT_WORDS[verdict]} {reason}",
        messages=_messages(prompt, conflict, tuple(queries), verification),
        verification=verification,
    )


_VERDICT_WORDS: dict[Verdict, str] = {
    "first": "The first claim holds.",
    "second": "The second claim holds.",
    "both": "Both claims hold.",
    "neither": "Neither claim holds.",
    "inconclusive": "It cannot be settled.",
}


@dataclass(frozen=True)
class _Point:
    """What is in dispute: the claims, the values in which they differ, and the stems that name what they are about."""

    claims: tuple[ClaimText, ClaimText]
    difference: Difference | None
    subject: frozenset[str]

    @classmethod
    def of(cls, conflict: Conflict, tools: Tools) -> _Point:
        topic = _topic(conflict, tools)
        first, second = (ClaimText(claim.text, topic) for claim in conflict.claims)
        subjects = [claim_features(claim).subject for claim in (first, second)]
        named = [subject.words for subject in subjects if subject.kind is SubjectKind.NAME and subject.words]
        return cls((first, second), compare(first, second).difference, min(named, key=len, default=topic_words(topic)))


def _topic(conflict: Conflict, tools: Tools) -> str:
    """The title of the documents, or else the name that the claims of the first node point to."""
    entries = [entry for node_id in conflict.node_ids for entry in tools.deep_retrieval(node_id)]
    titles = (str(entry.metadata["title"]) for entry in entries if "title" in entry.metadata)
    guesses = (document_claims(_statements(entry.text)).topic for entry in entries)
    return next(titles, "") or next((guess for guess in guesses if guess), "")


def _from_references(point: _Point, queries: Iterable[str], tools: Tools) -> list[_Found]:
    passages = {(p.source_id, p.start): p for query in queries for p in tools.search(query)}
    found = []
    for passage in passages.values():
        for text in _statements(passage.text):
            side = _side(point, text, passage.text)
            if side is not None:
                evidence = Evidence(source=passage.source, passage=text, supports=side, page=passage.page)
                found.append(_Found(evidence, REFERENCE_VOICE))
    return found


def _from_memory(conflict: Conflict, point: _Point, prompt: EnhancedPrompt, tools: Tools) -> list[_Found]:
    """What documents other than the two that disagree, and copies of these, say."""
    parties = {claim.source for claim in conflict.claims}
    nodes = {node.id: node for claim in conflict.claims for node in tools.research(claim.text)}
    nodes |= {node.id: node for node in prompt.nodes}
    claims = [claim for node in nodes.values() for claim in node.claims]
    unheard = parties | _copies(claims, parties)
    found = []
    for claim in claims:
        side = None if claim.source in unheard else _side(point, claim.text, claim.text)
        if side is not None:
            evidence = Evidence(
                source=claim.source,
                passage=claim.text,
                supports=side,
                page=claim.page,
                entry_id=claim.entry_id,
            )
            found.append(_Found(evidence, MATERIAL_VOICE))
    return found


def _copies(claims: Sequence[Claim], parties: set[str]) -> set[str]:
    """Sources that say mostly what one of the parties says word for word, in two statements or more."""
    theirs = {_wording(claim.text) for claim in claims if claim.source in parties}
    repeated: dict[str, list[bool]] = {}
    for claim in claims:
        repeated.setdefault(claim.source, []).append(_wording(claim.text) in theirs)
    return {source for source, same in repeated.items() if sum(same) >= 2 and 2 * sum(same) > len(same)}


def _statements(text: str) -> list[str]:
    return [claim.text for claim in extract_claims(text, sentences(text))]


def _side(point: _Point, text: str, around: str) -> Side | None:
    """Which side a statement supports; "neither" if it contradicts both; None if it does not speak to it.

    It supports the side whose disputed value it gives, on the same subject and attribute. `around` is the passage
    that the statement stands in, which may name the subject for it.
    """
    spoken = ClaimText(text, point.claims[0].topic)
    first, second = (compare(claim, spoken).relation for claim in point.claims)
    if first is Relation.CONTRADICT and second is Relation.CONTRADICT:
        return "neither"
    difference = point.difference
    if difference is None:
        gives_first, gives_second = first is Relation.AGREE, second is Relation.AGREE
    else:
        gives_first, gives_second = _gives(text, difference.first.text), _gives(text, difference.second.text)
    alike = Relation.AGREE in (first, second) or Relation.CONTRADICT in (first, second)
    if gives_first is gives_second or not (alike or _same_attribute(point, text, around)):
        return None
    return "first" if gives_first else "second"


def _same_attribute(point: _Point, text: str, around: str) -> bool:
    """Whether a statement gives the disputed attribute, in a passage that names the subject: "Published 1987"."""
    if point.difference is None or not point.subject:
        return False
    attributes = {fact.attribute for fact in claim_features(ClaimText(text)).facts}
    attributes |= {f"count:{token.key}" for token in tokenise(text)[0]}  # "floors: 45" counts floors
    named = point.subject <= {token.key for token in tokenise(around)[0]}
    return named and point.difference.attribute in attributes


def _gives(text: str, disputed: str) -> bool:
    """Whether a statement gives a disputed value, in whatever unit or form; words are looked for as they are."""
    values = extract_values(disputed)
    if not values:
        return " ".join(tokenize(disputed)) in " ".join(tokenize(text))
    return any(agreement(values[0], said) is Agreement.SAME for said in extract_values(text))


def _one_voice_each(found: list[_Found]) -> list[_Found]:
    """One piece for each source and side, the loudest first; none for a source that only repeats another one."""
    voices: dict[tuple[str, Side], list[_Found]] = {}
    for item in sorted(found, key=lambda item: -item.voice):
        voices.setdefault((item.evidence.source, item.evidence.supports), []).append(item)
    kept = []
    said: set[tuple[str, Side]] = set()
    for (_source, side), items in voices.items():
        own = [item for item in items if (_wording(item.evidence.passage), side) not in said]
        kept += own[:1]
        said |= {(_wording(item.evidence.passage), side) for item in items}
    return kept


def _wording(text: str) -> str:
    """What copies of a text have in common, however they are set."""
    return " ".join(words(text))


def _decide(conflict: Conflict, found: list[_Found]) -> tuple[Verdict, float, str]:
    weight = {side: sum(item.voice for item in found if item.evidence.supports == side) for side in _SIDES}
    voices = {side: [item.evidence.source for item in found if item.evidence.supports == side] for side in _SIDES}
    if not found:
        return "inconclusive", 0.5, "No other source speaks to it."
    ranked = sorted(_SIDES, key=lambda side: -weight[side])
    best, following = ranked[0], ranked[1]
    margin = weight[best] - weight[following]
    if margin < ENOUGH:
        reason = f"The sources are divided: {_count(voices)}."
        return "inconclusive", 0.5, reason
    confidence = round(min(0.95, max(0.5, 0.6 + 0.13 * margin - 0.05 * weight[following])), 2)
    supporters = ", ".join(voices[best])
    if best == "neither":
        return "neither", confidence, f"{supporters} contradicts both."
    claim = conflict.claims[0] if best == "first" else conflict.claims[1]
    against = f"; against it: {', '.join(voices[following])}" if voices[following] else ""
    return best, confidence, f"{supporters} supports {claim.source}: “{_flat(claim.text)}”{against}."


_SIDES: tuple[Side, ...] = ("first", "second", "neither")


def _count(voices: dict[Side, list[str]]) -> str:
    stands = {"first": "for the first", "second": "for the second", "neither": "against both"}
    return ", ".join(f"{', '.join(voices[side])} {stands[side]}" for side in _SIDES if voices[side])


def _messages(
    prompt: EnhancedPrompt, conflict: Conflict, queries: tuple[str, ...], verification: Verification
) -> tuple[Message, ...]:
    sides = "\n".join(
        f"{which}: {claim.source}: {claim.text}"
        for which, claim in zip(("First", "Second"), conflict.claims, strict=True)
    )
    heard = tuple(
        Message(
            role="tool",
            name="search" if evidence.entry_id is None else "deep_retrieval",
            content=f"{evidence.source}: {evidence.passage}\n(supports: {evidence.supports})",
            source=evidence.source,
            page=evidence.page,
            from_memory=evidence.entry_id is not None,
        )
        for evidence in verification.evidence
    )
    asked = "Searched for:\n" + "\n".join(queries)
    verdict = f"Verdict: {verification.verdict} ({verification.confidence:.2f}). {verification.reason}"
    return (
        Message(role="user", content=f"{prompt.task.description}\n{sides}"),
        Message(role="assistant", content=asked),
        *heard,
        Message(role="assistant", content=verdict),
    )


def _flat(text: str) -> str:
    return " ".join(text.split())
