"""From a written sentence to the passages it rests on. What has none is not affirmed.

Most sentences have a passage whose words, figures and names are theirs. Of the others, and of what such a passage may
say against them, the pair model judges; every figure must stand in a passage all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from memory_bank.agents.agent import language_of
from memory_bank.agents.react import Quote
from memory_bank.engines.llm.alignment import negations, numbers
from memory_bank.judgement.judge import PairJudge
from memory_bank.judgement.statement import Statement, context
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.sentences import sentences
from memory_bank.modules.tokens import tokenize

ALIKE = 0.5
"""Cosine from which a passage can bear a sentence."""
SHARED = 0.6
"""Share of the sentence's words from which it can, however unlike the rest."""
CLOSE = 0.05
"""How far behind the likest passage the one with the figures may be."""
PARTLY = 0.4
"""Likeness, the mean of both, from which one more passage can bear what the first does not hold."""
MOST_QUOTES = 3
READ = 8
"""So many of the likest passages are read by the pair model, and the first few of them two by two."""
JOINED = 4
ENTAILED = 0.6
"""Probability of following from a passage from which it bears a sentence, whatever the words."""
DENIED = 0.9
"""Probability of a contradiction from which a passage does not bear a sentence, though it has all its words."""

_WORD = re.compile(r"[^\W\d_][\w’'-]*")
_TEENS = "thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_SPELLED = {
    **{word: value for value, word in enumerate("zero one two three four five six seven eight nine ten".split())},
    **{word: value for value, word in enumerate(f"eleven twelve {_TEENS}".split(), 11)},
    **{word: 10 * tens for tens, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)},
    **{word: value for value, word in enumerate("一二三四五六七八九十", 1)},
    "两": 2,
}
_NOT_COUNTED = frozenset("zero one 一 二 三 四 五 六 七 八 九 十 两".split())
"""Number words that are parts of other words and phrases as often: they may bear a figure, and are none to be borne."""
_SPELLED_WORD = re.compile(r"\b[a-z]+(?:-(?:one|two|three|four|five|six|seven|eight|nine))?\b|[一二三四五六七八九十两]")
_SCALES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "bn": 9, "trillion": 12}
_SCALES |= {"百": 2, "千": 3, "万": 4, "百万": 6, "亿": 8, "万亿": 12}
_SCALED = re.compile(
    r"(?<![a-z\d.,])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?\s?"
    r"(hundred|thousand|million|billion|bn|trillion|万亿|百万|百|千|万|亿)(?![a-z])"
)


@dataclass(frozen=True)
class Text:
    """A text that may bear a sentence: an entry of the bank, or what a tool brought in this step (no `entry_id`).

    `barred` are character ranges that may not: claims that were refuted, or are in dispute. `pages` are where the
    pages in it begin, and their numbers.
    """

    source: str
    text: str
    entry_id: str | None = None
    barred: tuple[tuple[int, int], ...] = ()
    pages: tuple[tuple[int, int], ...] = ()

    def page_at(self, offset: int) -> int | None:
        """The page that a character stands on, where that is known."""
        return next((page for start, page in reversed(self.pages) if start <= offset), None)

    def passages(self) -> list[_Passage]:
        """Its sentences."""
        names = _content(f"{self.source} {self.text}")
        spans = sentences(self.text)
        return [
            _Passage(
                Quote(
                    source=self.source, text=span.of(self.text), entry_id=self.entry_id, start=span.start, end=span.end
                ),
                names,
                before=before.of(self.text) if before else "",
                barred=any(start < span.end and span.start < end for start, end in self.barred),
            )
            for before, span in zip([None, *spans], spans, strict=False)
        ]


@dataclass(frozen=True)
class _Passage:
    """A sentence of a text; `names` are the words of all of the text, `before` is the sentence before."""

    quote: Quote
    names: frozenset[str]
    before: str
    barred: bool

    def may_bear(self, sentence: str) -> bool:
        return not self.barred and bool(negations(self.quote.text)) == bool(negations(sentence))


@dataclass(frozen=True)
class Grounding:
    """Finds the passages that bear a sentence, with the models that it asks."""

    embedder: Embedder
    judge: PairJudge

    def quotes(self, sentence: str, texts: Iterable[Text]) -> tuple[Quote, ...]:
        """The passages that bear a sentence, best first; none when they do not."""
        passages = [passage for text in texts for passage in text.passages()]
        if not passages:
            return ()
        enough, likeness = _likeness(sentence, [passage.quote.text for passage in passages], self.embedder)
        found: Sequence[_Passage] = _with_its_words(sentence, passages, enough, likeness)
        if not found:
            found = _that_entail(sentence, passages, likeness, self.judge)
        elif self.judge.judge([(_statement(found), Statement(sentence))])[0].contradicts >= DENIED:
            return ()
        return tuple(passage.quote for passage in found)


