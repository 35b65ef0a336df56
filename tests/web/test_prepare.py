# SPDX-License-Identifier: Apache-2.0
"""The page Prepare: from a raw file by steps to the table of a contest."""

from __future__ import annotations

import re
import time
import zipfile
from dataclasses import replace
from itertools import count
from types import SimpleNamespace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from pwscup.contests import services
from pwscup.contests.models import Dataset, Preparation, TableDraft
from pwscup.core.files import storage
from pwscup.core.models import Event, StoredFile
from scoring.cli import main as cli
from scoring.datasets.raw_hospital import raw_hospital
from scoring.tables.schema import Role
from tests import factories
from tests.workbooks import workbook

PAGE = "/organize/next/data/prepare/"
STEPS = f"{PAGE}steps/"
RAW = raw_hospital(150, seed=3)
SMALL = (
    'id,born,sex,cost\n1,1980/3/9,F,"1,200"\n2,1991/5/2,M,900\n3,1975/8/1,F,NA\n4,1960/1/1,M,700\n'
)


def upload(client, contest, data: bytes = RAW, name: str = "raw.csv", **fields):
    contest.refresh_from_db()
    given = {"version": contest.version, "table": SimpleUploadedFile(name, data)} | fields
    return client.post(PAGE, given, follow=True)


def post(client, do: str, **fields):
    kept = Preparation.objects.get()
    given = {"do": do, "revision": kept.revision} | fields
    return client.post(STEPS, given, follow=True)


def done() -> list[str]:
    return [step["do"] for step in Preparation.objects.get().steps.steps]


def use(client, contest):
    contest.refresh_from_db()
    kept = Preparation.objects.get()
    fields = {"version": contest.version, "revision": kept.revision}
    return client.post(f"{PAGE}apply/", fields, follow=True)


def test_a_raw_table_is_read_and_steps_are_proposed(oscar, draft):
    assert "Upload a raw table" in oscar.get(PAGE).text
    page = upload(oscar, draft)
    kept = Preparation.objects.get()
    assert done() == ["drop", "numbers", "missing", "missing", "dates", "dates", "round"]
    assert "encoding: CP932 (Shift_JIS) · separator: comma · column names in line 1" in page.text
    assert "150 records, 11 columns" in page.text
    assert "2 columns left out" in page.text
    assert [column["name"] for column in kept.seen["columns"]][:2] == ["性別", "生年月日"]
    assert re.search(r"<strong>Unique records: \d+ of \d+ \(\d+(\.\d+)? ?%\)</strong>", page.text)
    assert Event.objects.last().kind == "contest.raw_table_uploaded"
    japanese = oscar.get(PAGE, headers={"accept-language": "ja"}).text
    assert "文字コード：CP932（Shift_JIS）" in japanese
    assert "日付" in japanese


def test_a_category_of_missing_cells_is_a_value(oscar, draft):
    upload(oscar, draft)
    (sex,) = (c for c in Preparation.objects.get().seen["columns"] if c["name"] == "性別")
    assert (sex["n_missing"], sex["n_distinct"]) == (0, 3)
    assert "不明" in dict(sex["bars"])
    use(oscar, draft)
    assert TableDraft.objects.get().columns[0]["n_distinct"] == sex["n_distinct"]


def test_the_histogram_of_a_column_is_a_file(oscar, draft):
    assert oscar.get(f"{PAGE}columns/0.csv").status_code == 404
    upload(oscar, draft, SMALL.encode())
    post(oscar, "propose")
    names = [column["name"] for column in Preparation.objects.get().seen["columns"]]
    file = oscar.get(f"{PAGE}columns/{names.index('sex')}.csv")
    assert file.content.decode("utf-8-sig").split() == ["value,records", "F,2", "M,2"]
    assert oscar.get(f"{PAGE}columns/{len(names)}.csv").status_code == 404


