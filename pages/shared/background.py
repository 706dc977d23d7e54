"""Run work in threads of the server, so that no page waits for it. The page draws the result when it is done."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import streamlit as st

from components.language import recorded
from pages.shared.server import logged, reason_of

Result = TypeVar("Result")


def run_in_background(work: Callable[[], Result]) -> Future[Result]:
    """Run `work` in a thread. It must not call Streamlit."""
    return _threads().submit(logged, work)


def failure(work: Future[Any]) -> str | None:
    """Why finished work failed, in words for a person; None if it succeeded."""
    error = work.exception()
    return None if error is None else recorded(reason_of(error))


@st.cache_resource(show_spinner=False)
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(2, thread_name_prefix="background")
