"""Compare two documents or two things: what each says on the same point, and what only one of them says.

The candidates of a comparison are the rows of a table: the heading is the attribute, the label the document or thing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from memory_bank.engines.offline.answering.passages import CandidatePassage
from memory_bank.engines.offline.answering.selection import Candidate
from memory_bank.engines.offline.answering.subject import PartNamed, parts_named
from memory_bank.judgement.judge import PairJudge, says_the_same
from memory_bank.judgement.statement import is_field
from memory_bank.search.embedding import Embedder
from memory_bank.text.tokens import tokenize
from memory_bank.text.values.names import find_names, same_name
from memory_bank.text.values.values import differing_values, figures
from memory_bank.text.wording import Wording

ON_THE_SAME = 0.5
"""Cosine from which two statements are on the same point."""
MOST_PAIRS, MOST_ALONE = 24, 4
CHANGED, FURTHER = Wording("Changed"), Wording("Further")
_LABEL_WORDS = 3
_ROW_LABEL = re.compile(r"\|?\s*([^|:：]{1,60}?)\s*[|:：]")
"""The first cell of a row of a table, or the label before a value."""

Sides = tuple[list[CandidatePassage], list[CandidatePassage]]


def changes(pool: Sequence[CandidatePassage], embedder: Embedder, judge: PairJudge) -> list[Candidate]:
    """What changed between two versions of a document, section by section, and what only one states.

    Empty unless there are two documents.
    """
    sides = _two_documents(pool)
    if sides is None:
        return []
    pairs, unmatched = _align(*sides, embedder)
    changed = (
        (one, other)
        for one, other in pairs
        if differing_values(one.text, other.text) or not says_the_same(one.statement, other.statement, judge)
    )
    rows = [
        Candidate(passage, 1.0, label=passage.source, heading=pair[1].lead or pair[0].lead or CHANGED)
        for pair in islice(changed, MOST_PAIRS)
        for passage in pair
    ]
    return rows + [
        Candidate(passage, 1.0, label=passage.source, heading=Wording("Only in {source}", source=passage.source))
        for side in unmatched
        for passage in [passage for passage in side if not is_field(passage.text)][:MOST_ALONE]
    ]


def comparison(asked: str, pool: Sequence[CandidatePassage], embedder: Embedder) -> list[Candidate]:
    """What is said of the two things that the task names, or else by two documents, attribute by attribute.

    An attribute on which only one side says something stands last, with that side alone.
    """
    things = _two_things(asked, pool)
    sides = _about(things, pool) if things else _two_documents(pool)
    if sides is None:
        return []
    pairs, unmatched = _align(*sides, embedder)
    labels = [thing.name for thing in things] if things else [side[0].source for side in sides]
    names = {word for label in labels for word in tokenize(label)}
    rows = [
        Candidate(passage, 1.0, label=label, heading=_attribute(*pair, names))
        for pair in pairs[:MOST_PAIRS]
        for passage, label in zip(pair, labels, strict=True)
    ]
    return rows + [
        Candidate(passage, 1.0, label=label, heading=_attribute(passage, passage, names))
        for side, label in zip(unmatched, labels, strict=True)
        for passage in side[:MOST_ALONE]
    ]


def _two_documents(pool: Sequence[CandidatePassage]) -> Sides | None:
    """The passages of the two documents, older first; None where there are not exactly two."""
    by_document: dict[str, list[CandidatePassage]] = {}
    for passage in pool:
        by_document.setdefault(passage.document, []).append(passage)
    if len(by_document) != 2:
        return None
    sides = (sorted(side, key=lambda one: (one.entry.created_at, one.span.start)) for side in by_document.values())
    first, second = sorted(sides, key=lambda side: side[0].entry.created_at)
    return first, second


def _two_things(asked: str, pool: Sequence[CandidatePassage]) -> list[PartNamed] | None:
    """The two things that a task names; None where there are not exactly two: those with a name, or else any."""
    asked_words = set(tokenize(asked))
    counts = Counter(passage.text[name.start : name.end] for passage in pool for name in find_names(passage.text, []))
    named: list[PartNamed] = []
    for name, _ in sorted(counts.items(), key=lambda item: (-len(item[0]), -item[1])):
        words = set(tokenize(name))
        is_known = any(same_name(name, other.name) or words <= other.words for other in named)
        if words and words <= asked_words and not is_known:
            named.append(PartNamed(name, words))
    things = named
    if len(named) != 2:
        things = parts_named(asked, [f"{passage.context} {passage.text}" for passage in pool])
    return things if len(things) == 2 else None


def _about(things: Sequence[PartNamed], pool: Sequence[CandidatePassage]) -> Sides | None:
    """The passages about each of two things and not about the other; None where one side is empty."""
    one, other = (thing.words for thing in things)
    first = [passage for passage in pool if _is_about(passage, one, other)]
    second = [passage for passage in pool if _is_about(passage, other, one)]
    return (first, second) if first and second else None


def _is_about(passage: CandidatePassage, own: set[str], other: set[str]) -> bool:
    """Whether a passage names the one thing and not the other; where it names neither, its context decides."""
    for text in (passage.text, passage.context):
        words = set(tokenize(text))
        if own <= words or other <= words:
            return own <= words and not other <= words
    return False


def _align(
    firsts: Sequence[CandidatePassage], seconds: Sequence[CandidatePassage], embedder: Embedder
) -> tuple[list[tuple[CandidatePassage, CandidatePassage]], Sides]:
    """Pair statements on the same point, most similar first, each once; and those without a match on the other side."""
    first_vectors, second_vectors = (embedder.embed([passage.text for passage in side]) for side in (firsts, seconds))
    cosines: NDArray[np.float32] = first_vectors @ second_vectors.T
    pairs: dict[int, int] = {}
    for flat in np.argsort(-cosines, axis=None, kind="stable"):
        i, j = divmod(int(flat), len(seconds))
        if cosines[i, j] < ON_THE_SAME:
            break
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    unmatched = (
        [passage for i, passage in enumerate(firsts) if cosines[i].max() < ON_THE_SAME],
        [passage for j, passage in enumerate(seconds) if cosines[:, j].max() < ON_THE_SAME],
    )
    return [(firsts[i], seconds[j]) for i, j in sorted(pairs.items())], unmatched


def _attribute(first: CandidatePassage, second: CandidatePassage, names: set[str]) -> str:
    """What both statements speak of: the label of both; else the first words that both have, without figures and names.

    What only one thing has is named by the heading over it, unless that names the thing.
    """
    label, other = (_ROW_LABEL.match(passage.text) if passage.item else None for passage in (first, second))
    if label and other and label[1].casefold() == other[1].casefold():
        return label[1]
    if first == second and first.lead and names.isdisjoint(tokenize(first.lead)):
        return first.lead
    shared = set(tokenize(first.text)) & set(tokenize(second.text)) - names
    shared -= {token for value in figures(first.text) for token in tokenize(value.text)}
    words = (word.strip('.,;:()“”"') for word in first.text.split())
    attribute = " ".join([word for word in words if shared.intersection(tokenize(word))][:_LABEL_WORDS])
    return attribute[:1].upper() + attribute[1:] or first.lead or FURTHER
