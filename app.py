"""The web application: `streamlit run app.py`. Only the navigation; each page is a file in `pages/`."""

from __future__ import annotations

import streamlit as st

from components.look import ICON, use_style
from memory_bank.errors import SettingsError
from pages._entry import run_by_app
from pages._server import server

st.set_page_config(
    page_title="Memory Bank",
    page_icon=str(ICON),
    layout="wide",
    menu_items={"About": "Agentic Memory Bank: watch a memory being built and its conflicts being settled."},
)
run_by_app()
use_style()
page = st.navigation(
    [
        st.Page("pages/session.py", title="Session", default=True),
        st.Page("pages/sessions.py", title="Sessions"),
        st.Page("pages/settings.py", title="Settings"),
    ],
    position="top",
)
try:
    server()
except SettingsError as error:
    st.error("A setting is wrong, so no session can be run. Correct it and start the program again.")
    st.text(str(error))
    st.stop()
page.run()
