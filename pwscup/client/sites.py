# SPDX-License-Identifier: Apache-2.0
"""Addresses of sites: one form for each, and which of them a token may be sent to."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from pwscup.client.errors import ClientError

API = "/api/v1"
_PORTS = {"http": 80, "https": 443}


def site_of(url: str) -> str:
    """The address of a site in its one form: scheme, host, port unless it is the usual one, and a path.

    Raises
    ------
    ClientError
        Where it is no address of a site.

    Examples
    --------
    >>> site_of("https://Cup.example.org/api/v1/"), site_of("localhost:8000")
    ('https://cup.example.org', 'http://localhost:8000')
    """
    text = url.strip()
    if "://" not in text:
        text = f"{'http' if is_loopback(_host(text)) else 'https'}://{text}"
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise _no_site(url) from error
    printable = text.isascii() and text.isprintable() and " " not in text
    if parts.scheme not in _PORTS or not host or not printable:
        raise _no_site(url)
    if parts.username is not None or parts.query or parts.fragment:
        raise _no_site(url)
    shown = f"[{host}]" if ":" in host else host
    own = "" if port in (None, _PORTS[parts.scheme]) else f":{port}"
    path = parts.path.rstrip("/").removesuffix(API).rstrip("/")
    return f"{parts.scheme}://{shown}{own}{path}"


def _host(text: str) -> str:
    try:
        return urlsplit(f"//{text}").hostname or ""
    except ValueError:
        return ""


def _no_site(url: str) -> ClientError:
    return ClientError(
        f"not the address of a site — expected one such as https://cup.example.org — got {url!r}",
        code="site.address",
    )


def is_loopback(host: str) -> bool:
    """True for names and addresses of this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_open(site: str) -> bool:
    """True where a token goes there unencrypted over a network."""
    parts = urlsplit(site)
    return parts.scheme == "http" and not is_loopback(parts.hostname or "")
