# SPDX-License-Identifier: Apache-2.0
"""Of a series contest: nobody learns whose people are whose, nor a sensitive value or who was left out."""

from __future__ import annotations

import json
import logging
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.core import serializers
from django.urls import reverse

from pwscup.accounts.tokens import create_token
from pwscup.core.files import storage
from pwscup.core.models import Event, StoredFile
from pwscup.submissions.models import Evaluation, Release, Submission
from scoring.formats.sequential.bundles import pack, unpack
from tests import factories
from tests.every import some
from tests.web import crawler, pipeline, series
from tests.web.pipeline import scored
from tests.web.test_truth import leaks, parameters_of

pytestmark = pytest.mark.usefixtures("sent")


def marked(tables: bytes) -> bytes:
    """The hospital's tables with ids by which every person is known again anywhere."""
    files = {}
    for time, data in unpack(tables, "T", file="t")["T"].items():
        header, *lines = data.decode().splitlines()
        renamed = [line.replace("P", "canary-", 1) for line in lines]
        files[f"T{time}.csv"] = "\n".join([header, *renamed, ""]).encode()
    return pack(files)


@pytest.fixture
def world(cast, caplog) -> SimpleNamespace:
    """Both teams have handed in what is taken, with somebody left out, and what is not; jane judges."""
    caplog.set_level(logging.DEBUG)
    cup = series.contest_of(cast, tables=marked(factories.hospital_tables()))
    jane = factories.make_user("jane")
    cup.contest.judges.add(jane)
    for user, team in ((cast.alice, cup.red), (cast.carol, cup.blue)):
        right = factories.series_of_team(team)
        files = {name: data for name, data in series.parts(right).items() if name[0] == "R"}
        gone = min(record["patient"] for record in series.tables_of(team)[3])
        told = pack(files | {"D3.csv": f"patient\n{gone}\n".encode()})
        wrong = series.parts(right) | {"D1.csv": f"patient\n{gone}\n{gone}\n".encode()}
        for data, state in ((told, "scored"), (pack(wrong), "rejected"), (b"PK", "rejected")):
            assert scored(series.hand_in(user, team, data)).state == state
    viewers = {"alice": cast.alice, "carol": cast.carol, "eve": cast.eve, "jane": jane}
    return SimpleNamespace(
        **vars(cup),
        cast=cast,
        viewers=viewers | {"anonymous": None},
        teams={"alice": cup.red, "carol": cup.blue},
    )


def attacked(world) -> None:
    targets = series.publish(world.contest)
    for user, team, name in (
        (world.cast.alice, world.red, "Blue"),
        (world.cast.carol, world.blue, "Red"),
    ):
        truth = series.values_of(targets[name].team)
        wrong = {id_: "flu" if value != "flu" else "asthma" for id_, value in truth.items()}
        guess = series.guess_file(wrong)
        assert scored(pipeline.guess(user, team, targets[name], guess)).state == "scored"
        assert scored(pipeline.guess(user, team, targets[name], b"x\n")).state == "rejected"


def people_known_to(world, viewer: str, *, published: bool) -> set[str]:
    """Their own, and where attacks are open those of everybody whose background table is published."""
    team = world.teams.get(viewer)
    if team is None:
        return set()
    teams = (world.red, world.blue) if published else (team,)
    return {id_ for known in teams for id_ in series.values_of(known)}


def hidden_from(world, viewer: str, *, published: bool) -> dict[str, list[bytes]]:
    known = people_known_to(world, viewer, published=published)
    own, ends = world.teams.get(viewer), published_ends(world)
    whole = unpack(read_sealed(world.contest.datasets.get(team=None).sealed), "T", file="t")["T"]
    ids = {line.partition(b",")[0].decode() for d in whole.values() for line in d.splitlines()[1:]}
    others = [team for team in (world.red, world.blue) if team != own]
    draws = [read_sealed(d.sealed) for d in world.contest.datasets.filter(key="draw")]
    sealed = StoredFile.objects.filter(area="sealed").values_list("path", flat=True)
    return {
        "people": [id_.encode() for id_ in sorted(ids - known)],
        "values": [
            text.encode()
            for team in others
            for record in (r for table in series.tables_of(team).values() for r in table)
            for text in (
                f"{record['zip']},{record['disease']}",
                f'{record["patient"]}": "{record["disease"]}',
                f"{record['patient']},{record['disease']}",
            )
            if text.split(",")[0] not in ends or "canary" in text
        ],
        "draws": draws + [json.dumps(json.loads(d)["people"]).encode() for d in draws],
        "keys": [read_sealed(release.key) for release in Release.objects.all()],
        "sealed paths": [path.encode() for path in sealed],
    }


