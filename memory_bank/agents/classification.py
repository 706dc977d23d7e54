"""Classification: splits a text by topic. The original words are kept: a cluster is spans of its input."""

from __future__ import annotations

from memory_bank.agents.agent import Agent
from memory_bank.bank.value import Value


class Section(Value):
    """A heading of the text, to split at: characters `start` to `end`."""

    start: int
    end: int
    title: str


class ClassificationInput(Value):
    """One text of one source (never two), with its name, its headings and the current task.

    `breaks` are the characters at which pages begin. Of a chat `said` are the stretches that were said, each by one
    person; names and times are none.
    """

    text: str
    source: str
    title: str | None = None
    sections: tuple[Section, ...] = ()
    breaks: tuple[int, ...] = ()
    said: tuple[tuple[int, int], ...] = ()
    task: str | None = None


class Cluster(Value):
    """A topic: its place in the text as character spans, one sentence about it, its key phrases."""

    cluster_id: int
    context: str
    keywords: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]

    def content(self, text: str) -> str:
        """The original text of the cluster, word for word."""
        return "".join(text[start:end] for start, end in self.spans)


class ClassificationOutput(Value):
    """The clusters, which together hold all of the input. `should_cluster` is False when it is one topic."""

    should_cluster: bool
    clusters: tuple[Cluster, ...]


CLASSIFICATION = Agent("classification", ClassificationInput, ClassificationOutput, temperature=0.4, top_p=0.9)
