"""Whose session it is, for one begun with long-term memory. It stays beside the log: no export names a person."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from memory_bank.bank.value import Id, Value
from memory_bank.errors import CorruptLogError
from memory_bank.long_term.record import Name, Scope

FILE = "owner.json"


class Owner(Value):
    """The user and project that a session remembers for, and the conversation that its task is one of."""

    user: Name
    project: Name | None = None
    conversation_id: Id

    @property
    def scope(self) -> Scope:
        """Whose records the session may see."""
        return Scope(user=self.user, project=self.project)


def write_owner(folder: Path, owner: Owner) -> None:
    """Note the owner of a session in its folder."""
    (folder / FILE).write_text(owner.model_dump_json(), encoding="utf-8")


def read_owner(folder: Path) -> Owner | None:
    """The owner of a session; None for one without long-term memory. `CorruptLogError` where the note is damaged."""
    path = folder / FILE
    try:
        return Owner.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        raise CorruptLogError(
            f"{FILE} of session {folder.name} is damaged: whose memory it may use is not known; remove that file to go "
            "on without long-term memory"
        ) from error
