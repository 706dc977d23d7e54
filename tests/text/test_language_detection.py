"""The language of a text is noted where there is enough of it to tell."""

from pathlib import Path

import pytest

from memory_bank.documents import read_document
from memory_bank.text.language_detection import detect_language

ENGLISH = "The mill on the river was closed in the year of the great flood. "
CHINESE = "河边的磨坊在大洪水那年关闭了。"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ENGLISH, "en"),
        ("Die Mühle am Fluss wurde im Jahr der großen Flut geschlossen.", "de"),
        ("Le moulin au bord de la rivière a été fermé l'année de la grande crue.", "fr"),
        (CHINESE, "zh"),
        ("安河大桥于1934年通车。", "zh"),
        ("川沿いの水車小屋は大洪水の年に閉鎖された。", "ja"),
        ("أغلقت الطاحونة على النهر في عام الفيضان العظيم", "ar"),
        ("Мельница на реке была закрыта в год великого наводнения.", "ru"),
        (ENGLISH + CHINESE * 40, "zh"),
        (CHINESE + ENGLISH * 40, "en"),
        ("ok", None),
        ("12 34 56 | 78", None),
        ("", None),
    ],
)
def test_the_language_is_that_of_most_of_the_text(text: str, expected: str | None) -> None:
    assert detect_language(text) == expected


def test_a_document_notes_its_language_and_code_has_none(tmp_path: Path) -> None:
    for text, name, language in ((ENGLISH, "a.txt", "en"), (f"# {ENGLISH}", "a.py", None)):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        assert read_document(path, name).language == language
