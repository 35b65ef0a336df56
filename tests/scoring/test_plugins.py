"""Plugins: the template is built, installed and used; a broken one is named and harms nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEMPLATE = ROOT / "docs" / "examples" / "plugin"
BROKEN = {
    "collides": "from scoring.registry import MEASURES\nENTRY = MEASURES['U1']",
    "raises": "raise SystemExit('no licence')",
    "other": "ENTRY = 3",
    "untitled": "from dataclasses import replace\nfrom scoring.registry import MEASURES\n"
    "ENTRY = replace(MEASURES['U1'], id='own', title=' ')",
    "nowhere": "from dataclasses import replace\nfrom scoring.registry import MEASURES\n"
    "ENTRY = replace(MEASURES['U1'], id='own', address='nowhere:f')",
}
PROGRAM = f"""
import json, sys
sys.path[:0] = [{str(ROOT)!r}, sys.argv[1]]
from scoring import plugins
from scoring.evaluate import score
from scoring.examples import SCHEMA, table
from scoring.rulesets import load_ruleset, parse_ruleset
found = [(p.group, p.id, p.package, p.version, p.fault) for p in plugins.load()]
values, named = {{}}, []
if not any(p.fault for p in plugins.load()):
    text = load_ruleset("pwscup2015").text.replace('"U6",', '"U6", "untouched-records",')
    chosen = [parse_ruleset(text).measure("untouched-records")]
    values = score(table("original"), table("unified"), [0, 1, 2, 3], SCHEMA, measures=chosen)
    named = [p.version for p in plugins.used(["U1", "untouched-records"])]
print(json.dumps([found, values, named]))
"""


def loaded(folder):
    done = subprocess.run(
        [sys.executable, "-I", "-c", PROGRAM, str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def installed(tmp_path):
    """The template, built from a copy and installed into a folder."""
    import shutil

    source, target = tmp_path / "source", tmp_path / "installed"
    shutil.copytree(TEMPLATE, source)
    uv = Path(sys.executable).with_name("uv")
    options = ["--offline", "--no-deps", "--quiet", "--python", sys.executable]
    subprocess.run(
        [str(uv), "pip", "install", *options, "--target", str(target), str(source)], check=True
    )
    return target


def test_the_template_is_a_measure_that_rulesets_may_name(installed):
    """Half of the records of the documentation's unified table keep their quasi-identifiers."""
    found, values, named = loaded(installed)
    assert found == [["pwscup.measures", "untouched-records", "pwscup-example", "0.1.0", ""]]
    assert values == {"n_original": 4, "n_anonymized": 4, "untouched-records": 0.5}
    assert named == ["0.1.0"]


def test_a_broken_plugin_is_named_and_left_out(tmp_path):
    info = tmp_path / "broken-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n", "utf-8")
    points = "".join(f"{name} = broken_{name}:ENTRY\n" for name in (*BROKEN, "missing"))
    (info / "entry_points.txt").write_text(f"[pwscup.measures]\n{points}", "utf-8")
    for name, code in BROKEN.items():
        (tmp_path / f"broken_{name}.py").write_text(code, "utf-8")
    found, _, _ = loaded(tmp_path)
    assert {package for _, _, package, _, _ in found} == {"broken"}
    assert {id_: fault for _, id_, _, _, fault in found} == {
        "collides": "there is a Measure U1 already",
        "raises": "SystemExit: no licence",
        "other": "expected a Measure, got int",
        "untitled": "own has no title",
        "nowhere": "ModuleNotFoundError: No module named 'nowhere'",
        "missing": "ModuleNotFoundError: No module named 'broken_missing'",
    }
