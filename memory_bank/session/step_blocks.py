"""The parts of a step's prompt, each between its marks: task, conflicts, what is remembered, memory.

All texts of documents, models and people are escaped, so that none of them can look like a mark.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from xml.sax.saxutils import escape

from memory_bank.agents.agent import Language, prompt_language
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Conflict, Side, Verdict
from memory_bank.bank.insight_doc import CompletedTask, InsightDoc
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.bank.source import Source
from memory_bank.search.relevance import weighted_overlap
from memory_bank.session.node_view import HEAD_CHARACTERS, head_of
from memory_bank.session.remembering import RecalledRecords
from memory_bank.text.iteration import those_fitting
from memory_bank.text.shortening import SHORTEST_BODY, shorten
from memory_bank.text.wording import one_line

CONFLICT_TOKENS = 1_000
"""Most tokens for the conflicts, in addition to the memory."""

_TASK: dict[Language, str] = {
    "en": "<task>\nGoal: {goal}{done}\nNow: {now}\n</task>",
    "zh": "<task>\n目标：{goal}{done}\n当前步骤：{now}\n</task>",
}
_REFERENCE: dict[Language, str] = {"en": "reference source", "zh": "参考资料"}
_PAGE: dict[Language, str] = {"en": "p. {}", "zh": "第 {} 页"}
_VERDICTS: dict[Language, dict[Verdict | None, str]] = {
    "en": {
        None: "not checked yet",
        "inconclusive": "checked, not settled",
        "first": "verdict: first holds, second is refuted",
        "second": "verdict: second holds, first is refuted",
        "both": "verdict: both hold",
        "neither": "verdict: both are refuted",
    },
    "zh": {
        None: "尚未核查",
        "inconclusive": "已核查，未能裁定",
        "first": "裁定：first 成立，second 已被否定",
        "second": "裁定：second 成立，first 已被否定",
        "both": "裁定：两者都成立",
        "neither": "裁定：两者都已被否定",
    },
}
_LEFT_OUT: dict[Language, str] = {
    "en": "({} further conflicts are not shown here)",
    "zh": "（另有 {} 个矛盾未列出）",
}
_EVIDENCE: dict[Language, dict[Side, str]] = {
    "en": {
        "first": "evidence for first",
        "second": "evidence for second",
        "both": "evidence for both",
        "neither": "evidence against both",
    },
    "zh": {
        "first": "支持 first 的证据",
        "second": "支持 second 的证据",
        "both": "支持双方的证据",
        "neither": "否定双方的证据",
    },
}
_REMEMBERED: dict[Language, tuple[str, str, str, str, str, str]] = {
    "en": ("asked", "found", "This conversation so far", "Earlier tasks like this one", "Goal", "Steps"),
    "zh": ("提问", "结果", "此前的对话", "以往的类似任务", "目标", "步骤"),
}
MOST_TOKENS = 2_000
BRIEF_TOKENS = 40
"""Tokens kept of an older step's description, and of its result."""
_STEP_WORDS: dict[Language, dict[str, str]] = {
    "en": {},
    "zh": {"NORMAL": "步骤", "CROSS_VALIDATE": "核查", "success": "成功", "failed": "失败"},
}
_NOT_SHOWN: dict[Language, str] = {
    "en": "({number} earlier finished steps are not shown here)",
    "zh": "（另有 {number} 个较早完成的步骤未列出）",
}
VALUE, SUCCESS = 0.5, 0.25
"""Weight of a step that found a figure or gave a verdict, and of any other success."""


def task_block(doc: InsightDoc, done: Sequence[str] = ()) -> str:
    """The goal, the finished steps (`done`, a line each) as data, and the current task, marked up."""
    current = escape(doc.current_task.description) if doc.current_task else ""
    finished = f"\n<done>\n{chr(10).join(done)}\n</done>" if done else ""
    return _TASK[prompt_language(doc.task_goal)].format(goal=escape(doc.task_goal), done=finished, now=current)


