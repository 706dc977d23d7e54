"""The tools of ReAct: their specifications for a model, and running its calls with results of bounded length.

A tool that fails, does not exist or is called wrongly returns an observation, never an exception.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, Literal

from memory_bank.agents.agent import Language
from memory_bank.agents.react import LongTermTools, Tools, WebPage
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
_MARK = re.compile(r"\[?\s*r?(\d{1,9})\s*\]?", re.IGNORECASE)
_NODE = re.compile(r"\[?\s*(?:node\s*)?n?(\d{1,9})\s*\]?", re.IGNORECASE)


_Description = dict[Language, str]
"""What a model is told, in the language of the task."""


@dataclass(frozen=True)
class _Parameter:
    """What a tool takes."""

    name: str
    description: _Description
    required: bool = True
    type: Literal["string", "integer"] = "string"


@dataclass(frozen=True)
class _Step:
    """What a call may use of its step."""

    tools: Tools
    count_tokens: Callable[[str], int]
    results: EarlierResults


@dataclass(frozen=True)
class _Tool:
    """A tool as a model is told of it, and what runs its calls."""

    name: str
    description: _Description
    parameters: tuple[_Parameter, ...]
    run: Callable[[ToolCall, _Step], list[Message]]


def specifications(
    tools: Tools, results: EarlierResults = NO_RESULTS, language: Language = "en"
) -> tuple[dict[str, Any], ...]:
    """The tools that the model may call, in OpenAI's format."""
    return tuple(
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description[language].format(web=_WEB[language] if tools.web else ""),
                "parameters": {
                    "type": "object",
                    "properties": {
                        each.name: {"type": each.type, "description": each.description[language]}
                        for each in tool.parameters
                    },
                    "required": [each.name for each in tool.parameters if each.required],
                },
            },
        }
        for tool in _offered(tools, results).values()
    )


def _offered(tools: Tools, results: EarlierResults) -> dict[str, _Tool]:
    """The tools that the model may call, by name."""
    names = tools.callable_by_model | {EARLIER_TOOL} if results.marked else tools.callable_by_model
    return {tool.name: tool for tool in _TOOLS if tool.name in names}


def run_tools(
    calls: Sequence[ToolCall],
    tools: Tools,
    count_tokens: Callable[[str], int],
    parallel: int,
    results: EarlierResults = NO_RESULTS,
) -> tuple[Message, ...]:
    """Run the calls, up to `parallel` at a time since some wait for the network; results are in the order of calls."""
    step = _Step(tools, count_tokens, results)
    run = in_order((partial(_run, call, step) for call in calls[:MOST_CALLS]), parallel, late=lambda _result: None)
    not_run = (
        [_observation(call, f"Not run: at most {MOST_CALLS} tool calls at a time.")] for call in calls[MOST_CALLS:]
    )
    return tuple(
        message.model_copy(update={"tool_call_id": call.id or None})
        for call, messages in zip(calls, chain(run, not_run), strict=True)
        for message in messages
    )


def _run(call: ToolCall, step: _Step) -> list[Message]:
    known = _offered(step.tools, step.results)
    if call.name not in known:
        return [_observation(call, f"There is no tool {call.name[:60]!r}. There are: {', '.join(known)}.")]
    tool = known[call.name]
    missing = [each.name for each in tool.parameters if each.required and not _argument(call, each.name)]
    if missing:
        return [_observation(call, f"The tool {call.name} needs {', '.join(missing)}.")]
    try:
        return tool.run(call, step)
    except MemoryBankError as error:
        return [_observation(call, str(error))]
    except Exception as error:  # noqa: BLE001 - a tool must not end the step; the agent sees the failure
        _log.warning("tool %s failed", call.name, exc_info=error)
        return [_observation(call, f"The tool {call.name} failed ({type(error).__name__}); try another way.")]


def _observation(call: ToolCall, text: str) -> Message:
    """A result that is no material: what the bank holds already, or a word of the tool to the agent."""
    return Message(role="tool", name=call.name[:60], content=text, from_memory=True)


def _argument(call: ToolCall, key: str) -> str:
    """An argument as text, whatever JSON type the model used; empty where it is missing."""
    value = call.arguments.get(key)
    parts = value if isinstance(value, list) else [value]
    return " ".join(str(part) for part in parts if isinstance(part, str | int | float)).strip()


