"""Writes a small export of each kind of session in the newest version, where there is none yet. The clock is fixed."""

from __future__ import annotations

import gzip
import io
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from memory_bank.app.demo import load_demo
from memory_bank.bank.settings import Settings
from memory_bank.session.embedding_choice import choose_embedding_model
from memory_bank.session.session import Parts, Session
from memory_bank.storage.session_store import Upload
from memory_bank.storage.transfer import VERSION
from tests.documents.pictures.drawn import line
from tests.session import kit
from tests.step_clock import StepClock
from tests.storage.exports import FOLDER


def finished(folder: Path, task: str, documents: tuple[Upload, ...], sources: tuple[Upload, ...] = ()) -> Session:
    settings = choose_embedding_model(Settings(), task, documents).settings
    parts = replace(Parts.standard(settings), clock=StepClock())
    session = Session.create(task, documents, sources, settings=settings, sessions=folder, parts=parts)
    list(session.run())
    return session


def demo(language: str, folder: Path) -> Session:
    given = load_demo(language)
    return finished(folder, given.task, given.documents, given.sources)


def decided(folder: Path) -> Session:
    """A conflict that a reference settled, the merge, and a person who knows better."""
    documents = (
        Upload("guide.txt", b"Beacon Mill stands in Kent. Beacon Mill was last worked in 1955."),
        Upload("survey.txt", b"Beacon Mill was last worked in 1921. It is a smock mill."),
    )
    sources = (Upload("register.txt", b"Register of mills. Beacon Mill was last worked in 1921."),)
    session = finished(folder, "When was Beacon Mill last worked?", documents, sources)
    (conflict,) = session.bank.conflicts
    verdict = session.bank.conflicts[conflict].verdict
    session.decide(conflict, "first" if verdict == "second" else "second", "The miller told me")
    list(session.run())
    return session


def remembering(folder: Path) -> Session:
    """A session that recalls what was told in an earlier one, and keeps something itself."""
    memory = kit.long_term()
    letter = Upload("letter.txt", b"Harlow Bridge was opened in 1931. It is 70 metres long.")
    told = "The spare key of the boathouse lies under the blue flowerpot. When was Harlow Bridge opened?"
    kit.session(folder / "earlier", told, memory, documents=[letter])
    asked = "My boat is called Heron. Where does the spare key of the boathouse lie?"
    return kit.session(folder, asked, memory, documents=[letter])


def illustrated(folder: Path) -> Session:
    file = io.BytesIO()
    line("The weir at Alton is 12 m wide.", 24).save(file, "PNG")
    return finished(folder, "How wide is the weir at Alton?", (Upload("weir.png", file.getvalue()),))


KINDS: dict[str, Callable[[Path], Session]] = {
    "demo-en": lambda folder: demo("en", folder),
    "demo-zh": lambda folder: demo("zh", folder),
    "decided": decided,
    "remembering": remembering,
    "illustrated": illustrated,
}


def missing() -> Iterator[tuple[str, Path]]:
    for kind in KINDS:
        path = FOLDER / f"{VERSION}-{kind}.json.gz"
        if not path.exists():
            yield kind, path


if __name__ == "__main__":
    for kind, path in missing():
        with tempfile.TemporaryDirectory() as folder:
            text = KINDS[kind](Path(folder)).export(files=True)
        path.write_bytes(gzip.compress(text.encode(), mtime=0))