def read_sealed(file: StoredFile) -> bytes:
    return (settings.PRIVATE_ROOT / file.path).read_bytes()


def published_ends(world) -> set[str]:
    """The upper ends of boxes, after which a row of a release has a value."""
    return {
        line.split(",")[-2]
        for release in Release.objects.all()
        for data in series.parts(storage.read(release.table)).values()
        for line in data.decode("utf-8-sig").splitlines()
        if line.count(",") > 1
    }


def test_the_canary_sings(world):
    attacked(world)
    hidden = hidden_from(world, "anonymous", published=True)
    texts = [read_sealed(file) for file in StoredFile.objects.filter(area="sealed")]
    everything = b"\n".join(part for text in texts for part in crawler.contents(text))
    assert leaks(everything, hidden) == set(hidden) - {"sealed paths"}
    own = b"\n".join(factories.tables_of_team(world.red).values())
    assert leaks(own, hidden_from(world, "carol", published=True)) == {"values"}
    assert leaks(own, hidden_from(world, "carol", published=False)) == {"people", "values"}
    assert leaks(own, hidden_from(world, "alice", published=False)) == set()


# Who is in no team is left to the crawl of test_truth now.
@pytest.mark.parametrize("viewer", some(1, ["alice", "jane", "eve", "anonymous"]))
def test_nothing_hidden_is_on_any_page(world, as_user, viewer, caplog):
    attacked(world)
    check_pages(world, as_user, viewer, published=True)
    everything = hidden_from(world, "anonymous", published=True)
    assert leaks(caplog.text.encode(), everything) == set()


@pytest.mark.long
def test_before_the_attack_a_team_knows_its_own_people_alone(world, as_user):
    check_pages(world, as_user, "carol", published=False)


def check_pages(world, as_user, viewer: str, *, published: bool) -> None:
    hidden, own = hidden_from(world, viewer, published=published), world.teams.get(viewer)
    start = crawler.addresses(with_zips(parameters_of(world.contest, world.cast.bob, own)))
    seen = list(crawler.crawl(as_user(world.viewers[viewer]), start))
    assert {address: found for address, _, text in seen if (found := leaks(text, hidden))} == {}
    assert [address for address, status, _ in seen if status >= 500] == []
    tables = f"/c/series/data/team/{(own or world.red).slug}/original.zip"
    status = next(status for address, status, _ in seen if address == tables)
    assert (status == 200) == (viewer in world.teams)


def with_zips(parameters: dict[str, list[str]]) -> dict[str, list[str]]:
    return parameters | {"name": [*parameters["name"], "original.zip", "series", "people"]}


@pytest.mark.long
def test_nothing_hidden_is_in_an_answer_of_the_api(world, client):
    attacked(world)
    _token, text = create_token(user=world.cast.carol, name="t", days=7)
    hidden = hidden_from(world, "carol", published=True)
    start = [
        address
        for address in crawler.addresses(
            with_zips(parameters_of(world.contest, world.cast.bob, world.blue))
        )
        if address.startswith("/api/")
    ]
    found = {}
    for address in start:
        answer = client.get(address, headers={"Authorization": f"Bearer {text}"})
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        assert answer.status_code < 500
        found[address] = answer.status_code
        assert leaks(b"\n".join(crawler.contents(body)), hidden) == set(), address
    assert list(found.values()).count(200) >= 4


def test_rows_that_pages_show_hold_nothing_hidden(world):
    attacked(world)
    hidden = hidden_from(world, "anonymous", published=True)
    rows = [*Event.objects.all(), *Submission.objects.all()]
    shown = serializers.serialize("json", rows).encode()
    # a team reads which of its own people it left out twice
    assert leaks(shown, hidden) <= {"people"}
    told = [s for s in Submission.objects.all() if "canary-" in json.dumps(s.problems)]
    assert {submission.state for submission in told} == {"rejected"}
    assert b"canary-" not in serializers.serialize("json", Event.objects.all()).encode()
    results = list(Evaluation.objects.values_list("values", "input_hashes", "seed"))
    assert leaks(json.dumps(results).encode(), hidden) == set()


def test_only_its_team_and_the_organizers_get_tables(world, as_user):
    where = "/c/series/data/team/red/original.zip"
    people = (None, world.cast.eve, world.cast.alice, world.cast.bob, world.cast.carol)
    assert [as_user(p).get(where).status_code for p in people] == [404, 404, 200, 200, 404]
    answer = as_user(world.cast.oscar).get(where)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/zip")
    assert answer["Cache-Control"] == "private, no-store"
    assert (
        as_user(world.cast.alice).get(where.replace("original", "sample-anonymized")).status_code
        == 404
    )
    assert as_user(world.cast.alice).get(reverse("original", args=["series"])).status_code == 404
