"""The one door for the exports of an older version of the program.

A change of the format adds one to `VERSION` and a step to `STEPS` under the number of the version that it starts from.
The rest of the program knows the newest format only. A step is given the JSON of an export and returns it in the next
version; what it returns is validated like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

VERSION = 1
Step = Callable[[dict[str, Any]], dict[str, Any]]
STEPS: dict[int, Step] = {}
"""Version 1 is the first, so there is nothing to upgrade yet."""


class UnknownVersionError(ValueError):
    """A version that this program neither writes nor can upgrade."""


def upgraded(document: dict[str, Any]) -> dict[str, Any]:
    """The document in the newest version. A step that fails on a damaged document raises what it raises."""
    version = document.get("version")
    while type(version) is int and version in STEPS:
        version += 1
        document = {**STEPS[version - 1](document), "version": version}
    if type(version) is not int or version != VERSION:
        raise UnknownVersionError(version)
    return document
