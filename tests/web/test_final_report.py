# SPDX-License-Identifier: Apache-2.0
"""The final report: its numbers are those of the boards, nothing hidden is in it, and who gets it when."""

from __future__ import annotations

import base64
import re
from datetime import timedelta
from html.parser import HTMLParser

import pytest
from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from pwscup.contests.models import Contest, Division, Interruption, RulesetVersion, Sponsor
from pwscup.core import jobs
from pwscup.core.models import Event, StoredFile
from pwscup.leaderboards.services import boards_of
from pwscup.reports import selectors, services
from pwscup.reports.facts import gather
from pwscup.reports.models import FinalReport
from pwscup.submissions.decisions import rulings
from pwscup.submissions.models import Release, Ruling, Submission
from tests import factories
from tests.web import board_facts

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("announced")]
LANGUAGES = [code for code, _name in settings.LANGUAGES]
State = FinalReport.State


@pytest.fixture
def oscar():
    return factories.make_user("oscar", is_organizer=True)


@pytest.fixture
def game(oscar):
    """The contest of ranks, played to its end."""
    played = board_facts.game(factories.make_contest(organizer=oscar))
    played.oscar = oscar
    return played


@pytest.fixture
def lecture(oscar):
    played = board_facts.lecture()
    played.contest.organizers.add(oscar)
    played.oscar = oscar
    return played


@pytest.fixture
def in_english(settings):
    """Reports are written in one language: to draw the pictures of another takes as long again."""
    settings.LANGUAGES = [("en", "English")]


@pytest.fixture
def without_pictures(monkeypatch):
    """Pages are written at once: the test is about who gets them."""
    from pwscup.reports import page

    def document(facts, *, language):
        rows = facts.groups[0].boards[0].data["rows"]
        return f'<html lang="{language}">{", ".join(row["name"] for row in rows)}'

    monkeypatch.setattr(page, "document", document)


def fresh(contest) -> Contest:
    return Contest.objects.get(pk=contest.pk)


def written(contest, actor, **asked) -> FinalReport:
    report = services.request_report(actor=actor, contest=fresh(contest), **asked)
    assert jobs.work_on(FinalReport, report.pk)
    report.refresh_from_db()
    return report


def published(contest, actor, **asked) -> FinalReport:
    written(contest, actor, **asked)
    return services.publish_report(actor=actor, contest=fresh(contest))


