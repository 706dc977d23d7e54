"""Checks web addresses: only public ones may be read, however they are spelled.

Pages are fetched by an external reader, not from here. Still, no address of this network is handed to it, and no
address from a document or a model is trusted. The address is parsed once, and requested exactly as it was parsed.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

import httpx2

from memory_bank.bank.errors import ToolError
from memory_bank.text.wording import one_line

Resolve = Callable[[str], Sequence[str]]
"""Gives the IP addresses of a host name; none if it cannot be resolved here."""

_LONGEST = 2_000
_WEB_ADDRESS = re.compile(r"https?://[^/?#@%\\\s]+(?:[/?#][^\\\s]*)?", re.IGNORECASE)
_ESCAPED_DOT = re.compile("%2e", re.IGNORECASE)
_PORTS = {None, 80, 443, 8080, 8443}
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*")
_PRIVATE_DOMAINS = frozenset(
    "arpa corp home internal intranet invalid lan local localdomain localhost onion private test".split()
)
"""Top-level domains that no public server has."""
_UNICAST = IPv6Network("2000::/3")
_TRANSLATED = IPv6Network("64:ff9b::/96")  # IPv4 through NAT64


def public_address(url: str, resolve: Resolve) -> str:
    """The address to request, without its fragment. `ToolError` says why an address is refused.

    A host that resolves to a private IP address is refused; one that cannot be resolved here is accepted.
    """
    url = url.strip()
    if len(url) > _LONGEST or not url.isprintable() or not _WEB_ADDRESS.fullmatch(url):
        raise _refusal(url, "an address begins with http:// or https:// and holds no password, space or backslash")
    try:
        parsed = httpx2.URL(_ESCAPED_DOT.sub(".", url))  # so that no segment goes up beyond the page's own server
    except httpx2.InvalidURL:
        raise _refusal(url, "it is not a valid address") from None
    if parsed.port not in _PORTS:
        raise _refusal(url, f"port {parsed.port} is not one of the web")
    host = parsed.raw_host.decode("ascii").removesuffix(".")
    if not _is_public_host(host, resolve):
        raise _refusal(url, "it is not of the public web")
    return str(parsed.copy_with(host=host, fragment=None))


def system_resolve(host: str) -> tuple[str, ...]:
    """The IP addresses of a host name by this machine's resolver; none if it is unknown."""
    try:
        addresses = socket.getaddrinfo(f"{host}.", None)  # with the dot, no search domain of this network is appended
    except (OSError, UnicodeError):
        return ()
    return tuple(dict.fromkeys(str(address[0]) for *_, address in addresses))


def _is_public_host(host: str, resolve: Resolve) -> bool:
    labels = host.split(".")
    if ":" in host or _NUMBER.fullmatch(labels[-1]):  # browsers read any name that ends in a number as an IP address
        return _is_public(host)
    well_formed = len(labels) > 1 and len(host) <= 253 and all(_LABEL.fullmatch(label) for label in labels)
    return well_formed and labels[-1] not in _PRIVATE_DOMAINS and all(_is_public(address) for address in resolve(host))


def _is_public(address: str) -> bool:
    """Whether it is a public IP address in its usual spelling: four decimal numbers, or IPv6."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address):
        in_nat64 = IPv4Address(int(parsed) & 0xFFFFFFFF) if parsed in _TRANSLATED else None
        embedded = in_nat64 or parsed.ipv4_mapped or parsed.sixtofour
        if embedded is None:
            return parsed in _UNICAST and parsed.is_global
        parsed = embedded
    return parsed.is_global and not parsed.is_multicast


def _refusal(url: str, why: str) -> ToolError:
    return ToolError(f"{one_line(url)[:200]!r} is not read: {why}. Give the address of a public page.")
