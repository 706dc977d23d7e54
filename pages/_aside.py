"""Work that a page asks for and draws when it is done: in threads of the server, so that no page waits."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import streamlit as st

from components.language import recorded
from pages._server import logged, reason_of

Result = TypeVar("Result")


def aside(work: Callable[[], Result]) -> Future[Result]:
    """Have something done. It must not call Streamlit."""
    return _threads().submit(logged, work)


def failure(work: Future[Any]) -> str | None:
    """Why work that is done came to nothing, in words for a person; None if it did not."""
    error = work.exception()
    return None if error is None else recorded(reason_of(error))


@st.cache_resource(show_spinner=False)
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(2, thread_name_prefix="aside")
