from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from pydantic import ValidationError
from rank_bm25 import BM25Okapi

from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.search.retrieval import NodeText, RetrievalIndex, RetrievalSettings
from memory_bank.text.tokens import tokenize

TEXTS = {
    "n1": "Mount Everest is 8,849 m high, measured in 2020",
    "n2": "The Nile is the longest river of Africa",
    "n3": "The height of Everest was 8,848 m in older surveys",
    "n4": "Rivers carry water to the sea; the Amazon carries most",
    "n5": "A song about rain and tea",
    "n6": "The summit of K2 is 8,611 m high",
}


class CountingEmbedder(HashEmbedder):
    """Records the batches that it embeds, and can be made to fail."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[list[str]] = []
        self.broken = False

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        if self.broken:
            raise OSError("out of memory")
        self.batches.append(list(texts))
        return super().embed(texts)


class Notes:
    """A graph of texts, and an index of it."""

    def __init__(self, texts: dict[str, str] = TEXTS) -> None:
        self.texts = dict(texts)
        self.embedder = CountingEmbedder()
        self.described: list[str] = []
        self.index = RetrievalIndex(self.embedder, self.describe)
        for node_id in texts:
            self.index.mark(node_id)

    def describe(self, node_id: str) -> NodeText:
        self.described.append(node_id)
        return NodeText(self.texts[node_id])

    def write(self, node_id: str, text: str) -> None:
        self.texts[node_id] = text
        self.index.mark(node_id)

    def delete(self, node_id: str) -> None:
        del self.texts[node_id]
        self.index.forget(node_id)

    def ids(self, query: str, **changes: object) -> list[str]:
        return [hit.id for hit in self.index.retrieve(query, RetrievalSettings(**changes))]


def reference_scores(texts: dict[str, str], query: str, alpha: float) -> dict[str, float]:
    """The specification's formula, node by node; each part is scaled by rank, with half the weight at the ninth."""

    def scaled(values: list[float], floor: float = -1.0) -> list[float]:
        ranks = [sum(round(other, 6) > round(value, 6) for other in values) for value in values]
        low = 8 / (8 + len(values) - 1) if min(values) > floor else 0.0
        return [
            (8 / (8 + rank) - low) / (1 - low) if value > floor else 0.0
            for rank, value in zip(ranks, values, strict=True)
        ]

    embedder = HashEmbedder()
    bm25 = BM25Okapi([tokenize(text) for text in texts.values()]).get_scores(tokenize(query))
    (vector,) = embedder.embed([query])
    keyword = scaled([max(0.0, score) for score in bm25], floor=0.0)
    meaning = scaled([float(embedder.embed([text])[0] @ vector) for text in texts.values()])
    return {
        node_id: alpha * words + (1 - alpha) * cosine
        for node_id, words, cosine in zip(texts, keyword, meaning, strict=True)
    }


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("query", ["height of Everest", "river water", "high", "nothing of the kind"])
def test_hybrid_scores_are_those_of_the_specification(query: str, alpha: float) -> None:
    hits = Notes().index.retrieve(query, RetrievalSettings(k=6, alpha=alpha))
    expected = reference_scores(TEXTS, query, alpha)
    assert {hit.id: hit.score for hit in hits} == pytest.approx(expected, abs=1e-6)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_k_takes_the_head_of_the_same_ranking() -> None:
    notes = Notes()
    whole = notes.ids("height of Everest", k=6)
    for k in range(1, 9):
        assert notes.ids("height of Everest", k=k) == whole[:k]


def test_keyword_mode_finds_only_nodes_with_a_word_of_the_query_and_embeds_nothing() -> None:
    notes = Notes()
    notes.index.refresh()
    hits = notes.index.retrieve("longest rivers", RetrievalSettings(mode="keyword"))
    assert [hit.id for hit in hits] == ["n2", "n4"]
    assert hits[0].score == 1.0
    assert len(notes.embedder.batches) == 1  # the nodes, not the query
    assert notes.ids("xylophone", mode="keyword") == []


def test_embedding_mode_ranks_by_cosine() -> None:
    notes = Notes()
    hits = notes.index.retrieve("Everest height", RetrievalSettings(mode="embedding", k=6))
    (query,) = HashEmbedder().embed(["Everest height"])
    cosines = [float(notes.index.vector(hit.id) @ query) for hit in hits]
    assert cosines == sorted(cosines, reverse=True)
    assert hits[0].id == "n3"


def test_excluded_nodes_are_no_candidates_at_all() -> None:
    """The other nodes are ranked and scaled as if the excluded ones did not exist."""
    notes = Notes()
    without = Notes({node_id: text for node_id, text in TEXTS.items() if node_id not in {"n1", "n6"}})
    hits = notes.index.retrieve("rivers", RetrievalSettings(k=6, alpha=0), exclude={"n1", "n6", "unknown"})
    expected = without.index.retrieve("rivers", RetrievalSettings(k=6, alpha=0))
    assert [hit.id for hit in hits] == [hit.id for hit in expected]
    assert [hit.score for hit in hits] == pytest.approx([hit.score for hit in expected])
    assert notes.index.retrieve("rivers", exclude=TEXTS) == []


