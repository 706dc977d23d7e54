"""How users are kept apart inside Milvus, so that a search looks at one user's records and no others.

A server does it by a partition key. Milvus Lite 3.2 takes one too, but goes through all rows in spite of it (a fifth
of a second for 200,000), and what was deleted stays in its files until enough of them have come together. So there
each user has a partition: a search reads that alone, and forgetting writes what is left anew and removes the old files.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Protocol

from memory_bank.long_term.milvus_connection import WRITING, Client, Left, MilvusConnection
from memory_bank.long_term.milvus_rows import Row, batches

Read = Callable[[], list[Row]]


class Layout(Protocol):
    """Where in a collection a user's rows are."""

    is_keyed: bool

    def attach(self, client: Client, collection: str, left: Left) -> None:
        """Learn what there is, after connecting."""
        ...

    def target(self, client: Client, user_key: str, left: Left) -> dict[str, str]:
        """Where a user's new rows go, as arguments of a write."""
        ...

    def reading(self, user_key: str) -> dict[str, list[str]] | None:
        """Where a user's rows are, as arguments of a read; None where there are none at all."""
        ...

    def begin_purge(self, client: Client, user_key: str, left: Left) -> None:
        """Say, where a restart finds it, that rows of a user are about to be deleted."""
        ...

    def unpurged(self) -> list[str]:
        """The users of whom something was deleted and may still be in the file."""
        ...

    def purge(self, connection: MilvusConnection, user_key: str, read: Read) -> None:
        """Make what was deleted of a user unreadable; `read` gives the rows that are left."""
        ...


class KeyedLayout:
    """The user is the partition key. The server removes what was deleted from its files by itself."""

    is_keyed = True

    def attach(self, client: Client, collection: str, left: Left) -> None:
        """Nothing to learn."""

    def target(self, client: Client, user_key: str, left: Left) -> dict[str, str]:  # noqa: ARG002
        """The server chooses."""
        return {}

    def reading(self, user_key: str) -> dict[str, list[str]] | None:  # noqa: ARG002
        """The server finds them by the filter."""
        return {}

    def begin_purge(self, client: Client, user_key: str, left: Left) -> None:
        """Nothing to say."""

    def unpurged(self) -> list[str]:
        """Nothing is left to us."""
        return []

    def purge(self, connection: MilvusConnection, user_key: str, read: Read) -> None:
        """The server's own work."""


class OwnPartitions:
    """A partition for each user, named by the key and a number that grows with each purge.

    There are several of a user from just before something is deleted until it is purged. All of them count.
    """

    is_keyed = False

    def __init__(self) -> None:
        self._collection = ""
        self._names: defaultdict[str, list[str]] = defaultdict(list)

    def attach(self, client: Client, collection: str, left: Left) -> None:
        """Learn the partitions."""
        self._collection = collection
        self._names.clear()
        for name in client.list_partitions(collection, timeout=left()):
            if "_n" in name:
                self._names[_user_key(name)].append(name)

    def target(self, client: Client, user_key: str, left: Left) -> dict[str, str]:
        """The user's newest partition, made where there is none."""
        names = self._names[user_key]
        if not names:
            self._make(client, user_key, 1, left)
        return {"partition_name": max(names, key=_number)}

    def reading(self, user_key: str) -> dict[str, list[str]] | None:
        """The user's partitions."""
        names = self._names.get(user_key)
        return {"partition_names": list(names)} if names else None

    def begin_purge(self, client: Client, user_key: str, left: Left) -> None:
        """Make a second partition."""
        if len(self._names[user_key]) == 1:
            self._make(client, user_key, _next(self._names[user_key]), left)

    def unpurged(self) -> list[str]:
        """The users who have several partitions."""
        return [user_key for user_key, names in self._names.items() if len(names) > 1]

    def purge(self, connection: MilvusConnection, user_key: str, read: Read) -> None:
        """Write what is left into a new partition, then drop the old ones with their files and the log of writes."""
        rows, old = read(), sorted(self._names[user_key], key=_number)
        if rows:
            name = connection.call(lambda client, left: self._make(client, user_key, _next(old), left), WRITING)
            for some in batches(rows):
                connection.call(functools.partial(self._insert, name, some), WRITING)
        for name in old:
            connection.call(functools.partial(self._drop, user_key, name), WRITING)

    def _insert(self, name: str, rows: Sequence[Row], client: Client, left: Left) -> None:
        client.insert(self._collection, list(rows), partition_name=name, timeout=left())

    def _drop(self, user_key: str, name: str, client: Client, left: Left) -> None:
        if name in self._names[user_key]:
            client.drop_partition(self._collection, name, timeout=left())
            self._names[user_key].remove(name)

    def _make(self, client: Client, user_key: str, number: int, left: Left) -> str:
        name = f"u{user_key}_n{number}"
        if name in self._names[user_key]:  # made a moment ago, by a call that is done again
            return name
        client.create_partition(self._collection, name, timeout=left())
        self._names[user_key].append(name)
        return name


def _user_key(name: str) -> str:
    return name[1:].partition("_n")[0]


def _next(names: list[str]) -> int:
    return max(map(_number, names), default=0) + 1


def _number(name: str) -> int:
    return int(name.rpartition("_n")[2])
