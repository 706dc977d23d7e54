"""The tools of ReAct as a model sees them: what they take, and what they bring, in words and in bounds.

A tool that fails, is not there or is called wrongly brings an observation, never an exception.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

from memory_bank.agents.react import Tools
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.message import Message, ToolCall
from memory_bank.errors import MemoryBankError, ToolError
from memory_bank.modules.chunking import chunk
from memory_bank.modules.parallel import in_order

PAGE_TOKENS = 1_000
"""Most tokens that one tool call brings; what is longer comes in pages."""
MOST_NODES = 6
MOST_CALLS = 8
"""Tool calls that are run of one turn; a model that asks for more is told."""
_log = logging.getLogger(__name__)

_DESCRIPTIONS: dict[str, tuple[str, dict[str, str]]] = {
    "deep_retrieval": (
        "The complete original texts behind a node of the memory, oldest first, page by page.",
        {"node_id": "the node, such as n12", "page": "which page, from 1"},
    ),
    "search": (
        "Passages of the person's reference sources{web} that fit a query, best first.",
        {"query": "what to look for"},
    ),
    "research": ("Nodes of the memory that bear on a question.", {"question": "a question in one sentence"}),
    "visit": ("The text of a page of the web.", {"url": "its address, http or https"}),
}
_OPTIONAL = {"page"}


def specifications(tools: Tools) -> tuple[dict[str, Any], ...]:
    """The tools on offer, in OpenAI's format."""
    return tuple(
        {
            "type": "function",
            "function": {
                "name": name,
                "description": text.format(web=" and of the web" if tools.web else ""),
                "parameters": {
                    "type": "object",
                    "properties": {
                        key: {"type": "integer" if key in _OPTIONAL else "string", "description": what}
                        for key, what in parameters.items()
                    },
                    "required": [key for key in parameters if key not in _OPTIONAL],
                },
            },
        }
        for name, (text, parameters) in _DESCRIPTIONS.items()
        if name in tools.offered
    )


def run_tools(
    calls: Sequence[ToolCall], tools: Tools, count_tokens: Callable[[str], int], parallel: int
) -> tuple[Message, ...]:
    """What the tools bring, in the order of the calls; side by side, for some wait for the network."""

    def work(call: ToolCall) -> Callable[[], tuple[Message, ...]]:
        return lambda: tuple(_answered(call, message) for message in _run(call, tools, count_tokens))

    results = in_order((work(call) for call in calls[:MOST_CALLS]), parallel, late=lambda _result: None)
    too_many = [
        _answered(call, _observation(call, f"Not run: at most {MOST_CALLS} tool calls at a time."))
        for call in calls[MOST_CALLS:]
    ]
    return (*(message for messages in results for message in messages), *too_many)


def _answered(call: ToolCall, message: Message) -> Message:
    return message.model_copy(update={"tool_call_id": call.id or None})


def _run(call: ToolCall, tools: Tools, count_tokens: Callable[[str], int]) -> list[Message]:
    if call.name not in tools.offered or call.name not in _RUN:
        known = ", ".join(name for name in _RUN if name in tools.offered)
        return [_observation(call, f"There is no tool {call.name[:60]!r}. There are: {known}.")]
    required = [key for key in _DESCRIPTIONS[call.name][1] if key not in _OPTIONAL]
    wrong = [key for key in required if not str(call.arguments.get(key, "")).strip()]
    if wrong:
        return [_observation(call, f"The tool {call.name} needs {', '.join(wrong)}.")]
    try:
        return _RUN[call.name](call, tools, count_tokens)
    except MemoryBankError as error:
        return [_observation(call, str(error))]
    except Exception as error:  # noqa: BLE001 - whatever a tool does, the step goes on and the agent is told
        _log.warning("tool %s failed", call.name, exc_info=error)
        return [_observation(call, f"The tool {call.name} failed ({type(error).__name__}); try another way.")]


def _observation(call: ToolCall, text: str) -> Message:
    """What the agent is told that is no material: it is not stored as new."""
    return Message(role="tool", name=call.name[:60], content=text, from_memory=True)


def _deep_retrieval(call: ToolCall, tools: Tools, count_tokens: Callable[[str], int]) -> list[Message]:
    node_id = str(call.arguments["node_id"]).strip().strip("[]").lower()
    node_id = f"n{node_id}" if node_id.isdecimal() else node_id
    entries = tools.deep_retrieval(node_id)
    if not entries:
        return [_observation(call, f"The memory holds no node {node_id[:40]}.")]
    text = "\n\n".join(_entry_text(entry) for entry in entries)
    return [_observation(call, _page(text, call.arguments.get("page", 1), count_tokens))]


def _entry_text(entry: Entry) -> str:
    place = f", p. {entry.metadata['page']}" if "page" in entry.metadata else ""
    source = entry.metadata.get("source", "")
    attached = "".join(f"\n(attachment {found.id}: {found.type}, {found.media_type})" for found in entry.attachments)
    return f"{entry.id} · {source}{place} · {entry.created_at:%Y-%m-%d %H:%M}\n{entry.text}{attached}"


def _page(text: str, asked: object, count_tokens: Callable[[str], int]) -> str:
    """One page of a long text, and how to get the others."""
    pages = [span.of(text) for span in chunk(text, PAGE_TOKENS, count_tokens, ())]
    number = min(max(int(str(asked)) if str(asked).isdecimal() else 1, 1), len(pages))
    more = f"\n(page {number} of {len(pages)}; ask for another by its number)" if len(pages) > 1 else ""
    return f"{pages[number - 1]}{more}"


def _search(call: ToolCall, tools: Tools, count_tokens: Callable[[str], int]) -> list[Message]:
    query = str(call.arguments["query"])[:400]
    found = [
        Message(role="tool", name="search", content=passage.text, source=passage.source, page=passage.page)
        for passage in tools.search(query)
    ]
    if tools.web:
        try:
            pages = tools.web_search(query)
        except ToolError as error:  # what the library has is worth having without the web
            return [*found, _observation(call, str(error))]
        found += [
            Message(role="tool", name="search", content=_cut(page.text, count_tokens), source=page.url)
            for page in pages
        ]
    return found or [_observation(call, "Nothing was found for this query.")]


def _research(call: ToolCall, tools: Tools, count_tokens: Callable[[str], int]) -> list[Message]:
    nodes = tools.research(str(call.arguments["question"])[:400])[:MOST_NODES]
    text = "\n\n".join(f"[{node.id}] {node.context}\n{node.summary}" for node in nodes)
    return [_observation(call, _page(text, 1, count_tokens) if nodes else "The memory holds nothing on this.")]


def _visit(call: ToolCall, tools: Tools, count_tokens: Callable[[str], int]) -> list[Message]:
    page = tools.visit(str(call.arguments["url"]))
    return [Message(role="tool", name="visit", content=_cut(page.text, count_tokens), source=page.url)]


def _cut(text: str, count_tokens: Callable[[str], int]) -> str:
    """The first page of a text from outside."""
    pages = chunk(text, PAGE_TOKENS, count_tokens, ())
    return pages[0].of(text) if pages else ""


_RUN: dict[str, Callable[[ToolCall, Tools, Callable[[str], int]], list[Message]]] = {
    "deep_retrieval": _deep_retrieval,
    "search": _search,
    "research": _research,
    "visit": _visit,
}
