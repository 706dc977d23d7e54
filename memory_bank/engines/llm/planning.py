"""Planning by a language model: it names the one next step; the finished step is recorded from known facts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Literal

from pydantic import BaseModel, Field

from memory_bank.agents.agent import Engine, Language
from memory_bank.agents.planning import (
    MOST_VERIFICATIONS,
    PLANNING,
    NextTask,
    PlanningInput,
    PlanningOutput,
    image_task,
    verification_task,
)
from memory_bank.agents.prompt import fenced, rules, unescape_quote
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.errors import InvalidOutputError
from memory_bank.bank.insight_doc import CompletedTask
from memory_bank.engines.llm.consultation import Consultation
from memory_bank.engines.llm.window import Piece, conflict_piece, fit, fixed_piece, one_paragraph
from memory_bank.judgement.conflict_relevance import asks_for_conflicts, conflicts_on_goal
from memory_bank.search.embedding import Embedder
from memory_bank.text.shortening import shorten
from memory_bank.text.wording import Wording, one_line

FENCE = "memory"
_WORD = re.compile(r"[A-Za-z0-9]+")
FOUND_CHARACTERS = 300
TASK_CHARACTERS = 600


class PlanningReply(BaseModel):
    """What the model answers."""

    finished_context: str
    done: bool
    next_type: Literal["NORMAL", "CROSS_VALIDATE"]
    next_description: str
    conflict: int = Field(description="0: none")


def plan(
    agent_input: PlanningInput,
    consultation: Consultation,
    embedder: Embedder | None = None,
    embedded: Engine | None = None,
) -> PlanningOutput:
    """The finished task for the record, and the next task.

    The model is asked only for what does not follow from what is there. Where it names no step that can be taken, the
    `embedded` engine's plan stands; without one, `InvalidOutputError`.
    """
    if embedder is not None:
        following = _following(agent_input, embedder)
        if following != "open":
            return PlanningOutput(completed=_completed(agent_input, ""), next_task=following)
    reply, shown = _ask(agent_input, consultation)
    completed = _completed(agent_input, reply.finished_context)
    try:
        next_task = _next_task(agent_input, completed, shown, reply, consultation)
    except InvalidOutputError as error:
        if embedded is None:
            raise
        consultation.repair(f"the plan names no step that can be taken ({error.reason}): code plans it")
        next_task = embedded.judge(PLANNING, agent_input).output.next_task
    return PlanningOutput(completed=completed, next_task=next_task)


def _following(agent_input: PlanningInput, embedder: Embedder) -> NextTask | Literal["open"] | None:
    """The next step where it follows from what is there: conflicts that bear on the goal, images, then the question.

    None where the question is answered; "open" where that is for the model to judge.
    """
    doc = agent_input.insight_doc
    if (conflict := _bearing_conflict(agent_input, embedder)) is not None:
        return verification_task(conflict)
    if agent_input.images:
        return image_task(agent_input.images[0])
    question = one_paragraph(doc.task_goal, TASK_CHARACTERS)
    current = doc.current_task if agent_input.last_step is not None else None
    if current is not None and current.type == "NORMAL" and current.image_id is None:
        return None if agent_input.answered else "open"
    asked = any(task.type == "NORMAL" and task.description == question for task in doc.completed_tasks)
    if agent_input.conversation or asked or len(question) < len(" ".join(doc.task_goal.split())):
        return "open"
    return NextTask(type="NORMAL", description=question)


def _bearing_conflict(agent_input: PlanningInput, embedder: Embedder) -> Conflict | None:
    """The open conflict to verify next: one that bears on the goal or on the last answer, or that was reopened."""
    doc, waiting = agent_input.insight_doc, agent_input.open_conflicts
    verifications = sum(task.type == "CROSS_VALIDATE" for task in doc.completed_tasks)
    if not waiting or verifications >= MOST_VERIFICATIONS:
        return None
    bearing = conflicts_on_goal(doc.task_goal, waiting, embedder)
    bearing += [conflict for conflict in waiting if conflict.id in agent_input.concerned]
    verified = {conflict.id for conflict in agent_input.verified}
    bearing += [conflict for conflict in waiting if conflict.id in verified]
    if not bearing and asks_for_conflicts(doc.task_goal, embedder):
        bearing = list(waiting)
    return next(iter(bearing), None)


def _ask(agent_input: PlanningInput, consultation: Consultation) -> tuple[PlanningReply, dict[int, Conflict]]:
    """The model's plan, and the conflicts that it was shown, by number."""
    language = consultation.language
    system = "\n".join([_ROLE[language], rules(language, FENCE)])
    conflicts = dict(enumerate(agent_input.open_conflicts, start=1))
    words = _WORDS[language]
    goal = Piece("the goal", lambda goal, _lines: goal, agent_input.insight_doc.task_goal.strip())
    needed = [goal, *_last_step_pieces(agent_input, words)]
    completed = agent_input.insight_doc.completed_tasks
    done = [
        fixed_piece(
            f"task {number}",
            f"{_kind(task.type, task.status, words)} {one_line(task.description)}: {one_line(task.context)}",
        )
        for number, task in enumerate(completed, start=1)
    ]
    waiting = [conflict_piece(conflict, words["conflict"].format(number)) for number, conflict in conflicts.items()]
    images = [fixed_piece(image.id, f"{image.id}: {one_line(image.name)}") for image in agent_input.images]
    new = [fixed_piece(node.id, one_line(node.context)) for node in agent_input.new_nodes]
    conversation = [
        fixed_piece(
            f"earlier task {number}",
            f"{words['asked']}{one_line(task.asked)}\n{words['found']}{one_line(task.found)}",
        )
        for number, task in enumerate(agent_input.conversation, start=1)
    ]

    def build(texts: Mapping[str, str]) -> str:
        lists = (needed[:1], conversation, done, needed[1:], waiting, images, new)
        sections = zip(_HEADINGS[language], lists, ("goal", *[FENCE] * 6), strict=True)
        shown = (_section(heading, fence, pieces, texts) for heading, pieces, fence in sections)
        return "\n\n".join(section for section in shown if section)

    # The longest list is cut first: the last conflicts and images, the oldest tasks, the last nodes.
    groups = zip_longest(waiting, images, done[::-1], conversation[::-1], new)
    pieces = [*needed, *(piece for group in groups for piece in group if piece is not None)]
    fitted = fit(consultation, system, build, pieces, len(needed))
    reply = consultation.ask(system, fitted.prompt, PlanningReply)
    return reply, {number: conflict for number, conflict in conflicts.items() if conflict.id in fitted.shown}


