"""Decoding: the text as it was written, whatever it was written in; binary data is not text."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.documents.decoding import clean, decode


@given(st.text(st.characters(exclude_categories=())))
def test_clean_text_is_encodable_and_clean(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode("utf-8")
    assert all(character in "\n\t" or not "\0" <= character < " " for character in cleaned)
    assert clean(cleaned) == cleaned


@given(st.text(st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n\t")))
def test_clean_keeps_every_other_character(text: str) -> None:
    assert clean(text) == text


def test_clean_line_ends_controls_and_surrogates() -> None:
    assert clean("a\r\nb\rc\fd\0e\x1b[1m\x9f") == "a\nb\nc\nd\ufffde\ufffd[1m\ufffd"
    assert clean("\ud83d\ude00 \ud83d!") == "😀 \ufffd!"


@given(
    st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]),
)
def test_unicode_is_decoded_exactly(text: str, encoding: str) -> None:
    text = text.lstrip("\ufeff") or "x"
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "Le café était fermé à cause de l'été."),
        ("latin-1", "café"),
        ("cp1252", "São Paulo é a maior cidade do Brasil, não há dúvida."),
        ("cp1252", "“Smart quotes” – and £5"),
        ("latin-1", "Größe und Straße; das Mädchen läuft über die Brücke."),
        ("cp1250", "Zażółć gęślą jaźń, to jest test polskich znaków."),
        ("cp1251", "Привет, как дела? Это проверка."),
        ("cp1253", "Καλημέρα κόσμε, τι κάνεις;"),
        ("gb18030", "你好，这是一个测试文件。我们在测试编码。"),
        ("gb18030", "河边磨坊建于1876年，高十二米。"),
        ("gb18030", "水库的大坝于一九七零年建成，坝高一百一十一米，全长三千八百三十米。"),
        ("cp949", "그는 서울에서 태어나 부산에서 일했다."),
        ("cp949", "나는 오늘 학교에 갔다 ㅋㅋㅋ 재미있었어 ㅎㅎ"),
        ("euc_jp", "川沿いの水車小屋は大洪水の年に閉鎖された。"),
        ("big5", "繁體中文測試，這是一個文件。"),
        ("cp932", "これはテストです。日本語の文章。"),
        ("utf-16-le", "Hello wörld without a mark"),
        ("utf-16-be", "Hello wörld without a mark"),
    ],
)
def test_other_encodings_are_recognised(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_a_declared_encoding_is_believed_unless_the_text_is_utf8() -> None:
    assert decode("Жук".encode("koi8-r"), "koi8-r") == "Жук"
    assert decode("Жук".encode(), "koi8-r") == "Жук"
    assert decode("你好".encode("gb18030"), "gb2312") == "你好"


@pytest.mark.parametrize("declared", ["undefined", "unicode_escape", "hex", "no such thing", "utf-7"])
def test_a_declared_encoding_that_is_none_is_passed_over(declared: str) -> None:
    assert decode("déjà vu, c'est ça".encode("cp1252"), declared) == "déjà vu, c'est ça"


def test_damaged_utf8_keeps_what_is_sound() -> None:
    assert decode("Grüße an alle, schöne Grüße".encode() + b"\xff") == "Grüße an alle, schöne Grüße\ufffd"


def test_binary_data_is_not_text() -> None:
    noise = random.Random(1).randbytes(5000)
    assert decode(noise) is None
    assert decode(noise[:60]) is None
    assert decode(bytes(1000)) is None
    assert decode(bytes(range(32)) * 50) is None


def test_a_stray_null_byte_does_not_make_a_text_binary() -> None:
    assert decode(b"one\0two three") == "one\ufffdtwo three"
