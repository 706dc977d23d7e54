"""Exports of sessions: `replay`, `import` and `export`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from memory_bank.bank.bank import Bank
from memory_bank.bank.event_log import EventLog
from memory_bank.bank.transfer import export_session, first_difference, parse_export
from memory_bank.cli.output import DONE, FAILED, fail, say
from memory_bank.durable_files import write_output
from memory_bank.errors import CorruptLogError, ImportRefusedError, SessionNotFoundError, UsageError
from memory_bank.events import Event
from memory_bank.importing import import_session
from memory_bank.session_store import SessionStore
from memory_bank.settings import load_settings
from memory_bank.words import Language, words


def replay(parsed: argparse.Namespace) -> int:
    """Whether an export's events add up to what it shows."""
    export = parse_export(parsed.export.read_bytes())
    difference = first_difference(export)
    if difference is not None:
        return fail(f"{parsed.export}: {difference}", FAILED)
    nodes = len(export.query_graph.nodes)
    say(f"{len(export.events)} events rebuild the session: {nodes} nodes, {len(export.conflicts)} conflicts")
    return DONE


def take_in(parsed: argparse.Namespace) -> int:
    """An exported session into the store."""
    folder = parsed.sessions or load_settings().storage_dir
    say(import_session(parsed.export.read_bytes(), SessionStore(folder)))
    return DONE


def write(parsed: argparse.Namespace) -> int:
    """A session as data, as a report, or as a graph."""
    text = _exported(parsed)
    if parsed.out is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_output(parsed.out, text)
    return DONE


def _events(parsed: argparse.Namespace) -> Sequence[Event]:
    """Those of an exported session, by its file's path, or of a stored one, by its id."""
    path = Path(parsed.session)
    if path.is_file():
        return exported_events(path)
    store = SessionStore(parsed.sessions or load_settings().storage_dir)
    try:
        events = EventLog(store.find(parsed.session)).events
    except SessionNotFoundError as error:
        raise SessionNotFoundError(f"{parsed.session!r:.100} is no file, and {error}") from error
    if not events:
        raise CorruptLogError(f"session {parsed.session} died before its first event was written; start it anew")
    return events


def exported_events(path: Path) -> Sequence[Event]:
    """The events of an exported session, which add up to what it shows."""
    export = parse_export(path.read_bytes())
    difference = first_difference(export)
    if difference is not None:
        raise ImportRefusedError(f"{path}: its events do not add up to what it shows: {difference}")
    return export.events


def _exported(parsed: argparse.Namespace) -> str:
    events = _events(parsed)
    if parsed.format == "html":
        return _report(events, parsed.language)
    if parsed.format == "graphml":
        from memory_bank.exports.graphml import graphml  # noqa: PLC0415 - only this needs it

        return graphml(Bank.replay(events))
    embed = _embed(events) if parsed.with_embeddings else None
    return export_session(events, embed, _files(parsed) if parsed.with_files else None)


def _report(events: Sequence[Event], language: Language) -> str:
    from memory_bank.exports.html_report import report  # noqa: PLC0415 - likewise, and a model with it
    from memory_bank.verifying import read_again  # noqa: PLC0415

    return report(events, words(language), read_again(Bank.replay(events), events[0]))


def _embed(events: Sequence[Event]) -> Callable[[Sequence[str]], list[list[float]]]:
    """What makes the vectors of texts, with the model that the session began with."""
    from memory_bank.embedding_choice import as_begun  # noqa: PLC0415 - likewise
    from memory_bank.modules.embedding import load_embedder  # noqa: PLC0415

    settings = as_begun(load_settings(), next(iter(events), None))
    embedder = load_embedder(settings.embedding_model, settings.embedding_cache)

    def embed(texts: Sequence[str]) -> list[list[float]]:
        vectors: list[list[float]] = embedder.embed(texts).tolist()
        return vectors

    return embed


def _files(parsed: argparse.Namespace) -> Path:
    """The folder of a stored session, where its documents and images lie."""
    if Path(parsed.session).is_file():
        raise UsageError("--with-files needs a session of the store: give its id, or import the file first")
    return SessionStore(parsed.sessions or load_settings().storage_dir).find(parsed.session)
