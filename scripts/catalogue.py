"""Brings the catalogues up to date with the texts of the app: `python -m scripts.catalogue`.

New texts are added without a translation, those that nobody says any more are dropped.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import write_po

from memory_bank.bank.conflict import Verdict
from memory_bank.bank.settings import AGENTS
from memory_bank.views.i18n import LANGUAGES, LOCALE, load_catalogue, translations

ROOT = Path(__file__).parent.parent
FOLDERS = ("components", "memory_bank", "pages")
KEYWORDS = {"say": (1,), "mark_for_translation": (1,), "Wording": (1,), "say_n": (1, 2), "counted": (1, 2)}
"""What is called with a text, and which of its arguments are one."""
NAMES = (*get_args(Verdict), *AGENTS)
"""What is said by a name that stands in the log."""
_WIDTH = 110

Text = str | tuple[str, ...]
"""A text, or its singular and plural."""


def catalogue() -> Catalog:
    """Everything that is said to people, without translations."""
    made = Catalog()
    for path, text in said():
        made.add(text, locations=[(path.relative_to(ROOT).as_posix(), 0)])
    for text in NAMES:
        made.add(text, auto_comments=["name"])
    return made


def said() -> Iterator[tuple[Path, Text]]:
    """Each text of the app, with the file that says it."""
    for path in programs():
        for _call, text in in_python(path):
            yield path, text
    for path in sorted((ROOT / "memory_bank").rglob("*.j2")):
        with path.open("rb") as file:
            for _line, message, _comments, _context in extract("jinja2.ext:babel_extract", file, KEYWORDS):
                yield path, message


def programs() -> list[Path]:
    """The files of the app."""
    return sorted([ROOT / "app.py", *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))])


def in_python(path: Path) -> Iterator[tuple[ast.Call, Text]]:
    """The literals that a program says. Babel's own way does not look into f-strings before Python 3.12."""
    for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(call, ast.Call) and (places := KEYWORDS.get(name_of(call))):
            texts = tuple(str(given.value) for given in call.args[: len(places)] if isinstance(given, ast.Constant))
            if len(texts) == len(places):
                yield call, texts if len(texts) > 1 else texts[0]


def singular(text: Text) -> str:
    """A text, without its plural."""
    return text if isinstance(text, str) else text[0]


def name_of(call: ast.Call) -> str:
    """The name of what is called; of a method, without what it belongs to."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def update(path: Path) -> int:
    """Bring one catalogue up to date; how many of its texts have no translation."""
    known, template = load_catalogue(path), catalogue()
    known.update(template, no_fuzzy_matching=True)
    head, _blank, _messages = path.read_text(encoding="utf-8").partition("\n\n")
    with path.open("wb") as file:
        file.write(f"{head}\n\n".encode())  # glossary and header are written by hand
        write_po(
            file,
            known,
            width=_WIDTH,
            omit_header=True,
            include_lineno=False,
            ignore_obsolete=True,
            sort_by_file=True,
        )
    translated = translations(known)
    return sum(bool(message.id) and singular(message.id) not in translated for message in template)


def main() -> None:
    """Bring all catalogues up to date, and say how many texts are to be translated."""
    for language in LANGUAGES:
        path = LOCALE / f"{language}.po"
        if path.is_file():
            sys.stdout.write(f"{path.name}: {update(path)} texts without a translation\n")


if __name__ == "__main__":
    main()