def _with_its_words(
    sentence: str, passages: Sequence[_Passage], enough: NDArray[np.bool_], likeness: NDArray[np.float64]
) -> list[_Passage]:
    """The passages that a sentence was written after.

    A passage must be like the sentence and deny what the sentence denies. Every figure of the sentence must stand in
    one of the passages, every name in the texts they are from. When a passage that is barred, or that says the
    opposite, is liker and holds all that too, the sentence is taken to be about that one.
    """
    figures, names = figures_in(sentence, to_be_borne=True), names_in(sentence)
    held = [figures_in(passage.quote.text) for passage in passages]
    rivals = [
        likeness[index]
        for index, passage in enumerate(passages)
        if not passage.may_bear(sentence) and figures <= held[index] and names <= passage.names
    ]
    least = max([likeness.max() - CLOSE, *rivals])
    chosen: list[_Passage] = []
    for index in np.argsort(-likeness, kind="stable"):
        passage, given = passages[index], figures & held[index]
        if not passage.may_bear(sentence) or (figures and not given):
            continue
        if likeness[index] < (PARTLY if chosen else least) or not (chosen or enough[index]):
            return []
        if not chosen or given or names & passage.names:
            chosen.append(passage)
            figures, names = figures - given, names - passage.names
        if not figures and not names:
            return chosen
        if len(chosen) == MOST_QUOTES:
            return []
    return []


def _that_entail(
    sentence: str, passages: Sequence[_Passage], likeness: NDArray[np.float64], judge: PairJudge
) -> Sequence[_Passage]:
    """The passage, or the two together, from which a sentence most surely follows; none where a barred one is surer."""
    order = np.argsort(-likeness, kind="stable")[:READ]
    premises = [[passages[n]] for n in order]
    premises += [[passages[a], passages[b]] for a, b in combinations(sorted(order[:JOINED]), 2)]
    figures = figures_in(sentence, to_be_borne=True)
    premises = [one for one in premises if figures <= figures_in(" ".join(passage.quote.text for passage in one))]
    judged = judge.judge([(_statement(one), Statement(sentence)) for one in premises])
    best = max(zip(judged, premises, strict=True), key=lambda one: one[0].entails, default=None)
    if best is None or best[0].entails < ENTAILED or any(passage.barred for passage in best[1]):
        return ()
    return best[1]


def _statement(passages: Sequence[_Passage]) -> Statement:
    """Passages as one text, with what stands around the first."""
    first = passages[0]
    return Statement(" ".join(one.quote.text for one in passages), context(first.quote.source, "", first.before))


def _likeness(
    sentence: str, passages: Sequence[str], embedder: Embedder
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Of each passage whether it is like the sentence at all, and how like: by meaning and by words."""
    words = set(tokenize(sentence))
    shared = np.array([len(words & set(tokenize(passage))) / max(len(words), 1) for passage in passages])
    if language_of(sentence) == "zh":  # to an English model all Chinese is alike
        named = _content(sentence)
        shared = np.array([len(named & _content(passage)) / max(len(named), 1) for passage in passages])
        return shared >= SHARED, shared
    vectors = embedder.embed([sentence, *passages])
    cosines = vectors[1:] @ vectors[0]
    # Of two alike, the one that has the figures.
    figures = figures_in(sentence)
    extra = np.array([0.01 * len(figures & figures_in(passage)) for passage in passages])
    return (cosines >= ALIKE) | (shared >= SHARED), (cosines + shared) / 2 + extra


# -- what must stand there -----------------------------------------------------------------------------------


def figures_in(text: str, *, to_be_borne: bool = False) -> frozenset[str]:
    """The figures of a text, whether in digits, as words, or in millions."""
    skipped = _NOT_COUNTED if to_be_borne else frozenset[str]()
    digits = _SPELLED_WORD.sub(lambda found: _in_digits(found[0], skipped), text.lower())
    return numbers(_SCALED.sub(_written_out, digits))


def _in_digits(word: str, skipped: frozenset[str]) -> str:
    tens, _, ones = word.partition("-")
    if word in skipped or tens not in _SPELLED:
        return word
    return str(_SPELLED[tens] + _SPELLED.get(ones, 0)) if word.isascii() else f" {_SPELLED[word]} "


def _written_out(found: re.Match[str]) -> str:
    value = Decimal(found[1].replace(",", "") + (found[2] or "")).scaleb(_SCALES[found[3]])
    return f" {value.normalize():f} "


def names_in(sentence: str) -> frozenset[str]:
    """Capitalised words; the first of a sentence may be any, unless another follows at once."""
    words = list(_WORD.finditer(sentence))
    names = [word[0] for word in words[1:] if word[0][0].isupper()]
    if len(words) > 1 and words[1][0][0].isupper() and words[1].start() == words[0].end() + 1:
        names.append(words[0][0])
    return _content(" ".join(names))


def _content(text: str) -> frozenset[str]:
    return frozenset(word for word in tokenize(text) if not word[0].isdigit())
