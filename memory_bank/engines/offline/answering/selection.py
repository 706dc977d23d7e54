"""Which passages answer one part of a question: of every document that is heard the best, then what else they have.

What is in dispute or refuted is set aside, nothing is said twice, and the whole is short enough to read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memory_bank.engines.offline.answering.candidates import Candidate, candidates
from memory_bank.engines.offline.answering.expected import Expected
from memory_bank.engines.offline.answering.passages import Passage
from memory_bank.engines.offline.answering.setting_aside import Judged
from memory_bank.engines.offline.answering.voices import Voice, documents_of, heard, voices_of
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.tokens import tokenize

ANSWERS = 0.45
"""Score from which a passage answers a question at all."""
JOINS = 0.3
"""Score from which others join a passage that answers."""
MEANT = 0.6
"""How far below a value that is surely the one asked for another document's may score and still be given."""
FURTHER = 0.35
"""Score from which a document's second passage is given."""
NEAR_BEST = 0.25
"""How far below its document's best a further passage may score and still be given."""
MOST_OF_DOCUMENT = 3
MOST_STATEMENTS = 10
MOST_WORDS = 150
ALIKE = 0.9
FINER = 0.4
"""How far below a value the same one may score and still take its place because it is more precise."""


def choose(
    part: str, pool: Sequence[Passage], judged: Judged, embedder: Embedder, given: Sequence[Candidate]
) -> list[Candidate]:
    """What answers one part of a question and is not among what is `given` already.

    Whether anything answers is told by the best of all, also where that one is refuted or in dispute.
    """
    ranked = candidates(part, pool, embedder)
    if not ranked or ranked[0].score < ANSWERS:
        return []
    near = [one for one in ranked if one.score >= JOINS]
    aside = {sentence for sentence in {one.sentence for one in near} if judged.against(sentence)}
    standing = [one for one in near if one.sentence not in aside]
    expected = Expected.of(part)
    voices = heard(voices_of(standing), documents_of(pool), set(tokenize(part)), judged.compatible)
    chosen: list[Candidate] = []
    words = 0
    for one in _in_turn(voices, expected, ranked[0]):
        length = len(one.text.split())
        fits = len(chosen) < MOST_STATEMENTS and (words + length <= MOST_WORDS or not chosen)
        if fits and not any(_repeats(one, other, expected) for other in (*given, *chosen)):
            chosen.append(one)
            words += length
    return chosen


def _in_turn(voices: Sequence[Voice], expected: Expected, best: Candidate) -> Iterator[Candidate]:
    """The best of every document, then the second of every one, and so on.

    Values only, where any document gives one, also where the `best` of all is in dispute; none that is hardly meant
    beside one that surely is.
    """
    valued = (expected.telling and best.found) or any(voice.best.found for voice in voices)
    floor = best.score - MEANT if expected.telling and best.found and best.found.sure else JOINS
    said = [_of_document(voice, expected) for voice in voices]
    for turn in range(MOST_OF_DOCUMENT):
        for own in said:
            if turn < len(own) and own[turn].score >= floor and (own[turn].found or not valued):
                yield own[turn]


def _of_document(voice: Voice, expected: Expected) -> list[Candidate]:
    """What one document may say, no value twice: nothing besides the value when it is surely the one asked for."""
    best = _finest(voice)
    chosen = [best]
    if expected.telling and best.found and best.found.sure:
        return chosen
    for one in voice.candidates:
        if len(chosen) == MOST_OF_DOCUMENT or one.score < max(FURTHER, voice.best.score - NEAR_BEST):
            break
        if not any(_same(one, other, expected) for other in chosen):
            chosen.append(one)
    return chosen


def _finest(voice: Voice) -> Candidate:
    """The best, or the same value where the document gives it more precisely."""
    best = voice.best
    if best.found is None:
        return best
    near = (one for one in voice.candidates if one.score >= best.score - FINER)
    return next((one for one in near if one.found and one.found.finer_than(best.found)), best)


def _same(one: Candidate, other: Candidate, expected: Expected) -> bool:
    """Whether two passages of a document give one value, or are of one sentence where no value tells them apart."""
    if expected.telling and one.found and other.found:
        return one.found.same_as(other.found)
    return one.sentence == other.sentence


def _repeats(one: Candidate, other: Candidate, expected: Expected) -> bool:
    """Whether a passage given already has these words, or states the same value of the same thing."""
    if expected.telling and one.found and other.found:
        return one.found.same_as(other.found)
    words, others = set(tokenize(one.text)), set(tokenize(other.text))
    return len(words & others) >= ALIKE * max(min(len(words), len(others)), 1)
