"""Rank pages by personalised PageRank (Haveliwala 2002): the pages found, and those they link to.

A page links to another by naming its title. The link weighs more if words of the question surround the name, and if
the other page is similar to the question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from memory_bank.search.research.library import PageLibrary
from memory_bank.text.titles import Mention
from memory_bank.text.tokens import tokenize

DAMPING = 0.5
"""The damping factor: the share of its weight that a page passes on along its links."""
BACKLINK_WEIGHT = 0.2
"""The weight of a link in the opposite direction: that a page names another is some evidence for it."""
SIMILARITY_SHARPNESS, CONTEXT_SHARPNESS = 5.0, 4.0
"""How strongly a link's weight depends on the similarity of its target, and on the words around the name."""
CONTEXT_WORDS = 8
"""Words on either side of a name that count as its context."""
ITERATIONS = 8
"""Iterations; after them the order is stable, for changes shrink to FOLLOWING to this power."""

_Matrix = NDArray[np.float64]


def rank_pages(library: PageLibrary, question: str, page_weights: Mapping[str, float]) -> list[str]:
    """Ids of the weighted pages and of those they name, best first."""
    if not page_weights:
        return []
    named = (
        named_id for page_id in page_weights for mention in library.reading(page_id)[1] for named_id in mention.page_ids
    )
    page_ids = list(dict.fromkeys([*page_weights, *named]))
    start = np.array([page_weights.get(page_id, 0.0) for page_id in page_ids])
    start /= start.sum()
    transitions = _transitions(library, question, page_ids, start)
    weights = start
    for _ in range(ITERATIONS):
        weights = (1 - DAMPING) * start + DAMPING * (weights @ transitions)
    return [page_ids[position] for position in np.argsort(-weights, kind="stable")]


def _transitions(library: PageLibrary, question: str, page_ids: Sequence[str], start: _Matrix) -> _Matrix:
    """The transition matrix, shape (n, n), with rows of sum 1; the row of a page without links is `start`."""
    positions = {page_id: position for position, page_id in enumerate(page_ids)}
    attraction = np.exp(SIMILARITY_SHARPNESS * library.likeness(question, page_ids))
    question_words = set(tokenize(question))
    links = np.zeros((len(page_ids), len(page_ids)))
    for page_id, source in positions.items():
        for named, weight in _links(library, page_id, question_words).items():
            if (target := positions.get(named)) is not None:
                links[source, target] += weight * attraction[target]
                links[target, source] += BACKLINK_WEIGHT * weight * attraction[source]
    sums = links.sum(axis=1, keepdims=True)
    transitions: _Matrix = np.where(sums > 0, links / np.where(sums > 0, sums, 1), start)
    return transitions


def _links(library: PageLibrary, page_id: str, question_words: set[str]) -> dict[str, float]:
    """The pages that a page names, each with the highest weight of its mentions."""
    text, mentions = library.reading(page_id)
    asked = question_words - set(tokenize(library[page_id].title))
    links: dict[str, float] = {}
    for mention in mentions:
        weight = float(np.exp(CONTEXT_SHARPNESS * _context_overlap(text, mention, asked)))
        for named in mention.page_ids:
            links[named] = max(links.get(named, 0.0), weight)
    return links


def _context_overlap(text: Sequence[str], mention: Mention, asked: set[str]) -> float:
    """The share of the words asked for, without the name itself, that occur around a mention."""
    wanted = asked - set(tokenize(" ".join(text[mention.start : mention.end])))
    context = [
        *text[max(0, mention.start - CONTEXT_WORDS) : mention.start],
        *text[mention.end : mention.end + CONTEXT_WORDS],
    ]
    return len(wanted & set(tokenize(" ".join(context)))) / max(len(wanted), 1)
