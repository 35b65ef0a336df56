# SPDX-License-Identifier: Apache-2.0
"""Presentations: slides that are only ever downloaded, an order that nobody chose, marks by several judges."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from types import SimpleNamespace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from pwscup.accounts import services as account_services
from pwscup.core.models import Event
from pwscup.submissions import selectors, services
from pwscup.submissions.judging import grades
from pwscup.submissions.models import JudgeMark, Submission
from tests import factories
from tests.web import archives, lecture, pipeline
from tests.web.pipeline import scored

pytestmark = pytest.mark.usefixtures("sent")

PDF = b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%%EOF\n"
CRITERIA = ("policy", "algorithm", "appeal")


@pytest.fixture
def cup(cast) -> SimpleNamespace:
    """The presentation round is open; jane and judy judge."""
    found = lecture.contest_of(cast, phase="presentation")
    found.round = lecture.round_of(found.contest, "presentation")
    found.jane, found.judy = factories.make_user("jane"), factories.make_user("judy")
    found.contest.judges.add(found.jane, found.judy)
    return found


def url(cup, name: str = "marks", *more: str) -> str:
    return reverse(name, args=[cup.contest.slug, cup.round.key, *more])


def filled(team_points: dict, *, seen: int = 0) -> dict[str, str]:
    """A sent form: by team the points of the three criteria, None for an empty field."""
    data = {"seen": str(seen)}
    for team, points in team_points.items():
        for key, value in zip(CRITERIA, points, strict=True):
            data[f"{key}-{team.slug}"] = "" if value is None else str(value)
    return data


def save(cup, judge, team_points: dict, seen: int = 0) -> int:
    given = {
        (team.pk, key): Decimal(points)
        for team, all_points in team_points.items()
        for key, points in zip(CRITERIA, all_points, strict=True)
    }
    return grades.save(user=judge, round=cup.round, given=given, seen=seen)


def hand_in_slides(cup, user, team, data: bytes = PDF, name: str = "talk.pdf") -> Submission:
    return services.submit(
        user=user,
        team=team,
        round=cup.round,
        files={"slides": (name, data)},
        arrived_at=timezone.now(),
    )


def close(cup) -> None:
    pipeline.close(cup.round)
    cup.round.refresh_from_db()


# Slides


def test_slides_are_kept_and_not_scored(cast, cup, as_user):
    found = scored(hand_in_slides(cup, cast.alice, cup.red))
    assert found.state == "scored"
    assert selectors.latest_evaluation(found).values == {}
    page = as_user(cast.alice).get(reverse("submission", args=[found.public_id]))
    assert "They are not scored" in page.text
    assert '<span class="state state-scored">received</span>' in page.text
    assert ">scored<" not in page.text
    listed = as_user(cast.oscar).get(reverse("organize-submissions", args=[cup.contest.slug])).text
    assert '<span class="state state-scored">received</span>' in listed
    assert '<span class="state state-scored">scored</span>' not in listed


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"age,city\n1,A\n", "file.not_pdf"),
        (b"<html>%PD F</html>", "file.not_pdf"),
        (b"\n" * 1024 + PDF, "file.not_pdf"),
        (b"", "file.empty"),
    ],
)
def test_what_is_no_pdf_is_refused_whatever_it_is_called(cast, cup, data, code):
    with pytest.raises(services.SubmissionRefused) as refused:
        hand_in_slides(cup, cast.alice, cup.red, data)
    assert refused.value.code == code
    assert not Submission.objects.filter(round=cup.round).exists()


def test_a_pdf_in_pieces_is_taken_whole(cast, cup):
    pieces = [b"%P", b"DF-1.4", b"x" * 2000, b"%%EOF"]
    found = services.submit(
        user=cast.alice,
        team=cup.red,
        round=cup.round,
        files={"slides": ("a.pdf", pieces)},
        arrived_at=timezone.now(),
    )
    assert found.files.get().file.size_bytes == sum(map(len, pieces))


def test_nothing_at_all_is_refused(cast, cup, as_user):
    with pytest.raises(services.SubmissionRefused) as refused:
        services.submit(
            user=cast.alice, team=cup.red, round=cup.round, files={}, arrived_at=timezone.now()
        )
    assert refused.value.code == "file.none"
    answer = as_user(cast.alice).post(url(cup, "round"), {"note": "x"})
    assert answer.status_code == 422
    assert "Nothing was submitted: choose a file." in answer.text


def test_who_downloads_slides_and_how(cast, cup, as_user):
    scored(hand_in_slides(cup, cast.alice, cup.red))
    where = url(cup, "slides", "red")

    def statuses():
        people = (None, cast.eve, cast.bob, cast.carol, cup.jane, cast.oscar)
        return [as_user(person).get(where).status_code for person in people]

    assert statuses() == [302, 404, 200, 404, 200, 200]
    answer = as_user(cup.jane).get(where)
    assert answer.content == PDF
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"].startswith("attachment")
    assert as_user(cup.jane).get(url(cup, "slides", "blue")).status_code == 404
    assert as_user(cup.jane).get(url(cup, "slides", "nobody")).status_code == 404
    close(cup)
    assert statuses() == [302, 404, 200, 200, 200, 200]
    reads = Event.objects.filter(kind="truth.read", actor=cup.jane)
    assert reads.filter(data__reason__startswith="download of").exists()


# The order


def test_the_order_is_the_same_for_all_and_no_team_moves_another(cast, cup, as_user):
    first = [team.slug for team in grades.speakers(cup.round)]
    assert sorted(first) == ["blue", "red"]
    factories.make_team(cup.contest, "Green", cast.eve)
    house = factories.make_team(cup.contest, "Robot")
    type(house).objects.filter(pk=house.pk).update(is_house=True)
    later = [team.slug for team in grades.speakers(cup.round)]
    assert sorted(later) == ["blue", "green", "red"]
    assert [slug for slug in later if slug != "green"] == first
    for person in (None, cast.alice, cup.jane):
        text = as_user(person).get(url(cup, "round")).text
        names = [name.capitalize() for name in later]
        body = text[text.index('id="order-title"') :]
        places = [body.index(f">{name}</th>") for name in names]
        assert places == sorted(places)


def test_other_commitments_give_other_orders(cast, cup):
    for n in range(12):  # of so many teams no two orders are the same by chance
        factories.make_team(cup.contest, f"Team {n}")
    orders = set()
    for commitment in ("a" * 64, "b" * 64, "c" * 64):
        cup.round.contest.commitment = commitment
        orders.add(tuple(team.pk for team in grades.speakers(cup.round)))
    assert len(orders) == 3


# Marks


def test_a_judge_marks_and_changes_only_what_changed(cup, as_user):
    jane = as_user(cup.jane)
    answer = jane.post(url(cup), filled({cup.red: (80, 70.5, 90), cup.blue: (60, None, None)}))
    assert answer.status_code == 302
    assert JudgeMark.objects.count() == 4
    seen = grades.last_of(cup.round, cup.jane)
    data = filled({cup.red: (80, 70.5, 85), cup.blue: (60, None, 50)}, seen=seen)
    jane.post(url(cup), data)
    rows = JudgeMark.objects.order_by("pk").values_list("team__name", "criterion", "points")
    assert list(rows)[4:] == [(name, "appeal", points) for name, points in _in_order(cup)]
    held = grades.own_marks(cup.round, cup.jane)
    assert held[cup.red.pk, "appeal"] == 85
    text = jane.get(url(cup)).text
    assert "1 of your grades is still missing" in text
    assert "Blue: Algorithm" in text
    assert 'value="70.5"' in text
    event = Event.objects.filter(kind="marks.saved").last()
    assert (event.actor, event.data) == (cup.jane, {"n_marks": 2})


def _in_order(cup):
    points = {"Red": Decimal(85), "Blue": Decimal(50)}
    return [(team.name, points[team.name]) for team in grades.speakers(cup.round)]


@pytest.mark.parametrize("wrong", ["-1", "100.01", "80.123", "many", "NaN", "1e9"])
def test_one_wrong_mark_and_none_is_saved(cup, as_user, wrong):
    data = filled({cup.red: (80, wrong, 90), cup.blue: (10, 20, 30)})
    answer = as_user(cup.jane).post(url(cup), data)
    assert answer.status_code == 422
    assert "Nothing was saved" in answer.text
    assert "Red, Algorithm" in answer.text
    assert not JudgeMark.objects.exists()


def test_a_mark_that_was_given_is_not_taken_back(cup, as_user):
    save(cup, cup.jane, {cup.red: (1, 2, 3)})
    seen = grades.last_of(cup.round, cup.jane)
    data = filled({cup.red: (1, None, 3)}, seen=seen)
    answer = as_user(cup.jane).post(url(cup), data)
    assert answer.status_code == 422
    assert "not removed" in answer.text


def test_an_older_page_overwrites_nothing(cup, as_user):
    save(cup, cup.jane, {cup.red: (1, 2, 3)})
    answer = as_user(cup.jane).post(url(cup), filled({cup.red: (9, 9, 9)}), follow=True)
    assert "from another window" in answer.text
    assert grades.own_marks(cup.round, cup.jane)[cup.red.pk, "policy"] == 1
    # Another judge's marks are no reason.
    assert save(cup, cup.judy, {cup.red: (9, 9, 9)}) == 3


def test_marks_are_given_while_the_round_is_open(cast, cup, as_user):
    opens_at = cup.round.opens_at
    with pytest.raises(grades.MarkRefused, match="while the presentation round is open"):
        grades.save(
            user=cup.jane, round=cup.round, given={}, seen=0, now=opens_at - timedelta(seconds=1)
        )
    close(cup)
    with pytest.raises(grades.MarkRefused) as refused:
        save(cup, cup.jane, {cup.red: (1, 2, 3)})
    assert refused.value.code == "closed"
    assert "The round has closed" in as_user(cup.jane).get(url(cup)).text


@pytest.mark.parametrize("key", [(0, "policy"), (None, "beauty")])
def test_a_mark_for_what_there_is_not_is_refused(cup, key):
    team, criterion = key
    given = {(cup.red.pk if team is None else team, criterion): Decimal(5)}
    with pytest.raises(grades.MarkRefused) as refused:
        grades.save(user=cup.jane, round=cup.round, given=given, seen=0)
    assert refused.value.code == "unknown"


def test_who_sees_the_marks(cast, cup, as_user):
    people = (None, cast.eve, cast.alice, cast.carol, cup.jane, cast.oscar)
    assert [as_user(p).get(url(cup)).status_code for p in people] == [302, 404, 404, 404, 200, 200]
    answers = [as_user(p).post(url(cup), {}).status_code for p in people]
    assert answers == [302, 404, 404, 404, 422, 422]
    attack = reverse("marks", args=[cup.contest.slug, "attack"])
    assert as_user(cast.oscar).get(attack).status_code == 404


def test_a_judge_sees_own_marks_and_an_organizer_all_of_them(cast, cup, as_user):
    save(cup, cup.jane, {cup.red: ("91.25", 80, 70)})
    save(cup, cup.judy, {cup.red: ("33.75", 60, 50)})
    jane, oscar = (as_user(person).get(url(cup)).text for person in (cup.jane, cast.oscar))
    assert "91.25" in jane
    assert "33.75" not in jane
    assert "62.50" not in jane
    assert all(shown in oscar for shown in ("91.25", "33.75", "62.50", "Jane", "Judy"))


def test_a_team_sees_its_own_means_once_the_round_is_settled(cast, cup, as_user):
    save(cup, cup.jane, {cup.red: ("91.25", 80, 70), cup.blue: (11, 12, 13)})
    save(cup, cup.judy, {cup.red: ("33.75", 60, 50)})
    assert "62.50" not in as_user(cast.alice).get(url(cup, "round")).text
    close(cup)
    alice, carol, eve = (
        as_user(person).get(url(cup, "round")).text for person in (cast.alice, cast.carol, cast.eve)
    )
    assert all(shown in alice for shown in ("62.50", "70.00", "60.00"))
    assert "91.25" not in alice
    assert "11.00" not in alice
    assert "11.00" in carol
    assert "62.50" not in carol
    assert "62.50" not in eve


def test_a_judge_does_not_play_and_a_player_does_not_judge(cast, cup):
    with pytest.raises(account_services.RefusedError, match="Judges of this contest"):
        account_services.create_team(user=cup.jane, contest=cup.contest, name="Judges")
    cup.contest.judges.add(cast.alice)
    with pytest.raises(grades.MarkRefused):
        save(cup, cast.alice, {cup.blue: (100, 100, 100)})


def test_a_judge_has_no_key_and_no_tables(cast, cup, as_user):
    jane = as_user(cup.jane)
    slug = cup.contest.slug
    closed = [
        reverse("original", args=[slug]),
        reverse("team-data", args=[slug, "red", "original.csv"]),
        reverse("organize-data", args=[slug]),
        reverse("organize-submissions", args=[slug]),
    ]
    assert [jane.get(address).status_code for address in closed] == [404] * 4


def test_the_pages_ask_as_often_for_thirty_teams_as_for_three(cast, cup, as_user):
    oscar, asked = as_user(cast.oscar), []
    for n in range(30):
        team = factories.make_team(cup.contest, f"Team {n}")
        JudgeMark.objects.create(
            round=cup.round, team=team, judge=cup.jane, criterion="policy", points=n
        )
        if n in (2, 29):
            for name in ("marks", "round"):
                with CaptureQueriesContext(connection) as queries:
                    assert oscar.get(url(cup, name)).status_code == 200
                asked.append(len(queries))
    assert asked[:2] == asked[2:]


def test_the_overview_leads_a_judge_to_the_marks(cast, cup, as_user):
    overview = f"/c/{cup.contest.slug}/"
    assert url(cup) in as_user(cup.jane).get(overview).text
    assert url(cup) not in as_user(cast.alice).get(overview).text
    assert url(cup) not in as_user(cast.eve).get(overview).text


# Comments


def comment(cup, client, judge, team, text: str):
    seen = grades.last_of(cup.round, judge)
    return client.post(url(cup), {"seen": str(seen), f"comment--{team.slug}": text})


def test_comments_are_read_by_their_team_when_grades_are_shown(cast, cup, as_user):
    jane, judy = as_user(cup.jane), as_user(cup.judy)
    assert comment(cup, jane, cup.jane, cup.red, "Too fast <b>").status_code == 302
    comment(cup, judy, cup.judy, cup.red, "Clear slides")
    comment(cup, judy, cup.judy, cup.blue, "Where is k?")
    page = judy.get(url(cup)).text
    assert "Clear slides" in page
    assert "Too fast" not in page
    organizer = as_user(cast.oscar).get(url(cup)).text
    assert all(shown in organizer for shown in ("Too fast &lt;b&gt;", "Where is k?", "Jane"))
    assert "Clear slides" not in as_user(cast.alice).get(url(cup, "round")).text
    close(cup)
    alice, carol, eve, other = (
        as_user(person).get(url(cup, "round")).text
        for person in (cast.alice, cast.carol, cast.eve, cup.jane)
    )
    assert all(shown in alice for shown in ("Too fast &lt;b&gt;", "Clear slides"))
    assert not any(hidden in alice for hidden in ("Jane", "Where is k?"))
    assert "Where is k?" in carol
    for stranger in (carol, eve, other):
        assert "Clear slides" not in stranger


def test_a_comment_is_changed_and_taken_back_and_two_windows_exclude_each_other(cup, as_user):
    jane = as_user(cup.jane)
    comment(cup, jane, cup.jane, cup.red, "Good")
    jane.post(url(cup), {"seen": "0", f"comment--{cup.red.slug}": "from another window"})
    assert grades.comments_on(cup.round, cup.red) == ["Good"]
    jane.post(url(cup), {"seen": "1"})  # a page without the field changes nothing
    assert grades.comments_on(cup.round, cup.red) == ["Good"]
    comment(cup, jane, cup.jane, cup.red, "")
    assert grades.comments_on(cup.round, cup.red) == []
    events = Event.objects.filter(kind="marks.saved")
    assert [event.data for event in events] == [{"n_marks": 0, "n_comments": 1}] * 2
    assert comment(cup, jane, cup.jane, cup.red, "x" * 2001).status_code == 422


def test_an_archive_holds_comments(cast, cup, as_user, unsent):
    comment(cup, as_user(cup.jane), cup.jane, cup.red, "Good")
    save(cup, cup.judy, {cup.red: (1, 2, 3)})
    data = archives.bytes_of(archives.written(cup.contest, cast.oscar))
    copy = archives.imported(cast.oscar, data).contest
    red = copy.teams.get(slug=cup.red.slug)
    assert grades.comments_on(lecture.round_of(copy, "presentation"), red) == ["Good"]
    public = archives.written(cup.contest, cast.oscar, with_key=False)
    assert "comments.json" not in archives.entries(archives.bytes_of(public))


# The timer


def test_the_timer_has_the_teams_in_order_and_the_organizer_s_minutes(cast, cup, as_user):
    for person in (cast.oscar, cup.jane):
        page = as_user(person).get(url(cup, "timer")).text
        assert 'data-talk="600" data-questions="300"' in page
    names = [f"<li>{team.name}</li>" for team in grades.speakers(cup.round)]
    assert "".join(names) in page
    short = as_user(cast.oscar).get(url(cup, "timer"), {"talk": "3", "questions": "0"}).text
    assert 'data-talk="180" data-questions="0"' in short
    for wrong in ({"talk": "0"}, {"talk": "x"}, {"questions": "-1"}, {"talk": "999"}):
        assert 'data-talk="600"' in as_user(cast.oscar).get(url(cup, "timer"), wrong).text
    assert as_user(cast.alice).get(url(cup, "timer")).status_code == 404
