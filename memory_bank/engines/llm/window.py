"""What a model is shown is fitted to its window by rule: things are left out or shortened, and each is noted."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from memory_bank.agents.analysis import NodeView
from memory_bank.bank.query_graph import Claim
from memory_bank.engines.llm.consultation import MESSAGE_TOKENS, Consultation
from memory_bank.engines.llm.prompt import clean, node_block
from memory_bank.modules.sentences import inside_word, sentences
from memory_bank.one_line import one_line

SHORTEST_BODY = 40
"""Tokens that a shortened body keeps."""

_NUMBERED = re.compile(r"(?:\b[Nn]ode|节点)\s?(\d{1,4})(?!\d)")

Build = Callable[[Mapping[str, str]], str]
"""From the texts of some pieces, by id, to the user's prompt."""
Count = Callable[[str], int]
Cut = Callable[[str, int, Count], str]
"""From a text, a size and how it is counted to what of the text is kept."""


@dataclass(frozen=True)
class Piece:
    """One thing of a prompt, under its real id: `write(body, n)` is its text with that body and `n` of its lines.

    `body` may be shortened, by `cut` or else to its beginning; `lines` are the ids of what stands on lines of their
    own and may be left out.
    """

    id: str
    write: Callable[[str, int], str]
    body: str = ""
    lines: tuple[str, ...] = ()
    cut: Cut | None = None

    @property
    def text(self) -> str:
        """What is shown of it."""
        return self.write(self.body, len(self.lines))


@dataclass(frozen=True)
class Fitted:
    """The user's prompt, and the ids of all that is in it."""

    prompt: str
    shown: frozenset[str]


def node_piece(number: int, node: NodeView, claims: Sequence[tuple[int, Claim]] = ()) -> Piece:
    """A node under its number, with its claims under theirs; no text of it can forge a line of the prompt."""
    update = {"context": one_line(node.context), "topic": one_line(node.topic)}
    update |= {"keywords": tuple(one_line(keyword) for keyword in node.keywords)}  # type: ignore[dict-item]
    lines = [(_called(claim_number, node.voices.get(claim.id)), one_line(claim.text)) for claim_number, claim in claims]

    def write(summary: str, shown: int) -> str:
        return node_block(number, node.model_copy(update={**update, "summary": summary}), lines[:shown])

    return Piece(node.id, write, one_line(node.summary), tuple(claim.id for _, claim in claims))


def _called(number: int, voice: str | None) -> str:
    """The number of a claim, and of one from a chat who said it and when."""
    return str(number) if voice is None else f"{number} ({one_line(voice)})"


def fit(consultation: Consultation, system: str, build: Build, pieces: Sequence[Piece], needed: int) -> Fitted:
    """The user's prompt with as many of the pieces, best first, as the window holds beside the system's prompt.

    The last are left out first, but never the first `needed`. Of these, if they alone are too much, the longest
    bodies are shortened, and then lines left out. `InvalidOutputError` when the window is too small even so.
    """

    def fits(chosen: Sequence[Piece]) -> bool:
        return consultation.room(system, build({piece.id: piece.text for piece in chosen})) >= 0

    chosen = list(pieces[: _most(needed, len(pieces), lambda count: fits(pieces[:count]))])
    chosen = _shortened(chosen, fits, consultation.count_tokens)
    most_lines = max((len(piece.lines) for piece in chosen), default=0)
    kept = _most(0, most_lines, lambda count: fits(_with_lines(chosen, count)))
    chosen = _with_lines(chosen, kept)
    if not fits(chosen):
        consultation.refuse(f"{_window(consultation)} is too small for what must be shown")
    _note(consultation, pieces, chosen)
    shown = frozenset(name for piece in chosen for name in (piece.id, *piece.lines))
    return Fitted(build({piece.id: piece.text for piece in chosen}), shown)


def shorten(text: str, size: int, count: Count = len) -> str:
    """The beginning of a text that counts at most `size`: whole sentences or, where the first is too long, words."""
    if count(text) <= size:
        return text
    ends = [span.end for span in sentences(text)]
    whole = _most(0, len(ends), lambda number: number == 0 or count(text[: ends[number - 1]]) <= size)
    if whole:
        return text[: ends[whole - 1]]
    words = ["", *(text[:end].rstrip() for end in range(1, ends[0] if ends else 0) if not inside_word(text, end))]
    return f"{words[_most(0, len(words) - 1, lambda number: count(f'{words[number]}…') <= size)]}…"


def brief(text: str, characters: int) -> str:
    """A model's text as one paragraph of at most so many characters."""
    return shorten(clean(text), characters)


def with_ids(text: str, nodes: Mapping[int, str]) -> str:
    """A model's words with the real ids where it wrote the numbers of nodes; a person knows no other."""
    return _NUMBERED.sub(lambda found: nodes.get(int(found[1]), found[0]), text)


def same_words(text: str) -> str:
    """A claim as it is compared with others word for word: spaces and a full stop make no difference."""
    return " ".join(text.split()).rstrip(" .。")


def _most(low: int, high: int, fits: Callable[[int], bool]) -> int:
    """The greatest number that fits; `low` where none does. What fits a number fits every smaller one."""
    if fits(high):
        return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _shortened(chosen: list[Piece], fits: Callable[[Sequence[Piece]], bool], count: Count) -> list[Piece]:
    """The pieces with their longest bodies cut to one common length, no shorter than it must be."""

    def cut(tokens: int) -> list[Piece]:
        return [replace(piece, body=(piece.cut or shorten)(piece.body, tokens, count)) for piece in chosen]

    longest = max((count(piece.body) for piece in chosen), default=0)
    return cut(_most(SHORTEST_BODY, max(longest, SHORTEST_BODY), lambda tokens: fits(cut(tokens))))


def _with_lines(chosen: Sequence[Piece], most: int) -> list[Piece]:
    return [replace(piece, lines=piece.lines[:most]) for piece in chosen]


def _note(consultation: Consultation, pieces: Sequence[Piece], chosen: Sequence[Piece]) -> None:
    """Say what is not shown and what is shown in part, by the real ids."""
    lines = [name for all_of, part in zip(pieces, chosen, strict=False) for name in all_of.lines[len(part.lines) :]]
    missing = [*(piece.id for piece in pieces[len(chosen) :]), *lines]
    cut = [part.id for all_of, part in zip(pieces, chosen, strict=False) if part.body != all_of.body]
    window = _window(consultation)
    if missing:
        consultation.remark("left_out", f"{', '.join(missing)}: no room in {window}")
    if cut:
        consultation.remark("shortened", f"{', '.join(cut)}: no room for the whole in {window}")


def _window(consultation: Consultation) -> str:
    tokens = consultation.room() + MESSAGE_TOKENS
    return f"the window of {tokens:,} tokens ({consultation.window_variable})"
