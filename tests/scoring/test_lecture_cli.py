# SPDX-License-Identifier: Apache-2.0
"""A lecture contest on the command line: from the organizer's table to the marks of guesses."""

from __future__ import annotations

import json
import os
import re
import stat
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from scoring.anonymizers import ANONYMIZERS
from scoring.attacks.catalog import ATTACKS
from scoring.cli.main import main
from scoring.evaluate import score
from scoring.formats.lecture import mark_kept, split
from scoring.formats.lecture.split import KEY_SCHEMA, TeamDraw, key_of, lines_of_team
from scoring.rulesets import load_ruleset
from scoring.scores.options import Options
from scoring.tables.aligned import read_aligned, read_release
from scoring.tables.number_lists import read_candidate_guess
from scoring.tables.reading import read_table, write_table
from scoring.tables.schema import Column, Kind, Role, Schema

SCHEMA = Schema(
    (
        Column("customer", Role.IDENTIFIER, Kind.CATEGORY),
        Column("city", Role.QUASI_IDENTIFIER, Kind.CATEGORY, cross=True, values=("A", "B", "C")),
        Column("job", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        Column("age", Role.SENSITIVE, Kind.INTEGER),
        Column("balance", Role.SENSITIVE, Kind.NUMBER),
    ),
    e2_column="age",
    e4_column="balance",
)
N, SAMPLE, DECOYS = 90, 20, 15


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with T.csv and S.toml, in which the commands run."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        {
            "customer": [f"c{i}" for i in range(N)],
            "city": rng.choice(["A", "B", "C"], N),
            "job": rng.choice(["clerk", "nurse, night", "cook"], N),
            "age": rng.integers(18, 90, N),
            "balance": rng.normal(1_000, 400, N).round(2),
        }
    )
    (tmp_path / "T.csv").write_bytes(write_table(table, SCHEMA))
    (tmp_path / "S.toml").write_text(SCHEMA.to_toml(), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder, capsys):
    """Run a command; returns exit status, standard output and standard error."""

    def call(line):
        capsys.readouterr()
        status = main(line.split())
        return status, *capsys.readouterr()

    return call


SPLIT = f"lecture-split --table T.csv --schema S.toml --sample {SAMPLE} --decoys {DECOYS} --seed 4"
ORIGINAL = "--schema S.toml --original contest/team1_original.csv"
SUBMISSION = f"--ruleset pets-lecture {ORIGINAL} --anonymized Y.csv"
RELEASE = (
    f"lecture-release {ORIGINAL} --anonymized Y.csv --key contest/key.csv --team team1 --seed 2 "
    "--out R.csv --key-out K.csv"
)
ATTACKED = "--schema S.toml --candidates contest/team1_candidate.csv --table R.csv"


@pytest.fixture
def contest(run, folder):
    assert run(f"{SPLIT} --teams 2 --out contest")[0] == 0
    return folder / "contest"


@pytest.fixture
def submission(run, contest, folder):
    methods = "class-swap additive-noise record-deletion"
    assert run(f"anonymize {methods} {ORIGINAL} --seed 1 --aligned --out Y.csv")[0] == 0
    return folder / "Y.csv"


@pytest.fixture
def published(run, submission, folder):
    assert run(RELEASE)[0] == 0
    return folder / "R.csv"


def table_of(path: Path) -> pd.DataFrame:
    return read_table(path.read_bytes(), SCHEMA, file="original", original=True)


def submitted(path: Path, original: pd.DataFrame):
    return read_aligned(
        path.read_bytes(), original=original, schema=SCHEMA, original_values_only=True
    )


# Drawing


def test_a_split_writes_every_team_its_tables_and_one_key(run, folder):
    status, out, _err = run(f"{SPLIT} --teams 2 --out contest --json")
    found = json.loads(out)
    contest = folder / "contest"
    assert status == 0
    names = {f"team{i}_{kind}.csv" for i in (1, 2) for kind in ("original", "candidate")}
    assert set(found["files"]) == {*names, "key.csv"} == set(os.listdir(contest))
    assert found["teams"] == ["team1", "team2"]
    assert (found["n_records"], found["sample"], found["decoys"]) == (N, SAMPLE, DECOYS)
    assert found["key_sha256"] == sha256((contest / "key.csv").read_bytes()).hexdigest()
    assert stat.S_IMODE((contest / "key.csv").stat().st_mode) == 0o600
    whole = table_of(folder / "T.csv").drop(columns="customer")
    key = read_table((contest / "key.csv").read_bytes(), KEY_SCHEMA, file="key", original=True)
    for team in found["teams"]:
        original = table_of(contest / f"{team}_original.csv")
        candidates = table_of(contest / f"{team}_candidate.csv")
        assert list(original.columns) == ["city", "job", "age", "balance"]  # nobody's name
        assert (len(original), len(candidates)) == (SAMPLE, SAMPLE + DECOYS)
        for record, row in enumerate(key[key["team"] == team].itertuples(index=False)):
            assert row.record == record + 1
            expected = whole.iloc[row.table_row - 1].tolist()
            assert original.iloc[record].tolist() == expected
            assert candidates.iloc[row.candidate - 1].tolist() == expected


