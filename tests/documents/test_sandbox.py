"""A document goes from one process to the other as it is."""

import subprocess
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents import Document, EmbeddedFile, Heading, Page
from memory_bank.documents.sandbox import pack, read_frame, unpack, write_frame
from tests.documents.conftest import Read

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
NUMBER = st.integers(0, 99)
DOCUMENTS = st.builds(
    Document,
    TEXT,
    TEXT,
    TEXT,
    pages=st.lists(st.builds(Page, NUMBER, NUMBER, NUMBER), max_size=3).map(tuple),
    headings=st.lists(st.builds(Heading, NUMBER, NUMBER, TEXT), max_size=3).map(tuple),
    title=st.none() | TEXT,
    embedded=st.lists(st.builds(EmbeddedFile, TEXT, TEXT, st.binary(max_size=9)), max_size=3).map(tuple),
    unread_pages=NUMBER,
    dated=st.none() | st.dates(),
)


@given(DOCUMENTS)
def test_what_is_sent_is_what_arrives(document: Document) -> None:
    stream = BytesIO()
    write_frame(stream, *pack(document))
    stream.seek(0)
    frame = read_frame(stream)
    assert frame is not None
    assert unpack(*frame) == document
    assert read_frame(stream) is None


@pytest.mark.parametrize("sent", [b"", b'{"page": [1, 2', b"no JSON\n", b'{"bytes": 3}\nab'])
def test_what_is_cut_off_or_garbled_is_the_end(sent: bytes) -> None:
    assert read_frame(BytesIO(sent)) is None


HTML = "<html><body><p>The mill closed.</p></body></html>"


def test_a_file_is_read_where_the_working_directory_is_off_the_path(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    monkeypatch.delenv("PYTHONPATH", raising=False)
    assert read(HTML, "a.html").text == "The mill closed."


def test_where_no_process_can_be_started_the_file_is_refused_with_that_reason(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object, **_kwargs: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    with pytest.raises(UnreadableDocumentError, match=r"^a\.html: no process could be started to read it; try again"):
        read(HTML, "a.html")
