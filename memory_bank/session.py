"""A session: one task from upload to answer. `run()` is THE loop, and a generator of the events it records.

The loop keeps no state of its own: at every point it asks the bank what is not done yet. So a run that was
paused, cancelled or killed goes on from its log by the same code that started it.
"""

from __future__ import annotations

import hashlib
import shutil
import threading
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal

import httpx2

from memory_bank.adapter import Adapter
from memory_bank.agents.agent import Engine
from memory_bank.agents.planning import PLANNING, NewNode, PlanningInput, PlanningOutput, StepReport
from memory_bank.agents.react import REACT, EnhancedPrompt, Framework, StepResult
from memory_bank.agents.research import RESEARCH
from memory_bank.answering import compose_answer
from memory_bank.attachment_content import AttachmentContent, content_of
from memory_bank.bank.answer import Answer
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Verdict
from memory_bank.bank.event_log import LOG_NAME, EventLog, read_events
from memory_bank.bank.insight_doc import CompletedTask, CurrentTask
from memory_bank.bank.source import Role
from memory_bank.bank.transfer import export_session
from memory_bank.clock import Clock, SystemClock
from memory_bank.decisions import Decisions
from memory_bank.durable_files import write_output
from memory_bank.embedding_choice import Choice, as_begun, choose
from memory_bank.engines.fallback import Account, FallbackEngine
from memory_bank.engines.llm.client import ModelClients
from memory_bank.engines.llm.engine import ModelEngine
from memory_bank.engines.llm.react import ModelFramework
from memory_bank.engines.offline.engine import OfflineEngine, OfflineFramework
from memory_bank.errors import (
    AgentError,
    BudgetError,
    CorruptLogError,
    LongTermError,
    MemoryBankError,
    SessionNotFoundError,
    StorageError,
    ToolError,
    UnreadableImageError,
    UsageError,
)
from memory_bank.events import (
    AnswerGiven,
    Event,
    Notice,
    PlanUpdated,
    PromptEnhanced,
    SessionCreated,
    SourceAdded,
    StatusChanged,
    TextStreamed,
)
from memory_bank.ingestion import Ingestion
from memory_bank.judgement.judge import PairJudge, shared_judge, why_without
from memory_bank.judgement.reader import shared_reader
from memory_bank.long_term.memory import LongTermMemory
from memory_bank.long_term.opening import shared_memory
from memory_bank.long_term.owner import Owner, read_owner, write_owner
from memory_bank.modules.embedding import Embedder, load_embedder
from memory_bank.modules.milvus_vectors import MilvusStore
from memory_bank.modules.retrieval import RetrievalSettings
from memory_bank.modules.vector_index import VectorIndex, Vectors
from memory_bank.pipeline import Events, Pipeline
from memory_bank.recall import Recall
from memory_bank.recorder import Budget, Recorder
from memory_bank.remembering.continuity import Continuity
from memory_bank.remembering.keeping import Keeping
from memory_bank.remembering.recollection import Recollection
from memory_bank.session_store import SessionStore, Upload, clean_name, keep, new_session_id
from memory_bank.settings import AGENTS, Settings
from memory_bank.source_comparison import SourceComparison
from memory_bank.source_reader import PagesRead, SourceReader
from memory_bank.step_memory import StepMemory
from memory_bank.task_kind import UNDERSTOOD, TaskKind
from memory_bank.tools.lasting import LastingTools
from memory_bank.tools.reference_library import ReferenceLibrary
from memory_bank.tools.toolbox import Toolbox
from memory_bank.tools.web import NO_WEB, Web
from memory_bank.waiting_images import WaitingImages, sweep

_LIMITS = {
    "call_limit": "{0.max_llm_call_per_run} requests (MAX_LLM_CALL_PER_RUN)",
    "token_limit": "{0.max_context_tokens} tokens of context (MAX_CONTEXT_TOKENS)",
}


_OVER = ("finished", "cancelled")


def no_memory() -> LongTermMemory:
    """Where nobody said where long-term memory is: `LongTermError`."""
    raise LongTermError("it is not set up here")


