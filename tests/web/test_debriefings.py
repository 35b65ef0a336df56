# SPDX-License-Identifier: Apache-2.0
"""The debriefing: who was found and why, for the own team only; examples for the class; what stays hidden."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from itertools import product
from types import SimpleNamespace

import pytest
from django.urls import reverse
from django.utils import timezone

from pwscup.contests.models import Round, RulesetVersion
from pwscup.contests.services import ContestRefused
from pwscup.core import jobs
from pwscup.core.models import Event
from pwscup.debriefings import facts, services
from pwscup.debriefings.models import Debriefing, DebriefingExample, DebriefingSettings
from pwscup.formats.common.debriefing import found_sentence
from pwscup.formats.hidden.disclosed import target_attributes
from pwscup.submissions import evaluation
from pwscup.submissions.decisions import rulings
from pwscup.submissions.models import Rescore, Ruling
from pwscup.submissions.services import submit
from tests import factories
from tests.web import lecture, pipeline, series
from tests.web.pipeline import round_of, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent", "announced")]
PAGE, STATUS, ORGANIZE = (
    "/c/lecture/debriefing/",
    "/c/lecture/debriefing/status/",
    "/organize/lecture/debriefing/",
)


def end(contest) -> None:
    """Close every round."""
    now = timezone.now()
    for round in contest.rounds.all():
        opens = min(round.opens_at, now - timedelta(hours=9))
        pipeline.move(round, opens, now - timedelta(hours=1))
    evaluation._originals.clear()


@pytest.fixture
def over(cast) -> SimpleNamespace:
    """The hand-computed example: Blue finds Red's records 1 and 3; Red finds nothing of Blue."""
    cup = lecture.example(cast)
    scored(lecture.hand_in(cast.alice, cup.red, lecture.ANONYMIZED))
    scored(lecture.hand_in(cast.carol, cup.blue, lecture.own_table(cup.blue)))
    targets = lecture.publish(cup.contest)
    key = lecture.key_of(targets["Red"])
    first, third = lecture.CANDIDATES["Red"].index(0), lecture.CANDIDATES["Red"].index(2)
    guess = lecture.guess_file([line if line in (first, third) else -1 for line in key])
    assert scored(pipeline.guess(cast.carol, cup.blue, targets["Red"], guess)).state == "scored"
    wrong = lecture.guess_file([-1] * 4)
    assert scored(pipeline.guess(cast.alice, cup.red, targets["Blue"], wrong)).state == "scored"
    end(cup.contest)
    return SimpleNamespace(**vars(cup), cast=cast, targets=targets)


def computed(contest) -> Debriefing:
    found = services.ensure(contest, timezone.now())
    assert found is not None
    jobs.work_on(Debriefing, found.pk)
    found.refresh_from_db()
    assert found.state == "done", found.reference
    return found


def values_of(found: Debriefing, team) -> dict:
    return found.parts.get(team=team).values


def test_a_team_sees_which_of_its_records_were_found_and_through_which_columns(over, as_user):
    alice = as_user(over.cast.alice)
    assert "waiting" in alice.get(PAGE).text
    found = computed(over.contest)
    values = values_of(found, over.red)
    # Record 1 stays; record 3 keeps its age of 40 and gets another city; record 4 is deleted.
    assert (values["n_records"], values["n_attackers"], values["times"]) == (3, 1, [1, 2])
    assert [(one["row"], one["times"]) for one in values["records"]] == [(0, 1), (2, 1)]
    assert values["records"][0]["unchanged"] == values["records"][0]["columns"] != []
    losses = {column["name"]: column["loss"] for column in values["columns"]}
    assert sum(losses.values()) / 2 == pytest.approx(lecture.LOSS)
    text = alice.get(PAGE).text
    assert "The one attacker found 2 of 3 records." in text
    assert "Found records" in text
    assert alice.get(STATUS).status_code == 200
    assert values_of(found, over.blue)["times"] == [4, 0]


def test_large_numbers_have_separators():
    sentence = found_sentence(2048, 8333, 5)
    assert sentence == "5 attackers found 2,048 of 8,333 records between them."


