"""Export the Query Graph as GraphML, for Gephi, yEd and networkx."""

from __future__ import annotations

from collections.abc import Iterable

import networkx as nx  # type: ignore[import-untyped]

from memory_bank.bank.bank import Bank
from memory_bank.bank.query_graph import Node
from memory_bank.views.exports.graph_picture import xml_text
from memory_bank.views.graph_look import lines
from memory_bank.views.readable import read_node


def graphml(bank: Bank) -> str:
    """The graph as XML: nodes with their content, and edges of the kinds `related`, `conflict` and `dispute`.

    Lists are joined with semicolons. Characters that XML forbids are left out.
    """
    graph = nx.MultiGraph()
    for node in bank.query_graph:
        graph.add_node(xml_text(node.id), **_attributes(read_node(bank, node)))
    for number, line in enumerate(lines(bank), start=1):
        a, b = (xml_text(end) for end in line.ends)
        conflict = {"conflict": xml_text(line.conflict)} if line.conflict else {}
        graph.add_edge(a, b, key=f"e{number}", kind=line.kind, **conflict)
    return "\n".join(nx.generate_graphml(graph)) + "\n"


def _attributes(node: Node) -> dict[str, str | int]:
    return {
        "topic": xml_text(node.context),
        "summary": xml_text(node.summary),
        "keywords": _joined(node.keywords),
        "status": node.status,
        "created": node.timestamp.isoformat(),
        "claims": len(node.claims),
        "sources": _joined(claim.source for claim in node.claims),
    }


def _joined(texts: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(xml_text(text) for text in texts))
