"""Text that a test wrote into a document comes out exactly, and the spans of pages and headings point at it.

Every format but plain text has white space of its own: a run of it is one space, at the ends of a paragraph none.
The signs that typesetting joins (ﬁ) are parted in a PDF. Control characters are no text anywhere.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from memory_bank.bank.settings import AGENTS, Settings
from memory_bank.engines.offline.engine import OfflineEngine, OfflineFramework
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.session.session import Parts, Session
from memory_bank.storage.session_store import Upload
from tests.documents.writers import WRITERS, read
from tests.step_clock import StepClock

LETTERS = st.characters(
    codec="utf-8", exclude_categories=("Cc", "Cs", "Cn", "Co", "Cf", "Zl", "Zp"), exclude_characters="\ufeff"
)
# No signs of right-to-left scripts in a PDF: there they must be drawn from the left, which is tested by itself;
# none that the typesetting joins or that combine with others, and no more of them than a font of one byte has.
PRINTED = st.characters(min_codepoint=0x20, max_codepoint=0x17F, exclude_categories=("Cc", "Cf"))
WITH_HEADINGS = {"md", "html", "ipynb", "docx", "pptx", "xlsx", "epub", "odt", "ods", "odp", "odg"}
WITH_PAGES = {"pdf", "pptx", "odp", "odg"}
HEADING = st.text("abcdefgh ", min_size=4, max_size=25)


def paragraphs_of(letters: st.SearchStrategy[str]) -> st.SearchStrategy[list[str]]:
    paragraph = st.text(letters, min_size=1, max_size=40).map(lambda text: " ".join(text.split()))
    return st.lists(paragraph.filter(lambda text: any(map(str.isalnum, text))), max_size=4)


@pytest.mark.parametrize("ending", WRITERS)
@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(data=st.data())
def test_the_text_of_a_document_is_what_was_written(ending: str, data: st.DataObject) -> None:
    heading = " ".join(data.draw(HEADING).split())
    assume(heading)
    paragraphs = data.draw(paragraphs_of(PRINTED if ending == "pdf" else LETTERS))
    assume(ending not in ("xlsx", "ods") or paragraphs)  # an empty sheet says nothing
    document = read(WRITERS[ending](heading, paragraphs), f"a.{ending}")
    marks = {"md": "# ", "ipynb": "# ", "eml": "Subject: "}
    pieces = [marks.get(ending, "") + heading, *paragraphs]
    assert document.text == "\n\n".join(pieces)
    titles = [heading] if ending in WITH_HEADINGS else []
    assert [one.title for one in document.headings] == titles
    assert all(document.text[one.start : one.end].removeprefix("# ") == one.title for one in document.headings)
    if ending in WITH_PAGES:
        slices = [document.text[page.start : page.end] for page in document.pages]
        assert "".join(slices) == document.text
        assert [piece.strip("\n") for piece in slices] == pieces
    else:
        assert document.pages == ()


@pytest.mark.slow
def test_the_joined_entries_of_a_source_are_its_text(tmp_path: Path) -> None:
    """Of several formats, through a whole session: every entry stands in the text where it says."""
    paragraphs = ["The mill closed in 1901. 磨坊关闭了。", "It was rebuilt as a school."]
    endings = ("pdf", "pptx", "xlsx", "epub", "eml")
    written = {ending: WRITERS[ending](f"Mills {ending}", paragraphs) for ending in endings}
    texts = {f"a.{ending}": read(data, f"a.{ending}").text for ending, data in written.items()}
    embedder = HashEmbedder()
    engine = OfflineEngine(embedder)
    parts = Parts(StepClock(), embedder, dict.fromkeys(AGENTS, engine), OfflineFramework(embedder))
    session = Session.create(
        "When did the mill close?",
        [Upload(f"a.{ending}", data) for ending, data in written.items()],
        settings=Settings(),
        sessions=tmp_path,
        session_id="s",
        parts=parts,
    )
    for _event in session.run():
        pass
    names = {source.id: source.name for source in session.bank.sources.values()}
    found: dict[str, list[tuple[int, str]]] = {name: [] for name in texts}
    for entry in session.bank.trees:
        if (source_id := entry.metadata.get("source_id")) is not None:
            found[names[str(source_id)]].append((int(str(entry.metadata["start"])), entry.text))
    for name, pieces in found.items():
        assert "".join(text for _start, text in sorted(pieces)) == texts[name]
        assert all(texts[name][start : start + len(text)] == text for start, text in pieces)
