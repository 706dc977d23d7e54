"""Ground a generated sentence: find the passages that support it. A sentence without any is not affirmed.

A passage of the same words supports it. Else the pair model looks for a passage, or two together, that entails the
sentence. Where it finds none, a passage that has a few words more supports it, or the passages that share its words,
figures and names, unless the pair model says that these contradict it. Every figure must stand in a supporting
passage, however it is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import combinations, islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memory_bank.agents.agent import prompt_language
from memory_bank.agents.react import Quote
from memory_bank.bank.above import Above
from memory_bank.judgement.alignment import negations, numbers
from memory_bank.judgement.judge import NoJudge, PairJudge
from memory_bank.judgement.pair_model import PairJudgement
from memory_bank.judgement.statement import Statement, context_at, statements_of
from memory_bank.search.embedding import Embedder
from memory_bank.text.sentences import sentences
from memory_bank.text.span import overlaps_any
from memory_bank.text.tokens import tokenize, words
from memory_bank.text.values.quantities import ONES, TENS
from memory_bank.text.values.values import figures, is_among

ALIKE = 0.5
"""Cosine from which a passage can support a sentence."""
SHARED = 0.6
"""Share of the sentence's words from which a passage can support it, whatever the cosine."""
CLOSE = 0.05
"""How far the first supporting passage may be below the highest similarity."""
PARTLY = 0.4
"""Similarity (mean of cosine and shared words) from which a further passage may supply what the first lacks."""
MOST_QUOTES = 3
READ = 4
"""Most similar passages that the pair model reads one by one."""
JOINED = 3
"""Most similar passages that it reads in pairs too."""
ENTAILED, DENIED = 0.3, 0.7
"""A passage supports a sentence from this probability of entailment, below this probability of a contradiction."""
MATCHED, UNDENIED = 0.05, 0.1
"""The same for passages that share its words. Each is the mean of two readings: by itself, and in its context."""
REPEATED = 0.8
"""Share of a passage's words that a sentence has to have, in order, to say what it does."""
SURE = 0.95
"""Probability of an entailment or a contradiction from which the pair model's reading is final."""
NEAREST = 5
"""Most similar passages in which the model that wrote a sentence looks for its support."""

_WORD = re.compile(r"[^\W\d_][\w’'-]*")
_NUMBER_WORDS = ONES | TENS | {word: value for value, word in enumerate("一二三四五六七八九十", 1)} | {"两": 2}
_AMBIGUOUS_NUMBER_WORDS = frozenset("zero one 一 二 三 四 五 六 七 八 九 十 两".split())
"""Number words that are as often part of other words: they can support a figure, but need no support themselves."""
_POSSIBLE_NUMBER_WORD = re.compile(
    r"\b[a-z]+(?:-(?:one|two|three|four|five|six|seven|eight|nine))?\b|[一二三四五六七八九十两]"
)
_SCALES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "bn": 9, "trillion": 12}
_SCALES |= {"百": 2, "千": 3, "万": 4, "百万": 6, "亿": 8, "万亿": 12}
_SCALED_NUMBER = re.compile(
    r"(?<![a-z\d.,])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?\s?"
    r"(hundred|thousand|million|billion|bn|trillion|万亿|百万|百|千|万|亿)(?![a-z])"
)


@dataclass(frozen=True)
class SourceText:
    """A text that may support a sentence: an entry of the bank, or a tool's output in this step (no `entry_id`).

    `title` is that of its document, where it has one besides `source`, the name; `above` is what stands above it there.
    `barred` are character ranges that may not be used: claims that were refuted or are in dispute. `pages` are the
    offsets at which its pages begin, with their numbers. `offset` is where it begins in its entry.
    """

    source: str
    text: str
    entry_id: str | None = None
    barred: tuple[tuple[int, int], ...] = ()
    pages: tuple[tuple[int, int], ...] = ()
    offset: int = 0
    title: str = ""
    above: Above = field(default_factory=Above)

    def page_at(self, offset: int) -> int | None:
        """The number of the page at a character offset; None where that is not known."""
        return next((page for start, page in reversed(self.pages) if start <= offset), None)

    def passages(self) -> list[Passage]:
        """The sentences of the text."""
        names = _words_without_figures(f"{self.source} {self.text}")
        placed = statements_of(self.text, self.source, above=self.above)
        return [
            Passage(
                Quote(
                    source=self.source,
                    text=span.of(self.text),
                    entry_id=self.entry_id,
                    start=span.start + self.offset,
                    end=span.end + self.offset,
                ),
                names,
                context=context_at(placed, span.start, span.end) or self.source,
                barred=overlaps_any(*span, self.barred),
                title=self.title,
            )
            for span in sentences(self.text)
        ]


