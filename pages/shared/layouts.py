"""Cache the graph layout of each session, so that its nodes have the same positions for every visitor and page."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import streamlit as st

from memory_bank.views.graph_layout import GraphLayout, Point

MAX_LAYOUTS = 100
"""Sessions whose layouts are cached; the least recently used one is dropped."""


@dataclass
class _LockedLayout:
    layout: GraphLayout = field(default_factory=GraphLayout)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Layouts:
    """The layouts of the most recently viewed sessions. Shared by all visitors."""

    def __init__(self) -> None:
        self._layouts: OrderedDict[str, _LockedLayout] = OrderedDict()
        self._lock = threading.Lock()

    def place(
        self,
        session_id: str,
        nodes: Sequence[str],
        edges: Sequence[tuple[str, str]],
        made_of: Mapping[str, tuple[str, ...]],
    ) -> dict[str, Point]:
        """The node positions of a session, as from `GraphLayout.place`."""
        with self._lock:
            locked = self._layouts.setdefault(session_id, _LockedLayout())
            self._layouts.move_to_end(session_id)
            while len(self._layouts) > MAX_LAYOUTS:
                self._layouts.popitem(last=False)
        with locked.lock:
            return locked.layout.place(nodes, edges, made_of)


@st.cache_resource(show_spinner=False)
def layouts() -> Layouts:
    """The layouts of this server."""
    return Layouts()
