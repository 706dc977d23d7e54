"""Fit prompts to a model's context window: pieces are left out or shortened by rule, and each cut is recorded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memory_bank.agents.agent import Language
from memory_bank.agents.analysis import NodeView
from memory_bank.agents.prompt import clean_text
from memory_bank.bank.conflict import Conflict
from memory_bank.bank.query_graph import Claim
from memory_bank.engines.llm.consultation import Consultation
from memory_bank.judgement.statement import CONTEXT_SEPARATOR
from memory_bank.text.shortening import SHORTEST_BODY, Count, largest_fitting, shorten
from memory_bank.text.wording import Wording, one_line

_NUMBERED = re.compile(r"(?:\b[Nn]ode|节点)\s?(\d{1,4})(?!\d)")

Build = Callable[[Mapping[str, str]], str]
"""Builds the user's prompt from the texts of some pieces by id."""
NumberedClaim = tuple[int, Claim]
Cut = Callable[[str, int, Count], str]
"""Cuts a text to a size, given how the size is counted."""


@dataclass(frozen=True)
class Piece:
    """One item of a prompt. `write(body, n)` is its text with that body and the first `n` of its lines.

    `id` is the real id, not the number in the prompt. `body` may be shortened: by `cut`, or to its beginning without
    one. `lines` are the ids of sub-items on lines of their own, such as claims; the last ones may be left out.
    """

    id: str
    write: Callable[[str, int], str]
    body: str = ""
    lines: tuple[str, ...] = ()
    cut: Cut | None = None

    @property
    def text(self) -> str:
        """The text with the whole body and all lines."""
        return self.write(self.body, len(self.lines))


@dataclass(frozen=True)
class Fitted:
    """The user's prompt, and the ids of the pieces and lines in it."""

    prompt: str
    shown: frozenset[str]


def fixed_piece(piece_id: str, text: str) -> Piece:
    """A piece that is shown whole or not at all."""
    return Piece(piece_id, lambda _body, _lines: text)


def line_pieces(name: str, texts: Iterable[str]) -> list[Piece]:
    """The lines of a list, such as requests or findings; each is called `name` with its number."""
    return [fixed_piece(f"{name} {number}", f"- {one_line(text)}") for number, text in enumerate(texts, start=1)]


def conflict_piece(conflict: Conflict, label: str = "") -> Piece:
    """What the two sides of a conflict say, on one line."""
    sides = " / ".join(f"{one_line(claim.text)} ({one_line(claim.source)})" for claim in conflict.claims)
    return fixed_piece(conflict.id, f"{label}{sides}")


def node_piece(
    number: int, node: NodeView, claims: Sequence[NumberedClaim], language: Language, *, claims_only: bool = False
) -> Piece:
    """A node with keywords, summary and its claims, each under its number.

    With `claims_only` without keywords, and with its summary only where it has no claims.
    """
    labels = LABELS[language]
    head, lines = [_head(number, node, labels)], _claim_lines(node, claims, labels)
    if not claims_only:
        head.append(f"{labels['keywords']}{one_line(', '.join(node.keywords))}")

    def write(summary: str, shown: int) -> str:
        summary_lines = [f"{labels['summary']}{summary}"] if summary or not claims_only else []
        return "\n".join([*head, *summary_lines, *lines[:shown]])

    summary = "" if claims_only and node.claims else one_line(node.summary)
    return Piece(node.id, write, summary, tuple(claim.id for _, claim in claims))


LABELS: dict[Language, dict[str, str]] = {
    "en": {
        "node": "node",
        "claim": "claim",
        "keywords": "keywords: ",
        "summary": "summary: ",
        ":": ": ",
        "()": " ({})",
    },
    "zh": {"node": "节点", "claim": "陈述", "keywords": "关键词：", "summary": "摘要：", ":": "：", "()": "（{}）"},
}


def _head(number: int, node: NodeView, labels: Mapping[str, str]) -> str:
    """The number, the document and the context of a node; all on one line, so that none can forge a line."""
    origins = {_origin(node, claim) for claim in node.claims}
    context, topic = one_line(node.context), one_line(node.topic)
    known = [*(origins if len(origins) == 1 else ()), one_line(node.head) or ("" if topic in context else topic)]
    document = labels["()"].format(", ".join(filter(None, known))) if any(known) else ""
    return f"{labels['node']} {number}{document}{labels[':']}{context}"


