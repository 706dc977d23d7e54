"""Taking an exported session into the store, after its events proved that they add up to it."""

from __future__ import annotations

import contextlib
import shutil

from memory_bank.bank.event_log import EventLog
from memory_bank.bank.transfer import files_of, first_difference, parse_export
from memory_bank.durable_files import write_whole
from memory_bank.errors import ImportRefusedError
from memory_bank.session_store import SessionStore, new_session_id


def import_session(text: str | bytes, store: SessionStore) -> str:
    """Store an exported session under a new id, which is returned.

    `ImportRefusedError` where it is not one; that and any other failure leaves nothing behind.

    The events are taken as they are, and the files that it holds, so that an export of the import is the same text.
    """
    export = parse_export(text)
    difference = first_difference(export)
    if difference is not None:
        raise ImportRefusedError(f"the events of this export do not add up to what it shows: {difference}")
    numbers = [event.seq for event in export.events]
    if not numbers or numbers != list(range(1, len(numbers) + 1)):
        raise ImportRefusedError("the events of this export are not numbered one after another from 1")
    files = files_of(export)
    session_id = new_session_id()
    folder = store.create(session_id)
    try:
        with contextlib.closing(EventLog(folder)) as log:
            log.draft()
            log.claim()  # before any file, so that they are swept should this process be killed
            for path, data in files.items():
                write_whole(folder / path, data)
            for event in export.events:
                log.append(event)
            log.publish()
    except BaseException:
        shutil.rmtree(folder)
        raise
    return session_id
