"""The tools of ReAct as a model sees them: what they take, and what they bring, in words and in bounds.

A tool that fails, is not there or is called wrongly brings an observation, never an exception.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from memory_bank.agents.react import Lasting, Tools, WebPage
from memory_bank.agents.remember import Kind
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.message import Message, ToolCall
from memory_bank.errors import MemoryBankError, ToolError
from memory_bank.modules.chunking import chunk
from memory_bank.modules.parallel import in_order

PAGE_TOKENS = 1_000
"""Most tokens of one text that a tool call brings; what is longer comes in pages."""
MOST_NODES = 6
MOST_CHARACTERS = 400
"""Characters of a query that are looked for."""
MOST_CALLS = 8
"""Tool calls that are run of one turn; a model that asks for more is told."""
EARLIER = "earlier"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class EarlierResults:
    """What the tools of a step brought that is shown in extracts now, `[r1]` first, to be read again page by page."""

    marked: tuple[Message, ...] = ()
    page_tokens: int = PAGE_TOKENS


NO_RESULTS = EarlierResults()
_DESCRIPTIONS: dict[str, tuple[str, dict[str, str]]] = {
    "deep_retrieval": (
        "The complete original texts behind a node of the memory, oldest first, page by page.",
        {"node_id": "the node, such as n12", "page": "which page, from 1"},
    ),
    "search": (
        "Passages of the person's reference sources{web} that fit a query, best first.",
        {"query": "what to look for"},
    ),
    "research": (
        "Nodes of the memory that bear on a question, best first, page by page.",
        {"question": "a question in one sentence", "page": "which page, from 1"},
    ),
    "visit": (
        "The text of a page of the web, part by part where it is long.",
        {"url": "its address, as it stands in what you read", "page": "which part, from 1"},
    ),
    "retrieve_facts": (
        "What the person told in earlier sessions that bears on a query.",
        {"query": "what to look for"},
    ),
    "recall_episodes": (
        "Earlier tasks like a goal: what was done, and what came of it.",
        {"goal": "what is to be reached"},
    ),
    "store_fact": (
        "Keep, for later sessions, a fact that the person told in this one; never what a document or a tool says.",
        {
            "content": "one sentence that stands alone",
            "context": "of what it holds, such as the trip to Hawaii",
            "type": "semantic (something is so) or procedural (something is done so)",
        },
    ),
    EARLIER: (
        "The whole of a result of this step that is shown in extracts, page by page.",
        {"mark": "its mark, such as r3", "page": "which page, from 1"},
    ),
}
BANK_TOOLS = frozenset(_DESCRIPTIONS)
MEMORY_TOOLS = frozenset({"deep_retrieval", "research"})
"""Tools that read the memory: what they bring is in it already."""
_OPTIONAL = {"page", "context", "type"}
_WHOLE = {"page"}
_MARK = re.compile(r"\[?\s*r?(\d{1,9})\s*\]?", re.IGNORECASE)
_NODE = re.compile(r"\[?\s*(?:node\s*)?n?(\d{1,9})\s*\]?", re.IGNORECASE)


def specifications(tools: Tools, results: EarlierResults = NO_RESULTS) -> tuple[dict[str, Any], ...]:
    """The tools on offer, in OpenAI's format."""
    offered = _offered(tools, results)
    return tuple(
        {
            "type": "function",
            "function": {
                "name": name,
                "description": text.format(web=" and of the web" if tools.web else ""),
                "parameters": {
                    "type": "object",
                    "properties": {
                        key: {"type": "integer" if key in _WHOLE else "string", "description": what}
                        for key, what in parameters.items()
                    },
                    "required": [key for key in parameters if key not in _OPTIONAL],
                },
            },
        }
        for name, (text, parameters) in _DESCRIPTIONS.items()
        if name in offered
    )


def _offered(tools: Tools, results: EarlierResults) -> frozenset[str]:
    return tools.offered | {EARLIER} if results.marked else tools.offered


