"""Import an exported session into the store, after checking that its events add up to what it shows."""

from __future__ import annotations

import contextlib
import shutil

from memory_bank.bank.errors import ImportRefusedError
from memory_bank.storage.atomic_files import write_whole
from memory_bank.storage.event_log import EventLog
from memory_bank.storage.session_store import SessionStore, new_session_id
from memory_bank.storage.transfer import files_of, first_difference, parse_export
from memory_bank.text.wording import Wording


def import_session(text: str | bytes, store: SessionStore) -> str:
    """Store an exported session under a new id, and return that id.

    Events and files are stored unchanged, so an export of the import is the same text. `ImportRefusedError` if the
    text is not a valid export. After any failure nothing is left behind.
    """
    export = parse_export(text)
    difference = first_difference(export)
    if difference is not None:
        raise ImportRefusedError(
            Wording("the events of this export do not add up to what it shows: {detail}", detail=difference)
        )
    numbers = [event.seq for event in export.events]
    if not numbers or numbers != list(range(1, len(numbers) + 1)):
        raise ImportRefusedError(Wording("the events of this export are not numbered one after another from 1"))
    files = files_of(export)
    session_id = new_session_id()
    folder = store.create(session_id)
    try:
        with contextlib.closing(EventLog(folder)) as log:
            log.draft()
            log.claim()  # makes the draft first: if this process is killed, `sweep` deletes the files too
            for path, data in files.items():
                write_whole(folder / path, data)
            for event in export.events:
                log.append(event)
            log.publish()
    except BaseException:
        shutil.rmtree(folder)
        raise
    return session_id
