# SPDX-License-Identifier: Apache-2.0
"""Contests that were played at random, and short ways to write them into archives and read those again."""

from __future__ import annotations

import csv
import io
import json
import random
import tomllib
import zipfile
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import tomli_w
from django.conf import settings
from django.utils import timezone

from pwscup.accounts.models import Team, User
from pwscup.archives import layout, services
from pwscup.archives.models import Archive, ContestImport
from pwscup.contests.models import Contest, Division, Round
from pwscup.core import jobs
from pwscup.core.files import storage
from pwscup.core.models import StoredFile
from pwscup.disclosure import services as disclosure
from pwscup.notices.services import publish_announcement
from pwscup.rescores import selectors as rescore_selectors
from pwscup.rescores import services as rescores
from pwscup.submissions import draws, releases
from pwscup.submissions import services as submissions
from pwscup.submissions.decisions import appeals, rulings
from pwscup.submissions.judging import grades
from pwscup.submissions.models import Release, Rescore, Submission
from pwscup.submissions.states import State
from tests import factories
from tests.web import lecture, pipeline, series
from tests.web.branded import brand

TEAMS = ("Red", "Blue", "Green", "Team 2")


# Playing


def pwscup2015(cast: Any, rng: random.Random) -> Contest:
    """Tables, guesses, rejected files, a choice, a ruling, an appeal and a re-scoring of it all."""
    contest = brand(cast)
    students = Division.objects.create(contest=contest, key="students", title="Students")
    factories.make_team(contest, "Green", factories.make_user("gail"))
    factories.make_team(contest, "Team 2", factories.make_user("tom"))
    cast.blue.division = students
    cast.blue.save()
    _tables_round(contest, rng, contest.rounds.get(key="anonymization"))
    targets = pipeline.publish(contest)
    _guesses_round(rng, contest, targets)
    attack = contest.rounds.get(key="attack")
    pipeline.close(attack)
    _decisions(cast, rng, contest)
    _rescored(cast, contest)
    return contest


def season(cast: Any, rng: random.Random) -> Contest:
    """The preliminary of a season, whose final is still to come."""
    from scoring.rulesets import load_ruleset

    contest = cast.contest
    contest.ruleset_text = load_ruleset("pwscup2015-season").text
    contest.save()
    Contest.objects.get(pk=contest.pk).rounds.all().delete()
    contest = Contest.objects.get(pk=contest.pk)
    now = timezone.now()
    for position, spec in enumerate(contest.ruleset.rounds):
        opens_at = now + timedelta(days=position - 1, hours=1)
        Round.objects.create(
            contest=contest,
            key=spec.key,
            kind=spec.kind,
            position=position,
            opens_at=opens_at,
            closes_at=opens_at + timedelta(hours=20),
            tries=spec.tries or spec.tries_per_target,
            feedback=spec.feedback,
        )
    first, attack = contest.rounds.order_by("position")[:2]
    pipeline.move(first, now - timedelta(days=1), now + timedelta(hours=1))
    _tables_round(contest, rng, first)
    pipeline.move(first, now - timedelta(days=1), now - timedelta(hours=3))
    pipeline.move(attack, now - timedelta(hours=2), now + timedelta(hours=1))
    targets = {release.team.name: release for release in releases.publish(attack)}
    _guesses_round(rng, contest, targets)
    pipeline.move(attack, now - timedelta(hours=2), now - timedelta(minutes=10))
    _decisions(cast, rng, contest)
    return contest


def lecture_contest(cast: Any, rng: random.Random) -> Contest:
    """Tables of each team's own, candidates with decoys, presentations with marks of two judges."""
    played = lecture.contest_of(cast)
    contest = played.contest
    for team in (played.red, played.blue):
        draws.ensure_drawn(team)
        for _ in range(2):
            table = lecture.own_table(team).splitlines()
            rng.shuffle(table[1:])
            pipeline.scored(lecture.hand_in(team.captain, team, b"\n".join(table) + b"\n"))
        pipeline.scored(lecture.hand_in(team.captain, team, b"age,city\n"))
    targets = lecture.publish(contest)
    attack = lecture.round_of(contest, "attack")
    for attacker, name in ((played.red, "Blue"), (played.blue, "Red")):
        n = targets[name].n_records
        guess = lecture.guess_file([rng.randrange(20) for _ in range(n)])
        pipeline.scored(pipeline.guess(attacker.captain, attacker, targets[name], guess))
    now = timezone.now()
    pipeline.move(attack, now - timedelta(hours=5), now - timedelta(hours=3))
    talk = lecture.round_of(contest, "presentation")
    pipeline.move(talk, now - timedelta(hours=2), now + timedelta(hours=1))
    contest.judges.add(cast.eve)
    for judge in (cast.oscar, cast.eve):
        given = {
            (team.pk, criterion.key): Decimal(rng.randrange(0, 10_001)) / 100
            for team in (played.red, played.blue)
            for criterion in talk.spec.criteria
        }
        seen = grades.last_of(talk, judge)
        talk = Round.objects.select_related("contest").get(pk=talk.pk)
        grades.save(user=judge, round=talk, given=given, seen=seen)
    pipeline.move(talk, now - timedelta(hours=2), now - timedelta(minutes=10))
    return contest