def _deep_retrieval(call: ToolCall, step: _Step) -> list[Message]:
    node_id = _argument(call, "node_id")
    match = _NODE.fullmatch(node_id)
    entries = step.tools.deep_retrieval(f"n{int(match[1])}") if match else ()
    if not entries:
        return [_observation(call, f"The memory holds no node {node_id[:40]}.")]
    return [_paged("\n\n".join(map(_entry_text, entries)), call, step)]


def _entry_text(entry: Entry) -> str:
    place = f", p. {entry.metadata['page']}" if "page" in entry.metadata else ""
    source = entry.metadata.get("source", "")
    attachments = "".join(f"\n(attachment {item.id}: {item.type}, {item.media_type})" for item in entry.attachments)
    return f"{entry.id} · {source}{place} · {entry.created_at:%Y-%m-%d %H:%M}\n{entry.text}{attachments}"


def _paged(text: str, call: ToolCall, step: _Step, size: int = PAGE_TOKENS) -> Message:
    """The page of a text that a call asks for, with a note on the other pages."""
    page, note = _split_page(text, call, step.count_tokens, size)
    return _observation(call, f"{page}\n{note}" if note else page)


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


def _search(call: ToolCall, step: _Step) -> list[Message]:
    query = _argument(call, "query")[:MAX_QUERY_CHARACTERS]
    results = [
        Message(
            role="tool",
            name="search",
            content=passage.text,
            source=passage.source,
            page=passage.page,
            title=passage.title or None,
        )
        for passage in step.tools.search(query)
    ]
    if step.tools.web:
        try:
            pages = step.tools.web_search(query)
        except ToolError as error:  # passages of the library are useful without the web
            return [*results, _observation(call, str(error))]
        for page in pages:
            snippet, _note = _split_page(_titled(page), ToolCall(name="visit", arguments={}), step.count_tokens)
            results.append(Message(role="tool", name="search", content=snippet, source=page.url))
    return results or [_observation(call, "Nothing was found for this query.")]


def _research(call: ToolCall, step: _Step) -> list[Message]:
    nodes = step.tools.research(_argument(call, "question")[:MAX_QUERY_CHARACTERS])[:MOST_NODES]
    text = "\n\n".join(f"[{node.id}] {node.context}\n{node.summary}" for node in nodes)
    return [_paged(text, call, step) if nodes else _observation(call, "The memory holds nothing on this.")]


def _visit(call: ToolCall, step: _Step) -> list[Message]:
    page = step.tools.visit(_argument(call, "url"))
    content, note = _split_page(_titled(page), call, step.count_tokens)
    result = Message(role="tool", name="visit", content=content, source=page.url, title=page.title or None)
    return [result, _observation(call, note)] if note else [result]  # the note is not part of the page


def _long_term(step: _Step) -> LongTermTools:
    if step.tools.long_term is None:
        raise ToolError("long-term memory is not turned on for this session")
    return step.tools.long_term


def _retrieve_facts(call: ToolCall, step: _Step) -> list[Message]:
    facts = _long_term(step).facts(_argument(call, "query")[:MAX_QUERY_CHARACTERS])
    return [_paged("\n".join(facts) or "The person has told nothing on this.", call, step)]


def _recall_episodes(call: ToolCall, step: _Step) -> list[Message]:
    episodes = _long_term(step).episodes(_argument(call, "goal")[:MAX_QUERY_CHARACTERS])
    return [_paged("\n".join(episodes) or "There was no task like this.", call, step)]


def _store_fact(call: ToolCall, step: _Step) -> list[Message]:
    kind: Kind = "procedural" if _argument(call, "type") == "procedural" else "semantic"
    content, context = _argument(call, "content"), _argument(call, "context")
    if len(content) > MAX_QUERY_CHARACTERS or len(context) > MAX_QUERY_CHARACTERS:
        return [_observation(call, f"Nothing was kept: a fact has at most {MAX_QUERY_CHARACTERS} characters.")]
    return [_observation(call, _long_term(step).store(content, context, kind))]


def _read_again(call: ToolCall, step: _Step) -> list[Message]:
    """A page of an earlier result under its old mark; it does not count as a new result."""
    mark, results = _argument(call, "mark"), step.results
    match = _MARK.fullmatch(mark)
    number = int(match[1]) if match else 0
    if not 0 < number <= len(results.marked):
        return [_observation(call, f"{mark[:40]} is not in extracts: these are r1 to r{len(results.marked)}.")]
    result = results.marked[number - 1]
    shown = _paged(result.content, call, step, results.page_tokens)
    labels = {"content": f"[r{number}]\n{shown.content}", "source": result.source, "page": result.page}
    return [shown.model_copy(update=labels)]


