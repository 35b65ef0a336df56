# SPDX-License-Identifier: Apache-2.0
"""Programs that the administrator allows as scorers, and the parts of their sandbox that this machine lacks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings

from scoring.errors import Problem, ProblemsFound
from scoring.sandbox import PARTS, enforcement
from scoring.sandbox.programs import Program, ProgramError, read_programs

if TYPE_CHECKING:
    from collections.abc import Mapping

HARMLESS = ("user",)
"""Parts whose lack is no warning: the others keep a program from harming the platform's own user."""


def known() -> Mapping[str, Program]:
    """The programs of the file that the setting names.

    Raises
    ------
    ProblemsFound
        Where the file cannot be read or used.
    """
    if not settings.PROGRAMS_FILE:
        return {}
    path = Path(settings.PROGRAMS_FILE)
    try:
        return _read(path, path.stat().st_mtime_ns)
    except (OSError, UnicodeDecodeError) as error:
        raise ProblemsFound(
            [Problem("toml.syntax", {"got": str(error)}, file=str(path))]
        ) from error


@lru_cache(maxsize=4)
def _read(path: Path, _changed: int) -> Mapping[str, Program]:
    return read_programs(path.read_text(encoding="utf-8"), file=path.name)


def allowed(name: str) -> Program:
    """A program by its name; ProgramError where it is not allowed."""
    try:
        found = known()
    except ProblemsFound as problems:
        raise ProgramError("list", name=name) from problems
    if name not in found:
        raise ProgramError("not_allowed", name=name)
    return found[name]


def is_allowed(name: str) -> bool:
    """The administrator has allowed a program of this name."""
    try:
        allowed(name)
    except ProgramError:
        return False
    return True


def faults() -> Iterator[str]:
    """Faults that keep allowed programs from running, a sentence for each."""
    try:
        found = known()
    except ProblemsFound as problems:
        yield f"PWSCUP_PROGRAMS_FILE: {problems}"
        return
    for name, program in found.items():
        if not os.access(program.command[0], os.X_OK):
            yield f"program {name}: {program.command[0]} cannot be run"
        if program.limits.seconds >= settings.SCORING_TIME_LIMIT:
            yield (
                f"program {name}: its {program.limits.seconds:g} seconds are not less than those of scoring as a "
                f"whole, {settings.SCORING_TIME_LIMIT:g} (SCORING_TIME_LIMIT)"
            )
        try:
            program.digest  # noqa: B018 — reads every file
        except ProgramError as error:
            yield str(error)


def lacking() -> list[str]:
    """The parts of the sandbox that this machine does not enforce, in the order of the documentation."""
    return [part for part in PARTS if part not in enforcement() and part not in HARMLESS]
