# SPDX-License-Identifier: Apache-2.0
"""The wheel of the library and the client: what teams install at home, made of the very files that score here.

A wheel of plain Python is a zip archive with three files of metadata (PEP 427), so that a running site needs no build
tools to offer its own version. The metadata is that of `pyproject.toml`, from which `pip install .` builds the same.
"""

from __future__ import annotations

import base64
import hashlib
import io
import tomllib
import zipfile
from functools import cache
from typing import TYPE_CHECKING, Any

import scoring
from pwscup.env import BASE_DIR, RESOURCES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PACKAGE, CLIENT = "scoring", "pwscup"
OF_CLIENT = ("__init__.py", "__main__.py", "client/**/*.py", "client/py.typed")
"""The files of the package `pwscup` that need nothing of the platform."""
TAG = "py3-none-any"
TYPE = "application/zip"


@cache
def _project() -> dict[str, Any]:
    return tomllib.loads((RESOURCES / "pyproject.toml").read_text(encoding="utf-8"))


def distribution() -> str:
    """Name and version, as the names of files begin."""
    return f"{_project()['project']['name']}-{scoring.__version__}"


def file_name() -> str:
    """The name of the wheel, which installers read: it must not be changed."""
    return f"{distribution()}-{TAG}.whl"


@cache
def content() -> bytes:
    """The wheel; the same bytes for the same files."""
    folder = f"{distribution()}.dist-info"
    files = {path.relative_to(BASE_DIR).as_posix(): path.read_bytes() for path in _sources()}
    files |= {
        f"{folder}/licenses/LICENSE": (RESOURCES / "LICENSE").read_bytes(),
        f"{folder}/METADATA": _metadata().encode(),
        f"{folder}/WHEEL": (
            f"Wheel-Version: 1.0\nGenerator: pwscup\nRoot-Is-Purelib: true\nTag: {TAG}\n"
        ).encode(),
        f"{folder}/entry_points.txt": _scripts().encode(),
        f"{folder}/top_level.txt": f"{CLIENT}\n{PACKAGE}\n".encode(),
    }
    lines = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in files.items()]
    record = f"{folder}/RECORD"
    files[record] = "".join(f"{line}\n" for line in [*lines, f"{record},,"]).encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)  # of 1980: no time of the machine
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    return packed.getvalue()


def _sources() -> Iterator[Path]:
    """The modules of the library and of the client, and the data that belong to them."""
    data = _project()["tool"]["setuptools"]["package-data"][PACKAGE]
    patterns = {PACKAGE: ("**/*.py", *data), CLIENT: OF_CLIENT}
    found = {
        path
        for package, own in patterns.items()
        for pattern in own
        for path in (BASE_DIR / package).glob(pattern)
        if path.is_file()
    }
    yield from sorted(found)


def _scripts() -> str:
    """The commands, as installers read them."""
    scripts = _project()["project"]["scripts"]
    lines = [f"{name} = {address}\n" for name, address in scripts.items()]
    return "".join(["[console_scripts]\n", *lines])


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _metadata() -> str:
    """The core metadata: what installers must know of the project."""
    project = _project()["project"]
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {scoring.__version__}",
        f"Summary: {project['description']}",
        f"Author: {', '.join(author['name'] for author in project['authors'])}",
        f"License-Expression: {project['license']}",
        f"Keywords: {','.join(project['keywords'])}",
        *(f"Project-URL: {name}, {address}" for name, address in project["urls"].items()),
        *(f"Classifier: {classifier}" for classifier in project["classifiers"]),
        "License-File: LICENSE",
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {requirement}" for requirement in project["dependencies"]),
    ]
    for extra, requirements in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {_for_extra(line, extra)}" for line in requirements]
    return "\n".join(lines) + "\n"


def _for_extra(requirement: str, extra: str) -> str:
    """A requirement that holds only where the extra is asked for."""
    needed, _semicolon, marker = requirement.partition(";")
    condition = f'extra == "{extra}"'
    if marker.strip():
        condition = f"({marker.strip()}) and {condition}"
    return f"{needed.strip()} ; {condition}"