def _titled(page: WebPage) -> str:
    """A page's text under its title, unless the text begins with it."""
    lacks_title = page.title and page.title not in page.text[: len(page.title) + 40]
    return f"{page.title}\n\n{page.text}" if lacks_title else page.text


_WEB: dict[Language, str] = {"en": " and of the web", "zh": "和网络"}
_PAGE = _Parameter("page", {"en": "which page, from 1", "zh": "第几页，从 1 开始"}, required=False, type="integer")
_QUERY = _Parameter("query", {"en": "what to look for", "zh": "要查找的内容"})
_TOOLS: tuple[_Tool, ...] = (
    _Tool(
        "deep_retrieval",
        {
            "en": "The complete original texts behind a node of the memory, oldest first, page by page.",
            "zh": "某个记忆节点背后的全部原文，从旧到新，分页给出。",
        },
        (_Parameter("node_id", {"en": "the node, such as n12", "zh": "节点，例如 n12"}), _PAGE),
        _deep_retrieval,
    ),
    _Tool(
        "search",
        {
            "en": "Passages of the person's reference sources{web} that fit a query, best first.",
            "zh": "参考资料{web}中与查询相符的段落，最相关的在前。",
        },
        (_QUERY,),
        _search,
    ),
    _Tool(
        "research",
        {
            "en": "Nodes of the memory that bear on a question, best first, page by page.",
            "zh": "与问题有关的记忆节点，最相关的在前，分页给出。",
        },
        (_Parameter("question", {"en": "a question in one sentence", "zh": "用一句话提出的问题"}), _PAGE),
        _research,
    ),
    _Tool(
        "visit",
        {
            "en": "The text of a page of the web, part by part where it is long.",
            "zh": "网页的文字，较长时分段给出。",
        },
        (
            _Parameter(
                "url", {"en": "its address, as it stands in what you read", "zh": "网址，与所读内容中的写法一致"}
            ),
            replace(_PAGE, description={"en": "which part, from 1", "zh": "第几段，从 1 开始"}),
        ),
        _visit,
    ),
    _Tool(
        "retrieve_facts",
        {
            "en": "What the person told in earlier sessions that bears on a query.",
            "zh": "提问者在以往会话中说过的、与查询有关的内容。",
        },
        (_QUERY,),
        _retrieve_facts,
    ),
    _Tool(
        "recall_episodes",
        {
            "en": "Earlier tasks like a goal: what was done, and what came of it.",
            "zh": "与某个目标类似的以往任务：做了什么，结果如何。",
        },
        (_Parameter("goal", {"en": "what is to be reached", "zh": "要达到的目标"}),),
        _recall_episodes,
    ),
    _Tool(
        "store_fact",
        {
            "en": "Keep, for later sessions, a fact that the person told in this one; "
            "never what a document or a tool says.",
            "zh": "为以后的会话保存提问者在本次会话中说过的一个事实；绝不保存文档或工具的内容。",
        },
        (
            _Parameter("content", {"en": "one sentence that stands alone", "zh": "一个可以独立理解的句子"}),
            _Parameter(
                "context",
                {"en": "of what it holds, such as the trip to Hawaii", "zh": "适用的范围，例如夏威夷之行"},
                required=False,
            ),
            _Parameter(
                "type",
                {
                    "en": "semantic (something is so) or procedural (something is done so)",
                    "zh": "semantic（事实如此）或 procedural（做法如此）",
                },
                required=False,
            ),
        ),
        _store_fact,
    ),
    _Tool(
        EARLIER_TOOL,
        {
            "en": "The whole of a result of this step that is shown in extracts, page by page.",
            "zh": "本步骤中以摘录给出的某个结果的全文，分页给出。",
        },
        (_Parameter("mark", {"en": "its mark, such as r3", "zh": "结果的标号，例如 r3"}), _PAGE),
        _read_again,
    ),
)
ALL_TOOLS = frozenset(tool.name for tool in _TOOLS)
NODE_READERS = frozenset({"deep_retrieval", "research"})
"""Tools that read nodes: what they return is in the memory already."""
