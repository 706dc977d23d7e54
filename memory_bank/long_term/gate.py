"""What no agent has kept, whoever asked it to: secrets, and how an assistant is to behave."""

from __future__ import annotations

from memory_bank.engines.offline.remembering.secrecy import holds_secret
from memory_bank.engines.offline.remembering.steering import steers
from memory_bank.errors import UsageError


def check_agents_word(*texts: str) -> None:
    """`UsageError` for what an agent must not have kept; a document may have asked it to."""
    if any(holds_secret(text) or steers(text) for text in texts):
        raise UsageError("this is not kept: it tells a secret, or how an assistant is to behave")
