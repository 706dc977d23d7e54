"""The order of pages: what was found, and what it leads to.

Personalised PageRank (Haveliwala 2002) over the pages found and those they name: a page that names another's title
leads there, the more so where the words around the name are those of the question, and where the page that is led
to is like the question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from memory_bank.modules.titles import Mention
from memory_bank.modules.tokens import tokenize
from memory_bank.research.library import PageLibrary

FOLLOWING = 0.5
"""The share of its weight that a page passes on to what it leads to."""
BACK = 0.2
"""What a link weighs against its direction: who names a page is some evidence for it."""
LIKENESS, CONTEXT = 5.0, 4.0
"""How sharply links are told apart by the likeness of where they lead, and by the words around the name."""
AROUND = 8
"""Words on either side of a name that tell why it is named."""
STEPS = 8
"""After so many the order does not change any more: what is left moves by FOLLOWING to this power."""

_Matrix = NDArray[np.float64]


def ordered(library: PageLibrary, question: str, found: Mapping[str, float]) -> list[str]:
    """Ids of the pages found, by weight, and of those they name, best first."""
    if not found:
        return []
    linked = (page_id for start in found for mention in library.reading(start)[1] for page_id in mention.page_ids)
    page_ids = list(dict.fromkeys([*found, *linked]))
    start = np.array([found.get(page_id, 0.0) for page_id in page_ids])
    start /= start.sum()
    passing = _passing(library, question, page_ids, start)
    weights = start
    for _ in range(STEPS):
        weights = (1 - FOLLOWING) * start + FOLLOWING * (weights @ passing)
    return [page_ids[place] for place in np.argsort(-weights, kind="stable")]


def _passing(library: PageLibrary, question: str, page_ids: Sequence[str], start: _Matrix) -> _Matrix:
    """What each page passes to each other, shape (n, n), rows of sum 1; one that leads nowhere starts anew."""
    place = {page_id: number for number, page_id in enumerate(page_ids)}
    drawn = np.exp(LIKENESS * library.likeness(question, page_ids))
    asked = set(tokenize(question))
    links = np.zeros((len(page_ids), len(page_ids)))
    for page_id, here in place.items():
        for named, weight in _links(library, page_id, asked).items():
            if (there := place.get(named)) is not None:
                links[here, there] += weight * drawn[there]
                links[there, here] += BACK * weight * drawn[here]
    sums = links.sum(axis=1, keepdims=True)
    passing: _Matrix = np.where(sums > 0, links / np.where(sums > 0, sums, 1), start)
    return passing


def _links(library: PageLibrary, page_id: str, asked: set[str]) -> dict[str, float]:
    """The pages that a page names, each with how strongly: by the best of the places where it does."""
    text, mentions = library.reading(page_id)
    own = set(tokenize(library[page_id].title))
    links: dict[str, float] = {}
    for mention in mentions:
        weight = float(np.exp(CONTEXT * _to_the_point(text, mention, asked - own)))
        for named in mention.page_ids:
            links[named] = max(links.get(named, 0.0), weight)
    return links


def _to_the_point(text: Sequence[str], mention: Mention, asked: set[str]) -> float:
    """The share of what is asked, besides the name itself, that stands around a name."""
    rest = asked - set(tokenize(" ".join(text[mention.start : mention.end])))
    around = [*text[max(0, mention.start - AROUND) : mention.start], *text[mention.end : mention.end + AROUND]]
    return len(rest & set(tokenize(" ".join(around)))) / max(len(rest), 1)
