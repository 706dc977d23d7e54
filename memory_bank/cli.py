"""The command line (section 8): names, outputs and exit codes that other programs rely on.

Exit codes: 0 done, 1 the run failed or a check did not hold, 2 bad usage or unreadable input.
"""

from __future__ import annotations

import argparse
import errno
import json
import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from memory_bank.agents.research import Research, ResearchRound
from memory_bank.asking import ask
from memory_bank.bank.answer import Answer, Citation
from memory_bank.bank.bank import Bank
from memory_bank.bank.event_log import EventLog
from memory_bank.bank.spoken import said_by
from memory_bank.bank.transfer import export_session, first_difference, parse_export
from memory_bank.configuration import checked_settings, doubts, faults, variables
from memory_bank.durable_files import write_output
from memory_bank.embedding_choice import as_begun
from memory_bank.errors import (
    CorruptLogError,
    ImportRefusedError,
    MemoryBankError,
    SessionNotFoundError,
    SettingsError,
    UsageError,
)
from memory_bank.evaluation.bench_run import add_bench_options, bench_run
from memory_bank.event_words import describe
from memory_bank.events import AgentCalled, Event, NodeAnalysed, PromptEnhanced, TextStreamed
from memory_bank.importing import import_session
from memory_bank.long_term.commands import add_memory_commands, named
from memory_bank.long_term.owner import Owner, owner_of
from memory_bank.modules.embedding import load_embedder
from memory_bank.observability import configure
from memory_bank.one_line import one_line
from memory_bank.session import Parts, Session
from memory_bank.session_store import SessionStore
from memory_bank.settings import load_settings
from memory_bank.words import LANGUAGES, words

DONE, FAILED, BAD_USAGE = 0, 1, 2
_log = logging.getLogger(__name__)
_QUIET_EVENTS = (AgentCalled, NodeAnalysed, PromptEnhanced, TextStreamed)
"""Of interest on the page; on a terminal the events around them say enough."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. No traceback reaches a person."""
    parser = _parser()
    parsed, options = parser.parse_known_args(arguments)
    with suppress(SettingsError):  # a command that needs the settings says which is wrong
        settings = load_settings()
        configure(settings.log_level or "CRITICAL", settings.log_format)
    command: Callable[[argparse.Namespace], int] = parsed.command
    if options and command is not _serve:
        parser.error(f"unrecognized arguments: {' '.join(options)}")
    parsed.options = options
    try:
        return command(parsed)
    except SettingsError as error:
        return max(_fail(line, BAD_USAGE) for line in faults(error))
    except (UsageError, SessionNotFoundError) as error:
        return _fail(str(error), BAD_USAGE)
    except OSError as error:
        what = "make room" if error.errno == errno.ENOSPC else "check the path"
        return _fail(f"{error.filename or 'a file'}: {error.strerror or error}; {what} and try again", BAD_USAGE)
    except MemoryBankError as error:
        return _fail(str(error), FAILED)
    except KeyboardInterrupt:
        return _fail("interrupted; what was recorded is kept: go on with `resume`", FAILED)
    except Exception as error:  # noqa: BLE001 - the last stop before a person; the session's log has the record
        _log.debug("unexpected", exc_info=True)
        return _fail(f"unexpected {type(error).__name__}: {error}; what was recorded is kept", FAILED)


def _fail(message: str, code: int) -> int:
    _say(f"memory_bank: {one_line(message)}", sys.stderr)
    return code


def _say(text: str, stream: TextIO | None = None) -> None:
    target = stream or sys.stdout
    target.write(text + "\n")
    target.flush()


# -- commands ------------------------------------------------------------------------------------------------


def _run(parsed: argparse.Namespace) -> int:
    if not parsed.task.strip():
        raise UsageError("--task is empty; say what is to be found out")
    chosen = _given(llm_provider=parsed.engine)
    checked_settings(**chosen, **_given(storage_dir=parsed.sessions))
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
        _say(f"session {session.id}", sys.stderr)
        if session.owner is not None:
            _say(f"conversation {session.owner.conversation_id}", sys.stderr)
    try:
        return _finish(session, quiet=parsed.quiet)
    finally:  # what a run that failed has recorded is exported too
        if parsed.export is not None:
            session.export(parsed.export, embeddings=parsed.with_embeddings, files=parsed.with_files)


