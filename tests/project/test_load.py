"""The pieces of `scripts/load.py`: what a tab keeps of what the server sends, what a visitor sees, what is reported."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar, cast

import httpx
import pytest
from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection

from scripts.load import Sample, figures, sample
from scripts.virtual_tab import Tab
from scripts.virtual_visitor import Stand, Tally, Visitor

SITE = httpx.AsyncClient(base_url="http://localhost")


class Socket:
    """A server that has said everything already."""

    def __init__(self, messages: list[ForwardMsg]) -> None:
        self._frames = [message.SerializeToString() for message in messages]

    async def __aiter__(self):  # noqa: ANN204
        for frame in self._frames:
            yield frame


def begin(*fragments: str) -> ForwardMsg:
    message = ForwardMsg()
    message.new_session.page_script_hash = "page"
    message.metadata.run.fragment_ids.extend(fragments)
    return message


def html(place: int, body: str, fragment: str = "") -> ForwardMsg:
    message = ForwardMsg(hash=body)
    message.metadata.delta_path.extend([0, place])
    message.delta.new_element.html.body = body
    message.delta.fragment_id = fragment
    return message


def end(status: int = ForwardMsg.FINISHED_SUCCESSFULLY) -> ForwardMsg:
    return ForwardMsg(script_finished=status)  # type: ignore[arg-type]


Heard = TypeVar("Heard")


def apart(work: Coroutine[Any, Any, Heard]) -> Heard:
    """Run it in a thread: a browser test before this may have left its loop in the main one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def heard(*messages: ForwardMsg) -> Tab:
    """A tab that has heard these."""
    tab = Tab(SITE, cast(ClientConnection, Socket(list(messages))), lambda _frame: None, lambda _seconds: None)
    await tab._listen()
    return tab


def after(*messages: ForwardMsg) -> Tab:
    """The same, where nothing else goes on."""
    return apart(heard(*messages))


WHOLE = (begin(), html(0, "outside"), html(1, "one", "f"), html(2, "two", "f"), end())


def test_a_run_of_a_part_takes_away_what_that_part_no_longer_draws_and_nothing_else() -> None:
    tab = after(*WHOLE, begin("f"), html(1, "new", "f"), end(ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY))
    assert list(tab.parts()) == ["outside", "new"]


def test_a_run_of_the_whole_page_takes_away_what_it_no_longer_draws() -> None:
    assert list(after(*WHOLE, begin(), html(1, "new"), end()).parts()) == ["new"]


def test_a_run_that_is_cut_short_takes_nothing_away() -> None:
    assert list(after(*WHOLE, begin(), end(ForwardMsg.FINISHED_EARLY_FOR_RERUN)).parts()) == ["outside", "one", "two"]


def test_what_the_server_sends_by_its_hash_is_what_it_sent_before() -> None:
    large = html(0, "large")
    large.metadata.cacheable = True
    again = ForwardMsg(ref_hash="large")
    again.metadata.delta_path.extend([0, 3])
    assert list(after(begin(), large, end(), begin(), again, end()).parts()) == ["large"]


def test_an_exception_and_an_error_on_the_page_are_faults() -> None:
    raised, told = ForwardMsg(), ForwardMsg()
    raised.delta.new_element.exception.message = "no"
    told.delta.new_element.alert.body, told.delta.new_element.alert.format = "wrong", Alert.ERROR
    assert after(begin(), raised, told, end()).faults[:2] == ["an exception: : no", "an error: wrong"]


def test_how_a_session_stands_is_read_from_the_page() -> None:
    line = '<span role="status"><i></i><b>running</b> · waiting for its turn: number 3 in the queue</span>'
    tab = after(begin(), html(0, f'{line}<div class="mb-doing">Node 2</div>'), end())
    assert Stand.of(tab) == Stand("running", "3", "Node 2")
    assert Stand.of(after(begin(), html(0, "<h1>Starting</h1>"), end())) == Stand("starting")


def test_a_wait_in_the_queue_goes_on_while_the_visitor_is_away() -> None:
    line = '<span role="status"><i></i><b>running</b> · waiting for its turn: number 3 in the queue</span>'
    tally = Tally()

    async def look() -> None:
        visitor = Visitor(0, SITE, time.monotonic() + 60, tally, "1")
        for seconds in (0.02, 0.02):
            assert not await visitor._watch(await heard(begin(), html(0, line), end()), seconds)
            await asyncio.sleep(0.05)
        assert await visitor._watch(
            await heard(begin(), html(0, '<span role="status"><i></i><b>finished</b></span>'), end()), 1
        )

    apart(look())
    assert len(tally.waits) == 1
    assert tally.waits[0] > 0.1


def test_a_name_of_another_visitor_in_any_byte_is_a_fault_and_the_own_is_none() -> None:
    tally = Tally()
    one, other = (Visitor(number, SITE, 0.0, tally, "1") for number in (0, 1))
    one._hear(f"\x00{one.name} Lighthouse".encode())
    assert not tally.faults
    one._hear(f"\x00{other.name}\xff".encode())
    assert tally.foreign == 1
    assert other.name in tally.faults[0]


@pytest.mark.parametrize(("last", "held"), [(100, True), (109, True), (111, False), (89, False)])
def test_memory_at_the_end_is_to_be_that_of_the_middle(last: int, *, held: bool) -> None:
    samples = [Sample(second, (100 if second < 90 else last) * 10**6, 5, 9) for second in range(101)]
    found = {figure.name: figure for figure in figures(Tally(), samples, 1)}
    assert found["memory at the end, beside the middle"].held is held
    assert found["threads at the end, beside the middle"].held
    assert not found["sessions finished by each visitor, the fewest"].held


def test_a_process_is_measured_with_its_children() -> None:
    before = sample(os.getpid())
    with subprocess.Popen([sys.executable, "-c", "print(flush=True); input()"], stdin=-1, stdout=-1) as child:
        assert child.stdout is not None
        child.stdout.readline()
        during = sample(os.getpid())
        child.communicate(b"\n")
    assert during.threads > before.threads
    assert during.memory > before.memory + 1_000_000
    assert during.files > before.files + 2
