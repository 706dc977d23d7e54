"""`replay`, `import` and `export`: sessions as files."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from memory_bank.app.cli.output import DONE, FAILED, fail, write_line, write_result
from memory_bank.bank.bank import Bank
from memory_bank.bank.errors import CorruptLogError, ImportRefusedError, SessionNotFoundError, UsageError
from memory_bank.bank.events import Event
from memory_bank.bank.settings import load_settings
from memory_bank.storage.event_log import EventLog
from memory_bank.storage.session_store import SessionStore
from memory_bank.storage.transfer import Embed, export_session, first_difference, import_session, parse_export
from memory_bank.text.wording import Wording
from memory_bank.views.i18n import translator


def replay(parsed: argparse.Namespace) -> int:
    """Check that the events of an export rebuild the state it contains."""
    export = parse_export(parsed.export.read_bytes())
    difference = first_difference(export)
    if difference is not None:
        return fail(f"{parsed.export}: {difference}", FAILED)
    nodes = len(export.query_graph.nodes)
    write_line(f"{len(export.events)} events rebuild the session: {nodes} nodes, {len(export.conflicts)} conflicts")
    return DONE


def import_export(parsed: argparse.Namespace) -> int:
    """Import an exported session into the store."""
    folder = parsed.sessions or load_settings().storage_dir
    write_line(import_session(parsed.export.read_bytes(), SessionStore(folder)))
    return DONE


def write(parsed: argparse.Namespace) -> int:
    """Export a session as JSON, as an HTML report, or as GraphML."""
    write_result(_export_text(parsed), parsed.out)
    return DONE


def _events(parsed: argparse.Namespace) -> Sequence[Event]:
    """The events of an exported session, given by its path, or of a stored one, given by its id."""
    path = Path(parsed.session)
    if path.is_file():
        return exported_events(path)
    store = SessionStore(parsed.sessions or load_settings().storage_dir)
    try:
        events = EventLog(store.find(parsed.session)).events
    except SessionNotFoundError as error:
        raise SessionNotFoundError(f"{parsed.session!r:.100} is no file, and {error}") from error
    if not events:
        raise CorruptLogError(
            Wording("session {session} died before its first event was written; start it anew", session=parsed.session)
        )
    return events


def exported_events(path: Path) -> Sequence[Event]:
    """The events of an exported session. Raises `ImportRefusedError` if they do not rebuild its state."""
    export = parse_export(path.read_bytes())
    difference = first_difference(export)
    if difference is not None:
        raise ImportRefusedError(f"{path}: its events do not add up to what it shows: {difference}")
    return export.events


def _export_text(parsed: argparse.Namespace) -> str:
    events = _events(parsed)
    if parsed.format == "html":
        from memory_bank.session.answer_check import verify_session_answer  # noqa: PLC0415 - loads a model
        from memory_bank.views.exports.html_report import report  # noqa: PLC0415

        return report(events, translator(parsed.language), verify_session_answer(Bank.replay(events)))
    if parsed.format == "graphml":
        from memory_bank.views.exports.graphml import graphml  # noqa: PLC0415 - loaded only when needed

        return graphml(Bank.replay(events))
    embed = _embedding_function(Bank.replay(events[:1])) if parsed.with_embeddings else None
    if not parsed.with_files:
        return export_session(events, embed)
    if Path(parsed.session).is_file():
        raise UsageError("--with-files needs a session of the store: give its id, or import the file first")
    return export_session(
        events, embed, SessionStore(parsed.sessions or load_settings().storage_dir).find(parsed.session)
    )


def _embedding_function(bank: Bank) -> Embed:
    """A function that embeds texts with the embedding model that the session began with."""
    from memory_bank.search.embedding import load_embedder  # noqa: PLC0415 - loaded only when needed
    from memory_bank.session.embedding_choice import settings_as_recorded  # noqa: PLC0415

    embedder = load_embedder(settings_as_recorded(load_settings(), bank.settings).embedding_model)
    return lambda texts: embedder.embed(texts).tolist()