@dataclass(frozen=True)
class Passage:
    """A sentence of a text in its context (title, heading, the sentence or header row before it).

    `names` are the words of the whole text, `title` is that of its document.
    """

    quote: Quote
    names: frozenset[str]
    context: str
    barred: bool
    title: str = ""

    @property
    def read(self) -> str:
        """The words in which figures are looked for: those of the passage, for a row of a table with its header."""
        return f"{self.context} {self.quote.text}" if "|" in self.quote.text else self.quote.text

    def may_support(self, sentence: str) -> bool:
        """Whether it is not barred, and negated if and only if the sentence is."""
        return not self.barred and bool(negations(self.quote.text)) == bool(negations(sentence))


@dataclass(frozen=True)
class Support:
    """The passages that support a sentence, best first; none when no passage does.

    `nearest` are the most similar passages, barred ones too. `open` means that the pair model is not sure, and that
    these passages bear every figure of the sentence: a second look at them can change the result. `similar` tells
    whether any of them is similar enough to support it.
    """

    quotes: tuple[Quote, ...] = ()
    nearest: tuple[Passage, ...] = ()
    open: bool = False
    similar: bool = True


Bearing = Literal["supported", "contradicted", "not_said"]


@dataclass(frozen=True)
class OpenSentence:
    """A sentence that the pair model leaves open, and the passages to look at.

    `before` is the sentence before it in the answer, where that is not open.
    """

    text: str
    passages: tuple[Passage, ...]
    before: str = ""


@dataclass(frozen=True)
class SecondReading:
    """What a second look found of a sentence, with the passages that decide it."""

    bearing: Bearing
    passages: tuple[Passage, ...] = ()

    def quotes(self, sentence: str, support: Support) -> tuple[Quote, ...]:
        """The passages that support a sentence, barred ones too.

        Those of the pair model where the second look names none that bear every figure.
        """
        if self.bearing != "supported":
            return ()
        if not self.passages or not bears_figures(sentence, self.passages):
            return support.quotes
        return tuple(passage.quote for passage in self.passages)


SecondLook = Callable[[Sequence[OpenSentence]], Sequence[SecondReading | None]]
"""Reads open sentences again, all at once; None for a sentence where the pair model's reading stands."""


@dataclass(frozen=True)
class Grounding:
    """Finds the passages that support a sentence. `second_look` is given the sentences of an answer left open.

    Without it the pair model's reading stands for every sentence.
    """

    embedder: Embedder
    judge: PairJudge
    second_look: SecondLook = lambda asked: [None] * len(asked)

    def quotes(self, sentence: str, texts: Iterable[SourceText]) -> tuple[Quote, ...]:
        """The passages that support a sentence, best first; empty when none do."""
        return self.support(sentence, texts).quotes

    def support(self, sentence: str, texts: Iterable[SourceText]) -> Support:
        """The passages that support a sentence, and where that is not sure, those nearest to it."""
        passages = [passage for text in texts for passage in text.passages()]
        if not passages:
            return Support()
        said = words(sentence)
        repeating = [passage for passage in passages if said and words(passage.quote.text) == said]
        if repeating:
            best = min(repeating, key=lambda passage: passage.barred)
            return Support(_quotes([best]), (best,))
        similar, similarity = _similarity(sentence, [passage.quote.text for passage in passages], self.embedder)
        supporting, sure = _entailing_passages(sentence, passages, similarity, self.judge)
        if not supporting and (crop := next((each for each in passages if _leaves_out(sentence, said, each)), None)):
            supporting, sure = [crop], False
        if not supporting:
            supporting = _matching_passages(sentence, passages, similar, similarity)
            if supporting:
                (reading,) = _readings([supporting], sentence, self.judge)
                entailed = reading.entails >= MATCHED or isinstance(self.judge, NoJudge)  # which never finds that
                supporting = supporting if entailed and reading.contradicts < UNDENIED else []
        most_similar = (passages[n] for n in np.argsort(-similarity, kind="stable"))
        others = (passage for passage in most_similar if passage not in supporting)
        nearest = [*supporting, *islice(others, NEAREST - len(supporting))]
        is_open = not sure and bears_figures(sentence, nearest)
        return Support(_quotes(supporting), tuple(nearest), is_open, bool(similar.any()))


