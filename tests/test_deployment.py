"""What is shipped for running the app fits it: no container is built here, but what the image would hold is run."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
import yaml

from memory_bank.cli import BAD_USAGE
from memory_bank.configuration import LARGEST_UPLOAD_MB
from memory_bank.settings import Settings
from pages._health import routes

ROOT = Path(__file__).parent.parent
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


def test_what_the_image_holds_runs_without_rights_a_home_or_anything_to_write_to_but_its_data(image: Path) -> None:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = str(found.getsockname()[1])
    stands_for = {"python": sys.executable, PORT: port, "0.0.0.0": "127.0.0.1"}  # noqa: S104 - as it is there
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
    assert app["environment"]["LONG_TERM_URI"] == "http://milvus:19530"
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
    assert int(re.findall(r"client_max_body_size (\d+)m;", NGINX)[0]) > LARGEST_UPLOAD_MB
