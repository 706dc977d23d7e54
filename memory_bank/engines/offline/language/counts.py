"""What a bare number counts: "291 contributing buildings", "14 people were killed", "a 38-storey tower"."""

from __future__ import annotations

from collections.abc import Sequence

from memory_bank.engines.offline.language.subjects import VERBS
from memory_bank.engines.offline.language.tokens import Token, stem


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(w) for w in words.split())


_PEOPLE = _stems("people inhabitants residents persons population lives")
# What becomes of people, or what they do, says what their number is.
_FATES = {
    key: name
    for name, words in {
        "dead": "kill killed killing died dead deaths perished fatalities",
        "injured": "injured hurt wounded",
        "employee": "employs employed employing employees staff",
        "student": "attend attended enrolled students pupils",
        "floor": "floors storeys stories storey story",
    }.items()
    for key in _stems(words)
}
_NEAR = 4
_LONGEST_NOUN = 3


def counted(tokens: Sequence[Token], at: int) -> tuple[str, frozenset[str]] | None:
    """The attribute that the number at `at` is a value of, and the words that narrow it; None if it counts nothing.

    The last word of the noun phrase after the number is what is counted; of people, their fate is ("count:dead").
    """
    phrase = _noun_phrase(tokens, at)
    if not phrase or len(phrase[-1].key) < _LONGEST_NOUN:
        return None
    noun, qualifiers = phrase[-1].key, frozenset(token.key for token in phrase[:-1])
    if noun not in _PEOPLE:
        return f"count:{noun}", qualifiers
    fate = _fate(tokens, at, at + len(phrase))
    return (f"count:{fate}" if fate else "population"), qualifiers


def count_key(attribute: str) -> str:
    """The attribute under which counts compare: "count:pupil" is "count:student"."""
    kind, _, noun = attribute.partition(":")
    return f"{kind}:{_FATES.get(noun, noun)}" if noun else attribute


def _noun_phrase(tokens: Sequence[Token], at: int) -> list[Token]:
    phrase: list[Token] = []
    for token in tokens[at + 1 : at + 1 + _LONGEST_NOUN]:
        if token.value or not token.content or token.clause:
            break
        if phrase and (token.text.endswith(("ing", "ed")) or token.key in VERBS):
            break  # "families residing in", "5,000 students attend": the noun came before
        phrase.append(token)
        if token.joined:
            break  # "a 38-storey tower"
    return phrase


def _fate(tokens: Sequence[Token], at: int, last: int) -> str:
    """What became of the people counted: told by a verb just before the number or just after the noun."""
    for token in reversed(tokens[max(0, at - _NEAR) : at]):
        if token.key in _FATES:
            return _FATES[token.key]
        if token.clause:
            break
    for token in tokens[last + 1 : last + 1 + _NEAR]:
        if token.clause:
            break
        if token.key in _FATES:
            return _FATES[token.key]
    return ""
