"""Validation of settings: all errors at once, and names that are perhaps misspelt."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from memory_bank.app.cli import main
from memory_bank.app.configuration import asked_of_visitors, checked_settings, misspelt
from memory_bank.bank.errors import LongTermError, SettingsError
from memory_bank.bank.settings import AGENTS, PROVIDERS, Settings

ROOT = Path(__file__).parents[2]
WRONG = {
    "RETRIEVAL_K": "0",
    "REACT": "yes",
    "OPENAI_BASE_URL": "models.test",
    "LLM_TIMEOUT": "soon",
    "OTEL_EXPORTER_OTLP_ENDPOINT": "localhost:4318",
}


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Remove the variables of whoever runs the tests, and use no `.env`."""
    for variable in os.environ:
        if variable.lower() in Settings.model_fields or variable.lower().startswith((*AGENTS, *PROVIDERS, "otel")):
            monkeypatch.delenv(variable)
    monkeypatch.chdir(tmp_path)


def test_everything_that_is_wrong_is_told_at_once_and_no_secret_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    Path(".env").write_text("MAX_RUNING_SESSIONS=3\nLOCAL_API_KEY=schlüssel\n")
    for variable, value in {**WRONG, "STORAGE_DIR": "file/sessions"}.items():
        monkeypatch.setenv(variable, value)
    assert main(["check"]) == 2
    lines = capsys.readouterr().err.splitlines()
    told = {line.split()[1] for line in lines}
    assert told == {*WRONG, "STORAGE_DIR", "LOCAL_API_KEY", "MAX_RUNING_SESSIONS"}
    assert len(lines) == len(told)
    assert "schlüssel" not in str(lines)
    assert "models.test" not in str(lines)


SURROUNDINGS = [
    ({"STORAGE_DIR": "file"}, ["STORAGE_DIR"]),
    ({"STORAGE_DIR": "file/below/it"}, ["STORAGE_DIR"]),
    ({"STORAGE_DIR": "locked/sessions", "TEMP_DIR": "locked"}, ["STORAGE_DIR", "TEMP_DIR"]),
    ({"TEMP_DIR": "nowhere"}, ["TEMP_DIR"]),  # a broken link
    ({"STORAGE_DIR": "long" * 100}, ["STORAGE_DIR"]),
    ({"EMBEDDING_MODEL": "no-such-model"}, ["EMBEDDING_MODEL"]),
    ({"LONG_TERM_URI": "file/memory.db", "VECTOR_URI": "locked/vectors.db"}, ["VECTOR_URI", "LONG_TERM_URI"]),
    ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://"}, ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]),
    ({"OTEL_EXPORTER_OTLP_ENDPOINT": "grpc://collector:4317"}, ["OTEL_EXPORTER_OTLP_ENDPOINT"]),
    ({"LLM_PROVIDER": "openai", "PLANNING_PROVIDER": "local"}, ["OPENAI_API_KEY", "LOCAL_MODEL"]),
    ({"LLM_PROVIDER": "local", "LOCAL_MODEL": "m", "LOCAL_BASE_URL": "http://host:0/v1"}, ["LOCAL_BASE_URL"]),
]


@pytest.mark.parametrize(("given", "expected"), SURROUNDINGS, ids=str)
def test_places_and_servers_that_cannot_be_used_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, str], expected: list[str]
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "nowhere").symlink_to(tmp_path / "gone")
    (tmp_path / "locked").mkdir()
    for variable, value in given.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setattr(os, "access", lambda path, _mode: Path(path).name != "locked")  # root may write anywhere
    with pytest.raises(SettingsError) as refused:
        checked_settings()
    assert [one.variable for one in refused.value.all] == expected


def test_what_is_right_is_taken_and_nothing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("STORAGE_DIR", "TEMP_DIR"):
        monkeypatch.setenv(variable, "below/it")
    monkeypatch.setenv("LONG_TERM_URI", "http://milvus:19530")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318")
    checked_settings()
    assert list(misspelt()) == []
    assert list(tmp_path.iterdir()) == []


