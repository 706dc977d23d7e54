"""Every place where text becomes markup, Markdown or script is known, and each text there was made harmless before."""

from __future__ import annotations

import ast
import re

import pytest

from scripts.catalogue import ROOT, programs
from tests.security.sinks import Module, Sink

SCRIPTS = sorted((ROOT / "components").glob("*.js"))
NUMBER = "a number"
ID = "an id of ours: its pattern lets nothing but letters and digits"
OWN = "one of our own texts: what every caller gives is a text of the catalogue"
PAGE = "the path of a page, a constant of ours"
MARKUP = "made of markup by a function of its own module, which is looked at itself"
AUDITED = {
    ("components/conflicts.py", "conflict.merged_into"): ID,
    ("components/event_feed.py", "event.seq"): NUMBER,
    ("components/insight_doc.py", "moment.isoformat()"): "a time",
    ("components/insight_doc.py", "style.colour"): "a constant of the state",
    ("components/insight_doc.py", "style.glyph"): "a constant of the state",
    ("components/insight_doc.py", "task.number"): NUMBER,
    ("components/look.py", "style.colour"): "a constant of the state",
    ("components/look.py", "style.glyph"): "a constant of the state",
    ("components/merge.py", "nodes"): MARKUP,
    ("components/progress.py", "max(sum((source.bytes for source in accepted)), 1)"): NUMBER,
    ("components/progress.py", "reading.done"): NUMBER,
    ("components/progress.py", "reading.of"): NUMBER,
    ("components/query_graph.py", "name"): "the name of a state, one of our own",
    ("components/settings_form.py", "field.help"): OWN,
    ("components/settings_form.py", "field.label"): OWN,
    ("components/status_line.py", "style.word"): "a text of the catalogue",
    ("components/look.py", "css_class"): "the name of a style, one of our own",
    ("components/look.py", "no"): OWN,
    ("components/look.py", "text"): OWN,
    ("components/look.py", "yes"): OWN,
    ("components/status_line.py", "queue_position"): NUMBER,
    ("components/status_line.py", "doc.current_task is not None"): NUMBER,
    ("components/usage_table.py", "models"): MARKUP,
    ("pages/shared/asked.py", "label"): OWN,
    ("pages/shared/export_menu.py", "label"): OWN,
    ("pages/shared/asked.py", "ASK_PAGE"): PAGE,
    ("pages/shared/start.py", "start_input.error"): OWN,
    ("pages/shared/start.py", "example.button"): OWN,
    ("pages/shared/start.py", "b64encode((_PICTURES / f'{example.picture}-{theme}.webp').read_bytes()).decode()"): OWN,
    ("pages/shared/start.py", "SESSIONS_PAGE"): PAGE,
    ("pages/shared/start.py", "SETTINGS_PAGE"): PAGE,
    ("pages/shared/frame.py", "SESSION_PAGE"): PAGE,
    ("pages/shared/frame.py", "SESSIONS_PAGE"): PAGE,
    ("pages/shared/remembered.py", "LONG_TERM_MEMORY_PAGE"): PAGE,
    ("pages/shared/session_view.py", "label"): OWN,
    ("pages/shared/session_view.py", "trees.node_of(citation.entry_id)"): ID,
    (
        "pages/shared/web.py",
        "config.get_option('server.baseUrlPath').strip('/')",
    ): "a setting of whoever runs the server",
    ("pages/conflicts.py", "event.node.id"): ID,
    ("pages/conflicts.py", "label"): OWN,
    ("pages/long_term_memory.py", "SESSION_PAGE"): PAGE,
    ("pages/long_term_memory.py", "label"): OWN,
    ("pages/long_term_memory.py", "page_state.message"): OWN,
    ("pages/session.py", "SETTINGS_PAGE"): PAGE,
    ("pages/sessions.py", "SESSION_PAGE"): PAGE,
    ("pages/settings.py", "message"): OWN,
}
"""What is put into markup or Markdown as it is, and why that does no harm."""


def of_page() -> dict[str, Module]:
    """The modules that draw, by their paths."""
    paths = [path for path in programs() if path.relative_to(ROOT).parts[0] in ("components", "pages", "app.py")]
    return {path.relative_to(ROOT).as_posix(): Module(ast.parse(path.read_text(encoding="utf-8"))) for path in paths}


def test_every_text_that_becomes_markup_or_markdown_was_made_harmless_or_was_looked_at() -> None:
    found = {(path, sink.text): sink for path, module in of_page().items() for sink in module.sinks()}
    assert {place: sink.kind for place, sink in found.items() if place not in AUDITED} == {}
    assert set(AUDITED) - set(found) == set(), "these are gone: take them off the list"


def sinks(code: str) -> set[Sink]:
    return set(Module(ast.parse(code)).sinks())


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("st.html(f'<b>{name}</b>')", Sink("html", "name")),
        ("def draw(name):\n    words = name\n    st.html(words)", Sink("html", "name")),
        ("made = f'<b>{node.topic}</b>'", Sink("html", "node.topic")),
        ("st.html('<b>' + node.topic)", Sink("html", "node.topic")),
        ("st.html(''.join(f'<li>{name}' for name in names))", Sink("html", "names")),
        ("st.html(f'<b>{say(\"{name}\", name=node.topic)}')", Sink("html", "node.topic")),
        ("def line(node): return node.topic\nst.html(line(node))", Sink("html", "node.topic")),
        ("st.html(f'<b>{plain(name)}</b>')", Sink("html", "plain(name)")),
        ("column.button(node.topic)", Sink("markdown", "node.topic")),
        ("st.button(say('Open'), help=node.topic)", Sink("markdown", "node.topic")),
        ("st.error(f'{escape(name)}')", Sink("markdown", "escape(name)")),
        ("st.warning(say('{name} is gone', name=name))", Sink("markdown", "name")),
        ("st.markdown('a')", Sink("route", "st.markdown")),
        ("st.html('a', unsafe_allow_javascript=True)", Sink("route", "unsafe_allow_javascript")),
    ],
)
def test_a_text_that_is_put_in_as_it_is_is_told(code: str, told: Sink) -> None:
    assert told in sinks(code)


@pytest.mark.parametrize(
    "code",
    [
        "st.html(f'<b>{escape(name)}</b>')",
        "def draw(name):\n    words = escape(name)\n    st.html(f'<b>{words}</b>')",
        "st.html(''.join(f'<li>{escape(name)}' for name in names))",
        "st.html(f'<b>{number:,}</b>')",
        "st.button(plain(name), help=say('Open {name}', name=plain(name)))",
        "st.text(name)",
    ],
)
def test_a_text_that_was_made_harmless_is_not(code: str) -> None:
    assert sinks(code) == set()


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_no_script_of_ours_makes_markup_or_code_of_text(path: object) -> None:
    script = next(one for one in SCRIPTS if one == path).read_text(encoding="utf-8")
    assert (
        re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc", script) == []
    )


def test_the_report_escapes_all_but_what_is_markup_already() -> None:
    code = (ROOT / "memory_bank/views/exports/html_report.py").read_text(encoding="utf-8")
    template = (ROOT / "memory_bank/views/exports/report.html.j2").read_text(encoding="utf-8")
    assert "autoescape=True" in code
    assert re.findall(r"Markup\((.{12})", code) == ["svg(bank, pl", "'<svg class=", "shape(state)"]
    assert not re.findall(r"\|\s*safe\b|autoescape false", template)