def finished_step_lines(doc: InsightDoc, tokens: int, count: Callable[[str], int]) -> list[str]:
    """The finished steps, one escaped line each, oldest first, together at most `tokens` tokens.

    If they take more, half of the tokens go to the newest steps in full. The rest goes to older steps, shortened, the
    most relevant first: those that share rare words with the goal and the current step; verdicts and steps that found
    a figure before other successes, and these before failures. A line says how many steps are not shown.
    """
    language = prompt_language(doc.task_goal)
    lines = [_step_line(task, language) for task in doc.completed_tasks]
    if sum(map(count, lines)) <= tokens:
        return lines
    in_full = len(lines)  # the steps from this one on
    room = tokens // 2
    while in_full and count(lines[in_full - 1]) <= room:
        in_full -= 1
        room -= count(lines[in_full])
    note = _NOT_SHOWN[language]
    room += tokens - tokens // 2 - count(note.format(number=len(lines)))
    briefs = {
        index: _step_line(doc.completed_tasks[index], language, lambda text: shorten(text, BRIEF_TOKENS, count))
        for index in _most_relevant_first(doc, in_full)
    }
    shown = those_fitting(briefs, room, lambda index: count(briefs[index]))
    left_out = in_full - len(shown)
    notes = [note.format(number=left_out)] if left_out else []
    return [*notes, *(briefs[index] for index in sorted(shown)), *lines[in_full:]]


def _step_line(task: CompletedTask, language: Language, cut: Callable[[str], str] = str) -> str:
    text = f"{cut(one_line(task.description))}: {cut(one_line(task.context))}"
    kind, status = (_STEP_WORDS[language].get(word, word) for word in (task.type, task.status))
    return f"- [{kind}, {status}] {escape(text)}"


def _most_relevant_first(doc: InsightDoc, number: int) -> list[int]:
    """The indices of the first `number` finished steps, the most relevant first."""
    older = doc.completed_tasks[:number]
    current = doc.current_task.description if doc.current_task else ""
    shared = weighted_overlap(f"{doc.task_goal} {current}", [f"{task.description} {task.context}" for task in older])
    return sorted(range(number), key=lambda index: (-_weight(older[index]) - shared[index], -index))


def _weight(task: CompletedTask) -> float:
    """The weight of a finished step, added to the share of words that it has in common with the question."""
    if task.status == "failed":
        return 0.0
    return VALUE if task.type == "CROSS_VALIDATE" or re.search(r"\d", task.context) else SUCCESS


def conflict_block(bank: Bank, conflict: Conflict | None) -> list[str]:
    """The conflict to be verified, with the claims of both sides; empty for another task."""
    if conflict is None:
        return []
    lines = [one_line(conflict.description), *side_lines(bank, conflict)]
    return [f"<conflict>\n{escape(chr(10).join(lines))}\n</conflict>"]


def conflicts_block(
    bank: Bank, conflicts: Iterable[Conflict], most: int, count_tokens: Callable[[str], int]
) -> list[str]:
    """Conflicts under their marks, as many as fit into `most` tokens: sides, verdict, evidence."""
    language = prompt_language(bank.insight_doc.task_goal)
    texts = [
        escape("\n".join([f"[{conflict.id}]", *side_lines(bank, conflict), *_verdict_lines(conflict, language)]))
        for conflict in conflicts
    ]
    shown = those_fitting(texts, most, count_tokens)
    left_out = len(texts) - len(shown)
    shown += [_LEFT_OUT[language].format(left_out)] if left_out else []
    return [f"<conflicts>\n{chr(10).join(shown)}\n</conflicts>"] if shown else []


def side_lines(bank: Bank, conflict: Conflict) -> list[str]:
    """Each claim of both sides on a line, with its source, its date where that is known, and what it was given as."""
    language = prompt_language(bank.insight_doc.task_goal)
    sides = zip(("first", "second"), conflict.sides, strict=True)
    return [
        f"{name} ({_origin(bank, claim, language)}): {one_line(claim.text)}" for name, side in sides for claim in side
    ]


def _origin(bank: Bank, claim: Claim, language: Language) -> str:
    source = bank.source_of(claim)
    parts = [one_line(claim.source)]
    parts += [_PAGE[language].format(claim.page)] if claim.page else []
    parts += [source.dated.isoformat()] if source and source.dated else []
    parts += [_REFERENCE[language]] if source and source.role == "reference" else []
    return ", ".join(parts)


