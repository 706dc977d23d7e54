"""Apply the events of sources: added, read, refused, ingested."""

from __future__ import annotations

import re

from memory_bank.bank.errors import CorruptLogError
from memory_bank.bank.events import SourceAdded, SourceIngested, SourceRead, SourceRefused
from memory_bank.bank.insight_doc import CurrentTask
from memory_bank.bank.source import Source
from memory_bank.bank.state import BankState, apply_event

_WORD = re.compile(r"[A-Za-z0-9]+")


@apply_event.register
def _add(event: SourceAdded, state: BankState) -> None:
    if event.source.id in state.sources:
        raise CorruptLogError(f"source {event.source.id} is added twice")
    state.sources[event.source.id] = event.source
    state.books.ids.add(event.source.id)


@apply_event.register
def _note_reading(event: SourceRead, state: BankState) -> None:
    fields = {"title", "media_type", "characters", "pages", "language", "text_sha256", "dated"}
    source = state.sources[event.source_id]
    state.sources[source.id] = source.model_copy(update=event.model_dump(include=fields))


@apply_event.register
def _finish(event: SourceRefused | SourceIngested, state: BankState) -> None:
    source = state.sources[event.source_id]
    update = (
        {"refused": event.reason} if isinstance(event, SourceRefused) else {"same_as": event.same_as or source.same_as}
    )
    state.sources[source.id] = source.model_copy(update=update)
    state.ingested.add(source.id)
    if event.task is not None:
        state.insight_doc = state.insight_doc.finish(event.task)


def image_of_task(state: BankState, task: CurrentTask) -> Source | None:
    """The image that a task is to read: the first whose id its description names; None if it names none."""
    images = {source.id: source for source in state.sources.values() if source.is_image}
    words = _WORD.findall(task.description) if task.type == "NORMAL" and images else []
    return next((images[word] for word in words if word in images), None)  # the name may hold another's id
