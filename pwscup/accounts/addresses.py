"""Addresses as keyed hashes: enough to recognize a person or a network within one contest, and for nothing else."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from django.utils.crypto import salted_hmac

if TYPE_CHECKING:
    from pwscup.contests.models import Contest


def normalized(address: str) -> str:
    """The mailbox that an address means: without case and without the tag after a plus sign.

    >>> normalized("Ann+cup@Example.org")
    'ann@example.org'
    """
    folded = unicodedata.normalize("NFKC", address).strip().casefold()
    local, at, domain = folded.rpartition("@")
    mailbox = local.split("+", 1)[0] or local
    return f"{mailbox}{at}{domain}"


def digest_of(address: str, contest: Contest) -> str:
    """HMAC of the mailbox under the installation's key; no two contests have the same one."""
    return _digest("pwscup.accounts.address", normalized(address), contest)


def _digest(purpose: str, value: str, contest: Contest) -> str:
    return salted_hmac(purpose, f"{contest.pk}:{value}", algorithm="sha256").hexdigest()