def disclosure_contest(cast: Any, rng: random.Random) -> Contest:
    """A hidden table released and asked for; two teams and their estimates from both."""
    contest = factories.make_dp_contest(organizer=cast.oscar)
    teams = [
        factories.make_team(contest, name, person)
        for name, person in (("Red", cast.alice), ("Blue", cast.carol))
    ]
    now, hour = timezone.now(), timedelta(hours=1)
    batch, interactive = contest.rounds.order_by("position")
    disclosure.ensure_released(batch)
    for round in (batch, interactive):
        pipeline.move(round, now - hour, now + hour)
        for team in teams:
            if round.kind == "interactive":
                for columns in (["sex"], ["sex", "age"], []):
                    disclosure.ask(
                        user=team.captain,
                        team=team,
                        round=round,
                        query={"columns": columns},
                        epsilon=rng.choice(["0.1", "0.25"]),
                    )
            for _ in range(2):
                pipeline.scored(_estimated(rng, team, round))
        pipeline.move(round, now - 3 * hour, now - hour)
    return contest


def series_contest(cast: Any, rng: random.Random) -> Contest:
    """Tables of several times: releases with everything beside them, a rejected series, and guessed values."""
    played = series.contest_of(cast)
    contest, teams = played.contest, (played.red, played.blue)
    for team in teams:
        for method in rng.sample(("m-invariance", "improved"), 2):
            handed_in = factories.series_of_team(team, method=method)
            pipeline.scored(series.hand_in(team.captain, team, handed_in))
        pipeline.scored(series.hand_in(team.captain, team, b"no archive"))
    targets = series.publish(contest)
    for attacker, name in ((played.red, "Blue"), (played.blue, "Red")):
        truth = series.values_of(targets[name].team)
        guess = {id_: rng.choice(list(truth.values())) for id_ in truth}
        guess = series.guess_file(guess | dict(rng.sample(sorted(truth.items()), 15)))
        pipeline.scored(pipeline.guess(attacker.captain, attacker, targets[name], guess))
    attack, now = series.round_of(contest, "attack"), timezone.now()
    pipeline.move(attack, now - timedelta(hours=1), now - timedelta(minutes=10))
    return contest


def _estimated(rng: random.Random, team: Team, round: Round) -> Submission:
    cells = ((s, a) for s in "FM" for a in ("young", "middle", "old"))
    lines = [f"{s},{a},{rng.randrange(9)}\n" for s, a in cells]
    estimate = ("sex,age,count\n" + "".join(lines)).encode()
    return submissions.submit(
        user=team.captain,
        team=team,
        round=round,
        files={"estimate": ("estimate.csv", estimate)},
        arrived_at=timezone.now(),
    )


PLAYED: dict[str, Callable[[Any, random.Random], Contest]] = {
    "pwscup2015": pwscup2015,
    "season": season,
    "lecture": lecture_contest,
    "disclosure": disclosure_contest,
    "series": series_contest,
}


def _tables_round(contest: Contest, rng: random.Random, round: Round) -> None:
    tables = (factories.NOISY, factories.AVERAGED, factories.ORIGINAL)
    for team in contest.teams.order_by("pk"):
        for _ in range(rng.randrange(1, 3)):
            made = pipeline.hand_in(team.captain, team, round, anonymized=rng.choice(tables))
            pipeline.scored(made)
        pipeline.scored(pipeline.hand_in(team.captain, team, round, anonymized=b"x,y\n1,2\n"))
        scored = team.submissions.filter(round=round, state=State.SCORED)
        chosen = rng.choice(list(scored.select_related("round__contest", "team")))
        submissions.choose(user=team.captain, submission=chosen)


def _guesses_round(rng: random.Random, contest: Contest, targets: dict[str, Release]) -> None:
    for team in contest.teams.order_by("pk"):
        for name, target in sorted(targets.items()):
            if name != team.name and rng.random() < 0.8:
                rows = rng.sample(range(1, 5), 4)
                guess = b"row\n" + "".join(f"{row}\n" for row in rows).encode()
                pipeline.scored(pipeline.guess(team.captain, team, target, guess))


