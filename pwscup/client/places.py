# SPDX-License-Identifier: Apache-2.0
"""Folders and files of the client on this machine, and files that are written completely or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pwscup.client.errors import FileError

HOME = "PWSCUP_CLIENT_HOME"
"""The variable that names another folder for what the client keeps."""


def folder() -> Path:
    """The folder of this user in which the client keeps sites, tokens and open requests."""
    if given := os.environ.get(HOME):
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home()) / "pwscup"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "pwscup"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "pwscup"


def read_json(path: Path) -> dict[str, Any]:
    """The object in a file; an empty one where there is no file.

    Raises
    ------
    FileError
        Where the file cannot be read, or holds something else.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror}", code="file.unreadable") from error
    except ValueError as error:
        raise FileError(
            f"{path}: expected JSON — got something else: delete the file, and log in again",
            code="file.no_json",
        ) from error
    return found if isinstance(found, dict) else {}


def write_json(path: Path, values: Mapping[str, Any]) -> None:
    """Write an object that only this user can read.

    Raises
    ------
    FileError
        Where it cannot be written.
    """
    write_private(path, json.dumps(values, ensure_ascii=False, indent=1).encode())


def write_private(path: Path, data: bytes) -> None:
    """Write a file that only this user can read, in folders that only this user can open.

    Raises
    ------
    FileError
        Where it cannot be written.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(path.parent, error) from error
    write(path, data, mode=0o600)


def write(path: Path, data: bytes, *, mode: int = 0o666) -> None:
    """Write a file next to its place first, and then rename it; what is there before is replaced as a whole.

    Raises
    ------
    FileError
        Where it cannot be written.
    """
    beside = path.with_name(f".{path.name[:50]}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        beside.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> FileError:
    """The error for a place where nothing can be written."""
    return FileError(f"cannot write {path}: {error.strerror}", code="file.unwritable")
