"""Classification without a model: sections and changes of embedding between passages make the topics.

Passages of a text are embedded once; a topic is a run of passages under one heading whose meaning does not
change (after TextTiling: Hearst 1997, with embeddings in place of word counts).
"""

from __future__ import annotations

from dataclasses import dataclass

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
CHANGE = 0.35
"""Cosine between neighbouring passages under which the topic has changed."""
CONTEXT_CHARACTERS = 160


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
            context=_context(given.title, topic.heading, text),
            keywords=keywords,
            spans=((topic.start, topic.end),),
        )
        for number, (topic, text, keywords) in enumerate(
            zip(topics, texts, keywords_of(texts), strict=True), start=1
        )
    )
    return ClassificationOutput(should_cluster=len(clusters) > 1, clusters=clusters)


def _topics(given: ClassificationInput, embedder: Embedder) -> list[_Topic]:
    boundaries = [section.start for section in given.sections]
    passages = chunk(given.text, PASSAGE_TOKENS, embedder.count_tokens, boundaries)
    vectors = embedder.embed([given.text[passage.start : passage.end] for passage in passages])
    headings = {section.start: section.title for section in given.sections}
    topics: list[list[Span]] = []
    for index, passage in enumerate(passages):
        opens = passage.start in headings and not _only_headings(given, topics)
        if not topics or opens or len(topics[-1]) >= CLUSTER_PASSAGES or _changed(vectors, index):
            topics.append([])
        topics[-1].append(passage)
    made, heading = [], None
    for run in topics:
        inside = [title for start, title in headings.items() if run[0].start <= start < run[-1].end]
        heading = inside[0] if inside else heading
        made.append(_Topic(run[0].start, run[-1].end, heading))
    return made


def _only_headings(given: ClassificationInput, topics: list[list[Span]]) -> bool:
    """Whether the topic being made holds nothing but headings so far: a chapter title belongs to what follows."""
    if not topics:
        return False
    start, end = topics[-1][0].start, topics[-1][-1].end
    titles = sum(len(s.title) for s in given.sections if start <= s.start and s.end <= end)
    return len("".join(given.text[start:end].split())) <= titles + 8


def _changed(vectors: NDArray[np.float32], index: int) -> bool:
    return index > 0 and float(vectors[index - 1] @ vectors[index]) < CHANGE


def _context(title: str | None, heading: str | None, text: str) -> str:
    parts = [part.strip() for part in (title, heading) if part and part.strip()]
    named = ": ".join(dict.fromkeys(parts))
    if heading is None or not named:
        sentence = central_sentence(text)
        named = f"{named}: {sentence}" if named else sentence
    flat = " ".join(named.split())
    return flat if len(flat) <= CONTEXT_CHARACTERS else flat[: CONTEXT_CHARACTERS - 1].rstrip() + "…"
