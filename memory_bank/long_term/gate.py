"""Refuse what an agent must not store, whoever asked it to: secrets, and orders on how an assistant behaves."""

from __future__ import annotations

from memory_bank.bank.errors import UsageError
from memory_bank.judgement.utterances.prompt_injection import is_prompt_injection
from memory_bank.judgement.utterances.secret_detection import holds_secret


def check_storable(*texts: str) -> None:
    """Raise `UsageError` for texts that an agent must not store; a document may have asked it to."""
    if any(holds_secret(text) or is_prompt_injection(text) for text in texts):
        raise UsageError("this is not kept: it tells a secret, or how an assistant is to behave")
