# SPDX-License-Identifier: Apache-2.0
"""Hooks of MkDocs: it reads a copy of `docs/` with the pages and pictures that lie elsewhere, and uses our rules.

MkDocs runs in an environment of its own, so nothing of the platform is imported: the rules are loaded from their file.
"""

from __future__ import annotations

import atexit
import importlib.util
import re
import shutil
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
ASSETS = {"assets/mark.svg": "static/img/mark.svg", "assets/site.css": "tools/site/site.css"}


def _loaded(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sources = _loaded("pwscup/core/help/sources.py")


def on_config(config: Any) -> Any:
    text = (ROOT / "scoring" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    assert found is not None
    config.copyright = f"PWSCup {found[1]}, Apache-2.0"
    config.mdx_configs["toc"]["slugify"] = sources.slug
    config.docs_dir = _copied()
    return config


@cache
def _copied() -> str:
    """A copy of the documentation with everything that its pages need, until MkDocs ends."""
    folder = Path(tempfile.mkdtemp(prefix="pwscup-docs-"))
    atexit.register(shutil.rmtree, folder)
    shutil.copytree(ROOT / sources.FOLDER, folder, dirs_exist_ok=True)
    names = [page.relative_to(folder).as_posix() for page in sorted(folder.rglob("*.md"))]
    for name in [*names, *sources.PROJECT]:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(sources.text_of(ROOT, name), encoding="utf-8")
    for name, path in ASSETS.items():
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / path, folder / name)
    return str(folder)
