# SPDX-License-Identifier: Apache-2.0
"""The template of a plugin, installed into a folder, and plugins that are registered for a while only."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from scoring import plugins

ROOT = Path(__file__).parents[1]
TEMPLATE = ROOT / "docs" / "examples" / "plugin"
MEASURE, ATTACK, FORMULA = "untouched-records", "nearest-total", "geometric"
FORMAT = "example-lesson"
"""The identifiers of the template."""


def install_template(folder: Path) -> Path:
    """The template, built from a copy and installed; the folder that holds it then."""
    source, target = folder / "source", folder / "installed"
    shutil.copytree(TEMPLATE, source)
    uv = Path(sys.executable).with_name("uv")
    options = ["--offline", "--no-deps", "--quiet", "--python", sys.executable]
    subprocess.run(
        [str(uv), "pip", "install", *options, "--target", str(target), str(source)], check=True
    )
    return target


def install(folder: Path, entries: Mapping[str, str], *, group: str, package: str) -> Path:
    """A package in a folder, in a module of its own for each entry: the code, which names ENTRY."""
    info = folder / f"{package}-1.dist-info"
    info.mkdir(parents=True)
    text = f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n"
    (info / "METADATA").write_text(text, "utf-8")
    module = package.replace("-", "_")
    points = "".join(f"{name} = {module}_{name}:ENTRY\n" for name in entries)
    (info / "entry_points.txt").write_text(f"[{group}]\n{points}", "utf-8")
    for name, code in entries.items():
        (folder / f"{module}_{name}.py").write_text(code, "utf-8")
    return folder


@contextmanager
def registered(folder: Path) -> Iterator[tuple[plugins.Plugin, ...]]:
    """The plugins of a folder, as at the start of a process; nothing of them is left afterwards."""
    with installed(folder):
        yield plugins.load()


@contextmanager
def installed(folder: Path) -> Iterator[None]:
    """A folder whose plugins get known when somebody loads them."""
    registries = [registry for _, found in plugins.GROUPS.values() for registry in found]
    before, modules = [dict(registry) for registry in registries], set(sys.modules)
    sys.path.insert(0, str(folder))
    plugins.load.cache_clear()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        plugins.load.cache_clear()
        for registry, entries in zip(registries, before, strict=True):
            registry.clear()
            registry.update(entries)
        for name in set(sys.modules) - modules:
            if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
                del sys.modules[name]
