"""Extract the statements of a text, each with its context (specification 7, "What is a claim").

A statement is a sentence, a list entry or a table row that says something. Headings, lines of a table of contents,
page numbers, code, mail headers, front matter, labels without a value and questions are not statements. Only form
decides (Markdown marks, rules, dot leaders, line ends), never a list of words, so it works for any language.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from memory_bank.bank.above import BEFORE_CHARACTERS, Above
from memory_bank.text.document_head import FRONT_MATTER
from memory_bank.text.emphasis import without_emphasis
from memory_bank.text.mail import mail_header_end
from memory_bank.text.sentences import sentences
from memory_bank.text.span import Span
from memory_bank.text.table_row import (
    between_records,
    cells_between_bars,
    names_columns,
    without_column_names,
)

TITLE_CHARACTERS, HEADING_CHARACTERS = 60, 60
"""Most characters of a title and a heading in the context of a statement."""
CONTEXT_SEPARATOR, BETWEEN_COLUMNS = " · ", " | "


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement as a model reads it: its text, and its context (title, heading, preceding sentence)."""

    text: str
    context: str = ""


@dataclass(frozen=True, slots=True)
class PlacedStatement:
    """A statement with its place: its text is exactly `text[start:end]` of the document.

    `lead` is the heading, question or label that it stands under. `item` is True for an entry of a list and a row of a
    table.
    """

    statement: Statement
    start: int
    end: int
    lead: str = ""
    item: bool = False


class Reading(NamedTuple):
    """The statements of a text, in order; and where each of its sentences ends, with what stands above what follows."""

    statements: list[PlacedStatement]
    places: list[tuple[int, Above]]

    def above(self, offset: int) -> Above:
        """What stands above a character of the text."""
        passed = bisect_right(self.places, offset, key=lambda place: place[0])
        return self.places[passed - 1][1] if passed else Above()


def statements_of(
    text: str, title: str = "", *, above: Above | None = None, short_items: bool = False, short_joined: bool = False
) -> list[PlacedStatement]:
    """The statements of a document, in order: see `reading_of`."""
    return reading_of(text, title, above=above, short_items=short_items, short_joined=short_joined).statements


def reading_of(
    text: str, title: str = "", *, above: Above | None = None, short_items: bool = False, short_joined: bool = False
) -> Reading:
    """The statements and places of a document; `title` is its title, where that is known.

    Else its first heading or statement is the title of what follows, whichever comes first. Of a part of a document
    `above` is what stands above it, with a title that counts where no other is given.

    With `short_items` also the entries of lists that are too short to state something, "- Milk", short replies to a
    question, "Yes.", and the lines of short blocks of code. With `short_joined` a sentence too short to state something
    is one statement with the next of its line.
    """
    place = above or Above()
    place = place._replace(title=title or place.title)
    read = Reading([], [])
    replies = False
    for line in _lines(text, short_joined=short_joined, in_table=bool(place.columns)):
        is_short_item = not line.leads and (line.mark or (replies and line.kind is _CONTEXT_ONLY))
        is_stated = line.kind is _STATEMENT or (short_items and (line.kind is _CODE or is_short_item))
        if is_stated:
            before = line.cell.under(place.columns) if line.cell else place.columns if line.row else place.before
            statement = Statement(line.words, context(place.title, place.heading, before))
            item = line.mark or (line.row and not line.cell)
            read.statements.append(PlacedStatement(statement, line.start, line.end, place.lead, item))
        place = _below(place, line, is_stated=is_stated)
        read.places.append((line.end, place))
        replies = bool(_QUESTION.search(line.words))
    return read


def _below(place: Above, line: _Line, *, is_stated: bool) -> Above:
    """What stands above what follows a line, given what stands above the line."""
    if not line.row:
        place = place._replace(columns="")
    if line.kind is _HEADING:
        return Above(place.title or line.words, line.words, "", place.columns, line.words)
    if line.kind is _COLUMNS:
        return place._replace(columns=line.words)
    if is_stated:
        # a text without title or heading is told by its opening words: what stands first says what it is about, so
        # two texts about different things of one name are not taken for one
        lead = line.words if line.words.rstrip().endswith((":", "：")) else place.lead
        return place._replace(title=place.title or line.words, before=line.words, lead=lead)
    before = line.words if line.kind is _CONTEXT_ONLY else place.before
    return place._replace(before=before, lead=line.words if line.leads else place.lead)


