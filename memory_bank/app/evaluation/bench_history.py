"""The history of `bench` runs: a JSON Lines file in the repository, one line for each run."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from memory_bank.app.evaluation.figures import Figure
from memory_bank.bank.errors import UsageError
from memory_bank.bank.value import Time, Value

ROOT = Path(__file__).parents[3]


class Machine(Value):
    """The kind of machine. Figures are only comparable between runs on the same kind."""

    cores: int
    python: str
    platform: str

    @classmethod
    def this(cls) -> Machine:
        """The machine that this process runs on."""
        system = f"{platform.system()} {platform.machine()}"
        return cls(cores=len(os.sched_getaffinity(0)), python=platform.python_version(), platform=system)


class Run(Value):
    """The figures of one run, with commit, date and machine."""

    commit: str
    date: Time
    machine: Machine
    figures: tuple[Figure, ...]

    @classmethod
    def of(cls, figures: Sequence[Figure]) -> Run:
        """A run with these figures, dated now, for this commit and machine."""
        now = datetime.now(UTC).replace(microsecond=0)
        return cls(commit=this_commit(), date=now, machine=Machine.this(), figures=tuple(figures))

    def add_to(self, file: Path) -> None:
        """Append the run to a history file; the file is created if missing."""
        with file.open("a", encoding="utf-8") as history:
            history.write(self.model_dump_json() + "\n")

    def rows(self) -> list[dict[str, object]]:
        """The figures as JSON values, each with commit, date and machine."""
        run = self.model_dump(mode="json")
        figures = run.pop("figures")
        return [{**figure, **run} for figure in figures]


def read_runs(file: Path) -> list[Run]:
    """The runs in a history file, oldest first; none if it is missing. Raises `UsageError` for a malformed line."""
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
    """The git commit of this code, marked dirty if files were changed; "unknown" without git."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    try:
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603 - our own
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return result.stdout.strip()
