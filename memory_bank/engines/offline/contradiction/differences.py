"""Same attribute: two claims worded differently that each give a value of one attribute (specification 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from memory_bank.engines.offline.claims.claims import ClaimFeatures
from memory_bank.engines.offline.claims.facts import Fact
from memory_bank.engines.offline.claims.periods import periods_apart
from memory_bank.engines.offline.contradiction.findings import DifferenceKind, Finding, Span, kind_of, span_of
from memory_bank.engines.offline.language.attributes import is_repeatable
from memory_bank.engines.offline.language.counts import count_key
from memory_bank.engines.offline.language.opposites import excluding
from memory_bank.engines.offline.language.subjects import Subject
from memory_bank.engines.offline.language.tokens import NEGATIONS, stem
from memory_bank.values.values import Agreement, ValueKind, agreement

Fits = Callable[[Subject, Subject], bool]

# Differently worded claims give less certainty of one meaning than parallel ones do.
_CERTAINTY = 0.9
_KIND = 0.6
_DENIAL = 0.6
_FEWEST_DENIED = 1
_SHORT_DENIAL = 8
# What comes round every year is of one date only within a year.
_YEARLY = frozenset({"holding"})


def fact_findings(a: ClaimFeatures, b: ClaimFeatures, fits: Fits) -> Iterator[Finding]:
    """What two claims say of one attribute of one subject, however they are worded; `fits` compares the subjects."""
    for left in a.facts:
        for right in b.facts:
            if count_key(left.attribute) != count_key(right.attribute) or not _same_scope(left, right):
                continue
            if not fits(left.subject or a.subject, right.subject or b.subject):
                continue
            verdict = agreement(left.value, right.value)
            if verdict is Agreement.UNKNOWN or (verdict is Agreement.DIFFERENT and _listed(a, b, left, right)):
                continue
            yield Finding(
                span_of(left.value),
                span_of(right.value),
                kind_of(left.value),
                _CERTAINTY * min(left.strength, right.strength),
                left.attribute,
                agrees=verdict is Agreement.SAME,
                parallel=False,
            )


def _listed(a: ClaimFeatures, b: ClaimFeatures, left: Fact, right: Fact) -> bool:
    """Whether one claim's name is among the several of the other: "Ann Ray and Bo Lund", "Bo Lund"."""
    if left.value.kind is not ValueKind.NAME:
        return False
    pairs = [(right.value, v) for v in a.values] + [(left.value, v) for v in b.values]
    return any(v.kind is ValueKind.NAME and agreement(name, v) is not Agreement.DIFFERENT for name, v in pairs)


def kind_finding(a: ClaimFeatures, b: ClaimFeatures) -> Finding | None:
    """Two claims that say their subject is things that exclude each other: "a Norwegian painter", "a Dane"."""
    if a.negated or b.negated:
        return None
    pair = excluding(frozenset(t.key for t in a.predicate), frozenset(t.key for t in b.predicate))
    if pair is None:
        return None
    left = next(t for t in a.predicate if t.key == pair[0])
    right = next(t for t in b.predicate if t.key == pair[1])
    return Finding(span_of(left), span_of(right), DifferenceKind.WORD, _KIND, parallel=False)


# "He did not speak Welsh", "He spoke Welsh": stems of the past forms that differ from the verb's.
_BASE = {
    stem(past): stem(verb)
    for verb, forms in {
        "speak": "spoke spoken",
        "write": "wrote written",
        "build": "built",
        "begin": "began begun",
        "win": "won",
        "hold": "held",
        "sell": "sold",
        "buy": "bought",
        "fight": "fought",
        "become": "became",
        "take": "took taken",
        "give": "gave given",
        "make": "made",
        "lose": "lost",
        "lead": "led",
        "meet": "met",
        "know": "knew known",
        "grow": "grew grown",
        "come": "came",
        "go": "went gone",
    }.items()
    for past in forms.split()
}


def denial_finding(a: ClaimFeatures, b: ClaimFeatures) -> Finding | None:
    """One claim denies in few words what the other says among more: "X is not a model", "X, a model and …"."""
    if a.negated == b.negated:
        return None
    denial, other = (a, b) if a.negated else (b, a)
    denied = denial.words - NEGATIONS
    left = denied - denial.subject.words - denial.topic
    said = other.words | {_BASE.get(word, word) for word in other.words}
    if len(left) < _FEWEST_DENIED or len(denial.words) > _SHORT_DENIAL or not left <= said:
        return None
    spans = [Span(c.text, 0, len(c.text)) for c in (a, b)]
    return Finding(spans[0], spans[1], DifferenceKind.NEGATION, _DENIAL, parallel=False)


def _same_scope(left: Fact, right: Fact) -> bool:
    """Whether two facts hold for one period and object, and count the same things."""
    if periods_apart(left.dates, right.dates) or (
        left.attribute in _YEARLY and periods_apart([left.value], [right.value])
    ):
        return False
    if is_repeatable(left.attribute):
        named = left.value.kind is ValueKind.NAME
        return bool(left.dates and right.dates) if named else _one_object(left.qualifiers, right.qualifiers)
    if left.attribute == "population" and bool(left.dates) != bool(right.dates):
        return False
    if left.attribute.startswith("count:"):
        return left.qualifiers == right.qualifiers
    return not left.qualifiers or not right.qualifiers or bool(left.qualifiers & right.qualifiers)


def one_event(a: ClaimFeatures, b: ClaimFeatures, finding: Finding) -> bool:
    """Whether the dates of a finding are told of one event of a kind that a thing may have several of."""
    left = next((f for f in a.facts if f.value.start == finding.first.start), None)
    right = next((f for f in b.facts if f.value.start == finding.second.start), None)
    return left is None or right is None or _one_object(left.qualifiers, right.qualifiers)


def _one_object(left: frozenset[str], right: frozenset[str]) -> bool:
    return bool(left) == bool(right) and (left <= right or right <= left)
