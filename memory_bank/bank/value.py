"""The base of every stored value: frozen, closed, and checked when it comes from outside."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, StringConstraints


class Value(BaseModel):
    """A plain value: no disk, no network, no change after it is made."""

    # JSON has no NaN and no infinity: one in an event would make its line unreadable.
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _of_the_calendar(at: datetime) -> datetime:
    try:
        at.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("is no day of the calendar") from error
    return at


# A time that can be shown: the last hour of the year 9999 somewhere is no day in Greenwich.
Time = Annotated[AwareDatetime, AfterValidator(_of_the_calendar)]

# What a node, an entry, a claim or a conflict is called, here and wherever it is named. Ids are shown as they are.
Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.:+-]{1,80}$")]

# A language by its ISO 639-1 code, such as "en" or "zh".
LanguageCode = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}$")]

_FILE = "files/[A-Za-z0-9_-][A-Za-z0-9._-]{0,79}"

# A file of a session's store. An import cannot make it reach anything else.
StoreFile = Annotated[str, StringConstraints(pattern=rf"^{_FILE}$")]

# A file of a session's store, or a cloud URI.
StorePath = Annotated[str, StringConstraints(pattern=rf"^({_FILE}|(s3|gs|az|https)://\S+)$")]
