"""requirements.lock is what `make run` installs, complete: every package with hashes, and no place named."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements.lock").read_text()
BLOCKS = re.findall(r"^(\S+)==(\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", LOCK, re.MULTILINE)
LOCKED = {canonicalize_name(name.partition("[")[0]): Version(version) for name, version, _hashes in BLOCKS}
MAKEFILE = (ROOT / "Makefile").read_text()


def wanted_by(variable: str) -> list[Requirement]:
    """What the files say that a variable of the Makefile names."""
    names = re.findall(rf"^{variable} := (.*)$", MAKEFILE, re.MULTILINE)[0].split()
    lines = [line for name in names for line in (ROOT / "requirements" / f"{name}.txt").read_text().splitlines()]
    return [Requirement(line) for line in lines if line.strip() and not line.startswith("#")]


BARE = wanted_by("BARE")
WANTED = wanted_by("DEFAULT") + BARE


def test_every_line_is_a_package_of_one_version_or_one_of_its_hashes() -> None:
    assert "".join(f"{name}=={version} \\\n{hashes}" for name, version, hashes in BLOCKS) == LOCK
    assert len(LOCKED) == len(BLOCKS) > len(WANTED)


@pytest.mark.parametrize("wanted", WANTED, ids=lambda wanted: wanted.name)
def test_what_the_app_needs_is_locked_at_the_version_it_names(wanted: Requirement) -> None:
    assert wanted.specifier.contains(LOCKED[canonicalize_name(wanted.name)])


def test_no_library_for_training_networks_is_in_it() -> None:
    assert not {"torch", "transformers", "sentence-transformers", "scipy", "ipython"} & LOCKED.keys()
    assert not [name for name in LOCKED if name.startswith("nvidia")]


def test_what_a_locked_package_needs_is_locked_too() -> None:
    """But for what is installed without its own needs."""
    missing = {
        (name, needed.name)
        for name, version in LOCKED.items()
        if name not in {canonicalize_name(bare.name) for bare in BARE}
        for needed in needs(name, version)
        if canonicalize_name(needed.name) not in LOCKED
    }
    assert missing == set()


def needs(name: str, version: Version) -> list[Requirement]:
    """What a package needs without its extras, where this very version of it is installed here."""
    try:
        installed = distribution(name)
    except PackageNotFoundError:
        return []
    if Version(installed.version) != version:
        return []
    needed = [Requirement(line) for line in installed.requires or []]
    return [one for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
