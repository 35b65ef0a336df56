# SPDX-License-Identifier: Apache-2.0
"""Plugins in a contest: the template's measure is scored and shown, its attack played, its formula ranks the teams."""

from __future__ import annotations

import csv
import io
import math

import pytest
import tomli_w
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone
from django.utils.text import capfirst

from pwscup.audits.models import Audit
from pwscup.bots import live
from pwscup.bots import services as bots
from pwscup.bots.models import Rehearsal
from pwscup.contests import faults, services
from pwscup.contests.models import Contest
from pwscup.contests.models.contest import stored_rules
from pwscup.contests.organize import wizard
from pwscup.core import jobs
from pwscup.core.apps import check_plugins
from pwscup.core.installation.diagnosis import check_contests
from pwscup.core.installation.diagnosis import check_plugins as check_of_doctor
from pwscup.leaderboards import facts
from pwscup.leaderboards.scope import scope_of
from pwscup.submissions import releases, selectors
from pwscup.submissions.models import Submission
from pwscup.submissions.states import State
from scoring import plugins
from tests import factories
from tests.plugins import ATTACK, FORMAT, FORMULA, MEASURE, install, install_template, registered
from tests.scoring.rulesets import values_of
from tests.web import pipeline

pytestmark = pytest.mark.usefixtures("sent")
PACKAGE = {"package pwscup-example": "0.1.0"}
TITLES = {
    "en": "Records with their original quasi-identifiers",
    "ja": "準識別子が元のままのレコード",
}
OF_FORMULA = {
    "en": "geometric mean of utility and protection, and 0 for a utility below the floor",
    "ja": "有用性と防御の幾何平均。有用性がfloor未満の場合は0",
}
FAILS = """
from dataclasses import replace
from scoring.registry import MEASURES
ENTRY = replace(MEASURES["U4"], id="untouched-records", address="fails_own:measured")
def measured(comparison, options):
    raise KeyError("3141592653")
"""


def rules_text() -> str:
    values = values_of("pwscup2015")
    values["scoring"]["measures"] += [MEASURE, "pairs"]
    values["baseline"] = {"attackers": {"Noise": ATTACK}}
    values["ranking"] = {"formula": FORMULA, "settings": {"floor": 5.0}, "utility_measure": "pairs"}
    return tomli_w.dumps(values)


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    return install_template(tmp_path_factory.mktemp("template"))


@pytest.fixture
def cup(cast, template):
    """A contest whose rules name all of the template."""
    with registered(template):
        Contest.objects.filter(pk=cast.contest.pk).update(ruleset_text=rules_text())
        contest = Contest.objects.get(pk=cast.contest.pk)
        for team in (cast.red, cast.blue):
            team.contest = contest
        yield contest


def both(client, name, *args):
    """A page in each language."""
    for language in ("en", "ja"):
        yield (
            language,
            client.get(
                reverse(name, args=args), headers={"accept-language": language}
            ).content.decode(),
        )


def tables_of(cast, contest):
    round = pipeline.round_of(contest, "anonymization")
    red = pipeline.scored(pipeline.hand_in(cast.alice, cast.red, round))
    averaged = pipeline.hand_in(cast.carol, cast.blue, round, anonymized=factories.AVERAGED)
    return red, pipeline.scored(averaged)


def test_a_measure_of_a_plugin_is_scored_with_the_version_of_its_package(cast, cup, as_user):
    red, _blue = tables_of(cast, cup)
    result = red.evaluations.get()
    assert result.values[MEASURE] == 1  # amounts were changed only
    assert PACKAGE.items() <= result.input_hashes.items()
    alice = as_user(cast.alice)
    for language, page in both(alice, "submission", red.public_id):
        assert TITLES[language] in page
    for language, page in both(alice, "rules", cup.slug):
        assert TITLES[language] in page
        assert capfirst(OF_FORMULA[language]) in page
        assert "floor = 5" in page
    for language, page in both(alice, "board", cup.slug):
        title = {"en": "Geometric mean of utility", "ja": "有用性と防御の幾何平均"}[language]
        assert title in page
    board = reverse("board", args=[cup.slug])
    for language, title in TITLES.items():
        said = {"accept-language": language}
        page = alice.get(board, {"board": "measures"}, headers=said).content.decode()
        assert title in page


