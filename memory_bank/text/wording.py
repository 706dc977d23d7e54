"""A text that the package itself writes: English, with the template and the values that it was made from.

It is a `str`, so it stands wherever a text does. What is stored keeps its template and values, so that it can be said
in another language without recognising its words; the template is the key of the translations in `views/locale`.

What comes from outside stands in one, or beside one, on one line: `one_line`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

PLACEHOLDER = re.compile(r"\{(\w+)\}")


class Wording(str):
    """`Wording("Read {file}", file=name)`. A value that is a `Wording` is said in the other language too.

    Any change of the text, such as adding it to another one, makes a plain `str` of it.
    """

    template: str
    values: Mapping[str, str]

    def __new__(cls, template: str, /, **values: object) -> Wording:
        """Fill the template with the values that it names; what is not a text becomes one."""
        named = {name: values[name] for name in PLACEHOLDER.findall(template) if name in values}
        texts = {name: value if isinstance(value, str) else str(value) for name, value in named.items()}
        made = super().__new__(cls, filled(template, texts))
        made.template, made.values = template, texts
        return made

    def __str__(self) -> str:
        return self  # so that `str(error)` keeps it

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, (stored(self),)


def mark_for_translation(text: str) -> str:
    """Mark a text for translation without translating it yet; `say` does that where it is shown.

    For tables that are made when a module is loaded.
    """
    return text


def filled(template: str, values: Mapping[str, str]) -> str:
    """A template with its values. Unlike `format`, it does nothing but that, so any template is safe."""
    return PLACEHOLDER.sub(lambda place: values.get(place[1], place[0]), template)


def one_line(text: str) -> str:
    """The text on one line: runs of white space and control characters, which a terminal would obey, become a space.

    What is on one line already is returned as it is, so that a text of ours (`Wording`) stays one.
    """
    line = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return text if line == text else line


def format_list(items: Iterable[str]) -> str:
    """Join items as `a.md, b.md and c.md`; an empty text for no items."""
    *most, last = (*items,) or ("",)
    return Wording("{things} and {last}", things=", ".join(most), last=last) if most else last


def counted(singular: str, plural: str, number: int) -> Wording:
    """The text for a number, which both may show as `{n}`."""
    return Wording(singular if number == 1 else plural, n=f"{number:,}")


def stored(text: str) -> str | dict[str, Any]:
    """A text as JSON; one of ours as its template and values."""
    if not isinstance(text, Wording):
        return text
    return {"template": text.template, "values": {name: stored(value) for name, value in text.values.items()}}


def restored(value: Any) -> str:  # noqa: ANN401 - any JSON
    """The text that was `stored`. `ValueError` for anything else: it may come from anywhere.

    A placeholder stands in a template once, so that no small text makes a huge one.
    """
    try:
        if isinstance(value, str):
            return value
        template, values = value["template"], value["values"]
        names = PLACEHOLDER.findall(template)
        if not values.keys() <= set(names) or len(set(names)) < len(names):
            raise ValueError("the values of a text are not those of its template")
        return Wording(template, **{name: restored(part) for name, part in values.items()})
    except (TypeError, LookupError, AttributeError, RecursionError) as error:
        raise ValueError("is no text with its template and values") from error
