"""Files that others made: what is in each comes out, and what is none of ours is refused."""

import pytest

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents import read_document
from tests.shared_data import DATA

SAMPLES = DATA / "files"
READ = [
    ("google-doc-document.pdf", 1, "Capital | Jakarta | Berlin | Vienna | Paris | Vatican City", ["image/png"]),
    ("minimal-document.pdf", 1, "Lorem ipsum dolor sit amet", []),
    ("mistitled_outlines_example.pdf", 4, "8 Bar", []),
    ("pdflatex-4-pages.pdf", 4, "nonsense like\n“Huardest gefburn”?", []),
    ("pdflatex-image.pdf", 1, "1 Your Chapter", ["image/jpeg"]),
    ("with-attachment.pdf", 1, "taki-\nmata sanctus est", ["image/png"]),
    ("LICENSE.sample-pdfs", 0, "ShareAlike", []),
    ("LICENSE.scikit-image.txt", 0, "Redistribution and use", []),
]
REFUSED = [
    ("libreoffice-writer-password.pdf", "it is protected by a password; remove the password and add it again"),
    ("astronaut.png", "it is an image (PNG), not a document with text"),
    ("chelsea.png", "it is an image (PNG), not a document with text"),
    ("text.png", "it is an image (PNG), not a document with text"),
    ("pypdf-image.jpg", "it is an image (JPEG), not a document with text"),
]
needs_samples = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample files are not here")


@needs_samples
@pytest.mark.parametrize(("name", "pages", "words", "embedded"), READ)
def test_a_sample_is_read(name: str, pages: int, words: str, embedded: list[str]) -> None:
    document = read_document(SAMPLES / name, name)
    assert len(document.pages) == pages
    assert words in document.text
    assert [one.media_type for one in document.embedded] == embedded
    assert document.unread_pages == 0


@needs_samples
@pytest.mark.parametrize(("name", "reason"), REFUSED)
def test_a_sample_is_refused(name: str, reason: str) -> None:
    with pytest.raises(UnreadableDocumentError) as caught:
        read_document(SAMPLES / name, name)
    assert caught.value.reason == reason


@needs_samples
def test_no_sample_is_forgotten() -> None:
    assert {path.name for path in SAMPLES.iterdir()} == {name for name, *_ in (*READ, *REFUSED)}
