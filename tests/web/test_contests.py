# SPDX-License-Identifier: Apache-2.0
"""The front page, a contest's overview, and its downloads."""

from __future__ import annotations

import hashlib
import tomllib
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from django.urls import reverse
from django.utils import timezone

from pwscup.contests import guidance, services
from pwscup.contests.models import Contest
from pwscup.contests.selectors import MOST_WINNERS
from pwscup.core.files import storage
from scoring.tables.reading import read_table
from scoring.tables.schema import Schema
from scoring.tables.text import UTF8_BOM
from scoring.tables.validation import read_submission
from tests import factories

NAMES = ("Ishikawa", "Tanaka", "Suzuki", "Watanabe")
HIDDEN = (
    b"name,qi1,qi2,qi3,sa1,sa2\n"
    b"Ishikawa,2,1,1,100,100\nTanaka,2,1,1,200,400\nSuzuki,1,1,2,300,200\nWatanabe,1,1,2,400,500\n"
)
HIDDEN_SCHEMA = (
    '[[column]]\nname = "name"\nrole = "identifier"\nkind = "category"\n' + factories.SCHEMA
)
DOWNLOADS = (
    ("original", []),
    ("schema", []),
    ("sample", ["anonymized.csv"]),
    ("sample", ["rows.csv"]),
)


def body(response) -> bytes:
    return b"".join(response.streaming_content) if response.streaming else response.content


@pytest.fixture
def hiding(cast):
    """The cast's contest on a table with a column that nobody but its organizers may see."""
    services.attach_dataset(
        actor=cast.oscar,
        contest=cast.contest,
        data=HIDDEN,
        schema=Schema.from_toml(HIDDEN_SCHEMA),
    )
    return cast


def move(contest: Contest, days: float) -> None:
    """Shift all rounds in time."""
    for round in contest.rounds.all():
        round.opens_at += timedelta(days=days)
        round.closes_at += timedelta(days=days)
        round.save()


# Who sees what


@pytest.mark.parametrize(
    ("name", "arguments", "statuses"),
    [
        ("home", [], (200, 200, 200, 200, 200, 200)),
        ("contest", ["cup"], (200, 200, 200, 200, 200, 200)),
        ("rules", ["cup"], (200, 200, 200, 200, 200, 200)),
        ("schema", ["cup"], (200, 200, 200, 200, 200, 200)),
        ("original", ["cup"], (302, 404, 200, 200, 200, 404)),
        ("sample", ["cup", "anonymized.csv"], (302, 404, 200, 200, 200, 404)),
        ("sample", ["cup", "rows.csv"], (302, 404, 200, 200, 200, 404)),
        ("sample", ["cup", "original.csv"], (302, 404, 404, 404, 404, 404)),
        ("organize", [], (302, 404, 404, 404, 200, 200)),
        ("organize-new", [], (302, 404, 404, 404, 200, 200)),
        ("organize-contest", ["cup"], (302, 404, 404, 404, 200, 404)),
        ("organize-settings", ["cup"], (302, 404, 404, 404, 200, 404)),
        ("organize-data", ["cup"], (302, 404, 404, 404, 200, 404)),
        ("organize-rounds", ["cup"], (302, 404, 404, 404, 200, 404)),
        ("organize-events", ["cup"], (302, 404, 404, 404, 200, 404)),
        ("organize-events-csv", ["cup"], (302, 404, 404, 404, 200, 404)),
    ],
)
def test_get_by_role(hiding, as_user, name, arguments, statuses):
    olga = factories.make_user("olga", is_organizer=True)
    people = (None, hiding.eve, hiding.alice, hiding.carol, hiding.oscar, olga)
    url = reverse(name, args=arguments)
    assert tuple(as_user(one).get(url).status_code for one in people) == statuses


