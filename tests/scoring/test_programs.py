# SPDX-License-Identifier: Apache-2.0
"""Programs as scorers: the contract of `input/res`, `input/ref` and `scores.json`, and every way to break it."""

from __future__ import annotations

import json
import tomllib

import pytest

from scoring import examples
from scoring.cli.main import main
from scoring.errors import ProblemsFound
from scoring.evaluate import score
from scoring.rulesets import load_ruleset, parse_ruleset
from scoring.rulesets.gates import outside
from scoring.sandbox import programs
from scoring.sandbox.programs import ProgramError, read_programs, scored
from tests import factories
from tests.programs import SECTION, allow, composite_text, program_ruleset
from tests.scoring.rulesets import problems_of, values_of

FILES = {
    "submitted": {"anonymized.csv": b"a\n1\n2\n", "rows.csv": b"row\n2\n1\n"},
    "reference": {"original.csv": b"a\n1\n1\n"},
}
MESSAGES = {"too-few": {"en": "Too few.", "ja": "不足です。"}}
SECRET = "3141592653"


def played(tmp_path, code=None, **limits):
    listed = allow(tmp_path, *(() if code is None else (code,)), **limits)
    program = read_programs(listed.read_text(encoding="utf-8"))["changes"]
    return scored(program, [("changed", 0, 9)], MESSAGES, **FILES)


def writes(name, text, then=""):
    return f"import sys\nopen(sys.argv[2] + '/{name}', 'w').write({text!r})\n{then}"


def test_a_program_compares_a_submission_with_its_reference(tmp_path):
    assert played(tmp_path) == {"changed": 1}


def test_a_program_rejects_by_a_message_of_the_ruleset(tmp_path):
    with pytest.raises(ProblemsFound) as found:
        played(tmp_path, writes("rejected.json", '{"message": "too-few"}', "sys.exit(1)"))
    (problem,) = found.value.problems
    assert (problem.code, problem.params["got"], problem.params["got_ja"]) == (
        "program.rejected",
        "Too few.",
        "不足です。",
    )


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (f"print({SECRET!r}); raise SystemExit(3)", "exit status 3"),
        (f"raise ValueError({SECRET!r})", "exit status 1"),
        ("pass", "wrote no scores.json"),
        (writes("scores.json", SECRET), "is no JSON object"),
        (writes("scores.json", "[" * 100_000), "is no JSON object"),
        (writes("scores.json", '{"changed": "1"}'), "has no number changed"),
        (writes("scores.json", '{"changed": NaN}'), "has no number changed"),
        (writes("scores.json", '{"changed": -Infinity}'), "has no number changed"),
        (writes("scores.json", f'{{"changed": 1{"0" * 400}}}'), "has no number changed"),
        (writes("scores.json", "\x00"), "is no JSON object"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGABRT)", "signal 6"),
        (writes("scores.json", '{"changed": true}'), "has no number changed"),
        (writes("scores.json", f'{{"changed": {SECRET}}}'), "is not from 0 to 9"),
        (writes("rejected.json", f'{{"message": "{SECRET}"}}'), "names no message"),
        (writes("rejected.json", '{"message": ["too-few"]}'), "names no message"),
        ("while True: pass", "limit of time"),
        ("import time; time.sleep(60)", "limit of time"),
        ("while True: print('x' * 100_000)", "limit of output"),
        ("n = 0\nwhile n := n + 1: open(f'tmp/{n}', 'wb').write(bytes(2**20))", "limit of output"),
        ("import os\nwhile True:\n try: os.fork()\n except OSError: pass", "limit of processes"),
    ],
)
def test_what_a_program_does_wrong_is_its_failure_and_shows_no_value(tmp_path, code, expected):
    with pytest.raises(ProgramError, match=expected) as found:
        played(tmp_path, code, seconds=1 if expected.endswith("time") else 20)
    assert SECRET not in str(found.value)


def test_the_digest_covers_command_and_files(tmp_path):
    def digest(code="pass", **limits):
        listed = allow(tmp_path, code, **limits).read_text(encoding="utf-8")
        return read_programs(listed)["changes"].digest

    first = digest()
    assert digest(seconds=3) == first
    assert digest("pass ") != first
    (tmp_path / "changes" / "data.csv").write_text("1", encoding="utf-8")
    assert digest() != first
    listed = allow(tmp_path, "pass").read_text(encoding="utf-8")
    assert read_programs(listed.replace("{output}", "{output}/x"))["changes"].digest != digest()


def test_a_folder_with_too_much_for_a_digest_is_refused(tmp_path, monkeypatch):
    program = read_programs(allow(tmp_path).read_text(encoding="utf-8"))["changes"]
    monkeypatch.setattr(programs, "MOST_FILES", 0)
    with pytest.raises(ProgramError, match="keep libraries elsewhere"):
        program.digest  # noqa: B018
    (program.folder / "score.py").unlink()
    with pytest.raises(ProgramError, match="holds no file"):
        program.digest  # noqa: B018


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("[a", ["toml.syntax"]),
        ("a = 1", ["toml.wrong_type"]),
        ("[a]", ["toml.wrong_value"] * 2),
        ('[a]\ncommand = ["x"]\nfolder = "/x"', ["toml.wrong_value"]),
        ('[a]\ncommand = ["/x"]\nfolder = "x"', ["toml.wrong_value"]),
        ('[a]\ncommand = ["/x"]\nfolder = "/x"\nreadable = ["x"]', ["toml.wrong_value"]),
        ('[a]\ncommand = ["/x"]\nfolder = "/x"\nseconds = 0', ["toml.wrong_value"]),
        ('[a]\ncommand = ["/x"]\nfolder = "/x"\nmemory_mb = true', ["toml.wrong_value"]),
        ('[a]\ncommand = ["/x"]\nfolder = "/x"\nshell = true', ["toml.unknown_key"]),
    ],
)
def test_a_malformed_list_of_programs_is_a_problem(text, codes):
    with pytest.raises(ProblemsFound) as found:
        read_programs(text)
    assert [problem.code for problem in found.value.problems] == codes


