"""What is shipped for running the app fits it: no container is built here, but what the image would hold is run."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
import yaml

from memory_bank.app.cli import BAD_USAGE
from memory_bank.bank.settings import Settings
from pages.shared.web import routes

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
UNIT = (ROOT / "deploy" / "memory-bank.service").read_text()
NGINX = (ROOT / "deploy" / "nginx.conf").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
COPIES = re.findall(r"^COPY (\S+) (\S+)$", DOCKERFILE, re.MULTILINE)
ENVIRONMENT = dict(re.findall(r"(\w+)=(\S+)", " ".join(re.findall(r"^ENV (.*)$", DOCKERFILE, re.MULTILINE))))
COMMAND: list[str] = json.loads(re.findall(r"^CMD +(\[.*\])", DOCKERFILE, re.MULTILINE)[0])
PORT = COMMAND[COMMAND.index("--server.port") + 1]
UNPRIVILEGED = ["setpriv", "--bounding-set=-all", "--"] if os.geteuid() == 0 else []
"""Before a command: rights count for it, also where root runs the tests."""
OTHERS = {"PATH", "PYTHONDONTWRITEBYTECODE"}


@pytest.fixture(scope="module")
def locked_python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The Python of an environment that the Dockerfile's first stage makes, in a folder with nothing but the lock."""
    if sys.version_info[:2] != (3, 11) or platform.system() != "Linux" or platform.machine() != "x86_64":
        pytest.skip("requirements.lock is for Python 3.11 on Linux x86-64")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
    if subprocess.run([*pip, "index", "versions", "setuptools"], capture_output=True, check=False).returncode:
        pytest.skip("no package index can be reached with pip, so the image's packages cannot be installed here")
    folder = tmp_path_factory.mktemp("packages")
    (folder / "requirements.lock").write_text((ROOT / "requirements.lock").read_text())
    step = re.findall(r"^RUN (.*)$", DOCKERFILE, re.MULTILINE)[0]
    step = step.replace("/opt/venv", f"{folder}/opt/venv")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    subprocess.run(["sh", "-c", step], cwd=folder, env={**os.environ, "PATH": path}, check=True)  # noqa: S607
    return str(folder / "opt" / "venv" / "bin" / "python")


@pytest.fixture(params=["the tests' packages", "the lock's packages"])
def python(request: pytest.FixtureRequest) -> str:
    """What runs the app: the Python of the tests, or one with the very packages of the image."""
    if request.param == "the tests' packages":
        return sys.executable
    return str(request.getfixturevalue("locked_python"))


@pytest.fixture
def image() -> Iterator[Path]:
    """A folder with what the Dockerfile copies and nothing else, in which nobody can write, and a place for data."""
    folder = Path(tempfile.mkdtemp())
    try:
        for source, target in COPIES:
            if source != "requirements.lock":
                into = folder / "app" / target / ("" if (ROOT / source).is_dir() else Path(source).name)
                copy(ROOT / source, into)
        (folder / "data").mkdir()
        subprocess.run(["chmod", "-R", "a+rX,a-w", str(folder / "app")], check=True)  # noqa: S607
        with pytest.raises(subprocess.CalledProcessError):
            subprocess.run([*UNPRIVILEGED, "touch", str(folder / "app" / "written")], check=True, capture_output=True)
        yield folder
    finally:
        subprocess.run(["chmod", "-R", "u+w", str(folder)], check=True)  # noqa: S607
        shutil.rmtree(folder)


def copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


@pytest.mark.slow
def test_what_the_image_holds_runs_without_rights_a_home_or_anything_to_write_to_but_its_data(
    image: Path, python: str
) -> None:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = str(found.getsockname()[1])
    stands_for = {"python": python, PORT: port, "0.0.0.0": "127.0.0.1"}  # noqa: S104 - as it is there
    command = [*UNPRIVILEGED, *(stands_for.get(part, part) for part in COMMAND)]
    variables = {**ENVIRONMENT, "PATH": os.environ["PATH"], "STORAGE_DIR": str(image / "data")}
    with (image / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=image / "app", env=variables, stderr=log)
        try:
            assert json.loads(answer(server, f"http://127.0.0.1:{port}/health"))["status"] == "ok"
            assert b"<script" in answer(server, f"http://127.0.0.1:{port}/")
        finally:
            server.terminate()
            server.wait(timeout=20)
    assert "Traceback" not in (image / "log").read_text()


