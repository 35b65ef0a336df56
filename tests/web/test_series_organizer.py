# SPDX-License-Identifier: Apache-2.0
"""The organizer's tables of several times: upload, confirmation, warnings; and teams when people run out."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from pwscup.accounts import services as accounts
from pwscup.contests import services
from pwscup.contests.forms import ColumnsForm
from pwscup.contests.models import Contest, TableDraft
from pwscup.contests.selectors import original_of
from pwscup.contests.teams import tables as team_tables
from pwscup.formats.series import setup
from pwscup.submissions import draws
from pwscup.submissions import services as submissions
from pwscup.submissions.services import SubmissionRefused
from scoring.formats.sequential.bundles import pack, unpack
from scoring.tables.schema import Role, Schema
from tests import factories

DATA, COLUMNS, GENERATE = (f"/organize/waves/data/{end}" for end in ("", "columns/", "generate/"))
HEADER = b"patient,age,zip,disease\n"
FIRST = HEADER + b"ann,30,12000,flu\nben,40,13000,asthma\ncho,50,14000,flu\n"
SECOND = HEADER + b"ann,30,12000,flu\nben,40,13000,asthma\ndan,60,15000,migraine\n"


@pytest.fixture
def draft(cast) -> Contest:
    """A contest of sequential release as it is created, with 20 people for each team."""
    contest = services.create_contest(
        actor=cast.oscar,
        ruleset="sequential-release",
        title="Waves",
        slug="waves",
        starts_at=timezone.now(),
    )
    Contest.objects.filter(pk=contest.pk).update(ruleset_text=factories.series_ruleset().text)
    return Contest.objects.get(pk=contest.pk)


def upload(client, data: bytes, name: str = "tables.zip"):
    version = Contest.objects.get(slug="waves").version
    fields = {"version": version, "table": SimpleUploadedFile(name, data)}
    return client.post(DATA, fields, follow=True)


def filled(**changes) -> dict:
    """The columns as the page proposes them; `disease={"role": …}` changes one."""
    contest = Contest.objects.get(slug="waves")
    schema = TableDraft.objects.get(contest=contest).schema
    form = ColumnsForm(schema, version=contest.version, roles=contest.format.setup.ROLES)
    data = {"version": contest.version}
    for one in form.columns:
        values = {name: one[name].value() for name in one.fields} | changes.get(one.column_name, {})
        values = {name: value for name, value in values.items() if value not in (None, False)}
        data |= {f"{one.prefix}-{name}": value for name, value in values.items()}
    return data


def confirm(client, **changes):
    return client.post(COLUMNS, filled(**changes) | {"confirm": "1"}, follow=True)


def check(client, **changes):
    return client.post(COLUMNS, filled(**changes) | {"check": "1"})


def said(response) -> str:
    return " ".join(str(message) for message in response.context["messages"])


def problems(response) -> list[tuple]:
    return [(p.file, p.row, p.column, p.what, *p.details) for p in response.context["problems"]]


# Upload


def test_an_archive_of_tables_is_uploaded_and_confirmed(oscar, draft):
    page = oscar.get(DATA).content.decode()
    assert "Tables of all times (zip)" in page
    assert 'accept=".zip,application/zip"' in page
    assert 'name="n_sampled"' not in page
    response = upload(oscar, factories.hospital_tables())
    roles = {column.name: column.role for column in TableDraft.objects.get().schema.columns}
    assert roles == {
        "patient": Role.IDENTIFIER,
        "age": Role.QUASI_IDENTIFIER,
        "zip": Role.QUASI_IDENTIFIER,
        "disease": Role.SENSITIVE,
    }
    shown = response.content.decode()
    assert "not confirmed" in shown
    assert "cross column" not in shown
    assert "Column of attack E2" not in shown
    assert "All values match" in check(oscar).content.decode()
    response = confirm(oscar)
    assert "tables are now the contest" in said(response)
    dataset, shown = original_of(draft), response.content.decode()
    assert f"3 tables of {dataset.n_people} people, with 180 records and" in shown
    assert f"That is enough for {dataset.n_people // 20} teams of 20 each." in shown
    assert "badge text-bg-success" in shown
    assert "What participants get" not in shown


def test_the_confirmed_tables_can_be_downloaded_by_organizers_alone(oscar, cast, as_user, draft):
    upload(oscar, factories.hospital_tables())
    confirm(oscar)
    Contest.objects.filter(slug="waves").update(is_published=True)
    address = reverse("original", args=["waves"])
    answer = oscar.get(address)
    assert answer["Content-Type"] == "application/zip"
    assert 'filename="waves-original.zip"' in answer["Content-Disposition"]
    archive = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))
    assert archive.namelist() == ["T1.csv", "T2.csv", "T3.csv"]
    factories.make_team(Contest.objects.get(slug="waves"), "Green", cast.eve)
    assert as_user(cast.eve).get(address).status_code == 404
    assert "3 tables of" in oscar.get("/organize/waves/").content.decode()


BROKEN = {
    "no archive": (FIRST, ("not a zip archive", "")),
    "a hole": (pack({"T1.csv": FIRST, "T3.csv": SECOND}), ("missing", "T2.csv")),
    "another name": (pack({"T1.csv": FIRST, "notes.csv": b"a\n"}), ("another name", "notes.csv")),
    "other columns": (
        pack({"T1.csv": FIRST, "T2.csv": SECOND.replace(b"age", b"years")}),
        ("column", "T2"),
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_archive_is_said_to_be(oscar, draft, name):
    data, words = BROKEN[name]
    response = upload(oscar, data)
    text = " ".join(str(part) for problem in problems(response) for part in problem)
    for word in words:
        assert word in text
    assert not TableDraft.objects.exists()


UNREADABLE = {
    "a cell without end": (b'eve,70,16000,"' + b"x" * 200_000 + b'"\n', None, "cell on line 5"),
    "a line without end": (b"eve,70,16000," + b"x" * 2_000_000 + b"\n", None, "line 5 is too long"),
    "a quotation mark": (b'eve,70,16000,"flu\n', None, "quotation mark"),
    "a short record": (b"eve,70\n", 4, "wrong number of cells"),
    "another encoding": ("eve,70,16000,風邪".encode("cp932") + b"\x85\x40\n", None, "encoding"),
}


@pytest.mark.parametrize("place", [1, 2])
@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_is_told_of_the_table_that_it_is_in(oscar, draft, name, place):
    more, row, words = UNREADABLE[name]
    files = {"T1.csv": FIRST, "T2.csv": SECOND}
    files[f"T{place}.csv"] += more
    response = upload(oscar, pack(files))
    assert response.status_code == 200
    [problem] = problems(response)
    assert problem[:2] == (f"T{place}.csv", row)
    assert words in problem[3]
    assert not TableDraft.objects.exists()


def test_tables_that_do_not_fit_each_other_are_told_with_table_and_record(oscar, draft):
    changed = SECOND.replace(b"12000,flu", b"12000,asthma")
    back = HEADER + b"cho,50,14000,flu\nben,41,13000,asthma\nben,41,13000,asthma\n"
    upload(oscar, pack({"T1.csv": FIRST, "T2.csv": changed, "T3.csv": back}))
    found = problems(check(oscar))
    assert [(file, row, column) for file, row, column, *_ in found] == [
        ("T2.csv", 1, "disease"),
        ("T3.csv", 1, "patient"),
        ("T3.csv", 3, "patient"),
    ]


@pytest.mark.parametrize(
    ("changes", "expected", "got"),
    [
        ({"patient": {"role": "other"}}, "expected one identifier", "got 0"),
        ({"zip": {"role": "identifier"}}, "expected one identifier", "got 2"),
        ({"disease": {"role": "other"}}, "expected one sensitive column", "got 0"),
        (
            {name: {"role": "other"} for name in ("age", "zip")},
            "expected at least one quasi-identifier",
            "got 0",
        ),
        ({"zip": {"kind": "category", "values": ""}}, "values of a category in their order", "no"),
        (
            {"disease": {"role": "quasi_identifier"}, "age": {"role": "sensitive"}},
            "expected a sensitive category",
            "integer",
        ),
    ],
)
def test_columns_that_do_not_fit_a_series_are_said_to_be(oscar, draft, changes, expected, got):
    upload(oscar, pack({"T1.csv": FIRST, "T2.csv": SECOND}))
    response = check(oscar, **changes)
    [problem] = [p for p in problems(response) if "columns do not fit" in p[3]]
    assert problem[0] == "columns"
    assert expected in " ".join(problem[4:])
    assert got in " ".join(problem[4:])
    assert response.context["column_rows"]
    assert original_of(draft) is None


def test_columns_that_do_not_fit_are_told_in_japanese_alone(oscar, draft):
    upload(oscar, pack({"T1.csv": FIRST, "T2.csv": SECOND}))
    changes = {name: {"role": "other"} for name in ("patient", "age", "zip", "disease")}
    oscar.cookies["django_language"] = "ja"
    answer = check(oscar, **changes)
    details = [" ".join(problem[4:]) for problem in problems(answer)]
    assert details == [
        "期待：識別子は1列 実際：0列",
        "期待：機微属性は1列 実際：0列",
        "期待：準識別子は1列以上 実際：0列",
    ]


def test_too_few_people_for_one_team_are_refused(oscar, draft):
    upload(oscar, pack({"T1.csv": FIRST, "T2.csv": SECOND}))
    assert "4 individuals, but by the rules each team gets 20" in said(confirm(oscar))
    assert original_of(draft) is None


# Made-up tables


def test_a_made_up_hospital_needs_one_confirmation(oscar, draft):
    fields = {"version": draft.version, "n_records": 150, "n_tables": 2}
    response = oscar.post(GENERATE, fields, follow=True)
    made = TableDraft.objects.get()
    assert (made.file.name, made.n_records) == ("hospital-150x2.zip", 300)
    assert "hospital-150x2.zip" in response.content.decode()
    confirm(oscar)
    assert original_of(draft).n_tables == 2


@pytest.mark.parametrize(
    ("n_records", "n_tables", "words"),
    [
        (99, 2, "Patients in each table"),
        (100_001, 2, "100000"),
        (100, 1, "Tables"),
        (100, 21, "20"),
    ],
)
def test_a_hospital_of_another_size_is_refused_in_the_form(
    oscar, draft, n_records, n_tables, words
):
    fields = {"version": draft.version, "n_records": n_records, "n_tables": n_tables}
    response = oscar.post(GENERATE, fields)
    [messages] = response.context["generate_form"].errors.values()
    assert words in f"{messages} {response.content.decode()}"
    assert not TableDraft.objects.exists()


# Warnings


def test_a_value_that_is_too_frequent_is_worth_knowing(oscar, draft):
    response = upload(oscar, pack({"T1.csv": FIRST, "T2.csv": SECOND}))
    [words] = response.context["warnings"]
    assert words.startswith(
        "In table 1, 2 of 3 records have “flu” in “disease”, more than one in 2"
    )
    response = upload(oscar, pack({"T1.csv": SECOND, "T2.csv": SECOND}))
    assert response.context["warnings"] == []


def test_values_that_nobody_can_guess_are_worth_knowing(oscar, draft):
    """A blank guess is none, so that a blank value is found by nobody."""
    blank = (
        SECOND.replace(b"60,15000,migraine", b"60,15000,") + b"eve,70,16000,flu\neli,71,16000,\n"
    )
    response = upload(oscar, pack({"T1.csv": blank, "T2.csv": blank}))
    assert "" in TableDraft.objects.get().schema.column("disease").values
    [words] = response.context["warnings"]
    assert words.startswith("“disease” may be empty, and an empty guess means no guess")
    response = upload(oscar, pack({"T1.csv": SECOND, "T2.csv": SECOND}))
    assert response.context["warnings"] == []


@pytest.mark.parametrize(("n_values", "is_told"), [(2, False), (1, True), (0, True)])
def test_fewer_values_than_a_group_needs_are_worth_knowing(draft, n_values, is_told):
    """Whether the schema lists them or the tables have no more; the other warning says no more than this."""
    schema = factories.make_series_contest().datasets.get().schema
    spec = draft.ruleset.sequential
    [sensitive] = [c for c in schema.columns if c.role is Role.SENSITIVE]
    most = {"value": "flu", "n": 3, "of": 3, "table": 1}
    listed = replace(sensitive, values=tuple("abc"[:n_values]))
    seen = {sensitive.name: {"n_distinct": n_values, "most_frequent": most}}
    for column, described in ((listed, {}), (replace(sensitive, values=None), seen)):
        columns = tuple(column if c is sensitive else c for c in schema.columns)
        found = setup.of_series(Schema(columns), spec, described, None)
        assert [words.endswith("can ever be m-unique.") for words in found] == (
            [True] if is_told else [False] * bool(described)
        )


@pytest.mark.parametrize(
    ("n_parts", "n_teams", "left", "is_open", "words"),
    [
        (5, 3, 2, True, ""),
        (3, 3, 0, True, "suffice for 3 teams, and none are left"),
        (3, 3, 0, False, ""),
        (3, 5, 0, True, "and there are 5: 2 would have no tables"),
        (1, 0, 1, True, "suffice for 1 team, and nobody could attack"),
    ],
)
def test_few_people_are_worth_knowing(draft, n_parts, n_teams, left, is_open, words):
    room = setup.Room(n_parts, n_teams, left, is_open=is_open)
    spec, schema = draft.ruleset.sequential, factories.make_series_contest().datasets.get().schema
    found = setup.of_series(schema, spec, {}, room)
    assert len(found) == bool(words)
    assert words in " ".join(found)


def test_the_page_counts_the_teams(cast, oscar):
    contest = factories.make_series_contest(organizer=cast.oscar, tables=tables_for(2))
    assert oscar.get(f"/organize/{contest.slug}/data/").context["warnings"] == []
    factories.make_team(contest, "Red", cast.alice)
    factories.make_team(contest, "Blue", cast.carol)
    [words] = oscar.get(f"/organize/{contest.slug}/data/").context["warnings"]
    assert "none are left: no other team can be created" in words


# Teams when people run out


def tables_for(n_teams: int) -> bytes:
    """Two tables with people for so many teams, and some who are left over."""
    lines = unpack(factories.hospital_tables(400, 1), "T", file="x")["T"][1].splitlines()
    table = b"\n".join(lines[: n_teams * factories.HOSPITAL_PEOPLE + 6]) + b"\n"
    return pack({"T1.csv": table, "T2.csv": table})


@pytest.fixture
def narrow(cast) -> Contest:
    """A contest with people for two teams: Red has its tables, nobody else anything."""
    contest = factories.make_series_contest(organizer=cast.oscar, tables=tables_for(2))
    red = factories.make_team(contest, "Red", cast.alice)
    assert draws.ensure_drawn(red) is not None
    return contest


def found(cast, contest, user, name="Green"):
    return accounts.create_team(user=user, contest=contest, name=name)


def test_a_team_for_which_no_people_are_left_is_not_founded(cast, narrow, as_user):
    assert team_tables.n_teams_left(narrow) == 1
    found(cast, narrow, cast.bob)
    assert team_tables.n_teams_left(narrow) == 0  # promised, not drawn
    with pytest.raises(accounts.RefusedError) as refusal:
        found(cast, narrow, cast.carol, "Blue")
    assert refusal.value.code == "no_people_left"
    client = as_user(cast.carol)
    address = reverse("team", args=[narrow.slug])
    assert "none are left for another team" in client.get(address).content.decode()
    client.post(reverse("team-create", args=[narrow.slug]), {"name": "Blue"})
    assert narrow.teams.count() == 2


def test_a_team_may_still_be_joined(cast, narrow):
    green = found(cast, narrow, cast.bob)
    invitation = accounts.invite(user=cast.bob, team=green)
    accounts.join_team(user=cast.carol, invitation=invitation)
    assert green.memberships.count() == 2


def test_a_team_that_everybody_left_keeps_nobody_out(cast, narrow):
    green = found(cast, narrow, cast.bob)
    accounts.leave_team(user=cast.bob, team=green)
    assert team_tables.n_teams_left(narrow) == 1


def test_house_teams_and_invited_ones_count(cast, narrow):
    house = factories.make_team(narrow, "House")
    assert team_tables.n_teams_left(narrow) == 1
    type(house).objects.filter(pk=house.pk).update(is_house=True)
    assert team_tables.n_teams_left(narrow) == 0


def test_a_list_of_more_teams_than_people_is_refused(cast, narrow):
    text = "Green,,green@example.org\nBlue,,blue@example.org\n"
    with pytest.raises(services.TeamListRefused, match="names 2 teams — expected at most 1"):
        services.set_up_teams(actor=cast.oscar, contest=narrow, text=text)
    [green] = services.set_up_teams(
        actor=cast.oscar, contest=narrow, text="Green,,green@example.org\n"
    )
    assert team_tables.n_teams_left(narrow) == 0
    services.revoke_invitation(
        actor=cast.oscar, contest=narrow, invitation_id=green.invitations.get().pk
    )
    assert team_tables.n_teams_left(narrow) == 1


def test_the_organizers_see_for_how_many_teams_people_are_left(cast, narrow, oscar):
    page = oscar.get(reverse("organize-teams", args=[narrow.slug])).content.decode()
    assert "there are enough for 1 more team." in page
    page = oscar.get(reverse("organize-teams", args=[cast.contest.slug])).content.decode()
    assert "people of its own" not in page


def test_where_teams_share_people_there_is_always_room(cast):
    assert team_tables.n_teams_left(cast.contest) is None
    assert team_tables.n_teams_left(factories.make_lecture_contest()) is None
    assert cast.contest.has_room()


def test_a_team_without_people_sees_why(cast, narrow, as_user):
    for name, user in (("Green", cast.bob), ("Blue", cast.carol)):
        factories.make_team(narrow, name, user)
    assert draws.ensure_drawn(narrow.teams.get(slug="green")) is not None
    blue = narrow.teams.get(slug="blue")
    page = as_user(cast.carol).get(reverse("round", args=[narrow.slug, "release"]))
    assert "were all assigned to other teams" in page.content.decode()
    assert page.context["form"] is None
    assert (
        "assigned to other teams" in as_user(cast.carol).get(f"/c/{narrow.slug}/").content.decode()
    )
    with pytest.raises(SubmissionRefused) as refusal:
        submissions.submit(
            user=cast.carol,
            team=blue,
            round=narrow.rounds.get(key="release"),
            files={"series": ("series.zip", b"PK")},
            arrived_at=timezone.now(),
        )
    assert refusal.value.code == "team.no_tables"