@pytest.mark.parametrize(
    "name",
    [
        "organize-publish",
        "organize-unpublish",
        "organize-organizers",
        "organize-columns",
        "organize-data",
        "organize-rounds",
        "organize-settings",
        "organize-round-open",
        "organize-round-close",
    ],
)
def test_strangers_change_nothing(cast, as_user, name):
    olga = factories.make_user("olga", is_organizer=True)
    arguments = ["cup", "attack"] if "round-" in name else ["cup"]
    url = reverse(name, args=arguments)
    before = Contest.objects.get().version
    for person in (cast.eve, cast.alice, cast.carol, olga):
        assert as_user(person).post(url).status_code == 404
    assert as_user(None).post(url).status_code == 302
    assert Contest.objects.get().version == before


@pytest.mark.parametrize("name", ["contest", "rules", "schema", "original"])
def test_a_draft_is_its_organizers_alone(cast, as_user, name):
    Contest.objects.update(is_published=False)
    url = reverse(name, args=["cup"])
    for person in (None, cast.eve, cast.alice, factories.make_user("olga", is_organizer=True)):
        assert as_user(person).get(url).status_code == 404
    assert as_user(cast.oscar).get(url).status_code == 200
    root = factories.make_user("root", is_superuser=True)
    assert as_user(root).get(url).status_code == 200


# The front page


def test_contests_are_grouped_by_state(cast, as_user):
    titles = {"before": "Winter", "between": "Gap", "after": "Spring"}
    for phase, title in titles.items():
        contest = factories.make_contest(slug=phase, phase=phase)
        Contest.objects.filter(pk=contest.pk).update(title=title)
    factories.make_contest(slug="secret", published=False, organizer=cast.oscar)
    groups = as_user(cast.oscar).get("/").context["groups"]
    slugs = {state: [line.contest.slug for line in lines] for state, lines in groups.items()}
    assert slugs == {
        "running": ["between", "cup"],
        "upcoming": ["before"],
        "finished": ["after"],
        "draft": ["secret"],
    }
    assert as_user(cast.eve).get("/").context["groups"]["draft"] == []
    assert b"secret" not in as_user(None).get("/").content


def test_the_front_page_names_phase_and_teams(cast, as_user):
    page = as_user(None).get("/").content.decode()
    assert "Anonymization round" in page
    assert "2 teams" in page
    assert 'data-until="' in page


def test_an_installation_without_contests_says_so(db, as_user):
    assert "There is no contest yet." in as_user(None).get("/").content.decode()


def test_a_demo_that_is_being_made_says_so(db, as_user, settings):
    settings.DEMO = True
    page = as_user(None).get("/").content.decode()
    assert "The demo contests are being created" in page
    assert "There is no contest yet." not in page
    assert "This is a demo" not in page


def test_a_demo_says_how_to_start(cast, as_user, settings):
    assert "This is a demo" not in as_user(None).get("/").content.decode()
    settings.DEMO = True
    Contest.objects.update(is_demo=True)
    page = as_user(None).get("/").content.decode()
    assert "This is a demo" in page
    assert reverse("account_login") in page


def queries_of(client, url, django_assert_max_num_queries) -> int:
    with django_assert_max_num_queries(40) as captured:
        assert client.get(url).status_code == 200
    return len(captured)


@pytest.mark.parametrize("url", ["/", "/c/cup/", "/c/cup/rules/", "/organize/", "/organize/cup/"])
def test_more_teams_cost_no_more_queries(cast, as_user, url, django_assert_max_num_queries):
    client = as_user(cast.oscar)
    factories.make_team(cast.contest, "Green")
    client.get(url)
    few = queries_of(client, url, django_assert_max_num_queries)
    for number in range(27):
        factories.make_team(cast.contest, f"Team {number}")
    client.get(url)  # boards are computed again once
    assert queries_of(client, url, django_assert_max_num_queries) == few


def test_more_contests_cost_no_more_queries(cast, as_user, django_assert_max_num_queries):
    client = as_user(cast.oscar)
    for number in range(MOST_WINNERS):  # each has a board of its own
        factories.make_contest(slug=f"first-{number}", organizer=cast.oscar)
    client.get("/")  # computes boards, and what is written lets the tests forget
    client.get("/")
    few = queries_of(client, "/", django_assert_max_num_queries)
    for number in range(5):
        factories.make_contest(slug=f"cup-{number}", organizer=cast.oscar)
    client.get("/")
    client.get("/")
    assert queries_of(client, "/", django_assert_max_num_queries) == few


