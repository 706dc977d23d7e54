"""The runs of `bench`, one after another: a file of JSON Lines in the repository, one line for each run."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from memory_bank.bank.value import Time, Value
from memory_bank.errors import UsageError
from memory_bank.evaluation.figures import Figure

ROOT = Path(__file__).parents[2]


class Machine(Value):
    """The kind of machine: what is measured on one kind says nothing of another."""

    cores: int
    python: str
    platform: str

    @classmethod
    def this(cls) -> Machine:
        """The one that this runs on."""
        system = f"{platform.system()} {platform.machine()}"
        return cls(cores=len(os.sched_getaffinity(0)), python=platform.python_version(), platform=system)


class Run(Value):
    """What was measured, of which commit, when, and on what."""

    commit: str
    date: Time
    machine: Machine
    figures: tuple[Figure, ...]

    @classmethod
    def of(cls, figures: Sequence[Figure]) -> Run:
        """These figures, measured here and now."""
        now = datetime.now(UTC).replace(microsecond=0)
        return cls(commit=this_commit(), date=now, machine=Machine.this(), figures=tuple(figures))

    def add_to(self, file: Path) -> None:
        """Append it to a file of runs, which is made if there is none."""
        with file.open("a", encoding="utf-8") as history:
            history.write(self.model_dump_json() + "\n")

    def rows(self) -> list[dict[str, object]]:
        """The figures as JSON values, each with what it was measured of and on."""
        run = self.model_dump(mode="json")
        figures = run.pop("figures")
        return [{**figure, **run} for figure in figures]


def read_runs(file: Path) -> list[Run]:
    """All runs of a file, oldest first; none where there is no file. `UsageError` names a line that is none."""
    if not file.is_file():
        return []
    runs = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            runs.append(Run.model_validate_json(line))
        except ValidationError as error:
            raise UsageError(f"{file}: line {number} is no run of bench; take it out or name another file") from error
    return runs


def this_commit() -> str:
    """The commit of this code, marked where files were changed since; "unknown" where there is no git."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    try:
        said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603 - our own
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return said.stdout.strip()
