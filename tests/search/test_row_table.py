from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.search.row_table import RowTable

IDS = st.sampled_from([f"n{number}" for number in range(8)])


@given(st.lists(IDS))
def test_rows_have_no_gaps_and_point_back_to_their_ids(toggles: list[str]) -> None:
    table = RowTable()
    there: set[str] = set()
    for item_id in toggles:
        if item_id in there:
            table.remove(item_id)
            there.remove(item_id)
        else:
            assert table.add(item_id) == len(there)
            there.add(item_id)
        assert len(table) == len(there)
        assert [table.get(kept) for kept in table.ids] == list(range(len(there)))


def test_the_last_row_moves_to_the_place_of_the_one_removed() -> None:
    table = RowTable()
    for item_id in ("a", "b", "c"):
        table.add(item_id)
    assert table.remove("a") == (0, 2)
    assert list(table.ids) == ["c", "b"]
    assert table.remove("b") == (1, 1)
    assert list(table.ids) == ["c"]


def test_an_unknown_id_has_no_row_and_cannot_be_removed() -> None:
    table = RowTable()
    assert table.get("n1") is None
    with pytest.raises(KeyError):
        table.remove("n1")