def answer(server: subprocess.Popen[bytes], url: str) -> bytes:
    """What a server answers once it is there."""
    end = time.monotonic() + 60
    while server.poll() is None and time.monotonic() < end:
        try:
            with urlopen(url, timeout=20) as answered:
                return bytes(answered.read())
        except ConnectionError:
            time.sleep(0.2)
        except OSError as error:
            if not isinstance(getattr(error, "reason", None), ConnectionError):
                raise
            time.sleep(0.2)
    raise AssertionError("it ended, or did not begin in a minute")


@pytest.mark.slow
def test_the_images_packages_leave_room_below_two_gigabytes(locked_python: str) -> None:
    """Beside them the image holds the app and a slim Debian with Python, 0.13 GB."""
    folders = (Path(locked_python).parents[1], *(ROOT / source for source, _ in COPIES if (ROOT / source).is_dir()))
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    assert sum(path.stat().st_size for path in files) < 1.8e9


def test_the_job_builds_the_image_checks_its_size_and_asks_for_its_health() -> None:
    (job,) = yaml.safe_load((ROOT / ".github" / "workflows" / "image.yml").read_text())["jobs"].values()
    steps = "\n".join(step.get("run", "") for step in job["steps"])
    assert "docker compose build" in steps
    assert COMPOSE["services"]["app"]["image"] in steps
    assert "2000000000" in steps
    assert f"http://127.0.0.1:{PORT}/health" in steps


def test_what_is_copied_is_there_and_nothing_else_is_sent_to_the_builder() -> None:
    sources = {source for source, _ in COPIES}
    assert all((ROOT / source).exists() for source in sources)
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert {line.removeprefix("!") for line in ignored if line.startswith("!")} == sources
    assert "*" in ignored


def test_every_variable_is_a_setting() -> None:
    named = {*ENVIRONMENT, *COMPOSE["services"]["app"]["environment"]}
    named |= set(re.findall(r"(\w+)=", " ".join(re.findall(r"^Environment=(.*)$", UNIT, re.MULTILINE))))
    assert {name.lower() for name in named - OTHERS} <= {*Settings.model_fields}


def test_ports_places_and_paths_agree() -> None:
    app, milvus = COMPOSE["services"]["app"], COMPOSE["services"]["milvus"]
    assert [published.split(":")[-1] for published in app["ports"]] == [PORT]
    assert f"EXPOSE {PORT}" in DOCKERFILE
    (health,) = re.findall(r"http://127\.0\.0\.1:(\d+)(/\w+)", DOCKERFILE)
    paths = [route.path for route in routes(lambda: pytest.fail("nobody asks"))]
    assert health == (PORT, "/health")
    assert "/health" in paths
    assert ENVIRONMENT["STORAGE_DIR"] == app["environment"]["STORAGE_DIR"]
    assert f"VOLUME {ENVIRONMENT['STORAGE_DIR']}\n" in DOCKERFILE
    assert app["environment"]["LONG_TERM_URI"] == "${LONG_TERM_URI:-}"
    assert "LONG_TERM_URI=http://milvus:19530 docker compose --profile milvus up" in (ROOT / "compose.yaml").read_text()
    mounted = {volume.split(":")[0] for service in (app, milvus) for volume in service["volumes"]}
    assert mounted == {*COMPOSE["volumes"]}
    assert f"--server.port {PORT}\n" in UNIT
    assert f"127.0.0.1:{PORT} " in NGINX
    assert all(path.strip("/") in re.findall(r"\^/\(([\w|]+)\)\$", NGINX)[0].split("|") for path in paths)


def test_versions_are_named_and_nothing_runs_as_root() -> None:
    images = [*re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE), COMPOSE["services"]["milvus"]["image"]]
    assert all(re.search(r":v?\d+\.\d+\.\d+", image) for image in images)
    assert re.search(r"^USER [1-9]\d*$", DOCKERFILE, re.MULTILINE)
    assert "DynamicUser=yes" in UNIT


def test_wrong_settings_are_not_tried_again_and_uploads_pass_the_proxy() -> None:
    assert f"RestartPreventExitStatus={BAD_USAGE}\n" in UNIT
    page = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert int(re.findall(r"client_max_body_size (\d+)m;", NGINX)[0]) > page["server"]["maxUploadSize"]