def test_steps_are_added_changed_moved_and_removed(oscar, draft):
    upload(oscar, draft, SMALL.encode())
    assert done() == ["drop", "numbers", "missing", "dates"]
    form = oscar.get(f"{PAGE}?add=merge-rare").text
    assert 'name="s-least"' in form
    assert 'value="born"' in form
    page = post(oscar, "save", kind="merge-rare", **{"s-columns": ["sex"], "s-least": 5})
    assert done()[-1] == "merge-rare"
    assert "4 cells changed" in page.text
    post(oscar, "up", n=5)
    assert done() == ["drop", "numbers", "missing", "merge-rare", "dates"]
    post(oscar, "down", n=1)
    assert done()[:2] == ["numbers", "drop"]
    changed_form = oscar.get(f"{PAGE}?step=4").text
    assert 'value="2"' in changed_form
    assert 'value="born"' in changed_form
    assert 'value="id"' not in changed_form  # dropped by a step before
    changed = {"s-columns": ["sex"], "s-least": 2, "s-label": "rest"}
    post(oscar, "save", n=4, kind="merge-rare", **changed)
    step = Preparation.objects.get().steps.steps[3]
    assert (step["least"], step["label"]) == (2, "rest")
    post(oscar, "remove", n=4)
    assert done() == ["numbers", "drop", "missing", "dates"]
    post(oscar, "remove", n=99)
    post(oscar, "nothing")
    assert len(done()) == 4
    post(oscar, "propose")
    assert done() == ["drop", "numbers", "missing", "dates"]


def test_the_same_steps_at_home_give_the_same_bytes(oscar, draft, tmp_path):
    upload(oscar, draft)
    rare = {"s-columns": ["郵便番号", "診断名"], "s-least": 3}
    post(oscar, "save", kind="merge-rare", **rare)
    post(oscar, "save", kind="round", **{"s-columns": ["身長"], "s-decimals": 0})
    post(oscar, "save", kind="sample", **{"s-records": 90})
    post(oscar, "save", kind="rename", **{"s-column": "医療費", "s-name": "cost"})
    file = oscar.get(STEPS)
    assert file["Content-Disposition"] == 'attachment; filename="steps-next.toml"'
    seed = Preparation.objects.get().steps.steps[-2]["seed"]
    assert seed in file.text
    assert seed not in oscar.get(PAGE).text
    (tmp_path / "raw.csv").write_bytes(RAW)
    (tmp_path / "steps.toml").write_bytes(file.content)
    out = tmp_path / "out.csv"
    paths = [str(tmp_path / name) for name in ("raw.csv", "steps.toml")]
    assert cli.main(["prepare", paths[0], "--set", paths[1], "-o", str(out)]) == 0
    page = use(oscar, draft)
    assert "not confirmed" in page.text
    kept = TableDraft.objects.get()
    assert storage.read_draft(kept.file) == out.read_bytes()
    assert (kept.n_records, kept.file.name) == (90, "raw.csv")
    event = Event.objects.get(kind="contest.table_prepared")
    assert seed not in str([one.data for one in Event.objects.all()])
    assert (event.data["n_raw"], event.data["n_records"]) == (150, 90)
    post(oscar, "save", kind="drop", **{"s-columns": ["郵便番号"]})  # and the seed stays
    assert Preparation.objects.get().steps.steps[-3]["seed"] == seed


def test_steps_added_one_by_one_are_seen_as_all_at_once(draft, monkeypatch):
    minutes = (1e9 + 60 * n for n in count())
    clock = SimpleNamespace(time=lambda: next(minutes), localtime=time.localtime)
    monkeypatch.setattr(zipfile, "time", clock)
    actor, what = draft.organizers.first(), {"contest": draft}
    services.upload_raw(actor=actor, contest=draft, name="raw.csv", data=RAW)
    steps = [
        *Preparation.objects.get().steps.steps,
        {"do": "round", "columns": ["身長", "体重"], "decimals": 0},
        {"do": "merge-rare", "columns": ["診断名"], "least": 9},
    ]
    kept = [services.change_steps(**what, steps=steps[:n]) for n in (-1, len(steps))][-1]
    packed = storage.read_draft(kept.result)
    services.change_steps(**what, steps=steps[:1])
    again = services.change_steps(**what, steps=[*steps[:1], *steps[2:]])
    assert again.seen != kept.seen
    again = services.change_steps(**what, steps=steps)
    assert (again.seen, storage.read_draft(again.result)) == (kept.seen, packed)


