"""The web application: `streamlit run app.py`. Only the navigation; each page is a file in `pages/`."""

from __future__ import annotations

import sys

import streamlit as st
from starlette.middleware import Middleware
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from components.language import recorded, say
from components.look import ICON, use_style
from memory_bank.configuration import checked_settings, doubts, faults
from memory_bank.errors import SettingsError
from memory_bank.one_line import one_line
from pages._headers import Guarded
from pages._health import routes
from pages._server import server
from pages._tab import keep_sessions
from pages._turns import TURNS
from pages._visitor import note_address
from pages._web import TellsItsAddress


def main() -> None:
    """Draw the page that the address names, for one visitor."""
    st.set_page_config(
        page_title="Memory Bank",
        page_icon=str(ICON),
        layout="wide",
        menu_items={"About": say("Agentic Memory Bank: watch a memory being built and its conflicts being settled.")},
    )
    note_address()
    use_style()
    page = st.navigation(
        [
            st.Page("pages/session.py", title=say("Session"), default=True),
            st.Page("pages/query_graph.py", title=say("Query Graph")),
            st.Page("pages/insight_doc.py", title=say("Insight Doc")),
            st.Page("pages/interaction_tree.py", title=say("Interaction Tree")),
            st.Page("pages/conflicts.py", title=say("Conflicts")),
            st.Page("pages/ask.py", title=say("Ask the memory")),
            st.Page("pages/long_term_memory.py", title=say("Long-term memory")),
            st.Page("pages/sessions.py", title=say("Sessions")),
            st.Page("pages/settings.py", title=say("Settings")),
        ],
        position="top",
    )
    try:
        server()
    except SettingsError as error:
        st.error(say("A setting is wrong, so no session can be run. Correct it and start the program again."))
        for one in error.all:
            st.text(recorded(str(one)))
        st.stop()
    with TURNS.one():
        page.run()
        keep_sessions(server())


def look_at_settings() -> None:
    """Say on stderr what is wrong with the settings and end, before a port is open; or what was perhaps not meant."""
    wrong = False
    try:
        lines = list(doubts(checked_settings(visitors=True), visitors=True))
    except SettingsError as error:
        wrong, lines = True, list(faults(error))
    sys.stderr.writelines(f"memory_bank: {one_line(line)}\n" for line in lines)
    if wrong:
        sys.exit(2)


# The server imports this file for `app`; for each visitor the file is run as a script.
if get_script_run_ctx(suppress_warning=True) is not None:
    main()
else:
    # The pages are those above. Streamlit's older way would run the file that an address names by itself, until the
    # first visitor has come here.
    PagesManager.uses_pages_directory = False
    look_at_settings()
    app = st.App(__file__, routes=routes(server), middleware=[Middleware(Guarded), Middleware(TellsItsAddress)])
