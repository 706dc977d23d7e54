"""A session: one task from upload to answer. `Session` creates, opens, runs, controls and exports it."""

from __future__ import annotations

import hashlib
import shutil
import threading
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from memory_bank.agents.react import REACT
from memory_bank.bank.answer import Answer
from memory_bank.bank.bank import Bank
from memory_bank.bank.conflict import Verdict
from memory_bank.bank.errors import CorruptLogError, MemoryBankError, SessionNotFoundError, StorageError, UsageError
from memory_bank.bank.events import (
    Event,
    Notice,
    SessionCreated,
    SourceAdded,
    StatusChanged,
    TaskUnderstood,
    TextStreamed,
)
from memory_bank.bank.settings import AGENTS, Settings
from memory_bank.bank.source import Role
from memory_bank.bank.task_kind import TaskKind
from memory_bank.documents.source_reader import ReadingProgress
from memory_bank.judgement.judge import model_load_error
from memory_bank.judgement.reader import shared_reader
from memory_bank.long_term.opening import shared_memory
from memory_bank.long_term.owner import Owner, read_owner, write_owner
from memory_bank.session.adapter import Adapter
from memory_bank.session.embedding_choice import EmbeddingChoice, choose_embedding_model, settings_as_recorded
from memory_bank.session.loop import Loop
from memory_bank.session.wiring import Components, Parts, waiting_folder
from memory_bank.storage.atomic_files import write_output
from memory_bank.storage.event_log import LOG_NAME, read_events
from memory_bank.storage.image_queue import sweep
from memory_bank.storage.session_store import SessionStore, Upload, clean_name, new_session_id, store_upload
from memory_bank.storage.transfer import export_session
from memory_bank.text.wording import Wording

__all__ = ["Parts", "Session"]

_OVER = ("finished", "cancelled")
"""The statuses of a session that has ended."""
_Files = Sequence[tuple[Path | Upload, Role]]


