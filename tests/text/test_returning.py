from __future__ import annotations

from collections.abc import Generator

import pytest

from memory_bank.text.returning import Returning


def counting(end: int) -> Generator[int, None, str]:
    yield from range(end)
    return f"counted to {end}"


@pytest.mark.parametrize("end", [0, 1, 5])
def test_what_is_yielded_comes_and_then_what_is_returned(end: int) -> None:
    counted = Returning(counting(end))
    assert list(counted) == list(range(end))
    assert counted.result == f"counted to {end}"


def test_there_is_no_result_before_the_end() -> None:
    counted = Returning(counting(2))
    assert next(iter(counted)) == 0
    with pytest.raises(AttributeError):
        _ = counted.result


def test_an_error_on_the_way_is_raised_where_it_comes_up() -> None:
    def failing() -> Generator[int, None, str]:
        yield 1
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        list(Returning(failing()))
