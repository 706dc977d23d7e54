"""The form for a person's decision on a conflict, and the progress of a decision that was sent."""

from __future__ import annotations

import streamlit as st

from components.language import say
from components.look import SessionState, draw_text, plain
from components.settings_form import replace_variables
from memory_bank.bank.conflict import Conflict, Verdict
from memory_bank.bank.events import PersonDecided
from memory_bank.bank.settings import Settings
from pages.shared.background import failure
from pages.shared.conflict_view import DecisionDraft, conflicts_state
from pages.shared.engine_choice import resume_settings
from pages.shared.frame import STOPPED_STATES, lacks_files
from pages.shared.server import get_server
from pages.shared.tab_state import ViewState
from pages.shared.visitor_settings import tab_settings

_VERDICTS: tuple[Verdict, ...] = ("first", "second", "both", "neither", "inconclusive")
_MAX_QUOTE = 160


def reason_blocked(view: ViewState, state: SessionState) -> str | None:
    """Why nothing can be decided now, in words for a person; None if something can."""
    if view.at is not None:
        return say("This is a past moment. Go back to now to decide.")
    if state == "cancelled":
        return say("The session was cancelled. Nothing in it can be decided any more.")
    if state in STOPPED_STATES and lacks_files(view):
        return say(
            "The session is not finished and its document files are missing, as after an import without files. "
            "It cannot continue, so nothing can be decided."
        )
    return None


def draw_buttons(view: ViewState, conflict: Conflict) -> None:
    """Draw “Decide” or “Overturn”, and “Reopen” if there is a verdict. Draw nothing while a decision is being made."""
    if _current_draft(view, conflict) is not None:
        return
    st.button(
        say("Overturn") if conflict.status == "resolved" else say("Decide"),
        key=f"decide-{conflict.id}",
        help=say("Decide yourself which statement holds"),
        on_click=setattr,
        args=(conflicts_state(view.session_id), "draft", DecisionDraft(conflict.id)),
    )
    if conflict.verdict is not None:
        st.button(
            say("Reopen"),
            key=f"reopen-{conflict.id}",
            help=say("Verify again"),
            on_click=setattr,
            args=(conflicts_state(view.session_id), "draft", DecisionDraft(conflict.id, verify_again=True)),
        )


def draw_decision(view: ViewState, state: SessionState, conflict: Conflict) -> None:
    """Draw the form for a decision, or the progress of one that was sent."""
    draft = _current_draft(view, conflict)
    if draft is None:
        if conflict.id in view.live.bank.decisions:
            draw_text(say("Your decision is recorded. It takes effect after the current step."), "mb-quiet", live=True)
    elif draft.sent_at is not None:
        draw_text(say("Your decision is being recorded."), "mb-quiet", live=True)
    else:
        _draw_form(view, state, conflict, draft)


def _current_draft(view: ViewState, conflict: Conflict) -> DecisionDraft | None:
    """The decision being made on it; None once it is in the log. One that could not be sent is kept with the reason."""
    page_state = conflicts_state(view.session_id)
    draft = page_state.draft
    if draft is None or draft.conflict_id != conflict.id:
        return None
    if draft.sent_at is not None:
        newer = (event for event in view.live.events[draft.sent_at :] if isinstance(event, PersonDecided))
        if any(event.conflict_id == conflict.id for event in newer):
            page_state.draft = None
            st.toast(plain(say("Your decision on {conflict} is recorded.", conflict=conflict.id)))
        elif (reason := _send_failure(view, draft)) is not None:
            draft.sent_at, draft.error = None, reason
    return page_state.draft


def _send_failure(view: ViewState, draft: DecisionDraft) -> str | None:
    """Why a decision that was sent will not get into the log; None while it still may."""
    server, sending = get_server(), draft.sending
    reason = failure(sending) if sending is not None and sending.done() else None
    if reason is not None:
        return replace_variables(reason)
    if server.activity(view.session_id) == "idle" and server.version(view.session_id) == view.synced_version:
        return say("The session stopped before your decision was recorded. Send it again.")
    return None


