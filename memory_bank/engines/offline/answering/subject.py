"""What a task is about: "the bus" in "Summarise what is said about the bus", "roof" and "tower" in a comparison."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from memory_bank.bank.above import BEFORE_CHARACTERS
from memory_bank.engines.offline.answering.passages import CandidatePassage
from memory_bank.search.embedding import Embedder
from memory_bank.search.relevance import weighted_overlap
from memory_bank.text.tokens import tokenize

NAMED = 0.35
"""Cosine of a task and the nearest passage from which the task names a subject in other words than the documents'."""
SHARE = 0.5
"""Share of the best passage's words on the subject, or of its cosine, from which another is about it too."""
WITHOUT_SUBJECT = (
    "Please summarise the documents. Summary of everything that is said in the files.",
    "What are these documents about? Give me a short overview of the main points.",
    "List all dates. Draw up a time line of what happened when. Chronology of all events and deadlines, in order.",
    "What changed between the two versions? What is new in this version, and what differs from the old one?",
    "总结这些文件。概述主要内容。列出所有日期。时间线。按时间顺序排列所有事件。这些文件讲了什么？",
    "Fasse das Dokument zusammen. Fasse bitte alle Dokumente kurz zusammen.",
    "Liste alle Termine auf. Was steht in den Unterlagen?",
    "Résume tous les documents. Fais la liste de toutes les dates. De quoi parlent ces documents ?",
)
"""Tasks without a subject: their words name none."""
_PART_END = re.compile(
    r"\b(?:and|or|plus|minus|than|with|after|before|until|to|und|oder|als|mit|nach|vor|bis|et|ou|que|avec|après|avant)\b"
    r"|[,，、和与跟比加减到]",
    re.IGNORECASE,
)
"""Where a question goes on to the next of several things."""


class PartNamed(NamedTuple):
    """One of several things that a question names: its name there, and the words of it that only this one has."""

    name: str
    words: set[str]


def parts_named(asked: str, texts: Sequence[str]) -> list[PartNamed]:
    """The things that a question names side by side, as far as the texts have their words."""
    parts = _PART_END.split(asked)
    words = [set(tokenize(part)) for part in parts]
    known = {word for text in texts for word in tokenize(text)}
    shared = set(words[0]).intersection(*words[1:]) & known
    own = [part.difference(*words[:n], *words[n + 1 :]) & known for n, part in enumerate(words)]
    return [
        PartNamed(
            " ".join(word for word in part.split() if (own_words | shared).intersection(tokenize(word))).strip("?？.,"),
            own_words,
        )
        for part, own_words in zip(parts, own, strict=True)
        if own_words
    ]


def about(task: str, pool: Sequence[CandidatePassage], embedder: Embedder, fewest: int = 1) -> list[CandidatePassage]:
    """The passages about the subject that a task names, in their order; all of them where it names none.

    The names of its document and heading count as a passage's words, so that a task may name these, and the sentence
    before it in its paragraph, whose subject it may have. Fewer than `fewest` only where no others have a word of it.
    """
    before = (one.entry.text[: one.span.start].rpartition("\n")[2][-BEFORE_CHARACTERS:] for one in pool)
    texts = [
        f"{one.source} {one.entry.metadata.get('title', '')} {one.lead} {said} {one.text}"
        for one, said in zip(pool, before, strict=True)
    ]
    subject = set(tokenize(task)).difference(*(tokenize(example) for example in WITHOUT_SUBJECT))
    named = subject & {word for text in texts for word in tokenize(text)}
    scores = weighted_overlap(" ".join(sorted(named)), texts)
    if subject and not named and pool:
        cosines = (embedder.embed([passage.text for passage in pool]) @ embedder.embed([task]).T)[:, 0]
        scores = np.where(cosines.max() >= NAMED, cosines, 1.0)
    highest = sorted((float(score) for score in scores if score > 0), reverse=True)[:fewest]
    least = min(SHARE * highest[0], highest[-1]) if highest else 0.0
    return [passage for passage, score in zip(pool, scores, strict=True) if score >= least]
