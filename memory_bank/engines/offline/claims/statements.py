"""A short statement held against a fuller claim: which of its words the claim bears out, and which it leaves open.

"Ada Holt was a Danish painter" and "Ada Holt (born 1931) is a Welsh painter and poet, known for …": what both say
shows that they tell of one thing; what is left open in the short one is what a rival in the other may contradict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import takewhile
from math import ceil

from memory_bank.engines.offline.claims.claims import ClaimFeatures
from memory_bank.engines.offline.language.opposites import nation
from memory_bank.engines.offline.language.sorts import sorts_of
from memory_bank.engines.offline.language.subjects import SubjectKind
from memory_bank.engines.offline.language.tokens import NEGATIONS, Token, stem
from memory_bank.values.values import Agreement, agreement

MOST_WORDS = 12
"""Content words of a short statement at most."""
LINKS = frozenset("by at on in from of for with as to about over into against than".split())
"""Prepositions that join a word to what goes with it."""
_ROOT = 4
_ROOT_SHARE = 0.75
_DESCRIBING = 8
# Words that add nothing of their own to what they go with: "known for", "one of", "had a role in".
_GENERIC = frozenset(
    stem(w)
    for w in (
        "known called named used located situated found seen part one some several various kind type name based work "
        "works worked exist become became get got make made take took done there thing considered regarded recognised "
        "recognized also well ever own role genre born played plays play appear appeared appearance act acted star "
        "starred feature featured contain contains include includes write wrote written exclusively solely primarily "
        "mainly mostly actually fits despite happened held took place associated participated finished"
    ).split()
)
_NOT = NEGATIONS - {"without"}  # "two men without hats" denies nothing of what the men do
_DENYING = frozenset({"hardly", "barely", "scarcely", "avoid", "avoids", "avoided", "avoiding"})
_DENYING_PAIRS = frozenset({("yet", "to"), ("turn", "down"), ("rather", "than"), ("instead", "of")})
_INDEFINITE = frozenset({"a", "an", "some", "most", "many", "several", "all", "each", "every", "no"})
_COPULAS = frozenset({"is", "was", "are", "were"})
_ASIDES = frozenset({"who", "whom", "which", "that", "whose", "where", "when", "by"})


class Bearing(IntEnum):
    """Whether a fuller claim is about what a short statement is about: not, perhaps ("it"), or by name."""

    NONE = 0
    POINTS = 1
    NAMED = 2


@dataclass(frozen=True, slots=True)
class Held:
    """A short statement held against a fuller claim.

    `verb` is where the subject of the statement ends. `matches[i]` are the tokens of `full` that say what token `i`
    of `short` says. `told` are the content tokens after the subject, `open` those of them that mean something of
    their own and that `full` does not have.
    """

    short: ClaimFeatures
    full: ClaimFeatures
    verb: int
    matches: tuple[tuple[int, ...], ...]
    told: tuple[int, ...]
    open: tuple[int, ...]
    bearing: Bearing

    def shared(self, at: int) -> bool:
        """Whether the statement says what token `at` of the fuller claim says."""
        return any(at in found for found in self.matches)


def hold(short: ClaimFeatures, full: ClaimFeatures) -> Held | None:
    """`short` held against `full`; None where it is not short or does not name its subject."""
    verb = _subject_end(short)
    if not 0 < verb < len(short.tokens) or sum(t.content for t in short.tokens) > MOST_WORDS:
        return None
    matches = tuple(
        tuple(j for j, other in enumerate(full.tokens) if _says_same(token, other)) if token.content else ()
        for token in short.tokens
    )
    denying = denials(short)
    outside = [*range(short.subject.start if short.subject.start < verb else 0), *range(verb, len(short.tokens))]
    told = tuple(i for i in outside if short.tokens[i].content and i not in denying)
    opened = tuple(i for i in told if not matches[i] and short.tokens[i].key not in _GENERIC)
    return Held(short, full, verb, matches, told, opened, _bearing(short, full, verb, matches))


def _subject_end(claim: ClaimFeatures) -> int:
    """The token after a subject that is named: the known verb, or what follows the capitalised words that open it.

    0 for other subjects: "it" and "a man" may be anybody.
    """
    if _existential(claim):
        return claim.subject.verb
    if claim.subject.verb > claim.subject.start:
        opening = claim.tokens[claim.subject.start : claim.subject.verb]
        named = any(t.content and t.text[0].isupper() for t in opening) and opening[0].key not in _INDEFINITE
        return claim.subject.verb if named else 0
    run = 0
    if not claim.tokens or claim.tokens[0].key in _INDEFINITE:
        return 0
    while run < len(claim.tokens) and claim.tokens[run].text[0].isupper() and not (run and claim.tokens[run].clause):
        run += 1
    return 0 if run == 1 and sorts_of(claim.tokens[0].key) else run


def _existential(claim: ClaimFeatures) -> bool:
    return bool(claim.tokens) and claim.tokens[0].key == "there"


def _says_same(token: Token, other: Token) -> bool:
    """Whether two tokens say the same: one value, one word in two forms, or one nation."""
    if not other.content:
        return False
    if token.value is None or other.value is None:
        return token.value is other.value and _same_word(token.key, other.key)
    return agreement(token.value, other.value) is Agreement.SAME


def _same_word(a: str, b: str) -> bool:
    return a == b or _one_root(a, b) or (nation(a) is not None and nation(a) == nation(b))


def _one_root(a: str, b: str) -> bool:
    """Whether two stems are forms of one word: "music" and "musician", "fiction" and "fictional"."""
    if a[:_ROOT] != b[:_ROOT]:
        return False
    root = max(_ROOT, ceil(_ROOT_SHARE * min(len(a), len(b))))
    return min(len(a), len(b)) >= root and a[:root] == b[:root]


def _bearing(short: ClaimFeatures, full: ClaimFeatures, verb: int, matches: Sequence[Sequence[int]]) -> Bearing:
    if _existential(short):  # "There is a mill called Holt Mill"
        capital = [i for i, t in enumerate(short.tokens) if t.content and t.text[0].isupper()]
        return Bearing.NAMED if any(j < full.subject.verb for i in capital for j in matches[i]) else Bearing.NONE
    named = [i for i in range(short.subject.start, verb) if short.tokens[i].content]
    found = [i for i in named if matches[i]]
    if found and 2 * len(found) >= len(named):
        lacking = len(found) < len(named)
        return Bearing.NONE if _tells_of_another(full, matches, lacking=lacking) else Bearing.NAMED
    pointing = full.subject.kind in (SubjectKind.PRONOUN, SubjectKind.NONE, SubjectKind.DEFINITE)
    return Bearing.POINTS if pointing else Bearing.NONE


def _tells_of_another(full: ClaimFeatures, matches: Sequence[Sequence[int]], *, lacking: bool) -> bool:
    """Whether a claim names a subject of its own that the statement does not: "Bo Lund, who knew Ada Holt, …".

    Where it is `lacking` a word of the statement's subject, one more word makes another of it: "Alder School", "Birch
    School".
    """
    if full.subject.kind is not SubjectKind.NAME:
        return False
    end = max(full.subject.verb, _copula(full) or 0)  # "Ada Maria Holt (born 1920), known as Holt, was …"
    named = takewhile(lambda j: full.tokens[j].key not in _ASIDES, range(full.subject.start, end))
    own = {j for j in named if full.tokens[j].content}
    matched = {j for found in matches for j in found}
    return not own <= matched if lacking else not own & matched


# -- the parts of a claim --------------------------------------------------------------------------------------


def denials(claim: ClaimFeatures) -> tuple[int, ...]:
    """The places of the words that deny what follows them: "not", "never", "barely", "yet to"."""
    keys = [t.key for t in claim.tokens]
    pairs = enumerate(zip(keys, [*keys[1:], ""], strict=True))
    return tuple(
        i
        for i, pair in pairs
        if (pair[0] in _NOT and pair[1] != _ONLY) or pair in _DENYING_PAIRS or claim.tokens[i].text.lower() in _DENYING
    )


_ONLY = stem("only")


def said_of_subject(claim: ClaimFeatures, at: int) -> bool:
    """Whether a token belongs to what the subject is or where it is: "is a Dutch …", "is located in Spain".

    What stands in brackets between a name and its "is" makes no difference.
    """
    verb = _copula(claim)
    if verb is None or verb >= at:
        return False
    return not any(t.clause or t.key in _ASIDES for t in claim.tokens[verb + 1 : at + 1])


def _copula(claim: ClaimFeatures) -> int | None:
    """The place of the "is" of the main clause, if the claim has one."""
    verb = next((k for k, t in enumerate(claim.tokens) if t.key in _COPULAS), None)
    return None if verb is None or any(t.key in _ASIDES for t in claim.tokens[:verb]) else verb


def link_before(tokens: Sequence[Token], at: int) -> tuple[str, int]:
    """The preposition of the phrase that a token stands in and its place; "" and `at` if there is none."""
    for k in range(at - 1, max(-1, at - _DESCRIBING), -1):
        if tokens[k + 1].clause:
            break
        if tokens[k].key in LINKS:
            return tokens[k].key, k
    return "", at


def phrase_after(tokens: Sequence[Token], link: int) -> list[int]:
    """The content words that follow a preposition, up to the next one."""
    found: list[int] = []
    for k in range(link + 1, min(len(tokens), link + _DESCRIBING)):
        if tokens[k].clause or tokens[k].key in LINKS:
            break
        if tokens[k].content:
            found.append(k)
    return found


def next_word(tokens: Sequence[Token], at: int) -> int | None:
    """The place of the next content word that is no value, within the clause and three tokens."""
    for k in range(at + 1, min(len(tokens), at + 4)):
        if tokens[k].clause:
            return None
        if tokens[k].content and not tokens[k].value:
            return k
    return None
