"""The tools of ReAct: their specifications for a model, and running its calls with results of bounded length.

A tool that fails, does not exist or is called wrongly returns an observation, never an exception.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from memory_bank.agents.agent import Language
from memory_bank.agents.react import MemoryTools, Tools, WebPage
from memory_bank.agents.remember import Kind
from memory_bank.bank.errors import MemoryBankError, ToolError
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.message import Message, ToolCall
from memory_bank.text.chunking import chunk
from memory_bank.text.parallel import in_order

PAGE_TOKENS = 1_000
"""Most tokens of a text in one tool result; longer texts are split into pages."""
MOST_NODES = 6
MAX_QUERY_CHARACTERS = 400
"""Most characters of a query; the rest is cut off. A fact to be stored may not be longer either."""
MOST_CALLS = 8
"""Most tool calls run in one turn; a model that makes more gets an observation for each."""
EARLIER_TOOL = "earlier"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class EarlierResults:
    """The tool results of a step that are shown in extracts, `[r1]` first; they can be read again page by page."""

    marked: tuple[Message, ...] = ()
    page_tokens: int = PAGE_TOKENS


NO_RESULTS = EarlierResults()
_ENGLISH: dict[str, tuple[str, dict[str, str]]] = {
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
    EARLIER_TOOL: (
        "The whole of a result of this step that is shown in extracts, page by page.",
        {"mark": "its mark, such as r3", "page": "which page, from 1"},
    ),
}
_CHINESE: dict[str, tuple[str, dict[str, str]]] = {
    "deep_retrieval": (
        "某个记忆节点背后的全部原文，从旧到新，分页给出。",
        {"node_id": "节点，例如 n12", "page": "第几页，从 1 开始"},
    ),
    "search": ("参考资料{web}中与查询相符的段落，最相关的在前。", {"query": "要查找的内容"}),
    "research": (
        "与问题有关的记忆节点，最相关的在前，分页给出。",
        {"question": "用一句话提出的问题", "page": "第几页，从 1 开始"},
    ),
    "visit": ("网页的文字，较长时分段给出。", {"url": "网址，与所读内容中的写法一致", "page": "第几段，从 1 开始"}),
    "retrieve_facts": ("提问者在以往会话中说过的、与查询有关的内容。", {"query": "要查找的内容"}),
    "recall_episodes": ("与某个目标类似的以往任务：做了什么，结果如何。", {"goal": "要达到的目标"}),
    "store_fact": (
        "为以后的会话保存提问者在本次会话中说过的一个事实；绝不保存文档或工具的内容。",
        {
            "content": "一个可以独立理解的句子",
            "context": "适用的范围，例如夏威夷之行",
            "type": "semantic（事实如此）或 procedural（做法如此）",
        },
    ),
    EARLIER_TOOL: (
        "本步骤中以摘录给出的某个结果的全文，分页给出。",
        {"mark": "结果的标号，例如 r3", "page": "第几页，从 1 开始"},
    ),
}
_DESCRIPTIONS: dict[Language, dict[str, tuple[str, dict[str, str]]]] = {"en": _ENGLISH, "zh": _CHINESE}
_WEB: dict[Language, str] = {"en": " and of the web", "zh": "和网络"}
BANK_TOOLS = frozenset(_ENGLISH)
MEMORY_TOOLS = frozenset({"deep_retrieval", "research"})
"""Tools that read the memory; their results are in it already."""
_OPTIONAL = {"page", "context", "type"}
_INTEGERS = {"page"}
_MARK = re.compile(r"\[?\s*r?(\d{1,9})\s*\]?", re.IGNORECASE)
_NODE = re.compile(r"\[?\s*(?:node\s*)?n?(\d{1,9})\s*\]?", re.IGNORECASE)


def specifications(
    tools: Tools, results: EarlierResults = NO_RESULTS, language: Language = "en"
) -> tuple[dict[str, Any], ...]:
    """The tools on offer, in OpenAI's format."""
    offered = _offered(tools, results)
    return tuple(
        {
            "type": "function",
            "function": {
                "name": name,
                "description": text.format(web=_WEB[language] if tools.web else ""),
                "parameters": {
                    "type": "object",
                    "properties": {
                        key: {"type": "integer" if key in _INTEGERS else "string", "description": what}
                        for key, what in parameters.items()
                    },
                    "required": [key for key in parameters if key not in _OPTIONAL],
                },
            },
        }
        for name, (text, parameters) in _DESCRIPTIONS[language].items()
        if name in offered
    )


