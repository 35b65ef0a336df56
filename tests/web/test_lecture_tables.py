# SPDX-License-Identifier: Apache-2.0
"""Tables of the teams' own: drawn once, by the secret, and nobody else's business."""

from __future__ import annotations

import csv
import io
import json
import threading
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from pwscup.contests import services
from pwscup.contests.models import Dataset
from pwscup.contests.teams import tables
from pwscup.core.files import storage
from pwscup.core.models import Event, StoredFile
from pwscup.rescores import services as rescore_services
from pwscup.submissions import draws, sweeper
from tests import factories
from tests.web.pipeline import two_teams


@pytest.fixture
def lecture(cast) -> SimpleNamespace:
    """The cast in a lecture contest whose anonymization round is open."""
    contest = factories.make_lecture_contest(organizer=cast.oscar)
    return two_teams(cast, contest)


def records_of(file) -> list[list[str]]:
    data = (settings.PRIVATE_ROOT / file.path).read_bytes()
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def drawn(team) -> dict[str, list[int]]:
    key = tables.draw_of(team).sealed
    return json.loads((settings.PRIVATE_ROOT / key.path).read_bytes())


def paths_on_disk() -> set[str]:
    root = settings.PRIVATE_ROOT
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def test_a_team_gets_records_of_the_table_and_decoys_that_are_not_its_own(lecture):
    dataset = draws.ensure_drawn(lecture.red)
    header, *whole = records_of(lecture.contest.datasets.get(team=None).sealed)
    rows = drawn(lecture.red)
    assert records_of(dataset.sealed) == [header, *(whole[row] for row in rows["own"])]
    assert records_of(dataset.public) == [record[1:] for record in records_of(dataset.sealed)]
    assert header[0] == "name"
    assert (dataset.n_records, tables.draw_of(lecture.red).n_records) == (10, 20)
    assert len(set(rows["own"]) | set(rows["decoys"])) == 20
    assert sorted(rows["candidates"]) == sorted(rows["own"] + rows["decoys"])
    assert rows["candidates"] != rows["own"] + rows["decoys"]
    assert (dataset.sealed.area, dataset.public.area) == ("sealed", "published")


def test_the_draws_of_teams_are_independent(lecture):
    for team in (lecture.red, lecture.blue):
        draws.ensure_drawn(team)
    red, blue = drawn(lecture.red), drawn(lecture.blue)
    assert set(red["own"]) != set(blue["own"])
    assert red["candidates"] != blue["candidates"]


def test_a_table_is_drawn_once(lecture):
    first = draws.ensure_drawn(lecture.red)
    files = StoredFile.objects.count()
    assert draws.ensure_drawn(lecture.red) == first
    assert draws.draw_due() == 1  # Blue's
    assert draws.draw_due() == 0
    assert StoredFile.objects.count() == files + 3
    assert Dataset.objects.filter(team=lecture.red).count() == 2


def test_the_same_secret_gives_the_same_table_again(lecture):
    first = draws.ensure_drawn(lecture.red).public.sha256
    rows = drawn(lecture.red)
    Dataset.objects.filter(team=lecture.red).delete()
    assert draws.ensure_drawn(lecture.red).public.sha256 == first
    assert drawn(lecture.red) == rows


def test_the_sweeper_draws_when_the_first_round_opens_and_for_teams_founded_later(lecture, cast):
    first = lecture.contest.rounds.first()
    opens_at = first.opens_at
    sweeper.sweep(opens_at - timedelta(seconds=1))
    assert not Dataset.objects.filter(team__isnull=False).exists()
    sweeper.sweep(opens_at)
    assert Dataset.objects.filter(key="original", team__isnull=False).count() == 2
    green = factories.make_team(lecture.contest, "Green", cast.eve)
    sweeper.sweep()
    assert tables.table_of(green) is not None


def test_nothing_is_drawn_for_a_draft_or_where_all_teams_share_a_table(lecture, cast):
    assert draws.ensure_drawn(cast.red) is None
    lecture.contest.is_published = False
    lecture.contest.save()
    assert draws.ensure_drawn(lecture.red) is None
    assert draws.draw_due() == 0


def test_a_pause_before_the_opening_keeps_the_tables_back(lecture):
    lecture.contest.paused_at = lecture.contest.rounds.first().opens_at - timedelta(hours=1)
    lecture.contest.save()
    assert draws.draw_due() == 0


def test_a_table_of_rules_that_were_changed_meanwhile_is_not_kept(lecture):
    from pwscup.formats.per_team import draw

    source = lecture.contest.datasets.get(team=None)
    made = draw.drawn_for(lecture.red, source)
    before = paths_on_disk()
    other = factories.lecture_ruleset(sample=12)
    type(lecture.contest).objects.filter(pk=lecture.contest.pk).update(ruleset_text=other.text)
    assert draws.attach(lecture.red, source, made) is None
    assert not Dataset.objects.filter(team=lecture.red).exists()
    assert paths_on_disk() == before
    assert draws.draw_due() == 2
    assert tables.table_of(lecture.red).n_records == 12


