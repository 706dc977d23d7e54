"""What contradicts a short statement in a fuller claim about the same thing (specification 3 and 7).

A statement is denied, or its one open spot (a date, a figure, a name, a sort of thing, an opposite) has a rival in
the like place of the claim: after the same word, before the same word, or as what the subject is said to be. An open
spot without a rival is news, not a contradiction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from memory_bank.engines.offline.claims.claims import ClaimFeatures
from memory_bank.engines.offline.claims.statements import (
    LINKS,
    Bearing,
    Held,
    denials,
    link_before,
    next_word,
    phrase_after,
    said_of_subject,
)
from memory_bank.engines.offline.contradiction.findings import DifferenceKind, Finding, Span, kind_of, span_of
from memory_bank.engines.offline.language.opposites import compatible, exclusive, is_relative, nation
from memory_bank.engines.offline.language.sorts import sorts_of
from memory_bank.engines.offline.language.subjects import SubjectKind
from memory_bank.engines.offline.language.tokens import Token, stem
from memory_bank.values.names import same_name
from memory_bank.values.values import Agreement, Value, ValueKind, agreement

_REACH = 10
_SCOPE = 8
_LONGEST_FILLER = 3
_MOSTLY_SAID = 3
_NEAR_VERB = 3
# Deeds that are done once, so that another doer or another date excludes the first. A house is sold many times.
_ONCE = frozenset(
    stem(w)
    for w in (
        "play wrote write written directed produced composed hosted discovered invented designed created recorded sung "
        "sang performed painted formed caused built erected founded established opened closed completed released "
        "published premiered launched aired flew flown began begun started ended finished filmed shot born died killed "
        "named originated introduced developed derived"
    ).split()
)
_MAIN = frozenset(stem(w) for w in "main chief primary principal predominant only sole".split())
_ONLY = frozenset(stem(w) for w in ("only", "solely", "exclusively", "just"))
_WHERE = frozenset({"in", "at", "from"})
_ORIGINS = frozenset(stem(w) for w in "born originated founded formed based located situated set filmed".split())


def rival_finding(held: Held) -> Finding | None:
    """The contradiction of a statement, its words first; None if the claim has none."""
    ours, theirs = denials(held.short), denials(held.full)
    if bool(ours) != bool(theirs) and (found := _denial(held, theirs)):
        return found
    if ours:
        return None
    if held.bearing is Bearing.NONE:
        return _doer(held)
    return next((found for rule in _RULES if (found := rule(held))), None)


def _words(left: Token | Value, right: Token | Value, confidence: float) -> Finding:
    kind = DifferenceKind.NAME if isinstance(left, Value) else DifferenceKind.WORD
    return Finding(span_of(left), span_of(right), kind, confidence, parallel=False)


# -- denial ----------------------------------------------------------------------------------------------------


def _denial(held: Held, theirs: Sequence[int]) -> Finding | None:
    """One denies what the other says; the denial must reach what both say."""
    said = [j for i in held.told for j in held.matches[i]]
    nothing = any(n + 1 in said and held.full.tokens[n].key == "no" for n in theirs)
    if held.bearing is Bearing.NONE or not said:
        return None
    if not nothing and (held.open or (held.bearing is Bearing.POINTS and len(held.told) < 2)):
        return None
    if (
        _copula_times(held.short)
        and _copula_times(held.full)
        and not _copula_times(held.short) & _copula_times(held.full)
    ):
        return None
    if theirs and not any(_in_scope(held.full, n, j) for n in theirs for j in said):
        return None
    spans = [Span(c.text, 0, len(c.text)) for c in (held.short, held.full)]
    return Finding(spans[0], spans[1], DifferenceKind.NEGATION, 0.7, parallel=False)


def _copula_times(claim: ClaimFeatures) -> set[bool]:
    """Whether a claim speaks of now ("is"), of then ("was"), or both; empty without such a word."""
    return {t.key in ("is", "are") for t in claim.tokens if t.key in ("is", "are", "was", "were")}


def _in_scope(claim: ClaimFeatures, denial: int, at: int) -> bool:
    """Whether a denial stands before a token in its clause."""
    return denial < at <= denial + _SCOPE and not any(t.clause for t in claim.tokens[denial + 1 : at + 1])


# -- who did it ------------------------------------------------------------------------------------------------


def _doer(held: Held) -> Finding | None:
    """Two people of whom the same deed is told, with the thing that was done by name."""
    short, full = held.short, held.full
    passive = held.short.tokens[held.verb].key in ("is", "was", "are", "were")
    if held.open or passive or full.subject.kind is not SubjectKind.NAME:
        return None
    deeds = [j for i in held.told if short.tokens[i].key in _ONCE for j in held.matches[i]]
    things = [i for i in held.told if short.tokens[i].text[0].isupper()]
    if (
        not things
        or any(t.key == "about" for t in full.tokens)
        or not any(0 <= j - full.subject.verb <= _NEAR_VERB for j in deeds)
    ):
        return None
    left, right = _name_within(short, 0, held.verb), _name_within(full, full.subject.start, full.subject.verb)
    if left is None or right is None or same_name(left.text, right.text) is not False:
        return None
    return _words(left, right, 0.6)


def _name_within(claim: ClaimFeatures, low: int, high: int) -> Value | None:
    start, end = claim.tokens[low].start, claim.tokens[high - 1].end
    return next((v for v in claim.values if v.kind is ValueKind.NAME and start <= v.start < end), None)


# -- dates and figures -----------------------------------------------------------------------------------------


def _value(held: Held) -> Finding | None:
    """The one thing open is a date or figure, and every one of its sort in the claim is another."""
    if len(held.open) != 1 or len(held.told) < 2:
        return None
    at = held.open[0]
    value = held.short.tokens[at].value
    if value is None or (value.kind is not ValueKind.DATE and held.short.subject.kind is not SubjectKind.NAME):
        return None
    rivals = [(j, t.value) for j, t in enumerate(held.full.tokens) if t.value and t.value.kind is value.kind]
    if any(agreement(value, other) is not Agreement.DIFFERENT for _, other in rivals):
        return None
    alike = _dated_alike if value.kind is ValueKind.DATE else _counted_alike
    for j, other in rivals:
        if alike(held, at, j):
            return Finding(span_of(value), span_of(other), kind_of(value), 0.7, parallel=False)
    return None


def _dated_alike(held: Held, at: int, j: int) -> bool:
    """Whether a date of the claim is of what the statement dates; one in brackets after a name is of the birth."""
    if any(t.key in ("a", "an") for t in held.short.tokens[held.verb : at]):
        return False  # "made a film in 2001", and another in 2003
    words = [i for i in held.told if held.short.tokens[i].key in _ONCE]
    if any(abs(k - j) <= _REACH for i in words for k in held.matches[i]):
        return True
    return j < held.full.subject.verb and any(held.short.tokens[i].key == "born" for i in words)


def _counted_alike(held: Held, at: int, j: int) -> bool:
    left, right = next_word(held.short.tokens, at), next_word(held.full.tokens, j)
    return left is not None and right is not None and right in held.matches[left]


# -- opposites and sorts of thing ------------------------------------------------------------------------------


def _opposite(held: Held) -> Finding | None:
    """Words of which one thing can be only one: "a Danish", "a Welsh painter"; "the best", "the worst harvest"."""
    short, full = held.short, held.full
    said = {t.key for t in short.tokens}
    for i in range(held.verb, len(short.tokens)):
        word = short.tokens[i]
        if held.matches[i] or any(compatible(word.key, other.key) for other in full.tokens):
            continue
        for j, other in enumerate(full.tokens):
            if exclusive(word.key, other.key) and other.key not in said and _in_like_place(held, i, j):
                return _words(word, other, 0.7)
    return None


def _born(claim: ClaimFeatures, at: int) -> bool:
    """Whether a word says where somebody was born, not what he is: "a French-born painter"."""
    return any(token.key == "born" for token in claim.tokens[at + 1 : at + 2])


def _in_like_place(held: Held, i: int, j: int) -> bool:
    if _born(held.short, i) or _born(held.full, j):
        return False
    if _counted_alike(held, i, j) or _linked_alike(held, i, j):
        return True
    if is_relative(held.short.tokens[i].key):
        return False
    dated = any(held.short.tokens[k].value and held.matches[k] for k in held.told)
    following = next_word(held.full.tokens, j)  # "white sails" say nothing against "a red tower"
    alone = set(held.open) <= {i} and (dated or len(held.told) >= _MOSTLY_SAID)
    alone = alone and (following is None or held.shared(following))
    return alone or (_describes(held.short, i) and _describes(held.full, j))


def _describes(claim: ClaimFeatures, at: int) -> bool:
    """Whether a word says what the subject is ("is a Danish painter") or in which nation ("is in Denmark")."""
    if not said_of_subject(claim, at):
        return False
    link, place = link_before(claim.tokens, at)
    return not link or (nation(claim.tokens[at].key) is not None and claim.tokens[place - 1].key != "born")


def _linked_alike(held: Held, i: int, j: int) -> bool:
    """Whether two words follow one preposition after one word: "originated in …", "originating from …"."""
    link, place = link_before(held.short.tokens, i)
    its_link, its_place = link_before(held.full.tokens, j)
    if not link or (link != its_link and not {link, its_link} <= _WHERE):
        return False
    before = held.short.tokens[place - 1]
    once = link not in _WHERE or before.key in _ORIGINS  # one works in several countries, and is born in one
    return once and its_place - 1 in held.matches[place - 1]


def _sort(held: Held) -> Finding | None:
    """What the subject is said to be is of two sorts: "a song", "a film"."""
    left, right = _sort_word(held.short), _sort_word(held.full)
    if held.bearing is not Bearing.NAMED or left is None or right is None:
        return None
    if sorts_of(left.key) & sorts_of(right.key) or not any(held.short.tokens[i] is left for i in held.open):
        return None
    return _words(left, right, 0.7)


def _sort_word(claim: ClaimFeatures) -> Token | None:
    """The word for the sort of thing that a claim says its subject is: the last before a preposition."""
    told = [k for k in range(len(claim.tokens)) if said_of_subject(claim, k)]
    if not told or claim.tokens[told[0]].key not in ("a", "an", "the"):
        return None
    found: Token | None = None
    for token in (claim.tokens[k] for k in told[1:]):
        if token.key in LINKS or (found is not None and token.text.endswith(("ed", "ing"))):
            break
        found = token if sorts_of(token.key) else found
    return found


# -- names -----------------------------------------------------------------------------------------------------


def _name(held: Held) -> Finding | None:
    """The open words are names, and other names follow the same preposition near the same word of the claim."""
    names = list(_told_names(held.short))
    opened = [held.short.tokens[i] for i in held.open]
    if not opened or not all(any(v.start <= t.start < v.end for v in names) for t in opened):
        return None
    name = next(v for v in names if v.start <= opened[0].start < v.end)
    link, place = link_before(held.short.tokens, _place(held.short, name))
    anchors = {k for i in held.told if i < place for k in held.matches[i]}
    if not link or not _excludes_others(held.short, link, place):
        return None
    for other in _told_names(held.full):
        j = _place(held.full, other)
        if j <= held.full.subject.verb or any(same_name(v.text, other.text) is not False for v in names):
            continue
        its_link, its_place = link_before(held.full.tokens, j)
        if its_link == link and any(its_place - _REACH <= k <= its_place for k in anchors):
            return _words(name, other, 0.65)
    return None


def _excludes_others(claim: ClaimFeatures, link: str, place: int) -> bool:
    """Whether one thing alone can follow a preposition: "written by …", "an album by …", "a character in …"."""
    before = claim.tokens[place - 1]
    return before.key in _ONCE if link == "by" and not sorts_of(before.key) else bool(sorts_of(before.key))


def _told_names(claim: ClaimFeatures) -> Iterator[Value]:
    return (v for v in claim.values if v.kind is ValueKind.NAME and nation(stem(v.text)) is None)


def _place(claim: ClaimFeatures, value: Value) -> int:
    return next((k for k, t in enumerate(claim.tokens) if t.end > value.start), 0)


# -- words that go with the same word --------------------------------------------------------------------------


def _modifier(held: Held) -> Finding | None:
    """Different words before the same word of what the subject is: "a horror drama", "a medical drama"."""
    short, full = held.short, held.full
    if held.bearing is not Bearing.NAMED or len(held.open) != 1 or not said_of_subject(short, held.open[0] + 1):
        return None
    at = held.open[0]
    for j in held.matches[at + 1] if at + 1 < len(short.tokens) else ():
        rival = full.tokens[j - 1]
        common = rival.content and not _named(rival) and not _named(short.tokens[at])
        if common and said_of_subject(full, j) and not held.shared(j - 1):
            return _words(short.tokens[at], rival, 0.55)
    return None


def _filler(held: Held) -> Finding | None:
    """Different things after the same word and preposition: "formed by ice"; "its main flavour is from barley"."""
    short, full = held.short, held.full
    if not held.open or len(held.open) > _LONGEST_FILLER or any(_named(short.tokens[i]) for i in held.open):
        return None
    link, place = link_before(short.tokens, held.open[0])
    left = phrase_after(short.tokens, place)
    main = any(t.key in _MAIN for t in short.tokens)
    if not left or left[0] not in held.open or not (main or (link == "by" and short.tokens[place - 1].key in _ONCE)):
        return None
    for k in held.matches[place - 1]:
        for n in (k + 1, k + 2):
            right = phrase_after(full.tokens, n) if n < len(full.tokens) and full.tokens[n].key == link else []
            if right and not any(held.shared(j) or _named(full.tokens[j]) for j in right):
                return Finding(_span(short, left), _span(full, right), DifferenceKind.WORD, 0.55, parallel=False)
    return None


def _named(token: Token) -> bool:
    return token.value is not None or token.text[0].isupper()


def _span(claim: ClaimFeatures, places: Sequence[int]) -> Span:
    start, end = claim.tokens[places[0]].start, claim.tokens[places[-1]].end
    return Span(claim.text[start:end], start, end)


def _only(held: Held) -> Finding | None:
    """The statement allows one thing only, the claim joins another to it: "only in film", "TV and film"."""
    short, full = held.short, held.full
    spot = next((i for i, t in enumerate(short.tokens) if t.key in _ONLY), None)
    if spot is None or held.open:
        return None
    for i in (i for i in held.told if i > spot):
        for j in held.matches[i]:
            for k in (j - 2, j + 2):
                joined = 0 <= k < len(full.tokens) and full.tokens[(j + k) // 2].key == "and" and full.tokens[k].content
                if joined and not held.shared(k):
                    return _words(short.tokens[i], full.tokens[k], 0.6)
    return None


_RULES: tuple[Callable[[Held], Finding | None], ...] = (_value, _opposite, _sort, _name, _modifier, _filler, _only)
