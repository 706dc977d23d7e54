"""Parallel wording: two claims of mostly the same words, where the differing words decide (specification 7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memory_bank.engines.offline.claims.claims import ClaimFeatures
from memory_bank.engines.offline.claims.facts import Fact
from memory_bank.engines.offline.claims.periods import periods_apart
from memory_bank.engines.offline.claims.scope import dates_of
from memory_bank.engines.offline.contradiction.alignment import Alignment, Block, Gap, align
from memory_bank.engines.offline.contradiction.findings import DifferenceKind, Finding, Span, kind_of, span_of
from memory_bank.engines.offline.language.attributes import strength_of
from memory_bank.engines.offline.language.opposites import exclusive, is_demonym
from memory_bank.engines.offline.language.tokens import ORDINAL, Token, negation, stem
from memory_bank.values.names import same_name
from memory_bank.values.values import Agreement, Value, ValueKind, agreement

_CONTEXT = 4
_LONGEST_GAP = 12
_TAIL = 4
_DOUBT = 0.55
# Dates of such attributes are told of a thing for their own sake, not to say when.
_OF_ITSELF = 0.75
# What happens for the first or last time happens on one date.
_ONCE = frozenset({"final", "last", "debut", "finish", "begin", "began", "premier"})
_PARALLEL_WORDS = 0.5
_CHINESE = re.compile(r"^[\u3400-\u9fff]{2,4}$")


def parallel_findings(
    a: ClaimFeatures, b: ClaimFeatures, *, near_copy: bool = False
) -> tuple[Alignment | None, tuple[Finding, ...]]:
    """What differs and what agrees between two claims of mostly the same words; none when they are not parallel.

    `near_copy` says that the texts around are copies of each other, so that a differing word was changed on purpose.
    """
    common = a.words & b.words
    smaller = min(len(a.words), len(b.words))
    if len(common) < (1 if near_copy else 2) or len(common) < 0.3 * smaller:
        return None, ()
    alignment = align(a.tokens, b.tokens)
    if alignment is None or alignment.parallel < 0.4 or _other_subject(a, b, alignment):
        return alignment, ()
    if alignment.shared < (1 if near_copy else 2):
        return alignment, ()
    values = list(_value_findings(a, b, alignment, 1.0))
    agreeing = sum(f.agrees for f in values)
    rewritten = near_copy and alignment.parallel >= 0.6 and alignment.shared >= 0.5 * smaller
    quality = 1.0 if rewritten else _quality(alignment, agreeing)
    findings = [*_value_findings(a, b, alignment, quality), *_gap_findings(a, b, alignment, quality)]
    if not any(not f.agrees for f in findings) and (negation := _negation(a, b, alignment, quality)):
        findings.append(negation)
    once = bool(common & _ONCE) or any(t.key == ORDINAL for t in a.tokens)
    if not near_copy:
        findings = _without_templates(findings)
    told = near_copy or (alignment.parallel >= 0.7 and alignment.shared + agreeing >= (3 if once else 5))
    return alignment, tuple(_of_one_period(a, b, findings, told=told))


def _without_templates(findings: Sequence[Finding]) -> list[Finding]:
    """Doubt the bare numbers of two claims where several differ and none agrees: a form filled in for two things."""
    numbers = [f for f in findings if f.kind is DifferenceKind.NUMBER]
    if any(f.agrees for f in numbers) or len(numbers) < 2:
        return list(findings)
    return [replace(f, confidence=_DOUBT * f.confidence) if f in numbers and not f.attribute else f for f in findings]


def _quality(alignment: Alignment, agreeing: int) -> float:
    """How much the parallel wording vouches that both claims speak of one thing (0…1)."""
    return min(1.0, 0.5 + 0.1 * (alignment.shared + agreeing)) * (0.5 + 0.5 * alignment.parallel)


def _phrase(claim: ClaimFeatures, low: int, high: int) -> Span:
    start, end = claim.tokens[low].start, claim.tokens[high - 1].end
    return Span(claim.text[start:end], start, end)


# -- values that stand in the same place ---------------------------------------------------------------------


def _context(tokens: Sequence[Token], block: Block, at: int) -> int:
    """How many content words of the common run stand near a token of it."""
    low, high = max(block.i, at - _CONTEXT), min(block.i + block.size, at + _CONTEXT + 1)
    return sum(t.content and t.value is None for t in tokens[low:high])


def _attribute_at(claim: ClaimFeatures, position: int) -> Fact | None:
    return next((f for f in claim.facts if f.position == position), None)


def _next_word(tokens: Sequence[Token], at: int) -> Token | None:
    """The content word that a figure counts: the next one of the same clause, "of" skipped."""
    for token in tokens[at + 1 : at + 4]:
        if token.clause:
            return None
        if token.content:
            return token
    return None


def _of_other_things(a: ClaimFeatures, b: ClaimFeatures, i: int, j: int) -> bool:
    """Whether two figures count different things: "300 square miles of land", "40 square miles of water"."""
    left, right = a.tokens[i].value, b.tokens[j].value
    if left is None or right is None or left.kind is ValueKind.DATE or right.kind is ValueKind.DATE:
        return False
    first, second = _next_word(a.tokens, i), _next_word(b.tokens, j)
    if first is None or second is None or first.value or second.value:
        return False
    return first.key != second.key and first.key not in b.words and second.key not in a.words


def _told_of_two(a: ClaimFeatures, b: ClaimFeatures, i: int, j: int) -> bool:
    """Whether Chinese words after two dates make them dates of two things: "1964年动工", "1971年建成"."""
    left, right = _attribute_at(a, i), _attribute_at(b, j)
    if left is None or right is None or left.attribute == right.attribute:
        return False
    return not (a.tokens[left.trigger].text.isascii() or b.tokens[right.trigger].text.isascii())


def _value_findings(a: ClaimFeatures, b: ClaimFeatures, alignment: Alignment, quality: float) -> Iterator[Finding]:
    for block in alignment.blocks:
        for i, j in zip(range(block.i, block.i + block.size), range(block.j, block.j + block.size), strict=True):
            left, right = a.tokens[i].value, b.tokens[j].value
            if left is None or right is None or not _context(a.tokens, block, i) or _of_other_things(a, b, i, j):
                continue
            if _told_of_two(a, b, i, j):
                continue
            verdict = agreement(left, right)
            if verdict is not Agreement.UNKNOWN:
                yield _value_finding(left, right, _attribute_at(a, i), quality, agrees=verdict is Agreement.SAME)


def _value_finding(left: Value, right: Value, fact: Fact | None, quality: float, *, agrees: bool) -> Finding:
    told = fact is not None and not fact.attribute.startswith("count:")
    base = 0.95 if told else 0.85
    attribute = fact.attribute if fact else ""
    return Finding(span_of(left), span_of(right), kind_of(left), base * quality, attribute, agrees)


# -- words that stand in the same place ----------------------------------------------------------------------


def _names_in(claim: ClaimFeatures, low: int, high: int) -> list[Value]:
    """The names that overlap the tokens `low`…`high`."""
    if low >= high:
        return []
    start, end = claim.tokens[low].start, claim.tokens[high - 1].end
    return [v for v in claim.values if v.kind is ValueKind.NAME and v.start < end and start < v.end]


def _describes(claim: ClaimFeatures, name: Value) -> bool:
    """Whether a nationality stands before what it describes."""
    after = next((t for t in claim.tokens if t.start >= name.end), None)
    return is_demonym(stem(name.text)) and after is not None and after.content and not after.clause


def _among(name: Value, others: Sequence[Value]) -> bool:
    return any(same_name(name.text, other.text) is not False for other in others)


def _apart(claim: ClaimFeatures, alignment: Alignment, *, first: bool) -> list[Value]:
    """The names of a claim that stand outside the common stretches."""
    found: list[Value] = []
    for gap in alignment.gaps:
        found += _names_in(claim, *((gap.i1, gap.i2) if first else (gap.j1, gap.j2)))
    return found


def _begins(name: Value, tokens: Sequence[Token], at: int) -> bool:
    """Whether a name begins within two tokens of a place."""
    return tokens[min(at + 1, len(tokens) - 1)].end >= name.start


def _name_finding(a: ClaimFeatures, b: ClaimFeatures, gap: Gap, alignment: Alignment, quality: float) -> Finding | None:
    left, right = _names_in(a, gap.i1, gap.i2), _names_in(b, gap.j1, gap.j2)
    if not left or not right or same_name(left[0].text, right[0].text) is not False:
        return None
    if _each_week(left[0].text, right[0].text):
        return None
    if is_demonym(stem(left[0].text)) != is_demonym(stem(right[0].text)) and (
        _describes(a, left[0]) or _describes(b, right[0])
    ):
        return None  # "the BBC", "the British broadcaster": an adjective names nobody
    if gap.edge and not (_begins(left[0], a.tokens, gap.i1) and _begins(right[0], b.tokens, gap.j1)):
        return None
    if _among(left[0], _apart(b, alignment, first=False)) or _among(right[0], _apart(a, alignment, first=True)):
        return None  # the same names in another order
    return Finding(span_of(left[0]), span_of(right[0]), DifferenceKind.NAME, 0.85 * quality)


def _word_finding(a: ClaimFeatures, b: ClaimFeatures, gap: Gap, quality: float) -> Finding | None:
    for left in a.tokens[gap.i1 : gap.i2]:
        for right in b.tokens[gap.j1 : gap.j2]:
            if _each_week(left.text, right.text):
                continue
            if exclusive(left.key, right.key) and left.key not in b.words and right.key not in a.words:
                return Finding(span_of(left), span_of(right), DifferenceKind.WORD, 0.8 * quality)
    return None


def _each_week(left: str, right: str) -> bool:
    """Whether two words say on which days things happen again and again, which both can: "on Mondays", "on Sundays"."""
    return left.endswith("days") and right.endswith("days")


def _chinese_finding(a: ClaimFeatures, b: ClaimFeatures, gap: Gap, quality: float) -> Finding | None:
    """Two to four Chinese characters that have nothing in common, where the rest is the same."""
    i, j = _past_dates(a, b, gap) if gap.edge == "head" else (gap.i1, gap.j1)
    if i == gap.i2 or j == gap.j2:
        return None
    left, right = _phrase(a, i, gap.i2), _phrase(b, j, gap.j2)
    if (gap.edge and (i, j) == (gap.i1, gap.j1)) or not (_CHINESE.match(left.text) and _CHINESE.match(right.text)):
        return None
    if len(left.text) != len(right.text) or set(left.text) & set(right.text):
        return None
    return Finding(left, right, DifferenceKind.WORD, 0.7 * quality)


def _past_dates(a: ClaimFeatures, b: ClaimFeatures, gap: Gap) -> tuple[int, int]:
    """Where two openings go on after the date that both begin with."""
    left, right = a.tokens[gap.i1].value, b.tokens[gap.j1].value
    same = left is not None and right is not None and agreement(left, right) is Agreement.SAME
    return (gap.i1 + 1, gap.j1 + 1) if same else (gap.i1, gap.j1)


def _gap_findings(a: ClaimFeatures, b: ClaimFeatures, alignment: Alignment, quality: float) -> Iterator[Finding]:
    if alignment.parallel < _PARALLEL_WORDS:
        return
    for gap in alignment.gaps:
        if gap.edge == "head" and gap.i1 < gap.i2 and gap.j1 < gap.j2:
            if finding := _chinese_finding(a, b, gap, quality):
                yield finding
            continue
        if gap.edge == "head" or gap.i1 == gap.i2 or gap.j1 == gap.j2:
            continue
        if gap.edge == "tail":
            spot = Gap(gap.i1, min(gap.i2, gap.i1 + _TAIL), gap.j1, min(gap.j2, gap.j1 + _TAIL), gap.edge)
        elif max(gap.i2 - gap.i1, gap.j2 - gap.j1) <= _LONGEST_GAP:
            spot = gap
        else:
            continue
        finding = (
            _word_finding(a, b, spot, quality)
            or _name_finding(a, b, spot, alignment, quality)
            or _chinese_finding(a, b, spot, quality)
        )
        if finding:
            yield finding


def _negation(a: ClaimFeatures, b: ClaimFeatures, alignment: Alignment, quality: float) -> Finding | None:
    """One claim denies what the other says: a negation within the common part of one, and little else differs."""
    if a.negated == b.negated or alignment.parallel < 0.75:
        return None
    first, last = alignment.blocks[0], alignment.blocks[-1]
    i, j = last.i + last.size, last.j + last.size
    denier = a.tokens[first.i : i] if a.negated else b.tokens[first.j : j]
    if negation(denier) is None:
        return None
    return Finding(_phrase(a, first.i, i), _phrase(b, first.j, j), DifferenceKind.NEGATION, 0.85 * quality)


# -- other subjects and other periods --------------------------------------------------------------------------


def _other_subject(a: ClaimFeatures, b: ClaimFeatures, alignment: Alignment) -> bool:
    """Whether the common words are said of two different names: "Leeds …" and "Bradford has a population of …"."""
    gap = alignment.gaps[0] if alignment.gaps else None
    if gap is None or gap.edge != "head" or gap.i1 >= a.subject.verb or gap.j1 >= b.subject.verb:
        return False
    left, right = _names_in(a, gap.i1, gap.i2), _names_in(b, gap.j1, gap.j2)
    if not left or not right or same_name(left[-1].text, right[-1].text) is not False:
        return False
    return not (_among(left[-1], b.values) or _among(right[-1], a.values))


def _other_period(a: ClaimFeatures, b: ClaimFeatures, finding: Finding) -> bool:
    """Whether the two claims give their figures for different times."""
    return periods_apart(dates_of(a, finding.first.start), dates_of(b, finding.second.start))


def _of_one_period(a: ClaimFeatures, b: ClaimFeatures, findings: Sequence[Finding], *, told: bool) -> Iterator[Finding]:
    """The findings, those that another period explains with a confidence of 0.

    A date that differs is a contradiction where it is the date of something told of one subject; one that only
    says when ("In 2010 …", "In 2020 …") excuses the other differences instead. `told`: long parallel wording.
    """
    against = [f for f in findings if not f.agrees]
    dates = [f for f in against if f.kind is DifferenceKind.DATE]
    others = [f for f in against if f.kind is not DifferenceKind.DATE]
    for finding in findings:
        if finding.agrees:
            yield finding
        elif finding.kind is DifferenceKind.DATE:
            yield finding if finding.attribute or (told and not others) else replace(finding, confidence=0.0)
        else:
            excused = _other_period(a, b, finding) or not all(strength_of(d.attribute) >= _OF_ITSELF for d in dates)
            yield replace(finding, confidence=0.0) if excused else finding