def _draw_form(view: ViewState, state: SessionState, conflict: Conflict, draft: DecisionDraft) -> None:
    """Draw the fields for what holds and why. Filled-in values survive an error."""
    key = f"deciding-{conflict.id}-{view.session_id}"
    settings, warning = resume_settings(view.live.bank.engine.values(), tab_settings(get_server()))
    with st.form(key, enter_to_submit=False):
        if not draft.verify_again:
            _draw_choice(conflict, draft, key)
        st.text_area(
            say("Why? (required if both hold: how the statements differ)")
            if not draft.verify_again
            else say("Why should it be verified again? (optional)"),
            value=draft.reason,
            key=f"{key}-reason",
            height=90,
        )
        effects = [_describe_effect(conflict)]
        if state in STOPPED_STATES:
            effects.append(say("The session then continues."))
        draw_text(" ".join(effects), "mb-where")
        if warning:
            st.warning(plain(warning))
        if draft.verify_again and lacks_files(view):
            st.warning(
                say(
                    "Document files of this session are missing, as after an import without files. It will be verified "
                    "without them."
                )
            )
        if draft.error:
            st.error(plain(draft.error))
        with st.container(horizontal=True):
            st.form_submit_button(
                say("Verify again") if draft.verify_again else say("Record the decision"),
                key=f"{key}-send",
                type="primary",
                on_click=_send,
                args=(view, draft, key, settings),
            )
            leave = (conflicts_state(view.session_id), "draft", None)
            st.form_submit_button(say("Leave it as it is"), key=f"{key}-leave", on_click=setattr, args=leave)


def _draw_choice(conflict: Conflict, draft: DecisionDraft, key: str) -> None:
    texts = (" ".join(claim.text.split()) for claim in conflict.claims)
    first, second = (text if len(text) <= _MAX_QUOTE else f"{text[:_MAX_QUOTE]}…" for text in texts)
    labels = {
        "first": say("The first statement holds: “{statement}”", statement=first),
        "second": say("The second statement holds: “{statement}”", statement=second),
        "both": say("Both hold, with a distinction"),
        "neither": say("Neither holds"),
        "inconclusive": say("It cannot be decided"),
    }
    captions = {
        "first": say("The other one is refuted and removed from the answer."),
        "second": say("The other one is refuted and removed from the answer."),
        "both": say("Write below how they differ, for example in the year or in what was measured."),
        "neither": say("Both are refuted and removed from the answer."),
        "inconclusive": say("It stays a dispute: the answer shows both statements."),
    }
    st.radio(
        say("What holds?"),
        _VERDICTS,
        index=None if draft.verdict is None else _VERDICTS.index(draft.verdict),
        format_func=lambda verdict: plain(labels[verdict]),
        captions=[captions[verdict] for verdict in _VERDICTS],
        key=f"{key}-verdict",
    )


def _describe_effect(conflict: Conflict) -> str:
    """Say what a decision will change."""
    if conflict.merged_into is not None:
        return say(
            "The merge into {node} is undone: the merged nodes are restored with their records. Then the "
            "decision is applied and the answer is rewritten.",
            node=conflict.merged_into,
        )
    if len(conflict.node_ids) > 1:
        return say(
            "Once it is settled, the two nodes are merged into one, which keeps all their records. In a dispute "
            "they stay separate. The answer is rewritten."
        )
    return say("Once it is settled, the node is rewritten and keeps every record. The answer is rewritten too.")


def _send(view: ViewState, draft: DecisionDraft, key: str, settings: Settings) -> None:
    """Check the filled-in values and send the decision to the session."""
    draft.verdict = None if draft.verify_again else st.session_state[f"{key}-verdict"]
    draft.reason = st.session_state[f"{key}-reason"].strip()
    draft.error = ""
    if not draft.verify_again and draft.verdict is None:
        draft.error = say("Choose what holds.")
    elif draft.verdict == "both" and not draft.reason:
        draft.error = say("Write how the two statements differ. Without that, both cannot hold.")
    else:
        draft.sent_at = view.last_seq
        send = get_server().decide
        draft.sending = send(view.session_id, draft.conflict_id, draft.verdict, settings, draft.reason)
        view.pending.append(draft.sending)