def test_a_formula_of_a_plugin_ranks_the_board(cast, cup, client):
    tables_of(cast, cup)
    page = client.get(reverse("board-csv", args=[cup.slug])).content.decode("utf-8-sig")
    lines = list(csv.DictReader(io.StringIO(page)))
    for line in lines:
        utility, safe = float(line["utility"]), float(line["protection"])
        expected = math.sqrt(utility * safe) if utility >= 5 else 0
        assert float(line["total"]) == pytest.approx(expected)
    assert [(line["rank"], line["team"]) for line in lines] == [("1", "Blue"), ("2", "Red")]


def test_another_version_of_a_formula_makes_other_boards(cast, cup, template, monkeypatch):
    scope = scope_of(cup, timezone.now())
    before = facts.key_of(scope)
    (plugin,) = plugins.formulas_of(cup.ruleset)
    later = plugins.Plugin(plugin.group, plugin.id, plugin.package, "0.2.0")
    monkeypatch.setattr(plugins, "formulas_of", lambda _rules: (later,))
    assert facts.key_of(scope) != before


def test_a_baseline_team_plays_an_attack_of_a_plugin(cast, cup, oscar):
    services.add_baseline_team(actor=cast.oscar, contest=cup, name="Noise")
    pages = dict(both(oscar, "organize-teams", cup.slug))
    assert (
        "By the rules it attacks by “Nearest in the total of the amounts” instead." in pages["en"]
    )
    assert "ただし、このルールでは攻撃に「金額の合計が最も近いレコード」を使います。" in pages["ja"]
    tables_of(cast, cup)
    releases.publish(pipeline.open_attack(cup))
    assert live.advance() == 2
    assert not faults.of(cup)
    for guess in map(pipeline.scored, Submission.objects.exclude(target=None)):
        assert (guess.team.name, guess.note, guess.state) == ("Noise", ATTACK, State.SCORED)
        assert PACKAGE.items() <= selectors.latest_evaluation(guess).input_hashes.items()


def test_an_attack_of_a_plugin_is_in_audits_of_teams(cast, cup, as_user, settings, sketched):
    red, _blue = tables_of(cast, cup)
    as_user(cast.alice).post(reverse("audit", args=[red.public_id]))
    audit = Audit.objects.get()
    jobs.work_on(Audit, audit.pk)
    audit.refresh_from_db()
    assert audit.state == "done"
    title = {"en": "Nearest in the total of the amounts", "ja": "金額の合計が最も近いレコード"}
    for language, page in both(as_user(cast.alice), "audit", red.public_id):
        assert title[language] in page
    for report in audit.reports.all():
        assert title[report.language] in report.html


def test_an_audit_stays_readable_without_the_package(cast, template, as_user, sketched):
    with registered(template):
        red, _blue = tables_of(cast, cast.contest)
        as_user(cast.alice).post(reverse("audit", args=[red.public_id]))
        jobs.work_on(Audit, Audit.objects.get().pk)
    page = as_user(cast.alice).get(reverse("audit", args=[red.public_id])).content.decode()
    assert ATTACK in page


def test_organizers_see_the_plugins_of_their_rules(cast, cup, oscar):
    page = oscar.get(reverse("organize-rules", args=[cup.slug])).content.decode()
    for id_ in (MEASURE, ATTACK, FORMULA):
        assert f"<code>{id_}</code> – pwscup-example 0.1.0" in page


