"""A few pages are drawn at a time, and none waits for ever."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from pages._turns import Turns


def test_no_more_pages_are_drawn_at_once_than_there_are_places() -> None:
    turns, lock = Turns(at_once=2, patience=60), threading.Lock()
    drawing = most = 0

    def draw(_page: int) -> None:
        nonlocal drawing, most
        with turns.one(), turns.one():  # a part of a page that has its place
            with lock:
                drawing += 1
                most = max(most, drawing)
            threading.Event().wait(0.01)
            with lock:
                drawing -= 1

    with ThreadPoolExecutor(8) as visitors:
        list(visitors.map(draw, range(24)))
    assert (most, drawing) == (2, 0)


def test_pages_that_do_not_end_keep_the_others_waiting_once() -> None:
    turns, ended = Turns(at_once=2, patience=0.5), threading.Event()

    def hang() -> None:
        with turns.one():
            ended.wait(60)

    def draw() -> None:
        with turns.one():
            pass

    with ThreadPoolExecutor(4) as visitors:
        hanging = [visitors.submit(hang) for _ in range(2)]
        visitors.submit(draw).result(60)  # waits
        began = time.monotonic()
        for _ in range(1_000):
            visitors.submit(draw).result(60)
        assert time.monotonic() - began < 1_000 * 0.5 / 2, "and the others do not"
        ended.set()
        for page in hanging:
            page.result(60)


def test_a_page_that_fails_gives_its_place_free() -> None:
    turns = Turns(at_once=1, patience=60)
    with pytest.raises(ValueError, match="wrong"), turns.one():
        raise ValueError("wrong")
    with turns.one():
        pass
