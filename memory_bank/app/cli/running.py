"""`run` and `resume`: run a whole session without the page."""

from __future__ import annotations

import argparse
import sys

from memory_bank.app.cli.answers import passage_lines
from memory_bank.app.cli.grammar import set_options
from memory_bank.app.cli.output import DONE, FAILED, fail, write_line
from memory_bank.app.configuration import checked_settings
from memory_bank.bank.errors import UsageError
from memory_bank.bank.events import AgentCalled, NodeAnalysed, Notice, PromptEnhanced, TaskUnderstood, TextStreamed
from memory_bank.bank.settings import load_settings
from memory_bank.bank.task_kind import TaskKind
from memory_bank.documents.source_reader import refusals
from memory_bank.judgement.reader import kind_besides_beyond
from memory_bank.long_term.owner import Owner, owner_of
from memory_bank.session.session import Session
from memory_bank.views.event_formatting import describe
from memory_bank.views.readable import read_answer

_HIDDEN_EVENTS = (AgentCalled, NodeAnalysed, PromptEnhanced, TextStreamed)
"""Events not shown on a terminal, where the events around them say enough."""

_BEYOND = (
    "       The embedded engine quotes and computes; it does not write. For an essay, a judgement or advice choose a "
    "model with --engine, or say with --kind what else the task is."
)


def run(parsed: argparse.Namespace) -> int:
    """Run a new session to its answer."""
    if not parsed.task.strip():
        raise UsageError("--task is empty; say what is to be found out")
    chosen = set_options(llm_provider=parsed.engine, task_kind=parsed.kind)
    checked_settings(**chosen, **set_options(storage_dir=parsed.sessions))
    settings = load_settings(**chosen)  # long-term memory stays where STORAGE_DIR says
    documents = [*parsed.doc, *parsed.image]
    if refused := refusals([(path, path.name) for path in (*documents, *parsed.source)]):
        reasons = "; ".join(map(str, refused))
        raise UsageError(f"none of the files can be read, so nothing was started: {reasons}")
    session = Session.create(
        parsed.task,
        documents=documents,
        sources=parsed.source,
        settings=settings,
        sessions=parsed.sessions,
        owner=_owner(parsed),
    )
    if not parsed.quiet:
        write_line(f"session {session.id}", sys.stderr)
        if session.owner is not None:
            write_line(f"conversation {session.owner.conversation_id}", sys.stderr)
        _say_noticed(session, parsed.task)
    try:
        return _run_to_answer(session, quiet=parsed.quiet)
    finally:  # the session is exported even if the run failed
        if parsed.export is not None:
            session.export(parsed.export, embeddings=parsed.with_embeddings, files=parsed.with_files)


def _say_noticed(session: Session, task: str) -> None:
    """Say what was noticed before the run, and where the task may be beyond the embedded engine."""
    for event in session.events:
        if isinstance(event, Notice) or (isinstance(event, TaskUnderstood) and event.kind is not TaskKind.BEYOND):
            write_line(f"{event.seq:>5}  {describe(event)}", sys.stderr)
        if isinstance(event, TaskUnderstood) and event.by == "agent" and kind_besides_beyond(task) is not None:
            write_line(_BEYOND, sys.stderr)


def _owner(parsed: argparse.Namespace) -> Owner | None:
    """The owner of the long-term memory that the session uses; None if it uses none."""
    if parsed.user is None:
        if parsed.project is not None or parsed.conversation is not None:
            raise UsageError("--project and --conversation need --user: whose long-term memory is it?")
        return None
    return owner_of(parsed.user, parsed.project, parsed.conversation)


def resume(parsed: argparse.Namespace) -> int:
    """Continue a session whose process died, to its answer, or answer its task anew as another kind."""
    checked_settings(**set_options(storage_dir=parsed.sessions))
    session = Session.open(parsed.session_id, settings=load_settings(), sessions=parsed.sessions)
    if parsed.kind is not None:
        session.correct_kind(TaskKind(parsed.kind))
    return _run_to_answer(session, quiet=False)


def _run_to_answer(session: Session, *, quiet: bool) -> int:
    for event in session.run():
        if not quiet and not isinstance(event, _HIDDEN_EVENTS):
            write_line(f"{event.seq:>5}  {describe(event)}", sys.stderr)
    if not quiet:
        write_line(f"used: {session.bank.usage.in_words}", sys.stderr)
    if session.answer is None:
        return fail(f"session {session.id} ended without an answer ({session.bank.status})", FAILED)
    write_line(read_answer(session.bank, session.answer).text)
    passages = passage_lines(session.bank, session.answer)
    if passages and not quiet:
        write_line("\n".join(["", *passages]), sys.stderr)
    last = session.bank.insight_doc.completed_tasks[-1:]
    # An answer is empty where the work could not be done, for example without a model server.
    work_failed = not session.answer.affirmed and any(task.status == "failed" for task in last)
    return FAILED if work_failed else DONE
