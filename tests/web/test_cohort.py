# SPDX-License-Identifier: Apache-2.0
"""Synthetic tables: cohorts with shared records, tables of any number of rows, and what is published of them."""

from __future__ import annotations

import csv
import io
import json
import random
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from pwscup.audits import services as audit_services
from pwscup.audits.models import Audit
from pwscup.bots.cast import BOTS
from pwscup.contests.models import Contest
from pwscup.contests.services.table import attach_dataset
from pwscup.contests.teams import tables
from pwscup.core import jobs
from pwscup.core.files import storage
from pwscup.formats.cohort import bots, debriefing, trials
from pwscup.formats.evaluation import Attacked
from pwscup.formats.playing import Turn
from pwscup.formats.trying import Attempt, Step
from pwscup.rescores.services import change_rules
from pwscup.submissions import draws, selectors, services
from pwscup.submissions.evaluation import shuffled_table
from pwscup.submissions.evaluation.cases import Case
from scoring.errors import ProblemsFound
from scoring.tables.synthetic import read_synthetic
from tests import factories
from tests.web import pipeline

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("announced")]
ATTACK = SimpleNamespace(key="attack", format=SimpleNamespace(asks_questions=False))


@pytest.fixture
def cohort(cast) -> SimpleNamespace:
    """The cast in a contest whose round of synthesis is open."""
    contest = factories.make_cohort_contest(factories.cohort_ruleset(), organizer=cast.oscar)
    factories.commit(contest)  # by which tables of thirty people compare the same every time
    return pipeline.two_teams(cast, contest)


def with_rules(cast, changes, **numbers) -> SimpleNamespace:
    rules = factories.cohort_ruleset(changes, **numbers)
    contest = factories.make_cohort_contest(rules, organizer=cast.oscar)
    return pipeline.two_teams(cast, contest)


def drawn(team) -> dict[str, list[int]]:
    draws.ensure_drawn(team)
    key = tables.draw_of(team).sealed
    return json.loads((settings.PRIVATE_ROOT / key.path).read_bytes())


def own_table(team) -> bytes:
    return storage.read(draws.ensure_drawn(team).public)


def submitted(team, user, data: bytes):
    found = services.submit(
        user=user,
        team=team,
        round=team.contest.rounds.get(key="synthesis"),
        files={"synthetic": ("synthetic.csv", data)},
        arrived_at=timezone.now(),
    )
    return pipeline.scored(found)


def lines_of(data: bytes) -> list[str]:
    return data.decode("utf-8-sig").splitlines()


def changed(data: bytes, change) -> bytes:
    header, *lines = lines_of(data)
    return "\n".join([header, *change(lines), ""]).encode()


def shuffled(data: bytes) -> bytes:
    return changed(data, lambda lines: random.Random(1).sample(lines, len(lines)))


def test_all_teams_have_the_shared_records_and_others_of_their_own(cohort):
    red, blue = drawn(cohort.red), drawn(cohort.blue)
    for rows in (red, blue):
        assert len(set(rows["own"])) == 30
        assert len(set(rows["decoys"]) | set(rows["own"])) == 50
        assert sorted(rows["candidates"]) == sorted(rows["own"] + rows["decoys"])
    common = set(red["own"]) & set(blue["own"])
    assert 10 <= len(common) < 20
    assert red["shared"] == blue["shared"]
    assert set(red["shared"]) <= common
    assert draws.ensure_drawn(cohort.red).n_records == 30


def test_strata_and_rare_records_are_drawn_exactly(cast):
    rare = '[data.rare]\ncolumn = "cars"\nvalue = "0"\nrecords = 3\n\n[limits]'
    contest = with_rules(cast, {"[limits]": rare, "decoys = 20": 'decoys = 20\nstrata = ["sex"]'})
    source = contest.contest.datasets.get(team=None)
    whole = list(csv.DictReader(io.StringIO(storage.read(source.public).decode())))
    is_rare = [record["cars"] == "0" for record in whole]
    others = [record["sex"] for record, rare in zip(whole, is_rare, strict=True) if not rare]
    share = others.count("male") / len(others)
    rows = [drawn(team) for team in (contest.red, contest.blue)]
    common = set(rows[0]["own"]) & set(rows[1]["own"])
    for one in rows:
        assert [row for row in one["own"] if is_rare[row]] == [
            row for row in one["own"] if is_rare[row] and row in common
        ]
        assert sum(is_rare[row] for row in one["own"]) == 3
        assert not any(is_rare[row] for row in one["decoys"])
        of_decoys = sum(whole[row]["sex"] == "male" for row in one["decoys"])
        assert abs(of_decoys - 20 * share) < 1


