"""Which addresses of the web may be read."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.bank.errors import ToolError
from memory_bank.session.tools.addresses import public_address, system_resolve

NAMES = {
    "example.org": ("93.184.216.34", "2606:2800:220:1::1"),
    "inside.example.org": ("10.0.0.7",),
    "half.example.org": ("93.184.216.34", "192.168.1.1"),
    "six.example.org": ("fe80::1%eth0",),
    "mapped.example.org": ("::ffff:127.0.0.1",),
    "127.0.0.1.nip.io": ("127.0.0.1",),
    "meta.example.org": ("169.254.169.254",),
}


def resolve(host: str) -> tuple[str, ...]:
    return NAMES.get(host, ())


READ = [
    ("https://example.org", "https://example.org"),
    ("http://example.org/a?b=c", "http://example.org/a?b=c"),
    ("  https://example.org/a\n", "https://example.org/a"),
    ("HTTPS://EXAMPLE.ORG/Dams", "https://example.org/Dams"),
    ("https://example.org./a", "https://example.org/a"),
    ("https://example.org:443/a", "https://example.org/a"),
    ("http://example.org:8080/a", "http://example.org:8080/a"),
    ("https://example.org:8443/a", "https://example.org:8443/a"),
    ("https://example.org/a#part", "https://example.org/a"),
    ("https://example.org/a/../b", "https://example.org/b"),
    ("https://example.org/%2e%2E/%2e./b", "https://example.org/b"),
    ("https://example.org/a@b?next=http://10.0.0.1/", "https://example.org/a@b?next=http://10.0.0.1/"),
    ("https://unknown.example.org/a", "https://unknown.example.org/a"),  # whoever reads the page resolves it
    ("https://my_dam.example.org", "https://my_dam.example.org"),
    ("https://3com.com", "https://3com.com"),
    ("https://straße.de/ü", "https://xn--strae-oqa.de/%C3%BC"),
    ("https://例え.jp/", "https://xn--r8jz45g.jp/"),
    ("http://93.184.216.34/a", "http://93.184.216.34/a"),
    ("http://[2606:4700::1111]/a", "http://[2606:4700::1111]/a"),
    ("http://[::ffff:8.8.8.8]/", "http://[::ffff:8.8.8.8]/"),
]


@pytest.mark.parametrize(("url", "asked"), READ)
def test_a_public_address_is_read_in_its_plain_spelling(url: str, asked: str) -> None:
    assert public_address(url, resolve) == asked
    assert public_address(asked, resolve) == asked


NOT_READ = [
    # no address of a page
    "",
    "example.org",
    "//example.org/a",
    "ftp://example.org/a",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/html,<b>",
    "gopher://example.org",
    "https:example.org",
    "https:///etc/passwd",
    "https://",
    "https://?a",
    "https://.",
    "https://a..org/",
    "https://-a.example.org/",
    "https://example.org..",
    f"https://{'a' * 64}.org/",
    f"https://{'a.' * 130}org/",
    f"https://example.org/{'a' * 2_000}",
    # characters that one parser reads so and another otherwise
    "https://exa mple.org/",
    "https://example.org/a\tb",
    "https://example.org/a\r\nX-Key: b",
    "https://example.org\\@10.0.0.1/",
    "https://example.org\\.internal/",
    "https://exa\u200bmple.org/",
    "https://example.org/\u202egro.a",
    "https://ex%61mple.org/",
    "https://example.org/\ud800",
    # a name or a password in it
    "https://ada@example.org/",
    "https://ada:pw@example.org/",
    "https://@example.org/",
    "https://example.org@10.0.0.1/",
    # ports that are not those of the web
    "https://example.org:22/",
    "https://example.org:6379/",
    "https://example.org:0/",
    "https://example.org:99999/",
    "https://example.org:80:80/",
    "https://example.org:http/",
    # names of this machine and of a network
    "http://localhost/",
    "http://LOCALHOST:8080/",
    "http://localhost./",
    "http://app.localhost/",
    "http://printer.local/",
    "http://vault.internal/",
    "http://metadata.google.internal/computeMetadata/v1/",
    "http://router.lan/",
    "http://nas.home.arpa/",
    "http://intranet/",
    "http://db:8080/",
    "http://localhost.localdomain/",
    "http://1.0.0.127.in-addr.arpa/",
    # private addresses, in every spelling
    "http://127.0.0.1/",
    "http://127.0.0.1./",
    "http://127.1/",
    "http://127.0.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.0.0.1/",
    "http://0X7F.1/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://127.0.0.01/",
    "http://0/",
    "http://0x/",
    "http://0.0.0.0/",
    "http://10.1.2.3/",
    "http://172.16.0.1/",
    "http://192.168.0.1:8080/",
    "http://169.254.169.254/latest/meta-data/",
    "http://100.64.0.1/",
    "http://198.18.0.1/",
    "http://192.0.2.1/",
    "http://224.0.0.1/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    "http://999.1.1.1/",
    "http://foo.1/",
    "http://１２７.0.0.1/",
    "http://127。0。0。1/",
    "http://①②⑦.0.0.1/",
    "http://[::1]/",
    "http://[::]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2001:db8::1]/",
    "http://[2001:0:7f00:1::]/",
    "http://[fe80::1]/",
    "http://[fe80::1%25eth0]/",
    "http://[fd00::1]/",
    "http://[ff02::1]/",
    "http://[v1.a]/",
    "http://[::1/",
    # public names of private addresses
    "http://inside.example.org/",
    "http://INSIDE.example.org./",
    "http://half.example.org/",
    "http://six.example.org/",
    "http://mapped.example.org/",
    "http://127.0.0.1.nip.io/",
    "http://meta.example.org/",
]


@pytest.mark.parametrize("url", NOT_READ)
def test_what_is_not_a_public_address_is_refused_in_one_line_that_says_what_to_do(url: str) -> None:
    with pytest.raises(ToolError, match=r"is not read: .* Give the address of a public page") as refused:
        public_address(url, resolve)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 450


@given(st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6)))
def test_a_literal_address_is_read_only_if_it_is_of_the_open_internet(
    address: IPv4Address | IPv6Address,
) -> None:
    host = f"[{address}]" if isinstance(address, IPv6Address) else str(address)
    try:
        asked = public_address(f"http://{host}/", resolve)
    except ToolError:
        return
    inner = (address.ipv4_mapped or address.sixtofour) if isinstance(address, IPv6Address) else None
    assert (inner or address).is_global
    assert not (inner or address).is_multicast
    assert asked == f"http://{host}/"


@given(st.text("ht:/.@\\#?[]%127x0.lcaoexmp\u3002", max_size=30))
def test_nothing_strange_is_asked_for_whatever_is_given(text: str) -> None:
    """What passes reads the same for another parser, and is a name or a public number."""
    try:
        asked = public_address(f"http://{text}", resolve)
    except ToolError:
        return
    host = urlsplit(asked).hostname
    assert host
    assert asked.isascii()
    assert "." in host or ":" in host
    assert public_address(asked, resolve) == asked


def test_a_name_is_resolved_once_without_the_dot_at_its_end() -> None:
    asked: list[str] = []
    public_address("https://Example.ORG./a", lambda host: asked.append(host) or ())
    assert asked == ["example.org"]


def test_this_machine_is_asked_for_the_whole_name_and_nothing_is_known_when_it_cannot_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def known(host: str, port: object) -> list[Any]:
        asked.append(host)
        if host != "example.org.":
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        of_stream = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.216.34", 0))
        return [of_stream, of_stream, (socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("2606:4700::1111", 0, 0, 0))]

    monkeypatch.setattr(socket, "getaddrinfo", known)
    assert system_resolve("example.org") == ("93.184.216.34", "2606:4700::1111")
    assert system_resolve("nowhere.example") == ()
    assert asked == ["example.org.", "nowhere.example."]
