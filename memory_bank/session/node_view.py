"""A node as agents see it."""

from __future__ import annotations

from memory_bank.agents.analysis import NodeView
from memory_bank.bank.bank import Bank
from memory_bank.bank.spoken import said_by
from memory_bank.judgement.statement import is_of_list
from memory_bank.text.document_head import document_head
from memory_bank.text.shortening import shorten

HEAD_CHARACTERS = 200


def node_view(bank: Bank, node_id: str) -> NodeView:
    """A node as agents see it: with its topic, and for claims with the dates of their documents and their speakers."""
    node, trees = bank.query_graph[node_id], bank.trees
    said = {claim.id: said_by(trees.entry(claim.entry_id), claim.start, claim.end) for claim in node.claims}
    voices = {claim_id: voice for claim_id, voice in said.items() if voice}
    documents = {claim.id: bank.source_of(claim) for claim in node.claims}
    sources = {entry.metadata.get("source_id") for entry in trees.entries(node_id)}
    source_id = sources.pop() if len(sources) == 1 else None
    return NodeView(
        id=node.id,
        summary=node.summary,
        context=node.context,
        keywords=node.keywords,
        topic=topic_of(bank, node_id),
        claims=node.claims,
        head="" if voices or source_id is None else shorten(head_of(bank, source_id), HEAD_CHARACTERS),
        voices=voices,
        dates={claim_id: each.dated.isoformat() for claim_id, each in documents.items() if each and each.dated},
        items=frozenset(each.id for each in node.claims if is_of_list(trees.entry(each.entry_id).text, each.start)),
    )


def topic_of(bank: Bank, node_id: str) -> str:
    """What a node's claims are about: the title of the document that it came from; empty where there is none."""
    titles = (entry.metadata.get("title") for entry in bank.trees.entries(node_id))
    return next((str(title) for title in titles if title), "")


def head_of(bank: Bank, source_id: str) -> str:
    """What stands before the first sentence of a document, such as title and author; empty if that is not known."""
    first_node = bank.living(bank.units.get(f"{source_id}.1.1", ""))
    beginnings = (
        entry.text
        for entry in bank.trees.entries(first_node)
        if entry.metadata.get("source_id") == source_id and entry.metadata.get("start") == 0
    )
    return document_head(next(beginnings, ""))