def test_columns_of_the_draw_must_be_there(cast):
    rules = factories.cohort_ruleset({"decoys = 20": 'decoys = 20\nstrata = ["event"]'})
    contest = factories.make_cohort_contest(rules, organizer=cast.oscar)
    schema = contest.datasets.get().schema
    with pytest.raises(ProblemsFound) as error:
        contest.format.setup.check_columns(rules, schema)
    [problem] = error.value.problems
    assert (problem.code, problem.params["key"], problem.params["got"]) == (
        "toml.wrong_value",
        "data.strata",
        "event",
    )


def test_too_few_rare_records_are_named_before_anything_is_drawn(cast):
    """When the table is attached, and when the rules are changed afterwards."""
    wanted = '[data.rare]\ncolumn = "cars"\nvalue = "0"\nrecords = {}\n\n[limits]'

    def rules(n, **numbers):
        return factories.cohort_ruleset({"[limits]": wanted.format(n)}, shared=100, **numbers)

    contest = factories.make_cohort_contest(rules(3), organizer=cast.oscar, n_records=200)
    n_rare = sum(
        record["cars"] == "0"
        for record in csv.DictReader(
            io.StringIO(storage.read(contest.datasets.get().public).decode())
        )
    )
    lines = []
    for other in (rules(n_rare + 1), rules(1, decoys=82 - n_rare)):
        with pytest.raises(ProblemsFound) as error:
            change_rules(actor=cast.oscar, contest=contest, text=other.text)
        lines += [str(problem) for problem in error.value.problems]
    assert lines == [
        f"original, column cars — too few records whose value is = 0 — expected at least {n_rare + 1} — got {n_rare}",
        f"original, column cars — too few records whose value is ≠ 0 — expected at least {201 - n_rare}"
        f" — got {200 - n_rare}",
    ]
    dataset = contest.datasets.get()
    strict = Contest.objects.create(slug="strict", ruleset_text=rules(n_rare + 1).text)
    with pytest.raises(ProblemsFound, match="too few records whose value is = 0"):
        attach_dataset(
            actor=cast.oscar,
            contest=strict,
            data=storage.read(dataset.public),
            schema=dataset.schema.public(),
        )


def test_the_order_of_the_records_changes_no_value(cohort, cast):
    own = own_table(cohort.red)
    first, second = (submitted(cohort.red, cast.alice, data) for data in (own, shuffled(own)))
    assert first.state == second.state == "scored"
    values = selectors.latest_evaluation(first).values
    assert selectors.latest_evaluation(second).values == values
    assert set(values) == {*cohort.contest.ruleset.measures, "n_original", "n_anonymized"}
    assert values["marginals"] == values["pairs"] == 0
    published = [shuffled_table(one, ATTACK) for one in (first, second)]
    assert published[0].table == published[1].table
    assert published[0].candidates is None
    assert json.loads(published[0].key) == {}
    assert lines_of(published[0].table)[1:] != lines_of(own)[1:]
    assert sorted(lines_of(published[0].table)) == sorted(lines_of(own))


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        (lambda lines: lines[:14], ["file.too_few_records"]),
        (lambda lines: lines[:15], []),
        (lambda lines: lines * 2, []),
        (lambda lines: [*lines, *lines, lines[0]], ["file.too_many_records"]),
        (lambda lines: [lines[0] + ",1", *lines[1:]], ["record.cell_count"]),
        (
            lambda lines: [lines[0].replace(lines[0].split(",")[0], "rural", 1), *lines[1:]],
            ["cell.not_in_values"],
        ),
    ],
)
def test_a_table_outside_of_the_rules_is_refused_with_its_reasons(cohort, cast, change, codes):
    found = submitted(cohort.red, cast.alice, changed(own_table(cohort.red), change))
    assert [problem["code"] for problem in found.problems] == codes
    assert found.state == ("rejected" if codes else "scored")


@pytest.mark.parametrize(("candidates", "n"), [("drawn", 50), ("whole", 120)])
def test_candidates_are_published_if_the_rules_say_so(cast, candidates, n):
    contest = with_rules(cast, {'candidates = "none"': f'candidates = "{candidates}"'})
    found = submitted(contest.red, cast.alice, own_table(contest.red))
    published = shuffled_table(found, ATTACK)
    known = lines_of(published.candidates)
    assert len(known) == 1 + n
    assert set(lines_of(own_table(contest.red))) <= set(known)


