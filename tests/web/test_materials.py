# SPDX-License-Identifier: Apache-2.0
"""Materials of a contest: files, links and generalization hierarchies, from the organizer's page to the teams."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from pwscup.contests import materials
from pwscup.contests.models import Contest, Dataset, Material
from pwscup.contests.services import ContestRefused, retention
from pwscup.contests.services import materials as services
from pwscup.core import jobs
from pwscup.core.files import storage
from pwscup.core.models import Event, StoredFile
from pwscup.submissions import draws
from pwscup.trials.models import Trial
from tests import factories
from tests.web import archives, lecture, pipeline
from tests.web.conftest import hear
from tests.web.pipeline import round_of

CITIES = {value: {"depth_1": "all"} for value in ("A", "B")}
HIERARCHIES = {
    "city": {"type": "category", "definition": CITIES},
    "age": {"type": "numeric", "threshold_1": "40", "threshold_2": "30/40/50"},
}


@pytest.fixture
def lesson(cast):
    return lecture.example(cast)


def upload(content=HIERARCHIES, name="attr_depth.json"):
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return SimpleUploadedFile(name, data)


def post(client, contest, kind, **given):
    fields = {"title": "T", "title_ja": "", "audience": "everybody", "version": contest.version}
    fields = {f"{kind}-{name}": value for name, value in (fields | given).items()}
    url = reverse("organize-materials", args=[contest.slug])
    response = client.post(url, fields | {"add": kind})
    contest.refresh_from_db()
    return response


def add_file(cast, contest, *, audience="everybody", name="slides.pdf", data=b"%PDF-1.7"):
    return services.add_file(
        actor=cast.oscar,
        contest=contest,
        title="Slides",
        title_ja="スライド",
        audience=audience,
        name=name,
        data=data,
    )


def add_hierarchies(cast, contest, content=HIERARCHIES):
    return services.add_hierarchies(
        actor=cast.oscar,
        contest=contest,
        title="Hierarchies",
        title_ja="",
        audience="everybody",
        name="attr_depth.json",
        data=json.dumps(content).encode(),
    )


def overview(client, contest) -> str:
    return client.get(reverse("contest", args=[contest.slug])).content.decode()


# Files and links


def test_an_organizer_adds_files_and_links_that_everybody_finds(lesson, cast, as_user, client):
    oscar, contest = as_user(cast.oscar), lesson.contest
    slides = upload(b"%PDF-1.7", "../Slides.pdf")
    assert post(oscar, contest, "file", title_ja="スライド", file=slides).status_code == 302
    assert post(oscar, contest, "link", url="https://example.org/paper").status_code == 302
    page = overview(client, contest)
    (file, link) = contest.materials.all()
    address = reverse("material", args=[contest.slug, file.pk])
    assert f'<a href="{address}" download>' in page
    assert '<a href="https://example.org/paper" rel="noopener noreferrer">' in page
    got = client.get(address)
    assert b"".join(got.streaming_content) == b"%PDF-1.7"
    assert got["Content-Disposition"] == 'attachment; filename="Slides.pdf"'
    assert (got["Content-Type"], got["X-Content-Type-Options"]) == ("application/pdf", "nosniff")
    assert client.get(reverse("material", args=[contest.slug, link.pk])).status_code == 404
    added = Event.objects.filter(kind="material.added")
    assert [event.data.get("url", event.data.get("file")) for event in added] == [
        "Slides.pdf",
        "https://example.org/paper",
    ]


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("link", {"url": "javascript:alert(1)"}),
        ("link", {"url": "data:text/html,x"}),
        ("link", {"url": "//example.org"}),
        ("link", {"url": "https://"}),
        ("link", {"url": "https://[x"}),
        ("file", {"file": upload(b"<script>", "page.html")}),
        ("file", {"file": upload(b"<svg/>", "picture.svg")}),
        ("file", {"file": upload(b"", "no-suffix")}),
        ("file", {}),
        ("file", {"file": upload(b"%PDF", "a.pdf"), "title": " "}),
        ("hierarchies", {"file": upload(b"{", "attr_depth.json")}),
    ],
)
def test_what_is_refused(lesson, cast, as_user, kind, given):
    response = post(as_user(cast.oscar), lesson.contest, kind, **given)
    assert response.status_code == 422
    assert "is-invalid" in response.content.decode() or response.context["problems"]
    assert not lesson.contest.materials.exists()
    assert not Event.objects.filter(kind__startswith="material.").exists()


def test_a_file_that_is_too_large_and_one_material_too_many(lesson, cast, as_user, monkeypatch):
    oscar, contest = as_user(cast.oscar), lesson.contest
    monkeypatch.setattr("pwscup.contests.forms.MaterialFileForm.MOST", 4)
    large = post(oscar, contest, "file", file=upload(b"%PDF-", "a.pdf"))
    assert "expected at most 4" in large.content.decode()
    monkeypatch.setattr(services, "MOST", 1)
    add_file(cast, contest)
    before = storage.paths_on_disk()
    with pytest.raises(ContestRefused, match="at most 1 materials"):
        add_file(cast, contest)
    assert storage.paths_on_disk() == before


def test_what_is_for_teams(lesson, cast, as_user, client):
    contest = lesson.contest
    material = add_file(cast, contest, audience="teams")
    address = reverse("material", args=[contest.slug, material.pk])
    for stranger in (client, as_user(cast.eve)):
        assert "Slides" not in overview(stranger, contest)
    assert client.get(address)["Location"].startswith("/accounts/login/")
    assert as_user(cast.eve).get(address).status_code == 404
    alice = as_user(cast.alice)
    assert alice.get(address).status_code == 200
    Contest.objects.filter(pk=contest.pk).update(terms="Be nice.")
    contest.refresh_from_db()
    assert reverse("terms", args=[contest.slug]) in alice.get(address)["Location"]
    assert address not in overview(alice, contest)
    contest.judges.add(cast.eve)
    for office in (cast.eve, cast.oscar):
        assert as_user(office).get(address).status_code == 200


def test_titles_order_and_removal(lesson, cast, as_user, django_capture_on_commit_callbacks):
    oscar, contest = as_user(cast.oscar), lesson.contest
    first, second = add_file(cast, contest), add_file(cast, contest, name="table.csv")
    path = storage.path_of(first.file)

    def send(material, **given):
        contest.refresh_from_db()
        url = reverse("organize-material", args=[contest.slug, material.pk])
        with django_capture_on_commit_callbacks(execute=True):
            return oscar.post(url, {"version": contest.version} | given)

    send(second, do="up")
    assert list(contest.materials.all()) == [second, first]
    send(second, do="up")  # it is the first one already
    send(first, title="Lecture", title_ja="講義", audience="teams")
    first.refresh_from_db()
    assert (first.title, first.title_ja, first.audience) == ("Lecture", "講義", "teams")
    assert path.exists()
    send(first, do="remove")
    assert not path.exists()
    assert list(contest.materials.all()) == [second]
    assert send(first, do="remove").status_code == 404
    kinds = Event.objects.filter(kind__startswith="material.").values_list("kind", flat=True)
    assert [kind.removeprefix("material.") for kind in kinds] == [
        *("added", "added", "moved", "changed", "removed"),
    ]
    stale = {"version": contest.version - 1, "do": "remove"}
    assert oscar.post(reverse("organize-material", args=[contest.slug, second.pk]), stale)
    assert contest.materials.count() == 1


# Hierarchies


def test_all_problems_of_hierarchies_are_listed_at_once(lesson, cast, as_user):
    wrong = {
        "town": {"type": "category", "definition": CITIES},
        "city": {"type": "category", "definition": {"A": {"depth_1": "all"}}},
        "age": {"type": "numeric", "threshold_1": "50/40"},
    }
    response = post(as_user(cast.oscar), lesson.contest, "hierarchies", file=upload(wrong))
    assert response.status_code == 422
    page = response.content.decode()
    for said in ("no such column", "numbers in ascending order", "got “B”"):
        assert said in page
    assert not StoredFile.objects.filter(name="attr_depth.json").exists()


def test_values_that_the_schema_does_not_list_are_looked_up_in_the_table(cast, as_user):
    contest = lecture.contest_of(cast).contest
    content = {"city": {"type": "category", "definition": CITIES}}
    response = post(as_user(cast.oscar), contest, "hierarchies", file=upload(content))
    assert len(response.context["problems"]) > 2
    hidden = {"name": {"type": "category", "definition": CITIES}}
    response = post(as_user(cast.oscar), contest, "hierarchies", file=upload(hidden))
    (problem,) = response.context["problems"]
    assert problem.what.startswith("no such column")


def test_hierarchies_are_shown_as_trees(lesson, cast, client):
    material = add_hierarchies(cast, lesson.contest)
    address = reverse("hierarchies", args=[lesson.contest.slug])
    assert f'<a href="{address}">' in overview(client, lesson.contest)
    page = client.get(address).content.decode()
    assert page.count("<details") == page.count("</details>") == 1 + 2
    assert page.count('<ul class="tree">') == 2 + 3
    assert "30 ≤ … &lt; 40" in page
    assert reverse("material", args=[lesson.contest.slug, material.pk]) in page


def test_new_hierarchies_replace_the_present_ones(lesson, cast, django_capture_on_commit_callbacks):
    before = add_hierarchies(cast, lesson.contest)
    path = storage.path_of(before.file)
    with django_capture_on_commit_callbacks(execute=True):
        after = add_hierarchies(cast, lesson.contest, {"city": HIERARCHIES["city"]})
    assert (after.pk, lesson.contest.materials.count()) == (before.pk, 1)
    assert not path.exists()
    assert materials.content_of(lesson.contest) == {"city": HIERARCHIES["city"]}
    event = Event.objects.get(kind="material.changed")
    assert event.data["sha256"] == [before.file.sha256, after.file.sha256]


def test_hierarchies_that_no_longer_fit_are_not_used(lesson, cast, as_user, client):
    add_hierarchies(cast, lesson.contest)
    schema = factories.LECTURE_EXAMPLE_SCHEMA.replace('"A", "B"', '"A", "B", "C"')
    Dataset.objects.filter(contest=lesson.contest).update(schema_text=schema)
    assert materials.content_of(lesson.contest) == {}
    page = client.get(reverse("hierarchies", args=[lesson.contest.slug])).content.decode()
    assert "do not fit the present table" in page
    assert "C" not in page.partition("do not fit")[2].partition("</div>")[0]
    organizer = as_user(cast.oscar).get(reverse("organize-materials", args=[lesson.contest.slug]))
    assert len(organizer.context["unfit"]) == 1


def test_a_trial_generalizes_along_the_contest_s_hierarchies(lesson, cast, monkeypatch):
    hear(monkeypatch, Trial)
    Contest.objects.filter(pk=lesson.contest.pk).update(has_trials=True)
    add_hierarchies(cast, lesson.contest)
    draws.ensure_drawn(lesson.red)

    def ages(level: int) -> list[str]:
        trial = Trial.objects.create(
            team=lesson.red,
            round=round_of(lesson.contest, "anonymization"),
            number=level,
            steps=[
                {
                    "method": "levels",
                    "values": {"quasi_identifiers": level, "sensitive": 0},
                    "seed": "1",
                }
            ],
            requested_by=cast.alice,
        )
        jobs.work_on(Trial, trial.pk)
        trial.refresh_from_db()
        assert trial.state == "done", trial.problems
        (file,) = trial.files.all()
        return [row[0] for row in archives_rows(file)]

    def archives_rows(file):
        from django.conf import settings

        data = (settings.PRIVATE_ROOT / file.file.path).read_bytes()
        return lecture.records_of(data)[1:]

    # Of 20, 30, 40 and 50 every value is a group of threshold_2, and two each are one of threshold_1.
    assert ages(1) == ["20", "30", "40", "50"]
    assert ages(2) == ["20", "20", "40", "40"]


# What else happens to contests


def test_deletion_takes_the_files(lesson, cast, client, django_capture_on_commit_callbacks):
    contest = lesson.contest
    material, hierarchies = add_file(cast, contest), add_hierarchies(cast, contest)
    path = storage.path_of(material.file)
    for round in contest.rounds.all():
        pipeline.move(round, *(timezone.now() - timedelta(days=days) for days in (9, 8)))
    with django_capture_on_commit_callbacks(execute=True):
        retention.erase(actor=cast.oscar, contest=Contest.objects.get(pk=contest.pk))
    assert not path.exists()
    assert "Slides" not in overview(client, contest)
    for name, args in (("material", [material.pk]), ("hierarchies", [])):
        url = reverse(name, args=[contest.slug, *args])
        assert client.get(url).status_code in (404, 410)
    assert hierarchies.file.sha256 == StoredFile.objects.get(pk=hierarchies.file_id).sha256
    contest.refresh_from_db()
    with pytest.raises(ContestRefused, match="deleted already"):
        add_file(cast, contest)


def test_an_archive_holds_materials(lesson, cast, unsent):
    contest = lesson.contest
    add_file(cast, contest, audience="teams")
    services.add_link(
        actor=cast.oscar,
        contest=contest,
        title="Paper",
        title_ja="",
        audience="everybody",
        url="https://example.org/",
    )
    add_hierarchies(cast, contest)
    data = archives.bytes_of(archives.written(contest, cast.oscar))
    copy = archives.imported(cast.oscar, data).contest
    assert [(m.kind, m.title, m.title_ja) for m in copy.materials.all()] == [
        ("file", "Slides", "スライド"),
        ("link", "Paper", ""),
        ("hierarchies", "Hierarchies", ""),
    ]
    assert storage.read(copy.materials.first().file) == b"%PDF-1.7"
    assert materials.content_of(copy) == HIERARCHIES
    open_ = archives.entries(
        archives.bytes_of(archives.written(contest, cast.oscar, with_key=False))
    )
    assert b"Slides" not in open_["materials.csv"]
    assert b"attr_depth.json" in open_["files.csv"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("https://example.org/", "javascript:alert(1)"),
        ("link,everybody,2,https://example.org/", "file,everybody,2,https://example.org/"),
        ("file,everybody,1,", "hierarchies,everybody,1,"),
    ],
)
def test_a_forged_archive_is_refused(lesson, cast, unsent, before, after):
    contest = lesson.contest
    add_file(cast, contest)
    services.add_link(
        actor=cast.oscar,
        contest=contest,
        title="Paper",
        title_ja="",
        audience="everybody",
        url="https://example.org/",
    )
    add_hierarchies(cast, contest)
    found = archives.entries(archives.bytes_of(archives.written(contest, cast.oscar)))
    text = found["materials.csv"].decode()
    assert before in text
    forged = archives.listed(found | {"materials.csv": text.replace(before, after).encode()})
    job = archives.imported(cast.oscar, archives.zipped(forged))
    assert (job.state, job.contest) == ("refused", None)


def test_an_archive_of_the_version_before_has_none(lesson, cast, unsent):
    add_file(cast, lesson.contest)
    found = archives.entries(archives.bytes_of(archives.written(lesson.contest, cast.oscar)))
    older = archives.zipped(archives.of_version(found, 4))
    job = archives.imported(cast.oscar, older)
    assert job.contest is not None, job.problems
    copy = job.contest
    assert not Material.objects.filter(contest=copy).exists()