def _leaves_out(sentence: str, said: Sequence[str], passage: Passage) -> bool:
    """Whether a sentence, in the words `said`, says what a passage does but for a few that it leaves out, no figure.

    The networks often take such a crop for a contradiction. It stays open, since few words can change much.
    """
    there = words(passage.quote.text)
    if not (there and passage.may_support(sentence) and REPEATED * len(there) <= len(said)):
        return False
    there = there[1:] if there[0].isdigit() and said[0] != there[0] else there  # the number of an entry of a list
    rest = iter(there)
    in_order = all(word in rest for word in said)
    same_figures = [word for word in said if word.isdigit()] == [word for word in there if word.isdigit()]
    return in_order and same_figures and bears_figures(sentence, [passage])


def bears_figures(sentence: str, passages: Iterable[Passage]) -> bool:
    """Whether every figure of a sentence stands in one of the passages, however it is written."""
    read = " ".join(passage.read for passage in passages)
    return figures_in(sentence, to_be_borne=True) <= _borne(sentence, read)


def _quotes(passages: Iterable[Passage]) -> tuple[Quote, ...]:
    return tuple(passage.quote for passage in passages if not passage.barred)


def _matching_passages(
    sentence: str, passages: Sequence[Passage], similar: NDArray[np.bool_], similarity: NDArray[np.float64]
) -> list[Passage]:
    """The passages that a sentence was evidently written from, by words, figures and names.

    A passage must be similar to the sentence and agree with it in negation. Every figure of the sentence must stand in
    one of the passages, every name in the texts they are from. When a passage that may not support it (barred, or of
    the opposite negation) is more similar and has all figures and names too, the sentence is taken to be about that.
    """
    wanted, names = figures_in(sentence, to_be_borne=True), names_in(sentence)
    passage_figures = [_borne(sentence, passage.read) for passage in passages]
    rivals = [
        similarity[index]
        for index, passage in enumerate(passages)
        if not passage.may_support(sentence) and wanted <= passage_figures[index] and names <= passage.names
    ]
    least = max([similarity.max() - CLOSE, *rivals])
    chosen: list[Passage] = []
    for index in np.argsort(-similarity, kind="stable"):
        passage, matched = passages[index], wanted & passage_figures[index]
        if not passage.may_support(sentence) or (wanted and not matched):
            continue
        if similarity[index] < (PARTLY if chosen else least) or not (chosen or similar[index]):
            return []
        if not chosen or matched or names & passage.names:
            chosen.append(passage)
            wanted, names = wanted - matched, names - passage.names
        if not wanted and not names:
            return chosen
        if len(chosen) == MOST_QUOTES:
            return []
    return []


def _entailing_passages(
    sentence: str, passages: Sequence[Passage], similarity: NDArray[np.float64], judge: PairJudge
) -> tuple[Sequence[Passage], bool]:
    """The passage, or two together, that most surely entail a sentence; empty where the surest include a barred one.

    And whether the pair model is sure: of these, or that a passage contradicts the sentence.
    """
    order = np.argsort(-similarity, kind="stable")[:READ]
    premises = [[passages[n]] for n in order]
    premises += [[passages[a], passages[b]] for a, b in combinations(sorted(order[:JOINED]), 2)]
    premises = [premise for premise in premises if bears_figures(sentence, premise)]
    readings = _readings(premises, sentence, judge)
    supporting = [
        (reading.entails, premise)
        for reading, premise in zip(readings, premises, strict=True)
        if reading.entails >= ENTAILED and reading.contradicts < DENIED
    ]
    entails, best = max(supporting, key=lambda scored: scored[0], default=(0.0, []))
    sure = entails >= SURE if supporting else any(reading.contradicts >= SURE for reading in readings)
    return [] if any(passage.barred for passage in best) else best, sure


