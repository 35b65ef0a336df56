# SPDX-License-Identifier: Apache-2.0
"""Addresses as keyed hashes: they identify a user or a network within one contest only."""

from __future__ import annotations

import ipaddress
import unicodedata
from typing import TYPE_CHECKING

from allauth.account.adapter import get_adapter
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.utils.crypto import salted_hmac

if TYPE_CHECKING:
    from django.http import HttpRequest

    from pwscup.contests.models import Contest


def normalized(address: str) -> str:
    """The mailbox of an address: lower case, without the tag after a plus sign.

    >>> normalized("Ann+cup@Example.org")
    'ann@example.org'
    """
    folded = unicodedata.normalize("NFKC", address).strip().casefold()
    local, at, domain = folded.rpartition("@")
    mailbox = local.split("+", 1)[0] or local
    return f"{mailbox}{at}{domain}"


def digest_of(address: str, contest: Contest) -> str:
    """HMAC of the mailbox under the installation's key; it differs between contests."""
    return _digest("pwscup.accounts.address", normalized(address), contest)


def source_of(request: HttpRequest) -> str:
    """The network address of a visitor, determined as for rate limits; empty if unknown."""
    try:
        return get_adapter().get_client_ip(request)
    except (ImproperlyConfigured, PermissionDenied):
        return ""


def network_of(source: str, contest: Contest) -> str:
    """HMAC of the network of a source, /24 or /48; empty for addresses that identify no network."""
    try:
        address = ipaddress.ip_address(source)
    except ValueError:
        return ""
    if address.is_loopback:
        return ""
    prefix = 24 if address.version == 4 else 48
    network = ipaddress.ip_network((address, prefix), strict=False)
    return _digest("pwscup.accounts.network", str(network), contest)


def _digest(purpose: str, value: str, contest: Contest) -> str:
    return salted_hmac(purpose, f"{contest.pk}:{value}", algorithm="sha256").hexdigest()
