"""The data of a bank."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime
from typing import Any

from memory_bank.bank.answer import Answer
from memory_bank.bank.conflict import Conflict, OneSide
from memory_bank.bank.events import EngineChoice, MemoryKept, MemoryRecalled, PersonDecided, Status, TaskUnderstood
from memory_bank.bank.insight_doc import InsightDoc
from memory_bank.bank.interaction_tree import InteractionTrees
from memory_bank.bank.merges import Merges
from memory_bank.bank.message import StepTurn
from memory_bank.bank.query_graph import QueryGraph
from memory_bank.bank.source import Source
from memory_bank.bank.usage import Usage

_ID = re.compile(r"([a-z]+)([0-9]{1,15})")


class BankState:
    """Everything that a session knows: the three layers, conflicts, the answer, and the progress of the run.

    The session loop keeps no state of its own, so the progress is here too:

    - `understood`: what the embedded engine takes the task for; None where a model answers
    - `decisions`: a person's decisions that have not taken effect, by conflict
    - `verified`: the conflicts that a finished task verified
    - `rounds`: how often each conflict was reopened or its merge taken back
    - `given_up`: the keys of judgements that failed for good in this run
    - `planned`: whether planning was asked since the start, or since a person reopened a conflict
    - `unplanned`: the nodes created since the last plan
    - `plans`, `plans_since_answer`: the number of plans in all, and since the last answer (without those that read an
      image)
    - `ask_again`, `answer_stale`: whether a person's decision or correction took effect since the last step that worked
      on the question, and since the answer
    - `recalled`, `kept`: what was read from and written to long-term memory; `answer_kept`: whether the answer was
      written
    - `units`: the node made from each cluster of text
    - `ids`: the ids used so far; `merges`: the merges that stand
    - `conflict_nodes`: the nodes of each conflict as they were named, before later merges
    - `sides`: for each claim its side in each conflict that it is a party to
    """

    def __init__(self) -> None:
        self.session_id = ""
        self.created_at: datetime | None = None
        self.finished_at: datetime | None = None
        self.status: Status = "created"
        self.engine: dict[str, EngineChoice] = {}
        self.settings: dict[str, Any] = {}
        self.usage = Usage()
        self.usage_of: dict[str, Usage] = {}
        self.insight_doc = InsightDoc(doc_id="", task_goal="")
        self.query_graph = QueryGraph()
        self.trees = InteractionTrees()
        self.conflicts: dict[str, Conflict] = {}
        self.sources: dict[str, Source] = {}
        self.understood: TaskUnderstood | None = None
        self.decisions: dict[str, PersonDecided] = {}
        self.rounds: Counter[str] = Counter()
        self.answer: Answer | None = None
        self.answer_stale = False
        self.ask_again = False
        self.judgements: dict[str, dict[str, Any]] = {}
        self.turns: dict[str, list[StepTurn]] = {}
        self.unplanned: list[str] = []
        self.verified: set[str] = set()
        self.failed_checks: Counter[str] = Counter()
        self.failed_requests: Counter[str] = Counter()
        self.given_up: set[str] = set()
        self.classified: set[str] = set()
        self.units: dict[str, str] = {}
        self.ingested: set[str] = set()
        self.recalled: MemoryRecalled | None = None
        self.kept: list[MemoryKept] = []
        self.answer_kept = False
        self.analysed: dict[str, tuple[str, ...]] = {}
        self.prompted: set[str] = set()
        self.planned = False
        self.plans = 0
        self.plans_since_answer = 0
        self.ids = IdCounter()
        self.merges = Merges(self.query_graph, self.trees)
        self.conflict_nodes: dict[str, tuple[str, ...]] = {}
        self.sides: dict[str, dict[str, OneSide]] = {}


class IdCounter:
    """The highest number used so far for each kind of id: `n12` has the prefix `n` and the number 12."""

    def __init__(self) -> None:
        self._highest: dict[str, int] = {}

    def add(self, used_id: str) -> None:
        """Count an id as used. An id of another form can never be generated, so it is ignored."""
        match = _ID.fullmatch(used_id)
        if match:
            prefix, number = match[1], int(match[2])
            self._highest[prefix] = max(self._highest.get(prefix, 0), number)

    def next(self, prefix: str, ahead: int) -> str:
        """The next free id with a prefix; `ahead` skips that many."""
        return f"{prefix}{self._highest.get(prefix, 0) + 1 + ahead}"
