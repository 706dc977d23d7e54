"""Finds where text becomes markup or Markdown on the page without having been made harmless first.

What is put into markup (a string with a tag in it, or what `st.html` is given) or into a label (which Streamlit reads
as Markdown) is followed to where it comes from, within its module: constants, texts of the catalogue, numbers, and what
`escape` or `plain` returns are harmless. All else is told, to be looked at by a person once.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

Kind = Literal["html", "markdown", "route"]
ROUTES = {"st.iframe", "st.components.v1.html", "st.components.v1.iframe", "components.html", "st.write", "st.markdown"}
"""Ways to the page that are not used: each takes markup, addresses or Markdown as it is."""
MARKDOWN = frozenset(
    "button caption checkbox download_button error expander feedback file_uploader form_submit_button header info "
    "link_button metric multiselect number_input page_link pills progress radio selectbox slider spinner subheader "
    "success text_area text_input title toast toggle warning".split()
)
"""What of Streamlit reads a label as Markdown, and so the named arguments beside it."""
_LABELS = frozenset({"label", "help", "text", "caption", "body"})
_MADE_HARMLESS = {"html": {"escape", "mark", "mark_differences", "asset"}, "markdown": {"plain", "duration"}}
_SAID = {"say", "say_n", "mark_for_translation"}
_PASSED_ON = {"dict.fromkeys", "filter", "list", "reversed"}
"""What gives the parts of what it is given."""
_NUMBERS = {"len", "int", "float", "round", "sum", "duration", "money"}


@dataclass(frozen=True)
class Sink:
    """A text that reaches the page: as what, and the part of it that nothing made harmless."""

    kind: Kind
    text: str


@dataclass
class Module:
    """A module's sinks."""

    tree: ast.Module
    _following: set[object] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    @cached_property
    def _functions(self) -> dict[str, ast.FunctionDef]:
        return {node.name: node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef)}

    def sinks(self) -> Iterator[Sink]:
        """Every part that nothing made harmless, in markup and in labels."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.JoinedStr) and any("<" in text for text in _constants(node)):
                yield from self._told("html", [node])
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "html":
                yield from self._told("html", node.args)
            elif isinstance(node, ast.Call) and ast.unparse(node.func) in ROUTES:
                yield Sink("route", ast.unparse(node.func))
            elif isinstance(node, ast.Call) and _is_widget(node.func):
                named = [each.value for each in node.keywords if each.arg in _LABELS]
                yield from self._told("markdown", [*node.args[:1], *named])
            elif isinstance(node, ast.keyword) and str(node.arg).startswith("unsafe_"):
                yield Sink("route", str(node.arg))

    def _told(self, kind: Kind, parts: list[ast.expr]) -> Iterator[Sink]:
        for part in parts:
            for found in self._open(part, kind):
                yield Sink(kind, ast.unparse(found))

    def _open(self, node: ast.expr, kind: Kind) -> Iterator[ast.expr]:
        """The parts of an expression that may hold anything."""
        parts = _parts(node)
        if parts is not None:
            for part in parts:
                yield from self._open(part, kind)
        elif isinstance(node, ast.Call):
            yield from self._open_call(node, ast.unparse(node.func), kind)
        elif isinstance(node, ast.Name):
            yield from self._open_name(node, node.id, kind)
        else:
            yield node

    def _open_call(self, node: ast.Call, called: str, kind: Kind) -> Iterator[ast.expr]:
        args = node.args
        if called in _MADE_HARMLESS[kind] or called in _NUMBERS:
            return
        if called in _SAID:
            for part in (*args[:1], *(keyword.value for keyword in node.keywords)):
                yield from self._open(part, kind)
        elif called.endswith(".join") or called in _PASSED_ON:
            yield from self._open(args[-1], kind)
        elif called == "map" and isinstance(args[0], ast.Name):
            yield from self._open_result(node, args[0].id, kind)
        else:
            yield from self._open_result(node, called, kind)

    def _open_result(self, node: ast.expr, called: str, kind: Kind) -> Iterator[ast.expr]:
        """What a function of this module returns; of another's, the call itself."""
        function = self._functions.get(called)
        if function is None:
            yield node
            return
        if id(function) in self._following:
            return
        self._following.add(id(function))
        for each in ast.walk(function):
            if isinstance(each, ast.Return | ast.Yield) and each.value is not None:
                yield from self._open(each.value, kind)
        self._following.discard(id(function))

    def _open_name(self, node: ast.Name, name: str, kind: Kind) -> Iterator[ast.expr]:
        """What a name of the same function was given; of an argument, the name itself."""
        given = list(self._given(node, name))
        if not given or (name, id(given[0])) in self._following:
            yield from () if given else (node,)
            return
        self._following.add((name, id(given[0])))
        for value in given:
            yield from self._open(value, kind)
        self._following.discard((name, id(given[0])))

    def _given(self, node: ast.AST, name: str) -> Iterator[ast.expr]:
        here: ast.AST = node
        while here in self._parents and not isinstance(here, ast.FunctionDef):
            here = self._parents[here]
        yield from self._bound(here, name)
        if here is not self.tree and name.isupper():
            yield from self._bound(self.tree, name)

    @staticmethod
    def _bound(here: ast.AST, name: str) -> Iterator[ast.expr]:
        for each in ast.walk(here):
            match each:
                case ast.comprehension(target=target, iter=value) | ast.For(target=target, iter=value):
                    if isinstance(target, ast.Name) and target.id == name:
                        yield value
                case ast.AnnAssign(target=target, value=ast.expr() as value):
                    yield from _assigned(target, value, name)
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        yield from _assigned(target, value, name)
                case ast.AugAssign(target=ast.Name(id=known), value=value) if known == name:
                    yield value
                case ast.Call(func=ast.Attribute(value=ast.Name(id=known), attr="append"), args=[value]) if (
                    known == name
                ):
                    yield value


def _parts(node: ast.expr) -> list[ast.expr] | None:
    """What an expression is put together of; None where it is not."""
    match node:
        case ast.Constant() | ast.FormattedValue(format_spec=ast.JoinedStr()):  # only of a number are digits asked for
            return []
        case ast.JoinedStr(values=values) | ast.BoolOp(values=values) | ast.Dict(values=values):
            return values
        case ast.List(elts=values) | ast.Tuple(elts=values):
            return values
        case ast.FormattedValue(value=value) | ast.Subscript(value=value) | ast.Starred(value=value):
            return [value]
        case ast.IfExp(body=first, orelse=second) | ast.BinOp(left=first, right=second):
            return [first, second]
        case ast.GeneratorExp(elt=value) | ast.ListComp(elt=value):
            return [value]
    return None


def _assigned(target: ast.expr, value: ast.expr, name: str) -> Iterator[ast.expr]:
    if isinstance(target, ast.Name) and target.id == name:
        yield value
    elif isinstance(target, ast.Tuple):
        named = [isinstance(each, ast.Name) and each.id == name for each in target.elts]
        if any(named):
            yield value.elts[named.index(True)] if isinstance(value, ast.Tuple) else value


def _constants(node: ast.JoinedStr) -> Iterator[str]:
    return (str(value.value) for value in node.values if isinstance(value, ast.Constant))


def _is_widget(called: ast.expr) -> bool:
    return isinstance(called, ast.Attribute) and called.attr in MARKDOWN