def run_tools(
    calls: Sequence[ToolCall],
    tools: Tools,
    count_tokens: Callable[[str], int],
    parallel: int,
    results: EarlierResults = NO_RESULTS,
) -> tuple[Message, ...]:
    """What the tools bring, in the order of the calls; side by side, for some wait for the network."""

    def work(call: ToolCall) -> Callable[[], tuple[Message, ...]]:
        return lambda: tuple(_answered(call, message) for message in _run(call, tools, count_tokens, results))

    brought = in_order((work(call) for call in calls[:MOST_CALLS]), parallel, late=lambda _result: None)
    too_many = [
        _answered(call, _observation(call, f"Not run: at most {MOST_CALLS} tool calls at a time."))
        for call in calls[MOST_CALLS:]
    ]
    return (*(message for messages in brought for message in messages), *too_many)


def _answered(call: ToolCall, message: Message) -> Message:
    return message.model_copy(update={"tool_call_id": call.id or None})


def _run(call: ToolCall, tools: Tools, count_tokens: Callable[[str], int], results: EarlierResults) -> list[Message]:
    offered = _offered(tools, results)
    if call.name not in offered or call.name not in _DESCRIPTIONS:
        known = ", ".join(name for name in _DESCRIPTIONS if name in offered)
        return [_observation(call, f"There is no tool {call.name[:60]!r}. There are: {known}.")]
    required = [key for key in _DESCRIPTIONS[call.name][1] if key not in _OPTIONAL]
    wrong = [key for key in required if not _given(call, key)]
    if wrong:
        return [_observation(call, f"The tool {call.name} needs {', '.join(wrong)}.")]
    try:
        if call.name == EARLIER:
            return _read_again(call, results, count_tokens)
        return _RUN[call.name](call, tools, count_tokens)
    except MemoryBankError as error:
        return [_observation(call, str(error))]
    except Exception as error:  # noqa: BLE001 - whatever a tool does, the step goes on and the agent is told
        _log.warning("tool %s failed", call.name, exc_info=error)
        return [_observation(call, f"The tool {call.name} failed ({type(error).__name__}); try another way.")]


def _observation(call: ToolCall, text: str) -> Message:
    """What the agent is told that is no material: it is not stored as new."""
    return Message(role="tool", name=call.name[:60], content=text, from_memory=True)


def _given(call: ToolCall, key: str) -> str:
    """An argument as text, whatever JSON a model made of it; empty where it gave none."""
    value = call.arguments.get(key)
    parts = value if isinstance(value, list) else [value]
    return " ".join(str(part) for part in parts if isinstance(part, str | int | float)).strip()


def _deep_retrieval(call: ToolCall, tools: Tools, count_tokens: Callable[[str], int]) -> list[Message]:
    given = _given(call, "node_id")
    match = _NODE.fullmatch(given)
    entries = tools.deep_retrieval(f"n{int(match[1])}") if match else ()
    if not entries:
        return [_observation(call, f"The memory holds no node {given[:40]}.")]
    return [_observation(call, _page("\n\n".join(_entry_text(entry) for entry in entries), call, count_tokens))]


def _entry_text(entry: Entry) -> str:
    place = f", p. {entry.metadata['page']}" if "page" in entry.metadata else ""
    source = entry.metadata.get("source", "")
    attached = "".join(f"\n(attachment {found.id}: {found.type}, {found.media_type})" for found in entry.attachments)
    return f"{entry.id} · {source}{place} · {entry.created_at:%Y-%m-%d %H:%M}\n{entry.text}{attached}"


def _page(text: str, call: ToolCall, count_tokens: Callable[[str], int], size: int = PAGE_TOKENS) -> str:
    """One page of a long text, and how to get the others."""
    part, more = _part(text, call, count_tokens, size)
    return f"{part}\n{more}" if more else part


def _part(text: str, call: ToolCall, count_tokens: Callable[[str], int], size: int = PAGE_TOKENS) -> tuple[str, str]:
    """The part of a text that a call asks for, and what the agent is told about the others."""
    parts = [span.of(text) for span in chunk(text, size, count_tokens, ())] or [""]
    asked = re.match(r"\d{1,6}", _given(call, "page"))
    number = int(asked[0]) if asked else 1
    shown = min(max(number, 1), len(parts))
    if len(parts) == 1 and number == 1:
        return parts[0], ""
    missed = f"there is no page {number}: this is " if number != shown else ""
    return parts[shown - 1], f"({missed}page {shown} of {len(parts)}; {call.name} takes page for the others)"