class Session:
    """One task. Create or open it, iterate over `run()`, read `answer` and `bank`, `export` it."""

    def __init__(self, folder: Path, settings: Settings, parts: Parts, owner: Owner | None = None) -> None:
        self.folder = folder
        self.settings = settings
        self.owner = owner
        self.unrecorded: str | None = None  # why the last run failed, if that could not be recorded
        self._parts = parts
        self._components = Components(folder, settings, parts, owner, lambda: self.stopping)
        self._recorder = self._components.recorder
        self.bank: Bank = self._recorder.bank
        self._decisions = self._components.decisions
        self._requested: StatusChanged | None = None
        self._request_lock, self._run_lock = threading.Lock(), threading.Lock()
        self._loop = Loop(self._components, parts, settings)
        self.adapter = Adapter(self._components, parts, self.run, lambda: self.stopping)

    # -- creating and opening --------------------------------------------------------------------------------

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
        """Create a session: the files are copied into its folder, and nothing else happens until `run`.

        `documents` are the material to work on, images included; `sources` are the reference library to check against.
        With an `owner` the session uses that user's long-term memory, otherwise none. A path that cannot be read raises
        `OSError`; the content of a file is looked at only when the session runs.
        """
        files: list[tuple[Path | Upload, Role]] = [(item, "material") for item in documents]
        files += [(item, "reference") for item in sources]
        for path in (item for item, _role in files if isinstance(item, Path)):
            with path.open("rb") as file:  # `OSError` before anything of the session exists
                file.read(1)
        choice = EmbeddingChoice(settings or Settings())
        if parts is None:
            choice = choose_embedding_model(choice.settings, task, (_upload(item) for item, _role in files))
            parts = _standard_parts(choice.settings, settings or Settings())
        session_id = session_id or new_session_id()
        store = SessionStore(sessions or choice.settings.storage_dir)
        store.sweep()
        sweep(waiting_folder(choice.settings, store.folder), lambda doc_id: _needs_images(store, doc_id))
        session = cls(store.create(session_id), choice.settings, parts, owner)
        session._begin(session_id, task, files, choice.notice)
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
        current = settings or Settings()
        folder = SessionStore(sessions or current.storage_dir).find(session_id)
        settings = settings_as_recorded(current, Bank.replay(islice(read_events(folder / LOG_NAME), 1)).settings)
        session = cls(folder, settings, parts or _standard_parts(settings, current), read_owner(folder))
        if not session.events:
            raise CorruptLogError(
                Wording("session {session} died before its first event was written; start it anew", session=session_id)
            )
        return session

    def _begin(self, session_id: str, task: str, files: _Files, notice: str) -> None:
        """Record the first events. The session appears in the store only if all succeed; otherwise it is removed."""
        self._recorder.log.draft()
        engine = {name: self._parts.engines[name].choice for name in AGENTS if name != REACT}
        created = SessionCreated(
            session_id=session_id,
            doc_id=f"doc-{session_id}",
            task_goal=task.encode("utf-8", "replace").decode(),
            engine=engine | {REACT: self._parts.framework.choice},
            settings=self.settings.public(),
        )
        try:
            self._recorder.record(created)
            if self.owner is not None:
                write_owner(self.folder, self.owner)
            self._record_files(files)
            self._record_notices(task, notice)
            self._recorder.log.publish()
        except BaseException:
            self._components.images.clear()
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        finally:
            self.close()

    def _record_files(self, files: _Files) -> None:
        """Copy and record the files, one at a time in memory. A file given twice in the same role is taken once.

        The same content under another name is kept: two documents that say the same are two sources of one text.
        """
        seen: set[tuple[str, bytes, Role]] = set()
        for item, role in files:
            upload = _upload(item)
            name = clean_name(upload.name)
            file = (name, hashlib.sha256(upload.data).digest(), role)
            if file in seen:
                self._recorder.record(Notice(message=Wording("{file} was given twice and is taken once.", file=name)))
                continue
            seen.add(file)
            source = store_upload(upload, self.bank.next_id("s"), role, self.folder, self._components.images)
            self._recorder.record(SourceAdded(source=source))

    def _record_notices(self, task: str, notice: str) -> None:
        """Record notices on the choice of the model, on missing networks, and on how the task was understood."""
        without_networks, kind = model_load_error(), self.settings.task_kind
        for message in (notice, without_networks):
            if message:
                self._recorder.record(Notice(message=message))
        if self._parts.framework.choice.provider != "offline":
            return
        if kind != "auto":
            self._recorder.record(TaskUnderstood(kind=kind, by="person"))
        elif without_networks is None:
            self._recorder.record(TaskUnderstood(kind=shared_reader().kind(task), by="agent"))

    # -- reading ---------------------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """The name of the session's folder. An imported session keeps its old id inside."""
        return self.folder.name

    @property
    def answer(self) -> Answer | None:
        """The answer, once there is one."""
        return self.bank.answer

    @property
    def events(self) -> list[Event]:
        """Everything that happened so far, in order. Read only."""
        return self._recorder.log.events

    def export(self, path: str | Path | None = None, *, embeddings: bool = False, files: bool = False) -> str:
        """The session as JSON text, at any moment; also written to `path` if one is given.

        `embeddings` includes the vectors of the nodes, `files` the documents and images.
        """
        embed = (lambda texts: self._parts.embedder.embed(texts).tolist()) if embeddings else None
        text = export_session(self.events, embed, self.folder if files else None)
        if path is not None:
            write_output(Path(path), text)
        return text

    @property
    def reading(self) -> ReadingProgress | None:
        """The file that is being read now, with the number of pages read. Thread-safe."""
        return self._components.reader.reading

    @property
    def stopping(self) -> bool:
        """Whether a pause or a cancellation was requested and is not recorded yet."""
        return self._requested is not None

    @property
    def deciding(self) -> bool:
        """Whether a decision of the person is not recorded yet; `run` records it."""
        return self._decisions.asked

    # -- control ---------------------------------------------------------------------------------------------

    def pause(self) -> None:
        """Stop at the next event; `run` continues from there. A session that has ended stays as it is."""
        self._request(StatusChanged(status="paused", reason=Wording("paused by the person")))

    def cancel(self) -> None:
        """Stop at the next event for good; what is recorded stays. A session that has ended stays as it is."""
        self._request(StatusChanged(status="cancelled", reason=Wording("cancelled by the person")))

    def decide(self, conflict_id: str, verdict: Verdict | None, reason: str = "") -> None:
        """Decide a conflict for the person, whatever was decided before; None lets it be verified again.

        May be called from any thread. A running session records the decision at its next event and carries it out
        before its next step. Any other session does so when it is run, even a finished one. `UsageError` when the
        session was cancelled, when there is no such conflict, or when it is decided so already.
        """
        with self._request_lock:
            self._check_not_cancelled()
            self._decisions.ask(conflict_id, verdict, reason)

    def correct_kind(self, kind: TaskKind) -> None:
        """Say what the task is, where the embedded engine took it for something else: `run` answers it anew as that.

        May be called from any thread, at the same moments as `decide`. `UsageError` when the session was cancelled, or
        when a language model answers it.
        """
        with self._request_lock:
            self._check_not_cancelled()
            self._decisions.correct_kind(kind)

    @property
    def _cancelling(self) -> bool:
        """Whether a cancellation was requested and is not recorded yet."""
        requested = self._requested
        return requested is not None and requested.status == "cancelled"

    @property
    def _ended(self) -> bool:
        """Whether there is nothing to run: cancelled, or finished without a decision to carry out."""
        decided = self.deciding or bool(self.bank.decisions)
        return self.bank.status == "cancelled" or (self.bank.status == "finished" and not decided)

    def _request(self, ending: StatusChanged) -> None:
        with self._request_lock:
            repeated = self.bank.status == ending.status and not self._run_lock.locked()
            if not self._ended and not repeated:
                self._requested = ending

    def _check_not_cancelled(self) -> None:
        if self.bank.status == "cancelled" or self._cancelling:
            raise UsageError(
                Wording("this session was cancelled, which ended it for good; nothing in it can be decided")
            )

    def close(self) -> None:
        """Close the log file and remove the vectors from a vector database."""
        try:
            self._recorder.log.close()
        finally:
            self._components.recall.close()

    # -- running ---------------------------------------------------------------------------------------------

    def run(self) -> Generator[Event, None, None]:
        """Do the remaining work, yielding each event once it is recorded.

        Ends when the work is done, when the session was paused or cancelled, or with an exception. The failure of an
        agent raises none. The exception is recorded as the session's end before it is raised. After a `RunStoppedError`
        a setting must be changed before `run` can continue. A finished session has work again when the person decided
        a conflict.
        """
        if self._ended or not self._run_lock.acquire(blocking=False):  # there is at most one run at a time
            return
        self.unrecorded = None
        try:
            yield from self._run()
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
                self._run_lock.release()

    def _run(self) -> Generator[Event, None, None]:
        if self._cancelling:  # before the run began
            yield from self._end()
            return
        if self.bank.status != "running":
            yield self._recorder.record(StatusChanged(status="running"))
        yield from self._decisions.hear()
        with closing(self._loop.run()) as work:  # closed before the next event, to record running requests first
            for event in work:
                yield event
                if event is self.events[-1]:  # else more events were recorded together, and are yielded first
                    yield from self._decisions.hear()
                requested = self._requested
                # A pause waits for the end of a streamed text, which is paid for.
                if requested and not (requested.status == "paused" and isinstance(event, TextStreamed)):
                    break
        yield from self._end()

    def _end(self, failure: StatusChanged | None = None) -> list[Event]:
        """Record how the run ended: cancelled, failed, stopped as requested, or finished.

        Decisions queued at the last moment are recorded first, unless the session is finished: another run carries
        them out. A cancellation that cannot be recorded stays requested.
        """
        with self._request_lock:
            requested, cancelling = self._requested, self._cancelling
            if not cancelling:
                self._requested = None
            ending = requested if cancelling else failure or requested
            if ending is None:
                events = [self._recorder.record(StatusChanged(status="finished"))]
            else:
                events = [*self._decisions.hear(), self._recorder.record(ending)]
                self._requested = None
            if self.bank.status in _OVER:
                self._components.images.clear()
            return events

    def _fail(self, reason: str) -> None:
        """Record that the run failed; if that fails too, for example on a full disk, put the reason in `unrecorded`."""
        try:
            self._end(failure=StatusChanged(status="failed", reason=reason))
        except (OSError, MemoryBankError):
            self.unrecorded = reason


def _standard_parts(settings: Settings, memory_settings: Settings) -> Parts:
    """The parts by the session's settings. Long-term memory has its own: its model is not chosen for a session."""
    return replace(Parts.standard(settings), memory=partial(shared_memory, memory_settings))


def _needs_images(store: SessionStore, doc_id: str) -> bool:
    """Whether the session of an Insight Doc exists and may still read its waiting images."""
    session_id = doc_id.removeprefix("doc-")
    try:
        return store.summary(session_id).status not in _OVER
    except SessionNotFoundError:  # also when one of its files was moved just now
        return store.begins(session_id) or session_id in store.ids()
    except CorruptLogError:  # it cannot continue
        return False


def _upload(item: Path | Upload) -> Upload:
    return item if isinstance(item, Upload) else Upload.read(item)
