"""What a statement is, and what stands around it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.bank.above import ABOVE, Above
from memory_bank.judgement.statement import (
    context,
    context_at,
    is_field,
    is_of_list,
    reading_of,
    statements_of,
)

LETTER = """# Harrow Hall

## Opening hours

The hall is open from nine to five. On Mondays it stays shut.

- Dogs are welcome in the yard
- 14 parking spaces behind the barn

| Room | Seats |
|---|---|
| Loft | 40 |

Contents ........ 3

```python
x = {"a": 1}
```

Is there a lift?
Yes, since 2019.
"""


def said(text: str, title: str = "") -> list[str]:
    return [one.statement.text for one in statements_of(text, title)]


def test_sentences_list_entries_and_table_rows_are_statements() -> None:
    assert said(LETTER) == [
        "The hall is open from nine to five.",
        "On Mondays it stays shut.",
        "Dogs are welcome in the yard",
        "14 parking spaces behind the barn",
        "| Loft | 40 |",
        "Yes, since 2019.",
    ]


def test_what_stands_around_a_statement_goes_with_it() -> None:
    around = {one.statement.text: one.statement.context for one in statements_of(LETTER)}
    assert around["On Mondays it stays shut."] == "Harrow Hall · Opening hours · The hall is open from nine to five."
    assert around["| Loft | 40 |"] == "Harrow Hall · Opening hours · Room | Seats"
    assert around["Yes, since 2019."].endswith("Is there a lift?")


def test_a_row_of_several_sentences_is_read_cell_by_cell() -> None:
    text = (
        "# Grades\n\n| Skill | Junior | Lead |\n|---|---|---|\n"
        "| *Scope* | Answers mails alone. Takes no part in projects. | Runs small projects. |\n| Years | 1 | 5 |\n"
    )
    assert [(one.statement.context, one.statement.text, one.item) for one in statements_of(text)] == [
        ("Grades · *Scope* | Junior", "Answers mails alone.", False),
        ("Grades · *Scope* | Junior", "Takes no part in projects.", False),
        ("Grades · *Scope* | Lead", "Runs small projects.", False),
        ("Grades · Skill | Junior | Lead", "| Years | 1 | 5 |", True),
    ]


def test_a_label_with_its_value_is_no_heading_whatever_stands_between() -> None:
    for sign in (":", " –", " ="):
        text = f"# Bea's list\n\nWedding day{sign} Saturday 20 September, registry office\n\n- a green dress to hem"
        assert statements_of(text)[0].statement.text.startswith("Wedding day")


@pytest.mark.parametrize(
    ("table", "stated"),
    [
        (
            "| | Lead |\n|---|---|\n| Scope | Runs a project. Has no boss. |",
            ["Scope | Lead: Runs a project.", "Scope | Lead: Has no boss."],
        ),
        ("| Rule |\n|---|\n| Keep out of it. It is cold. |", ["Rule: Keep out of it.", "Rule: It is cold."]),
        (
            "| Name | Is it open? Who runs it? |\n|---|---|\n| Pool | 9 to 5 |",
            ["Name | Is it open? Who runs it?: | Pool | 9 to 5 |"],
        ),
        ("| a | Is it open now? It is open now. |", ["a: It is open now."]),
        ("| It is open here. It is new.", [": | It is open here.", "| It is open here.: It is new."]),
        ("|| x | It is open here. It is new. |", [": It is open here.", "It is open here.: It is new."]),
    ],
)
def test_each_sentence_in_a_cell_stands_under_its_column(table: str, stated: list[str]) -> None:
    placed = statements_of(table)
    assert [f"{one.statement.context.split(' · ')[-1]}: {one.statement.text}" for one in placed] == stated
    assert all(table[one.start : one.end] == one.statement.text for one in placed)


def test_emphasis_does_not_hide_what_a_line_is() -> None:
    text = "**Which needle should I use?**\n\nSize 16 for denim.\n\n**Never iron the label.**\n"
    needle, label = statements_of(text)
    assert needle.lead == "Which needle should I use?"
    assert label.statement.text == "Never iron the label."


def test_a_text_without_title_or_heading_is_told_by_its_opening_words() -> None:
    text = "The lease of the mill runs out in May. It was let to a baker. The rent is 900 a month."
    opening, tenant, rent = [one.statement.context for one in statements_of(text)]
    assert opening == ""
    assert tenant == "The lease of the mill runs out in May."  # once, though it is also the sentence before
    assert rent == "The lease of the mill runs out in May. · It was let to a baker."
    assert statements_of(text, "Harrow Mill")[2].statement.context == "Harrow Mill · It was let to a baker."


@pytest.mark.parametrize(
    "text",
    [
        "# A heading",
        "Chapter Three",
        "Name:",
        "3.2",
        "Introduction .............. 7",
        "- [The under-eights and their rules](#under-eights)",
        "![The boathouse in the snow](pictures/boathouse.jpg)",
        "[![The build of this project passes](https://example.org/build.svg)](https://example.org/build)",
        "**Which needle should I use?**",
        "**What to bring on the day:**",
        "Is it open?",
        "```\nresult = run(x)\n```",
        "`make run PORT=8501`",
        "result = run(x); print(result[0])",
        "| --- | --- |",
        "",
        "   \n\n",
    ],
)
def test_what_says_nothing_is_no_statement(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize("text", ["Head of care: M. Oyelaran", "Seats: 40", "房间：四十二间"])
def test_a_label_with_its_value_is_a_statement(text: str) -> None:
    assert said(text) == [text]


def test_a_sentence_that_quotes_code_is_a_statement() -> None:
    text = "`MAX_RUNNING_SESSIONS` sessions work at a time (8)."
    assert said(text) == [text]


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("4. Leftovers. The hostel collects them. It comes at two.",
         ["Leftovers. The hostel collects them.", "It comes at two."]),
        ("Food. Most people praised the meals.", ["Food. Most people praised the meals."]),
        ("Why? Nobody knows the reason.", ["Nobody knows the reason."]),
        ("Oven.\nIt failed on Monday.", ["It failed on Monday."]),
    ],
)  # fmt: skip
def test_what_is_too_short_to_state_something_goes_with_the_next_sentence_of_its_line(
    text: str, statements: list[str]
) -> None:
    assert [one.statement.text for one in statements_of(text, short_joined=True)] == statements


def test_the_lines_of_a_short_block_of_code_are_entries_below_what_leads_to_them() -> None:
    text = "Install it with pip:\n\n```shell\n$ pip install harrow\n```\n\nThen start it."
    placed = statements_of(text, short_items=True)
    assert [(one.statement.text, one.lead) for one in placed if one.item] == [
        ("$ pip install harrow", "Install it with pip")
    ]
    assert said(text) == ["Then start it."]
    assert said("```\n" + "x = 1\n" * 9 + "```") == []


def test_the_header_of_a_mail_is_none_and_its_body_is() -> None:
    mail = "From: Ann\nTo: Bob\nSubject: The boiler\n\nThe boiler is broken again."
    assert said(mail) == ["The boiler is broken again."]


def test_front_matter_is_none_and_a_text_between_rules_is() -> None:
    assert said("---\ntitle: The boiler is mended\nauthor: Ann\n---\n\nThe boiler is broken again.") == [
        "The boiler is broken again."
    ]
    assert said("---\nThe boiler is mended at last.\n---\n") == ["The boiler is mended at last."]
    warning = "---\nWarning: it may burst.\nThe boiler is mended at last.\n---\n"
    assert said(warning) == ["Warning: it may burst.", "The boiler is mended at last."]
    listed = "---\ntitle: Heating\ntags:\n- boilers\n  more\n\n# a comment\n---\nThe boiler is broken again."
    assert said(listed) == ["The boiler is broken again."]


def test_front_matter_may_be_toml() -> None:
    text = '+++\ntitle = "Heating"\ntags = [\n    "boilers",\n]\n+++\nThe boiler is broken again.'
    assert said(text) == ["The boiler is broken again."]


PARTS = st.lists(
    st.sampled_from(
        [
            "# The hall",
            "## Fees\n\nA day costs £40.",
            "It opens at nine. It closes at five.",
            "Bring these:\n\n- a torch for the yard\n- two clean towels",
            "| Room | Seats |\n|---|---|\n| Loft | 40 |",
            "Who has the keys?\n\nAsk at the post office.",
        ]
    ),
    min_size=2,
    max_size=6,
)


@given(PARTS, st.data())
def test_a_part_of_a_document_is_read_as_in_the_whole_by_what_stands_above_it(
    parts: list[str], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(1, len(parts) - 1))
    first, text = ("\n\n".join(each) for each in (parts[:cut], parts))
    above = [place for end, place in reading_of(text, "Title").places if end <= len(first)][-1]
    stored = {"title": "Title", ABOVE: above.as_metadata()}
    rest = statements_of(text[len(first) :], above=Above.of_metadata(stored))
    whole = [one for one in statements_of(text, "Title") if one.start >= len(first)]
    assert [(one.statement, one.lead, one.item) for one in rest] == [
        (one.statement, one.lead, one.item) for one in whole
    ]


@given(st.text(max_size=400))
def test_a_statement_is_exactly_its_stretch_of_the_text(text: str) -> None:
    for one in statements_of(text, "A title"):
        assert one.statement.text == text[one.start : one.end]


def test_the_context_of_a_place_is_that_of_the_statement_there() -> None:
    placed = statements_of(LETTER)
    start = LETTER.index("Mondays")
    assert context_at(placed, start, start + 5).startswith("Harrow Hall")
    assert context_at(placed, 0, 3) == ""


def test_a_heading_that_repeats_the_title_is_given_once() -> None:
    assert context("Harrow Hall", "Harrow  Hall", "") == "Harrow Hall"


def test_a_sentence_of_a_hundred_thousand_characters_is_cut_or_left_out() -> None:
    assert all(len(one) <= 1200 for one in said("word " * 20_000))


@pytest.mark.parametrize(
    "words",
    [
        "Present: Ann Hale (chair), Ben Stone; Apologies: Eve Long",
        "Anwesend: Frau Huber, Herr Lang, Frau Dr. Meyer",
        "出席：王芳、李明；缺席：赵强",
        "Present: Dr. Maria van der Berg (chair), Ben Stone, Cora Dow",
        "Next meeting – 8 April 2024",
        "Voltage: 230 V",
    ],
)
def test_a_label_with_names_or_a_short_value_is_a_field(words: str) -> None:
    assert is_field(words)


@pytest.mark.parametrize(
    "words",
    [
        "The committee renews the fence.",
        "Decision: the fence is renewed in May, by the firm Parker.",
        "Beschluss: Der Zaun am Bach wird erneuert.",
        "决定：委员会为围栏拨款二千四百元。",
        "Present: ",
        "Ann Hale, Ben Stone",
    ],
)
def test_a_label_with_a_sentence_is_no_field(words: str) -> None:
    assert not is_field(words)


@pytest.mark.parametrize(
    ("text", "of_list"),
    [
        ("- 30 grams of honey", True),
        ("  12. Fold the dough. Cover it for an hour.", True),
        ("Mix it.\n* Add 30 grams of honey.", True),
        ("- Mix it.\n\nAdd 30 grams of honey.", False),
        ("It takes 30 grams - no more - of honey.", False),
    ],
)
def test_what_stands_after_the_mark_of_a_list_is_of_the_list(text: str, *, of_list: bool) -> None:
    start = max(text.find(words) for words in ("30 grams", "Cover it", "Add 30"))
    assert is_of_list(text, start) is of_list


@pytest.mark.parametrize(
    ("heads", "rows"),
    [
        ("Item | Cost", ["Fence battery and repairs | £310", "Signs | £264", "Sluice board | £540"]),
        ("Species | 2022 | 2023", ["Lapwing | 24 | 31", "Redshank | 43 | 44"]),
        ("Species | 2022 2023 |", ["Lapwing | 24 | 31", "Sedge Warbler 59 | | 62", "Redshank | 43 | 44"]),
    ],
)
def test_rows_of_a_table_without_a_rule_are_statements_under_the_row_that_names_the_columns(
    heads: str, rows: list[str]
) -> None:
    text = "\n".join(["Spending\n", heads, *rows])
    columns = heads.removesuffix(" |")
    assert [(one.statement.context, one.statement.text, one.item) for one in statements_of(text)] == [
        (f"Spending · {columns}", row, True) for row in rows
    ]


def test_part_of_a_table_is_read_as_in_the_whole() -> None:
    above = Above("Notes", "Spending", columns="Item | Cost")
    for part in ("Feeding trays | £90", "Signs | unpaid\nSluice board | £540\nFeeding trays | £90"):
        assert [one.statement.text for one in statements_of(part, above=above)] == part.split("\n")


@pytest.mark.parametrize("text", ["Home | About us", "x: int | None = None\ny: str | None = None"])
def test_a_bar_alone_makes_no_table(text: str) -> None:
    assert not said(text)


def test_the_first_row_is_a_statement_unless_it_names_the_columns() -> None:
    for text in (
        "Rent | 2000\nHeat | 310\nFood | 90",
        "Ann | chair\nBob | clerk\nCy | member",
        "Hall | shut\nLoft | 4",
    ):
        assert said(text) == text.split("\n")


def test_rows_of_named_values_are_a_statement_each() -> None:
    rows = [
        "visit_date: 2023-05-18; area: Long Level; species: Lapwing; count: 31; remarks: fox on 9 May",
        "visit_date: 2023-05-16; area: Saltings; species: Curlew; count: 2; observer: YD",
        "area: Saltings; species: Snipe; count: 2; observer: OB; remarks: seen at the sluice",
        "visit_date: 2023-05-19; area: Lagoon; species: Teal; count: 0; observer: YD",
    ]
    assert said("\n\n".join(rows)) == rows
    assert said("user_id: 7; first_name: Ann") == ["user_id: 7; first_name: Ann"]


def test_a_line_of_code_with_semicolons_is_no_row() -> None:
    assert not said("color: red; margin: 0; padding: 0; border: 0;")
