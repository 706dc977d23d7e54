"""A document goes from one process to the other as it is, and the process is bounded as far as the system lets it."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.documents import Document, EmbeddedFile, Heading, Page
from memory_bank.documents.sandbox import ROOT, environment, limit, pack, read_frame, unpack, write_frame
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


# -- the process


def test_libraries_there_have_one_thread_whatever_is_set_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "16")
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    given = environment()
    assert (given["OPENBLAS_NUM_THREADS"], given["OMP_NUM_THREADS"]) == ("1", "1")
    assert given["PYTHONPATH"] == os.pathsep.join([str(ROOT), "/elsewhere"])
    assert given["PATH"] == os.environ["PATH"]


@pytest.mark.parametrize(
    "name", ["OPENAI_API_KEY", "JINA_API_KEY", "LONG_TERM_URI", "AWS_SECRET_ACCESS_KEY", "HTTPS_PROXY", "LD_PRELOAD"]
)
def test_it_is_told_no_key_and_nothing_else_of_the_environment(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "sk-not-for-a-parser")
    code = "import os; print(sorted(os.environ.values()))"
    told = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment(), check=True, timeout=30, capture_output=True
    )
    assert b"sk-not-for-a-parser" in b"".join(f"{key}={value}".encode() for key, value in os.environ.items())
    assert b"sk-not-for-a-parser" not in told.stdout


@pytest.mark.parametrize(("most", "bound"), [(resource.RLIM_INFINITY, 1_000), (10_000, 1_000), (500, 500)])
def test_no_bound_is_above_what_the_system_allows(monkeypatch: pytest.MonkeyPatch, most: int, bound: int) -> None:
    done: list[tuple[int, tuple[int, int]]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _kind: (most, most))
    monkeypatch.setattr(resource, "setrlimit", lambda kind, pair: done.append((kind, pair)))
    limit(1_000, 1_000.5)
    kinds = (resource.RLIMIT_AS, resource.RLIMIT_CPU)
    assert done == [*((kind, (bound, bound)) for kind in kinds), (resource.RLIMIT_FSIZE, (0, 0))]


@pytest.mark.parametrize("error", [ValueError("not here"), OSError("not here")])
def test_a_system_that_sets_no_bounds_does_the_work_all_the_same(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def refuse(_kind: int, _pair: tuple[int, int]) -> None:
        raise error

    monkeypatch.setattr(resource, "setrlimit", refuse)
    limit(1_000, 1_000)


def test_a_process_that_nobody_ends_ends_by_itself() -> None:
    code = "from memory_bank.documents.sandbox import limit; limit(10**9, 1)\nwhile True: pass"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment(), check=False, timeout=30)
    assert done.returncode < 0


def test_a_process_that_reads_a_file_can_write_to_none(tmp_path: Path) -> None:
    code = (
        "import sys; from memory_bank.documents.sandbox import limit; limit(10**9, 9)\n"
        "open(sys.argv[1], 'wb', buffering=0).write(b'x')"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "written")]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, check=False, timeout=30)
    assert b"File too large" in done.stderr
    assert (tmp_path / "written").read_bytes() == b""
