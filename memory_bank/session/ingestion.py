"""Takes the person's documents and images into memory, or records why they are refused."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Literal

from memory_bank.agents.classification import Section
from memory_bank.agents.react import REACT, ImageRead
from memory_bank.bank.errors import UnreadableDocumentError, UnreadableImageError, raise_disk_error
from memory_bank.bank.events import Event, Notice, SourceIngested, SourceRead, SourceRefused
from memory_bank.bank.insight_doc import CompletedTask
from memory_bank.bank.interaction_tree import Attachment
from memory_bank.bank.source import Source
from memory_bank.documents import Document, detect_language
from memory_bank.documents.document_date import document_date
from memory_bank.documents.media_type import picture_type
from memory_bank.documents.pictures import headline
from memory_bank.documents.source_reader import ReadingStoppedError, SourceReader
from memory_bank.session.pipeline import Material, Pipeline
from memory_bank.session.recorder import Events, Recorder
from memory_bank.storage.atomic_files import sync_folder, write_whole
from memory_bank.storage.image_queue import WaitingImages
from memory_bank.text.wording import Wording, counted


class Ingestion:
    """Reads the sources of a session: material goes into memory, references are only searched."""

    def __init__(
        self, recorder: Recorder, pipeline: Pipeline, reader: SourceReader, folder: Path, images: WaitingImages
    ) -> None:
        self._recorder = recorder
        self._bank = recorder.bank
        self._pipeline = pipeline
        self._reader = reader
        self._folder = folder
        self._images = images

    def read(self, source: Source) -> Events:
        """Read a document and take it into memory; after a crash only the rest of it."""
        try:
            document = self._reader.read(source)
        except ReadingStoppedError:
            message = Wording(
                "Reading {file} was stopped; it is read from its beginning when the session goes on.", file=source.name
            )
            yield self._recorder.record(Notice(message=message))
            return
        except UnreadableDocumentError as error:
            raise_disk_error(error)
            task = _reading(source, "failed", error.reason)
            yield self._recorder.record(SourceRefused(source_id=source.id, reason=error.reason, task=task))
            return
        if source.characters is None:
            yield self._recorder.record(_read_event(source, document))
        yield from self._remember(source, document)

    def _remember(self, source: Source, document: Document) -> Events:
        """Take the text of a document into memory, unless the same text is there already."""
        if not document.embedded and (same := self._same_as(source)) is not None:
            found = Wording("The same text as {file}, which is in memory.", file=same.name)
            task = _reading(source, "success", found)
            yield self._recorder.record(SourceIngested(source_id=source.id, task=task, same_as=same.id))
            return
        if source.role == "material":
            yield from self._pipeline.remember(_material(source, document, self._enclosed(source, document)))
        topics = [node_id for unit, node_id in self._bank.units.items() if unit.startswith(f"{source.id}.")]
        # Judgements that failed for good: the text is in memory anyway, less digested.
        failed = {event.key for event in self._recorder.log.events if event.type == "agent_failed"}
        subjects = [key.split("/")[1] for key in failed - self._bank.judgements.keys()]
        lost = sum(subject in topics or subject.startswith(f"{source.id}.") for subject in subjects)
        task = _reading(source, "failed" if lost else "success", _summary(source, document, len(topics), lost))
        yield self._recorder.record(SourceIngested(source_id=source.id, task=task))

    def take(self, image: Source, text: str, read: ImageRead) -> Events:
        """Take the text of an image into memory. Its file moves to the session's files, as attachment of the entry.

        `UnreadableImageError` if the file is gone: nobody could look at the image again.
        """
        try:
            self._images.move(image.id, self._folder / image.path)
        except FileNotFoundError as error:
            raise UnreadableImageError(REACT, Wording("its file is not there any more")) from error
        document = Document(image.name, text, image.media_type or "")
        if not read.described:
            language = detect_language(text)
            dated = document_date(text, language)
            document = replace(document, title=headline(text), language=language, dated=dated)
        if image.characters is None:
            yield self._recorder.record(_read_event(image, document))
        attachment = Attachment(
            id=image.id,
            type="image",
            path=image.path,
            media_type=document.media_type,
            bytes=image.bytes,
            sha256=image.sha256,
        )
        material = _material(image, document)
        yield from self._pipeline.remember(
            replace(
                material,
                metadata=material.metadata | read.facts,
                states=not read.described,
                attachments=(attachment,),
            )
        )
        yield self._recorder.record(SourceIngested(source_id=image.id, task=None))

    def refuse(self, image: Source, reason: str) -> Event:
        """Record that an image cannot be read, and why."""
        return self._recorder.record(SourceRefused(source_id=image.id, reason=reason))

    def _enclosed(self, source: Source, document: Document) -> tuple[Attachment, ...]:
        """Write the files inside a document under our own names, as attachments."""
        attachments = []
        for number, file in enumerate(document.embedded, start=1):
            path, image = f"{source.path}.{number}", picture_type(file.data)
            write_whole(self._folder / path, file.data)
            attachments.append(
                Attachment(
                    id=f"{source.id}.{number}",
                    type="document" if image is None else "image",
                    path=path,
                    media_type=image or file.media_type,
                    bytes=len(file.data),
                    sha256=hashlib.sha256(file.data).hexdigest(),
                )
            )
        if attachments:
            sync_folder((self._folder / source.path).parent)
        return tuple(attachments)

    def _same_as(self, source: Source) -> Source | None:
        """An earlier material with the same text, which then stands in memory for both."""
        text_hash = self._bank.sources[source.id].text_sha256
        for other in self._bank.sources.values():
            if other.id == source.id or text_hash is None:
                return None
            if other.role == source.role == "material" and other.text_sha256 == text_hash:
                return other
        return None


def _read_event(source: Source, document: Document) -> SourceRead:
    return SourceRead(
        source_id=source.id,
        title=document.title,
        media_type=document.media_type,
        characters=len(document.text),
        pages=len(document.pages),
        language=document.language,
        text_sha256=hashlib.sha256(document.text.strip().encode()).hexdigest(),
        dated=document.dated,
    )


def _material(source: Source, document: Document, enclosed: tuple[Attachment, ...] = ()) -> Material:
    return Material(
        unit=source.id,
        text=document.text,
        source=source.name,
        title=document.title,
        source_id=source.id,
        sections=tuple(
            Section(start=heading.start, end=heading.end, title=heading.title) for heading in document.headings
        ),
        # After the pages, where each later sitting of a chat begins, dates and notices above its first turn included.
        breaks=(
            *(page.start for page in document.pages),
            *(before.end for before, after in pairwise(document.turns) if before.sitting != after.sitting),
        ),
        page_at=document.page_at,
        turns=document.turns,
        metadata={"source_id": source.id},
        enclosed=enclosed,
    )


def _reading(source: Source, status: Literal["success", "failed"], found: str) -> CompletedTask:
    description = Wording("Read {file}", file=source.name)
    return CompletedTask(type="NORMAL", description=description, status=status, context=found)


def _summary(source: Source, document: Document, topics: int, failed: int) -> Wording:
    """What was read of a document, and what of it could not be."""
    sizes = (
        counted("{n} page", "{n} pages", len(document.pages)),
        counted("{n} turn", "{n} turns", len(document.turns)),
        counted("{n} character", "{n} characters", len(document.text)),
    )
    lost = counted(
        " {n} judgement on it could not be had; its text is kept undigested there.",
        " {n} judgements on it could not be had; its text is kept undigested there.",
        failed,
    )
    unread = counted(
        " {n} page without text that could be read.",
        " {n} pages without text that could be read.",
        document.unread_pages,
    )
    kept = counted("{n} topic", "{n} topics", topics)
    return Wording(
        "{size}, {use}.{unread}{lost}",
        size=next((size for size in sizes if size.values["n"] != "0"), ""),
        use=kept if source.role == "material" else Wording("kept to check against"),
        unread=unread if document.unread_pages else "",
        lost=lost if failed else "",
    )
