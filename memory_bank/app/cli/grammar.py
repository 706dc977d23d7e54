"""The argument parser: commands and options. `command` names the function that runs a command, as `file:function`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

from memory_bank.bank.task_kind import TaskKind
from memory_bank.long_term.record_type import FACT_TYPES, LONGEST_TEXT, RECORD_TYPES, RecordType, Verdict
from memory_bank.views.i18n import LANGUAGES

SERVE = "serving:serve"


def _add_run(commands: Any) -> None:  # noqa: ANN401 - argparse does not export this type
    run = commands.add_parser("run", help="a whole session without the page")
    run.add_argument("--task", required=True, help="what is to be found out")
    _add_kind(run)
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
    run.set_defaults(command="running:run")


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse the arguments. `command` names the function to run; `options` is what `serve` passes on to Streamlit."""
    parser = _parser()
    parsed, options = parser.parse_known_args(arguments)
    if options and parsed.command != SERVE:
        parser.error(f"unrecognized arguments: {' '.join(options)}")
    parsed.options = options
    return parsed


def set_options(**options: object) -> dict[str, Any]:
    """The settings to override: the options that were used."""
    return {name: value for name, value in options.items() if value is not None}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="memory_bank", description="Agentic Memory Bank")
    commands = parser.add_subparsers(required=True, metavar="command")

    _add_run(commands)

    resume = commands.add_parser("resume", help="go on with a session whose process died")
    resume.add_argument("session_id")
    _add_kind(resume)
    resume.add_argument("--sessions", type=Path, help="where sessions are kept")
    resume.set_defaults(command="running:resume")

    replay = commands.add_parser("replay", help="rebuild an export from its events and compare")
    replay.add_argument("export", type=Path)
    replay.set_defaults(command="exports:replay")

    verify = commands.add_parser("verify", help="read every citation of an export's answer again")
    verify.add_argument("export", type=Path)
    verify.set_defaults(command="answers:verify_export")

    ask = commands.add_parser("ask", help="answer a question from the memory of an export, with its passages")
    ask.add_argument("export", type=Path)
    ask.add_argument("--question", required=True, help="what is to be answered")
    _add_kind(ask)
    ask.add_argument("--engine", help="who researches and answers: offline, openai, deepseek or local")
    ask.set_defaults(command="answers:answer_from_export")

    importing = commands.add_parser("import", help="take an exported session into the store")
    importing.add_argument("export", type=Path)
    importing.add_argument("--sessions", type=Path, help="where sessions are kept")
    importing.set_defaults(command="exports:import_export")

    export = commands.add_parser("export", help="write a session for others: data, a report, or its graph")
    export.add_argument("session", help="a session's id, or an exported JSON file")
    export.add_argument("--format", choices=["json", "html", "graphml"], default="json", help="what to write")
    _add_contents(export)
    export.add_argument("--out", type=Path, help="write to this file instead of stdout")
    export.add_argument("--sessions", type=Path, help="where sessions are kept")
    export.add_argument("--language", choices=list(LANGUAGES), default="en", help="of the report's own words")
    export.set_defaults(command="exports:write")

    _add_memory(commands)

    evaluation = commands.add_parser("eval", help="score the bank on data")
    evaluation.add_argument("task", choices=["retrieval", "conflicts", "qa", "dialogue", "dossiers", "alarms"])
    evaluation.add_argument(
        "--data", type=Path, required=True, help="a .jsonl file or a folder of them; for dossiers and alarms the folder"
    )
    evaluation.add_argument("--limit", type=_positive, help="the first so many questions, pairs or tasks")
    evaluation.add_argument(
        "--only", type=_ids, default=(), metavar="ID[,ID]", help="these items alone, such as v03, or v03/2 of dossiers"
    )
    evaluation.add_argument("--engine", help="who judges: offline, openai, deepseek or local")
    evaluation.add_argument("--json", type=Path, help="write the scores to this file")
    evaluation.set_defaults(command="measuring:evaluate")

    bench = commands.add_parser("bench", help="the performance figures, each against a reference of the same run")
    bench.add_argument("--only", action="append", default=[], metavar="PART", help="this part alone")
    bench.add_argument("--json", type=file_to_write, help="write the figures to this file")
    bench.set_defaults(command="measuring:bench")

    serve = commands.add_parser(
        "serve",
        help="open the page",
        usage="%(prog)s [options of streamlit]",
        epilog="All options go to streamlit, such as --server.port 8601 --server.headless true.",
        allow_abbrev=False,
    )
    serve.set_defaults(command=SERVE)

    check = commands.add_parser("check", help="what is set, what is wrong with it, and what is perhaps misspelt")
    check.set_defaults(command="serving:check")
    return parser


