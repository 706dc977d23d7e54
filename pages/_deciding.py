"""A person's decision on a conflict: offered, filled in, sent, and recorded."""

from __future__ import annotations

import streamlit as st

from components.language import say
from components.look import SessionState, escape, plain
from components.settings_form import in_words
from memory_bank.bank.conflict import Conflict, Verdict
from memory_bank.events import PersonDecided
from memory_bank.settings import Settings
from pages._aside import failure
from pages._choices import chosen
from pages._conflict import Deciding, desk
from pages._engines import to_go_on
from pages._server import Decision, server
from pages._visitor import Looking

_VERDICTS: tuple[Verdict, ...] = ("first", "second", "both", "neither", "inconclusive")
_STOPPED: tuple[SessionState, ...] = ("created", "paused", "interrupted", "failed")
_QUOTED = 160


def prevented(look: Looking, state: SessionState) -> str | None:
    """Why nothing can be decided now, in words; None where it can."""
    if look.at is not None:
        return say("This is a past moment. Go back to now to decide.")
    if state == "cancelled":
        return say("The session was cancelled for good: nothing in it can be decided any more.")
    if state in _STOPPED and _lacks_files(look):
        return say(
            "The session is not finished and its documents are not here, as in an import: it cannot go on, so nothing "
            "can be decided."
        )
    return None


def _lacks_files(look: Looking) -> bool:
    return server().lacks_files(look.session_id, look.live.bank.sources.values())


def draw_offers(look: Looking, conflict: Conflict) -> None:
    """Decide or overturn; where there is a verdict, have it verified again. Nothing while a decision is being made."""
    if _deciding(look, conflict) is not None:
        return
    st.button(
        say("Overturn") if conflict.status == "resolved" else say("Decide"),
        key=f"decide-{conflict.id}",
        help=say("Say yourself which statement holds"),
        on_click=_begin,
        args=(look, conflict.id, False),
    )
    if conflict.verdict is not None:
        st.button(
            say("Reopen"),
            key=f"reopen-{conflict.id}",
            help=say("Have it verified again"),
            on_click=_begin,
            args=(look, conflict.id, True),
        )


def draw(look: Looking, state: SessionState, conflict: Conflict) -> None:
    """How far a decision has got, or the form for one."""
    deciding = _deciding(look, conflict)
    if deciding is None:
        if conflict.id in look.live.bank.decisions:
            _say(say("Your decision is recorded; it takes effect when the present step is done."))
    elif deciding.sent is not None:
        _say(say("Your decision is being recorded."))
    else:
        _draw_form(look, state, conflict, deciding)


def _deciding(look: Looking, conflict: Conflict) -> Deciding | None:
    """The decision that is being made on this conflict, as far as the log does not have it yet.

    If it was sent in vain, what was filled in is there again, with the reason.
    """
    here = desk(look.session_id)
    deciding = here.deciding
    if deciding is None or deciding.conflict_id != conflict.id:
        return None
    if deciding.sent is not None:
        if _taken(look, deciding.sent, conflict.id):
            here.deciding = None
        elif (why := _in_vain(look, deciding)) is not None:
            deciding.sent, deciding.error = None, why
    return here.deciding


def _taken(look: Looking, sent: int, conflict_id: str) -> bool:
    """Whether the log has the decision that was sent after so many events."""
    since = look.live.events[sent:]
    return any(isinstance(event, PersonDecided) and event.conflict_id == conflict_id for event in since)


def _in_vain(look: Looking, deciding: Deciding) -> str | None:
    """Why a decision that the log does not have will not come into it; None while it still may."""
    here, handed = server(), deciding.handed
    why = failure(handed) if handed is not None and handed.done() else None
    if why is not None:
        return in_words(why)
    if here.activity(look.session_id) == "still" and here.changes(look.session_id) == look.seen:
        return say("The session stopped before your decision was recorded. Send it again.")
    return None


def _say(words: str) -> None:
    st.html(f'<div class="mb-quiet" role="status">{escape(words)}</div>')


def _begin(look: Looking, conflict_id: str, again: bool) -> None:  # noqa: FBT001 - an argument of a callback
    desk(look.session_id).deciding = Deciding(conflict_id, again)