def test_only_the_own_team_and_organizers_see_records(over, as_user):
    computed(over.contest)
    part = "/organize/lecture/debriefing/red/attack/"
    for user in (None, over.cast.eve, over.cast.carol):
        text = as_user(user).get(PAGE).text
        assert "2 of 3 records" not in text
        assert as_user(user).get(part).status_code in (302, 404)
    text = as_user(over.cast.carol).get(PAGE).text
    assert "The one attacker found 0 of 4 records." in text
    oscar = as_user(over.cast.oscar)
    assert "Red" in oscar.get(ORGANIZE).text
    assert "Found records" in oscar.get(part).text


def test_the_class_sees_chosen_examples_without_their_records(over, as_user):
    computed(over.contest)
    attack = round_of(over.contest, "attack")
    over.contest.refresh_from_db()
    field = f"shown-{over.red.pk}-{attack.pk}"
    oscar = as_user(over.cast.oscar)
    overview, link = reverse("contest", args=[over.contest.slug]), f'href="{PAGE}"'
    assert link in as_user(over.cast.alice).get(overview).text  # a member of Red
    assert link not in as_user(None).get(overview).text  # nothing to see yet
    for shown, name in (("unnamed", "A team"), ("named", "Red")):
        over.contest.refresh_from_db()
        data = {"version": over.contest.version, field: shown}
        assert oscar.post(f"{ORGANIZE}examples/", data).status_code == 302
        for user in (None, over.cast.eve, over.cast.carol):
            assert link in as_user(user).get(overview).text
            text = as_user(user).get(PAGE).text
            assert f"{name} ·" in text
            assert ("Red ·" in text) == (shown == "named")
            assert "The one attacker found 2 of 3 records." in text
            assert "Found records" not in text
    event = Event.objects.filter(kind="contest.debriefing_examples").last()
    assert event.data["named"] == "red"
    over.contest.refresh_from_db()
    oscar.post(f"{ORGANIZE}examples/", {"version": over.contest.version})
    assert not DebriefingExample.objects.exists()


def test_nothing_is_shown_before_the_end_while_frozen_or_after_deletion(over, as_user):
    now = timezone.now()
    attack = round_of(over.contest, "attack")
    closed = attack.closes_at
    pipeline.move(attack, attack.opens_at, now + timedelta(hours=1))
    over.contest = type(over.contest).objects.get(pk=over.contest.pk)
    assert services.ensure(over.contest, now) is None
    assert "shown when the contest is over" in as_user(over.cast.alice).get(PAGE).text
    pipeline.move(attack, attack.opens_at, closed)
    over.contest = type(over.contest).objects.get(pk=over.contest.pk)
    computed(over.contest)
    over.contest.frozen_at = now
    over.contest.save()
    text = as_user(over.cast.alice).get(PAGE).text
    assert "of 3 records" not in text
    assert "revealed the final order" in text
    assert (
        as_user(over.cast.oscar).get("/organize/lecture/debriefing/red/attack/").status_code == 404
    )
    over.contest.frozen_at, over.contest.erased_at = None, now
    over.contest.save()
    assert "of 3 records" not in as_user(over.cast.alice).get(PAGE).text
    services.sweep(now)
    assert not Debriefing.objects.exists()


def test_it_may_be_deleted_and_comes_back_the_same(over, as_user):
    first = computed(over.contest)
    values = list(first.parts.values_list("team", "values"))
    as_user(over.cast.oscar).post(f"{ORGANIZE}again/", {})
    services.sweep(timezone.now())
    second = computed(over.contest)
    assert second.pk != first.pk
    assert list(second.parts.values_list("team", "values")) == values
    assert computed(over.contest).pk == second.pk


def test_a_withdrawn_guess_is_computed_again_without_it(over):
    first = computed(over.contest)
    guess = over.targets["Red"].guesses.get()
    rulings.withdraw(actor=over.cast.oscar, submission=guess, reason="Shared")
    assert Ruling.objects.exists()
    second = computed(over.contest)
    assert second.pk != first.pk
    assert values_of(second, over.red)["n_attackers"] == 0