def _offered(tools: Tools, results: EarlierResults) -> frozenset[str]:
    return tools.offered | {EARLIER_TOOL} if results.marked else tools.offered


def run_tools(
    calls: Sequence[ToolCall],
    tools: Tools,
    count_tokens: Callable[[str], int],
    parallel: int,
    results: EarlierResults = NO_RESULTS,
) -> tuple[Message, ...]:
    """Run the calls, up to `parallel` at a time since some wait for the network; results are in the order of calls."""

    def work(call: ToolCall) -> Callable[[], tuple[Message, ...]]:
        return lambda: tuple(_with_call_id(call, message) for message in _run(call, tools, count_tokens, results))

    run = in_order((work(call) for call in calls[:MOST_CALLS]), parallel, late=lambda _result: None)
    not_run = [
        _with_call_id(call, _observation(call, f"Not run: at most {MOST_CALLS} tool calls at a time."))
        for call in calls[MOST_CALLS:]
    ]
    return (*(message for messages in run for message in messages), *not_run)


def _with_call_id(call: ToolCall, message: Message) -> Message:
    return message.model_copy(update={"tool_call_id": call.id or None})


def _run(call: ToolCall, tools: Tools, count_tokens: Callable[[str], int], results: EarlierResults) -> list[Message]:
    offered = _offered(tools, results)
    if call.name not in offered or call.name not in _ENGLISH:
        names = ", ".join(name for name in _ENGLISH if name in offered)
        return [_observation(call, f"There is no tool {call.name[:60]!r}. There are: {names}.")]
    required = [key for key in _ENGLISH[call.name][1] if key not in _OPTIONAL]
    missing = [key for key in required if not _argument(call, key)]
    if missing:
        return [_observation(call, f"The tool {call.name} needs {', '.join(missing)}.")]
    try:
        if call.name == EARLIER_TOOL:
            return _read_again(call, results, count_tokens)
        return _RUN[call.name](call, tools, count_tokens)
    except MemoryBankError as error:
        return [_observation(call, str(error))]
    except Exception as error:  # noqa: BLE001 - a tool must not end the step; the agent sees the failure
        _log.warning("tool %s failed", call.name, exc_info=error)
        return [_observation(call, f"The tool {call.name} failed ({type(error).__name__}); try another way.")]


def _observation(call: ToolCall, text: str) -> Message:
    """A message to the agent that is not stored as new material."""
    return Message(role="tool", name=call.name[:60], content=text, from_memory=True)


def _argument(call: ToolCall, key: str) -> str:
    """An argument as text, whatever JSON type the model used; empty where it is missing."""
    value = call.arguments.get(key)
    parts = value if isinstance(value, list) else [value]
    return " ".join(str(part) for part in parts if isinstance(part, str | int | float)).strip()


def _deep_retrieval(call: ToolCall, tools: Tools, count_tokens: Callable[[str], int]) -> list[Message]:
    node_id = _argument(call, "node_id")
    match = _NODE.fullmatch(node_id)
    entries = tools.deep_retrieval(f"n{int(match[1])}") if match else ()
    if not entries:
        return [_observation(call, f"The memory holds no node {node_id[:40]}.")]
    return [_observation(call, _page("\n\n".join(_entry_text(entry) for entry in entries), call, count_tokens))]


def _entry_text(entry: Entry) -> str:
    place = f", p. {entry.metadata['page']}" if "page" in entry.metadata else ""
    source = entry.metadata.get("source", "")
    attachments = "".join(f"\n(attachment {item.id}: {item.type}, {item.media_type})" for item in entry.attachments)
    return f"{entry.id} · {source}{place} · {entry.created_at:%Y-%m-%d %H:%M}\n{entry.text}{attachments}"


def _page(text: str, call: ToolCall, count_tokens: Callable[[str], int], size: int = PAGE_TOKENS) -> str:
    """The page of a text that a call asks for, with a note on the other pages."""
    page, note = _split_page(text, call, count_tokens, size)
    return f"{page}\n{note}" if note else page


def _split_page(
    text: str, call: ToolCall, count_tokens: Callable[[str], int], size: int = PAGE_TOKENS
) -> tuple[str, str]:
    """The page of a text that a call asks for, and the note on the other pages; empty where there are none."""
    pages = [span.of(text) for span in chunk(text, size, count_tokens, ())] or [""]
    match = re.match(r"\d{1,6}", _argument(call, "page"))
    number = int(match[0]) if match else 1
    shown = min(max(number, 1), len(pages))
    if len(pages) == 1 and number == 1:
        return pages[0], ""
    correction = f"there is no page {number}: this is " if number != shown else ""
    return pages[shown - 1], f"({correction}page {shown} of {len(pages)}; {call.name} takes page for the others)"


