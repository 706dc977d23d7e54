"""Checkable statements of a text, and the features by which they are indexed and compared (specification 1 and 7).

A claim is a sentence, or a fragment of a table or infobox, that states a value which can be checked: a number, a
quantity, a date, a name in a role, a negation. Questions, hypotheticals and the furniture of web pages are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from memory_bank.engines.offline.claims.facts import Fact, find_facts
from memory_bank.engines.offline.language.subjects import (
    Subject,
    SubjectKind,
    find_predicate,
    find_subject,
    says_what_it_is,
    topic_words,
)
from memory_bank.engines.offline.language.tokens import Token, mask_references, negation, tokenise
from memory_bank.values.values import Value, ValueKind


class SpanLike(Protocol):
    """A sentence span: character offsets, end not included."""

    @property
    def start(self) -> int:
        """Offset of the first character."""

    @property
    def end(self) -> int:
        """Offset past the last character."""


@dataclass(frozen=True, slots=True)
class ExtractedClaim:
    """A claim with its place: `text` is exactly `source[start:end]`."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ClaimText:
    """A claim to compare: its words and the topic of the text it stands in (title or name; may be empty).

    `kinds` are stems of what the topic is ("smock", "mill"), so that "the mill" is understood.
    """

    text: str
    topic: str = ""
    kinds: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ClaimFeatures:
    """What comparing needs of a claim, computed once.

    `words` are its content stems, `facts` its attributes with values, `predicate` what it says its subject is.
    `asserted` is false for quotations, reports, questions and hypotheticals, which state nothing of their own;
    `hedged` are spans of that sort within a claim.
    """

    claim: ClaimText
    tokens: tuple[Token, ...]
    values: tuple[Value, ...]
    facts: tuple[Fact, ...]
    subject: Subject
    predicate: tuple[Token, ...]
    topic: frozenset[str]
    words: frozenset[str]
    negated: bool
    asserted: bool
    hedged: tuple[tuple[int, int], ...]

    @property
    def text(self) -> str:
        """The claim's words."""
        return self.claim.text


# What a sentence does not say in its own voice: suppositions, plans, reports of others, denials of a belief.
_HEDGE = re.compile(
    r"\b(?:if|would have|might|may have|could have|suppose|supposing|imagine|hypothetically|perhaps|possibly|"
    r"unless|planned to|plans to|proposed to|expected to|hoped to|intended to|was to have|"
    r"reportedly|(?:is|are|was|were|been) reported|reported (?:that|to)|"
    r"allegedly|purportedly|supposedly|claim(?:s|ed)|rumou?r(?:s|ed)?|it is (?:said|believed|thought)|"
    r"said to (?:be|have)|"
    r"legend (?:has it|says)|tradition (?:says|holds)|myth|"
    r"(?:some|others|critics) (?:say|said|believe|believed|think|thought)|(?:not true|untrue|incorrect|wrong) that|"
    r"^in the (?:novel|story|tale|play|saga|poem|film|movie|opera|game|episode),|denied|denies|disputed|"
    r"according to (?!(?:[\w'.-]+\s){0,5}(?:census|bureau|register|records?|statistics|survey|data|figures|agency|"
    r"estimates?|company|police|ministry|officials|government|council)\b))|如果|假如|可能|也许|据说|据报道|传说",
    re.IGNORECASE,
)
# What it names as an error; the clause after that is its own: "Wrongly dated to 1905, the mill was built in 1869."
_CORRECTION = re.compile(
    r"\b(?:mistakenly|wrongly|erroneously|falsely|incorrectly|contrary to)\b|误以为|误传", re.IGNORECASE
)
_QUOTED_CLAUSE = re.compile(
    r"^\s*[\"“”«][^\"“”«»]{15,}[\"“”»]|\b(?:said|says|wrote|asked|replied|told)\b[^\"“]{0,30}[\"“:]"
)
_CLAUSE_START = re.compile(r"[,;(，；（]")
_CLAUSE_END = re.compile(r"[,;)，；）]")
_BOILERPLATE = re.compile(
    r"what links here|related changes|upload file|permanent link|page information|cite this page|get shortened url|"
    r"download qr code|printable version|in other projects|move to sidebar|privacy policy|terms of use|cookie|"
    r"all rights reserved|sign in|log in|create account|jump to (?:content|navigation)|edit links|view history|"
    r"from wikipedia , ?the free encyclopedia|retrieved from|disclaimers|mobile view|subscribe|newsletter|"
    r"click to share|opens in new window|isbn\b|issn\b|\bdoi\b|javascript|learn how and when to remove",
    re.IGNORECASE,
)
_MAX_CLAIM = 1200