def test_a_re_scoring_has_no_effect_before_it_is_applied(over):
    first = computed(over.contest)
    guess = over.targets["Red"].guesses.get()
    rules = RulesetVersion.objects.create(
        contest=over.contest, number=1, text=over.contest.ruleset_text
    )
    rescore = Rescore.objects.create(contest=over.contest, rules=rules, scoring_version="2")
    old = guess.evaluations.get()
    guess.evaluations.create(
        rescore=rescore,
        fence=0,
        ruleset_digest=old.ruleset_digest,
        scoring_version="2",
        seed=old.seed,
        input_hashes=old.input_hashes,
        values=old.values,
        seconds=0,
    )
    assert services.ensure(over.contest, timezone.now()).pk == first.pk
    Rescore.objects.update(state=Rescore.State.APPLIED, decided_at=timezone.now())
    assert services.ensure(over.contest, timezone.now()).pk != first.pk


def test_the_sweeper_starts_it_once_a_day_after_the_end_at_most(over):
    services.sweep(timezone.now() + timedelta(days=3))
    assert not Debriefing.objects.exists()
    services.sweep(timezone.now())
    services.sweep(timezone.now())
    assert Debriefing.objects.get().state == "waiting"


def test_it_is_on_record_and_holds_no_value_of_a_cell(over):
    found = computed(over.contest)
    reads = Event.objects.filter(kind="truth.read", data__reason__startswith="debriefing of")
    read = {pk for event in reads for pk in event.data.get("files", "").split(", ")}
    assert {str(release.key_id) for release in over.targets.values()} <= read
    text = json.dumps(list(found.parts.values_list("values", flat=True)))
    assert '"A"' not in text
    assert Event.objects.filter(kind="contest.debriefing_done").count() == 1


def test_a_common_table_has_rows_of_the_original(cast, as_user):
    first = cast.contest.rounds.first()
    scored(pipeline.hand_in(cast.alice, cast.red, first))
    scored(pipeline.hand_in(cast.carol, cast.blue, first))
    targets = pipeline.publish(cast.contest)
    rows = lecture.key_of(targets["Red"])
    right = "".join(f"{row + 1}\n" if row != 3 else "0\n" for row in rows).encode()
    assert scored(pipeline.guess(cast.carol, cast.blue, targets["Red"], right)).state == "scored"
    end(cast.contest)
    contest = type(cast.contest).objects.get(pk=cast.contest.pk)
    values = values_of(computed(contest), cast.red)
    assert sorted(one["row"] for one in values["records"]) == [0, 1, 2]
    assert values["times"] == [1, 3]
    text = as_user(cast.alice).get("/c/cup/debriefing/").text
    assert "sa1" in text
    assert "l = " in text
    cast.contest.hidden_measures = ["distinct-l", "t-closeness"]
    cast.contest.save(update_fields=["hidden_measures"])
    text = as_user(cast.alice).get("/c/cup/debriefing/").text
    assert "l = " not in text
    assert "t = " not in text


@pytest.mark.long
def test_a_series_has_individuals_and_the_width_of_regions(cast, as_user):
    cup = series.contest_of(cast)
    for user, team in ((cast.alice, cup.red), (cast.carol, cup.blue)):
        scored(series.hand_in(user, team, factories.series_of_team(team)))
    targets = series.publish(cup.contest)
    values = series.values_of(cup.red)
    some = dict(sorted(values.items())[:3])
    guess = pipeline.guess(cast.carol, cup.blue, targets["Red"], series.guess_file(some))
    assert scored(guess).state == "scored"
    end(cup.contest)
    contest = type(cup.contest).objects.get(pk=cup.contest.pk)
    found = values_of(computed(contest), cup.red)
    assert [record["id"] for record in found["records"]] == sorted(some)
    assert found["times"] == [len(values) - 3, 3]
    text = as_user(cast.alice).get(f"/c/{contest.slug}/debriefing/").text
    assert f"guessed the values of 3 of {len(values)} individuals" in text


