"""Memory in before a step, and what the step brought back into memory after it (section 3)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from datetime import datetime
from xml.sax.saxutils import escape

from memory_bank.agents.react import VISIT, EnhancedPrompt, StepResult, WaitingImage
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.insight_doc import CurrentTask, InsightDoc
from memory_bank.bank.interaction_tree import Attachment, Entry
from memory_bank.bank.message import Message
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.completed_tasks import MOST_TOKENS, told
from memory_bank.durable_files import sync_folder, write_whole
from memory_bank.engines.llm.window import SHORTEST_BODY, shorten
from memory_bank.events import TurnTaken
from memory_bank.long_term.record import Episode
from memory_bank.one_line import one_line
from memory_bank.pipeline import Events, Material, Pipeline
from memory_bank.recall import Recall
from memory_bank.recorder import Recorder
from memory_bank.remembering.recollection import Given, Recollection
from memory_bank.session_store import FILES
from memory_bank.settings import Settings
from memory_bank.waiting_images import WaitingImages

REMEMBERED_TOKENS = 1_000
"""Of the conversation and of earlier tasks, beside the memory."""
DONE_SHARE, MEMORY_SHARE = 8, 3
"""What part of ReAct's window the finished steps and the memory may take at most, however much is allowed them."""


class StepMemory:
    """Gives a step its prompt and takes what it brought into the layers."""

    def __init__(
        self,
        recorder: Recorder,
        recall: Recall,
        pipeline: Pipeline,
        images: WaitingImages,
        recollection: Recollection,
        settings: Settings,
    ) -> None:
        self._recorder = recorder
        self._bank = recorder.bank
        self._recall = recall
        self._pipeline = pipeline
        self._images = images
        self._recollection = recollection
        self._folder = recorder.log.folder
        self._settings = settings

    def enhance(self) -> EnhancedPrompt:
        """The prompt for the current task: the Insight Doc, and the memory that fits, newest first.

        The memory found worst is left out first. `ValueError` when there is no current task.
        """
        task = self._bank.insight_doc.current_task
        if task is None:
            raise ValueError("there is no current task to enhance a prompt for")
        conflict = self._bank.conflicts.get(task.conflict_id) if task.conflict_id else None
        image = self._bank.waiting_image(task)
        nodes, left_out = self._fitting(task, conflict)
        doc, window = self._bank.insight_doc, self._settings.react.window
        most = min(REMEMBERED_TOKENS, window // DONE_SHARE)
        done = told(doc, min(MOST_TOKENS, window // DONE_SHARE), self._recall.embedder.count_tokens)
        return EnhancedPrompt(
            task=task,
            insight_doc=doc,
            nodes=nodes,
            left_out=left_out,
            conflict=conflict,
            text="\n".join(
                [
                    task_block(doc, done),
                    *_conflict_block(conflict),
                    *remembered_block(self._recollection.given, most, self._recall.embedder.count_tokens),
                    memory_block(nodes),
                ]
            ),
            image=image and WaitingImage(source=image, path=self._images.path(image.id)),
        )

    def _fitting(self, task: CurrentTask, conflict: Conflict | None) -> tuple[tuple[Node, ...], tuple[str, ...]]:
        graph = self._bank.query_graph
        found = self._recall.with_neighbours(hit.id for hit in self._recall.retrieve(task.description))
        recalled = self._recollection.node_ids
        ranked = list(dict.fromkeys([*(conflict.node_ids if conflict else ()), *recalled, *found]))
        budget = min(self._settings.memory_tokens, self._settings.react.window // MEMORY_SHARE)
        fitting = 0
        for node_id in ranked:
            budget -= self._recall.embedder.count_tokens(_node_block(graph[node_id]))
            if budget < 0 and fitting:
                break
            fitting += 1
        newest_first = sorted(ranked[:fitting], key=lambda node_id: graph[node_id].timestamp, reverse=True)
        return tuple(graph[node_id] for node_id in newest_first), tuple(ranked[fitting:])

    def intercept(self, result: StepResult) -> Events:
        """Take a step's result into memory: a verification to Integration, new material the ordinary path.

        What the step read from memory is not stored again, nor what an earlier step brought from the same source.
        """
        task = self._bank.insight_doc.current_task
        if task is None:
            raise ValueError("there is no current task whose messages could be taken back")
        if result.verification is not None:
            record = self._verification_entry(task, result)
            yield from self._pipeline.resolve(result.verification, "agent", record)
            return
        # Not what this step itself stored before a crash: it may not be compared with the rest yet.
        stored = {
            (entry.metadata.get("source"), entry.text)
            for entry in self._bank.trees
            if entry.metadata.get("step") != task.id
        }
        for number, message in enumerate(result.messages, start=1):
            if message.role == "tool" and not message.from_memory and message.content.strip():
                brought = (_source_of(message), message.content)
                if brought not in stored:
                    stored.add(brought)
                    yield from self._pipeline.remember(self._material(task, number, message))

    def _material(self, task: CurrentTask, number: int, message: Message) -> Material:
        unit = f"{task.id}.m{number}"
        metadata = {"agent": "react", "step": task.id, "tool": message.name}
        attachments: tuple[Attachment, ...] = ()
        if message.name == VISIT and message.source:
            attachments = (self._kept(unit, message),)
            metadata |= {"url": message.source, "visited_at": self._came_at(task, message).isoformat()}
        return Material(
            unit=unit,
            text=message.content,
            source=_source_of(message),
            title=message.title,
            place=lambda _offset: message.page,
            metadata=metadata,
            attachments=attachments,
        )

    def _kept(self, unit: str, page: Message) -> Attachment:
        """A page that was visited, as a file: its text as it came, code in it too, which nobody runs.

        It is written before the record that refers to it, again after a crash, and then holds the same.
        """
        data, path = page.content.encode(), f"{FILES}/{unit}"
        write_whole(self._folder / path, data)
        sync_folder(self._folder / FILES)
        return Attachment(
            id=unit,
            type="document",
            path=path,
            media_type="text/plain",
            bytes=len(data),
            sha256=hashlib.sha256(data).hexdigest(),
        )

    def _came_at(self, task: CurrentTask, message: Message) -> datetime:
        """When a step's message came: with its turn, else just now."""
        turns = (event for event in self._recorder.log.events if isinstance(event, TurnTaken))
        came = (turn.at for turn in turns if turn.task_id == task.id and message in turn.turn.messages)
        return next(came, self._recorder.clock.now())

    def _verification_entry(self, task: CurrentTask, result: StepResult) -> Entry:
        text = "\n\n".join(message.content for message in result.messages)
        metadata = {
            "source": f"verification {task.conflict_id}",
            "agent": "react",
            "step": task.id,
            "conflict_id": task.conflict_id,
        }
        return Entry(id=self._bank.next_id("e"), text=text, created_at=self._recorder.clock.now(), metadata=metadata)


def _source_of(message: Message) -> str:
    return message.source or message.name or "tool result"


def task_block(doc: InsightDoc, done: Sequence[str] = ()) -> str:
    """The goal, what was done for it, a line for each finished step, and the task, marked up."""
    current = escape(doc.current_task.description) if doc.current_task else ""
    finished = "\n".join(done)
    return f"<task>\nGoal: {escape(doc.task_goal)}\nDone:\n{finished}\nNow: {current}\n</task>"


def _conflict_block(conflict: Conflict | None) -> list[str]:
    """The two claims of a conflict that is to be settled; nothing for another task."""
    if conflict is None:
        return []
    sides = zip(("first", "second"), conflict.sides, strict=True)
    lines = [f"{name} ({_source(claim)}): {one_line(claim.text)}" for name, side in sides for claim in side]
    return [f"<conflict>\n{escape(one_line(conflict.description))}\n{escape(chr(10).join(lines))}\n</conflict>"]


def _source(claim: Claim) -> str:
    return f"{claim.source}, p. {claim.page}" if claim.page else claim.source


def remembered_block(given: Given, most: int, count_tokens: Callable[[str], int]) -> list[str]:
    """The conversation so far and earlier tasks like this one, marked up, within so many tokens: the newest stay."""
    most_each = max(most // 3, SHORTEST_BODY)
    tasks = [
        f"- asked: {shorten(one_line(turn.asked), most_each, count_tokens)}"
        f"\n  found: {shorten(one_line(turn.result), most_each, count_tokens)}"
        for turn in given.turns
    ]
    earlier = [f"- {one_line(part)}" for episode in given.episodes for part in _experience(episode)]
    kept = list[str]()
    for line in (*reversed(tasks), *earlier):
        if (tokens := count_tokens(line)) <= most:
            most -= tokens
            kept.append(line)
    lines = [
        *(["This conversation so far:"] if kept and tasks else []),
        *(task for task in tasks if task in kept),
        *(["Earlier tasks like this one:"] if any(line in kept for line in earlier) else []),
        *(line for line in earlier if line in kept),
    ]
    return [f"<remembered>\n{escape(chr(10).join(lines))}\n</remembered>"] if lines else []


def _experience(episode: Episode) -> list[str]:
    """What an earlier task was, how it was gone about, and what was learned; what it found is in the memory."""
    steps = f"Steps: {'; '.join(episode.steps)}" if episode.steps else ""
    return [part for part in (f"Goal: {episode.goal}", steps, *episode.lessons) if part]


def memory_block(nodes: tuple[Node, ...]) -> str:
    """Nodes by their ids, with what they say, marked up."""
    return "<memory>\n" + "\n".join(_node_block(node) for node in nodes) + "\n</memory>"


def _node_block(node: Node) -> str:
    # Each part on its own line: nothing in a document can look like another node.
    keywords = one_line(", ".join(node.keywords))
    return escape(f"[{node.id}] {one_line(node.context)}\nkeywords: {keywords}\n{one_line(node.summary)}")
