"""The web application: `streamlit run app.py`. It holds the navigation; each page is a file in `pages/`."""

from __future__ import annotations

import sys

import streamlit as st
from starlette.middleware import Middleware
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from components.language import recorded, say
from components.look import ICON, use_style
from memory_bank.app.configuration import asked_of_visitors, checked_settings, error_lines, misspelt
from memory_bank.bank.errors import SettingsError
from memory_bank.text.wording import one_line
from pages.shared.render_limiter import RENDER_SLOTS
from pages.shared.server import get_server
from pages.shared.tab import keep_sessions
from pages.shared.tab_state import note_session_in_address
from pages.shared.web import AddBaseUrl, SecurityHeaders, routes


def main() -> None:
    """Draw the page named by the address, for one visitor."""
    st.set_page_config(
        page_title="Memory Bank",
        page_icon=str(ICON),
        layout="wide",
        menu_items={"About": say("Agentic Memory Bank: watch a memory being built and its conflicts being settled.")},
    )
    note_session_in_address()
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
        get_server()
    except SettingsError as error:
        st.error(say("A setting is wrong, so no session can be run. Correct it and start the program again."))
        for fault in error.all:
            st.text(recorded(str(fault)))
        st.stop()
    with RENDER_SLOTS.hold():
        page.run()
        keep_sessions(get_server())


def check_settings() -> None:
    """Write wrong settings to stderr and exit before a port is opened; of what is perhaps misspelt only warn."""
    invalid = False
    try:
        lines = [*asked_of_visitors(checked_settings(visitors=True)), *misspelt()]
    except SettingsError as error:
        invalid, lines = True, list(error_lines(error))
    sys.stderr.writelines(f"memory_bank: {one_line(line)}\n" for line in lines)
    if invalid:
        sys.exit(2)


# The server imports this file to get `app`. For each visitor, Streamlit runs the file as a script.
if get_script_run_ctx(suppress_warning=True) is not None:
    main()
else:
    # Only the pages listed above exist. Without this line, Streamlit's older `pages/` mechanism would run the file that
    # an address names, until the first visitor has loaded this script.
    PagesManager.uses_pages_directory = False
    check_settings()
    app = st.App(__file__, routes=routes(get_server), middleware=[Middleware(SecurityHeaders), Middleware(AddBaseUrl)])
