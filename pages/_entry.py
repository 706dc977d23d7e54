"""Every page is run by `app.py`, which gives it the navigation, the style and a server that works.

Streamlit has an older way with a folder called `pages`: until `st.navigation` is called once in a process, it runs the
file that an address names by itself, without `app.py`.
"""

from __future__ import annotations

import streamlit as st

_RUN_BY_APP = "run by app.py"


def run_by_app() -> None:
    """Note that `app.py` is at work in this tab."""
    st.session_state[_RUN_BY_APP] = True


def require_app(page: str) -> None:
    """Have a page that was run by itself, as the first of a new process, run again by `app.py`."""
    if _RUN_BY_APP not in st.session_state:
        # From here on Streamlit leaves the folder alone; the page must be known for its address to be kept.
        st.navigation([st.Page("pages/session.py", default=True), st.Page(page)])
        st.rerun()