def test_the_same_seed_draws_the_same_and_another_team_changes_nothing(run, folder):
    for out, teams in (("one", 2), ("two", 2), ("three", 3)):
        assert run(f"{SPLIT} --teams {teams} --out {out}")[0] == 0
    for name in os.listdir("one"):
        assert Path("one", name).read_bytes() == Path("two", name).read_bytes()
    for name in ("team2_original.csv", "team2_candidate.csv"):
        assert Path("one", name).read_bytes() == Path("three", name).read_bytes()
    assert run(f"{SPLIT} --teams 2 --out one")[0] == 2  # never over what is there


def test_teams_draw_on_their_own():
    first, second = split(N, 2, SAMPLE, DECOYS, seed=1)
    assert first.own.tolist() != second.own.tolist()
    assert first.candidates.tolist() != second.candidates.tolist()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--teams 0", "teams: expected 1 to 1000, got 0"),
        ("--teams 2 --sample 80", "expected at most the table's 90 records, got 95"),
        ("--teams 2 --sample 0", "expected a sample of 1 or more"),
        ("--teams 2 --decoys -1", "0 decoys or more, got 20 and -1"),
        ("--teams 2 --table Z.csv", "cannot read Z.csv"),
    ],
)
def test_a_split_that_cannot_be_is_refused(run, folder, options, words):
    status, out, err = run(f"{SPLIT} {options} --out contest")
    assert (status, out) == (2, "")
    assert words in err
    assert sorted(os.listdir(folder)) == ["S.toml", "T.csv"]


# Anonymizing, validating, scoring


@pytest.mark.parametrize("method", sorted(ANONYMIZERS))
def test_every_anonymizer_makes_a_valid_aligned_table(run, contest, method):
    options = " --set columns=job" if method == "pseudonymize" else ""
    line = f"anonymize {method}{options} {ORIGINAL} --seed 1 --aligned --out Y.csv"
    status, _out, err = run(line)
    assert status == 0, err
    assert len(Path("Y.csv").read_text().splitlines()) == SAMPLE + 1
    text = load_ruleset("pets-lecture").text  # whose gate refuses tables of records as they were
    Path("R.toml").write_text(re.sub(r"\[\[scoring\.gate\]\]\n[^\[]+", "", text), encoding="utf-8")
    assert run(f"validate {SUBMISSION} --ruleset R.toml")[0] == 0


def test_the_scores_are_those_of_the_library(run, submission, contest):
    original = table_of(contest / "team1_original.csv")
    table, source = submitted(submission, original)
    assert len(table) == SAMPLE - 2
    ruleset = load_ruleset("pets-lecture")
    measures = [*map(ruleset.measure, ruleset.measures)]
    options = Options(seed=1)  # which the command prints
    expected = score(original, table, source, SCHEMA, options=options, measures=measures)
    assert 0 < expected["LOSS"] < 1
    status, out, _err = run(f"score {SUBMISSION} --json")
    values = json.loads(out)
    assert (status, values.pop("seed")) == (0, 1)
    assert values.pop("utility") == pytest.approx(100 * (1 - expected["LOSS"]))
    assert values == expected
    assert f"utility {100 * (1 - expected['LOSS']):.2f}" in run(f"score {SUBMISSION}")[1]