def is_of_list(text: str, start: int) -> bool:
    """Whether what begins at `start` belongs to an entry of a list: the mark of one stands before it in its line."""
    mark = _LIST_MARK.match(text, text.rfind("\n", 0, start) + 1)
    return mark is not None and mark.end() <= start


def is_field(words: str) -> bool:
    """Whether words fill in a form instead of saying something: a label with short values, as "Present: A. Hale"."""
    value = [*_AFTER_LABEL.split(words, maxsplit=1), "", ""][2]
    lengths = [_count_words(piece) for piece in _BETWEEN_VALUES.split(value) if _WORD.search(piece)]
    return _is_label_with_value(words) and median(lengths) <= _FIELD_WORDS


def context_at(placed: list[PlacedStatement], start: int, end: int) -> str:
    """The context of the first statement in a span, given all statements of the text; "" where there is none."""
    following = placed[bisect_right(placed, start, key=lambda entry: entry.end) :]
    return next((entry.statement.context for entry in following if entry.start < end), "")


def context(title: str, heading: str, before: str) -> str:
    """The context of a statement, in the one format that the models are trained on; what comes twice is said once."""
    parts = [] if before and _flat(before) == _flat(title) else [_shorten(title, TITLE_CHARACTERS)]
    if heading and _flat(heading) != _flat(title):
        parts.append(_shorten(heading, HEADING_CHARACTERS))
    if before:
        parts.append(_flat(before)[-BEFORE_CHARACTERS:])
    return CONTEXT_SEPARATOR.join(part for part in parts if part)


# -- lines and their kinds -----------------------------------------------------------------------------------------

_HEADING, _COLUMNS, _STATEMENT, _CONTEXT_ONLY, _CODE, _NOTHING = range(6)
"""`_COLUMNS` is the header row of a table; `_CONTEXT_ONLY`, such as a question, is context for the next statement;
`_CODE` a line of a short block of code, such as a command."""
MOST_CODE_LINES = 3
"""Lines of a block of code up to which each is an entry by itself."""


class _Cell(NamedTuple):
    """A cell of a table: its column, counted from 0, and what the first cell of its row says, if that names the row."""

    column: int
    label: str

    def under(self, columns: str) -> str:
        """What the cell is about, given the header of its table: "Scope | Lead"."""
        names = columns.split(BETWEEN_COLUMNS)[self.column : self.column + 1]
        return BETWEEN_COLUMNS.join(part for part in (self.label, *names) if part)


class _Line(NamedTuple):
    """A sentence of the text with its kind; `words` is its text without list or heading marks.

    `row` is a row of a table, or with a `cell` a sentence in one; `mark` an entry of a list; `leads` is a question or a
    label, which what follows answers.
    """

    kind: int
    words: str
    start: int
    end: int
    row: bool = False
    mark: bool = False
    leads: bool = False
    cell: _Cell | None = None