def test_a_measure_that_fails_costs_no_attempt_and_is_named_to_organizers(
    cast, cup, as_user, tmp_path
):
    folder = install(tmp_path, {"own": FAILS}, group="pwscup.measures", package="fails")
    values = values_of("pwscup2015")
    values["scoring"]["measures"].append(MEASURE)
    for group, (_, registries) in plugins.GROUPS.items():
        if group == plugins.OF_MEASURES:
            for registry in registries:
                registry.pop(MEASURE)
    with registered(folder):
        Contest.objects.filter(pk=cup.pk).update(ruleset_text=tomli_w.dumps(values))
        contest = Contest.objects.get(pk=cup.pk)
        failed, _ = tables_of(cast, contest)
        assert (failed.state, failed.problems) == (State.FAILED, [])
        page = as_user(cast.oscar).get(reverse("organize-submissions", args=[cup.slug]))
        assert f"the plugin’s measure {MEASURE} failed — got KeyError" in page.content.decode()
        page = as_user(cast.oscar).get(reverse("organize-data", args=[cup.slug]))
        assert page.status_code == 200


def test_a_broken_plugin_is_named_by_checks_and_the_doctor(tmp_path, db, capsys):
    folder = install(tmp_path, {"own": "1 / 0"}, group="pwscup.measures", package="fails")
    with registered(folder):
        (found,) = check_plugins()
        assert "own of fails 1 is left out: ZeroDivisionError" in found.msg
        assert [finding.level.value for finding in check_of_doctor()] == ["warning", "ok"]
        call_command("check")
    assert "ZeroDivisionError" in capsys.readouterr().err


# Packages that are gone


def test_without_its_package_a_contest_is_shown_and_nothing_is_lost(cast, template, as_user, oscar):
    with registered(template):
        Contest.objects.filter(pk=cast.contest.pk).update(ruleset_text=rules_text())
        before, _blue = tables_of(cast, Contest.objects.get(pk=cast.contest.pk))
    stored_rules.cache_clear()
    contest = Contest.objects.get(pk=cast.contest.pk)
    assert contest.ruleset.absent == (MEASURE, ATTACK, FORMULA)
    alice, slug = as_user(cast.alice), contest.slug
    for client, name in (
        *((alice, name) for name in ("contest", "rules", "board")),
        *((oscar, name) for name in ("organize-contest", "organize-rules", "organize-data")),
        *((oscar, name) for name in ("organize-teams", "organize-submissions")),
    ):
        assert client.get(reverse(name, args=[slug])).status_code == 200, name
    assert alice.get("/").status_code == 200
    page = alice.get(reverse("submission", args=[before.public_id])).content.decode()
    assert MEASURE in page
    measures = alice.get(reverse("board", args=[slug]), {"board": "measures"}).content.decode()
    assert MEASURE in measures
    page = oscar.get(reverse("organize-contest", args=[slug])).content.decode()
    assert f"The rules name {MEASURE}, {ATTACK}, {FORMULA}, of plugins that" in page
    round = pipeline.round_of(contest, "anonymization")
    failed = pipeline.scored(pipeline.hand_in(cast.alice, cast.red, round))
    assert failed.state == State.FAILED
    listed = oscar.get(reverse("organize-submissions", args=[slug])).content.decode()
    assert f"the measure {MEASURE} is of a plugin that is not installed" in listed
    assert f"the rules of {slug} name {MEASURE}, {ATTACK}, {FORMULA}" in "".join(
        finding.sentence for finding in check_contests()
    )
    stored_rules.cache_clear()
    with registered(template):
        assert Contest.objects.get(pk=contest.pk).ruleset.absent == ()
        oscar.post(reverse("organize-retry", args=[slug]), {"submission": failed.pk})
        assert pipeline.scored(failed).state == State.SCORED
    stored_rules.cache_clear()


def test_rules_of_a_missing_package_are_not_accepted_anew(cast, oscar, template):
    upload = SimpleUploadedFile("mine.toml", rules_text().encode())
    page = oscar.post(reverse("organize-new"), NEW | {"ruleset": "", "ruleset_file": upload})
    assert MEASURE in page.content.decode()
    assert not Contest.objects.filter(slug="lesson").exists()


# Formats

