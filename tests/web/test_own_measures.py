# SPDX-License-Identifier: Apache-2.0
"""A contest's own measures, from the rules to boards: analyses, a submitted model, a composite, a gate."""

from __future__ import annotations

import csv
import io
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils.translation import override

from pwscup.contests import truth
from pwscup.contests.selectors import dataset_of
from pwscup.contests.teams import tables
from pwscup.core.files import storage
from pwscup.core.texts.problems import parts
from pwscup.formats.cohort.trials import of_table
from pwscup.formats.trying import Attempt, Step
from pwscup.submissions import draws, selectors
from pwscup.submissions.models import Submission
from scoring.datasets.households import HOUSEHOLDS_SCHEMA
from scoring.errors import Problem, ProblemsFound
from scoring.evaluate import Prepared, score
from scoring.rulesets import load_ruleset, parse_ruleset
from scoring.rulesets.gates import outside
from scoring.sandbox.models import trained
from scoring.tables.reading import read_table
from scoring.tables.synthetic import read_synthetic
from tests import factories
from tests.web import pipeline, questions
from tests.web.api import Program

pytestmark = pytest.mark.usefixtures("sent")
SCHEMA = HOUSEHOLDS_SCHEMA.public()
BUILT_IN = ("marginals", "pairs", "U4", "pmse", "nearest-link", "population-uniques")
MODEL_FILE = """
[[round.file]]
key = "model"
kind = "model"
required = true
title.en = "Model (JSON)"
title.ja = "予測モデル（JSON）"
"""
MEASURES = """
[[scoring.measure]]
id = "marginals"
direction = "lower"

[[scoring.measure]]
id = "shares"
measure = "histograms"
columns = ["region"]
title.en = "Shares of the regions"
title.ja = "地域の割合"

[[scoring.measure]]
id = "wrong"
measure = "model-file"
target = "region"
positive = "metropolitan"
title.en = "Wrong about the region"
title.ja = "地域の誤り"

[[scoring.composite]]
id = "points"
of = "sum"
title.en = "Points of 100"
title.ja = "得点（100点満点）"

[[scoring.composite.term]]
measure = "shares"
weight = 60

[[scoring.composite.term]]
measure = "wrong"
weight = 40

[[scoring.gate]]
measure = "shares"
max = 0.1

[ranking]
formula = "sum"
utility_measure = "points"
"""

GATED = (
    load_ruleset("pwscup2015").text
    + """
[[scoring.gate]]
measure = "U1"
min = 5
"""
)


def own_rules(measures: str = MEASURES, file: str = MODEL_FILE):
    text = factories.cohort_ruleset().text
    head = text[: text.index("[ranking]")]
    head = re.sub(r"\[\[scoring\.measure\]\]\n(?:(?!\[).*\n)*", "", head)
    title = 'title.ja = "合成データ（CSV）"\n'
    assert title in head
    return parse_ruleset(head.replace(title, title + file) + measures)


@pytest.fixture
def cup(cast):
    contest = factories.make_cohort_contest(own_rules(), organizer=cast.oscar)
    return pipeline.two_teams(cast, contest)


def own_table(team) -> bytes:
    return storage.read(draws.ensure_drawn(team).public)


def model_of(data: bytes, target: str = "region", **given) -> bytes:
    return trained(
        read_synthetic(data, SCHEMA), SCHEMA, target, **{"positive": "metropolitan"} | given
    )


def upload(client, team, synthetic: bytes, model: bytes | None):
    url = reverse("round", args=[team.contest.slug, "synthesis"])
    files = {"synthetic": SimpleUploadedFile("s.csv", synthetic)}
    if model is not None:
        files["model"] = SimpleUploadedFile("m.json", model)
    before = Submission.objects.count()
    page = client.post(url, files, follow=True).content.decode()
    new = Submission.objects.count() > before
    return (pipeline.scored(Submission.objects.latest("pk")) if new else None), page


