"""A few pages are drawn at a time, and none waits for ever."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from pages.shared.render_limiter import RenderSlots


def test_no_more_pages_are_drawn_at_once_than_there_are_places() -> None:
    slots, lock = RenderSlots(count=2, max_seconds=60), threading.Lock()
    drawing = most = 0

    def draw(_page: int) -> None:
        nonlocal drawing, most
        with slots.hold(), slots.hold():  # a part of a page that has its place
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
    slots, ended = RenderSlots(count=2, max_seconds=0.5), threading.Event()

    def hang() -> None:
        with slots.hold():
            ended.wait(60)

    def draw() -> None:
        with slots.hold():
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
    slots = RenderSlots(count=1, max_seconds=60)
    with pytest.raises(ValueError, match="wrong"), slots.hold():
        raise ValueError("wrong")
    with slots.hold():
        pass
