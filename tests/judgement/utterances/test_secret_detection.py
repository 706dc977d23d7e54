"""What is taken for a secret, and what is not."""

from __future__ import annotations

import pytest

from memory_bank.judgement.utterances.secret_detection import asks_secret, holds_secret


@pytest.mark.parametrize(
    "text",
    [
        "the door's passcode",
        "pwd=swordfish",
        "AKIAIOSFODNN7EXAMPLE1",
        "eyJhbGciOiJIUzI1NiJ9abc",
        "4111-1111-1111-1111",
        "-----BEGIN RSA PRIVATE KEY-----",
        "https://bo:swordfish@example.org",
        "Zm9vYmFy0aGlzMmlzYTN0ZXN0NA",
        "ｐａｓｓｗｏｒｄ",
        "验证码",
    ],
)
def test_words_and_forms_of_secrets_are_met(text: str) -> None:
    assert holds_secret(text)


@pytest.mark.parametrize(
    "text",
    [
        "I paid 12,000 crowns on 12 March 2021.",
        "The key to the barn is red.",
        "A token of thanks.",
        "The mill is 51.7500, -0.3300 and 4,000,000 years old.",
        "https://example.org/a/very/long/path/to/a/page",
        "Donaudampfschifffahrtsgesellschaft",
        "1234 5678 9012 3456",  # no card has this number
        "我有一把红色的钥匙。",
    ],
)
def test_other_words_and_numbers_are_none(text: str) -> None:
    assert not holds_secret(text)


def test_a_question_for_a_secret_is_met() -> None:
    assert asks_secret("What is your PIN code?")
    assert not asks_secret("The PIN code is long.")
    assert not asks_secret("How are you?")
