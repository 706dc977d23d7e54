"""Planning on a model: it names the one next step; what was done is recorded from what is known of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Literal

from pydantic import BaseModel, Field

from memory_bank.agents.agent import Language
from memory_bank.agents.planning import NewNode, NextTask, PlanningInput, PlanningOutput, reading
from memory_bank.agents.remember import PastTask
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.insight_doc import CompletedTask
from memory_bank.bank.source import Source
from memory_bank.engines.llm.consultation import Consultation
from memory_bank.engines.llm.prompt import as_written, fenced, rules
from memory_bank.engines.llm.window import Piece, brief, fit, shorten
from memory_bank.one_line import one_line

FENCE = "memory"
_WORD = re.compile(r"[A-Za-z0-9]+")
FOUND_CHARACTERS = 300
TASK_CHARACTERS = 600


class PlanningReply(BaseModel):
    """What the model answers."""

    finished_context: str = Field(description="what the last step found, in one or two sentences; empty without one")
    done: bool = Field(description="true when the goal is reached or nothing more can be done for it")
    next_type: Literal["NORMAL", "CROSS_VALIDATE"] = Field(description="CROSS_VALIDATE verifies one conflict")
    next_description: str = Field(description="the next step as an order to whoever carries it out; empty when done")
    conflict: int = Field(description="number of the conflict that CROSS_VALIDATE verifies, otherwise 0")


def plan(given: PlanningInput, consultation: Consultation) -> PlanningOutput:
    """The finished task for the record, and the next one. `InvalidOutputError` for a step that cannot be taken."""
    language = consultation.language
    system = "\n".join([_ROLE[language], rules(language, FENCE)])
    conflicts = dict(enumerate(given.open_conflicts, start=1))
    headings = _HEADINGS[language]
    needed = [_goal(given), *_last_step(given)]
    done = [_done(number, task) for number, task in enumerate(given.insight_doc.completed_tasks, start=1)]
    waiting = [_waiting(number, conflict) for number, conflict in conflicts.items()]
    images = [_image(image) for image in given.images]
    new = [_new(node) for node in given.new_nodes]
    before = [_before(number, task) for number, task in enumerate(given.conversation, start=1)]

    def build(kept: Mapping[str, str]) -> str:
        listed = (needed[:1], done, needed[1:], waiting, images, new)
        sections = list(zip(headings, listed, ("goal", *[FENCE] * 5), strict=True))
        conversation = [(_CONVERSATION[language], before, FENCE)] if before else []
        told = [*sections[:1], *conversation, *sections[1:]]
        return "\n\n".join(_section(heading, fence, pieces, kept) for heading, pieces, fence in told)

    # Of the longest list the first to go: the last conflicts and images, the oldest tasks, the last nodes.
    pieces = [*needed, *_in_turn(waiting, images, done[::-1], before[::-1], new)]
    fitted = fit(consultation, system, build, pieces, len(needed))
    reply = consultation.ask(system, fitted.prompt, PlanningReply)
    completed = _completed(given, reply)
    shown = {number: conflict for number, conflict in conflicts.items() if conflict.id in fitted.shown}
    return PlanningOutput(completed=completed, next_task=_next(given, completed, shown, reply, consultation))


# -- from the reply to a plan ------------------------------------------------------------------------------------


def _completed(given: PlanningInput, reply: PlanningReply) -> CompletedTask | None:
    """The finished task: of it only what it found is told by the model."""
    task, step = given.insight_doc.current_task, given.last_step
    if task is None or step is None:
        return None
    said = brief(as_written(reply.finished_context), FOUND_CHARACTERS)
    return CompletedTask(
        type=task.type,
        description=task.description,
        status="failed" if step.failed else "success",
        context=said or shorten(" ".join(step.found.split()), FOUND_CHARACTERS),
    )


def _next(
    given: PlanningInput,
    completed: CompletedTask | None,
    conflicts: Mapping[int, Conflict],
    reply: PlanningReply,
    consultation: Consultation,
) -> NextTask | None:
    description = brief(as_written(reply.next_description), TASK_CHARACTERS)
    if given.images and (reply.done or reply.next_type == "NORMAL"):  # none is forgotten, whatever the model says
        named = set(_WORD.findall(description))
        return reading(next((image for image in given.images if image.id in named), given.images[0]))
    if reply.done:
        if given.last_step is None:
            consultation.refuse("nothing has been done yet: name the first step")
        if description:
            consultation.remark("dropped", f"a step planned after the end: {description}")
        return None
    if reply.next_type == "CROSS_VALIDATE":
        return _verification(conflicts, reply, consultation)
    if not description:
        consultation.refuse("the next step has no description: say what is to be done, or that all is done")
    if not given.new_nodes and _succeeded(description, given.insight_doc.completed_tasks, completed):
        consultation.refuse(
            "this step was already done and brought nothing new since: name another step, or say that all is done"
        )
    return NextTask(type="NORMAL", description=description)


def _verification(
    conflicts: Mapping[int, Conflict], reply: PlanningReply, consultation: Consultation
) -> NextTask | None:
    """The verification of one conflict, in the same words whichever engine plans it."""
    conflict = conflicts.get(reply.conflict)
    if conflict is None:
        open_ones = f"open are {', '.join(map(str, conflicts))}" if conflicts else "none is open"
        consultation.refuse(f"CROSS_VALIDATE names conflict {reply.conflict}, which is not open; {open_ones}")
    nodes = " and ".join(conflict.node_ids)
    description = f"Verify {conflict.id} ({nodes}): {conflict.description}"
    return NextTask(type="CROSS_VALIDATE", description=description, conflict_id=conflict.id)


def _succeeded(description: str, done: Iterable[CompletedTask], completed: CompletedTask | None) -> bool:
    """Whether a step of the same words came to a good end."""
    tasks = [*done, *((completed,) if completed else ())]
    words = [
        " ".join(task.description.casefold().split())
        for task in tasks
        if (task.type, task.status) == ("NORMAL", "success")
    ]
    return description.casefold() in words


# -- the prompt --------------------------------------------------------------------------------------------------


def _goal(given: PlanningInput) -> Piece:
    return Piece("the goal", lambda goal, _lines: goal, given.insight_doc.task_goal.strip())


def _last_step(given: PlanningInput) -> list[Piece]:
    task, step = given.insight_doc.current_task, given.last_step
    if task is None or step is None:
        return []
    head = f"[{task.type}, {'failed' if step.failed else 'success'}] {one_line(task.description)}"
    return [Piece("the last step", lambda found, _lines: f"{head}\nfound: {found}", step.found.strip())]


def _done(number: int, task: CompletedTask) -> Piece:
    text = f"[{task.type}, {task.status}] {one_line(task.description)}: {one_line(task.context)}"
    return Piece(f"task {number}", lambda _body, _lines: text)


def _before(number: int, task: PastTask) -> Piece:
    text = f"asked: {one_line(task.asked)}\nfound: {one_line(task.found)}"
    return Piece(f"earlier task {number}", lambda _body, _lines: text)


def _waiting(number: int, conflict: Conflict) -> Piece:
    first, second = (f"{one_line(claim.text)} ({one_line(claim.source)})" for claim in conflict.claims)
    text = f"conflict {number}: {one_line(conflict.description)}\nfirst: {first}\nsecond: {second}"
    return Piece(conflict.id, lambda _body, _lines: text)


def _image(image: Source) -> Piece:
    text = f"{image.id}: {one_line(image.name)}"
    return Piece(image.id, lambda _body, _lines: text)


def _new(node: NewNode) -> Piece:
    text = f"{one_line(node.context)}\nkeywords: {one_line(', '.join(node.keywords))}\n{one_line(node.summary)}"
    return Piece(node.id, lambda _body, _lines: text)


def _section(heading: str, fence: str, pieces: Sequence[Piece], kept: Mapping[str, str]) -> str:
    shown = [kept[piece.id] for piece in pieces if piece.id in kept]
    return f"{heading}\n{fenced(fence, chr(10).join(shown)) if shown else '-'}"


def _in_turn(*lists: Sequence[Piece]) -> list[Piece]:
    """The first of each list, then the second of each, and so on."""
    return [piece for turn in zip_longest(*lists) for piece in turn if piece is not None]


_ROLE: dict[Language, str] = {
    "en": (
        "You plan the work on a person's goal, one step at a time. Someone else carries out each step, with tools to "
        "search memory and sources beside it. From what was done you decide the one next step, in this order:\n"
        "1. A conflict that bears on the goal is waiting: next_type CROSS_VALIDATE with its number, one a step.\n"
        "2. An image waits: one NORMAL step that reads it, with its id, one a step.\n"
        "3. The goal is not reached: one NORMAL step towards it. Prefer the question itself; take it apart only where "
        "one step cannot answer it. Say exactly what to find out, with the names and dates that the goal gives.\n"
        "4. Otherwise done. When the last step has answered the goal, it is done; do not ask the same again. What was "
        "tried twice and failed is not planned a third time.\n"
        "Reading a document answers nothing: before the first step there is always something to do. If there was a "
        "last step, finished_context tells in one or two sentences what it found, or why it failed. In your sentences "
        "call things by name, never by number."
    ),
    "zh": (
        "你为一个人的目标制定计划，每次只定一步。每一步由别人执行，他可以检索记忆和记忆之外的资料。"
        "根据已完成的工作，按以下顺序决定唯一的下一步：\n"
        "1. 有与目标有关的冲突待核查：next_type 为 CROSS_VALIDATE，并给出其编号。每步只核查一个冲突。\n"
        "2. 有图片待读：安排一个读取该图片的 NORMAL 步骤，写明其编号，每步只读一张。\n"
        "3. 目标尚未达到：安排一个朝向目标的 NORMAL 步骤。优先直接回答问题本身，一步无法回答时才拆分。"
        "写明具体要查清什么，并带上目标中的名称和日期。\n"
        "4. 否则 done 为 true。上一步已经回答了目标，就是完成；不要重复提问。尝试两次都失败的，不再安排第三次。\n"
        "读入文档并不等于回答：在第一步之前总还有事要做。如果有上一步，finished_context 用一两句话说明它发现了什么，"
        "或为何失败。文字中用名称，不用编号。"
    ),
}
_CONVERSATION: dict[Language, str] = {
    "en": "Earlier in this conversation, oldest first (the goal may refer to it):",
    "zh": "此前的对话，从旧到新（目标可能指涉其中内容）：",
}
_HEADINGS: dict[Language, tuple[str, str, str, str, str, str]] = {
    "en": (
        "The person's goal:",
        "Done so far, oldest first:",
        "The last step:",
        "Conflicts waiting:",
        "Images waiting:",
        "New in memory since the last plan:",
    ),
    "zh": (
        "目标：",
        "已完成，从旧到新：",
        "上一步：",
        "待核查的冲突：",
        "待读的图片：",
        "上次计划以来记忆中的新内容：",
    ),
}
