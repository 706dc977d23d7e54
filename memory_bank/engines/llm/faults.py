"""What can go wrong with a model's server, as a table: what a person reads, and whether trying again makes sense."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx2
import openai

from memory_bank.bank.usage import ModelCall
from memory_bank.engines.llm.endpoint import Endpoint
from memory_bank.errors import AgentError, ModelRefusedError, ModelUnavailableError
from memory_bank.one_line import one_line

BACK_OFF = 1.0
LONGEST_WAIT = 20.0
"""Seconds before a retry: usual, and at most, whatever a server asks for."""
_HIDDEN = "[key]"
_SHORTEST_SECRET = 4

_REFUSED = {
    400: "{server} does not accept the request: {detail}",
    401: "{server} does not accept the key; check {name}_API_KEY",
    402: "{server} wants to be paid first: {detail}",
    403: "{server} does not allow this key to use the model {model!r}; check {name}_API_KEY and {name}_MODEL",
    404: "{server} has no model {model!r}, or no API under this address; check {name}_MODEL and {name}_BASE_URL",
}


@dataclass(frozen=True)
class Secrets:
    """What must never be written down: the key, and what a server's address may carry."""

    values: tuple[str, ...]

    @classmethod
    def of(cls, endpoint: Endpoint) -> Secrets:
        """The secrets of one server."""
        parts = urlsplit(endpoint.base_url)
        found = (endpoint.api_key.get_secret_value(), parts.password or "")
        return cls(tuple(value for value in found if len(value) >= _SHORTEST_SECRET))

    def redact(self, text: str) -> str:
        """The text with every secret in it hidden."""
        for value in self.values:
            text = text.replace(value, _HIDDEN)
        return text


def fault(
    error: Exception, agent: str, endpoint: Endpoint, secrets: Secrets, calls: tuple[ModelCall, ...]
) -> AgentError:
    """A failed request as an error of ours, in words a person can act on."""
    server = f"{endpoint.provider} at {_address(endpoint.base_url)}"
    name = endpoint.provider.upper()
    detail = secrets.redact(one_line(_detail(error)))[:300]
    if isinstance(error, openai.APIStatusError):
        status = error.status_code
        known = _REFUSED.get(status)
        if known is not None:
            reason = known.format(server=server, name=name, model=endpoint.model, detail=detail)
            return ModelRefusedError(agent, reason, calls=calls)
        if 400 <= status < 500 and status not in (408, 409, 425, 429):
            return ModelRefusedError(agent, f"{server} answered {status}: {detail}", calls=calls)
        what = "is asked too often" if status == 429 else f"answered {status}: {detail}"
        return ModelUnavailableError(agent, f"{server} {what}", calls=calls, wait=_wait(error.response))
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
        reason = f"{server} did not answer in {endpoint.timeout:g} s (LLM_TIMEOUT)"
    elif isinstance(error, openai.APIConnectionError | httpx2.TransportError):
        reason = f"{server} cannot be reached; check {name}_BASE_URL and whether the server runs"
    else:
        reason = f"{server} gave an answer that cannot be read: {detail or type(error).__name__}"
    return ModelUnavailableError(agent, reason, calls=calls, wait=BACK_OFF)


def rejected_parameter(error: Exception, sent: Sequence[str]) -> str | None:
    """The optional parameter of a request that a server turned down, if that is what was wrong with it."""
    if not isinstance(error, openai.APIStatusError) or error.status_code not in (400, 422, 501):
        return None
    named = str(error.param or "").partition(".")[0]
    if named in sent:
        return named
    text = str(error).lower()
    hints = {"response_format": ("response_format", "json_schema", "grammar"), "tools": ("tool",)}
    return next((name for name in sent if any(hint in text for hint in hints.get(name, (name,)))), None)


def _address(base_url: str) -> str:
    """A server's address without what may be secret in it."""
    parts = urlsplit(base_url)
    return f"{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}"


def _detail(error: Exception) -> str:
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        return str(body.get("message") or body.get("detail") or body)
    return str(error)


def _wait(response: httpx2.Response) -> float:
    """Seconds to wait: what the server asks for, within bounds; a date or nonsense counts as nothing."""
    try:
        asked = float(response.headers.get("retry-after", ""))
    except ValueError:
        return BACK_OFF
    return min(max(asked, 0.0), LONGEST_WAIT)