def test_options_of_the_command_line_stand_for_settings(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EMBEDDING_MODEL", "hash")
    monkeypatch.setenv("LLM_PROVIDER", "openai")
    assert main(["run", "--task", "When?"]) == 2
    assert "OPENAI_API_KEY" in capsys.readouterr().err
    assert main(["run", "--task", "When?", "--engine", "offline", "--quiet"]) == 0


def test_long_term_memory_stays_where_it_is_whatever_folder_of_sessions_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STORAGE_DIR", str(tmp_path / "store"))
    seen: list[Path] = []

    def away(settings: Settings) -> NoReturn:
        seen.append(settings.storage_dir)
        raise LongTermError("it is away")

    monkeypatch.setattr("memory_bank.session.session.shared_memory", away)
    task = ["run", "--task", "When?", "--engine", "offline", "--quiet", "--user", "ann"]
    monkeypatch.setenv("EMBEDDING_MODEL", "hash")
    assert main([*task, "--sessions", str(tmp_path / "elsewhere")]) == 0
    assert set(seen) == {tmp_path / "store"}


def test_the_page_starts_without_the_keys_that_visitors_can_type(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    begun: list[str] = []
    monkeypatch.setattr(os, "execv", lambda program, _arguments: begun.append(program))
    monkeypatch.setenv("LLM_PROVIDER", "openai")
    main(["serve"])
    assert begun
    (said,) = asked_of_visitors(checked_settings(visitors=True))
    assert said.startswith("OPENAI_API_KEY")
    assert "each visitor has to type it" in said
    assert main(["check"]) == 2
    assert "OPENAI_API_KEY" in capsys.readouterr().err


DOUBTS = [
    ("MAX_RUNING_SESSIONS=3", "MAX_RUNING_SESSIONS is no setting; did you mean MAX_RUNNING_SESSIONS?"),
    ("react_tool=tags", "did you mean REACT_TOOLS?"),
    ("LOCAL_MODLE=m", "did you mean LOCAL_MODEL?"),
    ("OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318", "has no effect in .env"),
]


@pytest.mark.parametrize(("line", "told"), DOUBTS, ids=lambda value: value.split("=")[0])
def test_what_was_perhaps_not_meant_is_told_and_refused_is_nothing(
    capsys: pytest.CaptureFixture[str], line: str, told: str
) -> None:
    Path(".env").write_text(f"{line}\n")
    assert main(["check"]) == 0
    (said,) = capsys.readouterr().err.splitlines()
    assert told in said


@pytest.mark.parametrize(
    "name",
    [
        "TMPDIR",
        "TEMP",
        "LANGUAGE",
        "REACT_APP_URL",
        "OPENAI_ORG_ID",
        "LOCAL_RANK",
        "MAX_JOBS",
        "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
        "STREAMLIT_SERVER_PORT",
        "OTHER",
    ],
)
def test_names_of_other_programs_are_let_be(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "1")
    assert list(misspelt()) == []


def test_check_shows_every_setting_and_nothing_secret(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LLM_PROVIDER", "local")
    monkeypatch.setenv("LOCAL_MODEL", "m")
    monkeypatch.setenv("LOCAL_API_KEY", "sk-1")
    monkeypatch.setenv("LOCAL_BASE_URL", "http://ann:secret@localhost:8000/v1")
    monkeypatch.setenv("LONG_TERM_URI", "http://localhost:19530")
    monkeypatch.setenv("VECTOR_URI", "http://localhost:19530/?token=t1")
    assert main(["check"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert {"LLM_PROVIDER=local", "LOCAL_API_KEY=[not shown]", "LOCAL_BASE_URL=[not shown]"} <= {*out}
    assert "t1" not in str(out)
    assert {"LONG_TERM_URI=http://localhost:19530", "# RETRIEVAL_K=5", "# REACT_WINDOW=32000"} <= {*out}


def test_serve_does_not_become_the_server_with_wrong_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "execv", lambda *_: pytest.fail("it did"))
    monkeypatch.setenv("RETRIEVAL_K", "0")
    assert main(["serve"]) == 2


@pytest.mark.slow
def test_the_page_is_not_opened_with_wrong_settings_whoever_starts_it(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.headless", "true"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "RETRIEVAL_K": "0", "LLM_TIMEOUT": "soon"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 2
    wrong = [line.split()[1] for line in ended.stderr.splitlines() if line.startswith("memory_bank: ")]
    assert wrong == ["RETRIEVAL_K", "LLM_TIMEOUT"]
    assert "Traceback" not in ended.stderr
