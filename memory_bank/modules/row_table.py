"""Which row of an array belongs to which id, kept without gaps."""

from __future__ import annotations

from collections.abc import Sequence


class RowTable:
    """Ids and their rows, 0 to n - 1.

    A new id takes the row after the last; a removed one is replaced by the last. Hence the rows depend on
    nothing but the order of additions and removals: two tables that are told the same hold the same.
    """

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._rows: dict[str, int] = {}

    @property
    def ids(self) -> Sequence[str]:
        """The ids in order of their rows; a view, not to be changed."""
        return self._ids

    def get(self, item_id: str) -> int | None:
        """Return the row of an id, or None."""
        return self._rows.get(item_id)

    def add(self, item_id: str) -> int:
        """Give a row to an id that is not in the table yet, and return it."""
        row = len(self._ids)
        self._ids.append(item_id)
        self._rows[item_id] = row
        return row

    def remove(self, item_id: str) -> tuple[int, int]:
        """Take an id out and return its row and the last row, which has moved there.

        `KeyError` if the id is not in the table.
        """
        row = self._rows.pop(item_id)
        last_id = self._ids.pop()
        last = len(self._ids)
        if row != last:
            self._ids[row] = last_id
            self._rows[last_id] = row
        return row, last

    def __len__(self) -> int:
        return len(self._ids)
