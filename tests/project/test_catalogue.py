from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from babel.messages.catalog import Message

from memory_bank.text.wording import PLACEHOLDER
from memory_bank.views.i18n import LANGUAGES, LOCALE, load_catalogue
from scripts.catalogue import KEYWORDS, ROOT, catalogue, in_python, name_of, programs

TRANSLATED = [language for language in LANGUAGES if language != "en"]
PAGES = [path for path in programs() if path.parent.name in ("components", "pages") or path.name == "app.py"]


def messages(language: str) -> list[Message]:
    return [message for message in load_catalogue(LOCALE / f"{language}.po") if message.id]


def forms(texts: str | tuple[str, ...]) -> tuple[str, ...]:
    return (texts,) if isinstance(texts, str) else tuple(texts)


# -- the catalogues ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", TRANSLATED)
def test_everything_that_is_said_is_translated(language: str) -> None:
    said = {message.id for message in messages(language) if all(forms(message.string)) and message.string}
    missing = {message.id for message in catalogue() if message.id} - said
    assert not missing, f"run `python -m scripts.catalogue` and translate: {missing}"


@pytest.mark.parametrize("language", TRANSLATED)
def test_nothing_is_translated_that_nobody_says(language: str) -> None:
    said = {message.id for message in catalogue()}
    assert [message.id for message in messages(language) if message.id not in said] == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_has_the_placeholders_of_its_text(language: str) -> None:
    wrong = [
        message.id
        for message in messages(language)
        for said in forms(message.string)
        if set(PLACEHOLDER.findall(said)) != set(PLACEHOLDER.findall("".join(forms(message.id))))
    ]
    assert wrong == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_translation_is_markup(language: str) -> None:
    """They are put into attributes and between tags as they are."""
    wrong = [said for message in messages(language) for said in forms(message.string) if re.search(r'[<>"&]', said)]
    assert [said for said in wrong if "<document>" not in said] == []


def test_singular_and_plural_have_the_same_placeholders() -> None:
    pairs = [message.id for message in catalogue() if isinstance(message.id, tuple)]
    assert pairs
    for one, many in pairs:
        assert set(PLACEHOLDER.findall(one)) | {"n"} == set(PLACEHOLDER.findall(many)) | {"n"}


# -- the programs --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", programs(), ids=lambda path: str(path.relative_to(ROOT)))
def test_what_is_said_has_the_values_that_it_shows(path: Path) -> None:
    for call, texts in in_python(path):
        given = {keyword.arg for keyword in call.keywords}
        wanted = {name for text in forms(texts) for name in PLACEHOLDER.findall(text)}
        if name_of(call) not in ("say", "say_n"):  # what is recorded with a value twice could not be read again
            shown_values = [PLACEHOLDER.findall(text) for text in forms(texts)]
            assert all(len(names) == len(set(names)) for names in shown_values), f"line {call.lineno}: {texts}"
        if name_of(call) in ("say_n", "counted"):
            given.add("n")
        if None not in given and name_of(call) != "mark_for_translation":
            assert wanted - {"n"} == given - {"n"}, f"line {call.lineno}: {texts}"


TEXT = re.compile(r"[A-Za-z’']{2,}[ ,]+[A-Za-z’']{2,}|^[A-Z][a-z]+[.…]?$")
"""What reads like a text: words beside each other, or one that begins like a label."""
READ_ALOUD = re.compile(r'(?:aria-label|title|alt|placeholder)="[^"{]*[A-Za-z]')
MARKUP = re.compile(r"<[^>]*>|<[^>]*$|^[^<>]*\">|&\w+;")
FOR_THE_MACHINE = ("key", "type", "mode", "icon", "js")
NOT_SAID = {
    *("Memory Bank", "ReAct", "Serper", "Jina"),  # names
    *("conflicts of ", "merges of ", "questions to ", "words of "),  # names in the state of a tab
    "\nexport default function () {}\n",
}


class Literals(ast.NodeVisitor):
    """Gathers the strings of a program that are not said, nor documentation, nor for the machine."""

    def __init__(self) -> None:
        self.found: list[tuple[int, str]] = []

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self.found.append((node.lineno, node.value))

    def visit_Call(self, node: ast.Call) -> None:
        if name_of(node) not in {*KEYWORDS, "compile", "TypeVar"} and "_log" not in ast.unparse(node.func):
            self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg not in FOR_THE_MACHINE:
            self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> None:
        for value in node.values:
            self.visit(value)

    def visit_Assign(self, node: ast.Assign) -> None:
        texts = [part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant)]
        name = ast.unparse(node.targets[0])
        if name != "__all__" and not (name.isupper() and all(str(text).islower() for text in texts)):
            self.generic_visit(node)  # a constant in small letters is the name of something in the state of a tab

    def pass_over(self, node: ast.AST) -> None:
        """Leave out everything inside."""

    visit_Compare = visit_Subscript = visit_Raise = pass_over  # noqa: N815


def shown(path: Path) -> list[tuple[int, str]]:
    """The literals of a program that look as if a person read them."""
    literals = Literals()
    literals.visit(ast.parse(path.read_text(encoding="utf-8")))
    return [(line, text) for line, text in literals.found if text not in NOT_SAID and reads_like_text(text)]


def reads_like_text(literal: str) -> bool:
    return bool(TEXT.search(MARKUP.sub(" ", literal).strip()) or READ_ALOUD.search(literal))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_text_reaches_the_page_but_through_say(path: Path) -> None:
    assert shown(path) == []


@pytest.mark.parametrize("text", ["Open the node", "Node", '<b aria-label="node">', "<p>two words</p>", "<p>two words"])
def test_a_text_that_is_not_said_would_be_found(tmp_path: Path, text: str) -> None:
    page = tmp_path / "page.py"
    page.write_text(f'"""A page."""\nst.html({text!r})\nst.html(say({text!r}))\n')
    assert [line for line, _text in shown(page)] == [2]


def test_what_is_said_would_not_be_found(tmp_path: Path) -> None:
    page = tmp_path / "page.py"
    page.write_text('"""A page."""\nst.button(say("Open the node"), key="the key", help=f"{say(\'A b\')} · {x}")\n')
    assert shown(page) == []
