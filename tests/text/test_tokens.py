from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_bank.text.tokens import tokenize, words


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Mount Everest is 8,849 m high.", ["mount", "everest", "8849", "m", "high"]),
        ("1,234,567.89 and 3.5, not 1,2345", ["1234567.89", "3.5", "1", "2345"]),
        ("8\u00a0849 m and 8\u202f849 m", ["8849", "m", "8849", "m"]),
        ("the rivers were running", ["river", "run"]),
        ("Café Zürich, Łódź, Straße", ["cafe", "zurich", "lodz", "strass"]),
        ("Everest’s height, Everest's height", ["everest", "height", "everest", "height"]),
        ("I don't know whether it isn't", ["know"]),
        ("the U.S. Army, the US army", ["us", "armi", "us", "armi"]),
        ("state-of-the-art snake_case", ["state", "art", "snake", "case"]),
        ("5km, the 1990s, the 19th, B2B", ["5", "km", "1990", "1990s", "19", "19th", "b2b"]),
        ("co\u00adope\u200brate", ["cooper"]),
        ("１２３ ﬁle", ["123", "file"]),
        ("Привет 안녕하세요", ["привет", "안녕하세요"]),
        ("…?! —", []),
        ("", []),
    ],
)
def test_tokens_of_spaced_text(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


def test_forms_of_one_word_and_spellings_of_one_number_meet() -> None:
    assert tokenize("measured measuring measures") == tokenize("measure") * 3
    assert tokenize("8,849") == tokenize("8849")


def test_a_keyword_phrase_is_several_words() -> None:
    assert tokenize("glacier retreat") == [*tokenize("glacier"), *tokenize("retreat")]


def test_chinese_is_segmented_and_stop_words_go() -> None:
    tokens = tokenize("珠穆朗玛峰的高度是8,848.86米，在2020年测量")
    assert "珠穆朗玛峰" in tokens
    assert "高度" in tokens
    assert "8848.86" in tokens
    assert "2020" in tokens
    assert "的" not in tokens


def test_a_long_chinese_word_is_found_by_a_shorter_one_in_it() -> None:
    assert set(tokenize("共和国")) <= set(tokenize("中华人民共和国"))


def test_the_chinese_comma_is_no_thousands_separator() -> None:
    assert tokenize("3，500") == ["3", "500"]


def test_words_keep_everything_that_is_said() -> None:
    assert words("It was not 8,849 m: Everest's is 5km.") == [
        "it",
        "was",
        "not",
        "8849",
        "m",
        "everest",
        "is",
        "5km",
    ]


def test_chinese_words_do_not_overlap() -> None:
    text = "中华人民共和国的首都是北京"
    assert "".join(words(text)) == text


@settings(deadline=None)  # the first Chinese character loads a dictionary
@given(st.text())
def test_any_text_gives_clean_tokens(text: str) -> None:
    for token in tokenize(text):
        assert token
        assert not any(character.isspace() for character in token)
        assert not token.isascii() or token == token.lower()


@settings(deadline=None)
@given(st.lists(st.sampled_from(["Rivers", "8,849", "the", "running", "café", "北京市", "U.S."]), max_size=8))
def test_lines_are_tokenised_one_by_one_or_together_alike(lines: list[str]) -> None:
    assert tokenize("\n".join(lines)) == [token for line in lines for token in tokenize(line)]


def test_threads_do_not_disturb_each_others_stems() -> None:
    forms = [f"{stem}{ending}" for stem in ("walk", "test", "jump") for ending in ("ing", "ed", "s")]
    texts = [" ".join(f"x{number}{form}" for form in forms) for number in range(400)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(tokenize, texts))
    for number, tokens in enumerate(found):
        assert tokens == [f"x{number}{stem}" for stem in ("walk", "test", "jump") for _ in range(3)]


def test_jieba_is_loaded_for_chinese_only_quietly_and_leaves_no_file(tmp_path: object) -> None:
    code = (
        "import sys\n"
        "from memory_bank.text.tokens import tokenize\n"
        "tokenize('plain English, café')\n"
        "assert 'jieba' not in sys.modules\n"
        "assert tokenize('高度') == ['高度']\n"
        "from memory_bank.text.chinese_names import chinese_names\n"
        "assert list(chinese_names('王小明住在北京。')) == ['王小明', '北京']\n"
    )
    # with an empty cache every module is compiled, as in a new environment, and warns of what is in its source
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={"TMPDIR": str(tmp_path), "PYTHONPATH": ":".join(sys.path), "PYTHONPYCACHEPREFIX": f"{tmp_path}/compiled"},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_question_in_chinese_leaves_what_it_is_about() -> None:
    asked = tokenize("请问那座石门磨坊是谁在哪里、因为什么、何时建造的？")
    assert asked == tokenize("石门磨坊 建造")
