"""Which addresses of the web may be read: public ones, however they are spelled.

A page is fetched by somebody else's reader, not from here; still no address of this network is handed to it, and what
a document or a model names as an address is never trusted. The address is parsed once, and asked for as it was parsed.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

import httpx2

from memory_bank.errors import ToolError
from memory_bank.one_line import one_line

Resolve = Callable[[str], Sequence[str]]
"""The IP addresses of a name; none when it cannot be resolved here."""

_LONGEST = 2_000
_FORM = re.compile(r"https?://[^/?#@%\\\s]+(?:[/?#][^\\\s]*)?", re.IGNORECASE)
_DOT = re.compile("%2e", re.IGNORECASE)
_PORTS = {None, 80, 443, 8080, 8443}
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*")
_INSIDE = frozenset(
    "arpa corp home internal intranet invalid lan local localdomain localhost onion private test".split()
)
"""Last parts of names that no public server has."""
_UNICAST = IPv6Network("2000::/3")
_TRANSLATED = IPv6Network("64:ff9b::/96")  # IPv4 through NAT64


def public_address(url: str, resolve: Resolve) -> str:
    """The address as it is to be asked for, without its fragment. `ToolError` says why it is not read.

    A name that resolves to a private address is refused; one that cannot be resolved here is passed on.
    """
    url = url.strip()
    if len(url) > _LONGEST or not url.isprintable() or not _FORM.fullmatch(url):
        raise _refusal(url, "an address begins with http:// or https:// and holds no password, space or backslash")
    try:
        parsed = httpx2.URL(_DOT.sub(".", url))  # so that no segment goes up beyond the page's own server
    except httpx2.InvalidURL:
        raise _refusal(url, "it is not a valid address") from None
    if parsed.port not in _PORTS:
        raise _refusal(url, f"port {parsed.port} is not one of the web")
    host = parsed.raw_host.decode("ascii").removesuffix(".")
    if not _is_public_host(host, resolve):
        raise _refusal(url, "it is not of the public web")
    return str(parsed.copy_with(host=host, fragment=None))


def system_resolve(host: str) -> tuple[str, ...]:
    """The addresses of a public name as this machine knows them; none when it does not."""
    try:
        found = socket.getaddrinfo(f"{host}.", None)  # the dot: no search among names of this network
    except (OSError, UnicodeError):
        return ()
    return tuple(dict.fromkeys(str(address[0]) for *_, address in found))


def _is_public_host(host: str, resolve: Resolve) -> bool:
    labels = host.split(".")
    if ":" in host or _NUMBER.fullmatch(labels[-1]):  # browsers read any name that ends in a number as an IP address
        return _is_public(host)
    named = len(labels) > 1 and len(host) <= 253 and all(_LABEL.fullmatch(label) for label in labels)
    return named and labels[-1] not in _INSIDE and all(_is_public(address) for address in resolve(host))


def _is_public(address: str) -> bool:
    """Whether it is an IP address of the open internet, in its usual spelling: four decimal numbers, or IPv6."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    if isinstance(found, IPv6Address):
        inner = _inner(found)
        if inner is None:
            return found in _UNICAST and found.is_global
        found = inner
    return found.is_global and not found.is_multicast


def _inner(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 address stands for, if it does."""
    if address in _TRANSLATED:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


def _refusal(url: str, why: str) -> ToolError:
    return ToolError(f"{one_line(url)[:200]!r} is not read: {why}. Give the address of a public page.")