_FENCE = re.compile(r"^[ \t]{0,3}(?:```|~~~)", re.MULTILINE)
_MARKDOWN_HEADING = re.compile(r"\s*#{1,6}\s+(.*)", re.DOTALL)
_LIST_MARK = re.compile(
    r"\s*(?:[-*+•‣◦▪●○·–]\s+|\(?\d{1,3}(?:\.\d{1,3})*[.)]\s+|\(?[a-z][.)]\s+|[（(]?[一二三四五六七八九十]{1,3}[）)、]\s*)+"
)
_IN_CELL = re.compile(r"(?:\\\||[^|])+")
_TABLE_RULE = re.compile(r"[\s|:+=-]{3,}")
_DOT_LEADERS = re.compile(r"(?:\.\s?){4,}|…{2,}|_{3,}")
_POINTER = re.compile(
    r"\[[^\[\]]{0,300}\]\(#[^()]{0,300}\)|\[!\[[^\[\]]{0,300}\]\([^()]{0,300}\)\]\([^()]{0,300}\)"
    r"|!\[[^\[\]]{0,300}\]\([^()]{0,300}\)"
)
"""A link to a place in the same text, as its table of contents has them; a picture, or one that is a link."""
_BARE_LABEL = re.compile(r"[^:：]{1,60}[:：]\s*")
_AFTER_LABEL = re.compile(r"([:：\t]|\s[–—=-]\s)")
_BETWEEN_VALUES = re.compile(r"[,;:、，；：\t\n]|\s[–—-]\s")
_SENTENCE_END = re.compile(r"[.!?。！？…][\"'”’»」』)）\]]*$")
_QUESTION = re.compile(r"[?？][\"'”’»」』)）\]]*$")
_WORD = re.compile(r"[^\W_]+")
_CHINESE_CHARACTER = re.compile(r"[\u3400-\u9fff]")
_CODE_SIGNS = re.compile(r"[{}<>=;$\\`_#@|~^]|\w\(|\)\.|->|::|//")
_QUOTED_CODE = re.compile(r"`[^`\n]+`")
_CODE_SHARE = 0.06
_HEADING_WORDS = 9
_FEWEST_WORDS = 3
_FIELD_WORDS = 3


def _lines(text: str, *, short_joined: bool, in_table: bool) -> Iterator[_Line]:
    """Every sentence of a text, which may begin `in_table`, with its kind."""
    fences = [match.start() for match in _FENCE.finditer(text)]
    front_matter = FRONT_MATTER.match(text)
    header_end = front_matter.end() if front_matter else mail_header_end(text)
    spans = [
        Span(part.start + span.start, part.start + span.end)
        for part in between_records(text, header_end)
        for span in sentences(part.of(text))
    ]
    spans = _with_rows_whole(_with_short_ones_joined(spans, text) if short_joined else spans, text)
    rows = _rows_of_tables(spans, text, in_table=in_table)
    code = Counter(fence for span in spans if (fence := bisect_right(fences, span.start)) % 2)
    for number, span in enumerate(spans):
        raw = span.of(text)
        fence = bisect_right(fences, span.start)
        if fence % 2:
            shown = code[fence] <= MOST_CODE_LINES + 1 and not _FENCE.match(raw)
            yield _Line(_CODE if shown else _NOTHING, raw, span.start, span.end, mark=shown)
        elif number in rows:
            following = spans[number + 1].of(text) if number + 1 < len(spans) else ""
            yield from _table_row(span, text, heads=rows[number] or bool(_TABLE_RULE.fullmatch(following.strip())))
        else:
            # whether it shares its line, or lines, with no other sentence
            begins = number == 0 or "\n" in text[spans[number - 1].end : span.start]
            ends = number + 1 == len(spans) or "\n" in text[span.end : spans[number + 1].start]
            yield _line(raw, text, span, alone=begins and ends)


def _with_short_ones_joined(spans: Sequence[Span], text: str) -> list[Span]:
    """The sentences; one too short to state something is joined with the next of its line.

    "4. Leftovers. The hostel collects them." is one: its first words say what the second sentence is about.
    """
    joined: list[Span] = []
    for span in spans:
        before = joined[-1] if joined else None
        if before is not None and "\n" not in text[before.start : span.start] and _is_short(before.of(text)):
            joined[-1] = Span(before.start, span.end)
        else:
            joined.append(span)
    return joined


def _is_short(raw: str) -> bool:
    """Whether a sentence is too short to state something, and neither a question, a heading nor a table's row."""
    mark = _LIST_MARK.match(raw)
    words = raw[mark.end() :] if mark else raw
    apart = _QUESTION.search(words) or _MARKDOWN_HEADING.match(raw) or "|" in raw or _is_label_with_value(words)
    return not apart and bool(_SENTENCE_END.search(words)) and 0 < _count_words(words) < _FEWEST_WORDS