NEW = {
    "title": "Lesson",
    "timezone": "Asia/Tokyo",
    "starts_at": "2031-04-10T10:00",
    "max_team_size": "5",
    "ruleset": FORMAT,
}
OF_TABLE = {
    "en": "Synthetic people with an income and a rent.",
    "ja": "収入と家賃をもつ架空の人々の合成データです。",
}
LIKE_A_CUP = """
from scoring.rulesets import Format, load_ruleset
TEXT = load_ruleset("microdata-classroom").text.replace('id = "microdata-classroom"', 'id = "own"')
HEAD, REST = TEXT.split("version = ", 1)
ENTRY = Format("own", f'{HEAD}modelled_on = "Some Cup"\\nversion = {REST}', "fails_own:drawn")
def drawn(n_records, *, seed):
    raise OSError("secret")
"""


def test_a_format_of_a_plugin_is_chosen_in_the_wizard_and_played_by_bots(
    cast, oscar, template, unsent
):
    headings = {"en": "Formats of plugins", "ja": "プラグインの形式"}
    packages = {
        "en": "From the package pwscup-example 0.1.0",
        "ja": "パッケージpwscup-example 0.1.0の形式です",
    }
    with registered(template):
        for language, page in both(oscar, "organize-new"):
            assert f'value="{FORMAT}"' in page
            assert headings[language] in page
            assert packages[language] in page
        assert oscar.post(reverse("organize-new"), NEW).status_code == 302
        contest = Contest.objects.get(slug="lesson")
        assert list(contest.teams.values_list("name", flat=True)) == ["Mondrian"]
        for language, page in both(oscar, "organize-data", "lesson"):
            assert OF_TABLE[language] in page
            assert 'value="300"' in page
        given = {"n_records": "120", "version": str(contest.version)}
        assert oscar.post(reverse("organize-generate", args=["lesson"]), given).status_code == 302
        contest.refresh_from_db()
        assert contest.draft.schema.names == ("sex", "age", "income", "rent")
        schema = contest.draft.schema
        services.confirm_table(actor=cast.oscar, contest=contest, schema=schema)
        rehearsal = bots.request_dry_run(actor=cast.oscar, contest=contest)
        jobs.work_on(Rehearsal, rehearsal.pk)
        rehearsal.refresh_from_db()
        assert rehearsal.state == Rehearsal.State.DONE
        assert all(line["refused"] == [] for line in rehearsal.report)
        done = Submission.objects.filter(round__contest=rehearsal.played_on, target=None).first()
        assert MEASURE in done.evaluations.get().values
        rules = oscar.get(reverse("organize-rules", args=["lesson"])).content.decode()
        assert f"<code>{FORMAT}</code> – pwscup-example 0.1.0" in rules
    assert f'value="{FORMAT}"' not in oscar.get(reverse("organize-new")).content.decode()


def test_a_format_like_a_cup_is_listed_with_them_and_a_failing_generator_refuses(
    cast, oscar, tmp_path
):
    folder = install(tmp_path, {"own": LIKE_A_CUP}, group=plugins.OF_FORMATS, package="fails")
    with registered(folder) as (plugin,):
        assert not plugin.fault
        (*_others, (_heading, like)) = wizard.formats()
        assert "own" in {format.name for format in like}
        oscar.post(reverse("organize-new"), NEW | {"ruleset": "own"})
        contest = Contest.objects.get(slug="lesson")
        given = {"n_records": "120", "version": str(contest.version)}
        page = oscar.post(reverse("organize-generate", args=["lesson"]), given, follow=True)
        assert "the generator of the format own failed — got OSError" in page.content.decode()
        assert "secret" not in page.content.decode()
        assert not hasattr(Contest.objects.get(slug="lesson"), "draft")


def test_a_format_with_bad_rules_is_left_out_of_the_wizard(cast, oscar, tmp_path):
    code = "from scoring.rulesets import Format\nENTRY = Format('own', 'id = ')"
    folder = install(tmp_path, {"own": code}, group=plugins.OF_FORMATS, package="fails")
    with registered(folder):
        assert 'value="own"' not in oscar.get(reverse("organize-new")).content.decode()
        assert "not TOML" in check_plugins()[0].msg
        assert oscar.post(reverse("organize-new"), NEW | {"ruleset": "own"}).status_code == 200
