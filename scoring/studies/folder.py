# SPDX-License-Identifier: Apache-2.0
"""A folder that appears whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path


class FolderError(Exception):
    """A folder cannot be written."""


@contextmanager
def new_folder(path: str) -> Iterator[Path]:
    """A folder to fill, next to its target; renamed at the end, removed if anything fails.

    Raises
    ------
    FolderError
        Before the work, where the target is there and not an empty folder, or has no place to be;
        after it, where it has been filled meanwhile.
    """
    target = _checked(path)
    try:
        beside = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise FolderError(f"cannot write {path}: {error.strerror}") from error
    try:
        yield beside
        try:
            _publish(beside, target)
        except OSError as error:
            raise FolderError(f"cannot write {path}: {error.strerror}") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _publish(beside: Path, target: Path) -> None:
    # mkdtemp keeps others out; what a command writes is as readable as any other folder.
    mask = os.umask(0)
    os.umask(mask)
    beside.chmod(0o777 & ~mask)
    if target.is_dir():
        target.rmdir()  # refused where it is not empty any more
    beside.rename(target)


def _checked(path: str) -> Path:
    target = Path(path).resolve()
    if target.exists() and not target.is_dir():
        raise FolderError(f"cannot write {path}: it is not a folder")
    if target.is_dir() and any(target.iterdir()):
        raise FolderError(f"cannot write {path}: the folder is not empty")
    if not target.parent.is_dir():
        raise FolderError(f"cannot write {path}: there is no folder {target.parent}")
    return target


def fill(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write files by their paths inside the folder."""
    try:
        for name, data in contents.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
    except OSError as error:
        raise FolderError(f"cannot write {folder.parent}: {error.strerror}") from error
