"""Classification without a model: sections and changes of embedding between passages make the topics.

A topic is a run of passages under one heading whose meaning does not change (after TextTiling: Hearst 1997, with
embeddings in place of word counts). Of each passage its opening is embedded: it says what the passage is about, at
a third of the cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from memory_bank.agents.classification import ClassificationInput, ClassificationOutput, Cluster
from memory_bank.engines.offline.keywords import keywords_of
from memory_bank.engines.offline.summary import central_sentence
from memory_bank.modules.chunking import chunk
from memory_bank.modules.embedding import Embedder
from memory_bank.modules.span import Span

PASSAGE_TOKENS = 200
CLUSTER_PASSAGES = 3
OPENING_CHARACTERS = 250
CHANGE = 0.35
"""Cosine between neighbouring passages under which the topic has changed."""
CONTEXT_CHARACTERS = 120


@dataclass(frozen=True)
class _Topic:
    """A run of text under one heading; `start` to `end` are characters."""

    start: int
    end: int
    heading: str | None


def classify(given: ClassificationInput, embedder: Embedder) -> ClassificationOutput:
    """Topics in the order of the text; joined they are the text."""
    topics = _topics(given, embedder)
    texts = [given.text[topic.start : topic.end] for topic in topics]
    clusters = tuple(
        Cluster(
            cluster_id=number,
            context=_context(given.title, topic.heading, _words_said(given, topic) or text),
            keywords=keywords,
            spans=((topic.start, topic.end),),
        )
        for number, (topic, text, keywords) in enumerate(zip(topics, texts, keywords_of(texts), strict=True), start=1)
    )
    return ClassificationOutput(should_cluster=len(clusters) > 1, clusters=clusters)


def _topics(given: ClassificationInput, embedder: Embedder) -> list[_Topic]:
    passages = _passages(given, embedder)
    vectors = embedder.embed([passage.of(given.text)[:OPENING_CHARACTERS] for passage in passages])
    headings = {section.start: section for section in given.sections}
    topics: list[list[Span]] = []
    for index, passage in enumerate(passages):
        opens = passage.start in headings or _changed(vectors, index)
        if not topics or len(topics[-1]) >= CLUSTER_PASSAGES or (opens and not _only_headings(given, topics[-1])):
            topics.append([])
        topics[-1].append(passage)
    made, heading = [], None
    for run in topics:
        inside = [section.title for start, section in headings.items() if run[0].start <= start < run[-1].end]
        heading = inside[-1] if inside else heading
        made.append(_Topic(run[0].start, run[-1].end, heading))
    return made


def _passages(given: ClassificationInput, embedder: Embedder) -> list[Span]:
    """Pieces of the text that the embedding sees whole; none reaches over a heading or a page break.

    Blank ones, such as empty pages, go with the piece before them.
    """
    edges = {0, len(given.text), *given.breaks, *(section.start for section in given.sections)}
    starts = sorted(edge for edge in edges if 0 <= edge <= len(given.text))
    passages: list[Span] = []
    for start, end in pairwise(starts):
        for piece in chunk(given.text[start:end], PASSAGE_TOKENS, embedder.count_tokens):
            passage = Span(start + piece.start, start + piece.end)
            if passages and not passage.of(given.text).strip():
                passage = Span(passages.pop().start, passage.end)
            passages.append(passage)
    return passages


def _only_headings(given: ClassificationInput, topic: list[Span]) -> bool:
    """Whether a topic being made holds no more than headings so far: a chapter title belongs to what follows."""
    start, end = topic[0].start, topic[-1].end
    inside = (section for section in given.sections if start <= section.start and section.end <= end)
    words = len("".join(given.text[start:end].split()))
    return words <= sum(len("".join(given.text[one.start : one.end].split())) for one in inside)


def _words_said(given: ClassificationInput, topic: _Topic) -> str:
    """What was said in a topic of a chat; empty for another text."""
    inside = ((max(start, topic.start), min(end, topic.end)) for start, end in given.said)
    return "\n\n".join(given.text[start:end] for start, end in inside if start < end)


def _changed(vectors: NDArray[np.float32], index: int) -> bool:
    return index > 0 and float(vectors[index - 1] @ vectors[index]) < CHANGE


def _context(title: str | None, heading: str | None, text: str) -> str:
    names = [" ".join(part.split()) for part in (title, heading) if part and part.strip()]
    if heading is None or not names:
        names.append(central_sentence(text))
    distinct = [name for index, name in enumerate(names) if not any(name in other for other in names[:index])]
    context = ": ".join(distinct)
    return context if len(context) <= CONTEXT_CHARACTERS else context[: CONTEXT_CHARACTERS - 1].rstrip() + "…"