def test_the_note_s_example_scores_58_33(run, folder):
    schema = Schema(
        (
            Column("age", Role.SENSITIVE, Kind.INTEGER),
            Column("city", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        )
    )
    Path("S.toml").write_text(schema.to_toml(), encoding="utf-8")
    Path("X.csv").write_text("age,city\n20,A\n30,A\n40,B\n50,B\n", encoding="utf-8")
    Path("Y.csv").write_text("age,city\n20,A\n40,A\n40,A\n,\n", encoding="utf-8")
    files = "--schema S.toml --original X.csv --anonymized Y.csv"
    status, out, _err = run(f"score --ruleset pets-lecture {files}")
    assert status == 0
    assert "3 anonymized records of 4" in out
    assert out.endswith("utility 58.33 = 100 · (1 − LOSS)\n")
    Path("K.csv").write_text("3\n0\n1\n2\n", encoding="utf-8")
    Path("G.csv").write_text("3\n4\n1\n9\n", encoding="utf-8")
    status, out, _err = run("mark --key K.csv --guess G.csv --json")
    assert (status, json.loads(out)) == (0, {"n_records": 3, "hits": 2, "rate": 0.666666667})


def test_all_problems_of_an_aligned_table_are_listed(run, submission):
    lines = submission.read_text().splitlines()
    lines[1] = "D,clerk,,1"
    submission.write_text("\n".join(lines[:-1]) + "\n")
    status, out, _err = run(f"validate {SUBMISSION} --json")
    found = {problem["code"] for problem in json.loads(out)["problems"]}
    assert status == 1
    assert found == {
        "aligned.count",
        "aligned.partly_empty",
        "aligned.not_in_original",
        "cell.not_in_values",
    }


def test_the_ruleset_decides_what_a_table_may_be(run, submission, folder):
    text = load_ruleset("pets-lecture").text
    strict = text.replace("blank_records = true", "blank_records = false").replace(
        'marking = "kept_records"', 'marking = "all_records"'
    )
    (folder / "strict.toml").write_text(strict, encoding="utf-8")
    status, out, _err = run(f"validate {SUBMISSION} --json".replace("pets-lecture", "strict.toml"))
    codes = {problem["code"] for problem in json.loads(out)["problems"]}
    assert (status, codes) == (1, {"record.empty_line"})
    assert run(f"validate {SUBMISSION}".replace("pets-lecture", "pwscup2015"))[0] == 1


def test_a_ruleset_may_allow_only_values_of_the_original_with_row_numbers(run, contest, folder):
    text = load_ruleset("pwscup2015").text + '\n[validity]\nvalues = "original"\n'
    (folder / "kept.toml").write_text(text, encoding="utf-8")
    files = f"{ORIGINAL} --anonymized Y.csv --rows R.csv"
    assert run(f"anonymize additive-noise {ORIGINAL} --seed 1 --out Y.csv --rows R.csv")[0] == 0
    assert run(f"validate --ruleset pwscup2015 {files}")[0] == 0
    status, out, _err = run(f"validate --ruleset kept.toml {files} --json")
    codes = {problem["code"] for problem in json.loads(out)["problems"]}
    assert (status, codes) == (1, {"aligned.not_in_original"})
    line = f"anonymize additive-noise back-mapping {ORIGINAL} --seed 1 --out Y.csv --rows R.csv"
    assert run(line)[0] == 0
    assert run(f"validate --ruleset kept.toml {files}")[0] == 0


# Releasing, attacking, marking


def test_a_release_has_all_lines_and_its_key_leads_to_the_candidates(run, published, contest):
    original = table_of(contest / "team1_original.csv")
    candidates = table_of(contest / "team1_candidate.csv")
    table, source = submitted(Path("Y.csv"), original)
    records, lines, n_lines = read_release(published.read_bytes(), schema=SCHEMA)
    assert (len(records), n_lines) == (SAMPLE - 2, SAMPLE)
    key = read_candidate_guess(
        Path("K.csv").read_bytes(), n_candidates=SAMPLE + DECOYS, n_lines=SAMPLE
    )
    assert np.flatnonzero(key >= 0).tolist() == lines.tolist()
    made_of = dict(zip(source.tolist(), table.to_frame().to_numpy().tolist(), strict=True))
    by_values = {tuple(original.iloc[row].tolist()): cells for row, cells in made_of.items()}
    for line, cells in zip(lines.tolist(), records.to_frame().to_numpy().tolist(), strict=True):
        assert by_values[tuple(candidates.iloc[key[line]].tolist())] == cells


@pytest.mark.parametrize("method", ATTACKS)
def test_every_attack_finds_candidates_as_the_library_does(run, published, contest, method):
    status, out, _err = run(f"attack {method} {ATTACKED} --seed 3 --out G.csv --json")
    assert status == 0
    candidates = table_of(contest / "team1_candidate.csv")
    records, lines, n_lines = read_release(published.read_bytes(), schema=SCHEMA)
    rng = np.random.default_rng(3)
    expected = np.full(n_lines, -1)
    expected[lines] = ATTACKS[method](candidates, records.to_frame(), SCHEMA, rng=rng)
    guess = read_candidate_guess(
        Path("G.csv").read_bytes(), n_candidates=SAMPLE + DECOYS, n_lines=n_lines
    )
    assert guess.tolist() == expected.tolist()
    assert not Path("G.csv").read_text().startswith("row")
    assert json.loads(out)["n_records"] == SAMPLE
    files = "--key K.csv --guess G.csv --candidates contest/team1_candidate.csv"
    status, out, _err = run(f"mark {files} --json")
    key = read_candidate_guess(
        Path("K.csv").read_bytes(), n_candidates=SAMPLE + DECOYS, n_lines=n_lines
    )
    marked = mark_kept(key, guess)
    assert (status, json.loads(out)) == (
        0,
        {"n_records": marked.n_records, "hits": marked.hits, "rate": marked.rate},
    )


def test_an_unchanged_table_is_found_whole(run, contest):
    Path("Y.csv").write_bytes((contest / "team1_original.csv").read_bytes())
    assert run(RELEASE)[0] == 0
    assert run(f"attack one-candidate {ATTACKED} --out G.csv")[0] == 0
    assert json.loads(run("mark --key K.csv --guess G.csv --json")[1])["rate"] == 1


def test_candidates_are_listed_for_every_line(run, published):
    assert run(f"attack nearest-candidates {ATTACKED} --set n=3 --out C.csv")[0] == 0
    found = pd.read_csv("C.csv").to_numpy()
    _records, lines, _n_lines = read_release(published.read_bytes(), schema=SCHEMA)
    is_kept = np.isin(np.arange(SAMPLE), lines)
    assert found.shape == (SAMPLE, 3)
    assert (found[is_kept] >= 1).all()
    assert (found[~is_kept] == 0).all()


def test_guesses_beyond_the_candidates_are_refused(run, published):
    Path("G.csv").write_text("36\n" * SAMPLE)
    line = "mark --key K.csv --guess G.csv --json"
    assert run(line)[0] == 0
    status, out, _err = run(f"{line} --candidates contest/team1_candidate.csv")
    assert (status, json.loads(out)["problems"][0]["code"]) == (1, "candidate.too_large")


def test_a_key_without_a_record_is_refused(run, folder):
    Path("K.csv").write_text("0\n0\n")
    Path("G.csv").write_text("1\n1\n")
    status, out, _err = run("mark --key K.csv --guess G.csv --json")
    assert (status, json.loads(out)["problems"][0]["code"]) == (1, "aligned.all_deleted")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (f"{RELEASE} --ruleset pwscup2015", "--ruleset: expected one with aligned tables"),
        (f"score {SUBMISSION} --rows K.csv", "--rows: an aligned table of pets-lecture needs no"),
        (
            f"anonymize mondrian {ORIGINAL} --seed 1 --aligned --rows K.csv --out Z.csv",
            "--rows: an",
        ),
        (f"anonymize mondrian {ORIGINAL} --seed 1 --out Z.csv", "--rows is needed"),
        (f"attack E1 {ORIGINAL} --table Y.csv --out G.csv", "belong together"),
        (f"attack membership {ATTACKED} --control T.csv", "expected an attack that guesses"),
        ("attack E1 --candidates T.csv --original T.csv --table T.csv", "not allowed with"),
        ("attack E1 --table T.csv --out G.csv", "--original --candidates is required"),
        ("mark --guess G.csv", "--rows --key is required"),
        ("mark --rows K.csv --guess G.csv --candidates T.csv", "--candidates: row numbers name"),
        ("mark --key K.csv --guess G.csv --original T.csv", "--original: a key names"),
        (f"attack E1 {ATTACKED} --out R.csv", "--table reads it"),
    ],
)
def test_wrong_use(run, submission, line, words):
    before = sorted(os.listdir())
    status, out, err = run(line)
    assert (status, out) == (2, "")
    assert words in err
    assert sorted(os.listdir()) == before


# Keys


KEY = key_of([TeamDraw("team1", np.array([7, 2]), np.array([5, 2, 7]))])


def test_a_key_leads_from_records_to_candidates_in_any_order():
    for order in ([0, 1], [1, 0]):
        assert lines_of_team(KEY.iloc[order], "team1", 2).tolist() == [2, 1]


@pytest.mark.parametrize(
    ("key", "team", "n_original", "code"),
    [
        (KEY, "team2", 2, "lecture_key.unknown_team"),
        (KEY, "team1", 3, "lecture_key.records"),
        (KEY.assign(record=1), "team1", 2, "lecture_key.records"),
        (KEY.assign(candidate=1), "team1", 2, "lecture_key.repeated_candidate"),
    ],
)
def test_a_key_that_does_not_fit_is_refused(key, team, n_original, code):
    with pytest.raises(ValueError, match="key — ") as caught:
        lines_of_team(key, team, n_original)
    assert [problem.code for problem in caught.value.problems] == [code]
