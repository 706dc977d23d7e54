"""The commit that figures and recordings name."""

from __future__ import annotations

import subprocess
from pathlib import Path


def this_commit() -> str:
    """The git commit of this code, marked dirty if files were changed; "unknown" without git."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    try:
        result = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True)  # noqa: S603 - our own
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return result.stdout.strip()
