"""The options of `bench`, apart from what measures, so that help comes at once."""

from __future__ import annotations

import argparse
from pathlib import Path

HISTORY = Path(__file__).parent.parent.parent / "docs" / "bench-history.jsonl"
"""Where runs are kept unless somebody says otherwise."""


def add_bench_options(parser: argparse.ArgumentParser) -> None:
    """The options of `bench`, and of the times of the pages."""
    parser.add_argument("--json", type=file_to_write, help="write the figures to this file")
    for option, does in (
        ("--history", "add this run to a file of runs"),
        ("--compare", "compare with the last runs in such a file; exit code 1 where something became slower"),
    ):
        text = f"{does} (by default docs/{HISTORY.name})"
        parser.add_argument(option, type=file_to_write, nargs="?", const=HISTORY, metavar="FILE", help=text)


def file_to_write(text: str) -> Path:
    """A file among the options that can be written once all is measured, so far as can be told before."""
    file = Path(text)
    if file.is_dir() or not file.resolve().parent.is_dir():
        raise argparse.ArgumentTypeError(f"{file} cannot be a file: make its folder, or name another file")
    return file