@dataclass(frozen=True)
class Parts:
    """What a session is built with, so that tests and other programs can put their own in place."""

    clock: Clock
    embedder: Embedder
    engines: Mapping[str, Engine]
    framework: Framework
    web: Web = NO_WEB
    vectors: Callable[[int], Vectors] = VectorIndex
    pair_judge: PairJudge = field(default_factory=shared_judge)
    memory: Callable[[], LongTermMemory] = no_memory

    @classmethod
    def standard(cls, settings: Settings, *, network: httpx2.BaseTransport | None = None) -> Parts:
        """The parts that the settings name; `network` stands in for the way to models and web, in tests."""
        embedder = load_embedder(settings.embedding_model, settings.embedding_cache)
        judge = shared_judge()
        offline = OfflineEngine(embedder, judge)
        clients = ModelClients(settings, network, embedder.count_tokens)
        engines: dict[str, Engine] = {
            name: offline
            if settings.provider(name) == "offline"
            else ModelEngine(clients.client(name), settings.agent(name).window, embedder, judge)
            for name in AGENTS
            if name != REACT
        }
        given = settings.task_kind
        kind = None if given == "auto" else given
        framework: Framework = OfflineFramework(embedder, judge, kind=kind)
        if settings.provider(REACT) != "offline":
            framework = ModelFramework(clients.client(REACT), settings, embedder, judge)
        vectors = VectorIndex if settings.vector_uri is None else MilvusStore(settings.vector_uri).vectors
        parts = cls(SystemClock(), embedder, engines, framework, Web.of(settings, transport=network), vectors)
        return parts.with_memory_of(settings)

    def with_memory_of(self, settings: Settings) -> Parts:
        """These parts with the long-term memory that some settings name: its model is not chosen for a session."""
        return replace(self, memory=partial(shared_memory, settings))

    @classmethod
    def asking(cls, settings: Settings) -> Parts:
        """The parts to ask a memory with, which is indexed in this process whatever `VECTOR_URI` says."""
        return cls.standard(settings.model_copy(update={"vector_uri": None}))

    def researcher(self, account: Account | None = None) -> Engine:
        """Who judges research: a model with the embedded engine behind it, or whoever else is there."""
        engine = self.engines[RESEARCH]
        if not engine.remote:
            return engine
        return FallbackEngine(engine, OfflineEngine(self.embedder), account, self.clock.sleep)