def _claim_lines(node: NodeView, claims: Sequence[NumberedClaim], labels: Mapping[str, str]) -> list[str]:
    """Each claim with its number; with its document where the node has several, and in a chat with who said it."""
    several = len({_origin(node, claim) for claim in node.claims}) > 1
    lines = []
    for number, claim in claims:
        known = [_origin(node, claim) if several else "", one_line(node.voices.get(claim.id, ""))]
        place = labels["()"].format(", ".join(filter(None, known))) if any(known) else ""
        lines.append(f"{labels['claim']} {number}{place}{labels[':']}{_with_columns(claim)}")
    return lines


def _with_columns(claim: Claim) -> str:
    """A claim's words; those of a row of a table after the heads of its columns, which end its context."""
    heads = claim.context.rsplit(CONTEXT_SEPARATOR, 1)[-1]
    return one_line(f"({heads}) {claim.text}" if "|" in claim.text and "|" in heads else claim.text)


def _origin(node: NodeView, claim: Claim) -> str:
    """The file of a claim, and the date of the document."""
    return ", ".join(filter(None, (one_line(claim.source), node.dates.get(claim.id, ""))))


def fit(consultation: Consultation, system: str, build: Build, pieces: Sequence[Piece], needed: int) -> Fitted:
    """Build the user's prompt with as many pieces (best first) as fit the window beside the system prompt.

    The last pieces are left out first, but never the first `needed`. If those alone are too long, the longest bodies
    are shortened, then lines are left out. `InvalidOutputError` when the window is still too small.
    """

    def fits(chosen: Sequence[Piece]) -> bool:
        return consultation.room(system, build({piece.id: piece.text for piece in chosen})) >= 0

    chosen = list(pieces[: largest_fitting(needed, len(pieces), lambda count: fits(pieces[:count]))])
    chosen = _shorten_bodies(chosen, fits, consultation.count_tokens)
    most_lines = max((len(piece.lines) for piece in chosen), default=0)
    line_count = largest_fitting(0, most_lines, lambda count: fits(_limit_lines(chosen, count)))
    chosen = _limit_lines(chosen, line_count)
    if not fits(chosen):
        consultation.refuse(Wording("{window} is too small for what must be shown", window=_window_label(consultation)))
    _record_cuts(consultation, pieces, chosen)
    shown = frozenset(shown_id for piece in chosen for shown_id in (piece.id, *piece.lines))
    return Fitted(build({piece.id: piece.text for piece in chosen}), shown)


def one_paragraph(text: str, characters: int) -> str:
    """A model's text as one paragraph, shortened to that many characters."""
    return shorten(clean_text(text), characters)


def with_ids(text: str, nodes: Mapping[int, str]) -> str:
    """Replace node numbers in a model's text by the real ids: people never see the numbers of a prompt."""
    return _NUMBERED.sub(lambda match: nodes.get(int(match[1]), match[0]), text)


def normalised_words(text: str) -> str:
    """Normalise a claim for comparison word for word: whitespace and a final full stop make no difference."""
    return " ".join(text.split()).rstrip(" .。")


def _shorten_bodies(chosen: list[Piece], fits: Callable[[Sequence[Piece]], bool], count: Count) -> list[Piece]:
    """Cut the longest bodies to one common length, the greatest that fits."""

    def cut(tokens: int) -> list[Piece]:
        return [replace(piece, body=(piece.cut or shorten)(piece.body, tokens, count)) for piece in chosen]

    longest = max((count(piece.body) for piece in chosen), default=0)
    return cut(largest_fitting(SHORTEST_BODY, max(longest, SHORTEST_BODY), lambda tokens: fits(cut(tokens))))


def _limit_lines(chosen: Sequence[Piece], count: int) -> list[Piece]:
    return [replace(piece, lines=piece.lines[:count]) for piece in chosen]


def _record_cuts(consultation: Consultation, pieces: Sequence[Piece], chosen: Sequence[Piece]) -> None:
    """Record what was left out or shortened, by the real ids."""
    lines = [line for piece, part in zip(pieces, chosen, strict=False) for line in piece.lines[len(part.lines) :]]
    missing = [*(piece.id for piece in pieces[len(chosen) :]), *lines]
    cut = [part.id for piece, part in zip(pieces, chosen, strict=False) if part.body != piece.body]
    window = _window_label(consultation)
    if missing:
        consultation.remark(
            "left_out", Wording("{pieces}: no room in {window}", pieces=", ".join(missing), window=window)
        )
    if cut:
        what = Wording("{pieces}: no room for the whole in {window}", pieces=", ".join(cut), window=window)
        consultation.remark("shortened", what)


def _window_label(consultation: Consultation) -> str:
    """The window with the environment variable that sets it; the research agents share one."""
    variable = f"{consultation.agent.partition('_')[0].upper()}_WINDOW"
    return Wording("the window of {tokens} tokens ({variable})", tokens=f"{consultation.window:,}", variable=variable)
