# SPDX-License-Identifier: Apache-2.0
"""The lines by which an administrator allows the scoring program of a bundle."""

from __future__ import annotations

import re
import shlex

import tomli_w

from pwscup.archives.codabench.description import Program

FOLDER = "/opt/scorers"
PYTHON = "/usr/bin/python3"
MOST_SECONDS = 3600
_PLACES = (
    ("{input}", re.compile(r"\$\{?input\}?(?![\w-])|/app/input(?![\w-])")),
    ("{output}", re.compile(r"\$\{?output\}?(?![\w-])|/app/output(?![\w-])")),
)
_PROGRAM = re.compile(r"\$\{?program\}?(?![\w-])|/app/program(?![\w-])")
_PYTHON = re.compile(r"python[\d.]*")


def folder_of(name: str) -> str:
    """The folder that is proposed for a program."""
    return f"{FOLDER}/{name}"


def command_of(program: Program | None, name: str) -> list[str]:
    """The command of a bundle with the folders of this platform; a proposal where it names none.

    Examples
    --------
    >>> from pwscup.archives.codabench.description import Program
    >>> program = Program("scoring", "python3 $program/score.py $input/ /app/output", ("score.py",), "")
    >>> command_of(program, "pi")
    ['/usr/bin/python3', '/opt/scorers/pi/score.py', '{input}/', '{output}']
    """
    said = program.command if program is not None else ""
    try:
        parts = shlex.split(said)
    except ValueError:
        parts = said.split()
    if not parts:
        listed = program.files if program is not None else ()
        script = next((file for file in listed if file.endswith(".py")), "score.py")
        parts = ["python3", f"$program/{script}", "$input", "$output"]
    files = set(program.files) if program is not None else set[str]()
    parts = [f"$program/{part}" if part in files else part for part in parts]
    first, *others = (_placed(part, name) for part in parts)
    if _PYTHON.fullmatch(first):
        first = PYTHON
    elif not first.startswith("/"):
        first = f"{folder_of(name)}/{first}"
    return [first, *others, *(() if names_folders(program) else ("{input}", "{output}"))]


def names_folders(program: Program | None) -> bool:
    """The command names the folders of input and output; otherwise the program expects them at certain places."""
    said = program.command if program is not None else ""
    return not said or any(pattern.search(said) for _, pattern in _PLACES)


def _placed(part: str, name: str) -> str:
    for place, pattern in _PLACES:
        part = pattern.sub(place, part)
    return _PROGRAM.sub(folder_of(name), part)


def allowing(program: Program | None, name: str, seconds: int) -> str:
    """The lines for the file that PWSCUP_PROGRAMS_FILE names."""
    table = {
        "command": command_of(program, name),
        "folder": folder_of(name),
        "seconds": max(1, min(seconds, MOST_SECONDS)),
    }
    return tomli_w.dumps({name: table})