def _add_kind(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kind", choices=list(TaskKind), help="what the embedded engine takes it for")


def _add_contents(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--with-embeddings", action="store_true", help="keep the nodes' vectors in the JSON")
    parser.add_argument("--with-files", action="store_true", help="keep the documents and images in the JSON")


def file_to_write(text: str) -> Path:
    """Parse an output file. Its folder is checked now, so that no measurement is lost for a wrong path."""
    file = Path(text)
    if file.is_dir() or not file.resolve().parent.is_dir():
        raise argparse.ArgumentTypeError(f"{file} cannot be a file: make its folder, or name another file")
    return file


def _ids(text: str) -> tuple[str, ...]:
    return tuple(filter(None, (part.strip() for part in text.split(","))))


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _add_memory(commands: Any) -> None:  # noqa: ANN401
    mcp = commands.add_parser("mcp", help="offer a user's memory to other assistants (MCP, stdio)")
    _add_scope(mcp)
    mcp.add_argument("--sessions", type=Path, help="a folder of sessions that may be asked too; none without it")
    mcp.set_defaults(command="serving:mcp")

    memory = commands.add_parser("memory", help="what is kept of a user beyond one session")
    verbs = memory.add_subparsers(required=True, metavar="command")

    add = _add_verb(verbs, "add", "keep a fact or an episode")
    add.add_argument("--text", required=True, help=f"what is kept, up to {LONGEST_TEXT} characters")
    _add_type(add, (*FACT_TYPES, "episode"), "semantic (the default), procedural, or episode: a task that was done")

    search = _add_verb(verbs, "search", "the most similar records")
    search.add_argument("--query", required=True, help="what is looked for")
    _add_type(search, RECORD_TYPES, "only records of this type")

    _add_type(_add_verb(verbs, "list", "all records, newest first"), RECORD_TYPES, "only records of this type")

    decide = _add_verb(verbs, "decide", "end a dispute: say what holds, the stored fact, the new one, or both")
    decide.add_argument("--id", required=True, help="the stored fact")
    decide.add_argument("--dispute", help="which dispute of it, by its id; the oldest without")
    decide.add_argument("--verdict", required=True, choices=get_args(Verdict))

    forget = _add_verb(verbs, "forget", "remove one record, or all of a user, of a project or of a type")
    forget.add_argument("--id", help="the record; without it all that --user, --project and --type name")
    _add_type(forget, RECORD_TYPES, "only records of this type")

    export = _add_verb(verbs, "export", "all records as a JSON text")
    export.add_argument("--out", type=Path, help="write to this file instead of stdout")
    _add_type(export, RECORD_TYPES, "only records of this type")

    importing = _add_verb(verbs, "import", "take an export in as this user's own")
    importing.add_argument("export", type=Path)


def _add_verb(verbs: Any, name: str, help_text: str) -> argparse.ArgumentParser:  # noqa: ANN401
    parser: argparse.ArgumentParser = verbs.add_parser(name, help=help_text, description=help_text)
    _add_scope(parser)
    parser.add_argument("--json", action="store_true", help="answer in JSON")
    parser.set_defaults(command="memory:run_memory_command", verb=name)
    return parser


def _add_scope(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--user", required=True, help="whose memory it is")
    parser.add_argument("--project", help="in this project only")
    parser.add_argument("--uri", help="a file that ends in .db, or a Milvus server; LONG_TERM_URI without it")


def _add_type(parser: argparse.ArgumentParser, types: tuple[RecordType, ...], help_text: str) -> None:
    parser.add_argument("--type", choices=types, help=help_text)
