"""The base of every stored value: frozen, closed, and checked when it comes from outside."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints


class Value(BaseModel):
    """A plain value: no disk, no network, no change after it is made."""

    model_config = ConfigDict(frozen=True, extra="forbid")


# A file of a session's store, or a cloud URI. An import cannot make it reach anything else.
StorePath = Annotated[
    str, StringConstraints(pattern=r"^(files/[A-Za-z0-9_-][A-Za-z0-9._-]{0,79}|(s3|gs|az|https)://\S+)$")
]