def _decisions(cast: Any, rng: random.Random, contest: Contest) -> None:
    """One of each kind, some of them taken back."""
    green = contest.teams.filter(name="Green").first() or cast.blue
    scored = green.submissions.filter(state=State.SCORED, target=None)
    mine = scored.select_related("round__contest", "team").last()
    appeals.write(user=green.captain, submission=mine, text="=Why? “Look” at\nline 2, please")
    appeals.write(user=cast.oscar, submission=mine, text="'Because.", closes=True)
    rulings.withdraw(actor=cast.oscar, submission=mine, reason="a slip, “really”")
    if rng.random() < 0.5:
        rulings.reinstate_submission(actor=cast.oscar, submission=mine, reason="no slip")
    rulings.disqualify(actor=cast.oscar, team=cast.red, reason="shared a table")
    rulings.reinstate_team(actor=cast.oscar, team=cast.red, reason="did not")
    publish_announcement(
        actor=cast.oscar,
        contest=contest,
        values={
            "title": "News",
            "title_ja": "お知らせ",
            "text": "All is well.\n\n—",
            "text_ja": "順調です。",
            "is_pinned": True,
        },
    )


def _rescored(cast: Any, contest: Contest) -> None:
    text = contest.ruleset_text.replace('ties = "expected"', 'ties = "strict"')
    rescores.change_rules(actor=cast.oscar, contest=contest, text=text, note="strict ties")
    rescore = rescore_selectors.undecided(contest)
    assert jobs.work_on(Rescore, rescore.pk)
    rescores.apply(actor=cast.oscar, contest=contest)


# Archives


def written(contest: Contest, actor: User, **options: Any) -> Archive:
    """An archive that a worker has written."""
    given = {"names": "all", "with_key": True, "address": contest.slug} | options
    archive = services.request_archive(actor=actor, contest=contest, **given)
    assert jobs.work_on(Archive, archive.pk)
    archive.refresh_from_db()
    assert archive.state == Archive.State.DONE, archive.reference
    return archive


def bytes_of(archive: Archive) -> bytes:
    return storage.archive_path(archive.file).read_bytes()


def entries(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as found:
        return {name: found.read(name) for name in found.namelist()}


def of_version(found: dict[str, bytes], version: int) -> dict[str, bytes]:
    """The entries as an older version of the format wrote them: without the columns that came later."""
    older = dict(found)
    for sheet in layout.SHEETS:
        if sheet.since > version:
            older.pop(sheet.entry, None)
            continue
        later = {column.name for column in sheet.columns if column.since > version}
        if later and sheet.entry in found:
            without = {"json": _json_without, "toml": _toml_without}.get(
                sheet.entry.rpartition(".")[2], _csv_without
            )
            older[sheet.entry] = without(found[sheet.entry], later)
    return listed(older, version=version)


def _json_without(data: bytes, columns: set[str]) -> bytes:
    rows = json.loads(data)
    if not rows:
        return data
    lines = (json.dumps({k: row[k] for k in row if k not in columns}) for row in rows)
    return ("[\n" + ",\n".join(lines) + "\n]\n").encode()


def _toml_without(data: bytes, columns: set[str]) -> bytes:
    return tomli_w.dumps(_kept(tomllib.loads(data.decode()), columns)).encode()


def _kept(part: Any, columns: set[str]) -> Any:
    if not isinstance(part, dict):
        return part
    return {key: _kept(value, columns) for key, value in part.items() if key not in columns}


def _csv_without(data: bytes, columns: set[str]) -> bytes:
    header, *lines = csv.reader(io.StringIO(data.decode(), newline=""))
    kept = [n for n, name in enumerate(header) if name not in columns]
    assert len(kept) == len(header) - len(columns)
    out = io.StringIO()
    csv.writer(out).writerows([line[n] for n in kept] for line in (header, *lines))
    return out.getvalue().encode()


def zipped(found: dict[str, bytes], *, twice: str = "") -> bytes:
    """Entries as an archive; one of them `twice`."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in found.items():
            archive.writestr(name, data)
        if twice:
            archive.writestr(twice, found[twice])
    return out.getvalue()


def listed(found: dict[str, bytes], **changes: Any) -> dict[str, bytes]:
    """Entries with a manifest that fits them."""
    import hashlib

    manifest = json.loads(found["MANIFEST.json"]) | changes
    manifest["entries"] = [
        {"name": name, "sha256": hashlib.sha256(data).hexdigest(), "size_bytes": len(data)}
        for name, data in sorted(found.items())
        if name != "MANIFEST.json"
    ]
    return found | {"MANIFEST.json": json.dumps(manifest).encode()}


def imported(actor: User, data: bytes) -> ContestImport:
    """What came of an archive."""
    job = services.receive_archive(actor=actor, name="archive.zip", chunks=data)
    assert jobs.work_on(ContestImport, job.pk)
    job.refresh_from_db()
    return job


def world() -> SimpleNamespace:
    """How many rows there are of everything, and which files lie on the disk."""
    from django.apps import apps

    counts = {
        model._meta.label: model._default_manager.count()
        for model in apps.get_models()
        if model._meta.app_label not in ("core", "archives", "sessions")
    }
    kept = StoredFile.objects.exclude(area="archive").count()
    on_disk = {p for p in storage.paths_on_disk() if not p.startswith("archive/")}
    return SimpleNamespace(counts=counts, kept=kept, on_disk=on_disk, root=settings.PRIVATE_ROOT)