def test_roles_that_were_chosen_come_along(oscar, draft):
    upload(oscar, draft)
    kept = Preparation.objects.get()
    names = [column["name"] for column in kept.seen["columns"]]
    before = kept.seen["risk"]
    assert "郵便番号" in [one["name"] for one in before["finds"]]
    roles = {
        f"role-{at}": "identifier" if name == "郵便番号" else column["role"]
        for at, (name, column) in enumerate(zip(names, kept.seen["columns"], strict=True))
    }
    page = post(oscar, "roles", **roles)
    risk = Preparation.objects.get().seen["risk"]
    finds = {one["name"]: one for one in before["finds"]}
    assert risk["n_unique"] == finds["郵便番号"]["n_without"] < before["n_unique"]
    assert 'value="identifier" selected' in page.text
    post(oscar, "save", kind="round", **{"s-columns": ["身長"], "s-decimals": 0})
    use(oscar, draft)
    assert str(TableDraft.objects.get().schema.column("郵便番号").role) == "identifier"


@pytest.mark.parametrize("chosen", [{}, {"性別": "other"}])
def test_columns_are_those_of_this_page_although_the_raw_file_was_uploaded_before(
    oscar, draft, chosen
):
    """Raw numbers and dates are taken for categories; what was chosen then stays, guesses do not."""
    services.upload_table(actor=draft.organizers.get(), contest=draft, name="raw.csv", data=RAW)
    first = TableDraft.objects.get().schema
    assert not first.column("医療費").is_numeric
    for name, role in chosen.items():
        column = replace(first.column(name), role=Role(role), cross=False)
        services.keep_columns(contest=draft, schema=first.replace_column(column))
    upload(oscar, draft)
    shown = {column["name"]: column["role"] for column in Preparation.objects.get().seen["columns"]}
    use(oscar, draft)
    schema = TableDraft.objects.get().schema
    assert {c.name: str(c.role) for c in schema.columns} == shown | chosen
    assert {schema.e2_column, schema.e4_column} <= {*schema.sensitive_numeric}


def test_a_raw_table_that_was_only_uploaded_leads_to_this_page(oscar, draft):
    data = PAGE.removesuffix("prepare/")
    given = {"version": draft.version, "table": SimpleUploadedFile("raw.csv", RAW)}
    page = oscar.post(data, given, follow=True)
    assert page.context["read_as_text"] == ["医療費", "体重", "HbA1c", "生年月日", "入院日"]
    assert "Prepare this table" in page.text
    assert "raw.csv" in oscar.get(PAGE).text
    post(oscar, "save", kind="missing", **{"s-how": "empty"})  # in all columns: none is named
    assert oscar.get(data).context["read_as_text"] == page.context["read_as_text"]
    use(oscar, draft)
    assert "Prepare this table" not in oscar.get(data).text


def test_a_table_without_raw_cells_is_not_kept_twice(oscar, draft):
    data = PAGE.removesuffix("prepare/")
    given = {"version": draft.version, "table": SimpleUploadedFile("t.csv", factories.ORIGINAL)}
    page = oscar.post(data, given, follow=True)
    assert TableDraft.objects.exists()
    assert not Preparation.objects.exists()
    assert "Prepare this table" not in page.text


def test_what_does_not_fit_is_said_and_nothing_is_lost(oscar, draft):
    upload(oscar, draft, SMALL.encode())
    page = post(
        oscar, "save", kind="missing", **{"s-columns": ["sex"], "s-how": "mean", "s-signs": "F"}
    )
    assert len(done()) == 4
    assert "step 5" in page.text
    assert re.search(r'value="mean" selected', page.text)
    page = post(oscar, "save", kind="round", **{"s-decimals": "x"})
    assert page.text.count('role="alert"') == 2  # both fields
    post(oscar, "save", kind="rename", **{"s-column": "cost", "s-name": "yen"})
    post(oscar, "save", kind="round", **{"s-columns": ["yen"], "s-decimals": 0})
    page = post(oscar, "remove", n=5)
    assert done()[-1] == "round"
    assert "1 step does not fit the table" in page.text
    assert "yen" in page.text
    japanese = oscar.get(PAGE, headers={"accept-language": "ja"}).text
    assert "表に合わない手順が1件あります" in japanese
    refused = use(oscar, draft)
    assert "1 problem" in refused.text
    assert not TableDraft.objects.exists()
    post(oscar, "remove", n=5)
    use(oscar, draft)
    assert TableDraft.objects.get().schema.names == ("born", "sex", "cost")


