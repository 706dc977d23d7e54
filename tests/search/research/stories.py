"""Small libraries of linked pages for tests of research."""

from __future__ import annotations

from memory_bank.agents.research import MemoryPage
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.search.research.library import PageLibrary
from memory_bank.search.retrieval import NodeText, RetrievalIndex

EMBEDDER = HashEmbedder()
STORY = {
    "The Tin Lantern": "The Tin Lantern is a stage play. It was written by Oda Brekke and first page_list in a barn.",
    "Oda Brekke": "Oda Brekke grew up on an island and wrote for the stage. She was born in Vardness.",
    "Vardness": "Vardness is a fishing village with a single church. Its harbour freezes in winter.",
    "Tin": "Tin is a soft metal that was mined in the hills.",
    "The Paper Lantern": "The Paper Lantern is a song. It was written by a choir of nine.",
    "Lantern Street": "Lantern Street is a street with seven shops and a school.",
    "Harbour Board": "The harbour board keeps the quays of four towns in repair.",
    "Hill Barn": "Hill Barn was put up by farmers who kept goats.",
    "Stage Guild": "The guild trains carpenters for every theatre in the county.",
    "Choir of Nine": "The choir sang in nine villages one summer.",
}


def library_of(pages: dict[str, str] | list[MemoryPage]) -> PageLibrary:
    """A library of pages e1, e2, …, each a node of its own; a dict maps titles to texts."""
    page_list = (
        pages
        if isinstance(pages, list)
        else [MemoryPage(id=f"e{n}", title=title, text=text) for n, (title, text) in enumerate(pages.items(), start=1)]
    )
    texts = {page.id: f"{page.title}\n{page.text}" for page in page_list}
    index = RetrievalIndex(EMBEDDER, lambda page_id: NodeText(texts[page_id]))
    library = PageLibrary(index, EMBEDDER, holder=lambda page_id: page_id, held=lambda page_id: (page_id,))
    for page in page_list:
        index.mark(page.id)
        library.add(page)
    return library


def titles(pages: tuple[MemoryPage, ...]) -> list[str]:
    return [page.title for page in pages]
