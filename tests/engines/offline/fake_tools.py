"""A fake of a step's tools: a memory of a few documents and a reference library, without real retrieval."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memory_bank.agents.react import EnhancedPrompt, LibraryPassage, WebPage
from memory_bank.bank.conflict import Conflict, Evidence, Verdict
from memory_bank.bank.insight_doc import InsightDoc
from memory_bank.bank.interaction_tree import Entry
from memory_bank.bank.query_graph import Claim, Node
from memory_bank.bank.task_kind import TaskKind
from memory_bank.judgement.statement import statements_of
from tests.builders import at, make_current


class FakeTools:
    """Each document is a node with one entry and its claims; each reference is one passage. Every search finds all."""

    def __init__(
        self,
        documents: Mapping[str, str],
        references: Mapping[str, str] | None = None,
        title: str = "",
    ) -> None:
        self.entries: dict[str, Entry] = {}
        self.nodes: list[Node] = []
        self.found: list[Conflict] = []
        self.searched: list[str] = []
        self.references: list[tuple[str, str, str]] = []
        self.library((f"s{number}", name, text) for number, (name, text) in enumerate((references or {}).items(), 1))
        for number, (name, text) in enumerate(documents.items(), start=1):
            metadata = {"source": name} | ({"title": title} if title else {})
            self.entries[f"n{number}"] = Entry(id=f"e{number}", text=text, created_at=at(number), metadata=metadata)
            self.nodes.append(_node(number, name, text))

    # -- the tools -------------------------------------------------------------------------------------------

    def deep_retrieval(self, node_id: str) -> tuple[Entry, ...]:
        return (self.entries[node_id],) if node_id in self.entries else ()

    def search(self, query: str) -> tuple[LibraryPassage, ...]:
        self.searched.append(query)
        return tuple(
            LibraryPassage(source_id=source_id, source=name, text=text, start=0, end=len(text), page=number)
            for number, (source_id, name, text) in enumerate(self.references, start=1)
        )

    def research(self, question: str) -> tuple[Node, ...]:
        self.searched.append(question)
        return tuple(self.nodes)

    def conflicts(self) -> tuple[Conflict, ...]:
        return tuple(self.found)

    def may_ask(self) -> None:
        """There is no budget."""

    callable_by_model = frozenset({"deep_retrieval", "search", "research"})
    web = False

    def web_search(self, _query: str) -> tuple[WebPage, ...]:
        raise AssertionError("not offered")

    def visit(self, _url: str) -> WebPage:
        raise AssertionError("not offered")

    # -- set up by tests -------------------------------------------------------------------------------------

    def library(self, references: Iterable[tuple[str, str, str]]) -> None:
        """Replace the reference library: id, name and text of each source."""
        self.references = list(references)

    def claim(self, text: str) -> Claim:
        """The first claim that contains this text."""
        return next(claim for node in self.nodes for claim in node.claims if text in claim.text)

    def disagree(self, first: str, second: str, verdict: Verdict | None = None, evidence: str = "") -> Conflict:
        """Add a conflict between the claims that contain these texts to those found, with a passage for the first."""
        claims = (self.claim(first), self.claim(second))
        conflict = Conflict(
            id=f"x{len(self.found) + 1}",
            node_ids=tuple(dict.fromkeys(f"n{claim.entry_id[1:]}" for claim in claims)),
            claims=claims,
            description=f"{first} against {second}",
            status={None: "open", "inconclusive": "disputed"}.get(verdict, "resolved"),
            verdict=verdict,
            decided_by=verdict and "agent",
            reason=verdict and "the register says so",
            evidence=(Evidence(source="register.txt", passage=evidence, supports="first"),) if evidence else (),
        )
        self.found.append(conflict)
        return conflict

    def prompt(self, task: str, conflict: Conflict | None = None, kind: TaskKind | None = None) -> EnhancedPrompt:
        """The prompt of a step for a task, of a `kind` that a person set, or for a conflict to verify."""
        current = make_current("t1", conflict.id if conflict else None).model_copy(update={"description": task})
        return EnhancedPrompt(
            task=current,
            insight_doc=InsightDoc(doc_id="d", task_goal=task, current_task=current),
            nodes=tuple(self.nodes),
            left_out=(),
            conflict=conflict,
            text="",
            references=tuple(name for _id, name, _text in self.references),
            kind=kind,
        )


def _node(number: int, name: str, text: str) -> Node:
    claims = tuple(
        Claim(
            id=f"c{number}{place:02}",
            text=placed.statement.text,
            entry_id=f"e{number}",
            start=placed.start,
            end=placed.end,
            source=name,
            context=placed.statement.context,
        )
        for place, placed in enumerate(statements_of(text, name, short_joined=True))
    )
    return Node(id=f"n{number}", summary=text, context=text[:60], keywords=(), timestamp=at(number), claims=claims)