def test_where_one_draw_fails_the_others_go_on(lecture, monkeypatch, caplog):
    from pwscup.formats.per_team import draw

    original = draw.drawn_for

    def fail_for_red(team, *given, **named):
        if team == lecture.red:
            raise RuntimeError
        return original(team, *given, **named)

    monkeypatch.setattr(draw, "drawn_for", fail_for_red)
    assert draws.draw_due() == 1
    assert f"draw of contest {lecture.contest.pk} (red) failed" in caplog.text
    assert lecture.contest.faults.get().subject == "red"
    assert tables.table_of(lecture.red) is None


def test_what_was_drawn_is_on_record_without_a_value(lecture):
    draws.ensure_drawn(lecture.red)
    event = Event.objects.get(kind="table.drawn")
    dataset = tables.table_of(lecture.red)
    assert event.data["sha256"] == dataset.public.sha256
    assert event.data["draw_sha256"] == tables.draw_of(lecture.red).sealed.sha256
    purposes = [e.data.get("purpose") for e in Event.objects.filter(kind="truth.read")]
    assert "draw/red" in purposes


@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_draws_and_no_bytes_stay_behind(lecture):
    barrier, found = threading.Barrier(2), []

    def work():
        try:
            barrier.wait()
            found.append(draws.ensure_drawn(lecture.red).pk)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2
    assert len(set(found)) == 1
    assert Dataset.objects.filter(team=lecture.red).count() == 2
    assert paths_on_disk() == set(StoredFile.objects.values_list("path", flat=True))


def test_a_table_that_was_replaced_meanwhile_is_not_drawn_from(lecture, monkeypatch):
    from pwscup.formats.per_team import draw

    source = lecture.contest.datasets.get(team=None)
    found = draw.drawn_for(lecture.red, source)
    other = storage.store(b"other", area=storage.Area.SEALED, name="other.csv")
    Dataset.objects.filter(pk=source.pk).update(sealed=other)
    before = paths_on_disk()
    assert draws.attach(lecture.red, source, found) is None
    assert paths_on_disk() == before


# The organizer's table


def replace(lecture, cast, data: bytes):
    schema = lecture.contest.datasets.get(team=None).schema
    return services.attach_dataset(
        actor=cast.oscar, contest=lecture.contest, data=data, schema=schema
    )


def test_a_table_with_too_few_records_is_refused_with_numbers(lecture, cast):
    with pytest.raises(services.ContestRefused) as refused:
        replace(lecture, cast, factories.lecture_table(19))
    words = str(refused.value)
    assert all(part in words for part in ("19", "20", "10"))
    assert replace(lecture, cast, factories.lecture_table(20)).n_records == 20


def test_the_table_stays_once_a_team_has_its_part(lecture, cast):
    draws.ensure_drawn(lecture.red)
    with pytest.raises(services.ContestRefused, match="drawn"):
        replace(lecture, cast, factories.lecture_table(40))


def test_no_sample_is_made_from_the_organizers_table(lecture, cast):
    replace(lecture, cast, factories.lecture_table(30))
    assert not lecture.contest.samples.exists()


def test_a_large_table_is_no_reason_to_refuse_it(lecture, cast, monkeypatch):
    """A team's file holds a sample of it."""
    text = lecture.contest.ruleset_text.replace("10_485_760", "1_000")
    lecture.contest.ruleset_text = text
    lecture.contest.__dict__.pop("ruleset", None)
    lecture.contest.save()
    assert replace(lecture, cast, factories.lecture_table(60)).n_records == 60


def test_a_contest_without_records_enough_draws_nothing(lecture):
    Dataset.objects.filter(team=None).update(n_records=19)
    assert draws.ensure_drawn(lecture.red) is None
    assert not draws.is_due(lecture.contest, timezone.now())


def test_when_the_data_are_deleted_the_pages_stay(lecture, cast, as_user):
    draws.ensure_drawn(lecture.red)
    alice, where = as_user(cast.alice), "/c/lecture/data/team/red/original.csv"
    assert alice.get(where).status_code == 200
    files = StoredFile.objects.filter(pk=tables.table_of(lecture.red).public_id)
    files.update(erased_at=timezone.now())
    assert "teamred_original.csv" in alice.get("/c/lecture/").text
    assert alice.get("/c/lecture/round/anonymization/").status_code == 200
    for name in ("original", "sample-anonymized"):
        answer = alice.get(where.replace("original", name))
        assert answer.status_code == 410


# Other rules


def change_rules(lecture, cast, text: str):
    return rescore_services.change_rules(actor=cast.oscar, contest=lecture.contest, text=text)


def test_rules_that_ask_for_more_records_than_there_are_are_refused(lecture, cast):
    text = lecture.contest.ruleset_text.replace("decoys = 10", "decoys = 51")
    with pytest.raises(services.ContestRefused) as refused:
        change_rules(lecture, cast, text)
    assert all(part in str(refused.value) for part in ("60", "61", "10", "51"))
    assert change_rules(lecture, cast, text.replace("= 51", "= 50")).number == 1


def test_rules_draw_no_other_tables_once_these_are_drawn(lecture, cast):
    draws.ensure_drawn(lecture.red)
    with pytest.raises(services.ContestRefused, match="already drawn and distributed"):
        change_rules(lecture, cast, lecture.contest.ruleset_text.replace("= 10", "= 12"))
