"""The base class of every stored value, and the constrained types of their fields."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    PlainSerializer,
    PlainValidator,
    SerializerFunctionWrapHandler,
    StringConstraints,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
    model_serializer,
    model_validator,
)

from memory_bank.text.wording import Wording, restored, stored


class Value(BaseModel):
    """An immutable value that allows no unknown fields and is validated when created."""

    # JSON has no NaN and no infinity: one in an event would make its line unreadable.
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _kept_wording(value: object, check: ValidatorFunctionWrapHandler) -> object:
    return value if isinstance(value, Wording) else check(value)


# A text that may be one of ours: then its template and values are stored too, by `Worded`.
WordedText = Annotated[str, WrapValidator(_kept_wording)]


def _restored_wording(value: object) -> Wording:
    text = value if isinstance(value, Wording) else restored(value)
    if not isinstance(text, Wording):
        raise ValueError("is no text with its template and values")
    return text


STORED_WORDING: dict[str, Any] = {
    "type": "object",
    "required": ["template", "values"],
    "properties": {"template": {"type": "string"}, "values": {"type": "object"}},
    "additionalProperties": False,
}
"""The JSON Schema of a text of ours as it is stored; a value is a text, or again one of ours."""

# Texts of ours within a longer text.
Wordings = tuple[
    Annotated[Wording, PlainValidator(_restored_wording), PlainSerializer(stored), WithJsonSchema(STORED_WORDING)],
    ...,
]


class Worded(Value):
    """A value with fields of the type `WordedText`. Stored, it names those that are texts of ours in `wordings`."""

    @model_validator(mode="before")
    @classmethod
    def _with_wordings(cls, data: Any) -> Any:  # noqa: ANN401 - whatever is validated
        if not isinstance(data, dict) or "wordings" not in data:
            return data
        texts = data["wordings"]
        if not isinstance(texts, dict):
            raise ValueError("is no list of texts")
        fields = {name: value for name, value in data.items() if name != "wordings"}
        for name, value in texts.items():
            text = _restored_wording(value)
            if text != fields.get(name):
                raise ValueError("has another text than its template and values make")
            fields[name] = text
        return fields

    @model_serializer(mode="wrap")
    def _and_wordings(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        wordings = {name: stored(text) for name, text in self.__dict__.items() if isinstance(text, Wording)}
        return {**write(self), **({"wordings": wordings} if wordings else {})}


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
