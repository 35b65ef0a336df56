# SPDX-License-Identifier: Apache-2.0
"""A program as scorer for tests: what it does stands in a file of its folder."""

from __future__ import annotations

import sys
from pathlib import Path

from scoring.rulesets import load_ruleset, parse_ruleset

SCORER = """
import json, sys
from pathlib import Path
inputs, outputs = map(Path, sys.argv[1:])
mine = (inputs / "res" / "anonymized.csv").read_text("utf-8-sig").splitlines()
theirs = (inputs / "ref" / "original.csv").read_text("utf-8-sig").splitlines()
rows = (inputs / "res" / "rows.csv").read_text().split()[1:]
changed = sum(line != theirs[int(row)] for line, row in zip(mine[1:], rows, strict=True))
(outputs / "scores.json").write_text(json.dumps({"changed": changed, "more": "ignored"}))
"""
"""Counts the records that differ from the row of the original which they declare."""

SECTION = """
[scoring.program]
name = "changes"

[[scoring.program.value]]
id = "changed"
title = { en = "Changed records", ja = "変更されたレコード" }
direction = "lower"
low = 0
high = 1000

[[scoring.program.message]]
id = "too-few"
text = { en = "Too few records are left.", ja = "レコードが少なすぎます。" }
"""

COMPOSITE = """
[[scoring.composite]]
id = "points"
of = "sum"
title = { en = "Kept records", ja = "元のままのレコード" }

[[scoring.composite.term]]
measure = "changed"
weight = 100

[[scoring.gate]]
measure = "points"
min = 50
"""


def program_ruleset(name: str = "pwscup2015"):
    """A ruleset of the library whose measures a program gives one more."""
    return parse_ruleset(load_ruleset(name).text + SECTION)


def composite_text() -> str:
    """Rules with points from 0 to 100, of which 50 are needed, by the value of a program."""
    return program_ruleset().text + COMPOSITE


def allow(folder: Path, code: str = SCORER, **limits: float) -> Path:
    """The file of an administrator who allows the program “changes”."""
    own = folder / "changes"
    own.mkdir(exist_ok=True)
    (own / "score.py").write_text(code, encoding="utf-8")
    command = [sys.executable, "-I", "-S", str(own / "score.py"), "{input}", "{output}"]
    further = "".join(f"{name} = {value}\n" for name, value in limits.items())
    listed = folder / "programs.toml"
    listed.write_text(f"[changes]\ncommand = {command}\nfolder = {str(own)!r}\n{further}", "utf-8")
    return listed
