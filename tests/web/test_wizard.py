# SPDX-License-Identifier: Apache-2.0
"""From nothing to an open contest: formats, a table that is made or drawn, and the steps of a draft."""

from __future__ import annotations

import csv
import io
import random

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from pwscup.contests import sampling, services
from pwscup.contests.models import Contest
from pwscup.contests.organize import wizard
from pwscup.contests.services.common import ContestRefused
from pwscup.core.files import storage
from pwscup.formats.common import table
from scoring.rulesets import load_ruleset, ruleset_names

NEW = {
    "title": "Lecture 2031",
    "timezone": "Asia/Tokyo",
    "starts_at": "2031-04-10T10:00",
    "max_team_size": "5",
}


@pytest.mark.whole
@pytest.mark.parametrize("name", ruleset_names())
def test_every_format_of_the_library_makes_a_draft(cast, oscar, name):
    response = oscar.post(reverse("organize-new"), NEW | {"ruleset": name})
    assert response.status_code == 302, response.content.decode()[-3000:]
    contest = Contest.objects.get(slug="lecture-2031")
    assert contest.ruleset == load_ruleset(name)
    assert [round.key for round in contest.rounds.all()] == [r.key for r in contest.ruleset.rounds]
    assert contest.ruleset_versions.get().digest == contest.ruleset.digest


def test_the_formats_are_told_apart_by_their_rounds(cast, oscar):
    page = oscar.get(reverse("organize-new")).content.decode()
    for name in ruleset_names():
        assert f'value="{name}"' in page
    assert sorted(f.name for _, listed in wizard.formats() for f in listed) == sorted(
        ruleset_names()
    )


def test_rules_of_ones_own_go_before_a_format(cast, oscar):
    text = load_ruleset("pwscup2015").text.replace('id = "pwscup2015"', 'id = "my-cup"')
    given = NEW | {"ruleset": "pets-lecture"}
    upload = SimpleUploadedFile("mine.toml", text.replace("\n", "\r\n").encode())
    assert oscar.post(reverse("organize-new"), given | {"ruleset_file": upload}).status_code == 302
    assert Contest.objects.get(slug="lecture-2031").ruleset.id == "my-cup"


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "missing"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"id = ", "TOML"),
        (load_ruleset("pwscup2015").text.replace('"U1", "U2"', '"U1", "U99"', 1).encode(), "U99"),
        (b"#" * 200_001, "too large"),
    ],
)
def test_wrong_rules_of_ones_own_are_refused_with_the_reason(cast, oscar, content, word):
    upload = SimpleUploadedFile("mine.toml", content)
    response = oscar.post(reverse("organize-new"), NEW | {"ruleset_file": upload})
    assert response.status_code == 200
    assert word in response.content.decode()
    assert not Contest.objects.filter(slug="lecture-2031").exists()


def test_without_a_format_nothing_is_made(cast, oscar):
    response = oscar.post(reverse("organize-new"), NEW)
    assert "Choose a format" in response.content.decode()


# Data


def test_a_table_is_made_with_columns_that_are_known(cast, draft, oscar):
    address = reverse("organize-generate", args=["next"])
    given = {"n_records": "300", "version": str(draft.version)}
    assert oscar.post(address, given).status_code == 302
    found = draft.draft
    assert found.n_records == 300
    assert found.schema.e2_column
    services.confirm_table(actor=cast.oscar, contest=draft, schema=found.schema)
    assert draft.datasets.get().n_records == 300


@pytest.mark.parametrize("n_records", ["", "0", "99", "200001", "1e3", "x"])
def test_a_table_of_a_senseless_size_is_not_made(cast, draft, oscar, n_records):
    address = reverse("organize-generate", args=["next"])
    response = oscar.post(address, {"n_records": n_records, "version": str(draft.version)})
    assert response.status_code == 200
    assert not hasattr(draft, "draft")


def test_two_tables_that_are_made_differ():
    rules = load_ruleset("pwscup2015")
    assert table.generated(rules, 100)[1] != table.generated(rules, 100)[1]


LARGE = b"city,age\n" + b"".join(b"c%d,%d\n" % (row % 7, row) for row in range(500))


def test_records_are_drawn_from_a_larger_table_as_they_are_written(cast, draft):
    made = services.upload_table(
        actor=cast.oscar, contest=draft, name="large.csv", data=LARGE, n_sampled=40
    )
    kept = list(csv.reader(io.StringIO(storage.read_draft(made.file).decode())))
    whole = list(csv.reader(io.StringIO(LARGE.decode())))
    assert kept[0] == whole[0]
    assert len(kept) == 41
    ages = [int(age) for _, age in kept[1:]]
    assert len(set(ages)) == 40
    assert ages == sorted(ages)
    assert all(record in whole for record in kept)


def test_more_records_than_there_are_cannot_be_drawn(cast, draft):
    with pytest.raises(ContestRefused, match="500 records"):
        services.upload_table(
            actor=cast.oscar, contest=draft, name="large.csv", data=LARGE, n_sampled=501
        )
    assert not hasattr(draft, "draft")


@pytest.mark.long
def test_every_record_is_drawn_as_often_as_another(monkeypatch):
    """40 of 500 in 400 draws: each record 32 times; beyond six standard deviations something is wrong."""
    rng = random.Random(1)
    monkeypatch.setattr(sampling.secrets, "SystemRandom", lambda: rng)
    counts = dict.fromkeys(range(500), 0)
    for _ in range(400):
        for line in sampling.sampled(LARGE, 40)[0].decode().splitlines()[1:]:
            counts[int(line.split(",")[1])] += 1
    assert sum(counts.values()) == 400 * 40
    assert all(abs(n - 32) < 6 * (400 * 0.08 * 0.92) ** 0.5 for n in counts.values())


# Steps


def test_a_draft_shows_its_steps_and_a_public_contest_none(cast, draft, oscar):
    page = oscar.get(reverse("organize-data", args=["next"])).content.decode()
    assert "Next: Rounds" in page
    assert 'class="steps"' in page
    public = oscar.get(reverse("organize-data", args=["cup"])).content.decode()
    assert 'class="steps"' not in public


def test_a_step_is_done_when_it_is(cast, draft):
    def done():
        return {step.section for step in wizard.steps(draft, "data") if step.is_done}

    assert done() == {"rules", "rounds"}
    made = services.generate_table(actor=cast.oscar, contest=draft, n_records=100)
    services.confirm_table(actor=cast.oscar, contest=draft, schema=made.schema)
    assert done() == {"rules", "rounds", "data"}
    assert not any(
        step.is_done for step in wizard.steps(draft, "data") if step.section == "overview"
    )
