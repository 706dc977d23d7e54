"""The documents of a session on their way into memory: read, or refused by name with the reason."""

from __future__ import annotations

from pathlib import Path

from memory_bank.agents.classification import Section
from memory_bank.bank.insight_doc import CompletedTask
from memory_bank.bank.source import Source
from memory_bank.errors import UnreadableDocumentError
from memory_bank.events import SourceIngested, SourceRead, SourceRefused
from memory_bank.modules.documents import Document, read_document
from memory_bank.pipeline import Events, Material, Pipeline
from memory_bank.recorder import Recorder


class Ingestion:
    """Reads what the person gave: material into memory, references to be searched."""

    def __init__(self, recorder: Recorder, pipeline: Pipeline, folder: Path) -> None:
        self._recorder = recorder
        self._bank = recorder.bank
        self._pipeline = pipeline
        self._folder = folder

    def read(self, source: Source) -> Events:
        """Take in a document that is not in memory yet, or the rest of it after a crash."""
        try:
            document = read_document(self._folder / source.path, source.name)
        except UnreadableDocumentError as error:
            task = CompletedTask(
                type="NORMAL", description=f"Read {source.name}", status="failed", context=error.reason
            )
            yield self._recorder.record(SourceRefused(source_id=source.id, reason=error.reason, task=task))
            return
        if source.characters is None:
            yield self._recorder.record(
                SourceRead(
                    source_id=source.id,
                    title=document.title,
                    media_type=document.media_type,
                    characters=len(document.text),
                    pages=len(document.pages),
                )
            )
        if source.role == "material":
            yield from self._pipeline.remember(_material(source, document))
        topics = sum(1 for unit in self._bank.units if unit.startswith(f"{source.id}."))
        failed = self._failed_on(source)
        yield self._recorder.record(
            SourceIngested(source_id=source.id, task=_read_task(source, document, topics, failed))
        )

    def _failed_on(self, source: Source) -> int:
        """How many judgements on a source could not be had; its text is in memory all the same, less digested."""
        nodes = {node_id for unit, node_id in self._bank.units.items() if unit.startswith(f"{source.id}.")}
        failed = {event.key for event in self._recorder.log.events if event.type == "agent_failed"}
        subjects = [key.split("/")[1] for key in failed - self._bank.judgements.keys()]
        return sum(subject in nodes or subject.startswith(f"{source.id}.") for subject in subjects)


def _material(source: Source, document: Document) -> Material:
    return Material(
        unit=source.id,
        text=document.text,
        source=source.name,
        title=document.title,
        source_id=source.id,
        sections=tuple(
            Section(start=heading.start, end=heading.end, title=heading.title) for heading in document.headings
        ),
        breaks=tuple(page.start for page in document.pages),
        place=document.page_at,
        metadata={"source_id": source.id},
    )


def _read_task(source: Source, document: Document, topics: int, failed: int) -> CompletedTask:
    size = _count(len(document.pages), "page") if document.pages else _count(len(document.text), "character")
    use = _count(topics, "topic") if source.role == "material" else "kept to check against"
    judgements = _count(failed, "judgement")
    lost = f" {judgements} on it could not be had; its text is kept undigested there." if failed else ""
    return CompletedTask(
        type="NORMAL",
        description=f"Read {source.name}",
        status="failed" if failed else "success",
        context=f"{size}, {use}.{lost}",
    )


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
