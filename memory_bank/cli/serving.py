"""What others use: `serve` the page, `mcp` for other assistants, and `check` of what is set."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from memory_bank.cli.memory import named
from memory_bank.cli.output import DONE, say
from memory_bank.configuration import checked_settings, doubts, variables
from memory_bank.one_line import one_line


def serve(parsed: argparse.Namespace) -> int:
    """The page, by Streamlit, in this process's place."""
    checked_settings(visitors=True)
    app = Path(__file__).parent.parent.parent / "app.py"
    options = parsed.options[1:] if parsed.options[:1] == ["--"] else parsed.options
    command = [sys.executable, "-m", "streamlit", "run", str(app), *options]
    os.execv(sys.executable, command)  # noqa: S606 - what ends this process ends the server, and its code is ours


def mcp(parsed: argparse.Namespace) -> int:
    """A user's memory, offered to other assistants."""
    from memory_bank.mcp_server import serve as offer  # noqa: PLC0415 - likewise

    offer(*named(parsed), parsed.sessions)
    return DONE


def check(_parsed: argparse.Namespace) -> int:
    """What is set, and what was perhaps not meant."""
    settings = checked_settings()
    for variable in variables(settings):
        say(f"{'' if variable.is_set else '# '}{variable.name}={variable.text}")
    for doubt in doubts(settings):
        say(f"memory_bank: {one_line(doubt)}", sys.stderr)
    return DONE
