# SPDX-License-Identifier: Apache-2.0
"""Adds to the packages what the platform has outside of them: templates, static files, catalogues, documents."""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
FOLDERS = ("templates", "static", "docs")
FILES = (
    "LICENSE",
    "pyproject.toml",
    "mkdocs.yml",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
)
CATALOGUES = "locale"


class WithPlatform(build_py):
    """Copies them to `pwscup/bundled`, where an installed platform looks for them; catalogues are compiled."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return  # a checkout has them
        target = Path(self.build_lib, "pwscup", "bundled")
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for name in FOLDERS:
            shutil.copytree(ROOT / name, target / name)
        for name in FILES:
            shutil.copy(ROOT / name, target / name)
        for po in sorted((ROOT / CATALOGUES).rglob("*.po")):
            _compile(po, target / po.relative_to(ROOT).with_suffix(".mo"))


def _compile(po: Path, mo: Path) -> None:
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    with po.open("rb") as source:
        catalog = read_po(source, locale=po.parent.parent.name, abort_invalid=True)
    mo.parent.mkdir(parents=True)
    with mo.open("wb") as compiled:
        write_mo(compiled, catalog)


setup(cmdclass={"build_py": WithPlatform})
