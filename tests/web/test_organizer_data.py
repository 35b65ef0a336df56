# SPDX-License-Identifier: Apache-2.0
"""The organizer's table: upload, roles of its columns, confirmation, replacement."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from pwscup.contests import services
from pwscup.contests.forms import ColumnForm, ColumnsForm
from pwscup.contests.models import Contest, Dataset, Sample, TableDraft
from pwscup.core.files import storage
from pwscup.core.models import Event, StoredFile
from pwscup.formats.common import table
from pwscup.submissions.models import Submission
from scoring.errors import ProblemsFound
from scoring.tables.schema import Column, Kind, Role, Schema
from scoring.tables.text import UTF8_BOM
from tests import factories
from tests.web.pipeline import counting_by

URL = "/organize/next/data/"
COLUMNS = "/organize/next/data/columns/"
TABLE = (
    b"name,job,hours,pay\n"
    b"Ishikawa,cook,40,100\nTanaka,?,20,200\nSuzuki,cook,40,300\nWatanabe,Sales-rep,38,400\n"
)


def upload(client, contest: Contest, data: bytes, name: str = "people.csv"):
    contest.refresh_from_db()
    fields = {"version": contest.version, "table": SimpleUploadedFile(name, data)}
    return client.post(f"/organize/{contest.slug}/data/", fields, follow=True)


def filled(contest: Contest, **changes) -> dict:
    """The columns as the page proposes them; `pay={"role": …}` changes a column, `e2_column` an attack."""
    contest.refresh_from_db()
    schema = TableDraft.objects.get(contest=contest).schema
    form = ColumnsForm(schema, version=contest.version)
    data = {"version": contest.version}
    for one in form.columns:
        values = {name: one[name].value() for name in one.fields} | changes.get(one.column_name, {})
        values = {
            name: value
            for name, value in values.items()
            if value is not None and value is not False
        }
        data |= {f"{one.prefix}-{name}": value for name, value in values.items()}
    data |= {key: getattr(schema, key) or "" for key in ("e2_column", "e4_column")}
    return data | {key: value for key, value in changes.items() if key.endswith("_column")}


CHOSEN = {
    "name": {"role": "identifier", "kind": "category", "values": ""},
    "job": {"role": "quasi_identifier", "kind": "category", "cross": "on"},
    "hours": {"role": "quasi_identifier", "kind": "integer", "values": "", "cross": False},
    "pay": {"role": "sensitive", "kind": "integer", "values": "", "cross": False},
    "e2_column": "pay",
    "e4_column": "",
}


def confirm(client, contest: Contest, **changes):
    data = filled(contest, **(CHOSEN | changes)) | {"confirm": "1"}
    return client.post(f"/organize/{contest.slug}/data/columns/", data, follow=True)


def said(response) -> str:
    return " ".join(str(message) for message in response.context["messages"])


# Upload


def test_a_table_nobody_prepared_becomes_a_proposal(oscar, draft):
    response = upload(oscar, draft, TABLE)
    kept = TableDraft.objects.get()
    assert (kept.n_records, kept.file.area, kept.file.name) == (4, "draft", "people.csv")
    assert kept.schema.names == ("name", "job", "hours", "pay")
    assert [column["n_distinct"] for column in kept.columns] == [4, 3, 3, 4]
    page = response.content.decode()
    assert "not confirmed" in page
    assert "for example cook" in page
    assert not Dataset.objects.filter(contest=draft).exists()
    assert Event.objects.last().kind == "contest.table_uploaded"


def test_the_records_that_roles_find_are_counted_as_they_change(oscar, draft):
    upload(oscar, draft, TABLE)
    before = TableDraft.objects.get().schema
    figures = filled(draft, **CHOSEN) | {"figures": "1"}
    page = oscar.post(COLUMNS, figures)
    assert (page.context["risk"]["n_unique"], page.context["risk"]["cross"]) == (2, ["job"])
    assert "Unique records: 2 of 4 (50.00 %)" in page.text
    assert "<html" not in page.text
    one = {"role": "quasi_identifier", "kind": "category", "cross": False}
    all_found = oscar.post(COLUMNS, filled(draft, **(CHOSEN | {"name": one})) | {"figures": "1"})
    assert all_found.context["risk"]["n_unique"] == 4
    none = {name: {"role": "other", "cross": False} for name in ("job", "hours")}
    assert (
        "unique"
        not in oscar.post(COLUMNS, filled(draft, **(CHOSEN | none)) | {"figures": "1"}).text
    )
    assert TableDraft.objects.get().schema == before  # figures keep nothing
    review = oscar.post(COLUMNS, filled(draft, **CHOSEN) | {"review": "1"})
    assert "Unique records: 2 of 4" in review.text


BROKEN = {
    "empty": (b"", "the file is empty"),
    "header only": (b"a,b\n", "only a header line"),
    "UTF-16": ("a,b\n1,2\n".encode("utf-16"), "got UTF-16"),
    "CP932": ("名前,職業\n石川,料理人".encode("cp932") + b"\x85\x40\n", "CP932"),
    "binary": (b"a,b\n1,\x00\x01\n", "not a text file"),
    "zip": (b"PK\x03\x04" + bytes(60), "not a text file"),
    "ragged": (b"a,b\n1,2\n3\n4,5,6\n", "wrong number of cells"),
    "repeated column": (b"a,a\n1,2\n", "names a column twice"),
    "column without name": (b"a,\n1,2\n", "column without a name"),
    "open quotation": (b'a,b\n"1,2\n3,4\n', "quotation mark"),
    "reserved column": (b"a,source_row\nx,1\ny,2\n", "reserved"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_said_to_be_and_the_former_stays(oscar, draft, name):
    data, words = BROKEN[name]
    upload(oscar, draft, TABLE)
    response = upload(oscar, draft, data)
    assert response.status_code == 200
    whats = [problem.what + " ".join(problem.details) for problem in response.context["problems"]]
    assert any(words in what for what in whats), whats
    assert TableDraft.objects.get().n_records == 4
    assert response.context["column_rows"]


def test_ragged_records_are_named(oscar, draft):
    problems = upload(oscar, draft, BROKEN["ragged"][0]).context["problems"]
    assert [problem.row for problem in problems] == [2, 3]
    assert problems[0].file == "people.csv"


def test_a_file_above_the_limit_is_refused(oscar, draft, settings):
    settings.MAX_UPLOAD_BYTES = 100
    response = upload(oscar, draft, TABLE + b"x" * 100)
    assert "too large" in str(response.context["upload_form"].errors)
    assert not TableDraft.objects.exists()


def test_a_form_without_a_file_asks_for_one(oscar, draft):
    response = oscar.post(URL, {"version": draft.version})
    assert "Choose a file." in response.content.decode()


def test_another_upload_forgets_the_one_before(
    oscar, draft, settings, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        upload(oscar, draft, TABLE)
        first = settings.PRIVATE_ROOT / TableDraft.objects.get().file.path
        assert first.exists()
        upload(oscar, draft, factories.ORIGINAL)
    assert not first.exists()
    assert TableDraft.objects.get().schema.names == ("qi1", "qi2", "qi3", "sa1", "sa2")
    assert StoredFile.objects.filter(area="draft").count() == 1


def test_drafts_alone_are_ever_discarded(db):
    for area in ("sealed", "published"):
        file = storage.store(b"x", area=area, name="x")
        with pytest.raises(storage.SealedFileError):
            storage.discard_draft(file)
        with pytest.raises(storage.SealedFileError):
            storage.read_draft(file)
    with pytest.raises(storage.SealedFileError):
        storage.read(storage.store(b"x", area="draft", name="x"))


# Columns


def test_confirming_seals_the_whole_and_publishes_the_rest(oscar, draft):
    upload(oscar, draft, TABLE)
    response = confirm(oscar, draft)
    assert said(response) == "The table is now the contest's original."
    dataset = Dataset.objects.get(contest=draft)
    assert (dataset.sealed.area, dataset.public.area) == ("sealed", "published")
    assert storage.read(dataset.public).startswith(UTF8_BOM + b"job,hours,pay\ncook,40,100\n")
    assert dataset.n_records == 4
    assert dataset.schema.column("name").role is Role.IDENTIFIER
    assert (dataset.schema.cross, dataset.schema.e2_column) == (("job",), "pay")
    assert {sample.key for sample in Sample.objects.filter(contest=draft)} == {"anonymized", "rows"}
    event = Event.objects.last()
    assert event.kind == "contest.table_attached"
    assert event.data["roles"]["quasi_identifier"] == "job, hours"
    assert "confirmed" in response.content.decode()


NAMED = b"seqn,\xe6\xb0\x8f\xe5\x90\x8d,job,pay\n" + b"".join(
    f"{70 * i + 1},{'佐藤' if i % 2 else '田中'},{'cook' if i % 3 else 'clerk'},{i % 5}00\n".encode()
    for i in range(12)
)


def test_names_that_repeat_are_hidden_from_the_first_guess_on(oscar, draft):
    page = upload(oscar, draft, NAMED).content.decode()
    roles = {column.name: column.role for column in TableDraft.objects.get().schema.columns}
    assert [roles[name] for name in ("seqn", "氏名")] == [Role.IDENTIFIER] * 2
    assert "are a first guess" in page


def test_the_last_page_before_a_table_is_used_lists_what_participants_get(oscar, draft):
    upload(oscar, draft, NAMED)
    changes = {"氏名": {"role": "quasi_identifier"}}
    response = oscar.post(COLUMNS, filled(draft, **changes) | {"review": "1"})
    assert [column.name for column in response.context["given"]] == ["氏名", "job", "pay"]
    assert response.context["hidden"] == ["seqn"]
    page = response.content.decode()
    assert "“氏名” looks like an identifier" in page
    assert "“seqn” looks like" not in page
    assert "a table of 12 records with these columns" in page
    assert not Dataset.objects.filter(contest=draft).exists()
    entered = {*response.context["entered"]}
    assert {("c1-role", "quasi_identifier"), ("version", str(draft.version))} <= entered
    oscar.post(COLUMNS, dict(entered) | {"confirm": "1"})
    assert Dataset.objects.get(contest=draft).schema.public().names == ("氏名", "job", "pay")


def test_the_last_page_says_that_nothing_is_hidden(oscar, draft):
    upload(oscar, draft, b"job,town\n" + b"cook,A\nclerk,B\n" * 6)
    response = oscar.post(COLUMNS, filled(draft) | {"review": "1"})
    assert "No column is hidden: participants get every column" in response.content.decode()


def test_no_last_page_before_the_columns_fit(oscar, draft):
    upload(oscar, draft, TABLE)
    changes = CHOSEN | {"hours": CHOSEN["hours"] | {"max": "30"}}
    response = oscar.post(COLUMNS, filled(draft, **changes) | {"review": "1"})
    assert [one.column for one in response.context["problems"]] == ["hours", "hours"]


def test_checking_changes_no_contest_but_keeps_the_columns(oscar, draft):
    upload(oscar, draft, TABLE)
    response = oscar.post(COLUMNS, filled(draft, **CHOSEN) | {"check": "1"})
    assert "All values match their column types." in response.content.decode()
    assert not Dataset.objects.filter(contest=draft).exists()
    assert TableDraft.objects.get().schema.column("name").role is Role.IDENTIFIER


def test_cells_that_do_not_fit_are_named_and_nothing_is_lost(oscar, draft):
    upload(oscar, draft, TABLE)
    changes = CHOSEN["hours"] | {"max": "30"}
    response = confirm(oscar, draft, hours=changes, job={"values": "cook\n?"})
    found = [(one.records, one.column) for one in response.context["problems"]]
    assert found == [("1, 3", "hours"), ("4", "job"), ("4", "hours")]
    assert not Dataset.objects.filter(contest=draft).exists()
    assert TableDraft.objects.exists()
    again = {form.column_name: form for form, _about in response.context["column_rows"]}
    assert again["hours"]["max"].value() == "30"
    assert again["name"]["role"].value() == "identifier"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"e2_column": "job"}, "unsuitable column"),
        ({"e4_column": "name"}, "unsuitable column"),
        ({"pay": {"role": "sensitive", "kind": "integer", "cross": "on"}}, "cross is set"),
        ({"pay": {"min": "9", "max": "1", "role": "sensitive", "kind": "integer"}}, "min is above"),
        ({"job": {"values": "cook\ncook"}}, "listed twice"),
        (
            {name: {"role": "identifier", "cross": False} for name in ("job", "hours", "pay")}
            | {"e2_column": ""},
            "no columns",
        ),
    ],
)
def test_columns_that_do_not_fit_together_are_named(oscar, draft, changes, words):
    upload(oscar, draft, TABLE)
    response = confirm(oscar, draft, **changes)
    assert any(words in one.what for one in response.context["problems"])
    assert not Dataset.objects.filter(contest=draft).exists()


@pytest.mark.parametrize("action", ["check", "confirm"])
def test_a_table_needs_the_columns_that_the_rules_count_by(oscar, draft, action):
    upload(oscar, draft, TABLE)
    rules = draft.ruleset_text
    wrong, right = (counting_by(rules, "job", *more) for more in (("name", "age"), ("hours",)))
    Contest.objects.filter(pk=draft.pk).update(ruleset_text=wrong)
    response = oscar.post(COLUMNS, filled(draft, **CHOSEN) | {action: "1"})
    found = [(one.file, one.what, one.details) for one in response.context["problems"]]
    what = "key scoring.options.table_columns has a wrong value"
    expected = "expected columns out of: job, hours, pay"
    assert found == [("ruleset", what, (expected, f"got “{name}”")) for name in ("name", "age")]
    assert not Dataset.objects.filter(contest=draft).exists()
    Contest.objects.filter(pk=draft.pk).update(ruleset_text=right)
    response = oscar.post(COLUMNS, filled(draft, **CHOSEN) | {action: "1"}, follow=True)
    assert not response.context["problems"]


@pytest.mark.parametrize(
    ("field", "value"),
    [("role", "king"), ("kind", "date"), ("min", "1e5"), ("max", "NaN"), ("max", "１２")],
)
def test_fields_that_cannot_be_are_said_in_place(oscar, draft, field, value):
    upload(oscar, draft, TABLE)
    response = confirm(oscar, draft, pay=CHOSEN["pay"] | {field: value})
    rows = {form.column_name: form for form, _about in response.context["column_rows"]}
    assert field in rows["pay"].errors
    assert not Dataset.objects.filter(contest=draft).exists()


def test_confirming_without_an_upload_is_no_error_page(oscar, draft):
    response = oscar.post(COLUMNS, {"confirm": "1"}, follow=True)
    assert "Upload it first." in said(response)


def test_the_last_of_two_organizers_overwrites_nothing(cast, oscar, draft):
    upload(oscar, draft, TABLE)
    old = filled(draft, **CHOSEN) | {"confirm": "1"}
    services.upload_table(
        actor=cast.oscar,
        contest=draft,
        name="other.csv",
        data=b"a,b,c,d\n1,x,1,1\n2,y,2,2\n",
    )
    response = oscar.post(COLUMNS, old, follow=True)
    assert "Another organizer changed this contest" in said(response)
    assert not Dataset.objects.filter(contest=draft).exists()


@pytest.mark.parametrize(
    "column",
    [
        Column("c", Role.QUASI_IDENTIFIER, Kind.CATEGORY, True, values=(" a", "b ", "", "?", "-")),
        Column("c", Role.OTHER, Kind.CATEGORY),
        Column("c", Role.SENSITIVE, Kind.INTEGER, min=-5, max=20_000_000),
        Column("c", Role.SENSITIVE, Kind.NUMBER, min=0.25),
        Column("c", Role.SENSITIVE, Kind.INTEGER, decimals=0),
    ],
)
def test_a_column_survives_its_form(column):
    shown = ColumnForm(column=column, prefix="c0")
    sent = {f"c0-{name}": shown[name].value() for name in shown.fields}
    sent = {key: value for key, value in sent.items() if value is not None and value is not False}
    form = ColumnForm(
        {key: str(v).replace("\n", "\r\n") for key, v in sent.items()}, column=column, prefix="c0"
    )
    assert form.is_valid(), form.errors
    assert form.column() == column


def test_values_with_line_breaks_are_left_open():
    described = table.describe(b'a,b\n"x\ny",1\nz,2\nz,3\nz,4\n')
    assert described.schema.column("a").values is None


# Warnings


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"job": {"cross": False}}, "No quasi-identifier is a cross column"),
        (
            {name: {"role": "other", "cross": False} for name in ("job", "hours")},
            "No column is a quasi-identifier",
        ),
        (
            {"pay": {"role": "other", "kind": "integer"}, "e2_column": ""},
            "No sensitive column contains numbers",
        ),
        ({"e2_column": ""}, "Attack E2 has no column"),
        ({}, "Attack E4 has no column"),
        ({"name": {"role": "quasi_identifier", "kind": "category"}}, "“name” has 4 different"),
        ({}, "no value and will not distinguish the teams: U4, E4."),
    ],
)
def test_what_is_worth_knowing_before_confirming(oscar, draft, changes, words):
    upload(oscar, draft, TABLE)
    merged = CHOSEN | {
        key: CHOSEN[key] | value if isinstance(value, dict) else value
        for key, value in changes.items()
    }
    response = oscar.post(COLUMNS, filled(draft, **merged) | {"check": "1"})
    assert any(words in warning for warning in response.context["warnings"])


# Replacement


def test_columns_of_the_same_name_keep_their_roles(oscar, draft):
    upload(oscar, draft, TABLE)
    confirm(oscar, draft)
    upload(oscar, draft, TABLE.replace(b"job", b"work"))
    schema = TableDraft.objects.get().schema
    assert schema.column("name").role is Role.IDENTIFIER
    assert schema.column("hours").kind is Kind.INTEGER
    assert schema.e2_column == "pay"
    confirm(oscar, draft, work=CHOSEN["job"])
    dataset = Dataset.objects.get(contest=draft)
    assert storage.read(dataset.public).startswith(UTF8_BOM + b"work,hours,pay\n")


@pytest.mark.parametrize("button", ["check", "confirm", "review"])
def test_a_corrected_file_keeps_the_roles_chosen_before(oscar, draft, button):
    """An organizer sets the roles, learns of the faults of the file, and uploads it again."""
    upload(oscar, draft, TABLE.replace(b"40,100", b"40,x"))
    chosen = CHOSEN | {"pay": CHOSEN["pay"] | {"max": "400"}, "hours": {"role": "other"}}
    response = oscar.post(COLUMNS, filled(draft, **chosen) | {button: "1"})
    assert [one.column for one in response.context["problems"]] == ["pay"]
    upload(oscar, draft, TABLE)
    assert not Dataset.objects.filter(contest=draft).exists()
    schema = TableDraft.objects.get().schema
    assert {c.name: (c.role, c.cross) for c in schema.columns} == {
        "name": (Role.IDENTIFIER, False),
        "job": (Role.QUASI_IDENTIFIER, True),
        "hours": (Role.OTHER, False),
        "pay": (Role.SENSITIVE, False),
    }
    assert (schema.column("pay").max, schema.e2_column) == (400, "pay")


def test_roles_that_nobody_has_checked_yet_go_along_with_the_corrected_file(oscar, draft):
    upload(oscar, draft, TABLE)
    pay = {"role": "sensitive", "kind": "integer", "values": "", "min": "not a number"}
    fields = filled(draft, job={"role": "sensitive", "cross": False}, pay=pay)
    file = SimpleUploadedFile("corrected.csv", TABLE.replace(b"Tanaka", b"Tanabe"))
    oscar.post(URL, fields | {"table": file}, follow=True)
    kept = TableDraft.objects.get()
    assert kept.file.name == "corrected.csv"
    assert kept.schema.column("job").role is Role.SENSITIVE
    assert kept.schema.column("pay").min is None


def test_what_was_only_guessed_is_guessed_again_from_the_corrected_file(oscar, draft):
    """Two cells made text of a column of numbers; its role was chosen, its kind was not."""
    lines = [f"p{i},{i % 7},{i * 10 + i % 2}.25\n" for i in range(40)]
    upload(oscar, draft, "name,ward,cost\n{}q,7,n/a\nr,7,?\n".format("".join(lines)).encode())
    assert TableDraft.objects.get().schema.column("cost").kind is Kind.CATEGORY
    chosen = filled(
        draft, cost={"role": "sensitive"}, ward={"role": "other", "values": "1\n2", "cross": False}
    )
    oscar.post(COLUMNS, chosen | {"check": "1"})
    upload(oscar, draft, "name,ward,cost\n{}".format("".join(lines)).encode())
    schema = TableDraft.objects.get().schema
    cost, ward = schema.column("cost"), schema.column("ward")
    assert (cost.role, cost.kind, cost.values) == (Role.SENSITIVE, Kind.NUMBER, None)
    assert (ward.role, ward.values) == (Role.OTHER, ("1", "2"))


def test_a_chosen_column_of_an_attack_is_a_choice_as_well(oscar, draft):
    """All that was chosen is the column of E2, and the corrected file keeps it."""
    lines = "".join(f"{'AB'[n % 2]},{n}0.25,{n % 30}0.75\n" for n in range(1, 41))
    upload(oscar, draft, f"ward,cost,pay\n{lines}".encode())
    guessed = TableDraft.objects.get().schema
    assert (guessed.e2_column, guessed.e4_column) == ("cost", "pay")
    oscar.post(COLUMNS, filled(draft, e2_column="pay", e4_column="cost") | {"check": "1"})
    upload(oscar, draft, f"ward,cost,pay\n{lines}A,1,2\n".encode())
    kept = TableDraft.objects.get().schema
    assert (kept.e2_column, kept.e4_column) == ("pay", "cost")


def test_another_table_is_looked_at_afresh(oscar, draft):
    upload(oscar, draft, TABLE)
    confirm(oscar, draft)
    upload(oscar, draft, b"sex,pay,age\nf,low,30\nm,high,30\nf,low,31\nm,low,30\n")
    assert TableDraft.objects.get().schema.column("pay").kind is Kind.CATEGORY


def test_a_table_stays_once_something_was_handed_in(cast, oscar):
    services.upload_table(
        actor=cast.oscar, contest=cast.contest, name="t.csv", data=factories.ORIGINAL
    )
    Submission.objects.create(
        round=cast.contest.rounds.first(), team=cast.red, number=1, arrived_at=timezone.now()
    )
    before = Dataset.objects.get().public_id
    assert "cannot be replaced" in said(upload(oscar, cast.contest, TABLE))
    data = filled(cast.contest) | {"confirm": "1"}
    response = oscar.post("/organize/cup/data/columns/", data, follow=True)
    assert "cannot be replaced" in said(response)
    assert Dataset.objects.get().public_id == before
    assert 'type="file"' not in response.content.decode()


def test_a_table_that_no_team_could_hand_in_is_refused(cast, draft):
    Contest.objects.filter(pk=draft.pk).update(
        ruleset_text=draft.ruleset_text.replace("= 20_971_520", "= 1_000")
    )
    contest = Contest.objects.get(pk=draft.pk)
    schema = Schema((Column("a", Role.SENSITIVE, Kind.INTEGER),))
    data = b"a\n" + b"1234567\n" * 200
    with pytest.raises(services.ContestRefused, match="at most"):
        services.attach_dataset(actor=cast.oscar, contest=contest, data=data, schema=schema)


def test_a_refused_table_changes_nothing(cast):
    before = Dataset.objects.get().sealed_id, StoredFile.objects.count()
    with pytest.raises(ProblemsFound):
        services.attach_dataset(
            actor=cast.oscar,
            contest=cast.contest,
            data=factories.ORIGINAL.replace(b"400\n", b"4000\n"),
            schema=Schema.from_toml(factories.SCHEMA),
        )
    assert (Dataset.objects.get().sealed_id, StoredFile.objects.count()) == before
    assert not Event.objects.exists()


def test_a_table_in_cp932_becomes_the_contests_table(oscar, draft):
    """As Excel on Japanese Windows saves it; participants get UTF-8 that Excel recognises."""
    data = TABLE.replace(b"cook", "料理人".encode("cp932"))
    upload(oscar, draft, data)
    confirm(oscar, draft)
    dataset = Dataset.objects.get(contest=draft)
    expected = UTF8_BOM + "job,hours,pay\n料理人,40,100\n".encode()
    assert storage.read(dataset.public).startswith(expected)
    sample = draft.samples.get(key="anonymized").file
    assert storage.read(sample).startswith(UTF8_BOM)
