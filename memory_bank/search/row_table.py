"""Map ids to the rows of an array, without gaps."""

from __future__ import annotations

from collections.abc import Sequence


class RowTable:
    """Ids and their rows, 0 to n - 1.

    A new id gets the row after the last; the last id moves into the row of a removed one. So the rows depend only on
    the order of additions and removals: two tables with the same changes are equal.
    """

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._rows: dict[str, int] = {}

    @property
    def ids(self) -> Sequence[str]:
        """The ids in the order of their rows; a view that must not be changed."""
        return self._ids

    def get(self, item_id: str) -> int | None:
        """Return the row of an id, or None."""
        return self._rows.get(item_id)

    def add(self, item_id: str) -> int:
        """Add an id that is not in the table yet, and return its row."""
        row = len(self._ids)
        self._ids.append(item_id)
        self._rows[item_id] = row
        return row

    def remove(self, item_id: str) -> tuple[int, int]:
        """Remove an id; return its row, and the row of the last id, which moves into it.

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
