"""From a written sentence to the passages it rests on, word for word. What has none is not affirmed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory_bank.agents.react import Quote
from memory_bank.engines.llm.alignment import negations, numbers
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.sentences import sentences
from memory_bank.modules.tokens import tokenize

BEARS = 0.5
"""Likeness from which a passage can bear a sentence: the greater of cosine and the share of its words."""
MOST_QUOTES = 3
_NAME = re.compile(r"(?<=[\w,;:] )[A-Z][\w’'-]+")


@dataclass(frozen=True)
class Text:
    """A text that may bear a sentence: an entry of the bank, or what a tool brought in this step (no `entry_id`).

    `barred` are character ranges that may not: claims that were refuted, or are in dispute.
    """

    source: str
    text: str
    entry_id: str | None = None
    barred: tuple[tuple[int, int], ...] = ()

    def passages(self) -> list[Quote]:
        """Its sentences, but for the barred ones."""
        return [
            Quote(source=self.source, text=span.of(self.text), entry_id=self.entry_id, start=span.start, end=span.end)
            for span in sentences(self.text)
            if not any(start < span.end and span.start < end for start, end in self.barred)
        ]


def ground(sentence: str, texts: Iterable[Text], embedder: Embedder) -> tuple[Quote, ...]:
    """The passages that bear a sentence, best first; none when they do not.

    A passage must be like the sentence and deny what it denies; every figure of the sentence must stand in one of the
    passages, every name in the texts they are from.
    """
    denied = bool(negations(sentence))
    known = list(texts)
    passages = [
        quote for text in known for quote in text.passages() if bool(negations(quote.text)) == denied
    ]  # fmt: skip
    if not passages or not _names(sentence) <= _words(known):
        return ()
    likeness = _likeness(sentence, passages, embedder)
    missing = set(numbers(sentence))
    chosen: list[Quote] = []
    for index in np.argsort(-likeness, kind="stable"):
        if likeness[index] < BEARS or len(chosen) == MOST_QUOTES:
            break
        given = numbers(passages[index].text) & missing
        if not chosen or given:
            chosen.append(passages[index])
            missing -= given
        if not missing:
            return tuple(chosen)
    return ()


def _names(sentence: str) -> set[str]:
    """Capitalised words inside the sentence: the first word may be any."""
    return {word for name in _NAME.findall(sentence) for word in tokenize(name)}


def _words(texts: Sequence[Text]) -> set[str]:
    return {word for text in texts for word in tokenize(f"{text.source} {text.text}")}


def _likeness(sentence: str, passages: Sequence[Quote], embedder: Embedder) -> NDArray[np.float64]:
    vectors = embedder.embed([sentence, *(quote.text for quote in passages)])
    words = set(tokenize(sentence))
    shared = [len(words & set(tokenize(quote.text))) / max(len(words), 1) for quote in passages]
    likeness: NDArray[np.float64] = np.maximum(vectors[1:] @ vectors[0], np.array(shared))
    # Of two alike, the one that has the figures.
    figures = numbers(sentence)
    likeness += np.array([0.01 * len(figures & numbers(quote.text)) for quote in passages])
    return likeness
