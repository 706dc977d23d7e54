"""Identify the visitor: the user of Streamlit's login if it is configured, otherwise the single local user.

Nothing else identifies a user: no address, no form, no state of the tab.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping

import streamlit as st
from streamlit.errors import Error

from components.language import say
from components.look import draw_error, plain
from memory_bank.bank.errors import CorruptLogError
from pages.shared.server import Server

LOCAL = "local"
"""The user of a page without login. It cannot equal a login's user name, which always contains a space."""
_MAX_NAME = 200
_LOGIN_PREFIXES = ("http://", "https://", "sha256 ")
"""Prefixes of the user names that a login gives."""
_login_seen = threading.Event()
"""Set once login was configured, so that a secrets file missing for a while gives nobody access."""


def login_configured() -> bool:
    """Whether the secrets of the server have an `[auth]` section, or had one since the server started."""
    if "is_logged_in" in st.user:
        _login_seen.set()
    return _login_seen.is_set()


def current_user() -> str | None:
    """The visitor's user name: issuer and subject of the login, or `LOCAL` without login.

    None if the visitor could log in and has not. An e-mail address would not do: two issuers may give the same one.
    """
    if not login_configured():
        return LOCAL
    issuer, subject = st.user.get("iss"), st.user.get("sub")
    if st.user.get("is_logged_in") is not True or not isinstance(issuer, str) or not isinstance(subject, str):
        return None
    if not subject.strip() or len(issuer.split()) != 1:
        return None
    name = f"{issuer} {subject}"
    return name if len(name) <= _MAX_NAME else f"sha256 {hashlib.sha256(name.encode()).hexdigest()}"


def may_open(server: Server, session_id: str) -> bool:
    """Whether the visitor may see a session.

    With login, a session that uses long-term memory is only for its owner. Without login, it is for whoever has its
    address, unless its owner had logged in.
    """
    try:
        owner = server.owner(session_id)
    except (CorruptLogError, OSError):
        return False  # the owner is unknown
    if owner is None:
        return True
    return owner.user == current_user() if login_configured() else not owner.user.startswith(_LOGIN_PREFIXES)


def draw_user() -> None:
    """Draw the user's name with a logout button, or the login buttons. Draw nothing if login is not configured."""
    if not login_configured():
        return
    if current_user() is None:
        draw_login()
        return
    with st.container(horizontal=True, vertical_alignment="center", key="user"):
        # The name that is shown identifies nobody.
        names = (st.user.get(claim) for claim in ("name", "preferred_username", "email", "sub"))
        name = next((name for name in names if isinstance(name, str) and name.strip()), "")
        st.text(say("Logged in as {name}", name=" ".join(name.split())))
        if st.button(say("Log out"), key="logout"):
            st.logout()


def draw_login() -> None:
    """Draw a button for each configured login provider."""
    with st.container(horizontal=True, key="login"):
        for provider in _providers():
            label = say("Log in") if provider is None else say("Log in with {provider}", provider=plain(provider))
            if st.button(label, key=f"login-{provider}", type="primary"):
                try:
                    st.login(provider)
                except Error as error:
                    draw_error(
                        say("Login is not configured correctly. Ask the operator of this server to correct it."),
                        " ".join(str(error).split()),
                    )


def _providers() -> list[str | None]:
    """The names of the login providers in the secrets; None stands for the provider without a name."""
    try:
        section = st.secrets.get("auth", {})
    except Error:  # the secrets file was removed while the server was running
        return [None]
    named = [str(name) for name, value in section.items() if isinstance(value, Mapping)]
    return [None] if not named else [*([None] if "client_id" in section else []), *named]
