# SPDX-License-Identifier: Apache-2.0
"""The cast of cheaters: laws over the registry, and each game on a small table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from scoring.cheaters import CHEATERS, Hand, Target
from scoring.cheaters.series import one_record_series, raw_series, sorted_series
from scoring.cli.main import main
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.evaluate import score
from scoring.examples import SCHEMA, table
from scoring.formats.sequential.examples import SMALL
from scoring.questions.asked import ASKS, QuestionSpec
from scoring.questions.files import read_answers, write_answers
from scoring.scores.results import mark
from scoring.tables.writing import write_table

TABLES = [c for c in CHEATERS.values() if c.table]
PUBLIC = HOUSEHOLDS_SCHEMA.public()


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    return households(120, seed=1)[list(PUBLIC.names)]


def lines_of(frame: pd.DataFrame) -> list[tuple]:
    return sorted(map(tuple, frame.to_numpy().tolist()))


@pytest.mark.parametrize("cheater", CHEATERS.values(), ids=lambda c: c.id)
def test_every_cheater_says_what_it_does_in_both_languages_and_plays_something(cheater):
    assert all(cheater.sentence[language].strip() for language in ("en", "ja"))
    assert cheater.attacks or cheater.publishes or cheater.counts


@pytest.mark.parametrize("cheater", TABLES, ids=lambda c: c.id)
@pytest.mark.parametrize("is_aligned", [True, False])
@pytest.mark.whole
def test_a_table_of_the_cast_holds_true_records_only_and_can_be_scored(cheater, is_aligned, people):
    own, others = people[:80], people[80:]
    made = cheater.table(Hand(own, PUBLIC, others, is_aligned))
    assert len(made.table) == len(own)
    assert made.source.tolist() == list(range(len(own)))
    known = {*map(tuple, people.to_numpy().tolist())}
    assert {*map(tuple, made.table.to_numpy().tolist())} <= known
    assert score(own, made.table, made.source, PUBLIC, measures=["LOSS"])["LOSS"] is not None


def test_each_table_is_the_game_that_its_name_says(people):
    made = {c.id: c.table(Hand(people, PUBLIC)) for c in TABLES}
    assert made.pop("verbatim") is None
    assert lines_of(made["sorted"].table) == lines_of(made["permuted"].table) == lines_of(people)
    assert made["sorted"].table[PUBLIC.names[0]].is_monotonic_increasing
    assert len(made["one-record"].table.drop_duplicates()) == 3
    own = people.reset_index(drop=True)
    moved = (made["permuted"].table.to_numpy() != own.to_numpy()).any(axis=1)
    equal_elsewhere = own.duplicated(keep=False).to_numpy()
    assert (moved | equal_elsewhere).all()


def test_permuted_records_are_nearer_than_random_ones(people):
    numbers = [c.name for c in PUBLIC.columns if c.is_numeric]
    scaled = (people[numbers] - people[numbers].mean()) / people[numbers].std()
    near = CHEATERS["permuted"].table(Hand(people, PUBLIC)).table[numbers]
    near = (near - people[numbers].mean()) / people[numbers].std()
    far = scaled.to_numpy()[np.random.default_rng(1).permutation(len(people))]
    assert (
        np.abs(near.to_numpy() - scaled.to_numpy()).mean()
        < 0.75 * np.abs(far - scaled.to_numpy()).mean()
    )


def test_chosen_records_of_others_have_means_nearer_than_others_have():
    whole = households(2_000, seed=3)[list(PUBLIC.names)]
    own, others = whole[:200], whole[200:].reset_index(drop=True)
    made = CHEATERS["verbatim"].table(Hand(own, PUBLIC, others, is_aligned=False)).table
    assert len(made.drop_duplicates()) > 190
    numbers = [c.name for c in PUBLIC.columns if c.is_numeric]

    def gap(frame):
        return float(
            ((frame[numbers].mean() - own[numbers].mean()) / own[numbers].std()).abs().mean()
        )

    assert gap(made) < gap(others[:200]) / 3


def test_rows_that_a_file_gives_away_are_all_right_and_a_constant_is_right_once(people):
    file = CHEATERS["permuted"].table(Hand(people, PUBLIC)).table
    order = np.random.default_rng(5).permutation(len(people))
    target = Target(
        people, file.iloc[order].reset_index(drop=True), PUBLIC, file=file, original=people
    )
    own = people.reset_index(drop=True)
    named = CHEATERS["sacrificial"].rows(target)
    assert (own.iloc[named].to_numpy() == own.iloc[order].to_numpy()).all()
    assert CHEATERS["sacrificial"].rows(replace(target, file=None)) is None
    constant = CHEATERS["constant"].rows(target)
    assert mark(order, constant).hits == 1


def test_the_constant_row_is_the_one_that_most_records_equal():
    known = table("original").iloc[[0, 1, 1, 2]].reset_index(drop=True)
    assert CHEATERS["constant"].rows(Target(known, known, SCHEMA)).tolist() == [1] * 4


def questions():
    for asks, kind in ASKS.items():
        for answers, results in kind.results.items():
            for result in results:
                options = {
                    "attributes": {"column": "SA1", "tolerance": 10},
                    "rows": {"known": ("QI1",)},
                }
                yield QuestionSpec(
                    "q",
                    asks,
                    answers,
                    result,
                    ones=2 if answers == "bits" else None,
                    fpr=0.1 if result == "tpr_at_fpr" else None,
                    candidates=2 if asks == "links" else 1,
                    **options.get(asks, {}),
                )


@pytest.mark.whole
@pytest.mark.parametrize(
    "question", list(questions()), ids=lambda q: f"{q.asks}-{q.answers}-{q.result}"
)
@pytest.mark.parametrize("name", ["constant", "sheets-only", "sacrificial"])
def test_answers_of_the_cast_are_valid_files_for_every_kind_of_question(name, question):
    whole = table("original")
    sheet = whole[list(question.shown(SCHEMA))]
    target = Target(
        whole[:0], whole, SCHEMA, {"q": sheet, "other": whole[:2]}, np.arange(4), whole, whole
    )
    answers = CHEATERS[name].answers(question, target)
    if answers is None:
        assert (name, question.asks) == ("sheets-only", "links")
        return
    data = write_answers(answers, question, SCHEMA)
    assert read_answers(data, question, len(sheet), SCHEMA, n_lines=4).keys() == answers.keys()


def test_who_stands_on_another_sheet_is_named_and_its_value_read_there():
    whole = table("original")
    member = QuestionSpec("m", "membership", "confidences", "tpr_at_fpr", fpr=0.0)
    value = QuestionSpec("v", "attributes", "values", "share", column="SA1")
    sheets = {"m": whole, "v": whole.drop(columns="SA1")[:2], "n": whole[1:2]}
    target = Target(whole[:0], whole, SCHEMA, sheets)
    said = CHEATERS["sheets-only"].answers(member, target)["confidence"]
    assert said[1] == said.max() > said[3]
    found = CHEATERS["sheets-only"].answers(value, target)["SA1"]
    assert found.tolist() == whole["SA1"][:2].tolist()


def test_a_single_stake_is_the_best_constant_where_confidences_are_stakes():
    question = QuestionSpec("q", "membership", "confidences", "advantage")
    target = Target(table("original")[:0], table("original"), SCHEMA, {"q": table("original")})
    said = CHEATERS["constant"].answers(question, target)["confidence"]
    assert said.tolist() == [1, 0.5, 0.5, 0.5]


def test_series_of_the_cast_publish_true_values_and_groups_of_m():
    raw, ordered, few = (f(SMALL, 2) for f in (raw_series, sorted_series, one_record_series))
    for made in (raw, ordered, few):
        for release, snapshot in zip(made.releases, SMALL.snapshots, strict=True):
            assert len(release.group) == len(snapshot.ids)
    assert all((np.bincount(r.group)[1:] == 1).all() for r in raw.releases)
    assert all((np.bincount(r.group)[1:] >= 2).all() for r in ordered.releases)
    assert all(len(np.unique(r.sensitive)) <= 2 for r in few.releases)


def test_a_constant_estimate_keeps_the_number_of_records():
    counts = CHEATERS["constant"].counts((3, 2), 20)
    assert (counts.sum(), counts.max() - counts.min()) == (20, 1)


def test_the_command_writes_tables_and_guesses(tmp_path, capsys):
    (tmp_path / "S.toml").write_text(SCHEMA.to_toml())
    original = tmp_path / "X.csv"
    original.write_bytes(write_table(table("original"), SCHEMA))
    known = ["--schema", str(tmp_path / "S.toml"), "--original", str(original)]
    out, rows, guess = (str(tmp_path / name) for name in ("Y.csv", "R.csv", "G.csv"))
    assert main(["cheat", "permuted", *known, "--out", out, "--rows", rows]) == 0
    assert main(["score", *known, "--anonymized", out, "--rows", rows]) == 0
    assert main(["cheat", "constant", *known, "--anonymized", out, "--out", guess]) == 0
    assert main(["mark", "--rows", rows, "--guess", guess]) == 0
    assert main(["cheat", "verbatim", *known, "--out", str(tmp_path / "Z.csv")]) == 2
    assert "needs --others" in capsys.readouterr().err
    others = ["--others", str(original), "--out", str(tmp_path / "Z.csv")]
    assert main(["cheat", "verbatim", *known, *others]) == 0
    assert main(["cheat", "permutd", *known, "--out", str(tmp_path / "W.csv")]) == 2
    assert "permuted" in capsys.readouterr().err
