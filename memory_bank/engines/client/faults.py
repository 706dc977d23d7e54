"""Errors of a model's server: turn them into messages for people, and decide whether a retry makes sense.

Secrets are redacted here too.
"""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import httpx2

from memory_bank.bank.errors import AgentError, ModelRefusedError, ModelRequestError, ModelUnavailableError
from memory_bank.bank.usage import ModelCall
from memory_bank.engines.client.endpoint import Endpoint, host_of
from memory_bank.text.wording import Wording, mark_for_translation, one_line

if TYPE_CHECKING:
    import openai

BACK_OFF = 1.0
LONGEST_WAIT = 20.0
"""Seconds before a retry: the default, and the most, whatever a server asks for."""
_HIDDEN = "[key]"
_LONG = ("context length", "context window", "too long", "too large", "too many tokens")
_SHORTEST_SECRET = 4
_HINTS = {"response_format": ("response_format", "json_schema", "grammar"), "tools": ("tools", "tool choice")}
"""Words by which an error text refers to a parameter; without an entry, the parameter's name."""

_REFUSED = {
    401: mark_for_translation("{server} does not accept the key; check {name}_API_KEY"),
    402: mark_for_translation("{server} wants to be paid first: {detail}"),
    403: mark_for_translation(
        "{server} does not allow this key to use the model {model}; check {api_key} and {model_name}"
    ),
    **dict.fromkeys(
        (301, 302, 303, 307, 308),
        mark_for_translation("{server} points to another address; check {name}_BASE_URL"),
    ),
    404: mark_for_translation(
        "{server} has no model {model}, or no API under this address; check {model_name} and {base_url}"
    ),
}


@dataclass(frozen=True)
class Secrets:
    """What must never be written down: the key, and the password in a server's address."""

    values: tuple[str, ...]

    @classmethod
    def of(cls, endpoint: Endpoint) -> Secrets:
        """The secrets of one server, longest first, since one may be a prefix of another."""
        parts = urlsplit(endpoint.base_url)
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        basic = b64encode(f"{user}:{password}".encode()).decode() if password else ""
        values = {endpoint.api_key.get_secret_value(), parts.password or "", password, basic}
        return cls(tuple(sorted((value for value in values if len(value) >= _SHORTEST_SECRET), key=len, reverse=True)))

    def redact(self, text: str) -> str:
        """The text with every secret replaced."""
        for value in self.values:
            text = text.replace(value, _HIDDEN) if value in text else text  # unchanged, it stays a text of ours
        return text

    def redact_stream(self, pieces: Iterable[str]) -> Iterator[str]:
        """Streamed text with every secret replaced; a possible prefix of one is held back until the next piece."""
        held_back = ""
        for piece in pieces:
            text = self.redact(held_back + piece)
            shown = len(text) - self._prefix_length(text)
            held_back = text[shown:]
            if shown:
                yield text[:shown]
        if held_back:
            yield held_back

    def _prefix_length(self, text: str) -> int:
        """How many characters at the end of a text may be a prefix of a secret."""
        longest = max(map(len, self.values), default=1) - 1
        sizes = range(min(longest, len(text)), 0, -1)
        return next((size for size in sizes if any(value.startswith(text[-size:]) for value in self.values)), 0)


