"""Run work in threads of the server, so that no page waits for it. The page draws the result when it is done."""

from __future__ import annotations

from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import streamlit as st

from components.language import recorded
from pages.shared.server import logged, reason_of

Result = TypeVar("Result")
TICK = 0.5
"""Seconds between two refreshes while work is under way."""


def run_in_background(work: Callable[[], Result]) -> Future[Result]:
    """Run `work` in a thread. It must not call Streamlit."""
    return _threads().submit(logged, work)


def draw_until_done(works: Collection[Future[Any]], draw: Callable[[], None], *, noticed: bool = True) -> None:
    """Draw a part of the page that refreshes by itself until all work is done; then the whole page is drawn again.

    Only a full run stops the refreshing. `noticed`: this run of the page already knows of what is done.
    """
    waiting = not noticed or not all(work.done() for work in works)

    def refresh() -> None:
        if waiting and all(work.done() for work in works):
            st.rerun()
        draw()

    st.fragment(refresh, run_every=TICK if waiting else None)()


def failure(work: Future[Any]) -> str | None:
    """Why finished work failed, in words for a person; None if it succeeded."""
    error = work.exception()
    return None if error is None else recorded(reason_of(error))


@st.cache_resource(show_spinner=False)
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(2, thread_name_prefix="background")
