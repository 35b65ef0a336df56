# SPDX-License-Identifier: Apache-2.0
"""Archives of a contest of sequential release: whole ones make the same contest, others hold nothing that is sealed."""

from __future__ import annotations

import csv
import io
import random

import pytest
from django.conf import settings
from django.db.models import Q

from pwscup.archives import layout
from pwscup.contests.models import Contest
from pwscup.contests.services import erase, retention
from pwscup.contests.teams import tables
from pwscup.core.files import storage
from pwscup.core.models import StoredFile
from pwscup.submissions import draws, evaluation
from pwscup.submissions.models import Evaluation, Release, Submission
from tests import factories
from tests.web import archives, lecture, series
from tests.web.archives import bytes_of, entries, imported, listed, written, zipped

pytestmark = pytest.mark.usefixtures("unsent")


@pytest.fixture
def played(cast) -> Contest:
    return archives.series_contest(cast, random.Random(1))


def lines_of(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


def test_tables_people_and_parts_stand_in_the_archive_and_come_back(cast, played):
    data = bytes_of(written(played, cast.oscar))
    people = str(played.datasets.get(team=None).n_people)
    facts = [
        (line["team"], line["key"], line["n_tables"], line["n_people"], line["part"])
        for line in lines_of(entries(data)["tables.csv"])
    ]
    own = str(factories.HOSPITAL_PEOPLE)
    assert sorted(facts) == [
        ("", "original", "3", people, "2"),
        ("blue", "draw", "", "", "2"),
        ("blue", "original", "3", own, ""),
        ("red", "draw", "", "", "1"),
        ("red", "original", "3", own, ""),
    ]
    copy = imported(cast.oscar, data).contest
    green = factories.make_team(copy, "Green", factories.make_user("gail"))
    Contest.objects.filter(pk=copy.pk).update(is_published=True)
    drawn = draws.ensure_drawn(type(green).objects.get(pk=green.pk))
    assert drawn is not None
    taken = [series.values_of(team) for team in played.teams.all()]
    assert all(series.values_of(green).keys().isdisjoint(values) for values in taken)
    assert copy.datasets.get(team=green, key=tables.DRAW).part == 3


@pytest.mark.long
def test_what_is_evaluated_again_in_the_copy_has_the_same_values(cast, played):
    copy = imported(cast.oscar, bytes_of(written(played, cast.oscar))).contest
    scored = Submission.objects.filter(round__contest=copy, state="scored")
    assert scored.count() == 6
    for submission in scored:
        again = evaluation.evaluate(submission.pk)
        before = submission.evaluations.get()
        assert (again.values, again.input_hashes) == (before.values, before.input_hashes)


@pytest.mark.parametrize(("version", "code"), [(1, "columns"), (3, "empty")])
def test_archives_of_older_formats_are_still_read(cast, version, code):
    """Format 1 knows neither series nor final values, which are four columns, and format 3 no notes on files."""
    contest = archives.lecture_contest(cast, random.Random(1))
    found = entries(bytes_of(written(contest, cast.oscar)))
    old = archives.of_version(found, version)
    job = imported(cast.oscar, zipped(old))
    assert (job.state, job.problems, job.differences) == ("done", [], [])
    assert not job.contest.datasets.exclude(n_tables=None, n_people=None, part=None).exists()
    restored = Evaluation.objects.filter(submission__round__contest=job.contest)
    assert restored.exists()
    assert not restored.exclude(notes=[]).exists()
    refused = imported(cast.oscar, zipped(listed(old, version=version + 1)))
    assert (refused.state, refused.problems[0]["code"]) == ("refused", code)


FORGERIES = {
    "people without tables": (",3,20,\r\n", ",,20,\r\n"),
    "part 0": (",,,1\r\n", ",,,0\r\n"),
    "a part given twice": (",,,1\r\n", ",,,2\r\n"),
}


def test_forged_tables_are_refused(cast, played):
    found = entries(bytes_of(written(played, cast.oscar)))
    text = found["tables.csv"].decode()
    n_contests = Contest.objects.count()
    said = {}
    for what, (before, after) in FORGERIES.items():
        assert before in text
        forged = listed(found | {"tables.csv": text.replace(before, after, 1).encode()})
        job = imported(cast.oscar, zipped(forged))
        said[what] = (job.state, bool(job.problems), Contest.objects.count())
    assert said == dict.fromkeys(FORGERIES, ("refused", True, n_contests))


@pytest.mark.long
def test_people_that_are_not_there_are_given_to_nobody(cast, played):
    """An archive may say that there are more people than its tables have."""
    found = entries(bytes_of(written(played, cast.oscar)))
    people = played.datasets.get(team=None).n_people
    text = found["tables.csv"].decode().replace(f",3,{people},2\r\n", ",3,100000,2\r\n")
    job = imported(cast.oscar, zipped(listed(found | {"tables.csv": text.encode()})))
    assert (job.state, job.problems) == ("done", [])
    Contest.objects.filter(pk=job.contest_id).update(is_published=True)
    contest = Contest.objects.get(pk=job.contest_id)
    teams = [
        factories.make_team(contest, f"N{n}", factories.make_user(f"user{n}"))
        for n in range(people // factories.HOSPITAL_PEOPLE)
    ]
    assert [draws.ensure_drawn(team) is None for team in teams].count(True) == 2


def hidden_of(contest: Contest) -> dict[str, list[bytes]]:
    """Records, and all files that are sealed or a team's own; an upload may be what is published, byte for byte."""
    own = Q(area="sealed") | Q(pk__in=contest.datasets.values("public"))
    published = Release.objects.values("table__sha256")
    files = retention.files_of(contest).filter(own).exclude(sha256__in=published)
    pairs = [
        ",".join(record.values()).encode()
        for team in contest.teams.all()
        for table in series.tables_of(team).values()
        for record in table
    ]
    return {
        "records": pairs,
        "files": [(settings.PRIVATE_ROOT / file.path).read_bytes() for file in files],
        "hashes": [file.sha256.encode() for file in files],
    }


def test_without_the_answer_key_there_is_neither_a_table_nor_a_key(cast, played):
    hidden = hidden_of(played)
    assert len(hidden["records"]) > 40
    published = {storage.read(f) for r in Release.objects.all() for f in (r.table, r.candidates)}
    for names in ("all", "consent", "none"):
        found = entries(bytes_of(written(played, cast.oscar, with_key=False, names=names)))
        assert {"tables.csv", "uploads.csv", "submissions.csv"}.isdisjoint(found), names
        everything = b"\n".join(found.values())
        shown = [what for what, texts in hidden.items() if any(t in everything for t in texts)]
        assert shown == [], names
        assert {data for name, data in found.items() if name.startswith("files/")} == published
        assert found[layout.SCHEMA].count(b"[[column]]") == 4


def test_of_an_erased_contest_neither_tables_nor_releases_nor_keys_are_left(
    cast, played, django_capture_on_commit_callbacks
):
    kept = StoredFile.objects.exclude(pk__in=retention.files_of(played)).values("area", "name")
    assert {file["name"] for file in kept if file["area"] != "archive"} == {
        "secret",
        "original.csv",
    }
    hidden = hidden_of(played)
    pairs = [t for t in hidden["files"] + hidden["records"] if len(t) > 64]
    with django_capture_on_commit_callbacks(execute=True):
        erase(actor=cast.oscar, contest=played)
    left = [(settings.PRIVATE_ROOT / path).read_bytes() for path in storage.paths_on_disk()]
    assert [data for data in left if any(text in data for text in pairs)] == []
    assert cast.contest.datasets.get().public.erased_at is None
    for release in Release.objects.all():
        for file in (release.table, release.candidates, release.key):
            with pytest.raises(storage.ErasedFileError):
                storage.refuse_erased(file)
    data = bytes_of(written(played, cast.oscar))
    assert imported(cast.oscar, data).state == "done"
    assert lecture.round_of(played, "attack").releases.count() == 2
