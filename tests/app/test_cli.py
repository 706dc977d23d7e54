"""The command line: outputs, exit codes, and a kill in the middle of a run."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memory_bank.agents.research import Need
from memory_bank.app.cli import main
from memory_bank.bank.usage import Remark
from memory_bank.session.memory_qa import QuestionAnswer, ask
from tests.scripted import ONE_CALL
from tests.shared_data import DATA

ROOT = Path(__file__).parents[2]
BRIDGE_A = "Harlow Bridge crosses the Stort. Harlow Bridge was completed in 1932. It has two lanes."
BRIDGE_B = "Harlow Bridge is a landmark. Harlow Bridge was completed in 1934. A fair is held beneath it."
REGISTER = "Register of bridges. Harlow Bridge was completed in 1934 and repaired in 1961."
TASK = "When was Harlow Bridge completed?"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in (("a.txt", BRIDGE_A), ("b.md", BRIDGE_B), ("register.txt", REGISTER)):
        (tmp_path / name).write_text(text)
    return tmp_path


def run_arguments(files: Path) -> list[str]:
    documents = ["--doc", str(files / "a.txt"), "--doc", str(files / "b.md"), "--source", str(files / "register.txt")]
    return ["run", "--task", TASK, *documents, "--sessions", str(files / "sessions")]


def test_run_answers_exports_and_the_export_replays_and_imports(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export = files / "out.json"
    assert main([*run_arguments(files), "--export", str(export)]) == 0
    out, err = capsys.readouterr()
    assert "1934" in out
    assert "1932" not in out
    assert "Conflict x1" in err
    document = json.loads(export.read_text())
    assert document["format"] == "memory-bank-session"
    entries = {entry["id"]: entry for tree in document["interaction_trees"].values() for entry in tree["entries"]}
    for citation in document["answer"]["citations"]:
        passage = entries[citation["entry_id"]]["text"][citation["start"] : citation["end"]]
        assert f"“{passage}” [{citation['number']}]" in document["answer"]["text"]

    assert main(["replay", str(export)]) == 0
    capsys.readouterr()
    assert main(["import", str(export), "--sessions", str(files / "other")]) == 0
    session_id = capsys.readouterr().out.strip()
    assert (files / "other" / session_id / "events.jsonl").is_file()


def test_nothing_is_started_where_no_file_can_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "torn.pdf").write_bytes(b"%PDF-1.4 torn")
    sessions = tmp_path / "sessions"
    assert main(["run", "--task", TASK, "--doc", str(tmp_path / "torn.pdf"), "--sessions", str(sessions)]) == 2
    error = capsys.readouterr().err
    assert error == "memory_bank: none of the files can be read, so nothing was started: torn.pdf: it is damaged\n"
    assert not sessions.exists()


def test_progress_ends_with_what_was_used_and_the_passages(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(run_arguments(files)) == 0
    out, err = capsys.readouterr()
    used, _, passages = err[err.index("used: ") :].partition("\n\n")
    assert used.startswith("used: 0 calls, 0 tokens")
    assert [line.split()[0] for line in passages.splitlines()] == sorted(set(re.findall(r"\[\d+\]", out)))


@pytest.mark.slow
def test_a_run_whose_model_is_not_there_fails_and_says_so(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_MODEL", "tiny")
    monkeypatch.setenv("LOCAL_BASE_URL", "http://127.0.0.1:1/v1")
    offline = ("CLASSIFICATION", "STRUCTURE", "ANALYSIS", "INTEGRATION", "PLANNING")
    for agent in offline:
        monkeypatch.setenv(f"{agent}_PROVIDER", "offline")
    assert main([*run_arguments(files), "--engine", "local", "--export", str(files / "out.json")]) == 1
    out, err = capsys.readouterr()
    assert "cannot be reached; check LOCAL_BASE_URL" in out
    assert any(line.startswith("used: ") for line in err.splitlines())
    assert json.loads((files / "out.json").read_text())["session"]["status"] == "finished"


def test_run_says_what_the_task_is_taken_for_and_resume_answers_it_as_another_kind(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(run_arguments(files)) == 0
    told = capsys.readouterr().err
    assert "Understood as: a question for a date or time." in told
    session_id = told.split()[1]
    assert main(["resume", session_id, "--kind", "list", "--sessions", str(files / "sessions")]) == 0
    assert "Understood as: a list is wanted." in capsys.readouterr().err


def test_what_the_embedded_engine_cannot_do_is_said_before_the_run(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    essay = ["run", "--task", "Write an essay about the bridge", *run_arguments(files)[3:]]
    main(essay)
    before, _running, after = capsys.readouterr().err.partition("Session running")
    assert "it does not write. For an essay" in before
    assert "it does not write" not in after
    main([*essay, "--kind", "summary"])
    assert "it does not write" not in capsys.readouterr().err


def test_quiet_says_nothing_but_the_answer(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*run_arguments(files), "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert "1934" in out
    assert err == ""


def test_replay_of_an_export_that_was_tampered_with_names_the_first_difference(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export = files / "out.json"
    main([*run_arguments(files), "--quiet", "--export", str(export)])
    document = json.loads(export.read_text())
    document["query_graph"]["nodes"][0]["summary"] = "something else"
    export.write_text(json.dumps(document))
    capsys.readouterr()
    assert main(["replay", str(export)]) == 1
    assert "query_graph.nodes.0.summary" in capsys.readouterr().err


@pytest.fixture
def export(files: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """An exported session."""
    path = files / "asked.json"
    assert main([*run_arguments(files), "--quiet", "--export", str(path)]) == 0
    capsys.readouterr()
    return path


def test_ask_answers_with_the_passages_it_cites(export: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", str(export), "--question", TASK]) == 0
    answer, passages = capsys.readouterr().out.rstrip("\n").split("\n\n")
    assert "“Harlow Bridge was completed in 1934" in answer
    assert passages.startswith("[1] b.md: Harlow Bridge was completed in 1934.")


def test_ask_takes_a_question_for_what_it_is_told(export: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", str(export), "--question", TASK]) == 0
    assert "Understood as: a question for a date or time." in capsys.readouterr().err
    assert main(["ask", str(export), "--question", TASK, "--kind", "beyond"]) == 0
    assert "it does not write" in capsys.readouterr().out


def test_ask_tells_on_stderr_how_the_memory_was_searched(export: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", str(export), "--question", TASK]) == 0
    told = capsys.readouterr().err
    assert f"round 1: {TASK}" in told
    assert "stopped: " in told


def test_ask_tells_what_a_model_added_to_the_search_what_failed_and_what_it_took(
    export: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def as_a_model(*given: Any) -> QuestionAnswer:
        asked = ask(*given)
        (research,) = asked.research
        (first, *rest) = research.rounds
        need = Need(fact="the year", keywords="Harlow completed", sentence=TASK)
        plan = first.plan.model_copy(update={"needs": (*first.plan.needs, need), "page_ids": ("e1",)})
        changed = {"plan": plan, "remarks": (Remark(kind="dropped", what="no page\nbears it"),), "calls": ONE_CALL}
        rounds = (first.model_copy(update=changed), *rest)
        remarks = (Remark(kind="repaired", what="the answer was mended"),)
        return asked.model_copy(
            update={"research": (research.model_copy(update={"rounds": rounds}),), "remarks": remarks}
        )

    monkeypatch.setattr("memory_bank.app.cli.answers.ask", as_a_model)
    assert main(["ask", str(export), "--question", TASK]) == 0
    told = capsys.readouterr().err.splitlines()
    assert told[1:4] == [f"round 1: {TASK}", "  looked for: Harlow completed", "  opened: e1"]
    assert "  note: no page bears it" in told
    assert "answer: the answer was mended" in told
    assert told[-1].startswith("used: 1 calls")


def test_ask_says_where_the_memory_holds_no_answer(export: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", str(export), "--question", "Who composed the opera Turandot?"]) == 0
    assert capsys.readouterr().out.startswith(
        "No answer to this was found in the documents.\n\nSearched: a.txt, b.md\n\n## Nearest passages\n"
    )


def test_ask_takes_no_export_whose_events_do_not_add_up_to_it(export: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(export.read_text())
    document["query_graph"]["nodes"][0]["summary"] = "something else"
    export.write_text(json.dumps(document))
    assert main(["ask", str(export), "--question", TASK]) == 2
    assert "query_graph.nodes.0.summary" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "--task", "x", "--doc", "missing.pdf"], "missing.pdf"),
        (["run", "--task", "  "], "--task is empty"),
        (["run", "--task", "x", "--engine", "oracle"], "LLM_PROVIDER is 'oracle'"),
        (["run", "--task", "x", "--engine", "openai"], "OPENAI_API_KEY is ''"),
        (["run", "--task", "x", "--engine", "local"], "LOCAL_MODEL is ''"),
        (["resume", "nobody"], "no session 'nobody'"),
        (["resume", "../../etc"], "not a session id"),
        (["replay", "missing.json"], "missing.json"),
        (["ask", "missing.json", "--question", "x"], "missing.json"),
        (["ask", "missing.json", "--question", "x", "--engine", "oracle"], "LLM_PROVIDER is 'oracle'"),
        (["ask", "missing.json", "--question", "  "], "--question is empty"),
        (["eval", "qa", "--data", "missing"], "no .jsonl data here"),
        (["export", "missing.json"], "'missing.json' is no file"),
        (["export", "nobody"], "no session 'nobody'"),
        (["export", "../../etc"], "not a session id"),
    ],
)
def test_bad_usage_is_one_line_and_exit_code_2(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"format": "other"}', b"\x00\xff"])
@pytest.mark.parametrize("command", ["replay", "import", "ask"])
def test_a_file_that_is_no_export_is_refused(
    content: bytes, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.json"
    bad.write_bytes(content)
    given = {"import": ["--sessions", str(tmp_path / "sessions")], "ask": ["--question", "x"]}
    assert main([command, str(bad), *given.get(command, [])]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "sessions").exists()


def test_export_writes_a_stored_session_and_an_exported_one_alike(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exported = files / "out.json"
    assert main([*run_arguments(files), "--quiet", "--export", str(exported)]) == 0
    (stored,) = [path.name for path in (files / "sessions").iterdir()]
    capsys.readouterr()
    for form, beginning in (("json", "{"), ("html", "<!DOCTYPE html>"), ("graphml", "<graphml")):
        assert main(["export", str(exported), "--format", form]) == 0
        written = capsys.readouterr().out
        assert written.startswith(beginning)
        assert "1934" in written
        out = files / f"out.{form}"
        assert main(["export", stored, "--sessions", str(files / "sessions"), "--format", form, "--out", str(out)]) == 0
        assert capsys.readouterr() == ("", "")
        assert out.read_text(encoding="utf-8") == written
    assert main(["replay", str(files / "out.json")]) == 0


def test_the_report_speaks_the_language_that_is_asked_for(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exported = files / "out.json"
    main([*run_arguments(files), "--quiet", "--export", str(exported)])
    capsys.readouterr()
    assert main(["export", str(exported), "--format", "html", "--language", "zh"]) == 0
    assert '<html lang="zh-Hans">' in capsys.readouterr().out


def test_an_export_that_was_tampered_with_is_not_exported(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exported = files / "out.json"
    main([*run_arguments(files), "--quiet", "--export", str(exported)])
    exported.write_text(exported.read_text().replace('"summary": "', '"summary": "Not so: ', 1))
    capsys.readouterr()
    assert main(["export", str(exported), "--format", "html"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "query_graph.nodes.0.summary" in err
    assert err.count("\n") == 1


def test_an_export_to_where_nothing_can_be_written_says_so(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exported = files / "out.json"
    main([*run_arguments(files), "--quiet", "--export", str(exported)])
    capsys.readouterr()
    assert main(["export", str(exported), "--out", str(files / "nowhere" / "out.html")]) == 2
    assert "nowhere" in capsys.readouterr().err


def _program(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "memory_bank", *arguments]


@pytest.mark.slow
def test_kill_in_mid_run_then_resume_gives_the_same_answer_and_judges_nothing_twice(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([*run_arguments(files), "--quiet"])
    whole = capsys.readouterr().out
    sessions = files / "killed"
    arguments = [*run_arguments(files)[:-1], str(sessions)]
    process = subprocess.Popen(_program(*arguments), cwd=ROOT, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if "Conflict x1" in line:
            process.send_signal(signal.SIGKILL)
            break
    process.communicate()
    (session_id,) = [path.name for path in sessions.iterdir()]
    log = sessions / session_id / "events.jsonl"
    before = log.read_bytes()
    assert b'"status":"finished"' not in before
    resumed = subprocess.run(
        _program("resume", session_id, "--sessions", str(sessions)),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert resumed.stdout == whole
    events = [json.loads(line) for line in log.read_text().splitlines()]
    keys = [event["key"] for event in events if event["type"] == "agent_called"]
    assert len(keys) == len(set(keys))
    assert events[-1]["status"] == "finished"


@pytest.mark.slow
def test_a_session_that_is_being_run_cannot_be_run_by_another_process(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    process = subprocess.Popen(
        _program(*run_arguments(files)), cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    assert process.stderr is not None
    session_id = process.stderr.readline().split()[1]
    while "running" not in process.stderr.readline():
        pass
    process.send_signal(signal.SIGSTOP)
    try:
        second = main(["resume", session_id, "--sessions", str(files / "sessions")])
    finally:
        os.kill(process.pid, signal.SIGCONT)
        process.communicate()
    assert second == 2
    assert "run by another process" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="the evaluation data is not beside this checkout")
def test_every_document_of_the_data_folder_is_read_or_refused_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = sorted(path for path in (DATA / "files").iterdir() if path.suffix in (".pdf", ".txt"))
    arguments = [part for path in names for part in ("--doc", str(path))]
    code = main(["run", "--task", "What is this document about?", *arguments, "--sessions", str(tmp_path)])
    out, err = capsys.readouterr()
    assert code == 0
    assert out.strip()
    assert "Refused s" in err
    assert "password" in err
    assert "Traceback" not in err