# -- from the reply to a plan ------------------------------------------------------------------------------------


def _completed(agent_input: PlanningInput, found: str) -> CompletedTask | None:
    """The finished task; only what it found is in the model's words, and of a verification the verdict itself."""
    task, step = agent_input.insight_doc.current_task, agent_input.last_step
    if task is None or step is None:
        return None
    said = "" if task.type == "CROSS_VALIDATE" else found
    finding = one_paragraph(unescape_quote(said), FOUND_CHARACTERS)
    finding = finding or shorten(one_line(step.found), FOUND_CHARACTERS)
    return task.completed("failed" if step.failed else "success", finding)


def _next_task(
    agent_input: PlanningInput,
    completed: CompletedTask | None,
    conflicts: Mapping[int, Conflict],
    reply: PlanningReply,
    consultation: Consultation,
) -> NextTask | None:
    description = one_paragraph(unescape_quote(reply.next_description), TASK_CHARACTERS)
    if agent_input.images and (reply.done or reply.next_type == "NORMAL"):  # read every image, whatever the model says
        named = set(_WORD.findall(description))
        return image_task(next((image for image in agent_input.images if image.id in named), agent_input.images[0]))
    if reply.done:
        if agent_input.last_step is None:
            consultation.refuse(Wording("nothing has been done yet: name the first step"))
        if description:
            consultation.drop(Wording("a step planned after the end: {text}", text=description))
        return None
    if reply.next_type == "CROSS_VALIDATE":
        if (conflict := conflicts.get(reply.conflict)) is not None:
            return verification_task(conflict)
        open_numbers = f"open are {', '.join(map(str, conflicts))}" if conflicts else "none is open"
        consultation.refuse(f"CROSS_VALIDATE names conflict {reply.conflict}, which is not open; {open_numbers}")
    if not description:
        consultation.refuse(Wording("the next step has no description: say what is to be done, or that all is done"))
    if not agent_input.new_nodes and _already_succeeded(
        description, agent_input.insight_doc.completed_tasks, completed
    ):
        consultation.refuse(
            Wording(
                "this step was already done and brought nothing new since: name another step, or say that all is done"
            )
        )
    return NextTask(type="NORMAL", description=description)


