"""requirements.lock is requirements.txt with all that it needs, every package with hashes, and names no place."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parent.parent
LOCK = (ROOT / "requirements.lock").read_text()
BLOCKS = re.findall(r"^(\S+)==(\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", LOCK, re.MULTILINE)
LOCKED = {canonicalize_name(name.partition("[")[0]): Version(version) for name, version, _hashes in BLOCKS}
WANTED = [
    Requirement(line)
    for line in (ROOT / "requirements.txt").read_text().splitlines()
    if line.strip() and not line.startswith("#")
]


def test_every_line_is_a_package_of_one_version_or_one_of_its_hashes() -> None:
    assert "".join(f"{name}=={version} \\\n{hashes}" for name, version, hashes in BLOCKS) == LOCK
    assert len(LOCKED) == len(BLOCKS) > len(WANTED)


@pytest.mark.parametrize("wanted", WANTED, ids=lambda wanted: wanted.name)
def test_what_the_app_needs_is_locked_at_the_version_it_names(wanted: Requirement) -> None:
    assert wanted.specifier.contains(LOCKED[canonicalize_name(wanted.name)])


def test_torch_is_the_build_for_processors() -> None:
    assert LOCKED[canonicalize_name("torch")].local == "cpu"
    assert not [name for name in LOCKED if name.startswith("nvidia")]


def test_what_a_locked_package_needs_is_locked_too() -> None:
    missing = {
        (name, needed.name)
        for name, version in LOCKED.items()
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
