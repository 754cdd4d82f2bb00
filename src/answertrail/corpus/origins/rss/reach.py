"""Which machines a feed may send us to: those of the internet, and the one the user named."""

from __future__ import annotations

import asyncio
import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

import httpx2

from answertrail.models.chat.failures import EndpointError

_Address = IPv4Address | IPv6Address
_TRANSLATED = IPv6Network("64:ff9b::/96")
"""IPv4 addresses as networks with IPv6 alone write them; the last 32 bits are the address."""


class OutOfReachError(EndpointError):
    """An address on this machine or its network that the user did not name."""

    def __init__(self, host: str, at: _Address) -> None:
        super().__init__(
            f"{host} is {at}, an address on a private network, and is not the host of the feed as it was given",
            reason="rejected",
            hint="a feed may only name addresses of the internet, or of its own host",
        )


class Reach:
    """Checks where an address leads before it is asked; an address it redirects to is checked in its turn.

    A feed is text of others: it may name `http://127.0.0.1/` or the metadata service of a cloud,
    and what they answer would become a document. `home` is the address the user typed, None for a
    saved feed; its host may be on this machine or its network, at the addresses it has at the first
    look; every other host must have addresses of the internet only.

    What is left: a name is resolved here and again by the HTTP client, so a server of names that
    answers differently the second time (DNS rebinding) gets past. Behind a proxy it is the proxy
    that resolves; a name that is unknown here is left to it.
    """

    def __init__(self, home: str | None) -> None:
        self._home = _host(home) if home else None
        self._at_home: frozenset[_Address] | None = None

    async def check(self, address: str) -> None:
        """Raise OutOfReachError for an address that a feed may not name, httpx2.InvalidURL for what is none."""
        host = _host(address)
        found = await _resolved(host, httpx2.URL(address).port)
        if host == self._home and self._at_home is None and found:
            self._at_home = found
        mine = self._at_home if host == self._home else None
        for at in sorted(found - (mine or frozenset()), key=str):
            if not _is_public(at):
                raise OutOfReachError(host, at)


def _host(address: str) -> str:
    # Read as the client reads it: two readers of one odd address may see two hosts.
    return httpx2.URL(address).raw_host.decode("ascii").strip("[]").lower()


async def _resolved(host: str, port: int | None) -> frozenset[_Address]:
    """Return all addresses of a host; none when it has none, which the request will then say."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return frozenset()
    return frozenset(ip_address(str(place[0])) for *_, place in found)


def _is_public(at: _Address) -> bool:
    if isinstance(at, IPv6Address):
        # An IPv4 address within: what is reached is that one.
        inner = at.ipv4_mapped or at.sixtofour or (IPv4Address(int(at) & 0xFFFFFFFF) if at in _TRANSLATED else None)
        if inner is not None:
            return _is_public(inner)
    return at.is_global and not at.is_multicast
