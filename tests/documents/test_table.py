"""CSV and TSV: a row is a statement that can be read by itself."""

import csv
import io
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.documents import Document
from memory_bank.documents.table import read_table
from memory_bank.text.sentences import sentences

Read = Callable[[bytes | str, str], Document]


@pytest.mark.parametrize(
    ("name", "table", "text"),
    [
        (
            "a.csv",
            'name,born,note\nAda,1815,"x, y"\nBob,1900,\n',
            "name: Ada; born: 1815; note: x, y\n\nname: Bob; born: 1900",
        ),
        ("a.csv", "name;born\nAda;1,5\n", "name: Ada; born: 1,5"),
        ("a.tsv", "name\tborn\nAda, L.\t1815\n", "name: Ada, L.; born: 1815"),
        ("a.csv", "1,2\n3,4\n", "column 1: 1; column 2: 2\n\ncolumn 1: 3; column 2: 4"),
        ("a.csv", "name,born\nAda,1815,more\n", "name: Ada; born: 1815; column 3: more"),
        ("a.csv", 'name,note\nAda,"two\nlines"\n', "name: Ada; note: two lines"),
        ("a.csv", "name\nAda\nBob\n", "name: Ada\n\nname: Bob"),
    ],
)
def test_rows_become_statements(read: Read, name: str, table: str, text: str) -> None:
    assert read(table, name).text == text


def test_what_is_no_table_is_kept_as_it_is() -> None:
    cell = "x" * 200_000  # past the limit of the csv module
    assert read_table(f"a,b\n{cell},1\n".encode(), "a.csv").text == f"a,b\n{cell},1\n"


WORDS = st.text(st.characters(categories=("L",)), min_size=1, max_size=8)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=8))
def test_every_cell_is_in_the_statement_of_its_row(rows: list[tuple[str, str]]) -> None:
    written = io.StringIO()
    csv.writer(written).writerows([("first", "second"), *rows])
    document = read_table(written.getvalue().encode(), "a.csv")
    assert document.text.split("\n\n") == [f"first: {first}; second: {second}" for first, second in rows]
    assert len(sentences(document.text)) == len(rows)
