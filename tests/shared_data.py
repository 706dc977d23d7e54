"""Where the evaluation data lies, which is never part of the project: tests that read it are skipped without it."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parents[2] / "shared" / "data"
