"""The documents to check against, searched by passage."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.agents.react import LibraryPassage
from memory_bank.app.demo import load_demo
from memory_bank.bank.bank import Bank
from memory_bank.bank.events import SourceAdded, SourceIngested, SourceRefused
from memory_bank.bank.source import Role
from memory_bank.documents import read_document, source_reader
from memory_bank.documents.source_reader import SourceReader
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.session.tools.reference_library import PASSAGE_TOKENS, ReferenceLibrary
from memory_bank.storage.image_queue import WaitingImages
from memory_bank.storage.session_store import Upload, store_upload
from tests.builders import make_task

REGISTER = "# Dams\n\nThe dam of Aswan was finished in 1970.\n\n# Mills\n\nBeacon Mill was built in 1772.\n"
WOOL = "Wool cost three pounds in the year of the flood."

NO_IMAGES = WaitingImages(Path("nowhere"), "doc-1")


class Shelf:
    """A bank with sources in a folder, and the library over them."""

    def __init__(self, folder: Path) -> None:
        (folder / "files").mkdir(parents=True)
        self.folder = folder
        self.bank = Bank()
        self.library = ReferenceLibrary(self.bank, SourceReader(folder), HashEmbedder())

    def add(self, name: str, text: str, role: Role = "reference", *, read: bool = True) -> str:
        """A source, by default one that was read already; its id."""
        source = store_upload(Upload(name, text.encode()), self.bank.next_id("s"), role, self.folder, NO_IMAGES)
        self.bank.apply(SourceAdded(source=source))
        if read:
            self.bank.apply(SourceIngested(source_id=source.id, task=make_task()))
        return source.id

    def found(self, query: str, k: int = 5) -> list[str]:
        return [passage.text for passage in self.library.search(query, k)]


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def test_without_references_nothing_is_found(shelf: Shelf) -> None:
    assert shelf.library.search("dam", 5) == ()


def test_the_best_passage_comes_first_and_no_more_than_k(shelf: Shelf) -> None:
    shelf.add("register.md", REGISTER + "\n# Wool\n\n" + "Wool is wool. " * 60)
    shelf.add("wool.txt", WOOL)
    passages = shelf.library.search("When was Beacon Mill built?", 2)
    assert len(passages) == 2
    assert "Beacon Mill was built in 1772." in passages[0].text
    assert (passages[0].source, passages[0].source_id) == ("register.md", "s1")


def test_a_passage_comes_with_the_title_of_its_document_or_what_stands_before_its_first_sentence(shelf: Shelf) -> None:
    shelf.add("parish.txt", "St Anne's, Hexton\nRegister of marriages\n\nRudd and Pell were married in 1896.")
    (passage,) = shelf.library.search("Rudd", 1)
    assert passage.title == "St Anne's, Hexton · Register of marriages"


def test_material_is_not_evidence(shelf: Shelf) -> None:
    shelf.add("notes.txt", "The dam of Aswan was finished in 1968.", "material")
    assert shelf.found("dam of Aswan") == []


def test_a_reference_counts_from_when_it_was_read_and_never_if_it_was_refused(shelf: Shelf) -> None:
    waiting = shelf.add("waiting.txt", "The dam is tall.", read=False)
    refused = shelf.add("refused.txt", "The dam is small.", read=False)
    shelf.bank.apply(SourceRefused(source_id=refused, reason="it is an image"))
    assert shelf.found("dam") == []
    shelf.bank.apply(SourceIngested(source_id=waiting, task=make_task()))
    assert shelf.found("dam") == ["The dam is tall."]


def test_a_source_that_comes_later_is_found_and_no_source_is_read_twice(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def counting(path: Path, name: str, **given: Any) -> object:
        read.append(name)
        return read_document(path, name, **given)

    monkeypatch.setattr(source_reader, "read_document", counting)
    shelf.add("register.md", REGISTER)
    shelf.found("dam")
    shelf.add("wool.txt", WOOL)
    assert WOOL in shelf.found("wool")
    shelf.found("wool")
    assert read == ["register.md", "wool.txt"]


def test_a_long_document_is_cut_at_its_headings_into_passages_of_bounded_length(shelf: Shelf) -> None:
    shelf.add("register.md", REGISTER + "\n# Wool\n\n" + "Wool is sold by the pound at the market. " * 60)
    passages = shelf.library.search("wool", 50)
    assert len(passages) > 3
    assert all(HashEmbedder().count_tokens(passage.text) <= PASSAGE_TOKENS for passage in passages)
    assert any(passage.text.startswith("# Wool") or passage.text.startswith("Wool") for passage in passages)


def test_two_documents_of_one_name_stay_two(shelf: Shelf) -> None:
    shelf.add("register.txt", "The dam is tall.")
    shelf.add("register.txt", "The dam is small.")
    assert {(passage.source_id, passage.source) for passage in shelf.library.search("dam", 5)} == {
        ("s1", "register.txt"),
        ("s2", "register.txt"),
    }


def test_a_passage_of_a_pdf_has_its_page(shelf: Shelf) -> None:
    brochure = load_demo().documents[0]
    source = store_upload(brochure, "s1", "reference", shelf.folder, NO_IMAGES)
    shelf.bank.apply(SourceAdded(source=source))
    shelf.bank.apply(SourceIngested(source_id="s1", task=make_task()))
    document = read_document(shelf.folder / source.path, brochure.name)
    passages = shelf.library.search("dam river length", 50)
    assert passages
    assert all(passage.page == document.page_at(passage.start) is not None for passage in passages)


def test_a_file_that_is_gone_is_passed_over_and_the_others_are_still_found(
    shelf: Shelf, caplog: pytest.LogCaptureFixture
) -> None:
    shelf.add("register.md", REGISTER)
    gone = shelf.add("gone.txt", "The dam is gone.")
    (shelf.folder / "files" / gone).unlink()
    shelf.add("wool.txt", WOOL)
    assert WOOL in shelf.found("wool")
    assert any("Aswan" in text for text in shelf.found("dam"))
    assert caplog.text.count("gone.txt") == 1


PIECES = st.sampled_from(["The dam is tall.", "1970", "\n\n", " ", "  \n", "坝很高。", "# Head\n", "wool " * 50])


@given(st.lists(PIECES, max_size=40).map(" ".join).map(lambda text: f"{text} end"))
def test_a_passage_is_exactly_its_span_and_together_they_hold_every_word(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    shelf = Shelf(tmp_path_factory.mktemp("shelf") / "s")
    shelf.add("a.md", text)
    passages = sorted(shelf.library.search("dam", 1000), key=lambda passage: passage.start)
    document = read_document(shelf.folder / "files" / "s1", "a.md")
    assert all(document.text[p.start : p.end] == p.text == p.text.strip() for p in passages)
    kept = "".join("".join(passage.text.split()) for passage in passages)
    assert kept == "".join(document.text.split())


def test_the_same_question_has_the_same_answer(shelf: Shelf) -> None:
    for number in range(12):
        shelf.add(f"{number}.txt", "The dam is tall.")
    ask: Callable[[], tuple[LibraryPassage, ...]] = lambda: shelf.library.search("dam", 5)  # noqa: E731
    assert ask() == ask()
    assert [passage.source for passage in ask()] == [f"{number}.txt" for number in range(5)]