def test_a_model_is_scored_with_its_table_on_pages_boards_and_downloads(cup, cast, as_user):
    alice, data = as_user(cast.alice), own_table(cup.red)
    url = reverse("round", args=[cup.contest.slug, "synthesis"])
    page = alice.get(url).content.decode()
    assert 'name="model"' in page
    done, _page = upload(alice, cup.red, data, model_of(data, n_trees=1, depth=1))
    values = selectors.latest_evaluation(done).values
    assert values["shares"] == 0
    assert 0 < values["wrong"] < 0.5
    assert values["points"] == pytest.approx(100 - 40 * values["wrong"])
    assert {"model", "synthetic"} <= {*selectors.latest_evaluation(done).input_hashes}
    for language, titles in (
        ("en", ("Shares of the regions", "Wrong about the region", "Points of 100")),
        ("ja", ("地域の割合", "地域の誤り", "得点（100点満点）")),
    ):
        said = {"accept-language": language}
        result = alice.get(reverse("submission", args=[done.public_id]), headers=said)
        assert all(title in result.content.decode() for title in titles)
        rules = alice.get(reverse("rules", args=[cup.contest.slug]), headers=said).content.decode()
        assert all(title in rules for title in titles)
        assert ("A binary classifier of XGBoost" in rules) == (language == "en")
        board = alice.get(reverse("board", args=[cup.contest.slug]), headers=said)
        assert "Red" in board.content.decode()
    found = alice.get(reverse("board-csv", args=[cup.contest.slug]), {"board": "measures"})
    lines = csv.DictReader(io.StringIO(found.content.decode("utf-8-sig")))
    row = next(line for line in lines if line["team"] == "Red")
    assert float(row["points"]) == pytest.approx(values["points"])
    assert float(row["wrong"]) == pytest.approx(values["wrong"])


def test_a_table_outside_of_a_gate_is_rejected_with_its_value_and_costs_no_attempt(
    cup, cast, as_user
):
    data = own_table(cup.red)
    text = data.decode("utf-8-sig").replace("metropolitan", "other")
    done, _page = upload(as_user(cast.alice), cup.red, text.encode(), model_of(data))
    assert done.state == "rejected"
    assert selectors.tries_left(cup.red, done.round) == done.round.tries
    (problem,) = map(Problem.from_dict, done.problems)
    with override("ja"):
        expected, got = parts(problem)[1:]
        assert expected == "地域の割合（shares）の値は0.1以下でなければなりません"
        assert 0.1 < float(got.removeprefix("実際の値：")) < 1
    assert parts(problem)[1] == "expected a value of Shares of the regions (shares) of at most 0.1"


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", "expected a value of Difference of column means (U1) of at least 5"),
        ("ja", "列平均の差（U1）の値は5以上でなければなりません"),
    ],
)
def test_a_gate_on_a_measure_of_the_library_names_its_title(language, expected):
    (problem,) = outside(parse_ruleset(GATED), {"U1": 1.25})
    stored = Problem.from_dict(problem.to_dict())
    with override(language):
        assert parts(stored)[1] == expected
    assert "U1)" in str(problem)


def test_a_rejection_that_was_stored_before_still_names_the_id():
    problem = Problem("gate.above", {"measure": "U1", "expected": "1", "got": "2"})
    with override("ja"):
        assert parts(problem)[1] == "U1の値は1以下でなければなりません"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda _model: b"{}", "model.missing_key"),
        (lambda _model: b'{"learner":' * 3000, "model.not_json"),
        (lambda model: model + b" " * (1 << 20), "model.too_large"),
        (
            lambda model: model.replace(b"binary:logistic", b"reg:squarederror"),
            "model.wrong_objective",
        ),
        (
            lambda model: model.replace(b"dwelling", b"dwellinG"),
            "model.unknown_feature",
        ),
    ],
)
def test_a_bad_model_is_rejected_and_costs_no_attempt(cup, cast, as_user, change, code):
    data = own_table(cup.red)
    done, _page = upload(as_user(cast.alice), cup.red, data, change(model_of(data)))
    assert done.state == "rejected"
    assert selectors.tries_left(cup.red, done.round) == done.round.tries
    assert code in {Problem.from_dict(problem).code for problem in done.problems}


def test_without_its_model_nothing_is_accepted(cup, cast, as_user):
    done, page = upload(as_user(cast.alice), cup.red, own_table(cup.red), None)
    assert done is None
    assert "This field is required." in page or "required" in page


def test_the_round_asks_for_each_file_by_its_kind(cup, cast, as_user):
    page = (
        as_user(cast.alice)
        .get(reverse("round", args=[cup.contest.slug, "synthesis"]))
        .content.decode()
    )
    assert page.count("Drop the CSV file here") == 1
    assert page.count("Drop the JSON file here") == 1
    assert "submit it unchanged" not in page


