"""Files made to do harm: each is refused or read in time and in memory, with one line, and the others go through."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from memory_bank.bank.errors import UnreadableDocumentError
from memory_bank.bank.settings import AGENTS, Settings
from memory_bank.documents import bounds, read_document
from memory_bank.engines.offline.engine import OfflineEngine, OfflineFramework
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.session.session import Parts, Session
from memory_bank.storage.session_store import Upload
from tests.documents import hostile
from tests.step_clock import StepClock

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SECONDS = 30
KILOBYTES = 1_000_000
ENDLESS_LINE = "endless.txt"


@dataclass(frozen=True)
class Outcome:
    """What became of a file: the beginning of its text, or the reason; and what it took."""

    said: str
    seconds: float
    kilobytes: int


def outcomes_of(folder: Path) -> dict[str, Outcome]:
    """Read every file of a folder; memory is what this process has grown by, and the largest that it started."""
    began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcomes = {}
    for path in sorted(folder.iterdir()):
        start = time.monotonic()
        try:
            said = hostile.READ + read_document(path, path.name).text[:500]
        except UnreadableDocumentError as error:
            said = hostile.REFUSED + error.reason
        seconds = time.monotonic() - start
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - began
        largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        outcomes[path.name] = Outcome(said, seconds, grown + largest)
    return outcomes


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """All files read one after another, in a process whose memory no other test has filled."""
    folder = tmp_path_factory.mktemp("hostile")
    for name, (make, _expected) in hostile.FILES.items():
        (folder / name).write_bytes(make())
    hostile.write_line(folder / ENDLESS_LINE, 300)
    code = (
        "import json, sys; from pathlib import Path; from tests.documents.test_hostile import outcomes_of; "
        "print(json.dumps({name: vars(one) for name, one in outcomes_of(Path(sys.argv[1])).items()}))"
    )
    done = subprocess.run([sys.executable, "-c", code, folder], cwd=ROOT, capture_output=True, check=True, timeout=300)
    assert done.stderr == b""
    for path in folder.iterdir():
        path.unlink()
    return {name: Outcome(**one) for name, one in json.loads(done.stdout).items()}


@pytest.mark.parametrize("name", [*hostile.FILES, ENDLESS_LINE])
def test_a_hostile_file_is_read_or_refused_in_time_and_memory(outcomes: dict[str, Outcome], name: str) -> None:
    outcome = outcomes[name]
    expected = hostile.FILES[name][1] if name in hostile.FILES else hostile.REFUSED + "it is larger than 200 MB"
    assert outcome.said.startswith(expected)
    assert outcome.seconds <= SECONDS
    assert outcome.kilobytes <= KILOBYTES
    if outcome.said.startswith(hostile.REFUSED):
        assert "\n" not in outcome.said
        assert len(outcome.said) < 250


def test_a_script_in_a_pdf_is_neither_run_nor_read(outcomes: dict[str, Outcome]) -> None:
    assert outcomes["scripted.pdf"].said == hostile.READ + "The text of the page."


def test_reading_that_comes_to_no_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "SECONDS", 1.5)
    path = tmp_path / "stored"
    path.write_bytes(b"To: " + b"a@b.c," * 160_000 + b"\n\ntext")
    start = time.monotonic()
    with pytest.raises(UnreadableDocumentError, match="reading it takes too long; split it and add the parts"):
        read_document(path, "a.eml")
    assert time.monotonic() - start < 10


NAMES = [
    "../../etc/passwd",
    "..",
    "/dev/stdin",
    "n" * 251 + ".txt",
    "\U0001f9ea notes \U0001f600.txt",
    "line\nbreak\x00\x1b[31m.txt",
    "<b>bold</b>.txt",
    "same.txt",
    "same.txt",
]


def test_what_is_good_in_a_drop_goes_through_whatever_else_is_in_it(tmp_path: Path) -> None:
    """Harmful files and names first, then good ones; two of one name are two documents."""
    harmful = [Upload(name, hostile.FILES[name][0]()) for name in ("cut.docx", "laughs.docx", "deep.pdf", "deep.json")]
    good = [Upload(name, f"The mill number {n} closed in {1900 + n}.".encode()) for n, name in enumerate(NAMES)]
    embedder = HashEmbedder()
    engine = OfflineEngine(embedder)
    parts = Parts(StepClock(), embedder, dict.fromkeys(AGENTS, engine), OfflineFramework(embedder))
    session = Session.create(
        "When did mill number 3 close?",
        [*harmful, *good],
        settings=Settings(),
        sessions=tmp_path / "sessions",
        session_id="s",
        parts=parts,
    )
    for _event in session.run():
        pass
    sources = list(session.bank.sources.values())
    assert [source.refused is not None for source in sources] == [True] * len(harmful) + [False] * len(good)
    said = " ".join(entry.text for entry in session.bank.trees)
    assert all(f"mill number {number} closed in {1900 + number}" in said for number in range(len(NAMES)))
    kept = {path.resolve() for path in tmp_path.rglob("*") if path.is_file()}
    assert all(path.is_relative_to((tmp_path / "sessions" / "s").resolve()) for path in kept)
