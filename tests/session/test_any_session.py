"""Any sequence of what a session can record, and of what can happen to its log: all invariants, after each part of it.

One machine over the whole memory: the log on disk, the bank, a watcher's fold, the past and the indices. Each is
compared with what is made from scratch out of the log. `HYPOTHESIS_PROFILE=explore` looks for new sequences.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from memory_bank.bank.bank import Bank
from memory_bank.bank.errors import CorruptLogError, UsageError
from memory_bank.bank.events import Event
from memory_bank.bank.settings import Settings
from memory_bank.judgement.judge import shared_judge
from memory_bank.search.hash_embedder import HashEmbedder
from memory_bank.search.retrieval import DEFAULT_SETTINGS, Hit, Mode, RetrievalSettings
from memory_bank.search.vector_index import VectorIndex, VectorsLostError
from memory_bank.session.decisions import Decisions
from memory_bank.session.node_index import NodeIndex
from memory_bank.session.pipeline import Pipeline
from memory_bank.session.recorder import Recorder
from memory_bank.storage.event_log import LOG_NAME, EventLog, read_events
from memory_bank.storage.session_store import SessionStore
from memory_bank.storage.transfer import export_session, import_session
from memory_bank.views.snapshot import Moment
from memory_bank.views.snapshot_cache import Past
from memory_bank.views.timeline import Timeline
from tests.bank.invariants import check, state_of
from tests.bank.misfits import misfits
from tests.bank.story import MOVE, VERDICTS, Move, Story, content
from tests.step_clock import StepClock

pytestmark = pytest.mark.slow

EMBEDDER = HashEmbedder()
NUMBER = st.integers(0, 11)


def moves(*names: str) -> st.SearchStrategy[list[Move]]:
    return st.lists(st.tuples(st.sampled_from(names), NUMBER, NUMBER), min_size=2, max_size=12)


class LostWhenClosed(VectorIndex):
    """As in a database: what was closed is not there any more."""

    closed = False

    def close(self) -> None:
        self.closed = True

    def _here(self) -> None:
        if self.closed:
            raise VectorsLostError

    def set(self, item_id: str, vector: Any) -> None:
        self._here()
        super().set(item_id, vector)

    def nearest(self, vector: Any, count: int, without: Any = ()) -> Any:
        self._here()
        return super().nearest(vector, count, without)


class Recorded(Story):
    """A story that a session's own parts write down; `open` is what another process would find."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.clock = folder, StepClock()
        super().__init__()

    def open(self) -> None:
        self.recorder = Recorder(EventLog(self.folder), self.clock, {})
        self.bank, self.events = self.recorder.bank, self.recorder.log.events
        self.recall = recall_of(self.bank)
        self.decisions = Decisions(self.recorder, Pipeline(self.recorder, self.recall, Settings()))

    def tell(self, event: Event) -> None:
        self.recorder.record(event)


def recall_of(bank: Bank) -> NodeIndex:
    return NodeIndex(bank, EMBEDDER, shared_judge(), DEFAULT_SETTINGS, LostWhenClosed)


