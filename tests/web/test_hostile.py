# SPDX-License-Identifier: Apache-2.0
"""What a hostile participant or visitor has tried: each of it once broke something, or would be worth it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import Resolver404, resolve, reverse
from django.utils import timezone

from pwscup.accounts import names, selectors, services
from pwscup.accounts.models import Invitation
from pwscup.accounts.names import short_names
from pwscup.accounts.services import RefusedError
from pwscup.contests import services as contest_services
from pwscup.contests.models import TableDraft
from pwscup.core.files.headers import TooManyColumns
from pwscup.core.models import Event
from pwscup.disclosure.models import Answer
from pwscup.disclosure.services import QueryRefused, ask
from pwscup.formats.common import table as tables
from pwscup.formats.series import table as series
from pwscup.submissions import draws
from pwscup.submissions.evaluation import disclosing
from pwscup.submissions.intake import uploads
from pwscup.submissions.models import Submission
from pwscup.submissions.services import SubmissionRefused
from scoring.formats.sequential import bundles
from scoring.reporting.spreadsheets import harmless
from tests import factories
from tests.web import lecture, pipeline

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=b"
FIELD = b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n%s\r\n--b--\r\n'
FILE = b'--b\r\nContent-Disposition: form-data; name="a"; filename="f"\r\n\r\nx\r\n'
UNREADABLE = {
    "no boundary": ("multipart/form-data; boundary=", b"x"),
    "charset": (f"{FORM}; charset=utf-7", b"a=1"),
    "too many fields": (FORM, b"&".join(b"a%d=1" % n for n in range(10_001))),
    "too long a field": (FORM, b"a=" + b"x" * 2_200_000),
    "too long a part": (MULTIPART, FIELD % (b"x" * 2_200_000)),
    "too many files": (MULTIPART, FILE * 201 + b"--b--\r\n"),
}


# Requests that no browser sends


@pytest.mark.parametrize("case", UNREADABLE)
@pytest.mark.parametrize("enforce", [True, False])
@pytest.mark.parametrize(
    ("path", "status"),
    [("/accounts/login/", 400), ("/c/cup/round/anonymization/", 400), ("/nowhere/", 404)],
)
def test_a_form_that_cannot_be_read_is_a_bad_request(cast, settings, case, enforce, path, status):
    client = Client(enforce_csrf_checks=enforce, raise_request_exception=False)
    content_type, body = UNREADABLE[case]

    response = client.generic("POST", path, body, content_type=content_type)

    is_small = len(body) <= settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    too_large = path == "/accounts/login/" and not is_small  # no file is expected there
    assert response.status_code == (413 if too_large else status)


@pytest.mark.parametrize("member", ["9" * 30, "9" * 5000, "²", "0x1", "-1", "1e3"])
@pytest.mark.parametrize("action", ["team-transfer", "team-remove"])
def test_a_member_whose_number_is_out_of_bounds_is_not_found(cast, as_user, action, member):
    response = as_user(cast.alice).post(reverse(action, args=["cup"]), {"member": member})

    assert response.status_code == 404


def test_a_token_reaches_the_database_only_where_it_could_be_one(db):
    resolve(f"/join/{Invitation._meta.get_field('token').get_default()}/")

    for token in ("a\x00b", "ab%", "a b", "é"):  # PostgreSQL takes no NUL
        with pytest.raises(Resolver404):
            resolve(f"/join/{token}/")


# Archives and file names


def test_no_team_takes_the_guesses_that_are_meant_for_another():
    taken: set[str] = set()
    for name in ("red", "attack_red", "ATTACK__Red", "attack red"):
        taken.add(short_names.short_name_of(name, taken))

    assert len(taken) == 4
    assert uploads.target_of("attack_red.csv", taken) == "red"


# Names


@pytest.mark.parametrize("name", ["\u3164", "\u2800 \u2800", "\uffa0\u115f", "\u034f"])
def test_a_name_that_is_drawn_as_nothing_is_refused(name):
    with pytest.raises(ValidationError):
        names.clean_name(name)


@pytest.mark.parametrize("name", ["Red\u034f", "R\u3164ed", "Red \u2800", "\uff32ed", "RED\ufe0f"])
def test_a_name_with_something_that_is_not_drawn_is_taken(cast, name):
    with pytest.raises(RefusedError, match="already has this name"):
        services.create_team(user=cast.eve, contest=cast.contest, name=names.clean_name(name))


def test_an_emoji_keeps_its_colour():
    assert names.clean_name("Red \u2764\ufe0f") == "Red \u2764\ufe0f"


@pytest.mark.parametrize("cell", ["＝1+1", "＋1", "－1", "＠SUM(1)", "\n=1"])
def test_full_width_signs_and_line_feeds_start_no_formula(cell):
    assert harmless(cell) == f"'{cell}"


# One person, one team


@pytest.fixture
def lone(cast):
    """Eve plays alone and has handed in a table."""
    team = services.create_team(user=cast.eve, contest=cast.contest, name="Lone")
    submission = pipeline.hand_in(cast.eve, team, cast.contest.rounds.get(key="anonymization"))
    return team, submission


@pytest.mark.parametrize("state", ["waiting", "running", "scored"])
def test_a_new_team_brings_no_new_tries(cast, lone, state):
    team, submission = lone
    Submission.objects.filter(pk=submission.pk).update(state=state)
    services.leave_team(user=cast.eve, team=team)

    with pytest.raises(RefusedError) as refusal:
        services.create_team(user=cast.eve, contest=cast.contest, name="Again")

    assert refusal.value.code == "has_played"


def test_nobody_carries_an_answer_key_into_another_team(cast, as_user):
    link = services.invite(user=cast.alice, team=cast.red)
    services.join_team(user=cast.eve, invitation=link)
    pipeline.hand_in(cast.alice, cast.red, cast.contest.rounds.get(key="anonymization"))
    services.remove_member(user=cast.alice, team=cast.red, member=cast.eve)
    blue = services.invite(user=cast.carol, team=cast.blue)

    page = as_user(cast.eve).post(reverse("invitation", args=[blue.token]))

    assert page.status_code == 409
    assert "You were in another team of this contest" in page.content.decode()
    link = services.invite(user=cast.alice, team=cast.red)
    services.join_team(user=cast.eve, invitation=link)  # back into the same team
    assert selectors.team_of(cast.eve, cast.contest) == cast.red


@pytest.mark.parametrize("state", ["rejected", "cancelled"])
def test_who_has_used_no_try_may_still_join_another_team(cast, lone, state):
    team, submission = lone
    Submission.objects.filter(pk=submission.pk).update(state=state)
    services.leave_team(user=cast.eve, team=team)

    link = services.invite(user=cast.carol, team=cast.blue)

    assert services.join_team(user=cast.eve, invitation=link) == cast.blue


def test_a_team_of_another_contest_does_not_count(cast, lone):
    other = factories.make_contest("other", now=timezone.now() - timedelta(hours=1))

    assert services.create_team(user=cast.eve, contest=other, name="Lone").contest == other


def test_nobody_carries_a_table_of_ones_own_into_another_team(cast):
    """Before anything is handed in: the table that a team gets is its answer key."""
    played = lecture.contest_of(cast)
    red = services.invite(user=cast.alice, team=played.red)
    services.join_team(user=cast.eve, invitation=red)
    assert draws.ensure_drawn(played.red)
    services.remove_member(user=cast.alice, team=played.red, member=cast.eve)
    blue = services.invite(user=cast.carol, team=played.blue)

    with pytest.raises(RefusedError) as refusal:
        services.join_team(user=cast.eve, invitation=blue)
    assert refusal.value.code == "has_had_table"
    with pytest.raises(RefusedError) as refusal:
        services.create_team(user=cast.eve, contest=played.contest, name="Spy")
    assert refusal.value.code == "has_had_table"

    red = services.invite(user=cast.alice, team=played.red)
    assert services.join_team(user=cast.eve, invitation=red) == played.red


def test_before_there_are_tables_a_person_may_change_the_team(cast):
    played = lecture.contest_of(cast)
    red = services.invite(user=cast.alice, team=played.red)
    services.join_team(user=cast.eve, invitation=red)
    services.leave_team(user=cast.eve, team=played.red)
    blue = services.invite(user=cast.carol, team=played.blue)
    assert services.join_team(user=cast.eve, invitation=blue) == played.blue


# Careless organizers


def test_a_table_wider_than_a_person_can_look_through_is_refused(cast, settings, monkeypatch):
    contest = contest_services.create_contest(
        actor=cast.oscar, ruleset="pwscup2015", title="Wide", starts_at=timezone.now()
    )

    most = settings.MAX_TABLE_COLUMNS
    upload_wide(cast, contest, most)
    monkeypatch.setattr(tables, "suggest_schema", None)  # nothing but the header is read
    for n_columns, n_sampled in ((most + 1, None), (40_000, None), (40_000, 1)):
        with pytest.raises(TooManyColumns, match=f"has {n_columns} columns — expected at most 200"):
            upload_wide(cast, contest, n_columns, n_sampled=n_sampled)

    assert len(TableDraft.objects.get(contest=contest).columns) == most


def test_a_wide_table_in_a_series_is_refused(cast):
    wide = ",".join(f"c{n}" for n in range(40_000)).encode() + b"\n"
    with pytest.raises(TooManyColumns):
        series.describe(bundles.pack({"T1.csv": b"a,b\n1,2\n", "T2.csv": wide}))


def test_an_organizer_reads_why_a_wide_table_is_refused(cast, oscar, draft):
    wide = SimpleUploadedFile("wide.csv", ",".join(f"c{n}" for n in range(300)).encode() + b"\n")
    page = oscar.post(
        f"/organize/{draft.slug}/data/", {"table": wide, "version": draft.version}, follow=True
    )
    assert "The table has 300 columns — expected at most 200." in page.content.decode()


def upload_wide(cast, contest, n_columns: int, **more) -> None:
    lines = [",".join(f"c{n}" for n in range(n_columns)), ",".join("1" * n_columns)]
    contest_services.upload_table(
        actor=cast.oscar, contest=contest, name="wide.csv", data="\n".join(lines).encode(), **more
    )


def test_who_has_organized_a_contest_does_not_play_in_it(cast):
    """A former organizer has seen the answer key; leaving the organizers does not make them forget it."""
    second = factories.make_user("olga", is_organizer=True)
    cast.contest.organizers.add(second)
    contest_services.remove_organizer(actor=cast.oscar, contest=cast.contest, user_id=second.pk)
    with pytest.raises(RefusedError, match="answer key"):
        services.create_team(user=second, contest=cast.contest, name="Green")


# One team, one budget


SEXES = {"query": {"columns": ["sex"]}, "epsilon": "1"}


@pytest.fixture
def asking(cast):
    """Eve plays alone in the interactive round of a contest about a hidden table."""
    contest = factories.make_dp_contest(organizer=cast.oscar)
    team = services.create_team(user=cast.eve, contest=contest, name="Lone")
    return {"user": cast.eve, "team": team, "round": contest.rounds.get(key="interactive")}


def test_a_new_team_brings_no_new_budget(cast, asking):
    ask(**asking, **SEXES)
    team = asking["team"]
    blue = factories.make_team(team.contest, "Blue", cast.carol)
    link = services.invite(user=cast.carol, team=blue)
    services.leave_team(user=cast.eve, team=team)

    with pytest.raises(RefusedError) as refusal:
        services.create_team(user=cast.eve, contest=team.contest, name="Again")
    assert refusal.value.code == "has_asked"
    with pytest.raises(RefusedError) as refusal:
        services.join_team(user=cast.eve, invitation=link)
    assert refusal.value.code == "has_asked"


def test_who_has_asked_for_nothing_may_still_join_another_team(cast, asking):
    team = asking["team"]
    services.leave_team(user=cast.eve, team=team)

    assert services.create_team(user=cast.eve, contest=team.contest, name="Again").contest


def test_who_leaves_the_team_while_an_answer_is_computed_gets_none(cast, asking, monkeypatch):
    def leave(*_args):
        services.leave_team(user=cast.eve, team=asking["team"])
        return [7, 5]

    monkeypatch.setattr(disclosing, "noisy_counts", leave)

    with pytest.raises(SubmissionRefused) as refusal:
        ask(**asking, **SEXES)

    assert refusal.value.code == "not_allowed"
    assert not Answer.objects.exists()


def test_zeros_at_the_end_of_an_epsilon_are_kept_nowhere(asking):
    zeros = 60_000 * "0"
    first = ask(**asking, query={"columns": ["sex"]}, epsilon=f"0.25{zeros}")
    with pytest.raises(QueryRefused) as refusal:
        ask(**asking, query={"columns": ["age"]}, epsilon=f"1.{zeros}")

    event = Event.objects.get(kind="query.answered")
    assert (event.data["epsilon"], event.data["spent"]) == ("0.25", "0.25")
    assert not ask(**asking, query={"columns": ["sex"]}, epsilon="0.25").is_new
    assert first.is_new
    assert refusal.value.params == {"expected": "0.75", "got": "1"}
