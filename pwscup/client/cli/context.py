# SPDX-License-Identifier: Apache-2.0
"""Commands find their site and their contest in options, in the folder, and in the environment."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from pwscup.client.contests import Client, Contest
from pwscup.client.errors import FileError
from pwscup.client.kit import NAME, Kit
from pwscup.client.rounds import Round

CONTEST = "PWSCUP_CONTEST"
"""The variable that names the usual contest."""


def kit_of(arguments: argparse.Namespace) -> Kit | None:
    """The kit of `--kit`, or of this folder; None where there is none."""
    if arguments.kit is not None:
        return Kit.find(arguments.kit)
    return Kit.find() if Path(NAME).is_file() else None


def client_of(arguments: argparse.Namespace) -> Client:
    """The site of `--url`, of the environment, of the folder's kit, or of the last log-in."""
    if arguments.url is None and not os.environ.get("PWSCUP_URL"):
        kit = kit_of(arguments) if hasattr(arguments, "kit") else None
        if kit is not None:
            return Client(kit.site, progress=not arguments.json, is_trusted=False)
    return Client(arguments.url, progress=not arguments.json)


def contest_of(arguments: argparse.Namespace) -> Contest:
    """The contest that is named, that of the folder's kit, or that of the environment.

    Raises
    ------
    FileError
        Where none is named.
    """
    kit = kit_of(arguments)
    slug = arguments.contest or (kit.contest if kit else None) or os.environ.get(CONTEST)
    if not slug:
        raise FileError(
            "no contest — expected --contest, or a folder that `pwscup download` has written; "
            "`pwscup contests` lists them",
            code="contest.missing",
        )
    return client_of(arguments).contest(slug)


def round_of(arguments: argparse.Namespace) -> Round:
    """The round of `--round`, or the one that is open."""
    return contest_of(arguments).round(arguments.round)
