"""Answering without a model: the sentences that answer a question, quoted, the asked value first.

It extracts and does not write. A sentence that was refuted is never quoted, one in dispute is left to the
dispute, and when nothing in memory answers, the answer says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from memory_bank.agents.react import EnhancedPrompt, Quote, Statement, StepResult, Tools
from memory_bank.bank.answer import NO_ANSWER
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.message import Message
from memory_bank.bank.query_graph import Claim
from memory_bank.engines.offline.bearing import bearing_on
from memory_bank.engines.offline.claims import ClaimText, claim_features
from memory_bank.engines.offline.comparison import Relation, compare, document_claims
from memory_bank.engines.offline.expected import Expected
from memory_bank.engines.offline.subjects import SubjectKind
from memory_bank.engines.offline.summary import most_central, says_little
from memory_bank.engines.offline.values import ValueKind
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.sentences import sentences
from memory_bank.modules.span import Span
from memory_bank.modules.tokens import tokenize

ANSWERS = 0.45
"""Score from which a sentence answers a question at all."""
NEAR_BEST = 0.25
"""How far below the best sentence another may score and still be given."""
MOST_STATEMENTS = 5
MOST_WORDS = 90
MOST_SENTENCES = 400
SURE, FITTING, UNFIT = 0.3, 0.1, -0.2
"""What a sentence gains that gives the very attribute asked for, or a value of its kind, and loses that gives none."""
NAMES = frozenset({ValueKind.NAME})
TOPIC_SENTENCES = 6
TELLING = 4
"""Content words from which a sentence can stand for its document in an overview."""
_PARTS = re.compile(
    r"[?？;；]\s*|,\s*(?=(?:and\s+)?(?:when|how|who|where|which|what|why)\b)"
    r"|\s+and\s+(?=(?:when|how|who|where|which|what|why)\b)|[，,]\s*(?=(?:何时|多|谁|哪|什么))",
    re.IGNORECASE,
)


_OVERVIEW = re.compile(
    r"\b(?:summar(?:y|ise|ize)|overview|outline|key points|main points)\b"
    r"|\bwhat (?:is|are) (?:this|these|the) (?:document|text|file|paper|report|article)s? about\b"
    r"|\bwhat do(?:es)? (?:this|these|the) (?:document|text|file|paper|report|article)s? say\s*$"
    r"|总结|概述|摘要|讲了什么",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Sentence:
    """A sentence of an entry, with how well it answers."""

    entry: Entry
    span: Span
    text: str
    topic: str
    score: float = 0.0
    value: str | None = None


def answer(prompt: EnhancedPrompt, tools: Tools, embedder: Embedder) -> StepResult:
    """Quoted sentences for every part of the task; from the reference library what memory does not hold."""
    question = prompt.task.description
    conflicts = tools.conflicts()
    pool = _pool(prompt, tools, question)
    chosen: list[_Sentence] = []
    for part in _parts(question):
        if _OVERVIEW.search(part):
            chosen += _overview(pool, conflicts, chosen)
        else:
            chosen += _choose(part, pool, conflicts, embedder, chosen)
    bearing = _bearing(question, chosen, conflicts, embedder)
    if chosen or any(conflict.status == "disputed" for conflict in bearing):
        return _result(question, chosen, bearing)
    return _looked_up(question, bearing, tools)


def _parts(question: str) -> list[str]:
    parts = [part.strip() for part in _PARTS.split(question) if part and len(part.split()) + len(part) // 8 > 2]
    return parts or [question]


def _pool(prompt: EnhancedPrompt, tools: Tools, question: str) -> list[_Sentence]:
    """Sentences of the entries behind the nodes that bear on the question, best nodes first."""
    node_ids = [node.id for part in (question, *_parts(question)) for node in tools.research(part)]
    node_ids += [node.id for node in prompt.nodes]
    pool: list[_Sentence] = []
    for node_id in dict.fromkeys(node_ids):
        for entry in tools.deep_retrieval(node_id):
            if "conflict_id" in entry.metadata:  # the record of a verification speaks of claims, it makes none
                continue
            spans = sentences(entry.text)
            topic = str(entry.metadata.get("title") or _guessed_topic(entry.text, spans))
            pool += [_Sentence(entry, span, span.of(entry.text), topic) for span in spans]
        if len(pool) >= MOST_SENTENCES:
            break
    return [sentence for sentence in pool if not says_little(sentence.text)][:MOST_SENTENCES]


def _guessed_topic(text: str, spans: Sequence[Span]) -> str:
    """The name that a text without a title is about, as far as its first sentences show it."""
    return document_claims([span.of(text) for span in spans[:TOPIC_SENTENCES]]).topic


def _overview(pool: Sequence[_Sentence], conflicts: Sequence[Conflict], given: Sequence[_Sentence]) -> list[_Sentence]:
    """The sentence most central to each document, and then to other topics, for a task that asks what they say."""
    entries: dict[str, list[_Sentence]] = {}
    for sentence in pool:
        entries.setdefault(sentence.entry.id, []).append(sentence)
    first_of_source: dict[str, list[_Sentence]] = {}
    others = []
    for entry_id in sorted(entries, key=lambda entry_id: int(entry_id[1:])):
        telling = [sentence for sentence in entries[entry_id] if len(tokenize(sentence.text)) >= TELLING]
        group = [sentence for sentence in telling if not _set_aside(sentence, conflicts)]
        if not group:
            continue
        central = group[most_central([sentence.text for sentence in group])]
        if first_of_source.setdefault(str(central.entry.metadata["source"]), [central])[0] is not central:
            others.append(central)
    chosen: list[_Sentence] = []
    for sentence in [*(item[0] for item in first_of_source.values()), *others]:
        if len(chosen) < MOST_STATEMENTS and not _repeats(sentence, (*given, *chosen)):
            chosen.append(sentence)
    return chosen


def _choose(
    part: str,
    pool: Sequence[_Sentence],
    conflicts: Sequence[Conflict],
    embedder: Embedder,
    given: Sequence[_Sentence],
) -> list[_Sentence]:
    """The best sentence for one part of the question, and the best of other entries that say something else.

    Once a sentence gives a value of the kind that is asked for, only others that do so join it. How near to the best
    they must be is counted from the best of all, also where that one is refuted or in dispute.
    """
    ranked = _ranked(part, pool, embedder)
    floor = max(ANSWERS, ranked[0].score - NEAR_BEST) if ranked else ANSWERS
    chosen: list[_Sentence] = []
    words = sum(len(sentence.text.split()) for sentence in given)
    for sentence in ranked:
        if sentence.score < floor or len(chosen) == MOST_STATEMENTS:
            break
        length = len(sentence.text.split())
        if words + length > MOST_WORDS and chosen:
            continue
        heard = any(sentence.entry.id == other.entry.id for other in chosen)
        beside = bool(chosen) and chosen[0].value is not None and sentence.value is None
        if heard or beside or _repeats(sentence, (*given, *chosen)) or _set_aside(sentence, conflicts):
            continue
        chosen.append(sentence)
        words += length
    return chosen


def _ranked(part: str, pool: Sequence[_Sentence], embedder: Embedder) -> list[_Sentence]:
    """The sentences by how well they answer, best first: likeness, shared words, and the value that is asked for."""
    if not pool:
        return []
    asked, expected = set(tokenize(part)), Expected.of(part)
    titled = [f"{sentence.topic} {sentence.text}".strip() for sentence in pool]
    vectors = embedder.embed([part, *titled])
    cosines = vectors[1:] @ vectors[0]
    beside = _off_the_point(pool, expected)
    scored = []
    for sentence, text, cosine in zip(pool, titled, cosines, strict=True):
        shared = len(asked & set(tokenize(text))) / max(len(asked), 1)
        score = 0.65 * float(cosine) + 0.35 * shared
        value = None
        if expected.anything:
            found = None if sentence.entry.id in beside else expected.value_in(sentence.text, asked)
            score += UNFIT if found is None else SURE if found.sure else FITTING
            value = found.text if found and not expected.kinds & NAMES else None
        scored.append(replace(sentence, score=score, value=value))
    order = np.argsort([-sentence.score for sentence in scored], kind="stable")
    return [scored[index] for index in order]


def _off_the_point(pool: Sequence[_Sentence], expected: Expected) -> set[str]:
    """Entries in which nothing is said of what the question is about: a value in them is one of something else."""
    texts = {
        one.entry.id: f"{one.topic} {one.entry.metadata.get('source', '')} {one.entry.text}"
        for one in pool
        if expected.subject
    }
    return {entry_id for entry_id, text in texts.items() if expected.subject.isdisjoint(tokenize(text))}


def _repeats(sentence: _Sentence, given: Sequence[_Sentence]) -> bool:
    """Whether a sentence given already has these words, or states the same value of the same thing."""
    words = set(tokenize(sentence.text))
    for other in given:
        others = set(tokenize(other.text))
        alike = len(words & others) >= 0.8 * max(min(len(words), len(others)), 1)
        if alike and (sentence.value is None or sentence.value == other.value):
            return True
        if sentence.value and other.value and _relation(sentence, other.text) is Relation.AGREE:
            return True
    return False


def _relation(sentence: _Sentence, text: str) -> Relation:
    return compare(ClaimText(sentence.text, sentence.topic), ClaimText(text, sentence.topic)).relation


def _set_aside(sentence: _Sentence, conflicts: Sequence[Conflict]) -> bool:
    """Whether the sentence states a refuted claim, or one in dispute."""
    for conflict in conflicts:
        aside = conflict.claims if conflict.status == "disputed" else conflict.refuted
        standing = [claim for claim in conflict.claims if claim not in aside]
        if any(_states(sentence, claim, standing) for claim in aside):
            return True
    return False


def _states(sentence: _Sentence, claim: Claim, standing: Sequence[Claim]) -> bool:
    if claim.overlaps(sentence.entry.id, *sentence.span):
        return True
    if _relation(sentence, claim.text) is not Relation.AGREE:
        return False
    return not standing or any(_relation(sentence, other.text) is Relation.CONTRADICT for other in standing)


def _bearing(
    question: str, chosen: Sequence[_Sentence], conflicts: Sequence[Conflict], embedder: Embedder
) -> list[Conflict]:
    """Conflicts that are about the question, or about an entry that is quoted."""
    close = {conflict.id for part in _parts(question) for conflict in bearing_on(part, conflicts, embedder)}
    quoted = {(sentence.entry.id, sentence.span.start) for sentence in chosen}
    return [
        conflict
        for conflict in conflicts
        if conflict.id in close or any((claim.entry_id, claim.start) in quoted for claim in conflict.claims)
    ]


def _result(question: str, chosen: Sequence[_Sentence], bearing: Sequence[Conflict]) -> StepResult:
    statements = tuple(Statement(quotes=(_quote(one),), value=_label(one)) for one in chosen)
    quotes = [" ".join(one.text.split()) for one in chosen]
    found = " ".join(quotes) or "What the documents say on this is in dispute."
    return StepResult(
        answer=found,
        messages=(
            Message(role="user", content=question),
            *(Message(role="tool", name="deep_retrieval", content=quote, from_memory=True) for quote in quotes),
            Message(role="assistant", content=found),
        ),
        statements=statements,
        conflicts=tuple(conflict.id for conflict in bearing),
    )


def _quote(sentence: _Sentence) -> Quote:
    source = str(sentence.entry.metadata.get("source", ""))
    span = sentence.span
    return Quote(source=source, text=sentence.text, entry_id=sentence.entry.id, start=span.start, end=span.end)


def _label(sentence: _Sentence) -> str | None:
    """The value that is asked for, and of what, where the sentence only points to it ("The population was 48")."""
    if sentence.value is None or not sentence.topic:
        return sentence.value
    subject = claim_features(ClaimText(sentence.text)).subject
    named = subject.kind is SubjectKind.NAME or set(tokenize(sentence.topic)) & set(tokenize(sentence.text))
    return sentence.value if named else f"{sentence.topic}, {sentence.value}"


def _looked_up(question: str, bearing: Sequence[Conflict], tools: Tools) -> StepResult:
    """What the reference library has on a question that memory does not answer; it enters memory as new."""
    passages = tools.search(question)[:3]
    found = f"The documents do not say; looked in {passages[0].source}." if passages else NO_ANSWER
    heard = tuple(
        Message(role="tool", name="search", content=passage.text, source=passage.source, page=passage.page)
        for passage in passages
    )
    return StepResult(
        answer=found,
        messages=(Message(role="user", content=question), *heard, Message(role="assistant", content=found)),
        conflicts=tuple(conflict.id for conflict in bearing),
    )