def _given(**options: object) -> dict[str, Any]:
    """Settings that options of the command line stand for, as far as they were used."""
    return {name: value for name, value in options.items() if value is not None}


def _owner(parsed: argparse.Namespace) -> Owner | None:
    """Whose long-term memory the session uses; None for none."""
    if parsed.user is None:
        if parsed.project is not None or parsed.conversation is not None:
            raise UsageError("--project and --conversation need --user: whose long-term memory is it?")
        return None
    return owner_of(parsed.user, parsed.project, parsed.conversation)


def _resume(parsed: argparse.Namespace) -> int:
    checked_settings(**_given(storage_dir=parsed.sessions))
    session = Session.open(parsed.session_id, settings=load_settings(), sessions=parsed.sessions)
    return _finish(session, quiet=False)


def _finish(session: Session, *, quiet: bool) -> int:
    _follow(session.run(), quiet=quiet)
    if not quiet:
        _say(f"used: {session.bank.usage.in_words}", sys.stderr)
    if session.answer is None:
        return _fail(f"session {session.id} ended without an answer ({session.bank.status})", FAILED)
    _say(session.answer.text)
    return FAILED if _came_to_nothing(session, session.answer) else DONE


def _came_to_nothing(session: Session, answer: Answer) -> bool:
    """Whether there is no answer because the work could not be done, as with a model's server that is not there."""
    last = session.bank.insight_doc.completed_tasks[-1:]
    return not answer.affirmed and not answer.disputed and any(task.status == "failed" for task in last)


def _follow(events: Iterable[Event], *, quiet: bool) -> None:
    for event in events:
        if not quiet and not isinstance(event, _QUIET_EVENTS):
            _say(f"{event.seq:>5}  {describe(event)}", sys.stderr)


def _replay(parsed: argparse.Namespace) -> int:
    export = parse_export(parsed.export.read_bytes())
    difference = first_difference(export)
    if difference is not None:
        return _fail(f"{parsed.export}: {difference}", FAILED)
    nodes = len(export.query_graph.nodes)
    _say(f"{len(export.events)} events rebuild the session: {nodes} nodes, {len(export.conflicts)} conflicts")
    return DONE


def _ask(parsed: argparse.Namespace) -> int:
    if not parsed.question.strip():
        raise UsageError("--question is empty; say what is to be answered from the memory")
    settings = load_settings(**_given(llm_provider=parsed.engine))
    events = _exported_events(parsed.export)
    bank = Bank.replay(events)
    parts = Parts.asking(as_begun(settings, next(iter(events), None)))
    asked = ask(bank, parts.embedder, parsed.question, parts.researcher(), parts.framework)
    for research in asked.research:
        _say(_researched(research), sys.stderr)
    for remark in asked.remarks:
        _say(f"answer: {one_line(remark.what)}", sys.stderr)
    if asked.usage.calls:
        _say(f"used: {asked.usage.in_words}", sys.stderr)
    passages = [_cited(bank, citation) for citation in asked.answer.citations]
    _say("\n\n".join([asked.answer.text, *(["\n".join(passages)] if passages else [])]))
    return DONE


def _researched(research: Research) -> str:
    """Round by round what was asked for, how it was looked for, the pages that this found; then why it ended."""
    lines = [line for number, one in enumerate(research.rounds, start=1) for line in _round(number, one)]
    return "\n".join([*lines, f"stopped: {research.stopped}"])


def _round(number: int, one: ResearchRound) -> Iterator[str]:
    looked = dict.fromkeys(query for need in one.plan.needs for query in (need.keywords, need.sentence))
    yield f"round {number}: {one_line(' | '.join(one.requests))}"
    if added := [query for query in looked if query not in one.requests]:
        yield f"  looked for: {one_line(' | '.join(added))}"
    if one.plan.page_ids:
        yield f"  opened: {', '.join(one.plan.page_ids)}"
    yield f"  pages: {', '.join(one.page_ids) or 'none'}"
    yield from (f"  note: {one_line(remark.what)}" for remark in one.remarks)


def _cited(bank: Bank, citation: Citation) -> str:
    entry = bank.trees.entry(citation.entry_id)
    passage = entry.text[citation.start : citation.end]
    page = f"p. {citation.page}" if citation.page else ""
    where = ", ".join(filter(None, (citation.source, page, said_by(entry, citation.start, citation.end))))
    return f"[{citation.number}] {one_line(where)}: {one_line(passage)}"


