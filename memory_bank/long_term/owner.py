"""The owner of a session with long-term memory, in a file beside the log, so that no export names a person."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from memory_bank.bank.errors import CorruptLogError, UsageError
from memory_bank.bank.value import Id, Value
from memory_bank.long_term.record import Name, Scope, new_record_id, scope_of
from memory_bank.storage.atomic_files import write_whole

FILE = "owner.json"


class Owner(Value):
    """The user and project that a session remembers for, and the conversation that its task belongs to."""

    user: Name
    project: Name | None = None
    conversation_id: Id

    @property
    def scope(self) -> Scope:
        """The scope of records that the session may see."""
        return Scope(user=self.user, project=self.project)


def owner_of(user: str, project: str | None = None, conversation_id: str | None = None) -> Owner:
    """The owner of a task; without a `conversation_id` a new conversation begins. `UsageError` for an invalid name."""
    scope = scope_of(user, project)
    try:
        conversation = new_record_id() if conversation_id is None else conversation_id
        return Owner(user=scope.user, project=scope.project, conversation_id=conversation)
    except ValidationError as error:
        raise UsageError("the conversation must be named by letters, digits and . : _ + -, at most 80") from error


def write_owner(folder: Path, owner: Owner) -> None:
    """Write the owner of a session into its folder."""
    write_whole(folder / FILE, owner.model_dump_json().encode())


def read_owner(folder: Path) -> Owner | None:
    """The owner of a session; None without long-term memory. `CorruptLogError` where the file is damaged."""
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
