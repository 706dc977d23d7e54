"""Observability for server operators: a structured log, spans of agent calls, and metrics.

Nothing here contains text of a document, a model or a person, only event types, ids of sessions and steps, counts and
times. Spans and metrics cost next to nothing if nobody collects them.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from typing import Literal

from opentelemetry import trace
from prometheus_client import Counter

from memory_bank.bank.events import AgentCalled, AgentFailed, Event, StatusChanged, TurnTaken

SERVICE = "memory-bank"
ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_FIELDS = ("session", "step", "event", "seq", "agent", "provider", "seconds")
_EVENTS = Counter("memory_bank_events", "Events recorded, by their type.", ["type"])
_event_counter = cache(_EVENTS.labels)  # the lookup takes longer than counting
_CALLS = Counter("memory_bank_agent_calls", "Judgements and turns, by agent and by who made them.", ["agent", "by"])
_FAILURES = Counter("memory_bank_agent_failures", "Judgements and turns that failed, by agent.", ["agent"])
_SECONDS = Counter("memory_bank_agent_seconds", "Seconds that judgements and turns took, by agent.", ["agent"])
_TOKENS = Counter("memory_bank_model_tokens", "Tokens sent to models and written by them.", ["kind"])
_STATES = Counter("memory_bank_session_states", "How often a session came into a state.", ["state"])
_log = logging.getLogger("memory_bank.session.session")
_tracer = trace.get_tracer(SERVICE)


class JsonLines(logging.Formatter):
    """Formats log records as one JSON object per line, for programs that collect logs."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as JSON: time, level, logger, message, and its extra fields."""
        content = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **{name: getattr(record, name) for name in _FIELDS if hasattr(record, name)},
        }
        if record.exc_info:
            content["exception"] = self.formatException(record.exc_info)
        return json.dumps(content, ensure_ascii=False)


def configure(level: str, form: Literal["text", "json"]) -> None:
    """Log to stderr as text or JSON, and send spans. Called once, by the program that owns the process."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler])
    if not any(os.environ.get(name) for name in ENDPOINTS):  # no collector: no spans are sent, and nothing is loaded
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - by setting
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    provider = TracerProvider(resource=Resource.create({SERVICE_NAME: SERVICE}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)


@contextmanager
def span(name: str, **attributes: str) -> Generator[None, None, None]:
    """A span around a piece of work; of an exception only its type is recorded."""
    prefixed = {f"memory_bank.{key}": value for key, value in attributes.items()}
    with _tracer.start_as_current_span(
        name, attributes=prefixed, record_exception=False, set_status_on_exception=False
    ) as current:
        try:
            yield
        except Exception as error:
            current.set_attribute("error.type", type(error).__name__)
            raise


def observe(event: Event, session_id: str) -> None:
    """Count a recorded event, and log its type."""
    _event_counter(event.type).inc()
    fields: dict[str, object] = {"session": session_id, "event": event.type, "seq": event.seq}
    if isinstance(event, AgentCalled | TurnTaken):
        agent, provider = (event.agent, event.provider) if isinstance(event, AgentCalled) else ("react", "model")
        fields |= {"agent": agent, "provider": provider, "seconds": round(event.usage.seconds, 3)}
        _CALLS.labels(agent, provider).inc()
        _SECONDS.labels(agent).inc(event.usage.seconds)
        _TOKENS.labels("prompt").inc(event.usage.prompt_tokens)
        _TOKENS.labels("completion").inc(event.usage.completion_tokens)
    elif isinstance(event, AgentFailed):
        fields["agent"] = event.agent
        _FAILURES.labels(event.agent).inc()
    elif isinstance(event, StatusChanged):
        _STATES.labels(event.status).inc()
    if task_id := getattr(event, "task_id", None):
        fields["step"] = task_id
    _log.info("%s", event.type, extra=fields)
