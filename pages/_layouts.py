"""Where the nodes of each session lie: at the same places for everybody who looks at it, on every page."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import streamlit as st

from memory_bank.graph_layout import GraphLayout, Point

MOST = 100
"""Sessions whose places are kept; the one that nobody has looked at for longest gives way."""


@dataclass
class _Shared:
    layout: GraphLayout = field(default_factory=GraphLayout)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Layouts:
    """The layouts of the sessions that were looked at last. For all visitors at once."""

    def __init__(self) -> None:
        self._of: OrderedDict[str, _Shared] = OrderedDict()
        self._lock = threading.Lock()

    def place(
        self,
        session_id: str,
        nodes: Sequence[str],
        edges: Sequence[tuple[str, str]],
        made_of: Mapping[str, tuple[str, ...]],
    ) -> dict[str, Point]:
        """As `GraphLayout.place`, for a session."""
        with self._lock:
            shared = self._of.setdefault(session_id, _Shared())
            self._of.move_to_end(session_id)
            while len(self._of) > MOST:
                self._of.popitem(last=False)
        with shared.lock:
            return shared.layout.place(nodes, edges, made_of)


@st.cache_resource(show_spinner=False)
def layouts() -> Layouts:
    """The one of this server."""
    return Layouts()
