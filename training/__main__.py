"""Makes the shipped models: `make train`. docs/models.md says how long it takes.

The corpus is encoded for either network; the large one is trained on English pairs and questions, the small one on all
pairs, questions and tasks; then both are written in short weights and calibrated.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from memory_bank.judgement.pair_model import LARGE, SMALL
from training.corpus import DATA


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for base, name, options in (("mpnet", LARGE, ()), ("e5", SMALL, ("--rate", 1.2e-4, "--dropout", 0.05))):
            rows = work / f"{name}.npz"
            _run("training.rows", base, rows)
            _run("training.train", "--base", base, "--rows", rows, "--out", work / name, *options)
            _run("training.export", base, work / name, DATA, name)
        _run("training.kinds")
        _run("training.computation")
        _run("training.calibrate", DATA)
        _run("training.stances")
        _run("training.same_thing")


def _run(module: str, *given: object) -> None:
    subprocess.run([sys.executable, "-m", module, *map(str, given)], check=True)  # noqa: S603 - our own modules


if __name__ == "__main__":
    main()