def test_programs_send_the_files_of_a_submission_as_an_archive(cup, cast):
    data = own_table(cup.red)
    program, path = Program(cast.alice), "/contests/cohort/rounds/synthesis/submissions"
    archive = questions.archive_of({"synthetic.csv": data, "model.json": model_of(data)})
    sent = program.post(path, archive, "application/zip")
    assert sent.status_code == 201, sent.content
    assert pipeline.scored(Submission.objects.latest("pk")).state == "scored"
    half = program.post(path, questions.archive_of({"synthetic.csv": data}), "application/zip")
    assert half.json()["problems"][0]["code"] == "file.missing"
    alone = program.post(path, data, "text/csv")
    assert alone.status_code == 415


def test_a_trial_hands_in_a_model_that_learned_from_its_table(cup, cast):
    dataset = draws.ensure_drawn(cup.red)
    round = cup.contest.rounds.get(key="synthesis")
    steps, measures = [Step("bootstrap", {"noise": 0.1}, 5)], ("shares", "wrong", "points")
    made = of_table(Attempt(cup.red, round, steps, measures, table=dataset))
    assert set(made.files) == {"synthetic", "model"}
    assert made.values["wrong"] is not None
    assert tables.table_of(cup.red) == dataset


@pytest.mark.parametrize(
    ("measures", "file", "expected"),
    [
        (MEASURES, "", "a required file of the kind model in the round synthesis"),
        (MEASURES, MODEL_FILE.replace("true", "false"), "a required file of the kind model"),
        (
            MEASURES.replace('measure = "model-file"\n', 'measure = "training"\n').replace(
                'positive = "metropolitan"\n', ""
            ),
            MODEL_FILE,
            "a measure model-file, as the round synthesis has a model",
        ),
    ],
)
def test_rules_ask_for_a_model_if_and_only_if_a_measure_reads_it(measures, file, expected):
    with pytest.raises(ProblemsFound, match=expected):
        own_rules(measures, file)


def test_the_platform_reads_lines_in_their_order_and_tests_models_on_decoys(cast, as_user):
    """As at home with the same files, where the rules say so; a file in another order has another value."""
    chosen = MEASURES.replace(
        'positive = "metropolitan"\n', 'positive = "metropolitan"\ntested_on = "controls"\n'
    ).replace(
        "[[scoring.composite]]",
        """[[scoring.measure]]
id = "official"
measure = "regression"
target = "region"
positive = "metropolitan"
columns = ["earners", "cars", "food"]
order = "as-submitted"
coefficients = "squashed-difference"
title.en = "Regression of the region"
title.ja = "地域のロジスティック回帰"

[[scoring.composite]]""",
        1,
    )
    rules = own_rules(chosen)
    cup = pipeline.two_teams(cast, factories.make_cohort_contest(rules, organizer=cast.oscar))
    data = own_table(cup.red)
    model = model_of(data, n_trees=1, depth=1)
    head, *lines = data.decode("utf-8-sig").splitlines(keepends=True)
    rows = truth.drawn_rows(tables.draw_of(cup.red), reason="a test")
    whole = dataset_of(cup.contest)
    decoys = truth.original_records(whole, reason="a test").taken(rows["decoys"]).to_frame()
    original = read_table(data, SCHEMA, file="original", original=True)
    measures = [rules.measure(id_) for id_ in ("official", "wrong")]
    seen = []
    for order in (lines, lines[::-1]):
        file = "".join([head, *order]).encode()
        done, _page = upload(as_user(cast.alice), cup.red, file, model)
        values = selectors.latest_evaluation(done).values
        at_home = score(
            Prepared.of(original, SCHEMA, control=decoys),
            read_table(file, SCHEMA, file="synthetic"),
            None,
            SCHEMA,
            measures=measures,
            files={"model": model},
        )
        assert {m.id: values[m.id] for m in measures} == {m.id: at_home[m.id] for m in measures}
        seen.append((values["official"], values["wrong"]))
    assert seen[0][0] == 0 < seen[1][0]
    assert 0 < seen[0][1] == seen[1][1]
    knows = score(original, original, None, SCHEMA, measures=measures, files={"model": model})
    assert knows["wrong"] is None