def test_pages_say_what_is_asked(cohort, cast, as_user):
    alice = as_user(cast.alice)
    draws.ensure_drawn(cohort.red)
    slug = cohort.contest.slug
    rules = alice.get(reverse("rules", args=[slug])).content.decode()
    for words in ("30 records that the platform draws", "from 15 to 60 records", "row numbers"):
        assert words in rules, words
    round = cohort.contest.rounds.get(key="synthesis")
    page = alice.get(reverse("round", args=[slug, round.key])).content.decode()
    assert "Submit a synthetic table" in page
    found = submitted(cohort.red, cast.alice, own_table(cohort.red))
    result = alice.get(reverse("submission", args=[found.public_id])).content.decode()
    assert "30 synthetic records for a cohort of 30" in result
    assert alice.get(tables.url_of(cohort.red, tables.SAMPLE)).status_code == 200


def test_the_sample_is_a_valid_submission(cohort, cast):
    sample = tables.sample_of(draws.ensure_drawn(cohort.red))
    assert submitted(cohort.red, cast.alice, sample).state == "scored"


def test_a_report_says_what_the_table_gives_away(cohort, cast, as_user, settings):
    settings.LANGUAGES = [("en", "English")]
    found = submitted(cohort.red, cast.alice, own_table(cohort.red))
    audit = audit_services.request_audit(user=cast.alice, submission=found)
    jobs.work_on(Audit, audit.pk)
    audit.refresh_from_db()
    assert audit.state == "done", audit.reference
    assert audit.values["n_copies"] == 30
    assert audit.values["membership"]["auc"] > 0.9
    page = as_user(cast.alice).get(reverse("audit", args=[found.public_id])).content.decode()
    assert "30 records of the synthetic table (100.00 %) are copies" in page
    report = as_user(cast.alice).get(reverse("audit-report", args=[found.public_id]))
    assert "Audit of a synthetic table" in b"".join(report).decode()


@pytest.mark.parametrize("bot", BOTS, ids=lambda bot: bot.name)
def test_bots_publish_tables_that_are_accepted(cohort, cast, bot):
    table = draws.ensure_drawn(cohort.red)
    turn = Turn(
        bot, cohort.red, cohort.contest.rounds.get(key="synthesis"), timezone.now(), 5, table
    )
    [(name, data)] = bots.TABLES.files(turn).values()
    assert name == "synthetic.csv"
    assert bots.TABLES.files(turn) == {"synthetic": (name, data)}
    assert len(read_synthetic(data, table.schema.public())) == 30
    assert bots.TABLES.note(bot).startswith(bots.METHODS[bot.name][0])
    assert cohort.contest.format.texts.BOTS[bot.name]


def test_a_trial_makes_a_table_to_submit(cohort, cast):
    round = cohort.contest.rounds.get(key="synthesis")
    made = {}
    for method in round.format.trying.methods(round):
        step = Step(method.key, {s.name: s.default for s in method.sliders}, seed=3)
        table = draws.ensure_drawn(cohort.red)
        measures = cohort.contest.ruleset.measures
        found = trials.of_table(Attempt(cohort.red, round, [step], measures, table=table))
        assert found.facts["n_records"] == 30
        made[method.key] = found
    assert {*made} == {"trees", "copula", "bootstrap", "independent"}
    assert made["trees"].values["pairs"] < made["independent"].values["pairs"]
    [(_name, data)] = made["trees"].files.values()
    assert submitted(cohort.red, cast.alice, data).state == "scored"


def test_a_debriefing_says_who_was_found_and_how_near_the_table_is(cohort, cast):
    found = submitted(cohort.red, cast.alice, own_table(cohort.red))
    own = drawn(cohort.red)["own"]
    decoy = drawn(cohort.red)["decoys"][0]
    attacked = Attacked(2, {own[4]: 2, own[7]: 1, decoy: 1})
    evaluation = found.round.format.evaluation
    values = evaluation.debriefed(Case(found), attacked)
    assert values["times"] == [28, 1, 1]
    assert [(r["row"], r["times"], r["distance"]) for r in values["records"]] == [
        (4, 2, 0.0),
        (7, 1, 0.0),
    ]
    shown = debriefing.shown(values)
    assert shown["sentence"].startswith("2 attackers found 2 of 30 records")
    assert [record["row"] for record in shown["records"]] == [5, 8]


def test_questions_are_about_records_that_not_all_teams_have(cast):
    cohort = with_rules(cast, {}, targets=20, controls=20)
    found = submitted(cohort.red, cast.alice, own_table(cohort.red))
    published = shuffled_table(found, cohort.contest.rounds.get(key="attack"))
    rows = drawn(cohort.red)
    asked = json.loads(published.key)["questions"]["members"]
    assert len(asked["units"]) == 20 + 20  # the team's own records and its decoys
    assert not set(asked["units"]) & set(rows["shared"])
    assert set(asked["units"]) <= set(rows["own"]) | set(rows["decoys"])