def test_a_known_query_vector_is_used() -> None:
    notes = Notes()
    (vector,) = HashEmbedder().embed(["rain tea"])
    notes.index.refresh()
    hits = notes.index.retrieve("zzz", RetrievalSettings(k=1), vector=vector)
    assert hits[0].id == "n5"
    assert len(notes.embedder.batches) == 1


def test_equal_nodes_come_by_their_ids() -> None:
    """Copies score the same to the last bit, wherever their rows are."""
    notes = Notes({f"n{number}": "the same text" for number in range(67)} | {"other": "rain"})
    for number in (0, 3, 9):
        notes.delete(f"n{number}")
    notes.ids("same text")
    notes.write("n3", "the same text")  # as after a reverted merge
    kept = [f"n{number}" for number in range(67) if number not in {0, 9}]
    for mode in ("keyword", "embedding", "hybrid"):
        assert notes.ids("same text", k=7, mode=mode) == kept[:7]
        assert len({hit.score for hit in notes.index.retrieve("same text", RetrievalSettings(k=60, mode=mode))}) == 1


def test_a_part_that_is_the_same_for_all_changes_nothing() -> None:
    notes = Notes({"n1": "rain", "n2": "rain"})
    for query in ("rain", "the of and"):
        hits = notes.index.retrieve(query)
        assert [hit.id for hit in hits] == ["n1", "n2"]
        assert hits[0].score == hits[1].score


def test_a_shared_word_never_tells_against_a_node_in_a_small_graph() -> None:
    """With three nodes, BM25Okapi's weight of a common word is negative."""
    notes = Notes({"n1": "rain", "n2": "rain", "n3": "tea"})
    scores = {hit.id: hit.score for hit in notes.index.retrieve("rain", RetrievalSettings(alpha=1))}
    assert min(scores.values()) == 0
    assert notes.ids("rain", mode="keyword") == ["n1", "n2"]


def test_an_empty_graph_has_no_hits() -> None:
    assert Notes({}).index.retrieve("anything") == []


def test_only_what_changed_is_read_and_all_of_it_in_one_batch() -> None:
    notes = Notes()
    notes.index.retrieve("rain")
    assert notes.embedder.batches == [["rain"], list(TEXTS.values())]
    notes.described.clear()
    notes.write("n2", "The Nile again")
    notes.write("n7", "Tea from China")
    notes.write("n2", "The Nile once more")
    notes.delete("n4")
    notes.index.refresh()
    assert notes.described == ["n2", "n7"]
    assert notes.embedder.batches[2:] == [["The Nile once more", "Tea from China"]]
    notes.index.refresh()
    assert len(notes.embedder.batches) == 3


def test_a_known_vector_is_not_computed_again() -> None:
    embedder = CountingEmbedder()
    (vector,) = HashEmbedder().embed(["tea"])
    known = {"n1": NodeText("rain", vector), "n2": NodeText("rain")}
    index = RetrievalIndex(embedder, known.__getitem__)
    index.mark("n1")
    index.mark("n2")
    assert (index.vector("n1") == vector).all()
    assert embedder.batches == [["rain"]]


def test_after_a_failure_nothing_is_lost() -> None:
    notes = Notes()
    notes.index.refresh()
    notes.write("n7", "glacier")
    notes.delete("n1")
    notes.embedder.broken = True
    with pytest.raises(OSError, match="memory"):
        notes.index.refresh()
    notes.embedder.broken = False
    assert notes.ids("glacier", k=1) == ["n7"]
    assert "n1" not in notes.ids("Everest", k=9)


def test_a_node_that_is_gone_has_no_vector() -> None:
    notes = Notes()
    notes.index.vector("n1")
    notes.delete("n1")
    with pytest.raises(KeyError):
        notes.index.vector("n1")
    assert len(notes.index) == 5


@pytest.mark.parametrize("wrong", [{"k": 0}, {"alpha": 1.5}, {"alpha": -0.1}, {"mode": "magic"}, {"beta": 1}])
def test_settings_out_of_range_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        RetrievalSettings(**wrong)


@pytest.mark.parametrize(
    ("question", "best"),
    [("云岭大桥是谁设计的？", "n1"), ("哪座磨坊建在青溪谷？", "n2"), ("茶场有多少采茶工？", "n3")],
)
def test_chinese_is_found_by_its_words(question: str, best: str) -> None:
    texts = {
        "n1": "云岭大桥由顾明川设计，全长412米。",
        "n2": "石门磨坊在青溪谷，是一座水磨。",
        "n3": "北山茶场雇用二百名采茶工。",
        "n4": "旧渡口在冬天停航，谁也过不了河。",
    }
    hits = Notes(texts).index.retrieve(question, RetrievalSettings(mode="keyword"))
    assert hits[0].id == best
