"""`run` and `resume`: a whole session without the page."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

from memory_bank.bank.answer import Answer
from memory_bank.cli.grammar import given
from memory_bank.cli.output import DONE, FAILED, fail, say
from memory_bank.configuration import checked_settings
from memory_bank.errors import UsageError
from memory_bank.event_words import describe
from memory_bank.events import AgentCalled, Event, NodeAnalysed, PromptEnhanced, TextStreamed
from memory_bank.long_term.owner import Owner, owner_of
from memory_bank.session import Session
from memory_bank.settings import load_settings

_QUIET_EVENTS = (AgentCalled, NodeAnalysed, PromptEnhanced, TextStreamed)
"""Of interest on the page; on a terminal the events around them say enough."""


def run(parsed: argparse.Namespace) -> int:
    """A new session, to its answer."""
    if not parsed.task.strip():
        raise UsageError("--task is empty; say what is to be found out")
    chosen = given(llm_provider=parsed.engine, task_kind=parsed.kind)
    checked_settings(**chosen, **given(storage_dir=parsed.sessions))
    settings = load_settings(**chosen)  # long-term memory stays where STORAGE_DIR says
    session = Session.create(
        parsed.task,
        documents=[*parsed.doc, *parsed.image],
        sources=parsed.source,
        settings=settings,
        sessions=parsed.sessions,
        owner=_owner(parsed),
    )
    if not parsed.quiet:
        say(f"session {session.id}", sys.stderr)
        if session.owner is not None:
            say(f"conversation {session.owner.conversation_id}", sys.stderr)
    try:
        return _finish(session, quiet=parsed.quiet)
    finally:  # what a run that failed has recorded is exported too
        if parsed.export is not None:
            session.export(parsed.export, embeddings=parsed.with_embeddings, files=parsed.with_files)


def _owner(parsed: argparse.Namespace) -> Owner | None:
    """Whose long-term memory the session uses; None for none."""
    if parsed.user is None:
        if parsed.project is not None or parsed.conversation is not None:
            raise UsageError("--project and --conversation need --user: whose long-term memory is it?")
        return None
    return owner_of(parsed.user, parsed.project, parsed.conversation)


def resume(parsed: argparse.Namespace) -> int:
    """A session whose process died, to its answer."""
    checked_settings(**given(storage_dir=parsed.sessions))
    session = Session.open(parsed.session_id, settings=load_settings(), sessions=parsed.sessions)
    return _finish(session, quiet=False)


def _finish(session: Session, *, quiet: bool) -> int:
    _follow(session.run(), quiet=quiet)
    if not quiet:
        say(f"used: {session.bank.usage.in_words}", sys.stderr)
    if session.answer is None:
        return fail(f"session {session.id} ended without an answer ({session.bank.status})", FAILED)
    say(session.answer.text)
    return FAILED if _came_to_nothing(session, session.answer) else DONE


def _came_to_nothing(session: Session, answer: Answer) -> bool:
    """Whether there is no answer because the work could not be done, as with a model's server that is not there."""
    last = session.bank.insight_doc.completed_tasks[-1:]
    return not answer.affirmed and not answer.disputed and any(task.status == "failed" for task in last)


def _follow(events: Iterable[Event], *, quiet: bool) -> None:
    for event in events:
        if not quiet and not isinstance(event, _QUIET_EVENTS):
            say(f"{event.seq:>5}  {describe(event)}", sys.stderr)