def _verdict_lines(conflict: Conflict, language: Language) -> Iterator[str]:
    words = _VERDICTS[language][conflict.verdict]
    yield f"{words}. {one_line(conflict.reason)}" if conflict.reason else words
    for evidence in conflict.evidence:
        place = one_line(evidence.source) + (f", {_PAGE[language].format(evidence.page)}" if evidence.page else "")
        yield f"{_EVIDENCE[language][evidence.supports]} ({place}): “{one_line(evidence.passage)}”"


def remembered_block(
    given: RecalledRecords, most: int, count_tokens: Callable[[str], int], language: Language = "en"
) -> list[str]:
    """The conversation so far and similar earlier tasks, marked up, in at most `most` tokens; the newest are kept.

    Of the last answer, to which the task may refer, twice as much is shown as of another.
    """
    asked, found, conversation, alike, goal, steps = _REMEMBERED[language]
    most_each = max(most // 4, SHORTEST_BODY)
    answer_tokens = [*[most_each] * (len(given.turns) - 1), 2 * most_each]
    tasks = [
        f"- {asked}: {shorten(one_line(turn.asked), most_each, count_tokens)}"
        f"\n  {found}: {shorten(one_line(turn.result), tokens, count_tokens)}"
        for turn, tokens in zip(given.turns, answer_tokens, strict=False)
    ]
    earlier = [  # without the outcome, which is in the memory already
        f"- {one_line(part)}"
        for task in given.episodes
        for part in (f"{goal}: {task.goal}", task.steps and f"{steps}: {'; '.join(task.steps)}", *task.lessons)
        if part
    ]
    fitting = those_fitting((*reversed(tasks), *earlier), most, count_tokens)
    lines = [
        *([f"{conversation}:"] if fitting and tasks else []),
        *(task for task in tasks if task in fitting),
        *([f"{alike}:"] if any(line in fitting for line in earlier) else []),
        *(line for line in earlier if line in fitting),
    ]
    return [f"<remembered>\n{escape(chr(10).join(lines))}\n</remembered>"] if lines else []


def memory_block(bank: Bank, nodes: tuple[Node, ...]) -> str:
    """The documents that nodes are from, then the nodes with their ids, marked up."""
    documents = dict.fromkeys(line for node in nodes for line in _document_lines(bank, node))
    return "\n".join(["<memory>", *documents, *(_node_lines(bank, node) for node in nodes), "</memory>"])


def node_block(bank: Bank, node: Node) -> str:
    """A node with its mark, and its documents."""
    return "\n".join([*_document_lines(bank, node), _node_lines(bank, node)])


def _node_lines(bank: Bank, node: Node) -> str:
    """Mark, documents, context, summary, and the keywords that these do not hold; nothing is said twice."""
    # Each part is on one line, so that no text of a document can look like another node.
    context, summary = one_line(node.context), one_line(node.summary)
    names = ", ".join(one_line(source.name) for source in _sources_of(bank, node))
    said = [] if summary.startswith(context) else [context]
    said += [summary]
    new = [word for word in map(one_line, node.keywords) if word.casefold() not in " ".join(said).casefold()]
    said += [f"({', '.join(new)})"] if new else []
    return escape(f"[{node.id}] {f'({names}) ' if names else ''}{chr(10).join(said)}")


def _document_lines(bank: Bank, node: Node) -> list[str]:
    """The documents of a node by name, each with its date and its head, which tells of its parts who wrote them."""
    lines = list[str]()
    for source in _sources_of(bank, node):
        head = shorten(one_line(head_of(bank, source.id)), HEAD_CHARACTERS)
        known = [source.dated.isoformat() if source.dated else "", head]
        if any(known):
            lines.append(escape(" · ".join(filter(None, [one_line(source.name), *known]))))
    return lines


def _sources_of(bank: Bank, node: Node) -> list[Source]:
    ids = dict.fromkeys(str(entry.metadata.get("source_id", "")) for entry in bank.trees.entries(node.id))
    return [bank.sources[source_id] for source_id in ids if source_id in bank.sources]