def _import(parsed: argparse.Namespace) -> int:
    folder = parsed.sessions or load_settings().storage_dir
    _say(import_session(parsed.export.read_bytes(), SessionStore(folder)))
    return DONE


def _export(parsed: argparse.Namespace) -> int:
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
        return _exported_events(path)
    store = SessionStore(parsed.sessions or load_settings().storage_dir)
    try:
        events = EventLog(store.find(parsed.session)).events
    except SessionNotFoundError as error:
        raise SessionNotFoundError(f"{parsed.session!r:.100} is no file, and {error}") from error
    if not events:
        raise CorruptLogError(f"session {parsed.session} died before its first event was written; start it anew")
    return events


def _exported_events(path: Path) -> Sequence[Event]:
    """The events of an exported session, which add up to what it shows."""
    export = parse_export(path.read_bytes())
    difference = first_difference(export)
    if difference is not None:
        raise ImportRefusedError(f"{path}: its events do not add up to what it shows: {difference}")
    return export.events


def _exported(parsed: argparse.Namespace) -> str:
    from memory_bank.exports import graphml, html_report  # noqa: PLC0415 - loads what only this needs

    events = _events(parsed)
    if parsed.format == "html":
        return html_report.report(events, words(parsed.language))
    if parsed.format == "graphml":
        return graphml.graphml(Bank.replay(events))
    embed = None
    if parsed.with_embeddings:
        settings = as_begun(load_settings(), next(iter(events), None))
        embedder = load_embedder(settings.embedding_model, settings.embedding_cache)
        embed = lambda texts: embedder.embed(texts).tolist()  # noqa: E731
    return export_session(events, embed, _files(parsed) if parsed.with_files else None)


def _files(parsed: argparse.Namespace) -> Path:
    """The folder of a stored session, where its documents and images lie."""
    if Path(parsed.session).is_file():
        raise UsageError("--with-files needs a session of the store: give its id, or import the file first")
    return SessionStore(parsed.sessions or load_settings().storage_dir).find(parsed.session)


def _serve(parsed: argparse.Namespace) -> int:
    checked_settings(visitors=True)
    app = Path(__file__).parent.parent / "app.py"
    options = parsed.options[1:] if parsed.options[:1] == ["--"] else parsed.options
    command = [sys.executable, "-m", "streamlit", "run", str(app), *options]
    os.execv(sys.executable, command)  # noqa: S606 - what ends this process ends the server, and its code is ours


def _eval(parsed: argparse.Namespace) -> int:
    from memory_bank.evaluation.report import LEARNED, evaluate_files, table  # noqa: PLC0415 - only this needs it

    learned = parsed.engine == LEARNED
    settings = load_settings(**_given(llm_provider=None if learned else parsed.engine))
    parts = Parts.learned(settings) if learned else None
    scores = evaluate_files(parsed.task, parsed.data, settings, parsed.limit, parts)
    _say(table(scores))
    if parsed.json is not None:
        _write_json(parsed.json, scores)
    return DONE


def _bench(parsed: argparse.Namespace) -> int:
    from memory_bank.evaluation.bench import bench_figures  # noqa: PLC0415 - likewise

    text, good = bench_run(parsed, lambda: bench_figures(parsed.only))
    _say(text)
    return DONE if good else FAILED


def _mcp(parsed: argparse.Namespace) -> int:
    from memory_bank.mcp_server import serve  # noqa: PLC0415 - likewise

    serve(*named(parsed), parsed.sessions)
    return DONE


def _check(_parsed: argparse.Namespace) -> int:
    settings = checked_settings()
    for variable in variables(settings):
        _say(f"{'' if variable.is_set else '# '}{variable.name}={variable.text}")
    for doubt in doubts(settings):
        _say(f"memory_bank: {one_line(doubt)}", sys.stderr)
    return DONE


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


# -- grammar -------------------------------------------------------------------------------------------------


