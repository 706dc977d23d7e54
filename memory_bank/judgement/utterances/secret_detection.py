"""Detect secrets, which are never stored: passwords, keys, and the numbers of cards and accounts.

A text that mentions a secret counts whether or not it gives it. A secret that shows neither in its words nor in its
form ("swordfish", said alone) cannot be detected.
"""

from __future__ import annotations

import re
from itertools import pairwise

from memory_bank.judgement.utterances.prompt_injection import normalise

_MENTIONED = re.compile(
    r"\b(?:pass ?words?|pass ?codes?|pass ?phrases?|pin (?:code|number|is|for|to)|my pin|(?:api|private|secret|access|"
    r"licen[cs]e|encryption|ssh|recovery|security) (?:keys?|tokens?|codes?|phrases?)|api[_-]?key|(?:bearer|auth|session"
    r"|refresh)[ _-]tokens?|client secret|seed phrase|cvv|cvc|(?:credit|debit|bank) ?card|card number|account number"
    r"|social security|ssn|iban|login (?:is|details)|credentials?|one[- ]time code|verification code)\b"
    r"|密码|口令|密钥|私钥|验证码|卡号|信用卡|银行卡|账号|帐号|身份证|助记词|令牌",
    re.IGNORECASE,
)
_SECRET_FORMAT = re.compile(
    r"-----BEGIN|\b(?:sk|pk|rk|ghp|gho|ghs|glpat|xox[abprs]|npm|pypi|hf|AIza|AKIA|ASIA|eyJ)[-_A-Za-z0-9]{12,}"
    r"|\b\d{3}-\d{2}-\d{4}\b|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}\b|(?:pass(?:word|wd)?|pwd|secret|token)\s*[=:]\s*\S"
    r"|://[^\s/@:]{1,100}:[^\s/@]{1,100}@",
)
_LONG_WORD = re.compile(r"[A-Za-z0-9+/_=-]{20,}")
_DIGITS = re.compile(r"(?<!\d)\d(?:[ -]?\d){11,18}(?!\d)")


def holds_secret(text: str) -> bool:
    """Whether a text contains or mentions a secret."""
    text = normalise(text)
    return bool(
        _MENTIONED.search(text)
        or _SECRET_FORMAT.search(text)
        or any(_looks_like_key(word) for word in _LONG_WORD.findall(text))
        or any(_is_card_number(number) for number in _DIGITS.findall(text))
    )


def asks_secret(text: str) -> bool:
    """Whether a text asks for a secret: any answer to it may be one."""
    return ("?" in text or "？" in text) and holds_secret(text)


def _looks_like_key(word: str) -> bool:
    """Whether digits are mixed all through a long word, as in no ordinary word or path."""
    changes = sum(a.isdigit() != b.isdigit() for a, b in pairwise(word))
    return changes >= len(word) / 8 and any(map(str.isalpha, word))


def _is_card_number(number: str) -> bool:
    """Whether a number passes the check that every payment card number passes (Luhn)."""
    digits = [int(digit) for digit in reversed(number) if digit.isdigit()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return len(digits) >= 13 and (sum(digits[::2]) + sum(doubled)) % 10 == 0
