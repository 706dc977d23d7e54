"""Physical separation of users inside Milvus, so that a search reads one user's rows only.

A server does it by a partition key. Milvus Lite 3.2 accepts one too, but scans all rows regardless (a fifth of a second
for 200,000), and deleted rows stay in its files until enough files are merged. So there each user has a partition: a
search reads that alone, and forgetting rewrites the remaining rows and removes the old files.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Sequence

from memory_bank.long_term.milvus_connection import WRITING, Client, MilvusConnection
from memory_bank.long_term.milvus_rows import Row

Read = Callable[[], list[Row]]


class Layout:
    """Where a user's rows are in a collection. Here the user is the partition key, and the server does all."""

    is_keyed = True

    def attach(self, client: Client, collection: str) -> None:
        """Read the present state, after connecting."""

    def target(self, client: Client, user_key: str) -> dict[str, str]:  # noqa: ARG002
        """Arguments of a write that say where a user's new rows go."""
        return {}

    def reading(self, user_key: str) -> dict[str, list[str]] | None:  # noqa: ARG002
        """Arguments of a read that say where a user's rows are; None where the user has none."""
        return {}

    def begin_purge(self, client: Client, user_key: str) -> None:
        """Record durably that rows of a user are about to be deleted, so that a restart can finish the purge."""

    def unpurged(self) -> list[str]:
        """Keys of the users whose deleted rows may still be in the file."""
        return []

    def purge(self, connection: MilvusConnection, user_key: str, read: Read) -> None:
        """Make a user's deleted rows unreadable; `read` returns the rows that are left."""


class OwnPartitions(Layout):
    """A partition for each user, named by the user key and a number that grows with each purge.

    From just before rows are deleted until they are purged a user has several partitions; all of them are read.
    """

    is_keyed = False

    def __init__(self) -> None:
        self._collection = ""
        self._partitions: defaultdict[str, list[str]] = defaultdict(list)

    def attach(self, client: Client, collection: str) -> None:
        """List the partitions."""
        self._collection = collection
        self._partitions.clear()
        for name in client.list_partitions(collection):
            if "_n" in name:
                self._partitions[name[1:].partition("_n")[0]].append(name)

    def target(self, client: Client, user_key: str) -> dict[str, str]:
        """The user's newest partition, created if there is none."""
        names = self._partitions[user_key]
        if not names:
            self._create(client, user_key, 1)
        return {"partition_name": max(names, key=_number)}

    def reading(self, user_key: str) -> dict[str, list[str]] | None:
        """The user's partitions."""
        names = self._partitions.get(user_key)
        return {"partition_names": list(names)} if names else None

    def begin_purge(self, client: Client, user_key: str) -> None:
        """Create a second partition, which marks the purge as unfinished."""
        if len(self._partitions[user_key]) == 1:
            self._create(client, user_key, _next_number(self._partitions[user_key]))

    def unpurged(self) -> list[str]:
        """The users who have several partitions."""
        return [user_key for user_key, names in self._partitions.items() if len(names) > 1]

    def purge(self, connection: MilvusConnection, user_key: str, read: Read) -> None:
        """Copy the remaining rows into a new partition, then drop the old ones with their files and write log."""
        rows, old = read(), sorted(self._partitions[user_key], key=_number)
        if rows:
            name = connection.call(lambda client: self._create(client, user_key, _next_number(old)), WRITING)
            connection.write_each(rows, functools.partial(self._insert, name))
        for name in old:
            connection.call(functools.partial(self._drop, user_key, name), WRITING)

    def _insert(self, name: str, rows: Sequence[Row], client: Client) -> None:
        client.insert(self._collection, list(rows), partition_name=name)

    def _drop(self, user_key: str, name: str, client: Client) -> None:
        if name in self._partitions[user_key]:
            client.drop_partition(self._collection, name)
            self._partitions[user_key].remove(name)

    def _create(self, client: Client, user_key: str, number: int) -> str:
        name = f"u{user_key}_n{number}"
        if name in self._partitions[user_key]:  # created by the first attempt of a call that is repeated
            return name
        client.create_partition(self._collection, name)
        self._partitions[user_key].append(name)
        return name


def _next_number(names: list[str]) -> int:
    return max(map(_number, names), default=0) + 1


def _number(name: str) -> int:
    return int(name.rpartition("_n")[2])