# The overview


@pytest.mark.parametrize(
    ("who", "days", "title", "url"),
    [
        (None, 0, "Take part", "/accounts/login/?next=/c/cup/team/"),
        ("eve", 0, "Take part", "/c/cup/team/"),
        ("alice", 0, "“Anonymization round” is open", "/c/cup/round/anonymization/"),
        ("alice", 2, "Your team is ready", ""),
        ("alice", -2, "Your team is ready", ""),
        ("alice", -4, "“Attack round” is open", "/c/cup/round/attack/"),
        ("alice", -9, "This contest is over", "/c/cup/board/"),
        (None, -9, "This contest is over", "/c/cup/board/"),
        ("oscar", 0, "You organize this contest", "/organize/cup/"),
    ],
)
def test_the_next_step(cast, as_user, who, days, title, url):
    move(cast.contest, days)
    step = as_user(who and getattr(cast, who)).get("/c/cup/").context["step"]
    assert (step.title, step.url) == (title, url)


def test_between_two_rounds_the_next_opening_is_named(cast):
    move(cast.contest, -2)
    rounds = list(cast.contest.rounds.all())
    boundary = guidance.next_boundary(rounds, timezone.now())
    assert (boundary.words, boundary.at) == ("Attack round opens in", rounds[1].opens_at)
    move(cast.contest, -9)
    assert guidance.next_boundary(list(cast.contest.rounds.all()), timezone.now()) is None


def test_times_are_shown_on_the_contests_clock(cast, as_user):
    cast.contest.rounds.filter(key="attack").update(
        opens_at=datetime(2031, 6, 30, 22, 30, tzinfo=UTC),
        closes_at=datetime(2031, 7, 30, 22, 30, tzinfo=UTC),
    )
    tokyo = ("Asia/Tokyo", "Japan Standard Time (JST)", "2031-07-01 07:30 JST")
    paris = ("Europe/Paris", "Europe/Paris", "00:30 CEST")
    for zone, name, shown in (tokyo, paris):
        Contest.objects.update(timezone=zone)
        page = as_user(None).get("/c/cup/").content.decode()
        assert shown in page
        assert f"All times in {name}." in page


def test_titles_follow_the_readers_language(cast, as_user):
    client = as_user(None)
    assert "Test Cup" in client.get("/c/cup/").content.decode()
    page = client.get("/c/cup/", headers={"accept-language": "ja"}).content.decode()
    assert "テスト杯" in page
    assert "匿名加工フェーズ" in page


# Downloads


@pytest.mark.parametrize(("name", "arguments"), DOWNLOADS)
def test_downloads_are_attachments_that_no_browser_guesses_about(hiding, as_user, name, arguments):
    response = as_user(hiding.alice).get(reverse(name, args=["cup", *arguments]))
    assert response.status_code == 200
    assert response["Content-Disposition"].startswith('attachment; filename="cup-')
    assert response["X-Content-Type-Options"] == "nosniff"


def test_identifiers_reach_no_participant(hiding, as_user):
    client = as_user(hiding.alice)
    urls = [reverse(name, args=["cup", *arguments]) for name, arguments in DOWNLOADS]
    for url in [*urls, "/c/cup/", "/c/cup/rules/"]:
        found = body(client.get(url)).decode()
        assert not [name for name in NAMES if name in found], url
    columns = tomllib.loads(body(client.get("/c/cup/data/schema.toml")).decode())["column"]
    assert [column["name"] for column in columns] == ["qi1", "qi2", "qi3", "sa1", "sa2"]
    assert body(client.get("/c/cup/data/original.csv")) == UTF8_BOM + factories.ORIGINAL


