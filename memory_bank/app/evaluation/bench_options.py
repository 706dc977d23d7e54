"""The command-line options of `bench`, in a module of their own so that help needs no heavy imports."""

from __future__ import annotations

import argparse
from pathlib import Path

HISTORY = Path(__file__).parents[3] / "docs" / "bench-history.jsonl"
"""The default history file."""


def add_bench_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `bench` and of the script that measures page times."""
    parser.add_argument("--json", type=file_to_write, help="write the figures to this file")
    for option, purpose in (
        ("--history", "add this run to a file of runs"),
        ("--compare", "compare with the last runs in such a file; exit code 1 where something became slower"),
    ):
        text = f"{purpose} (by default docs/{HISTORY.name})"
        parser.add_argument(option, type=file_to_write, nargs="?", const=HISTORY, metavar="FILE", help=text)


def file_to_write(text: str) -> Path:
    """Parse an output file. Its folder is checked now, so that no measurement is lost for a wrong path."""
    file = Path(text)
    if file.is_dir() or not file.resolve().parent.is_dir():
        raise argparse.ArgumentTypeError(f"{file} cannot be a file: make its folder, or name another file")
    return file
