"""Who the visitor is: whoever Streamlit's login says where it is configured, otherwise the one local user.

Nothing else names a user: no address, no form, no state of the tab.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping

import streamlit as st
from streamlit.errors import Error

from components.language import say
from components.look import plain
from memory_bank.errors import CorruptLogError
from pages._server import Server

LOCAL = "local"
"""The user of a page without login. No name that a login gives is without a space."""
_LONGEST = 200
_OF_A_LOGIN = ("http://", "https://", "sha256 ")
"""How the name begins that a login gives a user."""
_once = threading.Event()  # set when a login was seen: a file of secrets that is away for a while opens nothing


def login_configured() -> bool:
    """Whether the secrets of the server have an `[auth]` section, or had one since the server started."""
    if "is_logged_in" in st.user:
        _once.set()
    return _once.is_set()


def current_user() -> str | None:
    """The visitor's name for long-term memory: issuer and subject of the login, `LOCAL` without one.

    None where somebody could log in and has not. An address alone is no name: two issuers may give the same.
    """
    if not login_configured():
        return LOCAL
    issuer, subject = st.user.get("iss"), st.user.get("sub")
    if st.user.get("is_logged_in") is not True or not isinstance(issuer, str) or not isinstance(subject, str):
        return None
    if not subject.strip() or len(issuer.split()) != 1:
        return None
    name = f"{issuer} {subject}"
    return name if len(name) <= _LONGEST else f"sha256 {hashlib.sha256(name.encode()).hexdigest()}"


def shown_name() -> str:
    """What a person who is logged in is called, for show only."""
    names = (st.user.get(claim) for claim in ("name", "preferred_username", "email", "sub"))
    return next((name for name in names if isinstance(name, str) and name.strip()), "")


def may_open(server: Server, session_id: str) -> bool:
    """Whether the visitor may see a session. With login, one that has long-term memory is its owner's alone.

    Without, it is for whoever has its address, unless it is of a user who has logged in.
    """
    try:
        owner = server.owner(session_id)
    except (CorruptLogError, OSError):
        return False  # whose it is cannot be told
    if owner is None:
        return True
    return owner.user == current_user() if login_configured() else not owner.user.startswith(_OF_A_LOGIN)


def draw_user() -> None:
    """Who is logged in, with the way out; or the ways in. Nothing without login."""
    if not login_configured():
        return
    if current_user() is None:
        draw_login()
        return
    with st.container(horizontal=True, vertical_alignment="center", key="user"):
        st.text(say("Logged in as {name}", name=" ".join(shown_name().split())))
        if st.button(say("Log out"), key="logout"):
            st.logout()


def draw_login() -> None:
    """A button for each way to log in that is configured."""
    with st.container(horizontal=True, key="login"):
        for provider in _providers():
            label = say("Log in") if provider is None else say("Log in with {provider}", provider=plain(provider))
            if st.button(label, key=f"login-{provider}", type="primary"):
                _log_in(provider)


def _log_in(provider: str | None) -> None:
    try:
        st.login(provider)
    except Error as error:
        st.error(say("Logging in is not set up right; whoever runs this server can correct it."))
        st.text(" ".join(str(error).split()))


def _providers() -> list[str | None]:
    """The names of the providers in the secrets; None is the one without a name."""
    try:
        section = st.secrets.get("auth", {})
    except Error:  # the file was taken away while the server ran
        return [None]
    named = [str(name) for name, value in section.items() if isinstance(value, Mapping)]
    return [None] if not named else [*([None] if "client_id" in section else []), *named]