class AnySession(RuleBasedStateMachine):
    """What is recorded, decided, refused, cut off, exported and asked for, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp())
        self.store = SessionStore(self.place / "store")
        self.folder = self.store.create("told")
        self.story = Recorded(self.folder)
        self.moment, self.past = Moment(), Past(apart=3, most=4)
        self.states = [state_of(Moment())]
        self.follow()

    def follow(self) -> None:
        """A watcher takes note of the events that came, one at a time, and of how all is after each."""
        events = self.story.events
        for seq in range(len(self.states), len(events) + 1):
            self.past.follow(self.moment, events[:seq])
            self.states.append(state_of(self.moment))
            check(self.moment.bank, self.moment.events)

    # -- what a session records ------------------------------------------------------------------------------

    @initialize(told=st.lists(MOVE, min_size=15, max_size=30))
    def begin(self, told: list[Move]) -> None:
        self.story.play(told)

    @rule(told=moves("create", "create", "relate", "relate", "describe", "record", "read"))
    def learn(self, told: list[Move]) -> None:
        self.story.play(told)

    @rule(told=moves("dispute", "dispute", "support", "decide", "settle", "settle", "ask"))
    def contest(self, told: list[Move]) -> None:
        self.story.play(told)

    @rule(told=moves("merge", "merge", "settle", "settle", "revert", "revert"))
    def join(self, told: list[Move]) -> None:
        self.story.play(told)

    @rule(told=moves("plan", "plan", "speak", "speak", "work", "remember", "live"))
    def act(self, told: list[Move]) -> None:
        self.story.play(told)

    @rule(i=NUMBER, verdict=st.sampled_from([*VERDICTS, None]))
    def overturn(self, i: int, verdict: Any) -> None:
        """A person decides by the session's own way, up to the verdict; where that changes nothing, it does not."""
        known = [*self.story.bank.conflicts, "x99"]
        conflict_id = known[i % len(known)]
        before = state_of(self.story.bank)
        try:
            self.story.decisions.ask(conflict_id, verdict, "I was there")
        except UsageError:
            assert state_of(self.story.bank) == before
            return
        for decided in (*self.story.decisions.hear(), *self.story.decisions.take_effect()):
            event(f"a person's word brings {decided.type}")
        assert self.story.bank.decisions == {}

    @rule(choice=NUMBER, which=st.lists(st.integers(0, 99), min_size=1, max_size=6))
    def refuse(self, choice: int, which: list[int]) -> None:
        """What does not fit leaves no trace, neither in the memory nor on disk."""
        before, log = state_of(self.story.bank), (self.folder / LOG_NAME).read_bytes()
        wrong = list(misfits(self.story.bank, self.story.events, choice).items())
        for number in which:
            what, misfit = wrong[number % len(wrong)]
            with pytest.raises(CorruptLogError):
                self.story.recorder.record(misfit)
            assert state_of(self.story.bank) == before, what
            assert (self.folder / LOG_NAME).read_bytes() == log, what

    # -- what happens to the log -----------------------------------------------------------------------------

    @rule(torn=st.binary(max_size=9), crashed=st.booleans())
    def reopen(self, torn: bytes, *, crashed: bool) -> None:
        """Another process goes on with the log, which may end with a part of a line."""
        before = state_of(self.story.bank)
        self.story.recorder.log.close()
        if crashed:
            with (self.folder / LOG_NAME).open("ab") as file:
                file.write(b'{"seq":' + torn.replace(b"\n", b""))
        self.story.open()
        assert state_of(self.story.bank) == before
        self.story.recorder.log.claim()
        assert list(read_events(self.folder / LOG_NAME)) == self.story.events

    @rule(share=st.floats(0, 1))
    def lose(self, share: float) -> None:
        """A log that ends anywhere is the session as it was at the last event that is whole."""
        whole = (self.folder / LOG_NAME).read_bytes()
        cut = whole[: round(share * len(whole))]
        folder = Path(tempfile.mkdtemp(dir=self.place))
        (folder / LOG_NAME).write_bytes(cut)
        left = EventLog(folder).events
        assert left == self.story.events[: cut.count(b"\n")]
        assert state_of(Bank.replay(left)) == self.states[len(left)]["bank"]

    @rule(kept=st.integers(0, 3), embedded=st.booleans())
    def emigrate(self, kept: int, *, embedded: bool) -> None:
        """What is exported, imported and exported again is the same text, with its files or what is left of them."""
        paths = [source.path for source in self.story.bank.sources.values()]
        paths += [found.path for entry in self.story.bank.trees for found in entry.attachments]
        for number, path in enumerate(paths):
            if number % 3 < kept:
                (self.folder / path).write_bytes(content(path))
        embed = (lambda texts: EMBEDDER.embed(texts).tolist()) if embedded else None
        text = export_session(self.story.events, embed, self.folder)
        imported = self.store.find(import_session(text, self.store))
        assert export_session(EventLog(imported).events, embed, imported) == text
        assert (imported / LOG_NAME).read_bytes() == (self.folder / LOG_NAME).read_bytes()

    # -- what is asked of it ---------------------------------------------------------------------------------

    @rule(places=st.lists(st.floats(0, 1), min_size=1, max_size=4))
    def go_back(self, places: list[float]) -> None:
        events = self.story.events
        for seq in (round(place * len(events)) for place in places):
            then = self.past.at(seq, events)
            assert state_of(then) == self.states[seq]
            afresh = Timeline()
            for each in events[:seq]:
                afresh.add(each)
            assert then.timeline.tasks() == afresh.tasks()

    @rule(
        query=st.sampled_from(["dam", "topic 3 finished", "anew 11 m", "beside", "nothing of the kind"]),
        mode=st.sampled_from(["keyword", "embedding", "hybrid"]),
        k=st.integers(1, 9),
        lost=st.booleans(),
    )
    def search(self, query: str, mode: Mode, k: int, *, lost: bool) -> None:
        """An index that followed every change finds what one finds that was made of the log."""
        followed, afresh = self.story.recall, recall_of(Bank.replay(self.story.events))
        if lost:
            followed.close()

        def found(recall: NodeIndex) -> list[Hit]:
            return recall.index.retrieve(query, RetrievalSettings(k=k, mode=mode))

        assert found(followed) == found(afresh)
        for node_id in self.story.living()[-3:]:
            assert followed.candidates(node_id) == afresh.candidates(node_id)
            assert (followed.index.vector(node_id) == afresh.index.vector(node_id)).all()

    # -- what always holds -----------------------------------------------------------------------------------

    @invariant()
    def a_watcher_sees_what_the_session_is_and_that_all_invariants_hold(self) -> None:
        self.follow()
        assert self.states[-1]["bank"] == state_of(self.story.bank)

    @invariant()
    def the_index_has_a_row_for_each_node(self) -> None:
        assert len(self.story.recall.index) == len(self.story.bank.query_graph)

    def teardown(self) -> None:
        events = self.story.events
        self.story.recorder.log.close()
        assert list(read_events(self.folder / LOG_NAME)) == events
        for seq in range(len(events), -1, -1):
            assert state_of(self.past.at(seq, events)) == self.states[seq]
        for reached in {told.type for told in events}:
            event(reached)
        shutil.rmtree(self.place)


AnySession.TestCase.settings = settings(stateful_step_count=30)
TestAnySession = AnySession.TestCase