def _add_run(commands: Any) -> None:  # noqa: ANN401 - argparse keeps the type of this to itself
    run = commands.add_parser("run", help="a whole session without the page")
    run.add_argument("--task", required=True, help="what is to be found out")
    run.add_argument("--doc", type=Path, action="append", default=[], help="a document to work on")
    run.add_argument("--image", type=Path, action="append", default=[], help="an image to work on")
    run.add_argument("--source", type=Path, action="append", default=[], help="a document to check against")
    run.add_argument("--engine", help="who judges: offline, openai, deepseek or local")
    run.add_argument("--export", type=Path, help="write the session to this JSON file")
    _add_contents(run)
    run.add_argument("--user", help="use and fill this user's long-term memory; without it nothing is kept or recalled")
    run.add_argument("--project", help="with --user: the memory of this project only")
    run.add_argument("--conversation", help="with --user: go on with a conversation, by the name it was given")
    run.add_argument("--sessions", type=Path, help="where sessions are kept")
    run.add_argument("--quiet", action="store_true", help="no progress on stderr")
    run.set_defaults(command=_run)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="memory_bank", description="Agentic Memory Bank")
    commands = parser.add_subparsers(required=True, metavar="command")

    _add_run(commands)

    resume = commands.add_parser("resume", help="go on with a session whose process died")
    resume.add_argument("session_id")
    resume.add_argument("--sessions", type=Path, help="where sessions are kept")
    resume.set_defaults(command=_resume)

    replay = commands.add_parser("replay", help="rebuild an export from its events and compare")
    replay.add_argument("export", type=Path)
    replay.set_defaults(command=_replay)

    asking = commands.add_parser("ask", help="answer a question from the memory of an export, with its passages")
    asking.add_argument("export", type=Path)
    asking.add_argument("--question", required=True, help="what is to be answered")
    asking.add_argument("--engine", help="who researches and answers: offline, openai, deepseek or local")
    asking.set_defaults(command=_ask)

    importing = commands.add_parser("import", help="take an exported session into the store")
    importing.add_argument("export", type=Path)
    importing.add_argument("--sessions", type=Path, help="where sessions are kept")
    importing.set_defaults(command=_import)

    exporting = commands.add_parser("export", help="write a session for others: data, a report, or its graph")
    exporting.add_argument("session", help="a session's id, or an exported JSON file")
    exporting.add_argument("--format", choices=["json", "html", "graphml"], default="json", help="what to write")
    _add_contents(exporting)
    exporting.add_argument("--out", type=Path, help="write to this file instead of stdout")
    exporting.add_argument("--sessions", type=Path, help="where sessions are kept")
    exporting.add_argument("--language", choices=list(LANGUAGES), default="en", help="of the report's own words")
    exporting.set_defaults(command=_export)

    add_memory_commands(commands, mcp=_mcp)

    evaluation = commands.add_parser("eval", help="score the bank on data")
    evaluation.add_argument(
        "task", choices=["retrieval", "conflicts", "qa", "dialogue", "extraction", "dossiers", "alarms"]
    )
    evaluation.add_argument(
        "--data", type=Path, required=True, help="a .jsonl file or a folder of them; for dossiers and alarms the folder"
    )
    evaluation.add_argument("--limit", type=_positive, help="the first so many questions, pairs or tasks")
    evaluation.add_argument("--engine", help="who judges: offline, openai, deepseek, local or learned (see training)")
    evaluation.add_argument("--json", type=Path, help="write the scores to this file")
    evaluation.set_defaults(command=_eval)

    bench = commands.add_parser("bench", help="the performance figures, each against a reference of the same run")
    bench.add_argument("--only", action="append", default=[], metavar="PART", help="this part alone")
    add_bench_options(bench)
    bench.set_defaults(command=_bench)

    serve = commands.add_parser(
        "serve",
        help="open the page",
        usage="%(prog)s [options of streamlit]",
        epilog="All options go to streamlit, such as --server.port 8601 --server.headless true.",
        allow_abbrev=False,
    )
    serve.set_defaults(command=_serve)

    check = commands.add_parser("check", help="what is set, what is wrong with it, and what was perhaps not meant")
    check.set_defaults(command=_check)
    return parser


def _add_contents(exporting: argparse.ArgumentParser) -> None:
    exporting.add_argument("--with-embeddings", action="store_true", help="keep the nodes' vectors in the JSON")
    exporting.add_argument("--with-files", action="store_true", help="keep the documents and images in the JSON")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number