@pytest.fixture
def hidden(cast) -> SimpleNamespace:
    """A finished contest about a hidden table, in which Red has an estimate."""
    contest = factories.make_dp_contest(organizer=cast.oscar, errors="")
    cup = pipeline.two_teams(cast, contest)
    round = next(round for round in contest.rounds.all() if round.is_open(timezone.now()))
    made = submit(
        user=cast.alice,
        team=cup.red,
        round=round,
        files={"estimate": ("e.csv", evaluation_cells(contest))},
        arrived_at=timezone.now(),
    )
    assert scored(made).state == "scored"
    end(contest)
    contest = type(contest).objects.get(pk=contest.pk)
    return SimpleNamespace(contest=contest, red=cup.red, cast=cast)


def evaluation_cells(contest) -> bytes:
    """An estimate of one in every cell."""
    target = target_attributes(contest)
    lines = [",".join([*(a.name for a in target), "count"])]
    lines += [",".join([*values, "1"]) for values in product(*(a.values for a in target))]
    return ("\n".join(lines) + "\n").encode()


def test_a_hidden_table_stays_hidden_until_an_organizer_discloses_it(hidden, as_user):
    contest = hidden.contest
    where = f"/c/{contest.slug}/debriefing/"
    assert services.ensure(contest, timezone.now()) is None
    text = as_user(hidden.cast.alice).get(where).text
    assert "True count" not in text
    assert "The organizers keep the table hidden." in text
    overview = reverse("contest", args=[contest.slug])
    assert where not in as_user(hidden.cast.alice).get(overview).text
    page = as_user(hidden.cast.oscar).get(f"/organize/{contest.slug}/debriefing/").text
    assert "no ε holds any longer" in page
    data = {"version": contest.version, "discloses_table": "on"}
    as_user(hidden.cast.oscar).post(f"/organize/{contest.slug}/debriefing/", data)
    assert DebriefingSettings.objects.get().discloses_table
    event = Event.objects.get(kind="contest.debriefing_changed")
    assert event.data["after"] == {"after_stages": False, "discloses_table": True}
    found = computed(contest)
    values = values_of(found, hidden.red)
    errors = [abs(e - t) for _values, e, t in values["cells"]]
    assert errors == sorted(errors, reverse=True)
    assert all(e == 1 for _values, e, _t in values["cells"])
    assert where in as_user(hidden.cast.alice).get(overview).text
    text = as_user(hidden.cast.alice).get(where).text
    exact = sum(estimate == truth for _values, estimate, truth in values["cells"])
    assert "True count" in text
    assert f"{exact} of {values['n_cells']} counts are estimated exactly." in text
    assert "True count" not in as_user(hidden.cast.carol).get(where).text
    contest.refresh_from_db()
    with pytest.raises(ContestRefused):
        services.change(
            actor=hidden.cast.oscar,
            contest=contest,
            after_stages=False,
            discloses_table=False,
            version=0,
        )
    services.change(
        actor=hidden.cast.oscar, contest=contest, after_stages=False, discloses_table=False
    )
    assert "True count" not in as_user(hidden.cast.alice).get(where).text


def test_after_a_stage_only_if_the_organizers_choose_it(cast, monkeypatch):
    contest = cast.contest
    now = timezone.now()
    first, attack = contest.rounds.all()
    pipeline.move(first, now - timedelta(days=5), now - timedelta(days=4))
    pipeline.move(attack, now - timedelta(days=3), now + timedelta(days=4))
    contest = type(contest).objects.get(pk=contest.pk)
    chosen = DebriefingSettings(contest=contest, after_stages=True)
    assert facts.rounds_of(contest, chosen, now) == []
    stages = {"anonymization": "later", "attack": "early"}

    def spec(round):
        return replace(contest.ruleset.round(round.key), stage=stages[round.key])

    monkeypatch.setattr(Round, "spec", property(spec))
    pipeline.move(first, now - timedelta(days=1), now + timedelta(days=1))
    pipeline.move(attack, now - timedelta(days=3), now - timedelta(days=2))
    contest = type(contest).objects.get(pk=contest.pk)
    assert [round.key for round in facts.rounds_of(contest, chosen, now)] == ["attack"]
    chosen.after_stages = False
    assert facts.rounds_of(contest, chosen, now) == []