def test_the_values_of_a_program_are_measures_of_its_ruleset():
    ruleset = program_ruleset()
    measure = ruleset.measure("changed")
    assert ruleset.measures == (*load_ruleset("pwscup2015").measures, "changed")
    assert (measure.direction, measure.low, measure.high) == ("lower", 0, 1000)
    assert measure.texts["title"]["ja"] == "変更されたレコード"
    assert ruleset.program.messages["too-few"]["en"] == "Too few records are left."
    with pytest.raises(ValueError, match="a program gives this value"):
        measure.function(None, None)


@pytest.mark.parametrize(
    ("before", "after", "key"),
    [
        ('id = "changed"', 'id = "U1"', "scoring.program.value[1].id"),
        ("high = 1000", "high = 0", "scoring.program.value[1].high"),
        ("low = 0\n", "", "scoring.program.value[1].low"),
        ('direction = "lower"', 'direction = "best"', "scoring.program.value[1].direction"),
        ('name = "changes"', 'name = "/bin/sh"', "scoring.program.name"),
        ("ja = \"レコードが少なすぎます。\"", "fr = \"x\"", "scoring.program.message[1].text.ja"),
    ],
)  # fmt: skip
def test_a_section_with_mistakes_names_its_keys(before, after, key):
    assert before in SECTION
    text = load_ruleset("pwscup2015").text + SECTION.replace(before, after)
    with pytest.raises(ProblemsFound) as found:
        parse_ruleset(text)
    assert key in {problem.params["key"] for problem in found.value.problems}


@pytest.mark.parametrize(
    ("name", "tables"), [("sequential-release", "series"), ("dp-disclosure", "hidden")]
)
def test_formats_without_an_anonymized_table_have_no_program(name, tables):
    with pytest.raises(ProblemsFound, match=f"programs score .* and data.tables is {tables}"):
        program_ruleset(name)


def test_several_tables_of_a_submission_have_no_program():
    with pytest.raises(ProblemsFound, match=r"no program, as data\.part lists several tables"):
        program_ruleset("linkage-2024")


@pytest.mark.parametrize("name", ["pets-lecture", "synthetic-cohort", "reidentification-2021"])
def test_formats_of_one_table_may_have_a_program(name):
    assert "changed" in program_ruleset(name).measures


def test_a_round_has_no_program_of_its_own():
    text = program_ruleset().text
    with pytest.raises(ProblemsFound, match=r"under \[scoring.program\] scores tables"):
        parse_ruleset(text.replace('kind = "attack"', 'kind = "attack"\nprogram = "changes"'))


def test_a_composite_may_be_made_of_a_program_s_values(tmp_path):
    ruleset = parse_ruleset(composite_text())
    assert ruleset.measures[-2:] == ("changed", "points")
    assert ruleset.computed == load_ruleset("pwscup2015").measures
    assert ruleset.measure("points").is_from_program
    tables = examples.table("original"), examples.table("noise"), [0, 1, 2, 3]
    measures = list(map(ruleset.measure, ("points", "S1")))
    given = {"changed": 250.0}
    values = score(*tables, examples.SCHEMA, measures=measures, given=given)
    assert values["points"] == 75
    assert outside(ruleset, {"S1": 2}) == []  # at home, without the program
    (problem,) = outside(ruleset, {"points": 40.0})
    assert problem.params["measure"] == "Kept records (points)"
    with pytest.raises(ValueError, match="a program gives this value"):
        score(*tables, examples.SCHEMA, measures=measures)


def test_a_value_of_a_program_has_an_id_of_its_own():
    values = values_of("pwscup2015")
    values["scoring"] |= tomllib.loads(SECTION)["scoring"]
    del values["scoring"]["measures"]
    values["scoring"]["measure"] = [{"id": "changed", "measure": "histograms"}]
    assert ("toml.wrong_value", "scoring.program", "changed") in problems_of(values)


def test_at_home_the_command_score_runs_the_program(tmp_path, capsys):
    for name, data in (("X.csv", factories.ORIGINAL), ("Y.csv", factories.NOISY)):
        (tmp_path / name).write_bytes(data)
    (tmp_path / "R.csv").write_bytes(factories.ROWS)
    (tmp_path / "S.toml").write_text(factories.SCHEMA, encoding="utf-8")
    (tmp_path / "rules.toml").write_text(program_ruleset().text, encoding="utf-8")
    names = {"schema": "S.toml", "original": "X.csv", "anonymized": "Y.csv", "rows": "R.csv"}
    files = [part for key, name in names.items() for part in (f"--{key}", str(tmp_path / name))]
    command = ["score", "--json", "--ruleset", str(tmp_path / "rules.toml"), *files]
    assert main(command) == 0
    assert "changed" not in json.loads(capsys.readouterr().out)
    assert main([*command, "--programs", str(allow(tmp_path))]) == 0
    assert json.loads(capsys.readouterr().out)["changed"] == 4
    assert main([*command, "--programs", str(allow(tmp_path, "raise SystemExit(3)"))]) == 2
    assert "exit status 3" in capsys.readouterr().err
    (tmp_path / "rules.toml").write_text(composite_text(), encoding="utf-8")
    assert main(command) == 0
    assert "points" not in json.loads(capsys.readouterr().out)
    assert main([*command, "--programs", str(allow(tmp_path))]) == 0
    assert json.loads(capsys.readouterr().out)["points"] == 99.6