def _with_rows_whole(spans: Sequence[Span], text: str) -> list[Span]:
    """The sentences; those of a line that begins with a bar and has another, as a Markdown table's do, are one."""
    whole: list[Span] = []
    row_end = -1
    for span in spans:
        if span.start < row_end:
            whole[-1] = Span(whole[-1].start, span.end)
            continue
        if text.startswith("|", span.start):
            line_end = text.find("\n", span.start)
            row_end = line_end if line_end >= 0 else len(text)
            row_end = row_end if text.count("|", span.start, row_end) > 1 else -1
        whole.append(span)
    return whole


def _rows_of_tables(spans: Sequence[Span], text: str, *, in_table: bool) -> dict[int, bool]:
    """Which sentences are rows of tables, by number; whether a row names the columns though no rule stands below it.

    A row has two bars, or one where another row with one stands next to it. A text that begins `in_table` begins with
    rows whose columns were named before.
    """
    rows: dict[int, bool] = {}
    for numbers in _lines_with_bars(spans, text):
        raws = [spans[number].of(text) for number in numbers]
        bars = [0 if _is_code(raw) else raw.count("|") for raw in raws]
        line_start = text.rfind("\n", 0, spans[numbers[0]].start)
        line_above = text[text.rfind("\n", 0, max(0, line_start)) + 1 : max(0, line_start)]
        goes_on = "|" in line_above or (in_table and numbers[0] == 0)
        beside = [1 if goes_on else 0, *bars, 0]
        is_row = [
            raw.count("|") > 1 or (count == 1 and 1 in (beside[n], beside[n + 2]))
            for n, (raw, count) in enumerate(zip(raws, bars, strict=True))
        ]
        ruled = any(_TABLE_RULE.fullmatch(raw.strip()) for raw in raws)
        headed = all(is_row) and not (goes_on or ruled) and names_columns([cells_of(raw) for raw in raws])
        rows |= {number: headed and n == 0 for n, number in enumerate(numbers) if is_row[n]}
    return rows


def _lines_with_bars(spans: Sequence[Span], text: str) -> Iterator[list[int]]:
    """The numbers of the sentences that have bars and are a line each, those of successive lines together."""
    numbers: list[int] = []
    for number, span in enumerate(spans):
        follows = bool(numbers) and text[spans[number - 1].end : span.start].strip(" \t\r") == "\n"
        if numbers and not follows:
            yield numbers
            numbers = []
        raw = span.of(text)
        if "|" in raw and "\n" not in raw:
            numbers.append(number)
        elif numbers:
            yield numbers
            numbers = []
    if numbers:
        yield numbers


def cells_of(row: str) -> list[str]:
    """The cells of a row of a table."""
    return [cell.of(row).strip() for cell in cells_between_bars(row)]


def _table_row(span: Span, text: str, *, heads: bool) -> Iterator[_Line]:
    """A row of a table: one statement, or where it holds several sentences those of its cells; or it names columns."""
    raw = span.of(text)
    cells = cells_of(raw)
    if _TABLE_RULE.fullmatch(raw.strip()):
        yield _Line(_NOTHING, "", span.start, span.end, row=True)
    elif heads:
        yield _Line(_COLUMNS, BETWEEN_COLUMNS.join(cells), span.start, span.end, row=True)
    elif len(parts := sentences(raw)) > 1:
        yield from _in_cells(span.start, raw, parts)
    else:
        filled = sum(bool(_WORD.search(cell)) for cell in cells)
        yield _Line(_STATEMENT if filled >= 2 else _NOTHING, raw, span.start, span.end, row=True)


