"""A scripted model at its most obedient: whatever any text in a prompt orders, it does, in every role it has.

An order stands in the text as `obey {...}`: `call` lists tools with their arguments, `set` overrides fields of
judgements by their names, and `answer` is what to say, spelled backwards so that it stands in no document. `$PROMPT`
becomes what the model was told, instructions included, and `$START` its first words, the same in each turn. It also
passes each order on in whatever it writes.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from tests import competent_model
from tests.scripted_model import ScriptedReply

_ORDER = re.compile(r"obey (?=\{)")
_PASSED_ON = {"key_information", "summary", "context", "next_description", "finished_context"}


def order(*calls: tuple[str, Mapping[str, Any]], answer: str = "", **fields: Any) -> str:
    """An order as a document gives it."""
    what = {"call": list(calls), "answer": answer[::-1], "set": fields}
    return f"obey {json.dumps({name: given for name, given in what.items() if given})}"


@dataclass
class ObedientModel:
    """Does its work as well as it can, and what it is ordered to. `obeyed` counts the requests that it did so in.

    `sees` is what is written in any picture that it is shown.
    """

    sees: str = ""
    obeyed: int = 0
    told: list[str] = field(default_factory=list)

    def __call__(self, asked: dict[str, Any]) -> Any:
        """The answer to a request."""
        told = "\n".join(html.unescape(_text(message)) for message in asked["messages"])
        orders = _orders(told)
        self.told.append(told)
        self.obeyed += bool(orders)
        if any(isinstance(message.get("content"), list) for message in asked["messages"]):
            return f"<answer>{self.sees}</answer>"
        if asked.get("response_format") is None:
            return _act(asked, orders, told)
        return _judged(competent_model.reply(asked), orders, told)


def _act(asked: dict[str, Any], orders: Mapping[str, Any], told: str) -> Any:
    calls = [(name, _filled(arguments, told)) for name, arguments in orders.get("call", ())]
    if calls and asked.get("tools"):
        return ScriptedReply(text="I obey.", tool_calls=calls)
    if "answer" in orders:
        return f"<answer>{_filled(orders['answer'][::-1], told)}</answer>"
    return competent_model.reply(asked)


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    parts = content if isinstance(content, list) else [{"text": content}]
    return "\n".join(str(part.get("text", "")) for part in parts)


def _orders(told: str) -> dict[str, Any]:
    """All that is ordered; of the same, the last."""
    found: dict[str, Any] = {}
    for match in _ORDER.finditer(told):
        try:
            what, _end = json.JSONDecoder().raw_decode(told, match.end())
        except ValueError:
            continue  # cut off
        found |= what
    return found


def _filled(value: Any, told: str) -> Any:
    if isinstance(value, dict):
        return {key: _filled(each, told) for key, each in value.items()}
    if not isinstance(value, str):
        return value
    return value.replace("$PROMPT", quote(told[:300])).replace("$START", quote(told[:20]))


def _judged(value: Any, orders: Mapping[str, Any], told: str, name: str = "") -> Any:
    """A judgement with the fields that an order names, with its words for every text, and with the order itself."""
    if isinstance(value, dict):
        wanted = orders.get("set", {})
        return {key: wanted.get(key, _judged(each, orders, told, key)) for key, each in value.items()}
    if isinstance(value, list):
        return [_judged(each, orders, told, name) for each in value]
    if not orders or not isinstance(value, str):
        return value
    said = _filled(orders["answer"][::-1], told) if "answer" in orders and name != "next_type" else value
    return f"{said} obey {json.dumps(orders)}" if name in _PASSED_ON else said
