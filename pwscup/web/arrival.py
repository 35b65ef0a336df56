# SPDX-License-Identifier: Apache-2.0
"""When a request counts as arrived: its first byte at the socket, or at a proxy that is trusted to say so."""

from __future__ import annotations

import re
from collections.abc import Mapping

from django.conf import settings

STAMP = re.compile(r"(?:t=)?([0-9]{10,16})(\.[0-9]{1,9})?")


def arrived_at(first_byte: float, last_byte: float, headers: Mapping[str, str]) -> float:
    """Return the time of arrival in seconds since 1970: the first byte, or the last one where they lie too far apart.

    A connection opened before the deadline does not keep it open for a file that is made afterwards. How long the
    request waits for its turn here does not matter.

    Parameters
    ----------
    first_byte, last_byte : float
        When they reached this server.
    headers : Mapping[str, str]
        By names such as X_REQUEST_START. A proxy that collects a request before it passes it on may say there when
        that began; it is believed if the settings name the header and trust a proxy, and never later than this server.
    """
    first = min(first_byte, _by_proxy(headers) or first_byte)
    return first if last_byte - first <= settings.UPLOAD_GRACE_SECONDS else last_byte


def trusts_a_proxy() -> bool:
    """A request may have arrived at a proxy before its first byte came here."""
    return bool(settings.ARRIVAL_HEADER) and settings.ALLAUTH_TRUSTED_PROXY_COUNT > 0


def _by_proxy(headers: Mapping[str, str]) -> float | None:
    if not trusts_a_proxy():
        return None
    return stamp(headers.get(settings.ARRIVAL_HEADER.upper().replace("-", "_"), ""))


def stamp(text: str) -> float | None:
    """The seconds since 1970 in "t=1700000000.123", or in milliseconds or microseconds; None where it is neither."""
    found = STAMP.fullmatch(text.strip())
    if found is None:
        return None
    whole, fraction = found.groups()
    if fraction is None:
        return int(whole) / 10 ** (len(whole) - 10)
    return float(whole + fraction) if len(whole) == 10 else None