def test_the_data_open_with_the_first_round(hiding, as_user):
    move(hiding.contest, 3)
    url = "/c/cup/data/original.csv"
    assert as_user(hiding.alice).get(url).status_code == 404
    assert as_user(hiding.oscar).get(url).status_code == 200
    page = as_user(hiding.alice).get("/c/cup/").content.decode()
    assert url not in page
    assert "when the first round opens" in page
    move(hiding.contest, -3)
    assert url in as_user(hiding.alice).get("/c/cup/").content.decode()


def test_the_overview_names_the_bytes_that_are_downloaded(hiding, as_user):
    client = as_user(hiding.alice)
    shown = client.get("/c/cup/").context["downloads"]
    assert [file.key for file in shown] == [
        "original",
        "schema",
        "sample-anonymized",
        "sample-rows",
    ]
    for file in shown:
        data = body(client.get(file.url))
        assert (len(data), hashlib.sha256(data).hexdigest()) == (file.size_bytes, file.sha256)
    assert (shown[0].n_records, shown[0].n_columns) == (4, 5)


@pytest.mark.parametrize("kind", ["integer", "category"])
def test_the_sample_is_accepted_as_it_is(hiding, as_user, kind):
    """With amounts, and on a table without any."""
    text = HIDDEN_SCHEMA
    if kind == "category":
        text = factories.SCHEMA.split("[attacks]")[0].replace('"integer"', '"category"')
        text = text.replace("min = 0\nmax = 1000\n", "")
        services.attach_dataset(
            actor=None,
            contest=hiding.contest,
            data=factories.ORIGINAL,
            schema=Schema.from_toml(text),
        )
    client = as_user(hiding.alice)
    files = SimpleNamespace(
        **{
            key: body(client.get(reverse("sample", args=["cup", f"{key}.csv"])))
            for key in ("anonymized", "rows")
        }
    )
    schema = Schema.from_toml(text).public()
    original = read_table(factories.ORIGINAL, schema, file="original", original=True)
    table, source = read_submission(files.anonymized, files.rows, original=original, schema=schema)
    assert len(table) == len(source) == 4
    assert all(data.startswith(UTF8_BOM) for data in (files.anonymized, files.rows))
    assert (files.anonymized != UTF8_BOM + factories.ORIGINAL) == (kind == "integer")


def test_a_contest_without_a_table_offers_none(cast, as_user):
    cast.contest.datasets.all().delete()
    for name, arguments in DOWNLOADS:
        url = reverse(name, args=["cup", *arguments])
        assert as_user(cast.alice).get(url).status_code == 404
    page = as_user(cast.alice).get("/c/cup/").content.decode()
    assert "The organizers have not uploaded the table yet." in page


def test_quoted_cells_reach_participants_as_they_were_written(cast):
    """Commas, quotation marks, more decimals than a submission may have: the text of a cell is the organizer's."""
    schema = Schema.from_toml(
        '[[column]]\nname = "id"\nrole = "identifier"\nkind = "integer"\n'
        '[[column]]\nname = "job"\nrole = "quasi_identifier"\nkind = "category"\n'
        '[[column]]\nname = "pay"\nrole = "sensitive"\nkind = "number"\n'
    )
    data = '\ufeffid,job,pay\r\n1,"cook, ""chef""",1.50\r\n2,=1+1,2\r\n'.encode()
    dataset = services.attach_dataset(actor=None, contest=cast.contest, data=data, schema=schema)
    assert storage.read(dataset.public) == UTF8_BOM + b'job,pay\n"cook, ""chef""",1.50\n=1+1,2\n'
    assert dataset.sealed.size_bytes == len(data)


def test_the_overview_names_the_contest_once(cast, as_user):
    page = as_user(cast.alice).get("/c/cup/").text
    body = page[page.index("<body") :]
    assert body.count("Test Cup") == 1
    assert '<h1 class="contest-title">Test Cup</h1>' in body
    assert (
        '<a class="contest-title" href="/c/cup/">' in as_user(cast.alice).get("/c/cup/rules/").text
    )