def _readings(premises: Sequence[Sequence[Passage]], sentence: str, judge: PairJudge) -> list[PairJudgement]:
    """How each premise, passages joined into one statement, bears on a sentence: by itself and in its context."""
    pairs = []
    for premise in premises:
        text = " ".join(passage.quote.text for passage in premise)
        pairs += [(Statement(text, context), Statement(sentence)) for context in ("", premise[0].context)]
    judged = judge.judge(pairs)
    return [
        PairJudgement(*((first + second) / 2 for first, second in zip(*two, strict=True)))
        for two in zip(judged[::2], judged[1::2], strict=True)
    ]


def _similarity(
    sentence: str, passages: Sequence[str], embedder: Embedder
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """For each passage, whether it is similar enough to the sentence at all, and how similar by meaning and words."""
    said = set(tokenize(sentence))
    shared = np.array([len(said & set(tokenize(passage))) / max(len(said), 1) for passage in passages])
    if prompt_language(sentence) == "zh":  # an English embedding model cannot tell Chinese texts apart
        said = set(_words_without_figures(sentence))
        shared = np.array([len(said & _words_without_figures(passage)) / max(len(said), 1) for passage in passages])
        return shared >= SHARED, shared
    vectors = embedder.embed([sentence, *passages])
    cosines = vectors[1:] @ vectors[0]
    # Prefer, of two equally similar passages, the one that has the figures.
    wanted = figures_in(sentence)
    bonus = np.array([0.01 * len(wanted & figures_in(passage)) for passage in passages])
    return (cosines >= ALIKE) | (shared >= SHARED), (cosines + shared) / 2 + bonus


# -- figures and names ---------------------------------------------------------------------------------------


def figures_in(text: str, *, to_be_borne: bool = False) -> frozenset[str]:
    """The figures of a text, whether in digits, as words, or in millions.

    `to_be_borne` leaves out the ambiguous number words, such as "one": those need no support.
    """
    skipped = _AMBIGUOUS_NUMBER_WORDS if to_be_borne else frozenset[str]()
    in_digits = _POSSIBLE_NUMBER_WORD.sub(lambda match: _word_as_digits(match[0], skipped), text.lower())
    return numbers(_SCALED_NUMBER.sub(_scaled_as_digits, in_digits))


def _borne(sentence: str, text: str) -> frozenset[str]:
    """The figures that a text bears: those in it, and those of the sentence whose value is the same in other words."""
    there = figures(text)
    same_value = [value.text for value in figures(sentence) if is_among(value, there)]
    # "1,515 thousand euros" for 1,515 in a table of thousands
    plain, lowered = numbers(text), text.lower()
    same_value += [
        match[0]
        for match in _SCALED_NUMBER.finditer(sentence.lower())
        if match[3] in lowered and numbers(match[0]) <= plain
    ]
    return figures_in(text) | frozenset(figure for value in same_value for figure in figures_in(value))


def _word_as_digits(word: str, skipped: frozenset[str]) -> str:
    tens, _, ones = word.partition("-")
    if word in skipped or tens not in _NUMBER_WORDS:
        return word
    if not word.isascii():
        return f" {_NUMBER_WORDS[word]} "
    return str(_NUMBER_WORDS[tens] + _NUMBER_WORDS.get(ones, 0))


def _scaled_as_digits(match: re.Match[str]) -> str:
    """A number with its scale word in digits: "2.5 million" as "2500000"."""
    value = Decimal(match[1].replace(",", "") + (match[2] or "")).scaleb(_SCALES[match[3]])
    return f" {value.normalize():f} "


def names_in(sentence: str) -> frozenset[str]:
    """Capitalised words; the first word of a sentence counts only if the second is capitalised and follows at once."""
    found = list(_WORD.finditer(sentence))
    names = [word[0] for word in found[1:] if word[0][0].isupper()]
    if len(found) > 1 and found[1][0][0].isupper() and found[1].start() == found[0].end() + 1:
        names.append(found[0][0])
    return _words_without_figures(" ".join(names))


def _words_without_figures(text: str) -> frozenset[str]:
    return frozenset(word for word in tokenize(text) if not word[0].isdigit())