def _in_cells(start: int, raw: str, parts: Sequence[Span]) -> Iterator[_Line]:
    """The sentences in the cells of a row; a first cell that is no sentence names the row and states nothing itself.

    The row `raw` begins at `start`; `parts` are its sentences, which may go on in the next cell.
    """
    cells = cells_between_bars(raw)
    starts = [cell.start for cell in cells]
    first = cells[0].of(raw).strip()
    names_row = len(cells) > 1 and not _SENTENCE_END.search(first) and len(sentences(first)) == 1
    label = first if names_row else ""
    for part in parts:
        for piece in _IN_CELL.finditer(raw, *part):
            words = piece[0].strip()
            begin = piece.start() + piece[0].find(words)
            column = max(0, bisect_right(starts, begin) - 1)
            if not words or (label and not column):
                continue
            asks = bool(_QUESTION.search(without_emphasis(words).strip()))
            stated = not asks and _count_words(words) >= _FEWEST_WORDS
            kind = _STATEMENT if stated else _CONTEXT_ONLY if asks else _NOTHING
            end = start + begin + len(words)
            yield _Line(kind, words, start + begin, end, row=True, leads=asks, cell=_Cell(column, label))


def _line(raw: str, text: str, span: Span, *, alone: bool) -> _Line:
    marked = _MARKDOWN_HEADING.match(raw)
    if marked and "\n" not in raw.strip():
        words = without_emphasis(marked[1]).rstrip().rstrip("#").strip()
        return _Line(_HEADING, words, span.start, span.end)
    mark = _LIST_MARK.match(raw)
    start = span.start + (mark.end() if mark and mark.end() < len(raw) else 0)
    start, end = _within_emphasis(Span(start, span.end), text)
    words = text[start:end]
    said = without_emphasis(words).strip()
    length = _count_words(words)
    ended = bool(_SENTENCE_END.search(said))
    is_pointer = "](" in words and not _WORD.search(_POINTER.sub("", words))
    if not length or _DOT_LEADERS.search(words) or is_pointer or _is_code(words):
        return _Line(_NOTHING, words, start, end)
    if _QUESTION.search(said):
        return _Line(_CONTEXT_ONLY, said, start, end, leads=True)
    if _BARE_LABEL.fullmatch(said):
        kind = _HEADING if alone and not mark else _CONTEXT_ONLY
        return _Line(kind, said.rstrip(":： \n"), start, end, leads=True)
    if not (ended or mark or _is_label_with_value(said)) and alone and length <= _HEADING_WORDS:
        return _Line(_HEADING, said, start, end)
    if length < _FEWEST_WORDS and not _is_label_with_value(said):
        return _Line(_CONTEXT_ONLY, words, start, end, mark=bool(mark))
    return _Line(_STATEMENT, words, start, end, mark=bool(mark))


def _is_code(words: str) -> bool:
    """Whether words are code. Code that is quoted in a sentence (`like this`) does not make it code."""
    prose = without_column_names(_QUOTED_CODE.sub("", without_emphasis(words).strip()))
    return not _WORD.search(prose) or len(_CODE_SIGNS.findall(prose)) > max(1.0, _CODE_SHARE * len(words))


def _within_emphasis(span: Span, text: str) -> Span:
    """A span without the marks around it, where all of it is emphasised."""
    words = span.of(text)
    within = without_emphasis(words).strip()
    begin = words.find(within)
    return Span(span.start + begin, span.start + begin + len(within)) if begin > 0 else span


def _is_label_with_value(words: str) -> bool:
    """Whether a line is a label with its value: "Head of care: M. Oyelaran", "Opening hours – 9 to 5"."""
    label, _sign, value = [*_AFTER_LABEL.split(words, maxsplit=1), "", ""][:3]
    return bool(_WORD.search(label)) and bool(_WORD.search(value))


def _count_words(words: str) -> float:
    """Number of words; two Chinese characters count as one."""
    chinese = len(_CHINESE_CHARACTER.findall(words))
    return len(_WORD.findall(_CHINESE_CHARACTER.sub(" ", words))) + chinese / 2


def _flat(words: str) -> str:
    return " ".join(words.split())


def _shorten(words: str, most: int) -> str:
    flat = _flat(words)
    return flat if len(flat) <= most else flat[:most].rsplit(" ", 1)[0]
