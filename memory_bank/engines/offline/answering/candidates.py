"""What may answer a question: passages with the value that is asked for, scored by how well they answer.

A score adds up likeness to the question (of the passage, its sentence and its whole entry), shared words, and what
the passage gives: the value asked for, or a definition of what the question is about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from memory_bank.engines.offline.answering.expected import Expected, Found
from memory_bank.engines.offline.answering.passages import Passage
from memory_bank.engines.offline.language.sorts import sorts_of
from memory_bank.engines.offline.language.tokens import stem
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.tokens import tokenize
from memory_bank.values.names import find_names, fold, name_words

LIKENESS, SHARED = 0.65, 0.35
ENTRY = 0.2
"""The share of the whole entry in the score of a passage: a sentence with "it" in it is about what its entry is."""
OPENING = 1200
"""Characters of an entry that show what it is about."""
SURE, FITTING, UNFIT = 0.3, 0.1, -0.2
"""What a passage gains that gives the very attribute asked for, or a value of its kind, and loses that gives none."""
DEFINING = 0.15
"""What a passage gains that says what the subject of a question is, where no figure or date is asked for."""
_KINDS = frozenset(
    "mill dam lighthouse station library theatre theater school hospital hall house park garden farm inn pier harbour "
    "harbor port canal reservoir monument memorial cemetery abbey chapel mosque temple fort gate pass valley bay cape "
    "cave falls glacier volcano desert forest square street road avenue tunnel viaduct aqueduct mine quarry factory "
    "works plant prize award cup league trophy act treaty".split()
)
"""Last words of the names of things, beside those of the table of sorts."""
_DEFINITION = re.compile(r"\b(?:is|was|are|were)\s+(?:an?|the|one of)\b|是", re.IGNORECASE)


@dataclass(frozen=True)
class Candidate:
    """A passage that may answer, the sentence it stands in, and the value of it that is asked for, if there is one."""

    passage: Passage
    sentence: Passage
    found: Found | None = None
    defines: bool = False
    score: float = 0.0

    @property
    def text(self) -> str:
        """The words that would be quoted."""
        return self.passage.text


def candidates(part: str, pool: Sequence[Passage], embedder: Embedder) -> list[Candidate]:
    """What may answer one part of a question, best first."""
    if not pool:
        return []
    expected, asked = Expected.of(part), set(tokenize(part))
    pool = _without_namesakes(pool, part)
    if not pool:
        return []
    beside = _off_the_point(pool, expected)
    found = [one for passage in pool for one in _in_sentence(passage, expected, asked, passage.entry.id in beside)]
    cosine = _cosines(part, found, embedder)
    scored = [replace(one, score=_score(one, expected, asked, cosine)) for one in found]
    order = np.argsort([-one.score for one in scored], kind="stable")
    return [_whole_clause(scored[index]) for index in order]


def _whole_clause(one: Candidate) -> Candidate:
    """With the passage on to the end of its clause: what is most like a question stops before the answer."""
    if one.passage is one.sentence:
        return one
    return replace(one, passage=one.passage.run_on(one.sentence))


def _off_the_point(pool: Sequence[Passage], expected: Expected) -> set[str]:
    """Entries in which nothing is said of what the question is about: a value in them is one of something else.

    So are those on another thing of the kind, "Birch School" for "Alder School", where an entry has the name in full.
    """
    entries = {one.entry.id: one for one in pool if expected.subject}
    named = {
        entry_id: expected.subject.intersection(tokenize(f"{one.topic} {one.source} {one.entry.text}"))
        for entry_id, one in entries.items()
    }
    whole = expected.subject in named.values()
    return {
        entry_id
        for entry_id, words in named.items()
        if not words or (whole and words < expected.subject and words < set(tokenize(entries[entry_id].topic)))
    }


def _without_namesakes(pool: Sequence[Passage], part: str) -> list[Passage]:
    """The passages without those on another thing of the kind that is asked of: of "Birch Mill" for "Alder Mill".

    Such is an entry that names one of the kind, and nowhere has a word that tells the one that is asked of apart.
    """
    wanted = [name_words(part[name.start : name.end]) for name in find_names(part, [])]
    asked = {words[-1]: set(words[:-1]) for words in wanted if len(words) > 1 and _is_kind(words[-1])}
    if not asked:
        return list(pool)
    other: dict[str, bool] = {}
    for one in pool:
        if one.entry.id not in other:
            text = f"{one.topic}. {one.source}. {one.entry.text}"
            named = [name_words(text[name.start : name.end]) for name in find_names(text, [])]
            kinds = {words[-1] for words in named if len(words) > 1 and words[-1] in asked}
            said = set(re.findall(r"\w+", fold(text)))
            other[one.entry.id] = bool(kinds) and not any(asked[kind] & said for kind in asked)
    return [one for one in pool if not other[one.entry.id]]


def _is_kind(word: str) -> bool:
    """Whether the last word of a name says what kind of thing it is of, as no surname does."""
    return word in _KINDS or bool(sorts_of(stem(word)) - {"person"})


def _in_sentence(sentence: Passage, expected: Expected, asked: set[str], beside: bool) -> list[Candidate]:  # noqa: FBT001
    """A candidate for each fitting value of a sentence; without any, its stretches."""
    defines = _defines(sentence, expected)
    if sentence.turn is not None and not expected.values_in(sentence.text, asked):
        found = None if beside else expected.value_of_turn(sentence.turn, sentence.entry.text)
        return [Candidate(part, sentence, found, defines) for part in sentence.stretches()]
    values = expected.values_in(sentence.text, asked) if expected.anything and not beside else []
    around = [Candidate(sentence.around(one.start, one.end), sentence, one, defines) for one in values]
    return around or [Candidate(part, sentence, None, defines) for part in sentence.stretches()]


def _defines(passage: Passage, expected: Expected) -> bool:
    """Whether a passage says what the subject of the question is: "Beacon Mill is a smock mill"."""
    said = _DEFINITION.search(passage.text)
    return said is not None and not expected.subject.isdisjoint(tokenize(passage.text[: said.start()]))


def _cosines(part: str, found: Sequence[Candidate], embedder: Embedder) -> Callable[[str], float]:
    """The likeness to a question of each text that counts; each is embedded once."""
    texts = [
        text for one in found for text in (one.passage.titled, one.sentence.titled, one.passage.entry.text[:OPENING])
    ]
    place = {text: index for index, text in enumerate(dict.fromkeys(texts), start=1)}
    vectors = embedder.embed([part, *place])
    cosines: NDArray[np.float32] = vectors @ vectors[0]
    return lambda text: float(cosines[place[text]])


def _score(one: Candidate, expected: Expected, asked: set[str], cosine: Callable[[str], float]) -> float:
    likeness = (cosine(one.passage.titled) + cosine(one.sentence.titled)) / 2
    own = LIKENESS * likeness + SHARED * _shared(asked, one.passage.titled)
    entry = one.passage.entry.text
    whole = LIKENESS * cosine(entry[:OPENING]) + SHARED * _shared(asked, entry)
    score = (1 - ENTRY) * own + ENTRY * whole
    if expected.anything:
        score += UNFIT if one.found is None else SURE if one.found.sure else FITTING
    defining = one.defines and not expected.telling and _defines(one.passage, expected)
    return score + (DEFINING if defining else 0.0)


def _shared(asked: set[str], text: str) -> float:
    """The share of the question's words that a text has (0…1)."""
    return len(asked & set(tokenize(text))) / max(len(asked), 1)
