"""What whoever runs a server sees: kinds, counts and times, and no text of anybody."""

from __future__ import annotations

import io
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client import REGISTRY

from memory_bank.session import observability
from memory_bank.session.observability import JsonLines
from memory_bank.session.session import Session
from memory_bank.storage.session_store import Upload
from tests.session.test_session import offline

LEDGER = "The harlequin ledger is kept in vault nineteen."


def run(folder: Path) -> Session:
    session = Session.create(
        "Where is the ledger?", [Upload("l.txt", LEDGER.encode())], sessions=folder, parts=offline()
    )
    for _event in session.run():
        pass
    return session


def count(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What the session's logger writes, as a collector gets it."""
    written = io.StringIO()
    handler, log = logging.StreamHandler(written), logging.getLogger("memory_bank.session.session")
    handler.setFormatter(JsonLines())
    log.addHandler(handler)
    before, log.level = log.level, logging.INFO
    log.setLevel(logging.INFO)
    yield written
    log.removeHandler(handler)
    log.setLevel(before)


def test_every_event_is_a_line_with_its_session_and_step_and_without_any_text(
    tmp_path: Path, lines: io.StringIO
) -> None:
    session = run(tmp_path)
    told = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert [line["event"] for line in told] == [event.type for event in session.events]
    assert [line["seq"] for line in told] == [event.seq for event in session.events]
    assert {line["session"] for line in told} == {session.id}
    assert [line["step"] for line in told if line["event"] == "prompt_enhanced"] == ["t1"]
    assert {line["agent"] for line in told if line["event"] == "agent_called"} >= {
        "classification",
        "planning",
        "react",
    }
    assert "harlequin" not in lines.getvalue()


def test_events_and_judgements_are_counted(tmp_path: Path) -> None:
    before = count("memory_bank_events_total", type="answer_given")
    planned = count("memory_bank_agent_calls_total", agent="planning", by="offline")
    finished = count("memory_bank_session_states_total", state="finished")
    session = run(tmp_path)
    assert count("memory_bank_events_total", type="answer_given") == before + 1
    assert count("memory_bank_agent_calls_total", agent="planning", by="offline") == planned + session.bank.plans
    assert count("memory_bank_session_states_total", state="finished") == finished + 1


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(observability, "_tracer", provider.get_tracer("test"))
    return exporter


def test_a_judgement_is_a_span_with_its_session_and_agent(tmp_path: Path, spans: InMemorySpanExporter) -> None:
    session = run(tmp_path)
    found: list[ReadableSpan] = list(spans.get_finished_spans())
    assert {span.name for span in found} >= {"classification", "structure", "planning"}
    assert {(span.attributes or {})["memory_bank.session"] for span in found} == {session.id}
    assert "harlequin" not in " ".join(span.to_json() for span in found)


def test_what_goes_wrong_in_a_span_is_noted_by_its_kind(spans: InMemorySpanExporter) -> None:
    with pytest.raises(ValueError, match="harlequin"), observability.span("work"):
        raise ValueError("harlequin")
    (span,) = spans.get_finished_spans()
    assert (span.attributes or {})["error.type"] == "ValueError"
    assert "harlequin" not in span.to_json()


@pytest.mark.parametrize("endpoint", ["", "http://127.0.0.1:9"])
def test_spans_are_sent_only_where_a_collector_is_named(endpoint: str) -> None:
    program = (
        "import sys; from memory_bank.session.observability import configure; configure('ERROR', 'text');"
        "sys.stdout.write(str('opentelemetry.sdk.trace' in sys.modules))"
    )
    environment = {"PATH": "/usr/bin", "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == str(bool(endpoint))


def test_nothing_is_collected_by_itself() -> None:
    assert not isinstance(trace.get_tracer_provider(), TracerProvider)
