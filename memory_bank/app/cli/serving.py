"""`serve` the page, `mcp` for other assistants, and `check` the settings."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from pathlib import Path

from memory_bank.app.cli.memory import scope_and_settings
from memory_bank.app.cli.output import DONE, write_line
from memory_bank.app.configuration import checked_settings, misspelt, variables
from memory_bank.bank.errors import UsageError, not_installed
from memory_bank.text.wording import one_line

_PAGE = (Path(__file__).parents[1] / "page", Path(__file__).parents[3])
"""Where the page is: inside the package where that was installed, else at the top of the repository.

Streamlit reads `.streamlit/config.toml` beside it, which says that only this computer is served."""


def _require(module: str, extra: str) -> None:
    if importlib.util.find_spec(module) is None:
        raise UsageError(not_installed(extra))


def serve(parsed: argparse.Namespace) -> int:
    """Replace this process by Streamlit serving the page."""
    _require("streamlit", "serve")
    checked_settings(visitors=True)
    app = next(folder / "app.py" for folder in _PAGE if (folder / "app.py").is_file())
    options = parsed.options[1:] if parsed.options[:1] == ["--"] else parsed.options
    command = [sys.executable, "-m", "streamlit", "run", str(app), *options]
    os.execv(sys.executable, command)  # noqa: S606 - signals and exit code are then those of the server


def mcp(parsed: argparse.Namespace) -> int:
    """Offer a user's memory to other assistants."""
    _require("mcp", "mcp")
    from memory_bank.app.mcp_server import serve_mcp  # noqa: PLC0415 - slow to import

    serve_mcp(*scope_and_settings(parsed), parsed.sessions)
    return DONE


def check(_parsed: argparse.Namespace) -> int:
    """Print the settings; names that are perhaps misspelt go to stderr."""
    for variable in variables(checked_settings()):
        write_line(f"{'' if variable.is_set else '# '}{variable.name}={variable.text}")
    for doubt in misspelt():
        write_line(f"memory_bank: {one_line(doubt)}", sys.stderr)
    return DONE