def unasserted(text: str) -> tuple[tuple[int, int], ...]:
    """The spans of a sentence that it does not state in its own voice.

    A hedge in the first clause covers the whole sentence ("Some say …"); a later one covers its clause or bracket, as
    does an error that is corrected.
    """
    if text.rstrip(" \"'”’)").endswith(("?", "？")) or _QUOTED_CLAUSE.search(text):
        return ((0, len(text)),)
    spans: list[tuple[int, int]] = []
    for match in (*_HEDGE.finditer(text), *_CORRECTION.finditer(text)):
        starts = [0, *(m.end() for m in _CLAUSE_START.finditer(text, 0, match.start()))]
        end = _CLAUSE_END.search(text, match.end())
        whole = end is None or (len(starts) == 1 and match.re is _HEDGE)
        spans.append((starts[-1], len(text) if end is None or whole else end.start()))
    return tuple(spans)


def is_asserted(text: str) -> bool:
    """Whether a sentence states something in its own voice."""
    return (0, len(text)) not in unasserted(text)


def _is_boilerplate(text: str, values: Sequence[Value]) -> bool:
    hits = len(_BOILERPLATE.findall(text))
    if not hits:
        return False
    numeric = sum(v.kind is not ValueKind.NAME for v in values)
    return hits >= 2 and hits >= numeric


def _states_value(tokens: Sequence[Token], values: Sequence[Value], subject: Subject) -> bool:
    """A number or date with words around it, a name beside the subject, or a negation."""
    words = sum(t.content and t.value is None for t in tokens)
    if any(v.kind is not ValueKind.NAME for v in values) and words >= 1:
        return True
    if negation(tokens) and words >= 2:
        return True
    if words >= 2 and says_what_it_is(tokens, subject):
        return True
    names = sum(v.kind is ValueKind.NAME for v in values)
    chinese = any("\u3400" <= t.text[0] <= "\u9fff" for t in tokens)
    if words >= 2 and subject.kind in (SubjectKind.NAME, SubjectKind.DEFINITE) and not chinese:
        return any(t.content for t in tokens[subject.verb :])  # "The hut has electricity."
    if words >= 2 and names and subject.kind is SubjectKind.PRONOUN:
        return True  # "He spoke Welsh."
    return words >= 3 and (names >= 1 or chinese or subject.kind is not SubjectKind.NONE)


def extract_claims(text: str, sentences: Iterable[SpanLike]) -> tuple[ExtractedClaim, ...]:
    """The claims among the sentences of `text`; each one's text is exactly its span.

    Leaves out questions, hypotheticals, reports of what others say, and page furniture.
    """
    claims: list[ExtractedClaim] = []
    for span in sentences:
        raw = text[span.start : span.end]
        start = span.start + len(raw) - len(raw.lstrip())
        end = span.end - (len(raw) - len(raw.rstrip()))
        sentence = text[start:end]
        if not 3 <= len(sentence) <= _MAX_CLAIM * 4 or not is_asserted(sentence):
            continue
        tokens, values = tokenise(sentence)
        if _is_boilerplate(sentence, values) or not _states_value(tokens, values, find_subject(tokens)):
            continue
        claims.append(ExtractedClaim(sentence, start, end))
    return tuple(claims)


@lru_cache(maxsize=8192)
def claim_features(claim: ClaimText) -> ClaimFeatures:
    """The features of a claim (cached: a claim is compared many times)."""
    hedged = unasserted(claim.text)
    text = mask_references(claim.text)
    for start, end in hedged:
        if end - start < len(text) and _CORRECTION.search(text, start, end):
            text = text[:start] + " " * (end - start) + text[end:]  # an error is not there at all
    tokens, values = tokenise(text)
    subject = find_subject(tokens)
    return ClaimFeatures(
        claim=claim,
        tokens=tokens,
        values=values,
        facts=find_facts(text, tokens, values),
        subject=subject,
        predicate=find_predicate(tokens, subject),
        topic=topic_words(claim.topic),
        words=frozenset(t.key for t in tokens if t.content and t.value is None),
        negated=negation(tokens) is not None,
        asserted=(0, len(claim.text)) not in hedged,
        hedged=hedged,
    )
