"""No key and no password is in anything that is written, whatever fails, and whoever says it back."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client import generate_latest

from memory_bank.app.connection import check_connection, model_servers
from memory_bank.bank.bank import Bank
from memory_bank.bank.errors import AgentError, RunStoppedError
from memory_bank.bank.settings import Settings
from memory_bank.long_term.owner import Owner
from memory_bank.session import observability
from memory_bank.session.observability import JsonLines
from memory_bank.session.session import Parts, Session
from memory_bank.views.exports import graphml, html_report
from memory_bank.views.i18n import translator
from tests import competent_model
from tests.pages.little_server import http_server
from tests.scripted_model import ScriptedModel, ScriptedReply
from tests.session.test_models import DOCUMENTS, SOURCES, TASK
from tests.step_clock import StepClock

SECRETS = {
    "key": "sk-unmistakable-1a",
    "password": "password-unmistakable-2b",
    "serper": "serper-unmistakable-3c",
    "jina": "jina-unmistakable-4d",
    "memory": "memory-unmistakable-5e",
    "collector": "collector-unmistakable-6f",
}
ECHO = f"{SECRETS['key']} {SECRETS['password']}"
"""What a model's server says that repeats all it was ever sent."""


def found_in(*texts: str) -> list[str]:
    """The secrets in some texts, by their names."""
    return [name for name, secret in SECRETS.items() if any(secret in text for text in texts)]


def written(folder: Path) -> list[str]:
    """The content of every file below a folder, and its name."""
    return [
        f"{path} {path.read_bytes().decode(errors='replace')}" for path in sorted(folder.rglob("*")) if path.is_file()
    ]


# -- a session ---------------------------------------------------------------------------------------------------


def well(asked: dict[str, Any]) -> Any:
    """Does its work, and says what it was sent wherever it may."""
    answer = competent_model.reply(asked)
    if isinstance(answer, str):
        return ScriptedReply(text=f"{ECHO} {answer}", reasoning=ECHO)
    if isinstance(answer, dict) and "topics" in answer:
        return {"topics": [topic | {"summary": ECHO} for topic in answer["topics"]]}
    return answer


def refusing(_asked: dict[str, Any]) -> Any:
    return httpx2.Response(401, json={"error": {"message": f"wrong key: {ECHO}"}})


def broken(_asked: dict[str, Any]) -> Any:
    return httpx2.Response(500, text=f"<html>{ECHO}</html>", headers={"x-echo": SECRETS["key"]})


def cut_off(_asked: dict[str, Any]) -> Any:
    raise httpx2.ReadError(f"the connection to https://ada:{SECRETS['password']}@models.test was lost")


def settings_of(folder: Path) -> Settings:
    secret = SECRETS["password"]
    return Settings.model_validate(
        {
            "llm_provider": "openai",
            "openai": {"api_key": SECRETS["key"], "base_url": f"https://ada:{secret}@models.test/v1"},
            "embedding_model": "hash",
            "serper_api_key": SECRETS["serper"],
            "jina_api_key": SECRETS["jina"],
            "long_term_uri": f"http://ada:{SECRETS['memory']}@127.0.0.1:1",
            "storage_dir": folder / "sessions",
            "temp_dir": folder / "temp",
        }
    )


@pytest.mark.parametrize("reply", [well, refusing, broken, cut_off])
def test_no_secret_is_in_anything_that_a_session_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, reply: Callable[..., Any]
) -> None:
    caplog.set_level(logging.DEBUG)
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(observability, "_tracer", provider.get_tracer("test"))
    chosen = settings_of(tmp_path)
    parts = replace(Parts.standard(chosen, network=ScriptedModel(reply)), clock=StepClock())
    owner = Owner(user="ann", conversation_id="c1")
    session = Session.create(
        TASK, DOCUMENTS, SOURCES, settings=chosen, sessions=chosen.storage_dir, parts=parts, owner=owner
    )
    with suppress(RunStoppedError):
        for _event in session.run():
            pass
    exported = (session.export(), session.export(files=True), graphml.graphml(Bank.replay(session.events)))
    report = html_report.report(session.events, translator("en"))
    lines = [JsonLines().format(record) for record in caplog.records]
    spans = [span.to_json() for span in exporter.get_finished_spans()]
    told = (repr(chosen), repr(session), repr(parts), generate_latest().decode())
    assert spans
    assert len(lines) > 10
    assert "[key]" in exported[0] or reply is not well, "it repeated nothing: the test shows nothing"
    kept = written(tmp_path)
    assert any("events.jsonl" in text for text in kept)
    assert found_in(*exported, report, *kept, *lines, *spans, *told, caplog.text) == []


@pytest.mark.parametrize("reply", [refusing, broken, cut_off])
def test_no_secret_is_in_the_words_of_a_connection_that_fails(tmp_path: Path, reply: Callable[..., Any]) -> None:
    (server,) = model_servers(settings_of(tmp_path))
    with pytest.raises(AgentError) as failed:
        check_connection(server, ScriptedModel(reply))
    assert found_in(str(failed.value), repr(failed.value), *map(repr, failed.value.calls)) == []


# -- a process -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_no_secret_is_in_anything_that_a_process_writes_whose_services_fail(tmp_path: Path) -> None:
    document = tmp_path / "guide.txt"
    document.write_text("Beacon Mill was last worked in 1955.", encoding="utf-8")
    with http_server(lambda _method, _path: (401, {"error": {"message": f"no: {ECHO}"}})) as url:
        done = subprocess.run(
            [sys.executable, "-m", "memory_bank", "run", "--task", TASK, "--doc", str(document), "--user", "ann"],
            env={**os.environ, **environment(url, tmp_path)},
            capture_output=True,
            check=False,
            timeout=120,
            text=True,
        )
    assert "Traceback" not in done.stderr
    assert "openai" in done.stderr.lower(), "its services were not asked: the test shows nothing"
    assert found_in(done.stdout, done.stderr, *written(tmp_path / "sessions")) == []


def environment(url: str, folder: Path) -> dict[str, str]:
    """Every secret that the program takes, where whoever runs it puts it."""
    return {
        "LLM_PROVIDER": "openai",
        "OPENAI_API_KEY": SECRETS["key"],
        "OPENAI_BASE_URL": url.replace("://", f"://ada:{SECRETS['password']}@") + "/v1",
        "SERPER_API_KEY": SECRETS["serper"],
        "JINA_API_KEY": SECRETS["jina"],
        "LONG_TERM_URI": f"http://ada:{SECRETS['memory']}@127.0.0.1:1",
        "OTEL_EXPORTER_OTLP_ENDPOINT": url,
        "OTEL_EXPORTER_OTLP_HEADERS": f"authorization={SECRETS['collector']}",
        "EMBEDDING_MODEL": "hash",
        "STORAGE_DIR": str(folder / "sessions"),
        "LOG_LEVEL": "DEBUG",
        "LOG_FORMAT": "json",
    }
