"""Two short claims that as a whole say what cannot both hold: opposites, identities, holders of one place, measures."""

from __future__ import annotations

from memory_bank.engines.offline.claims.claims import ClaimFeatures
from memory_bank.engines.offline.contradiction.findings import DifferenceKind, Finding, Span, kind_of, span_of
from memory_bank.engines.offline.language.opposites import exclusive
from memory_bank.engines.offline.language.tokens import NEGATIONS, ORDINAL, STOPWORDS, Token, stem
from memory_bank.values.values import Agreement, Value, ValueKind, agreement

_CERTAINTY = 0.6


def opposite_finding(a: ClaimFeatures, b: ClaimFeatures) -> Finding | None:
    """Two short claims of which one word is the opposite of one of the other: "Prices rose", "Prices fell"."""
    left = [t for t in a.tokens if t.content and t.value is None and t.key not in b.words]
    right = [t for t in b.tokens if t.content and t.value is None and t.key not in a.words]
    if len(left) != 1 or len(right) != 1 or not exclusive(left[0].key, right[0].key):
        return None
    if any(t.key in NEGATIONS for t in (*a.tokens, *b.tokens)) or not _same_values(a, b):
        return None
    return Finding(span_of(left[0]), span_of(right[0]), DifferenceKind.WORD, _CERTAINTY, parallel=False)


def _same_values(a: ClaimFeatures, b: ClaimFeatures) -> bool:
    """Whether two claims give no other figures or dates than each other."""
    left, right = ([t.value for t in c.tokens if t.value] for c in (a, b))
    return len(left) == len(right) and all(agreement(x, y) is Agreement.SAME for x, y in zip(left, right, strict=True))


def identity_finding(a: ClaimFeatures, b: ClaimFeatures) -> Finding | None:
    """Two claims of which one thing something is: "The currency of Arden is the crown", "… is the florin"."""
    if a.negated or b.negated or not a.subject.words or a.subject.words != b.subject.words:
        return None
    left, right = _identity(a), _identity(b)
    if not left or not right or {t.key for t in left} & {t.key for t in right}:
        return None
    spans = [Span(c.text[p[0].start : p[-1].end], p[0].start, p[-1].end) for c, p in ((a, left), (b, right))]
    return Finding(spans[0], spans[1], DifferenceKind.WORD, _CERTAINTY, parallel=False)


def holder_finding(a: ClaimFeatures, b: ClaimFeatures) -> Finding | None:
    """Two names for what there is one of: "Ivo Hart is the mayor of Tolmin", "The mayor of Tolmin is Lena Fors"."""
    if a.negated or b.negated:
        return None
    (left, role), (right, other) = _holder(a), _holder(b)
    if not left or not right or role != other or agreement(left, right) is not Agreement.DIFFERENT:
        return None
    return Finding(span_of(left), span_of(right), DifferenceKind.NAME, _CERTAINTY, parallel=False)


def _holder(claim: ClaimFeatures) -> tuple[Value | None, frozenset[str]]:
    """The name that makes up one side of a claim on who or what holds a place that only one can hold, and the place."""
    verb, tokens = claim.subject.verb, claim.tokens
    copular = verb < len(tokens) and tokens[verb].key in ("is", "was") and not any(t.key in _RELATIONS for t in tokens)
    if not copular or not (tokens[verb].key == "is" or any(t.key in _ONLY for t in tokens)):
        return None, frozenset()
    sides = (tokens[claim.subject.start : verb], tokens[verb + 1 :])
    for named, place in (sides, sides[::-1]):
        said = frozenset(t.key for t in place if t.content)
        starts = {t.start for t in named[:2]}  # "Dr. Ortiz"
        names = [v for v in claim.values if v.kind is ValueKind.NAME and v.start in starts]
        if names and names[0].end == named[-1].end and place and place[0].key == "the" and len(said) >= _ROLE:
            return names[0], said | {tokens[verb].key}  # who was it need not be who is it
    return None, frozenset()


_ROLE = 2
_ONLY = frozenset({ORDINAL, "onli", "last", "largest", "smallest", "longest", "highest", "oldest", "youngest"})
# Of these one thing has several, "the" or not.
_RELATIONS = frozenset(stem(w) for w in "son daughter child brother sister grandson author member part name".split())


def _identity(claim: ClaimFeatures) -> tuple[Token, ...]:
    """The noun of "The … of … is the crown", where nothing follows; empty for other claims."""
    opening = claim.tokens[claim.subject.start : claim.subject.verb]
    rest = claim.tokens[claim.subject.verb :]
    copular = len(rest) in _IDENTITY and rest[0].key in ("is", "was") and rest[1].key == "the"
    return tuple(rest[2:]) if copular and any(t.key == "of" for t in opening) else ()


_IDENTITY = (3, 4)


def measure_finding(a: ClaimFeatures, b: ClaimFeatures) -> Finding | None:
    """Two figures of one unit that say what one thing is: "Rent is $600 per month", "Rent is $950 per month"."""
    left, right = _measure(a), _measure(b)
    if left is None or right is None or a.subject.words != b.subject.words or a.words != b.words:
        return None
    if left.unit != right.unit or agreement(left, right) is not Agreement.DIFFERENT:
        return None
    return Finding(span_of(left), span_of(right), kind_of(left), _CERTAINTY, parallel=False)


def _measure(claim: ClaimFeatures) -> Value | None:
    """The quantity right after the first verb."""
    after = [t for t in claim.tokens[claim.subject.verb + 1 :] if t.key not in STOPWORDS]
    value = after[0].value if after and claim.subject.words else None
    return value if value and value.kind is ValueKind.QUANTITY else None


def reversed_finding(a: ClaimFeatures, b: ClaimFeatures) -> Finding | None:
    """A comparison and its reverse: "The church is older than the castle", "The castle is older than the church"."""
    left, right = _comparison(a), _comparison(b)
    if left is None or right is None or a.negated or b.negated:
        return None
    if left[1] != right[1] or left[0] != right[2] or left[2] != right[0] or not left[0] or left[0] == left[2]:
        return None
    spans = [Span(c.text, 0, len(c.text)) for c in (a, b)]
    return Finding(spans[0], spans[1], DifferenceKind.WORD, _CERTAINTY, parallel=False)


def _comparison(claim: ClaimFeatures) -> tuple[frozenset[str], frozenset[str], frozenset[str]] | None:
    """Who is compared, in what, and with whom."""
    than = next((i for i, t in enumerate(claim.tokens) if t.text == "than"), 0)
    if not claim.subject.verb < than:
        return None
    parts = (claim.tokens[: claim.subject.verb], claim.tokens[claim.subject.verb : than], claim.tokens[than:])
    first, degree, second = (frozenset(t.key for t in part if t.content) for part in parts)
    return first, degree, second