BROKEN = {
    "empty": (b"", "the file has no cell"),
    "binary": (b"a,b\n1,\x00\n", "NUL"),
    "old workbook": (b"\xd0\xcf\x11\xe0" + bytes(60), "xlsx"),
    "damaged workbook": (b"PK\x03\x04" + bytes(60), "workbook"),
    "ragged": (b"a,b\n1,2\n3\n4,5,6\n", "2 problems"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_cannot_be_read_leaves_the_former_one(oscar, draft, name):
    data, words = BROKEN[name]
    upload(oscar, draft, SMALL.encode())
    page = upload(oscar, draft, data)
    assert words in page.text
    assert Preparation.objects.get().seen["n_records"] == 4
    assert 'id="prepared-4"' in page.text


def test_another_file_keeps_the_steps_that_fit_it(oscar, draft):
    upload(oscar, draft, SMALL.encode())
    post(oscar, "save", kind="rename", **{"s-column": "cost", "s-name": "yen"})
    upload(oscar, draft, SMALL.replace("sex", "gender").encode("utf-16"), "later.csv")
    assert done()[-1] == "rename"
    assert Preparation.objects.get().steps.reading.encoding == "utf-16"
    upload(oscar, draft, b"x,y\n1,2\n3,4\n3,5\n")
    assert "rename" not in done()


def test_a_file_of_steps_comes_with_the_table(oscar, draft):
    text = b'version = 1\n[read]\nheader = 2\n[[step]]\ndo = "drop"\ncolumns = ["b"]\n'
    data = b"a title,\na,b\n1,2\n3,4\n"
    upload(oscar, draft, data, steps=SimpleUploadedFile("steps.toml", text))
    assert done() == ["drop"]
    assert [column["name"] for column in Preparation.objects.get().seen["columns"]] == ["a"]
    wrong = SimpleUploadedFile("steps.toml", text.replace(b"drop", b"shuffle"))
    assert "no such step" in upload(oscar, draft, data, steps=wrong).text


def test_a_workbook_is_read_and_a_table_in_another_way(oscar, draft):
    upload(
        oscar,
        draft,
        workbook({"one": [["a", "b"], ["1", "x"]], "two": [["c"], ["7"], ["8"]]}),
        "w.xlsx",
    )
    page = post(oscar, "reading", sheet="two", header=0)
    assert "sheet “two”" in page.text
    assert Preparation.objects.get().seen["names"] == ["c"]
    upload(oscar, draft, "年齢;職業\n31;医師\n40;教師\n".encode("cp932"))
    page = post(oscar, "reading", encoding="utf-8", separator="semicolon", header=1)
    assert "0x" in page.text
    assert Preparation.objects.get().steps.reading.encoding == "cp932"
    post(oscar, "reading", encoding="cp932", separator="comma", header=2)
    assert Preparation.objects.get().seen["names"] == ["31;医師"]


def test_two_organizers_do_not_overwrite_each_other(oscar, draft):
    upload(oscar, draft, SMALL.encode())
    late = Preparation.objects.get().revision
    post(oscar, "remove", n=1)
    page = post(oscar, "remove", n=1, revision=late)
    assert "Another organizer changed" in page.text
    assert done() == ["numbers", "missing", "dates"]


def test_a_refused_upload_is_kept_for_this_page(oscar, draft):
    data = workbook({"one": [["job", "pay"], ["cook", "1,200"], ["smith", "900"]]})
    fields = {"version": draft.version, "table": SimpleUploadedFile("w.xlsx", data)}
    page = oscar.post("/organize/next/data/", fields)
    assert "Go on preparing w.xlsx" in page.text
    assert done() == ["numbers"]


def test_the_raw_table_goes_with_the_draft(
    oscar, draft, settings, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        upload(oscar, draft, SMALL.encode())
    files = list(StoredFile.objects.filter(area="draft"))
    assert len(files) == 3
    with django_capture_on_commit_callbacks(execute=True):
        post(oscar, "discard")
    assert not StoredFile.objects.filter(area="draft").exists()
    assert not any((settings.PRIVATE_ROOT / file.path).exists() for file in files)
    assert Event.objects.last().kind == "contest.raw_table_removed"
    upload(oscar, draft)
    post(oscar, "save", kind="drop", **{"s-columns": ["入院日"]})
    use(oscar, draft)
    kept = TableDraft.objects.get()
    services.confirm_table(actor=draft.organizers.first(), contest=draft, schema=kept.schema)
    assert Dataset.objects.get(contest=draft).n_records == kept.n_records
    services.publish(actor=None, contest=draft)
    assert not Preparation.objects.exists()
