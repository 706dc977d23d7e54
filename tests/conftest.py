"""What holds for every test: bounded hypothesis runs, no network, and one process for the tests of a file."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, sync_playwright

from tests.browser.serving import launch

# "ci" finds the same examples on every machine; HYPOTHESIS_PROFILE=explore looks for new ones.
settings.register_profile(
    "ci", max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", max_examples=2_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests of a file in one process, so that what they share is made once."""
    for item in items:
        if not any(item.iter_markers("xdist_group")):
            item.add_marker(pytest.mark.xdist_group(str(item.path)))


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> Iterator[None]:
    """A test that reaches for another machine fails, whatever the code under test catches."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", _at_home(socket.socket.connect, 1))
        patch.setattr(socket.socket, "connect_ex", _at_home(socket.socket.connect_ex, 1))
        patch.setattr(socket.socket, "sendto", _at_home(socket.socket.sendto, -1))
        patch.setattr(socket, "getaddrinfo", _at_home(socket.getaddrinfo, 0))
        patch.setattr(socket, "gethostbyname", _at_home(socket.gethostbyname, 0))
        yield


def _at_home(call: Callable[..., Any], position: int) -> Callable[..., Any]:
    def checked(*arguments: object, **named: object) -> object:
        address = arguments[position]
        host = address[0] if isinstance(address, tuple) else address
        if not _is_local(host):
            pytest.fail(f"this test reached for {host!r}: no test may use the network")
        return call(*arguments, **named)

    return checked


def _is_local(host: object) -> bool:
    """Whether it is this machine: a loopback address or name, or the path of a Unix socket."""
    name = host.decode() if isinstance(host, bytes) else host
    if not isinstance(name, str) or name in ("", "localhost") or name.startswith(("/", "\0")):
        return True
    try:
        return ip_address(name).is_loopback or ip_address(name).is_unspecified
    except ValueError:
        return False


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The one browser of all tests: Playwright cannot be started twice in a process."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()