class Tables(HTMLParser):
    """Every table of a page by its class: rows of cells, a number as it stands in `value`."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: dict[str, list[list[list[object]]]] = {}
        self._cell: list[object] | None = None
        self._rows: list[list[object]] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        if tag == "table":
            self._rows = []
            self.found.setdefault(named["class"].split()[-1], []).append(self._rows)
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._cell = []
        elif tag == "data" and self._cell is not None:
            self._cell.append(float(named["value"]))

    def handle_endtag(self, tag):
        if tag in ("td", "th") and self._cell is not None:
            numbers = [part for part in self._cell if isinstance(part, float)]
            words = "".join(part for part in self._cell if isinstance(part, str))
            self._rows[-1].append(numbers[0] if numbers else words.strip())
            self._cell = None

    def handle_data(self, data):
        if self._cell is not None:
            self._cell.append(data)


def tables(html: str, kind: str) -> list[list[list[object]]]:
    """The bodies of the tables of one kind."""
    return [rows[1:] for rows in Tables(html).found.get(kind, [])]


def words_of(html: str) -> str:
    """What a reader sees, in pictures too, without the coordinates of what is drawn."""
    return re.sub(r"<[^>]*>", " ", html[html.index("<body") :])


def unpacked(html: str) -> str:
    """The page with the CSV files of its pictures as text."""
    packed = re.compile(r"data:text/csv[^,]*,([^\"]*)")
    return packed.sub(lambda found: base64.b64decode(found[1]).decode(), html)


def totals(rows):
    return [[row["rank"], row["name"], row["total"]] for row in rows]


# Numbers


def test_the_boards_of_ranks_are_those_that_everybody_sees(game, sketched):
    report = written(game.contest, game.oscar)
    boards = boards_of(fresh(game.contest), timezone.now()).data
    for language in LANGUAGES:
        assert_boards_of_ranks(selectors.page_of(report, language), boards)


def assert_boards_of_ranks(html, boards):
    (overall,) = tables(html, "board-overall")
    assert [row[:3] for row in overall] == totals(boards["overall"]["rows"])
    (anonymization,) = tables(html, "board-anonymization")
    for row, shown in zip(boards["anonymization"]["rows"], anonymization, strict=True):
        assert shown[1:6] == [row["name"], *(row[k] for k in RANKED)]
        assert shown[6:] == [cell["value"] for cell in row["cells"]]
    (attack,) = tables(html, "board-attack")
    assert [row[1:3] for row in attack] == [
        [row["name"], row["mean_rate"]] for row in boards["attack"]["rows"]
    ]
    (matrix,) = tables(html, "board-matrix")
    for row, shown in zip(boards["matrix"]["rows"], matrix, strict=True):
        assert shown[0] == row["name"]
        assert shown[1:] == [
            "×" if cell["own"] else "–" if cell["rate"] is None else cell["rate"]
            for cell in row["cells"]
        ]


RANKED = ("total", "utility_rank", "safety_rank", "worst_rate")


def test_the_boards_of_scores_and_the_marks_on_pages_that_stand_alone(lecture, sketched):
    report = written(lecture.contest, lecture.oscar)
    boards = boards_of(fresh(lecture.contest), timezone.now()).data
    for language in LANGUAGES:
        html = selectors.page_of(report, language)
        assert f'<html lang="{language}">' in html
        assert_boards_of_scores(html, boards)
        assert_stands_alone_and_says_what_pictures_show(html)


def assert_boards_of_scores(html, boards):
    (score,) = tables(html, "board-score")
    assert [row[:3] for row in score] == totals(boards["score"]["rows"])
    for row, shown in zip(boards["score"]["rows"], score, strict=True):
        assert shown[3:] == [
            "–" if cell["value"] is None else cell["value"] for cell in row["cells"]
        ]
    (measures,) = tables(html, "board-measures")
    assert {row[1]: row[2] for row in measures} == board_facts.LOSSES
    # Red: by the first judge 90 80 70, by the second 60 60 60; Blue: 50 throughout.
    (marks,) = tables(html, "marks")
    assert marks == [["Red", 75.0, 70.0, 65.0, 70.0], ["Blue", 50.0, 50.0, 50.0, 50.0]]


def assert_stands_alone_and_says_what_pictures_show(html):
    assert not re.search(r"<(script|link|img|iframe|object)\b", html)
    assert not re.findall(r'(?:src|href)="(?!#|data:)[^"]*"', html.replace("xmlns:xlink", ""))
    pictures = re.findall(r"<svg[^>]*>", html)
    assert len(pictures) >= 8
    assert all('role="img"' in one and re.search(r'aria-label="[^"]+"', one) for one in pictures)
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))


def test_a_season_and_each_of_its_stages(oscar, in_english, sketched):
    contest = board_facts.contest_of("pwscup2015-season", n_closed=4, slug="season")
    contest.organizers.add(oscar)
    for name in ("Red", "Blue"):
        factories.make_team(contest, name)
    first, first_attack, last, last_attack = contest.rounds.all()
    for table, attack in ((first, first_attack), (last, last_attack)):
        for team, values in zip(
            contest.teams.all(), (board_facts.RED, board_facts.BLUE), strict=True
        ):
            board_facts.release(
                board_facts.scored(team, table, board_facts.values_of(values)), attack
            )
    html = selectors.page_of(written(contest, oscar), "en")
    season = boards_of(fresh(contest), timezone.now(), is_season=True).data["season"]
    (shown,) = tables(html, "board-season")
    assert [row[:3] for row in shown] == totals(season["rows"])
    assert [row[3:] for row in shown] == [
        [cell["total"] for cell in row["cells"]] for row in season["rows"]
    ]
    assert len(tables(html, "board-overall")) == 2
    assert (
        html.index("<h2>Season</h2>")
        < html.index("<h2>Final</h2>")
        < html.index("<h2>Preliminary</h2>")
    )


def test_the_data_are_described_by_their_size_and_roles(game, in_english, sketched):
    html = selectors.page_of(written(game.contest, game.oscar), "en")
    data = html.partition("<h2>Data</h2>")[2].partition("</section>")[0]
    dataset = game.contest.datasets.get(team=None)
    assert f"Records: {dataset.n_records:,}" in data
    columns = re.findall(r"<tr>.*?</tr>", data, re.DOTALL)
    assert len(columns) == 1 + len(dataset.schema.public().columns)
    assert "quasi-identifier" in data


def test_each_division_has_its_board(game, in_english, sketched):
    students = Division.objects.create(contest=game.contest, key="students", title="Students")
    game.contest.teams.filter(name__in=("Red", "Green")).update(division=students)
    html = selectors.page_of(written(game.contest, game.oscar), "en")
    boards = boards_of(fresh(game.contest), timezone.now(), division=students).data
    everybody, own = tables(html, "board-overall")
    assert {row[1] for row in everybody} == {"Red", "Blue", "Green"}
    assert [row[:3] for row in own] == totals(boards["overall"]["rows"])
    assert "<h2>Division: Students</h2>" in html


def test_counts_decisions_versions_interruptions_and_proofs(game, in_english, sketched):
    """Submissions that were taken back do not count, and a version that never applied is not shown."""
    contest, now = game.contest, timezone.now()
    scored = Submission.objects.filter(round__contest=game.contest).count()
    for state in ("rejected", "cancelled"):
        Submission.objects.create(
            round=game.anonymization,
            team=game.teams["Red"],
            number=70 if state == "rejected" else 71,
            arrived_at=game.anonymization.opens_at,
            state=state,
        )
    RulesetVersion.objects.create(
        contest=contest, number=1, text=contest.ruleset_text, digest="a" * 64, applied_at=now
    )
    RulesetVersion.objects.create(
        contest=contest, number=2, text=contest.ruleset_text, digest="b" * 64, note="NEVER-APPLIED"
    )
    Interruption.objects.create(
        contest=contest,
        kind="outage",
        started_at=game.attack.opens_at,
        ended_at=game.attack.opens_at + timedelta(minutes=90),
        reason="The disk was full.",
    )
    for name in ("ACME & Sons", "Two"):
        Sponsor.objects.create(contest=contest, name=name, url="https://example.org/")
    stored = StoredFile.objects.create(
        area="published", path="reveal", name="reveal.json", sha256="e" * 64, size_bytes=1
    )
    Contest.objects.filter(pk=contest.pk).update(
        commitment="c" * 64, reveal=stored, revealed_at=now
    )
    html = selectors.page_of(written(contest, game.oscar), "en")
    facts = {
        row[0]: row[1] for rows in Tables(html).found["facts"] for row in rows if len(row) == 2
    }
    assert facts["Submissions"] == str(scored + 1)
    assert facts["scored"] == str(scored)
    assert facts["rejected"] == "1"
    assert facts["Teams"] == "3"
    assert facts["Sponsors"] == "ACME & Sons, Two"
    assert "a" * 64 in html
    assert "NEVER-APPLIED" not in html
    assert "The disk was full." in html
    assert "1 hour 30 minutes" in html
    assert "c" * 64 in html
    assert "e" * 64 in html
    event = re.search(r"Audit trail, event (\d+).*?<code>([0-9a-f]{64})</code>", html)
    assert Event.objects.get(seal__contest_id=contest.pk, seal__hash=event[2]).seal.position == int(
        event[1]
    )


@pytest.mark.parametrize(
    ("days", "n_steps", "step"), [(1, 25, 1 / 24), (5, 6, 1), (366, 184, 2), (73_000, 366, 200)]
)
def test_submissions_of_centuries_have_no_bar_a_day(game, days, n_steps, step, sketched):
    first = game.anonymization.opens_at.replace(minute=0, second=0, microsecond=0)
    submissions = Submission.objects.filter(round__contest=game.contest)
    submissions.update(arrived_at=first)
    submissions.filter(pk=submissions.latest("pk").pk).update(arrived_at=first + timedelta(days))
    found = gather(fresh(game.contest), timezone.now()).arrivals
    assert (len(found.starts), found.step / timedelta(days=1)) == (n_steps, step)
    counts = [sum(column) for column in zip(found.scored, found.rejected, found.other, strict=True)]
    assert (counts[0], counts[-1], sum(counts)) == (len(submissions) - 1, 1, len(submissions))


def test_disqualified_teams_are_a_number_unless_they_may_be_named(game, settings, sketched):
    blue = game.teams["Blue"]
    blue.name = "Unmentionable"
    blue.save()
    Ruling.objects.create(team=blue, kind="disqualified", reason="CANARY-REASON")
    report = written(game.contest, game.oscar)
    for language in LANGUAGES:
        assert "Unmentionable" not in selectors.page_of(report, language)
    settings.LANGUAGES = [("en", "English")]
    html = selectors.page_of(written(game.contest, game.oscar, names_disqualified=True), "en")
    assert "<td>1 (Unmentionable)</td>" in html
    assert "CANARY-REASON" not in html


# The page


def test_names_of_any_kind_break_nothing(game, settings):
    settings.LANGUAGES = [("ja", "日本語")]
    names = {"Red": "<b>$\\frac$ & co</b>", "Blue": "匿名加工チーム🎉", "Green": "W" * 40}
    for old, new in names.items():
        game.contest.teams.filter(name=old).update(name=new)
    html = selectors.page_of(written(game.contest, game.oscar), "ja")
    assert "<b>$" not in html
    (overall,) = tables(html, "board-overall")
    assert {row[1] for row in overall} == set(names.values())
    assert "テスト杯" in html


# What is hidden


def test_no_byte_tells_of_a_hidden_measure(noon, game, lecture, settings, sketched):
    """The values of U5 and of the attack EUC2 are in no page, in whatever form.

    At another time of the day midnights lie elsewhere in the picture of the rounds, at any decimals.
    """
    languages = settings.LANGUAGES
    settings.LANGUAGES = [("en", "English")]
    canary = 0.123456789
    for submission in game.submissions.values():
        evaluation = submission.evaluations.get()
        evaluation.values |= {"U5": canary, "EUC2": canary}
        evaluation.save()
    html = selectors.page_of(written(game.contest, game.oscar), "en")
    assert "0.123456789" in html
    assert "U5,0.123456789," in unpacked(html)
    assert "12.35" in words_of(html)
    assert [row[0] for row in tables(html, "board-matrix")[0] if row[0] == "EUC2"] == ["EUC2"]
    Contest.objects.filter(pk=game.contest.pk).update(hidden_measures=["U5", "EUC2"])
    settings.LANGUAGES = languages
    report = written(game.contest, game.oscar)
    for language in LANGUAGES:
        html = unpacked(selectors.page_of(report, language))
        assert "0.12345" not in html
        assert not re.search(r"0\.123|12\.3", words_of(html))
        assert "EUC2" not in [row[0] for row in tables(html, "board-matrix")[0]]
    settings.LANGUAGES = [("en", "English")]
    Contest.objects.filter(pk=lecture.contest.pk).update(hidden_measures=["LOSS"])
    html = unpacked(selectors.page_of(written(lecture.contest, lecture.oscar), "en"))
    assert words_of(html).count("58.33") == 1  # the mean of the rates on Red
    assert not re.search(r"0\.4166|41\.67", html)
    assert "Team,Protection,Attack,Presentation\r\n" in html
    assert not tables(html, "board-measures")


# When, and for whom


def test_a_contest_that_goes_on_or_is_frozen_has_no_report(game):
    contest, oscar = game.contest, game.oscar
    game.attack.closes_at = timezone.now() + timedelta(hours=1)
    game.attack.save()
    with pytest.raises(services.ContestRefused, match="Rounds are not over yet"):
        services.request_report(actor=oscar, contest=fresh(contest))
    board_facts.move_to(contest, "after")
    Contest.objects.filter(pk=contest.pk).update(frozen_at=timezone.now())
    with pytest.raises(services.ContestRefused, match="frozen"):
        services.request_report(actor=oscar, contest=fresh(contest))
    Contest.objects.filter(pk=contest.pk).update(frozen_at=None)
    Submission.objects.filter(round=game.attack).update(state="waiting")
    with pytest.raises(services.ContestRefused, match="still being scored"):
        services.request_report(actor=oscar, contest=fresh(contest))
    assert not FinalReport.objects.exists()


def test_a_contest_that_is_frozen_meanwhile_gets_no_page(game):
    report = services.request_report(actor=game.oscar, contest=fresh(game.contest))
    Contest.objects.filter(pk=game.contest.pk).update(frozen_at=timezone.now())
    jobs.work_on(FinalReport, report.pk)
    report.refresh_from_db()
    assert report.state == State.FAILED
    assert report.reference
    assert not report.pages.exists()


def test_only_what_was_published_is_handed_out(game, as_user, without_pictures):
    contest, visitor = game.contest, as_user(None)
    url = reverse("report", args=[contest.slug])
    overview = reverse("contest", args=[contest.slug])
    written(contest, game.oscar)
    assert visitor.get(url).status_code == 404
    assert url not in visitor.get(overview).content.decode()
    services.publish_report(actor=game.oscar, contest=fresh(contest))
    answer = visitor.get(url, {"language": "ja"})
    assert answer.status_code == 200
    assert '<html lang="ja">' in answer.content.decode()
    assert "sandbox" in answer["Content-Security-Policy"]
    assert "default-src 'none'" in answer["Content-Security-Policy"]
    assert url in visitor.get(overview).content.decode()
    event = Event.objects.get(kind="contest.report_published")
    assert event.actor == game.oscar
    # Frozen, open again, or hidden since: nobody gets what may not be seen now.
    rows = Contest.objects.filter(pk=contest.pk)
    rows.update(frozen_at=timezone.now())
    assert visitor.get(url).status_code == 404
    rows.update(frozen_at=None, hidden_measures=["U5"])
    assert visitor.get(url).status_code == 404
    rows.update(hidden_measures=[])
    assert visitor.get(url).status_code == 200
    board_facts.move_to(contest, "attack")
    assert visitor.get(url).status_code == 404


def test_a_board_for_teams_alone_makes_a_report_for_teams_alone(game, as_user, without_pictures):
    member, stranger = factories.make_user("member"), factories.make_user("stranger")
    factories.make_team(game.contest, "Late", member)
    published(game.contest, game.oscar)
    Contest.objects.filter(pk=game.contest.pk).update(board_audience="teams")
    url = reverse("report", args=[game.contest.slug])
    got = [as_user(user).get(url).status_code for user in (None, stranger, member, game.oscar)]
    assert got == [404, 404, 200, 200]


def test_a_new_version_takes_the_place_of_the_old_one(game, as_user, without_pictures):
    first = published(game.contest, game.oscar)
    with pytest.raises(services.ContestRefused, match="already published"):
        services.publish_report(actor=game.oscar, contest=fresh(game.contest))
    game.contest.teams.filter(name="Red").update(name="Crimson")
    second = written(game.contest, game.oscar)
    url = reverse("report", args=[game.contest.slug])
    assert "Crimson" not in as_user(None).get(url).content.decode()
    services.publish_report(actor=game.oscar, contest=fresh(game.contest))
    assert "Crimson" in as_user(None).get(url).content.decode()
    assert [r.pk for r in selectors.published_versions(game.contest)] == [second.pk, first.pk]


def test_a_version_whose_boards_have_changed_is_not_published(game, without_pictures):
    written(game.contest, game.oscar)
    Ruling.objects.create(team=game.teams["Red"], kind="disqualified", reason="r")
    with pytest.raises(services.ContestRefused, match="have changed"):
        services.publish_report(actor=game.oscar, contest=fresh(game.contest))
    published(game.contest, game.oscar)


def test_one_report_is_written_at_a_time(game, announced, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        report = services.request_report(actor=game.oscar, contest=fresh(game.contest))
    assert announced == [report.pk]
    with pytest.raises(services.ContestRefused, match="is being written"):
        services.request_report(actor=game.oscar, contest=fresh(game.contest))


# The job


def test_a_dead_workers_report_is_taken_back(game, without_pictures):
    report = services.request_report(actor=game.oscar, contest=fresh(game.contest))
    lost = jobs.claim(FinalReport, report.pk)
    FinalReport.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    jobs.sweep()
    report.refresh_from_db()
    assert report.state == State.WAITING
    assert jobs.work_on(FinalReport, report.pk)
    assert not jobs.attend(lost)
    report.refresh_from_db()
    assert report.state == State.DONE
    assert report.pages.count() == len(LANGUAGES)
    assert Event.objects.filter(kind="contest.report_done").count() == 1


def test_a_failure_has_a_reference_and_the_page_names_it(game, as_user, monkeypatch):
    from pwscup.reports import page

    monkeypatch.setattr(page, "document", lambda *_a, **_k: 1 / 0)
    report = written(game.contest, game.oscar)
    assert report.state == State.FAILED
    assert Event.objects.get(kind="contest.report_failed").data["reference"] == report.reference
    url = reverse("organize-report", args=[game.contest.slug])
    assert report.reference in as_user(game.oscar).get(url).content.decode()


# The organizer's page


def test_from_the_page_to_everybody(game, as_user, without_pictures):
    browser, slug = as_user(game.oscar), game.contest.slug
    url = reverse("organize-report", args=[slug])
    assert b"Create report" in browser.get(url).content
    assert b"Include names of disqualified teams" not in browser.get(url).content
    rulings.disqualify(actor=game.oscar, team=game.contest.teams.first(), reason="r")
    assert b"Include names of disqualified teams" in browser.get(url).content
    version = fresh(game.contest).version
    assert browser.post(url, {"version": version, "names_disqualified": "on"}).status_code == 302
    report = FinalReport.objects.get()
    assert report.names_disqualified
    status = reverse("organize-report-status", args=[slug])
    assert "hx-get" in browser.get(status).content.decode()
    jobs.work_on(FinalReport, report.pk)
    assert "hx-get" not in browser.get(status).content.decode()
    assert browser.get(status, headers={"HX-Request": "true"})["HX-Refresh"] == "true"
    preview = reverse("organize-report-preview", args=[slug])
    assert preview in browser.get(url).content.decode()
    assert '<html lang="ja">' in browser.get(preview, {"language": "ja"}).content.decode()
    publish = reverse("organize-report-publish", args=[slug])
    browser.post(publish, {"version": version})  # from a page that is too old
    assert as_user(None).get(reverse("report", args=[slug])).status_code == 404
    browser.post(publish, {"version": fresh(game.contest).version})
    assert as_user(None).get(reverse("report", args=[slug])).status_code == 200
    assert "Published versions" in browser.get(url).content.decode()


def test_the_page_says_why_there_is_no_report_yet(oscar, as_user):
    contest = factories.make_contest(organizer=oscar)
    url = reverse("organize-report", args=[contest.slug])
    answer = as_user(oscar).get(url).content.decode()
    assert answer.count("Rounds are not over yet") == 2
    as_user(oscar).post(url)
    assert not FinalReport.objects.exists()


def test_no_team_adds_a_query(django_assert_max_num_queries, oscar):
    counts = []
    for n_more, slug in ((0, "few"), (20, "many")):
        played = board_facts.game(factories.make_contest(slug, organizer=oscar))
        for n in range(n_more):
            team = factories.make_team(played.contest, f"Team {n}")
            values = board_facts.values_of(board_facts.BLUE)
            submission = board_facts.scored(team, played.anonymization, values)
            board_facts.release(submission, played.attack)
        assert Release.objects.filter(round=played.attack).count() == 3 + n_more
        with django_assert_max_num_queries(150) as captured:
            from pwscup.reports import facts

            facts.gather(fresh(played.contest), timezone.now())
        counts.append(len(captured))
    assert counts[0] == counts[1]
