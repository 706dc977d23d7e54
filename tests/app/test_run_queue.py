"""The fair queue: never more at a time than slots, in the order of asking, and for a limited time."""

from __future__ import annotations

import threading
import time
from collections import Counter

from memory_bank.app.runner import FairQueue

PATIENCE = 10.0


def until(true: object) -> None:
    """Wait until a function returns true."""
    end = time.monotonic() + PATIENCE
    while not true():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.002)


def test_no_more_work_at_a_time_than_there_are_places_and_all_come() -> None:
    slots, inside, most, done = FairQueue(3), Counter[str](), [0], list[str]()

    def work(name: str) -> None:
        slots.enter(name)
        inside[name] += 1
        most[0] = max(most[0], sum(inside.values()))
        time.sleep(0.005)
        inside[name] -= 1
        done.append(name)
        slots.leave(name)

    threads = [threading.Thread(target=work, args=(str(number),)) for number in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert len(done) == 50
    assert most[0] == 3


def test_who_waits_comes_in_the_order_of_asking_and_can_see_the_place() -> None:
    slots, order = FairQueue(1), list[str]()
    slots.enter("first")

    def work(name: str) -> None:
        slots.enter(name)
        order.append(name)
        slots.leave(name)

    threads = []
    for number in range(5):
        name = f"w{number}"
        threads.append(threading.Thread(target=work, args=(name,)))
        threads[-1].start()
        until(lambda name=name: slots.place(name) is not None)
    assert [slots.place(f"w{number}") for number in range(5)] == [1, 2, 3, 4, 5]
    assert slots.place("first") is None
    slots.leave("first")
    for thread in threads:
        thread.join(PATIENCE)
    assert order == ["w0", "w1", "w2", "w3", "w4"]


def test_who_works_for_long_gives_way_to_who_waits_and_comes_again() -> None:
    now = [0.0]
    slots, order = FairQueue(1, seconds=5.0, clock=lambda: now[0]), list[str]()
    slots.enter("long")

    def short() -> None:
        slots.enter("short")
        order.append("short")
        slots.leave("short")

    other = threading.Thread(target=short)
    other.start()
    until(lambda: slots.place("short") == 1)
    slots.give_way("long")
    assert order == [], "its time is not over"
    now[0] = 5.0
    slots.give_way("long")
    order.append("long again")
    other.join(PATIENCE)
    assert order == ["short", "long again"]
    slots.give_way("long")
    slots.leave("long")


def test_who_only_comes_to_end_does_not_wait_for_a_place() -> None:
    slots, ending = FairQueue(1), threading.Event()
    slots.enter("busy")
    entered = threading.Event()

    def end() -> None:
        slots.enter("ends", ending.is_set)
        entered.set()
        slots.leave("ends")

    threading.Thread(target=end).start()
    assert not entered.wait(0.05)
    ending.set()
    assert entered.wait(PATIENCE)
    slots.leave("busy")