def to_agent_error(
    error: Exception, agent: str, endpoint: Endpoint, secrets: Secrets, calls: tuple[ModelCall, ...]
) -> AgentError:
    """Convert a failed request to an `AgentError` with a reason that a person can act on."""
    import openai  # noqa: PLC0415 - the import takes a second: only runs that ask a model pay for it

    server = f"{endpoint.provider} at {host_of(endpoint.base_url)}"
    name = endpoint.provider.upper()
    detail = secrets.redact(one_line(_detail(error)))[:300]
    if isinstance(error, openai.APIStatusError):
        variables = {"api_key": f"{name}_API_KEY", "model_name": f"{name}_MODEL", "base_url": f"{name}_BASE_URL"}
        values = {"server": server, "name": name, "detail": detail, **variables}
        return _status_error(error, agent, endpoint, values, calls)
    if isinstance(error, openai.APITimeoutError) and not isinstance(error.__cause__, httpx2.ConnectTimeout):
        reason = Wording(
            "{server} did not answer in {seconds} s (LLM_TIMEOUT)", server=server, seconds=f"{endpoint.timeout:g}"
        )
    elif isinstance(error, openai.APIConnectionError):
        reason = Wording(
            "{server} cannot be reached; check {name}_BASE_URL and whether the server runs", server=server, name=name
        )
    else:
        detail = detail or type(error).__name__
        reason = Wording("{server} gave an answer that cannot be read: {detail}", server=server, detail=detail)
    return ModelUnavailableError(agent, reason, calls=calls, wait=BACK_OFF)


def _status_error(
    error: openai.APIStatusError,
    agent: str,
    endpoint: Endpoint,
    values: Mapping[str, str],
    calls: tuple[ModelCall, ...],
) -> AgentError:
    """The error of an answer with a status that means a failure."""
    status = error.status_code
    template = _REFUSED.get(status)
    if template is not None:
        reason = Wording(template, model=repr(endpoint.model_name), **values)
        return ModelRefusedError(agent, reason, calls=calls)
    if 400 <= status < 500 and status not in (408, 409, 425, 429):
        window = Wording("; {agent}_WINDOW says how much it is given", agent=agent.upper())
        hint = window if _too_long(values["detail"]) else ""
        reason = Wording(
            "{server} does not accept the request ({status}): {detail}{hint}", status=status, hint=hint, **values
        )
        return ModelRequestError(agent, reason, calls=calls)
    reason = (
        Wording("{server} is asked too often, or for more than was paid: {detail}", **values)
        if status == 429
        else Wording("{server} answered {status}: {detail}", status=status, **values)
    )
    try:  # what the server asks for, within bounds; not a date or nonsense
        seconds = float(error.response.headers.get("retry-after", ""))
    except ValueError:
        seconds = math.nan
    wait = BACK_OFF if math.isnan(seconds) else min(max(seconds, 0.0), LONGEST_WAIT)
    return ModelUnavailableError(agent, reason, calls=calls, wait=wait)


def _too_long(detail: str) -> bool:
    return any(words in detail.lower() for words in _LONG)


def rejected_parameter(error: Exception, sent: Sequence[str]) -> str | None:
    """The optional parameter that a server rejected; None where the request failed for another reason."""
    import openai  # noqa: PLC0415

    if not isinstance(error, openai.APIStatusError) or error.status_code not in (400, 422, 500, 501):
        return None
    named = {str(error.param or "").partition(".")[0]}  # as OpenAI names it; FastAPI does in `detail[].loc`
    for problem in _problems(error):
        location = problem.get("loc")
        named |= {str(part) for part in location} if isinstance(location, list) else set()
    text = _detail(error).lower()
    if (error.status_code == 500 and "validation error" not in text) or _too_long(text):
        return None  # a crash tells nothing about a parameter, and a request that is too long stays too long
    return next((name for name in sent if name in named), None) or next(
        (name for name in sent if any(hint in text for hint in _HINTS.get(name, (name,)))), None
    )


def takes_json_object(error: Exception) -> bool:
    """Whether a server that rejected a JSON Schema says that it takes `json_object`, as llama.cpp's does."""
    return "json_object" in _detail(error)


def _problems(error: Exception) -> list[dict[str, Any]]:
    """The validation errors of a FastAPI server; each may repeat the whole request."""
    body = getattr(error, "body", None)
    detail = body.get("detail") if isinstance(body, dict) else None
    return [problem for problem in detail if isinstance(problem, dict)] if isinstance(detail, list) else []


def _detail(error: Exception) -> str:
    problems = _problems(error)
    if problems:
        return "; ".join(str(problem.get("msg")) for problem in problems)
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        return str(body.get("message") or body.get("detail") or body)
    return body if isinstance(body, str) and body else str(error)
