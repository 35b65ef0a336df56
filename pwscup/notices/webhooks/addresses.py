# SPDX-License-Identifier: Apache-2.0
"""Allowed webhook targets: hosts on the internet, never hosts that only this machine can reach."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
ON_THE_INTERNET = ipaddress.IPv6Network("2000::/3")
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
PORTS = {"https": 443, "http": 80}


class BadAddressError(Exception):
    """A URL that is not called; `code` is one of `kinds.ERRORS`."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Target:
    """A checked URL: the connection is made to `ip`, so that a changed DNS entry has no effect."""

    scheme: str
    host: str
    port: int
    path: str
    ip: str

    @property
    def host_header(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


def check(url: str) -> Target:
    """Resolve a URL and refuse it if it must not be called.

    Raises
    ------
    BadAddressError
        scheme, unresolved or private.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise BadAddressError("unresolved") from None
    if parts.scheme not in PORTS or parts.username is not None or parts.password is not None:
        raise BadAddressError("scheme")
    host = parts.hostname or ""
    port = port or PORTS[parts.scheme]
    found = resolve(host, port)
    if not all(_is_allowed(ip, parts.scheme) for ip in found):
        raise BadAddressError("private" if parts.scheme == "https" else "scheme")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, host, port, path, str(found[0]))


def resolve(host: str, port: int) -> list[Address]:
    """All IP addresses of the host, from the system's resolver."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        ips = [ipaddress.ip_address(str(info[4][0]).partition("%")[0]) for info in found]
    except (OSError, UnicodeError, ValueError):
        raise BadAddressError("unresolved") from None
    if not host or not ips:
        raise BadAddressError("unresolved")
    return list(dict.fromkeys(ips))


def _is_allowed(ip: Address, scheme: str) -> bool:
    """Public ones by https; others only if the settings allow it, and unencrypted only this machine."""
    if scheme == "http":
        return settings.DEBUG and settings.WEBHOOKS_TO_PRIVATE and ip.is_loopback
    return settings.WEBHOOKS_TO_PRIVATE or is_public(ip)


def is_public(ip: Address) -> bool:
    """The address, and every address embedded in it, is public."""
    inner = embedded(ip)
    if isinstance(ip, ipaddress.IPv6Address) and ip not in ON_THE_INTERNET:
        return bool(inner) and all(map(is_public, inner))
    return ip.is_global and not ip.is_multicast and all(map(is_public, inner))


def embedded(ip: Address) -> list[Address]:
    """The IPv4 addresses to which a router or the system would forward packets for this one."""
    if not isinstance(ip, ipaddress.IPv6Address):
        return []
    found = [ip.ipv4_mapped, ip.sixtofour, *(ip.teredo or ())]
    if ip in NAT64:
        found.append(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF))
    return [one for one in found if one is not None]