def _draw_form(look: Looking, state: SessionState, conflict: Conflict, deciding: Deciding) -> None:
    """Ask what holds and why, in place; what is filled in outlives an error."""
    key = f"deciding-{conflict.id}-{look.session_id}"
    settings, words = to_go_on(look.live.bank.engine.values(), chosen(server()))
    with st.form(key, enter_to_submit=False):
        if not deciding.again:
            _draw_choice(conflict, deciding, key)
        st.text_area(
            say("Why? (needed where both hold: in what the statements differ)")
            if not deciding.again
            else say("Why should it be verified again? (optional)"),
            value=deciding.reason,
            key=f"{key}-reason",
            height=90,
        )
        follows = [_what_follows(conflict), *([say("The session goes on with it.")] if state in _STOPPED else [])]
        st.html(f'<div class="mb-where">{escape(" ".join(follows))}</div>')
        if words:
            st.warning(plain(words))
        if deciding.again and _lacks_files(look):
            st.warning(
                say("Documents of this session are not here, as in an import: it will be verified without them.")
            )
        if deciding.error:
            st.error(plain(deciding.error))
        with st.container(horizontal=True):
            st.form_submit_button(
                say("Have it verified again") if deciding.again else say("Record the decision"),
                key=f"{key}-send",
                type="primary",
                on_click=_send,
                args=(look, deciding, key, settings),
            )
            st.form_submit_button(say("Leave it as it is"), key=f"{key}-leave", on_click=_leave, args=(look,))


def _draw_choice(conflict: Conflict, deciding: Deciding, key: str) -> None:
    first, second = (_quoted(claim.text) for claim in conflict.claims)
    labels = {
        "first": say("The first statement holds: “{statement}”", statement=first),
        "second": say("The second statement holds: “{statement}”", statement=second),
        "both": say("Both hold, with a distinction"),
        "neither": say("Neither holds"),
        "inconclusive": say("It cannot be decided"),
    }
    captions = {
        "first": say("The other one is refuted and leaves the answer."),
        "second": say("The other one is refuted and leaves the answer."),
        "both": say("Write below in what they differ, such as the year or what was measured."),
        "neither": say("Both are refuted and leave the answer."),
        "inconclusive": say("It stays a dispute: the answer shows both statements."),
    }
    st.radio(
        say("What holds?"),
        _VERDICTS,
        index=None if deciding.verdict is None else _VERDICTS.index(deciding.verdict),
        format_func=lambda verdict: plain(labels[verdict]),
        captions=[captions[verdict] for verdict in _VERDICTS],
        key=f"{key}-verdict",
    )


def _quoted(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"


def _what_follows(conflict: Conflict) -> str:
    """What a decision will do, in words."""
    if conflict.merged_into is not None:
        return say(
            "The merge into {node} is taken back: the nodes that were merged live again, and every record returns to "
            "where it was. Then the decision is carried out, and the answer is written again.",
            node=conflict.merged_into,
        )
    if len(conflict.node_ids) > 1:
        return say(
            "Once it is settled the two nodes become one, which keeps every record of both. In a dispute they stay "
            "apart. The answer is written again."
        )
    return say("Once it is settled the node is written anew and keeps every record. The answer is written again.")


def _send(look: Looking, deciding: Deciding, key: str, settings: Settings) -> None:
    """Check what is filled in and hand it over."""
    deciding.verdict = None if deciding.again else st.session_state[f"{key}-verdict"]
    deciding.reason = st.session_state[f"{key}-reason"].strip()
    deciding.error = ""
    if not deciding.again and deciding.verdict is None:
        deciding.error = say("Choose first what holds.")
    elif deciding.verdict == "both" and not deciding.reason:
        deciding.error = say("Write in what the two statements differ: without that, both cannot hold.")
    else:
        deciding.sent = look.last
        decision = Decision(deciding.conflict_id, deciding.verdict, deciding.reason)
        deciding.handed = server().decide(look.session_id, decision, settings)
        look.awaited.append(deciding.handed)


def _leave(look: Looking) -> None:
    desk(look.session_id).deciding = None