def _search(call: ToolCall, tools: Tools, count_tokens: Callable[[str], int]) -> list[Message]:
    query = _argument(call, "query")[:MAX_QUERY_CHARACTERS]
    results = [
        Message(role="tool", name="search", content=passage.text, source=passage.source, page=passage.page)
        for passage in tools.search(query)
    ]
    if tools.web:
        try:
            pages = tools.web_search(query)
        except ToolError as error:  # passages of the library are useful without the web
            return [*results, _observation(call, str(error))]
        for page in pages:
            snippet, _note = _split_page(_titled(page), ToolCall(name="visit", arguments={}), count_tokens)
            results.append(Message(role="tool", name="search", content=snippet, source=page.url))
    return results or [_observation(call, "Nothing was found for this query.")]


def _research(call: ToolCall, tools: Tools, count_tokens: Callable[[str], int]) -> list[Message]:
    nodes = tools.research(_argument(call, "question")[:MAX_QUERY_CHARACTERS])[:MOST_NODES]
    text = "\n\n".join(f"[{node.id}] {node.context}\n{node.summary}" for node in nodes)
    return [_observation(call, _page(text, call, count_tokens) if nodes else "The memory holds nothing on this.")]


def _visit(call: ToolCall, tools: Tools, count_tokens: Callable[[str], int]) -> list[Message]:
    page = tools.visit(_argument(call, "url"))
    content, note = _split_page(_titled(page), call, count_tokens)
    result = Message(role="tool", name="visit", content=content, source=page.url, title=page.title or None)
    return [result, _observation(call, note)] if note else [result]  # the note is not part of the page


def _long_term_memory(tools: Tools) -> MemoryTools:
    if tools.lasting is None:
        raise ToolError("long-term memory is not turned on for this session")
    return tools.lasting


def _recall(call: ToolCall, tools: Tools, count_tokens: Callable[[str], int]) -> list[Message]:
    memory = _long_term_memory(tools)
    if call.name == "retrieve_facts":
        records, none = (
            memory.facts(_argument(call, "query")[:MAX_QUERY_CHARACTERS]),
            "The person has told nothing on this.",
        )
    else:
        records, none = memory.episodes(_argument(call, "goal")[:MAX_QUERY_CHARACTERS]), "There was no task like this."
    return [_observation(call, _page("\n".join(records) or none, call, count_tokens))]


def _store_fact(call: ToolCall, tools: Tools, count_tokens: Callable[[str], int]) -> list[Message]:
    del count_tokens
    kind: Kind = "procedural" if _argument(call, "type") == "procedural" else "semantic"
    content, context = _argument(call, "content"), _argument(call, "context")
    if len(content) > MAX_QUERY_CHARACTERS or len(context) > MAX_QUERY_CHARACTERS:
        return [_observation(call, f"Nothing was kept: a fact has at most {MAX_QUERY_CHARACTERS} characters.")]
    return [_observation(call, _long_term_memory(tools).store(content, context, kind))]


def _read_again(call: ToolCall, results: EarlierResults, count_tokens: Callable[[str], int]) -> list[Message]:
    """A page of an earlier result under its old mark; it does not count as a new result."""
    mark = _argument(call, "mark")
    match = _MARK.fullmatch(mark)
    number = int(match[1]) if match else 0
    if not 0 < number <= len(results.marked):
        return [_observation(call, f"{mark[:40]} is not in extracts: these are r1 to r{len(results.marked)}.")]
    result = results.marked[number - 1]
    text = f"[r{number}]\n{_page(result.content, call, count_tokens, results.page_tokens)}"
    return [_observation(call, text).model_copy(update={"source": result.source, "page": result.page})]


def _titled(page: WebPage) -> str:
    """A page's text under its title, unless the text begins with it."""
    lacks_title = page.title and page.title not in page.text[: len(page.title) + 40]
    return f"{page.title}\n\n{page.text}" if lacks_title else page.text


_RUN: dict[str, Callable[[ToolCall, Tools, Callable[[str], int]], list[Message]]] = {
    "deep_retrieval": _deep_retrieval,
    "search": _search,
    "research": _research,
    "visit": _visit,
    "retrieve_facts": _recall,
    "recall_episodes": _recall,
    "store_fact": _store_fact,
}
