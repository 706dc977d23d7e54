"""Plain text and code are kept exactly; so is Markdown without HTML."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.documents import Document
from memory_bank.documents.document import suffix_of
from memory_bank.documents.markdown import read_markdown
from memory_bank.documents.plain import read_plain

Read = Callable[[bytes | str, str], Document]
CLEAN_TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n\t"), min_size=1).filter(
    lambda text: not text.startswith("\ufeff")
)


@given(CLEAN_TEXT)
def test_text_markdown_and_code_are_kept_exactly(text: str) -> None:
    for read, name in ((read_plain, "a.txt"), (read_plain, "a.py"), (read_markdown, "a.md")):
        written = text.replace("<", "‹") if read is read_markdown else text
        document = read(written.encode(), name)
        assert document.text == written
        assert document.pages == ()


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("a.txt", "text/plain"),
        ("a.PY", "text/x-python"),
        ("x/y.rs", "text/x-rust"),
        ("noext", "text/plain"),
        ("a.unheard-of", "text/plain"),
        ("a.markdown", "text/markdown"),
    ],
)
def test_media_types(read: Read, name: str, media_type: str) -> None:
    assert read("let x = 1", name).media_type == media_type


def test_suffix_of() -> None:
    assert suffix_of("A.Tar.GZ") == ".gz"
    assert suffix_of("none") == ""
    assert suffix_of(".bashrc") == ""
