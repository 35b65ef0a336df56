# SPDX-License-Identifier: Apache-2.0
"""Short names of teams: proposed, typed, in a list, changed while nothing carries them, and unlike any other."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from pwscup.accounts import guests, selectors, services
from pwscup.accounts.models import Team
from pwscup.accounts.names.short_names import clean_short_name, romanized, short_name_of
from pwscup.accounts.services import RefusedError
from pwscup.archives.naming import called, renamer
from pwscup.contests import services as contests
from pwscup.contests.teams import lists
from pwscup.contests.teams.tables import in_files
from pwscup.core.models import Event
from tests import factories
from tests.web import pipeline
from tests.web.test_names import JAPANESE


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("さくら", "sakura"),
        ("しろくま", "shirokuma"),
        ("ﾆｬﾝｺ", "nyanko"),
        ("まっちゃ", "matcha"),
        ("がっこう", "gakkou"),
        ("チームファイト", "chimufaito"),
        ("ティー・ジャズ", "ti-jazu"),
        ("あっ", "a"),
        ("工学部", ""),
        ("さくら隊", ""),
    ],
)
def test_kana_are_read(name, read):
    assert romanized(name) == read


def test_what_is_proposed_can_be_used():
    taken: set[str] = set()
    for name in (*JAPANESE, "CON", "nul", "original", "さくら", "サクラ", "Red"):
        short = short_name_of(name, taken)
        assert short.startswith("team-") or clean_short_name(short) == short
        assert short not in taken
        taken.add(short)
    assert {"con-2", "nul-2", "original-2", "sakura", "sakura-2", "red"} <= taken


@pytest.mark.parametrize("typed", ["a", "-ab", "ab-", "a--b", "a_b", "桜", "a b", "x" * 25, "a/b"])
def test_other_forms_are_refused(typed):
    with pytest.raises(ValidationError) as refused:
        clean_short_name(typed)
    assert refused.value.code == "form"


@pytest.mark.parametrize("typed", ["con", "LPT1", "original", "team", "team-7", "teamred"])
def test_reserved_names_are_refused(typed):
    with pytest.raises(ValidationError) as refused:
        clean_short_name(typed)
    assert refused.value.code == "reserved"


def test_width_and_case_do_not_matter():
    assert clean_short_name(" Ｓａｋｕｒａ ") == "sakura"


def test_no_team_is_called_team_twice_in_file_names():
    assert (in_files("red"), in_files("team-1")) == ("teamred", "team-1")


# Choosing one


def test_a_short_name_is_chosen_when_a_team_is_created(cast, as_user):
    page = as_user(cast.eve)
    url = reverse("team-create", args=["cup"])
    for taken in ("red", "b1ue", "blue"):
        again = page.post(url, {"name": "桜組", "short_name": taken})
        assert again.status_code == 422
        assert "has or had this short name, or one that looks like it" in again.text
    assert page.post(url, {"name": "桜組", "short_name": "con"}).status_code == 422
    assert not Team.objects.filter(name="桜組").exists()
    page.post(url, {"name": "桜組", "short_name": "Sakura"})
    assert Team.objects.get(name="桜組").slug == "sakura"
    shown = page.get(reverse("team", args=["cup"])).text
    assert "In file names and URLs: <code>sakura</code>" in shown


def test_nobody_takes_the_reading_of_another_teams_name(cast):
    Team.objects.filter(pk=cast.blue.pk).update(name="さくら")
    with pytest.raises(RefusedError) as refused:
        services.choose_short_name(user=cast.alice, team=cast.red, short_name="sakura")
    assert refused.value.code == "short_name_taken"
    services.choose_short_name(user=cast.carol, team=cast.blue, short_name="sakura")


def test_a_captain_changes_it_until_something_carries_it(cast, as_user):
    captain, url = as_user(cast.alice), reverse("team-short-name", args=["cup"])
    captain.post(url, {"short_name": "crimson"})
    captain.post(url, {"short_name": "red"})  # back to what only this team had
    captain.post(url, {"short_name": "crimson"})
    cast.red.refresh_from_db()
    assert cast.red.slug == "crimson"
    events = Event.objects.filter(kind="team.short_name_changed").order_by("id")
    assert [event.data["before"] for event in events] == ["red", "crimson", "red"]
    assert selectors.current_slugs(cast.contest) == {"red": "crimson", "crimson": "crimson"}
    assert as_user(cast.bob).post(url, {"short_name": "scarlet"}).status_code == 302
    assert as_user(cast.carol).post(url, {"short_name": "red"}).status_code == 422  # once Red's
    pipeline.hand_in(cast.alice, cast.red, pipeline.round_of(cast.contest, "anonymization"))
    captain.post(url, {"short_name": "scarlet"})
    cast.red.refresh_from_db()
    assert cast.red.slug == "crimson"
    assert "Change short name" not in captain.get(reverse("team", args=["cup"])).text


def test_organizers_change_it_too(cast, as_user, oscar):
    url = reverse("organize-team-short-name", args=["cup"])
    assert 'value="red"' in oscar.get(reverse("organize-teams", args=["cup"])).text
    oscar.post(url, {"team": cast.red.pk, "short_name": "crimson"})
    cast.red.refresh_from_db()
    assert cast.red.slug == "crimson"
    for wrong in ("blue", "team-9", "é"):
        answer = oscar.post(url, {"team": cast.red.pk, "short_name": wrong}, follow=True)
        assert "alert-danger" in answer.text
    Team.objects.filter(pk=cast.red.pk).update(is_house=True)
    assert oscar.post(url, {"team": cast.red.pk, "short_name": "ok"}).status_code == 404


def test_who_left_a_team_is_known_under_its_new_short_name(cast):
    """One person plays in one team, whatever that team is called by now."""
    dan = factories.make_user("dan")
    green = services.create_team(user=cast.eve, contest=cast.contest, name="Green")
    services.join_open_team(user=dan, team=green)
    services.leave_team(user=dan, team=green)
    for short in ("lime", "moss"):
        services.choose_short_name(user=cast.eve, team=green, short_name=short)
    green.refresh_from_db()
    pipeline.hand_in(cast.eve, green, pipeline.round_of(cast.contest, "anonymization"))
    with pytest.raises(RefusedError) as refused:
        services.create_team(user=dan, contest=cast.contest, name="Yellow")
    assert refused.value.code == "has_played"


def test_an_archive_still_knows_former_names(cast):
    services.rename_team(user=cast.alice, team=cast.red, name="Crimson")
    services.choose_short_name(user=cast.alice, team=cast.red, short_name="scarlet")
    teams = called(cast.contest, "none")
    assert renamer(cast.contest, teams)("Red won") == f"{teams[cast.red.pk].name} won"


def test_a_class_code_takes_one(cast):
    code = guests.create_code(actor=cast.oscar, contest=cast.contest, seats=5)
    _person, team = contests.join_class(
        code=code, user=None, name="A", team_name="桜", short_name="sakura"
    )
    assert team.slug == "sakura"


# Lists


@pytest.mark.parametrize("heading", ["short_name", "短縮名"])
def test_a_list_has_a_column(cast, heading):
    text = f"チーム名,{heading},メールアドレス\n桜,sakura,a@example.org\n桜,,b@example.org\nうめ,,c@example.org\n"
    made = contests.set_up_teams(actor=cast.oscar, contest=cast.contest, text=text)
    assert [(team.name, team.slug) for team in made] == [("桜", "sakura"), ("うめ", "ume")]
    assert made[0].invitations.count() == 2


def test_a_list_names_all_problems_of_short_names(cast):
    text = """team,division,short_name,email
A1,,red,a1@example.org
A2,,crimson,a2@example.org
A2,,scarlet,a3@example.org
A4,,crirnson,a4@example.org
A5,,桜,a5@example.org
A6,,con,a6@example.org
さくら,,,a7@example.org
A8,,sakura,a8@example.org
"""
    found = lists.read(cast.contest, text)
    said = [(problem.line, problem.words) for problem in found.problems]
    assert [line for line, _ in said] == [2, 3, 4, 5, 6, 7, 9]
    assert "another team has the short name “red”" in said[0][1]
    assert "by line 3 — got “scarlet”" in said[2][1]