class Session:
    """One task. Create or open it, iterate over `run()`, read `answer` and `bank`, `export` it."""

    def __init__(self, folder: Path, settings: Settings, parts: Parts, owner: Owner | None = None) -> None:
        self.folder = folder
        self.settings = settings
        self._parts = parts
        budget = Budget(settings.max_total_tokens, settings.max_cost_usd, settings.parallel_calls)
        self._recorder = Recorder(EventLog(folder), parts.clock, parts.engines, budget)
        self.bank: Bank = self._recorder.bank
        retrieval = RetrievalSettings(k=settings.retrieval_k, alpha=settings.retrieval_alpha)
        self._recall = Recall(self.bank, parts.embedder, parts.pair_judge, retrieval, parts.vectors)
        self._pipeline = Pipeline(self._recorder, self._recall, settings)
        self._reader = SourceReader(folder, lambda: self.stopping)
        self._images = WaitingImages(waiting_folder(settings, folder.parent), f"doc-{folder.name}")
        self._ingestion = Ingestion(self._recorder, self._pipeline, self._reader, folder, self._images)
        self._decisions = Decisions(self._recorder, self._pipeline)
        self.owner = owner
        continuity, embedded = Continuity(self._recorder, self.owner, parts.memory), OfflineEngine(parts.embedder)
        self._recollection = Recollection(continuity, self._pipeline, embedded, settings.long_term_query)
        self._keeping = Keeping(continuity, embedded)
        self._memory = StepMemory(
            self._recorder, self._recall, self._pipeline, self._images, self._recollection, settings
        )
        library = ReferenceLibrary(self.bank, self._reader, parts.embedder)
        lasting = None if self.owner is None else LastingTools(self.owner, continuity, self._keeping)
        researcher = parts.researcher(self._recorder)
        self._comparison = SourceComparison(
            self._recorder, self._pipeline, library, parts.embedder, parts.pair_judge, lambda: self.stopping
        )
        self._tools = Toolbox(self.bank, self._recall, library, researcher, parts.web, lasting)
        self.adapter = Adapter(self, self._recorder, self._tools, parts.embedder, parts.pair_judge)
        self.unrecorded: str | None = None  # why the last run ended, where the disk did not take that
        self._wanted: StatusChanged | None = None
        self._asking = threading.Lock()
        self._running = threading.Lock()

    # -- beginning and opening -------------------------------------------------------------------------------

    @classmethod
    def create(  # noqa: PLR0913 - the person's four kinds of input, and what the session is built with
        cls,
        task: str,
        documents: Iterable[Path | Upload] = (),
        sources: Iterable[Path | Upload] = (),
        *,
        settings: Settings | None = None,
        sessions: Path | None = None,
        session_id: str | None = None,
        parts: Parts | None = None,
        owner: Owner | None = None,
    ) -> Session:
        """Begin a session: the files are copied into its folder and nothing else happens until `run`.

        `documents` is material to work on, images too, `sources` the reference library to check against. With an
        `owner` it uses that user's long-term memory, else none. A path that cannot be read raises `OSError`; what is
        in a file is looked at only when the session runs.
        """
        given: list[tuple[Path | Upload, Role]] = [(item, "material") for item in documents]
        given += [(item, "reference") for item in sources]
        for item, _role in given:
            _check_readable(item)
        choice = Choice(settings or Settings())
        if parts is None:
            choice = choose(choice.settings, task, (_upload(item) for item, _role in given))
            parts = Parts.standard(choice.settings).with_memory_of(settings or Settings())
        session_id = session_id or new_session_id()
        store = SessionStore(sessions or choice.settings.storage_dir)
        store.sweep()
        sweep(waiting_folder(choice.settings, store.folder), lambda doc_id: _may_be_read(store, doc_id))
        session = cls(store.create(session_id), choice.settings, parts, owner)
        session._begin(session_id, task, given, choice.notice)
        return session

    @classmethod
    def open(
        cls,
        session_id: str,
        *,
        settings: Settings | None = None,
        sessions: Path | None = None,
        parts: Parts | None = None,
    ) -> Session:
        """A session of the store, as its log left it. `SessionNotFoundError`, `CorruptLogError`."""
        settings = settings or Settings()
        folder = SessionStore(sessions or settings.storage_dir).find(session_id)
        given, settings = settings, as_begun(settings, next(read_events(folder / LOG_NAME), None))
        parts = parts or Parts.standard(settings).with_memory_of(given)
        session = cls(folder, settings, parts, read_owner(folder))
        if not session.events:
            raise CorruptLogError(f"session {session_id} died before its first event was written; start it anew")
        return session

    def _begin(self, session_id: str, task: str, given: Iterable[tuple[Path | Upload, Role]], notice: str) -> None:
        """Record what is given; a session is there only when all of it is, and nothing is left of one that fails."""
        self._recorder.log.draft()
        try:
            self._record_given(session_id, task, given, notice)
            self._recorder.log.publish()
        except BaseException:
            self._images.clear()
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        finally:
            self.close()

    def _record_given(
        self, session_id: str, task: str, given: Iterable[tuple[Path | Upload, Role]], notice: str
    ) -> None:
        engine = {name: self._parts.engines[name].choice for name in AGENTS if name != REACT}
        engine[REACT] = self._parts.framework.choice
        self._record(
            SessionCreated(
                session_id=session_id,
                doc_id=f"doc-{session_id}",
                task_goal=task.encode("utf-8", "replace").decode(),
                engine=engine,
                settings=self.settings.public(),
            )
        )
        if self.owner is not None:
            write_owner(self.folder, self.owner)
        for upload, role in self._once_each(given):
            source = keep(upload, self.bank.next_id("s"), role, self.folder, self._images)
            self._record(SourceAdded(source=source))
        embedded, unjudged = self._parts.framework.choice.provider == "offline", why_without()
        understood = UNDERSTOOD[self._kind(task)] if embedded and unjudged is None else None
        for message in (notice, unjudged, understood):
            if message:
                self._record(Notice(message=message))

    def _kind(self, task: str) -> TaskKind:
        """What the embedded engine takes a task for."""
        given = self.settings.task_kind
        return shared_reader().kind(task) if given == "auto" else given

    def _once_each(self, given: Iterable[tuple[Path | Upload, Role]]) -> Generator[tuple[Upload, Role], None, None]:
        """The files, one at a time in memory, without those that came before in the same role, each of which is told.

        One of another name stays: two documents that say the same are two sources of one text.
        """
        seen: set[tuple[str, bytes, Role]] = set()
        for item, role in given:
            upload = _upload(item)
            name = clean_name(upload.name)
            file = (name, hashlib.sha256(upload.data).digest(), role)
            if file in seen:
                self._record(Notice(message=f"{name} was given twice and is taken once."))
            else:
                seen.add(file)
                yield upload, role

    # -- what a session shows --------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """The session's address: the name of its folder. An imported one keeps its old id inside."""
        return self.folder.name

    @property
    def answer(self) -> Answer | None:
        """The answer, once there is one."""
        return self.bank.answer

    @property
    def events(self) -> list[Event]:
        """Everything that happened so far, in order. Read only."""
        return self._recorder.log.events

    def export(self, path: Path | None = None, *, embeddings: bool = False, files: bool = False) -> str:
        """The session as JSON text, at any moment; also written to `path` where one is given.

        `embeddings` keeps the nodes' vectors in it, `files` the documents and images.
        """
        embed = (lambda texts: self._parts.embedder.embed(texts).tolist()) if embeddings else None
        text = export_session(self.events, embed, self.folder if files else None)
        if path is not None:
            write_output(path, text)
        return text

    def attachment(self, attachment_id: str) -> AttachmentContent:
        """The content of a file that an entry refers to. `ToolError` if there is none of that id, or it is not here."""
        attached = (found for entry in self.bank.trees for found in entry.attachments if found.id == attachment_id)
        if (attachment := next(attached, None)) is None:
            raise ToolError(f"no entry refers to a file {attachment_id[:80]!r}")
        return content_of(attachment, self.folder)

    def enhance(self) -> EnhancedPrompt:
        """The prompt for the current task, with the memory that bears on it. `ValueError` when there is none."""
        prompt = self._memory.enhance()
        if prompt.image is None or prompt.image.path.is_file():
            return prompt
        kept = prompt.image.model_copy(update={"path": self.folder / prompt.image.source.path})  # it was read already
        return prompt.model_copy(update={"image": kept})

    @property
    def reading(self) -> PagesRead | None:
        """The file that is being read and how many of its pages are, where one is. Safe to ask from any thread."""
        return self._reader.reading

    @property
    def stopping(self) -> bool:
        """Whether a pause or an end was asked for and is not recorded yet."""
        return self._wanted is not None

    @property
    def deciding(self) -> bool:
        """Whether the person decided something that is not recorded yet; `run` does that."""
        return self._decisions.asked

    # -- control ---------------------------------------------------------------------------------------------

    def pause(self) -> None:
        """Stop at the next event; `run` goes on from there. A session that has ended stays as it is."""
        self._want(StatusChanged(status="paused", reason="paused by the person"))

    def cancel(self) -> None:
        """Stop at the next event for good; what is recorded stays. A session that has ended stays as it is."""
        self._want(StatusChanged(status="cancelled", reason="cancelled by the person"))

    def _want(self, ending: StatusChanged) -> None:
        with self._asking:
            rests = self.bank.status == ending.status and not self._running.locked()  # a second wish for the same
            if not self._ended and not rests:
                self._wanted = ending

    def decide(self, conflict_id: str, verdict: Verdict | None, reason: str = "") -> None:
        """Decide a conflict as the person wants it, whatever was decided before; None lets it be verified again.

        May be called from any thread. A running session records it at its next event and carries it out before its
        next step; any other does so when it is run, a finished one too. `UsageError` when the session was cancelled,
        when there is no such conflict, or when it stands so already.
        """
        with self._asking:
            if "cancelled" in (self.bank.status, self._wanted and self._wanted.status):
                raise UsageError("this session was cancelled, which ended it for good; nothing in it can be decided")
            self._decisions.ask(conflict_id, verdict, reason)

    def close(self) -> None:
        """Let go of the log file, and of what lies in a vector database."""
        try:
            self._recorder.log.close()
        finally:
            self._recall.close()

    # -- the loop --------------------------------------------------------------------------------------------

    def run(self) -> Generator[Event, None, None]:
        """Do what is left to do, yielding each event once it is recorded.

        Ends when the work is done, when it was paused or cancelled, or with an exception that is no agent's
        failure; that one is recorded as the session's end before it is raised. `RunStoppedError` is one of these: a
        setting must be changed, then `run` goes on. A finished session has work again when the person decided a
        conflict.
        """
        if self._ended or not self._running.acquire(blocking=False):
            return
        self.unrecorded = None
        try:
            if self._wanted is not None and self._wanted.status == "cancelled":  # while nothing ran
                yield from self._end()
                return
            if self.bank.status != "running":
                yield self._record(StatusChanged(status="running"))
            yield from self._decisions.hear()
            with closing(self._work()) as work:  # closed before the next event: calls in flight are recorded first
                for event in work:
                    yield event
                    if event is self.events[-1]:  # else more was recorded with it, which is handed on first
                        yield from self._decisions.hear()
                    if self._stops_at(event):
                        break
            yield from self._end()
        except MemoryBankError as error:
            self._fail(str(error))
            raise
        except OSError as error:
            stopped = StorageError.of(error)
            self._fail(str(stopped))
            raise stopped from error
        except Exception as error:
            self._fail(f"{type(error).__name__}: {error}")
            raise
        finally:
            try:
                self.close()
            finally:
                self._running.release()

    def _fail(self, reason: str) -> None:
        """Record that the run failed; a disk that is full may not take that either, and then `unrecorded` says it."""
        try:
            self._end(failure=StatusChanged(status="failed", reason=reason))
        except (OSError, MemoryBankError):
            self.unrecorded = reason

    @property
    def _ended(self) -> bool:
        decided = self.deciding or bool(self.bank.decisions)
        return self.bank.status == "cancelled" or (self.bank.status == "finished" and not decided)

    def _stops_at(self, event: Event) -> bool:
        """Whether the run stops after an event. A pause waits for what is being said: it is paid for."""
        wanted = self._wanted
        return wanted is not None and not (wanted.status == "paused" and isinstance(event, TextStreamed))

    def _end(self, failure: StatusChanged | None = None) -> list[Event]:
        """Record how the run ended: cancelled, by a failure, else as it was asked to, else because all is done.

        What was decided in its last moment is recorded first, unless all is done: then another run does that. A wish
        to cancel that cannot be recorded stays.
        """
        with self._asking:
            wanted = self._wanted
            cancelled = wanted is not None and wanted.status == "cancelled"
            if not cancelled:
                self._wanted = None
            ending = wanted if cancelled else failure or wanted
            if ending is None:
                ended = [self._record(StatusChanged(status="finished"))]
            else:
                ended = [*self._decisions.hear(), self._record(ending)]
                self._wanted = None
            if self.bank.status in _OVER:
                self._images.clear()
            return ended

    def _work(self) -> Events:
        try:
            yield from self._until_done()
        finally:
            self._keeping.stop()

    def _until_done(self) -> Events:
        while True:
            unfinished = ""
            try:
                yield from self._steps()
            except BudgetError as error:
                unfinished = f"the budget is spent: {error}"
                yield self._record(Notice(message=f"The budget is spent: {error}. The answer is the best so far."))
                yield from self._decisions.take_effect()
                yield from self._leave_spent()
            yield from self._answer(unfinished)
            yield from self._keeping.end()
            if not self.bank.decisions:  # else the person decided something meanwhile
                return

    def _steps(self) -> Events:
        yield from self._recollection.begin()
        for source in list(self.bank.sources.values()):
            if source.id not in self.bank.ingested and not source.is_image:
                yield from self._ingestion.read(source)
        yield from self._comparison.compare()
        while (yield from self._advance()):
            yield from self._keeping.between_steps()

    def _advance(self) -> Generator[Event, None, bool]:
        """Do the next thing there is to do; False when nothing is left.

        A step that has begun is finished before anything that a person decided takes effect.
        """
        bank, task = self.bank, self.bank.insight_doc.current_task
        if task is None and bank.plans_since_answer > self.settings.max_steps:
            return False
        if self._plan_key in bank.judgements:  # the run ended before what is planned took effect
            yield from self._plan(None)
        elif task is not None and self._begun(task):
            return (yield from self._take(task))
        elif (yield from self._decisions.advance()):
            pass
        elif task is not None:
            return (yield from self._take(task))
        elif not bank.planned:
            yield from self._plan(None)
        elif bank.ask_again or self._verdict_unused():
            goal = CurrentTask(id=self._next_task_id, type="NORMAL", description=bank.insight_doc.task_goal)
            yield self._record(PlanUpdated(completed=None, current=goal))
        else:
            return False
        return True

    def _verdict_unused(self) -> bool:
        """Whether planning ended on a verification, so that no step has answered with what it brought.

        A failed step is not begun again.
        """
        if self.bank.answer is not None and not self.bank.answer_stale:
            return False
        done = self.bank.insight_doc.completed_tasks[-1:]
        acted = [output for key, output in self.bank.judgements.items() if key.startswith(f"{REACT}/")]
        verified = bool(acted) and bool(acted[-1].get("verification"))
        return verified and bool(done) and (done[0].type, done[0].status) == ("CROSS_VALIDATE", "success")

    def _take(self, task: CurrentTask) -> Generator[Event, None, bool]:
        """Do a step and plan the next; False when there may be no more."""
        report = yield from self._step(task)
        if self.bank.plans_since_answer >= self.settings.max_steps:
            yield from self._stop_at_limit(report)
            return False
        yield from self._plan(report)
        return True

    # -- one step --------------------------------------------------------------------------------------------

    def _begun(self, task: CurrentTask) -> bool:
        judged = f"{REACT}/{task.id}" in self.bank.judgements
        return judged or task.id in self.bank.prompted or self._verified(task) is not None

    def _step(self, task: CurrentTask) -> Generator[Event, None, StepReport]:
        conflict = self.bank.conflicts.get(task.conflict_id) if task.conflict_id else None
        if conflict is not None and conflict.decided_by == "person":
            found = f"A person decided: {conflict.verdict}. {conflict.reason}"
            return StepReport(failed=False, found=found, new_nodes=0)
        if (refused := self.bank.refused_image(task)) is not None:  # the run ended before that was planned on
            return StepReport(failed=True, found=refused, new_nodes=0)
        image = self.bank.waiting_image(task)
        try:
            result = yield from self._act(task)
            if image is not None and result.image is not None:
                yield from self._ingestion.take(image, result.answer, result.image)
            else:
                yield from self._memory.intercept(result)
        except AgentError as error:  # recorded as AgentFailed; the task fails and the run goes on
            if image is not None:
                yield self._ingestion.refuse(image, error.reason)
            return StepReport(failed=True, found=error.reason, new_nodes=0)
        brought = f"{task.id if image is None else image.id}."  # before a crash too
        new_nodes = sum(unit.startswith(brought) for unit in self.bank.units)
        return StepReport(failed=False, found=result.answer, new_nodes=new_nodes)

    def _verified(self, task: CurrentTask) -> StepResult | None:
        """The result of an earlier step that gave the verdict on the task's conflict, which no merge has followed."""
        conflict = self.bank.conflicts.get(task.conflict_id) if task.conflict_id else None
        if conflict is None or conflict.decided_by != "agent":
            return None
        outputs = (output for key, output in self.bank.judgements.items() if key.startswith(f"{REACT}/"))
        results = (StepResult.model_validate(output) for output in outputs if output.get("verification"))
        given = [r for r in results if r.verification and r.verification.conflict_id == conflict.id]
        return given[-1] if given else None  # the verdict may have been reopened and given anew

    def _act(self, task: CurrentTask) -> Generator[Event, None, StepResult]:
        if (verified := self._verified(task)) is not None:
            return verified
        key = f"{REACT}/{task.id}"
        if key in self.bank.judgements:
            return StepResult.model_validate(self.bank.judgements[key])
        prompt = self.enhance()
        if task.id not in self.bank.prompted:
            node_ids = tuple(node.id for node in prompt.nodes)
            yield self._record(PromptEnhanced(task_id=task.id, node_ids=node_ids, left_out=prompt.left_out))
        result = yield from self._carried_out(prompt)
        if result.ended != "answer":
            limit = _LIMITS[result.ended].format(self.settings)
            yield self._record(Notice(message=f"Step {task.id} reached its limit: {limit}; it answered at once."))
        return result

    def _carried_out(self, prompt: EnhancedPrompt) -> Generator[Event, None, StepResult]:
        """The step's result; an image that the framework does not see, or could not read, is read without a model."""
        framework = self._parts.framework
        if prompt.image is None:
            return (yield from self._recorder.act(framework, prompt, self._tools))
        if framework.sees:
            try:
                return (yield from self._recorder.act(framework, prompt, self._tools))
            except UnreadableImageError:
                raise
            except AgentError as error:
                name = prompt.image.source.name
                message = f"The model could not read {name} ({error.reason}); the embedded engine reads it."
                yield self._record(Notice(message=message))
        return (yield from self._recorder.act(OfflineFramework(self._parts.embedder), prompt, self._tools))

    # -- planning and answer ---------------------------------------------------------------------------------

    def _plan(self, report: StepReport | None) -> Events:
        doc = self.bank.insight_doc
        graph = self.bank.query_graph
        given = PlanningInput(
            insight_doc=doc,
            new_nodes=tuple(
                NewNode(id=node.id, summary=node.summary, context=node.context, keywords=node.keywords)
                for node in (graph[found] for found in self.bank.unplanned if found in graph)
            ),
            open_conflicts=tuple(self.bank.plannable_conflicts(failed_now=report is not None and report.failed)),
            images=tuple(self.bank.waiting_images()),
            last_step=report,
            conversation=self._recollection.given.conversation,
        )
        try:
            output: PlanningOutput = yield from self._recorder.judge(PLANNING, self._plan_key, given)
        except AgentError as error:  # recorded; the run must not end because of one answer
            yield self._record(
                Notice(message=f"Planning failed ({error.reason}); the embedded engine plans this step.")
            )
            output = OfflineEngine(self._parts.embedder).judge(PLANNING, given).output
        following = output.next_task
        current = following and CurrentTask(
            id=self._next_task_id,
            type=following.type,
            description=following.description,
            conflict_id=following.conflict_id,
        )
        yield self._record(PlanUpdated(completed=output.completed, current=current))

    def _stop_at_limit(self, report: StepReport) -> Events:
        limit = self.settings.max_steps
        message = f"Stopped after {limit} steps, the limit (MAX_STEPS); the answer is the best so far."
        yield self._record(Notice(message=message))
        yield from self._leave_task(report.found[:300], "failed" if report.failed else "success")

    def _leave_spent(self) -> Events:
        """End the current task when nothing may be spent any more: it is done, or it is not."""
        task = self.bank.insight_doc.current_task
        output = self.bank.judgements.get(f"{REACT}/{task.id}") if task else None
        if output is None:
            yield from self._leave_task("The budget was spent before this was done.")
        else:
            yield from self._leave_task(str(output["answer"])[:300], "success")

    def _leave_task(self, context: str, status: Literal["success", "failed"] = "failed") -> Events:
        """End the current task, if there is one, with nothing after it."""
        task = self.bank.insight_doc.current_task
        if task is not None:
            done = CompletedTask(type=task.type, description=task.description, status=status, context=context)
            yield self._record(PlanUpdated(completed=done, current=None))

    def _answer(self, unfinished: str) -> Events:
        if self.bank.answer is None or self.bank.answer_stale:
            results = [
                StepResult.model_validate(output)
                for key, output in self.bank.judgements.items()
                if key.startswith(f"{REACT}/") and not (output.get("verification") or output.get("image"))
            ]
            given = next((result for result in reversed(results) if result.answer or result.statements), None)
            yield self._record(AnswerGiven(answer=compose_answer(self.bank, given, unfinished)))

    @property
    def _next_task_id(self) -> str:
        return f"t{self.bank.plans + 1}"

    @property
    def _plan_key(self) -> str:
        return f"{PLANNING.name}/{self._next_task_id}"

    def _record(self, event: Event) -> Event:
        return self._recorder.record(event)


def waiting_folder(settings: Settings, sessions: Path) -> Path:
    """Where the images of all sessions in a folder wait. It is for nothing else: what is left in it is removed."""
    if settings.temp_dir is None:
        return sessions / ".waiting"
    return settings.temp_dir / f"memory-bank-{hashlib.sha256(str(sessions.resolve()).encode()).hexdigest()[:16]}"


def _may_be_read(store: SessionStore, doc_id: str) -> bool:
    """Whether the session of an Insight Doc is there and may still read its waiting images."""
    session_id = doc_id.removeprefix("doc-")
    try:
        return store.summary(session_id).status not in _OVER
    except SessionNotFoundError:  # also when a file of it was moved just now
        return store.begins(session_id) or session_id in store.ids()
    except CorruptLogError:  # it cannot go on
        return False


def _upload(item: Path | Upload) -> Upload:
    return item if isinstance(item, Upload) else Upload.read(item)


def _check_readable(item: Path | Upload) -> None:
    """`OSError` for a path that cannot be read: before anything of the session is there."""
    if isinstance(item, Path):
        with item.open("rb") as file:
            file.read(1)
