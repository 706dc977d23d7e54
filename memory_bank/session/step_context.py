"""Builds the prompt of a step from memory, and takes the step's results into memory."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import partial

from memory_bank.agents.agent import prompt_language
from memory_bank.agents.classification import CLASSIFICATION
from memory_bank.agents.react import SEARCH, VISIT, EnhancedPrompt, StepResult, WaitingImage
from memory_bank.bank.conflict import Conflict, Verification
from memory_bank.bank.events import TurnTaken
from memory_bank.bank.insight_doc import CurrentTask
from memory_bank.bank.interaction_tree import Attachment, Entry
from memory_bank.bank.message import Message
from memory_bank.bank.query_graph import Node
from memory_bank.bank.settings import Settings
from memory_bank.bank.source import Source
from memory_bank.judgement.conflict_relevance import conflicts_on_goal
from memory_bank.session.node_index import NodeIndex
from memory_bank.session.pipeline import Material, Pipeline
from memory_bank.session.recorder import Events, Recorder
from memory_bank.session.remembering import SessionMemory
from memory_bank.session.step_blocks import (
    CONFLICT_TOKENS,
    MOST_TOKENS,
    conflict_block,
    conflicts_block,
    finished_step_lines,
    memory_block,
    node_block,
    remembered_block,
    task_block,
)
from memory_bank.storage.atomic_files import sync_folder, write_whole
from memory_bank.storage.image_queue import WaitingImages
from memory_bank.storage.session_store import FILES

REMEMBERED_TOKENS = 1_000
"""Most tokens for the conversation and earlier tasks, in addition to the memory."""
DONE_SHARE, MEMORY_SHARE = 8, 3
"""Finished steps, what is remembered and the conflicts each get at most 1/8 of ReAct's window, the memory at most 1/3,
whatever the settings allow."""


@dataclass(eq=False)
class StepContext:
    """Builds the prompt of a step and takes its result into the layers."""

    recorder: Recorder
    recall: NodeIndex
    pipeline: Pipeline
    images: WaitingImages
    remembering: SessionMemory
    settings: Settings

    def __post_init__(self) -> None:
        self._bank = self.recorder.bank
        self._folder = self.recorder.log.folder

    def enhance(self) -> EnhancedPrompt:
        """The prompt for the current task: the Insight Doc and the memory that fits, newest first.

        The least relevant nodes are left out first. `ValueError` when there is no current task.
        """
        task = self._bank.insight_doc.current_task
        if task is None:
            raise ValueError("there is no current task to enhance a prompt for")
        conflict = self._bank.conflicts.get(task.conflict_id) if task.conflict_id else None
        image = self._bank.waiting_image(task)
        nodes, left_out = self._fitting_nodes(task, conflict)
        doc, window = self._bank.insight_doc, self.settings.react.window
        count_tokens = self.recall.embedder.count_tokens
        finished = finished_step_lines(doc, min(MOST_TOKENS, window // DONE_SHARE), count_tokens)
        remembered_tokens = min(REMEMBERED_TOKENS, window // DONE_SHARE)
        known = () if conflict or image else self._bearing_conflicts(task, nodes)
        understood = self._bank.understood
        return EnhancedPrompt(
            task=task,
            insight_doc=doc,
            nodes=nodes,
            left_out=left_out,
            conflict=conflict,
            text="\n".join(
                [
                    task_block(doc, finished),
                    *conflict_block(self._bank, conflict),
                    *conflicts_block(self._bank, known, min(CONFLICT_TOKENS, window // DONE_SHARE), count_tokens),
                    *remembered_block(
                        self.remembering.recalled, remembered_tokens, count_tokens, prompt_language(doc.task_goal)
                    ),
                    memory_block(self._bank, nodes),
                ]
            ),
            image=image and self._waiting_image(image),
            references=self._references(),
            kind=understood.kind if understood is not None and understood.by == "person" else None,
        )

    def _bearing_conflicts(self, task: CurrentTask, nodes: tuple[Node, ...]) -> list[Conflict]:
        """The conflicts that bear on a task: those about it, most relevant first, then those of the nodes shown.

        Of the latter none that is undecided and that the goal does not ask about.
        """
        conflicts, shown = list(self._bank.conflicts.values()), {node.id for node in nodes}
        question = f"{self._bank.insight_doc.task_goal} {task.description}"
        about = conflicts_on_goal(question, conflicts, self.recall.embedder)
        of_nodes = [each for each in conflicts if shown & {each.merged_into, *each.node_ids} and each not in about]
        return [*about, *(each for each in of_nodes if each.bears is not False or not each.undecided)]

    def _references(self) -> tuple[str, ...]:
        """Names of the reference sources, without those that a document of the material has too."""
        sources = self._bank.sources.values()
        others = {source.name for source in sources if source.role != "reference"}
        return tuple(source.name for source in sources if source.role == "reference" and source.name not in others)

    def _waiting_image(self, image: Source) -> WaitingImage:
        """The image with its file: among the waiting ones, or in the session's files if it was read already."""
        path = self.images.path(image.id)
        return WaitingImage(source=image, path=path if path.is_file() else self._folder / image.path)

    def _fitting_nodes(self, task: CurrentTask, conflict: Conflict | None) -> tuple[tuple[Node, ...], tuple[str, ...]]:
        """The nodes that fit the budget, newest first, and the ids of the others, by relevance."""
        graph = self._bank.query_graph
        needed = [*(conflict.node_ids if conflict else ()), *self.remembering.node_ids]
        retrieved = [hit.id for hit in self.recall.retrieve(task.description)]
        ranked = list(dict.fromkeys([*needed, *retrieved, *graph.neighbours(*retrieved)]))
        budget = min(self.settings.memory_tokens, self.settings.react.window // MEMORY_SHARE)
        fitting = 0
        for node_id in ranked:
            budget -= self.recall.embedder.count_tokens(node_block(self._bank, graph[node_id]))
            if budget < 0 and fitting:
                break
            fitting += 1
        newest_first = sorted(ranked[:fitting], key=lambda node_id: graph[node_id].timestamp, reverse=True)
        return tuple(graph[node_id] for node_id in newest_first), tuple(ranked[fitting:])

    def intercept(self, result: StepResult) -> Events:
        """Take a step's result into memory: verdicts are carried out, new tool results go through the pipeline.

        What the step read from memory is not stored again, nor what an earlier step got from the same source. Where a
        model reads, passages that a search found are kept only if the answer quotes them, and without a request.
        """
        task = self._bank.insight_doc.current_task
        if task is None:
            raise ValueError("there is no current task whose messages could be taken back")
        if result.verification is not None:
            verdicts = [result.verification, *filter(self._is_new, result.also)]
            yield from self.pipeline.resolve(verdicts, "agent", partial(self._record_of, task, result))
            return
        # Without what this step itself stored before a crash, which may not be analysed yet.
        stored = {
            (entry.metadata.get("source"), entry.text)
            for entry in self._bank.trees
            if entry.metadata.get("step") != task.id
        }
        for number, message in enumerate(result.messages, start=1):
            if message.is_material and message.content.strip():
                result_text = (_source_of(message), message.content)
                if result_text not in stored:
                    stored.add(result_text)
                    yield from self._take(self._material(task, number, message), message, result)

    def _take(self, material: Material, message: Message, result: StepResult) -> Events:
        if message.name != SEARCH or not self.recorder.engines[CLASSIFICATION.set_as].remote:
            yield from self.pipeline.remember(material)
            return
        quotes = [quote for statement in result.statements for quote in statement.quotes if quote.entry_id is None]
        if any(quote.source == _source_of(message) and quote.text in message.content for quote in quotes):
            yield from self.pipeline.keep(material)

    def _is_new(self, verification: Verification) -> bool:
        """Whether a further verdict is to be carried out: it is not yet, and no person decided."""
        known = self._bank.conflicts[verification.conflict_id]
        return known.status == "open" and known.decided_by != "person" and known.id not in self._bank.decisions

    def _record_of(self, task: CurrentTask, result: StepResult, verification: Verification) -> Entry:
        """The record of a verdict: the messages, and each passage of evidence under its source, to be cited."""
        text = "\n\n".join(message.content for message in result.messages)
        evidence = dict.fromkeys(f"{each.source}: {each.passage}" for each in verification.evidence)
        return Entry(
            id=self._bank.next_id("e"),
            text="\n\n".join([text, *(line for line in evidence if line not in text)]),
            created_at=self.recorder.clock.now(),
            metadata={
                "source": f"verification {verification.conflict_id}",
                "agent": "react",
                "step": task.id,
                "conflict_id": verification.conflict_id,
            },
        )

    def _material(self, task: CurrentTask, number: int, message: Message) -> Material:
        unit = f"{task.id}.m{number}"
        metadata = {"agent": "react", "step": task.id, "tool": message.name}
        attachments: tuple[Attachment, ...] = ()
        if message.name == VISIT and message.source:
            # The page is written before the record that refers to it; after a crash it is written again, the same.
            data, path = message.content.encode(), f"{FILES}/{unit}"
            write_whole(self._folder / path, data)
            sync_folder(self._folder / FILES)
            sha256 = hashlib.sha256(data).hexdigest()
            page = Attachment(
                id=unit, type="document", path=path, media_type="text/plain", bytes=len(data), sha256=sha256
            )
            attachments = (page,)
            turns = (event for event in self.recorder.log.events if isinstance(event, TurnTaken))
            times = (turn.at for turn in turns if turn.task_id == task.id and message in turn.turn.messages)
            metadata |= {"url": message.source, "visited_at": next(times, self.recorder.clock.now()).isoformat()}
        return Material(
            unit=unit,
            text=message.content,
            source=_source_of(message),
            title=message.title,
            page_at=lambda _offset: message.page,
            metadata=metadata,
            attachments=attachments,
        )


def _source_of(message: Message) -> str:
    return message.source or message.name or "tool result"