def _already_succeeded(description: str, done: Iterable[CompletedTask], completed: CompletedTask | None) -> bool:
    """Whether a NORMAL task with the same description has succeeded before."""
    tasks = [*done, *((completed,) if completed else ())]
    descriptions = [
        " ".join(task.description.casefold().split())
        for task in tasks
        if (task.type, task.status) == ("NORMAL", "success")
    ]
    return description.casefold().rstrip(" .。") in (done.rstrip(" .。") for done in descriptions)


# -- the prompt --------------------------------------------------------------------------------------------------


def _last_step_pieces(agent_input: PlanningInput, words: Mapping[str, str]) -> list[Piece]:
    task, step = agent_input.insight_doc.current_task, agent_input.last_step
    if task is None or step is None:
        return []
    head = f"{_kind(task.type, 'failed' if step.failed else 'success', words)} {one_line(task.description)}"
    return [Piece("the last step", lambda found, _lines: f"{head}\n{words['found']}{found}", step.found.strip())]


def _kind(kind: str, status: str, words: Mapping[str, str]) -> str:
    return f"[{words.get(kind, kind)}, {words.get(status, status)}]"


def _section(heading: str, fence: str, pieces: Sequence[Piece], texts: Mapping[str, str]) -> str:
    shown = [texts[piece.id] for piece in pieces if piece.id in texts]
    return f"{heading}\n{fenced(fence, chr(10).join(shown))}" if shown else ""


_ROLE: dict[Language, str] = {
    "en": (
        "You plan the work on a person's goal, one step at a time. Someone else carries out each step, with tools to "
        "search memory and sources. Decide the one next step:\n"
        "- next_type CROSS_VALIDATE with the number of a conflict: where a waiting conflict must be settled to answer "
        "the goal.\n"
        "- next_type NORMAL: where the goal is not reached. next_description says exactly what to find out, with the "
        "names and dates that the goal gives. Prefer the question itself; take it apart only where one step cannot "
        "answer it. What failed twice is not planned again.\n"
        "- done: when the last step has answered the goal, or nothing more can be found.\n"
        "finished_context: in one or two sentences what the last step found, or why it failed. In sentences call "
        "things by name, never by number."
    ),
    "zh": (
        "你为一个人的目标制定计划，每次只定一步。每一步由别人执行，他可以检索记忆和资料。请决定唯一的下一步：\n"
        "- next_type 为 CROSS_VALIDATE 并给出冲突编号：必须先解决某个待核查的冲突才能回答目标时。\n"
        "- next_type 为 NORMAL：目标尚未达到时。next_description 写明具体要查清什么，并带上目标中的名称和日期。"
        "优先直接回答问题本身，一步无法回答时才拆分。失败两次的不再安排。\n"
        "- done：上一步已经回答了目标，或再也查不到更多时为 true。\n"
        "finished_context：用一两句话说明上一步发现了什么，或为何失败。文字中用名称，不用编号。"
    ),
}
_WORDS: dict[Language, dict[str, str]] = {
    "en": {"asked": "asked: ", "found": "found: ", "conflict": "conflict {}: "},
    "zh": {
        "asked": "提问：",
        "found": "结果：",
        "conflict": "冲突 {}：",
        "NORMAL": "步骤",
        "CROSS_VALIDATE": "核查",
        "success": "成功",
        "failed": "失败",
    },
}
_HEADINGS: dict[Language, tuple[str, str, str, str, str, str, str]] = {
    "en": (
        "The person's goal:",
        "Earlier in this conversation, oldest first (the goal may refer to it):",
        "Done so far, oldest first:",
        "The last step:",
        "Conflicts waiting:",
        "Images waiting:",
        "New in memory since the last plan:",
    ),
    "zh": (
        "目标：",
        "此前的对话，从旧到新（目标可能指涉其中内容）：",
        "已完成，从旧到新：",
        "上一步：",
        "待核查的冲突：",
        "待读的图片：",
        "上次计划以来记忆中的新内容：",
    ),
}
