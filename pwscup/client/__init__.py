# SPDX-License-Identifier: Apache-2.0
"""A contest from Python and from the command line: download, check at home, submit, wait, attack, read boards.

    >>> from pwscup.client import Client
    >>> client = Client("https://cup.example.org", token="pwscup_x")
    >>> client
    <Client: https://cup.example.org>

It needs the standard library and, for tables, the library `scoring`; nothing of the platform.
"""

from __future__ import annotations

from pwscup.client.contests import Client, Contest
from pwscup.client.errors import (
    BadAnswerError,
    BusyError,
    ClientError,
    FailedError,
    FileError,
    MovedError,
    Problem,
    Refused,
    Rejected,
    TimedOutError,
    TokenError,
    UncertainError,
    UnknownError,
    UnreachableError,
    UnsafeFileError,
)
from pwscup.client.kit import Kit
from pwscup.client.rounds import Round, Submission, Target
from pwscup.client.transport import RateLimit

__all__ = [
    "BadAnswerError",
    "BusyError",
    "Client",
    "ClientError",
    "Contest",
    "FailedError",
    "FileError",
    "Kit",
    "MovedError",
    "Problem",
    "RateLimit",
    "Refused",
    "Rejected",
    "Round",
    "Submission",
    "Target",
    "TimedOutError",
    "TokenError",
    "UncertainError",
    "UnknownError",
    "UnreachableError",
    "UnsafeFileError",
]
