"""The base class of every stored value, and the constrained types of their fields."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, StringConstraints


class Value(BaseModel):
    """An immutable value that allows no unknown fields and is validated when created."""

    # JSON has no NaN and no infinity: one in an event would make its line unreadable.
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _checked_time(at: datetime) -> datetime:
    try:
        at.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("is no day of the calendar") from error
    return at


# A time that can be converted to UTC: the last hours of the year 9999 in the west lie beyond the calendar.
Time = Annotated[AwareDatetime, AfterValidator(_checked_time)]

# The id of a node, an entry, a claim or a conflict. Ids are shown as they are, so no markup is allowed.
Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.:+-]{1,80}$")]

# A language by its ISO 639-1 code, such as "en" or "zh".
LanguageCode = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}$")]

_FILE = "files/[A-Za-z0-9_-][A-Za-z0-9._-]{0,79}"

# A file in a session's store. The pattern keeps an import from reaching any other file.
StoreFile = Annotated[str, StringConstraints(pattern=rf"^{_FILE}$")]

# A file in a session's store, or a cloud URI.
StorePath = Annotated[str, StringConstraints(pattern=rf"^({_FILE}|(s3|gs|az|https)://\S+)$")]
