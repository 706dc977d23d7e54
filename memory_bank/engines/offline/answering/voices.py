"""Whom an answer hears: each document is a voice, copies of one text are one, and a contested value needs support.

Two documents that are mostly the same text and differ in the answer cannot both be right: the one whose answer other
documents give is heard. A document that only mentions what is asked, and whose value nobody else gives, is heard after
those that are about it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from memory_bank.engines.offline.answering.candidates import Candidate
from memory_bank.engines.offline.answering.passages import Passage
from memory_bank.modules.tokens import tokenize

COPY = 0.6
"""From this likeness of their words two documents are taken for copies of one text, of which one may be cropped."""
SAME_SENTENCE = 0.5
WEAK = 0.25
"""How far below the best voice one may score that is not about the subject and has no support."""


@dataclass(frozen=True)
class Voice:
    """A document with what it may answer, best first."""

    source: str
    candidates: tuple[Candidate, ...]

    @property
    def name(self) -> str:
        """The document's name, which another may have too."""
        return self.best.passage.source

    @property
    def best(self) -> Candidate:
        """What it says first."""
        return self.candidates[0]


@dataclass(frozen=True)
class Document:
    """The words of a document in memory, whole and by sentence."""

    sentences: tuple[frozenset[str], ...]

    @cached_property
    def words(self) -> frozenset[str]:
        """All its stems."""
        return frozenset[str]().union(*self.sentences)

    def says(self, words: frozenset[str]) -> bool:
        """Whether one of its sentences has all these words."""
        return any(words <= sentence for sentence in self.sentences)

    def like(self, words: frozenset[str]) -> frozenset[str]:
        """Its sentence that has most of these words."""
        return max(self.sentences, key=lambda sentence: len(sentence & words))


def documents_of(pool: Sequence[Passage]) -> dict[str, Document]:
    """The documents of some passages."""
    found: dict[str, list[frozenset[str]]] = {}
    for passage in pool:
        found.setdefault(passage.document, []).append(frozenset(tokenize(passage.text)))
    return {source: Document(tuple(said)) for source, said in found.items()}


def voices_of(ranked: Sequence[Candidate]) -> list[Voice]:
    """The documents by how well the best of each answers."""
    found: dict[str, list[Candidate]] = {}
    for one in ranked:
        found.setdefault(one.passage.document, []).append(one)
    return [Voice(source, tuple(said)) for source, said in found.items()]


def heard(
    voices: Sequence[Voice], documents: Mapping[str, Document], asked: set[str], compatible: set[frozenset[str]]
) -> list[Voice]:
    """The voices that an answer may affirm, in their order.

    `compatible` are pairs of documents that were compared, and found not to contradict each other.
    """
    hearing = _Hearing(voices, documents, frozenset(asked), compatible)
    standing = [voice for voice in voices if not hearing.outvoted(voice)]
    strong = [hearing.about_it(voice) or hearing.supported(voice) for voice in standing]
    if not any(strong):
        return standing
    floor = max(voice.best.score for voice in standing) - WEAK
    return [voice for voice, sure in zip(standing, strong, strict=True) if sure or voice.best.score >= floor]


@dataclass(frozen=True)
class _Hearing:
    """Everybody who speaks to a question."""

    voices: Sequence[Voice]
    documents: Mapping[str, Document]
    asked: frozenset[str]
    compatible: set[frozenset[str]]

    @cached_property
    def copies(self) -> dict[str, frozenset[str]]:
        """For each document the others that are copies of it."""
        return {
            source: frozenset(
                other
                for other, words in self.documents.items()
                if other != source and _likeness(document.words, words.words) >= COPY
            )
            for source, document in self.documents.items()
        }

    def outvoted(self, voice: Voice) -> bool:
        """Whether a copy answers otherwise in the same words, and has more support, or no less and comes first."""
        return any(self._yields(voice, other) for other in self.voices if other.source in self.copies[voice.source])

    def _yields(self, voice: Voice, other: Voice) -> bool:
        if frozenset({voice.name, other.name}) in self.compatible:
            return False
        mine, theirs = self._difference(voice, other)
        if not mine or not theirs:
            return False
        parties = {voice.source, other.source} | self.copies[voice.source] | self.copies[other.source]
        support, against = self._support(mine, parties), self._support(theirs, parties)
        first = [one.source for one in self.voices].index
        return against > support or (against == support and first(other.source) < first(voice.source))

    def _difference(self, voice: Voice, other: Voice) -> tuple[frozenset[str], frozenset[str]]:
        """The words in which a document's answer and its copy's differ, and that the other does not have at all."""
        document, its_copy = self.documents[voice.source], self.documents[other.source]
        sentence = frozenset(tokenize(voice.best.sentence.text))
        said = its_copy.like(sentence)
        if _overlap(sentence, said) < SAME_SENTENCE:
            return frozenset(), frozenset()
        given = voice.best.found
        mine = frozenset(tokenize(given.text if given else voice.best.text)) - its_copy.words
        return mine, said - document.words

    def supported(self, voice: Voice) -> bool:
        """Whether another document, no copy of it, gives the same value."""
        found = voice.best.found
        words = frozenset(tokenize(found.text)) - self.asked if found else frozenset[str]()
        return self._support(words, {voice.source} | self.copies[voice.source]) > 0

    def _support(self, words: frozenset[str], parties: set[str]) -> int:
        if not words:
            return 0
        return sum(document.says(words) for source, document in self.documents.items() if source not in parties)

    @staticmethod
    def about_it(voice: Voice) -> bool:
        """Whether a document says what the subject of the question is."""
        return any(one.defines for one in voice.candidates)


def _likeness(words: frozenset[str], others: frozenset[str]) -> float:
    """Common words as a share of the mean number of words (0…1; Dice)."""
    return 2 * len(words & others) / max(1, len(words) + len(others))


def _overlap(words: frozenset[str], others: frozenset[str]) -> float:
    """Common words as a share of the smaller number of words (0…1)."""
    return len(words & others) / max(1, min(len(words), len(others)))
