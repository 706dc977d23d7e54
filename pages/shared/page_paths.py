"""Paths of the page files, as `st.switch_page` and `st.page_link` take them."""

from __future__ import annotations

SESSION_PAGE = "pages/session.py"
QUERY_GRAPH_PAGE = "pages/query_graph.py"
INTERACTION_TREE_PAGE = "pages/interaction_tree.py"
CONFLICTS_PAGE = "pages/conflicts.py"
ASK_PAGE = "pages/ask.py"
LONG_TERM_MEMORY_PAGE = "pages/long_term_memory.py"
SESSIONS_PAGE = "pages/sessions.py"
SETTINGS_PAGE = "pages/settings.py"
