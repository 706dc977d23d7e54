"""The point of a conflict: the two values in dispute, and what another statement says to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memory_bank.bank.conflict import Conflict
from memory_bank.engines.offline.claims.claims import ClaimFeatures, ClaimText, claim_features
from memory_bank.engines.offline.contradiction.comparison import Comparison, Relation, compare
from memory_bank.engines.offline.contradiction.findings import Span, span_of
from memory_bank.engines.offline.language.attributes import AMOUNT, ATTRIBUTES
from memory_bank.engines.offline.language.subjects import SubjectKind, topic_words
from memory_bank.engines.offline.language.tokens import tokenise
from memory_bank.modules.tokens import tokenize, words
from memory_bank.values.dates import Precision
from memory_bank.values.values import Agreement, Value, ValueKind, agreement, extract_values, plain

Stand = Literal["first", "second", "neither", "apart"]
"""What a statement does for a conflict: it bears out a side, contradicts both, or gives both values and tells them
apart."""

_TIMED = frozenset(row.name for row in ATTRIBUTES if row.timed)
_CHANGING = frozenset("currently now today presently latest present current 目前 现在 现任".split())


@dataclass(frozen=True)
class Said:
    """What a statement says to the point. `value` is a third value where it contradicts both.

    `vague` when it gives the value only about.
    """

    stand: Stand
    value: str = ""
    vague: bool = False

    def agrees(self, other: Said) -> bool:
        """Whether two statements do the same for the conflict, with the same third value if it is one."""
        return self.stand == other.stand and same_value(self.value, other.value)


def gives(text: str, disputed: str) -> bool:
    """Whether a text gives a disputed value; words are looked for as they are."""
    values = extract_values(disputed)
    if not values:
        return f" {' '.join(tokenize(disputed))} " in f" {' '.join(tokenize(text))} "
    return any(agreement(values[0], said) is Agreement.SAME for said in extract_values(text))


def _value_at(claim: ClaimFeatures, span: Span) -> Value | None:
    return next((value for value in claim.values if span.start <= value.start < span.end), None)


def _disputed(first: ClaimText, second: ClaimText) -> tuple[tuple[Span, Span] | None, str]:
    """What two claims differ in that whoever found the conflict took for contradicting: values of one attribute."""
    for left in claim_features(first).facts:
        for right in claim_features(second).facts:
            if left.attribute == right.attribute and not same_value(left.value.text, right.value.text):
                return (span_of(left.value), span_of(right.value)), left.attribute
    return None, ""


def _alike(first: ClaimFeatures, second: ClaimFeatures) -> tuple[Value, Value] | None:
    amounts, dates = (
        [(a, b) for a in first.values for b in second.values if a.kind in kinds and b.kind in kinds]
        for kinds in (AMOUNT, {ValueKind.DATE})
    )
    return next((pair for pair in (*amounts, *dates) if pair[0].unit == pair[1].unit), None)


def is_exact(value: Value) -> bool:
    """Whether a value is a full date, or a figure of three digits that are not round and more."""
    if value.kind is ValueKind.DATE:
        return value.precision is Precision.DAY
    digits = "".join(character for character in value.text if character.isdigit()).rstrip("0")
    return value.kind is not ValueKind.NAME and not value.approximate and len(digits) >= _EXACT_DIGITS


_EXACT_DIGITS = 3


def same_value(first: str, second: str) -> bool:
    """Whether two disputed values are one, however they are written."""
    if " ".join(words(first)) == " ".join(words(second)):
        return True
    pairs = zip(extract_values(first)[:1], extract_values(second)[:1], strict=False)
    return any(agreement(a, b) is Agreement.SAME for a, b in pairs)


_HELD_AGAINST = frozenset("but however although though instead rather".split())
# What comes between two dates that are told of different things: "In 1905 the king saw the mill, built in 1869".
_ANOTHER = re.compile(r"\b(?:the|a|an|it|he|she|they|its|his|her|their)\b|[A-Z]")


@dataclass(frozen=True)
class Point:
    """What is in dispute: the claims, the spans in which they differ, and the stems that name what they are about.

    Without spans only the wording shows what is disputed. `attribute` is "" where it is not known.
    """

    claims: tuple[ClaimText, ClaimText]
    spans: tuple[Span, Span] | None
    attribute: str
    subject: frozenset[str]

    @classmethod
    def of(cls, conflict: Conflict, topic: str = "", kinds: frozenset[str] = frozenset()) -> Point:
        """The point of a conflict between claims of texts on `topic`, which is one of `kinds`."""
        first, second = (ClaimText(claim.text, topic, kinds) for claim in conflict.claims)
        subjects = [claim_features(claim).subject for claim in (first, second)]
        named = [subject.words for subject in subjects if subject.kind is SubjectKind.NAME and subject.words]
        found = compare(first, second).difference
        spans, attribute = ((found.first, found.second), found.attribute) if found else _disputed(first, second)
        return cls((first, second), spans, attribute, min(named, key=len, default=topic_words(topic)))

    @property
    def features(self) -> tuple[ClaimFeatures, ClaimFeatures]:
        """Both claims with their tokens, values and facts."""
        return claim_features(self.claims[0]), claim_features(self.claims[1])

    @property
    def values(self) -> tuple[Value, Value] | None:
        """The disputed values, typed; None where words are in dispute.

        Of claims that do not contradict each other as they stand, what both give of one kind: an amount, or a date.
        """
        if self.spans is None:
            return _alike(*self.features)
        first, second = (_value_at(claim, span) for claim, span in zip(self.features, self.spans, strict=True))
        return (first, second) if first and second else None

    def about_subject(self, text: str, around: str) -> bool:
        """Whether a statement of a disputed value must be about the same thing, whatever the rest of its text says.

        It names the subject by more than a word, or its text does and the value is too exact to come about twice.
        """
        if self.values is None or self.values[0].kind is ValueKind.NAME:
            return False
        if len(self.subject) > 1 and self.subject <= {token.key for token in tokenise(text)[0]}:
            return True
        exact = all(is_exact(value) for value in self.values)
        return exact and bool(self.subject) and self.subject <= {token.key for token in tokenise(around)[0]}

    @property
    def changes_with_time(self) -> bool:
        """Whether the value is one that holds for a time only: a population, or what is so "now"."""
        return self.attribute in _TIMED or any(_CHANGING & set(words(claim.text)) for claim in self.claims)

    def hears(self, spoken: ClaimText, around: str) -> Said | None:
        """What a statement says to the point; None if it does not speak to it.

        It bears out the side whose disputed value it gives, of the same subject and attribute. `around` is the text
        that the statement stands in, which may name the subject for it.
        """
        found = [compare(claim, spoken) for claim in self.claims]
        if self._has_both(spoken, [one.relation for one in found]):
            return Said("apart")
        told = self._told(found)
        if all(one.relation is Relation.CONTRADICT for one in found):
            in_this = told is not None or self.spans is None
            return Said("neither", told or "") if in_this else None
        first, second = (self._gives(spoken, side, found[side].relation, told, around) for side in (0, 1))
        if first is second:
            return None
        return Said("first" if first else "second", vague=self._vague(spoken.text, 0 if first else 1))

    def _has_both(self, spoken: ClaimText, relations: Sequence[Relation]) -> bool:
        """Whether a statement on the matter gives both values, and so tells them apart.

        "Guides give 1905, but it was built in 1869" holds one up against the other, and of two dates in a sentence one
        is often of something else.
        """
        if self.spans is None or self.values is None or all(one is Relation.UNRELATED for one in relations):
            return False
        features = claim_features(spoken)
        if features.negated or not _HELD_AGAINST.isdisjoint(words(spoken.text)):
            return False
        given = [
            next((said for said in features.values if agreement(value, said) is Agreement.SAME), None)
            for value in self.values
        ]
        found = sorted((said for said in given if said is not None), key=lambda said: said.start)
        if len(found) < len(given) or found[0].kind is ValueKind.NAME:
            return False
        between = spoken.text[found[0].end : found[1].start]
        return found[0].kind is not ValueKind.DATE or _ANOTHER.search(between) is None

    def _told(self, found: Sequence[Comparison]) -> str | None:
        """What a statement gives in place of a disputed value; None where it is not against that value."""
        differences = [one.difference for one in found]
        against = zip(differences, self.spans or (), strict=False)
        return next((plain(one.second.text) for one, span in against if one is not None and one.first == span), None)

    def _gives(self, spoken: ClaimText, side: int, relation: Relation, told: str | None, around: str) -> bool:
        """Whether a statement gives a side's value of the disputed attribute, in whatever unit or form.

        `told` is what it puts against the other value, if it does.
        """
        if self.spans is None:
            return relation is Relation.AGREE
        disputed = self.spans[side].text
        if told is not None:
            return gives(told, disputed)
        if relation is Relation.AGREE:
            return gives(spoken.text, disputed)
        return any(gives(said, disputed) for said in self._of_attribute(spoken.text, around))

    def _of_attribute(self, text: str, around: str) -> list[str]:
        """What a statement gives for the disputed attribute, in a text that names the subject: "Published 1987"."""
        if not self.attribute or not self.subject <= {token.key for token in tokenise(around)[0]} or not self.subject:
            return []
        given = [fact.value.text for fact in claim_features(ClaimText(text)).facts if fact.attribute == self.attribute]
        counted = self.attribute.removeprefix("count:")  # "floors: 45" counts floors
        if counted != self.attribute and counted in {token.key for token in tokenise(text)[0]}:
            given.append(text)
        return given

    def _vague(self, text: str, side: int) -> bool:
        """Whether a statement gives the side's value only about."""
        values = extract_values(self.spans[side].text) if self.spans else ()
        given = [
            said for said in extract_values(text) for value in values[:1] if agreement(value, said) is Agreement.SAME
        ]
        return bool(given) and all(said.approximate for said in given)
