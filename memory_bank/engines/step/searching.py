"""What is searched for before a verification begins, and the other open conflicts that the findings bear on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from xml.sax.saxutils import escape

import numpy as np

from memory_bank.agents.react import SEARCH, EnhancedPrompt, Tools
from memory_bank.bank.conflict import SIDES, Conflict
from memory_bank.bank.message import Message, StepTurn, ToolCall
from memory_bank.engines.step.tool_calls import MAX_QUERY_CHARACTERS, run_tools
from memory_bank.judgement.conflict_relevance import SIMILAR
from memory_bank.search.embedding import Embedder
from memory_bank.text.one_line import one_line
from memory_bank.text.sentences import sentences

MOST_OTHERS = 5
"""Other conflicts that a verification may settle too."""
_CALL = "search_1"


def search_both(conflict: Conflict, tools: Tools, count_tokens: Callable[[str], int]) -> StepTurn:
    """The first turn of a verification, which code takes: a search for both claims, each passage once."""
    queries = list(dict.fromkeys(one_line(claim.text)[:MAX_QUERY_CHARACTERS] for claim in conflict.claims))
    calls = [ToolCall(name=SEARCH, arguments={"query": query}, id=_CALL) for query in queries]
    found = {(result.source, result.content): result for result in run_tools(calls, tools, count_tokens, 1)}
    asked = ToolCall(name=SEARCH, arguments={"query": " / ".join(queries)}, id=_CALL)
    return StepTurn(messages=(Message(role="assistant", content="", tool_calls=(asked,)), *found.values()))


def with_others(prompt: EnhancedPrompt, searched: StepTurn, tools: Tools, embedder: Embedder) -> EnhancedPrompt:
    """The prompt of a verification with the other open conflicts that the passages of its first search bear on."""
    found = [message.content for message in searched.messages if message.is_material]
    said = [span.of(content) for content in found for span in sentences(content)]
    conflict = prompt.conflict
    waiting = [each for each in tools.conflicts() if each.verdict is None and (not conflict or each.id != conflict.id)]
    others = _borne_on(waiting, said, embedder)[:MOST_OTHERS]
    if not others:
        return prompt
    lines: list[str] = []
    for other in others:
        sides = zip(SIDES, other.claims, strict=True)
        lines += [f"[{other.id}]", *(f"{side} ({claim.source}): {one_line(claim.text)}" for side, claim in sides)]
    block = "\n".join(lines)
    text = f"{prompt.text}\n<conflicts>\n{escape(block)}\n</conflicts>"
    return prompt.model_copy(update={"others": tuple(others), "text": text})


def _borne_on(conflicts: Sequence[Conflict], said: Sequence[str], embedder: Embedder) -> list[Conflict]:
    """The conflicts that one of the sentences bears on, nearest first: it is similar to one of the claims."""
    if not conflicts or not said:
        return []
    claims = embedder.embed([claim.text for conflict in conflicts for claim in conflict.claims])
    nearest = (claims @ embedder.embed(said).T).max(axis=1).reshape(len(conflicts), -1).max(axis=1)
    return [conflicts[n] for n in np.argsort(-nearest, kind="stable") if nearest[n] >= SIMILAR]
