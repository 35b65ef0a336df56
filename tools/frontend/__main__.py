# SPDX-License-Identifier: Apache-2.0
"""Writes static/vendor again from the npm packages in package.json.

Bootstrap: the parts in bootstrap.scss, and of these the classes in use. ECharts: the charts in echarts.mjs.
Fonts: Inter for Latin letters, and the files of Noto Sans JP with the more frequent Japanese characters; a rare
character comes from the reader's own fonts.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import crispy_bootstrap5

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
VENDOR = ROOT / "static" / "vendor"
FIRST_FREQUENT = 60  # Noto Sans JP comes in 120 files of characters, the most frequent last


def main() -> None:
    with TemporaryDirectory() as folder:
        work = Path(folder)
        for file in HERE.iterdir():
            if file.is_file():
                shutil.copy(file, work)
        run(work, "npm", "ci", "--no-audit", "--no-fund", "--silent")
        packages = work / "node_modules"
        bootstrap(work, packages)
        echarts(work, packages)
        inter(packages / "@fontsource-variable" / "inter")
        noto(packages / "@fontsource-variable" / "noto-sans-jp")


def bootstrap(work: Path, packages: Path) -> None:
    target = emptied("bootstrap")
    css, options = work / "all.css", ("--quiet-deps", "--silence-deprecation=import")
    load = (f"--load-path={packages}", "--style=compressed", "--no-source-map")
    run(work, "npx", "sass", *load, *options, "bootstrap.scss", str(css))
    minimal = str(target / "bootstrap.min.css")
    run(work, "node", "purge.mjs", str(css), minimal, str(HERE / "dropped.txt"), *pages())
    shutil.copy(packages / "bootstrap" / "LICENSE", target)


def pages() -> list[str]:
    """The files in which class names stand."""
    crispy = Path(crispy_bootstrap5.__file__).parent / "templates"
    found = [*(ROOT / "templates").rglob("*.html"), *(ROOT / "pwscup").rglob("*.py")]
    found += [*(ROOT / "static" / "js").glob("*.js"), *crispy.rglob("*.html")]
    return sorted(map(str, found))


def echarts(work: Path, packages: Path) -> None:
    target = emptied("echarts")
    options = ("--bundle", "--minify", "--legal-comments=none", "--format=iife")
    run(work, "npx", "esbuild", "echarts.mjs", *options, f"--outfile={target / 'echarts.min.js'}")
    for name in ("LICENSE", "NOTICE"):
        shutil.copy(packages / "echarts" / name, target)


def inter(package: Path) -> None:
    target = emptied("inter")
    shutil.copy(package / "files" / "inter-latin-wght-normal.woff2", target)
    shutil.copy(package / "LICENSE", target)


def noto(package: Path) -> None:
    target, rules = emptied("noto-sans-jp"), []
    for name, rule in faces((package / "index.css").read_text()):
        number = re.search(r"\[(\d+)\]", name)
        if not number or int(number[1]) < FIRST_FREQUENT:
            continue
        file = f"noto-sans-jp-{number[1]}-wght-normal.woff2"
        shutil.copy(package / "files" / file, target)
        rules.append(re.sub(r"\s+", " ", rule.replace("./files/", "")))
    (target / "noto-sans-jp.css").write_text("\n".join(rules) + "\n")
    shutil.copy(package / "LICENSE", target)


def faces(css: str) -> list[tuple[str, str]]:
    """Each rule for a font with the comment before it, which names it."""
    return re.findall(r"/\* ([^*]+) \*/\s*(@font-face \{.*?\})", css, re.DOTALL)


def emptied(name: str) -> Path:
    folder = VENDOR / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def run(folder: Path, *command: str) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)  # noqa: S603 — commands above
    if done.returncode:
        sys.exit(f"{' '.join(command[:3])} failed: {done.stderr or done.stdout}")


if __name__ == "__main__":
    main()