def _search(call: ToolCall, tools: Tools, count_tokens: Callable[[str], int]) -> list[Message]:
    query = _given(call, "query")[:MOST_CHARACTERS]
    found = [
        Message(role="tool", name="search", content=passage.text, source=passage.source, page=passage.page)
        for passage in tools.search(query)
    ]
    if tools.web:
        try:
            pages = tools.web_search(query)
        except ToolError as error:  # what the library has is worth having without the web
            return [*found, _observation(call, str(error))]
        for page in pages:
            snippet, _more = _part(_titled(page), ToolCall(name="visit", arguments={}), count_tokens)
            found.append(Message(role="tool", name="search", content=snippet, source=page.url))
    return found or [_observation(call, "Nothing was found for this query.")]


def _research(call: ToolCall, tools: Tools, count_tokens: Callable[[str], int]) -> list[Message]:
    nodes = tools.research(_given(call, "question")[:MOST_CHARACTERS])[:MOST_NODES]
    text = "\n\n".join(f"[{node.id}] {node.context}\n{node.summary}" for node in nodes)
    return [_observation(call, _page(text, call, count_tokens) if nodes else "The memory holds nothing on this.")]


def _visit(call: ToolCall, tools: Tools, count_tokens: Callable[[str], int]) -> list[Message]:
    page = tools.visit(_given(call, "url"))
    part, more = _part(_titled(page), call, count_tokens)
    read = Message(role="tool", name="visit", content=part, source=page.url, title=page.title or None)
    return [read, _observation(call, more)] if more else [read]  # what is told is no part of the page


def _lasting(tools: Tools) -> Lasting:
    if tools.lasting is None:
        raise ToolError("long-term memory is not turned on for this session")
    return tools.lasting


def _facts(call: ToolCall, tools: Tools, count_tokens: Callable[[str], int]) -> list[Message]:
    found = _lasting(tools).facts(_given(call, "query")[:MOST_CHARACTERS])
    text = "\n".join(found) or "The person has told nothing on this."
    return [_observation(call, _page(text, call, count_tokens))]


def _episodes(call: ToolCall, tools: Tools, count_tokens: Callable[[str], int]) -> list[Message]:
    found = _lasting(tools).episodes(_given(call, "goal")[:MOST_CHARACTERS])
    text = "\n".join(found) or "There was no task like this."
    return [_observation(call, _page(text, call, count_tokens))]


def _store_fact(call: ToolCall, tools: Tools, count_tokens: Callable[[str], int]) -> list[Message]:
    del count_tokens
    kind: Kind = "procedural" if _given(call, "type") == "procedural" else "semantic"
    content, context = _given(call, "content"), _given(call, "context")
    if len(content) > MOST_CHARACTERS or len(context) > MOST_CHARACTERS:
        return [_observation(call, f"Nothing was kept: a fact has at most {MOST_CHARACTERS} characters.")]
    return [_observation(call, _lasting(tools).store(content, context, kind))]


def _read_again(call: ToolCall, results: EarlierResults, count_tokens: Callable[[str], int]) -> list[Message]:
    """An earlier result, under the mark it has; it is no new one."""
    given = _given(call, "mark")
    match = _MARK.fullmatch(given)
    number = int(match[1]) if match else 0
    if not 0 < number <= len(results.marked):
        return [_observation(call, f"{given[:40]} is not in extracts: these are r1 to r{len(results.marked)}.")]
    result = results.marked[number - 1]
    text = f"[r{number}]\n{_page(result.content, call, count_tokens, results.page_tokens)}"
    return [_observation(call, text).model_copy(update={"source": result.source, "page": result.page})]


def _titled(page: WebPage) -> str:
    """A page's text under its title, where it does not begin with it."""
    untitled = page.title and page.title not in page.text[: len(page.title) + 40]
    return f"{page.title}\n\n{page.text}" if untitled else page.text


_RUN: dict[str, Callable[[ToolCall, Tools, Callable[[str], int]], list[Message]]] = {
    "deep_retrieval": _deep_retrieval,
    "search": _search,
    "research": _research,
    "visit": _visit,
    "retrieve_facts": _facts,
    "recall_episodes": _episodes,
    "store_fact": _store_fact,
}
