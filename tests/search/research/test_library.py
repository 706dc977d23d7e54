"""The page library: ids, copies, and search."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_bank.agents.research import MemoryPage
from memory_bank.bank.events import EntryRecorded
from memory_bank.engines.offline.engine import OfflineEngine
from memory_bank.search.research.library import MemoryPages
from memory_bank.search.research.researcher import research_question
from tests.builders import make_entry
from tests.search.research.stories import EMBEDDER, STORY, library_of
from tests.workbench import Workbench, workbench

ONE, TWO = "The mill stands in Dover.", "The mill was sold in 1901."


def page(page_id: str, text: str, title: str = "Mill") -> MemoryPage:
    return MemoryPage(id=page_id, title=title, text=text)


def test_a_text_that_came_twice_is_one_page_and_shifts_no_id() -> None:
    library = library_of([page("e1", ONE), page("e2", ONE), page("e3", TWO)])
    assert len(library) == 2
    assert ("e2" in library, library["e3"].text) == (False, TWO)
    assert sorted(library.search("mill", "keyword", 9)) == ["e1", "e3"]
    assert (library.copies("e1"), library.copies("e3")) == (("e1", "e2"), ("e3",))


def test_the_same_words_under_another_title_are_another_page() -> None:
    assert len(library_of([page("e1", ONE, "Mill"), page("e2", ONE, "Dover")])) == 2


def test_a_page_names_the_titles_of_others_never_its_own() -> None:
    library = library_of(STORY)
    named = {page_id for mention in library.reading("e1")[1] for page_id in mention.page_ids}
    assert {library[page_id].title for page_id in named} == {"Oda Brekke"}


def test_an_older_page_names_a_title_that_came_later() -> None:
    library = library_of([page("e1", "It was sold to Oda Brekke.")])
    assert library.reading("e1")[1] == []
    library.add(page("e2", "A writer.", "Oda Brekke"))
    assert [mention.page_ids for mention in library.reading("e1")[1]] == [("e2",)]


def test_an_abstract_stands_alone_and_says_only_what_its_page_says() -> None:
    library = library_of(
        {"The long history": " ".join(f"In {year} the mill ground {year} sacks." for year in range(1800, 1850))}
    )
    abstract = library.abstract("e1")
    lead, _, rest = abstract.text.partition(": ")
    assert (abstract.id, lead) == ("e1", "The long history")
    assert len(abstract.text) < 400
    assert all(f"{sentence.rstrip('.')}." in library["e1"].text for sentence in rest.split(". "))


# -- of a bank -----------------------------------------------------------------------------------------------


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    with workbench(tmp_path) as made:
        made.begin()
        yield made


def pages_of(bench: Workbench) -> MemoryPages:
    return MemoryPages(bench.bank, bench.recall.index, EMBEDDER)


def test_pages_are_the_entries_and_follow_what_is_recorded(bench: Workbench) -> None:
    bench.put("n1", "The mill.", ONE)
    pages = pages_of(bench)
    assert pages.library()["e1"].text == ONE
    bench.put("n2", "The sale.", TWO)
    bench.recall.refresh()
    assert [page_id for page_id in ("e1", "e2") if page_id in pages.library()] == ["e1", "e2"]


def test_a_record_of_a_verification_is_no_page(bench: Workbench) -> None:
    bench.put("n1", "The mill.", ONE)
    record = make_entry("e9", "The mill stands in Dover, both say.")
    told = record.model_copy(update={"metadata": {**record.metadata, "conflict_id": "x1"}})
    bench.recorder.record(EntryRecorded(node_id="n1", entry=told))
    assert len(pages_of(bench).library()) == 1


def test_the_nodes_of_a_research_are_in_the_order_of_its_pages_copies_included(bench: Workbench) -> None:
    bench.put("n1", "The weather.", "It rained in Dover for a week.")
    bench.put("n2", "The mill.", ONE)
    bench.put("n3", "The mill again.", ONE)
    pages = pages_of(bench)
    found = research_question(pages.library(), OfflineEngine(EMBEDDER), "Where does the mill stand?")
    assert [page.id for page in found.pages] == ["e2", "e1"]
    assert [node.id for node in pages.nodes(found)] == ["n2", "n3", "n1"]


def test_the_title_of_a_document_is_that_of_its_pages(bench: Workbench) -> None:
    bench.put("n1", "The mill.", ONE, title="A History of Mills")
    assert pages_of(bench).library().named_in(["Who wrote A History of Mills?"], "Who?") == ["e1"]
