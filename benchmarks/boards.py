# SPDX-License-Identifier: Apache-2.0
"""`python -m benchmarks.boards`: what boards cost in a contest of 100 and of 200 teams, in processor time and bytes.

The facts are written straight into a database of the benchmark's own (or into that of DATABASE_URL): a table and
one more submission for each team, and a guess of every team against every other one.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pwscup.contests.models import Contest

N_RECORDS = 8333
SEED = 12


def main() -> None:
    arguments = _parser().parse_args()
    folder = Path(tempfile.mkdtemp(prefix="pwscup-bench-boards-"))
    try:
        _set_up(folder)
        rows = [
            (n_teams, *row)
            for n_teams in map(int, arguments.teams.split(","))
            for row in _measured(n_teams)
        ]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    _say("| teams | what | figure |\n|---|---|---|")
    for n_teams, what, figure in rows:
        _say(f"| {n_teams} | {what} | {figure} |")


def _set_up(folder: Path) -> None:
    """Django over a database of the benchmark's own."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pwscup.settings")
    os.environ["PWSCUP_DATA_DIR"] = str(folder)
    os.environ.setdefault("LOG_LEVEL", "WARNING")
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    settings.STORAGES["staticfiles"] = {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
    }
    settings.ALLOWED_HOSTS = ["*"]
    call_command("migrate", verbosity=0)


# The facts


def play(n_teams: int, slug: str = "", *, n_guesses: int = 1) -> Contest:
    """A finished contest of the format of 2015 with the results of so many teams, the same every time."""
    from pwscup.accounts.models import Membership, Team
    from tests import factories

    slug = slug or f"cup-{n_teams}-{uuid.uuid4().hex[:6]}"
    oscar = factories.make_user(f"oscar-{slug}", is_organizer=True)
    alice = factories.make_user(f"alice-{slug}")
    contest = factories.make_contest(slug, organizer=oscar, phase="after")
    names = [f"Team {n:03d} of the cup" for n in range(n_teams)]
    teams = Team.objects.bulk_create(
        Team(contest=contest, name=name, slug=f"team-{n}", created_at=_begin(contest))
        for n, name in enumerate(names)
    )
    Membership.objects.create(team=teams[0], user=alice, contest=contest)
    _play_rounds(contest, teams, n_guesses)
    return contest


def _begin(contest: Contest) -> Any:
    return contest.rounds.earliest("opens_at").opens_at


def _play_rounds(contest: Contest, teams: list[Any], n_guesses: int) -> None:
    from pwscup.core.files import storage
    from pwscup.submissions.models import Release, Submission

    drawn = random.Random(SEED)
    anonymization, attack = contest.rounds.order_by("position")
    tables = _scored(
        [
            Submission(round=anonymization, team=team, number=number)
            for number in (1, 2)
            for team in teams
        ],
        lambda: _measures(drawn),
    )
    table = storage.store(b"row\n1\n", area=storage.Area.PUBLISHED, name="table.csv")
    key = storage.store(b"row\n1\n", area=storage.Area.SEALED, name="key.csv")
    releases = Release.objects.bulk_create(
        Release(
            round=attack,
            team=s.team,
            submission=s,
            table=table,
            key=key,
            n_records=N_RECORDS,
            created_at=attack.opens_at,
        )
        for s in tables[len(teams) :]
    )
    strength = {team.pk: drawn.random() for team in teams}
    guesses = [
        Submission(round=attack, team=team, target=target, number=number)
        for team in teams
        for number, target in enumerate(
            (r for r in releases if r.team_id != team.pk for _ in range(n_guesses)), start=1
        )
    ]
    rates = iter([strength[s.team_id] * drawn.random() for s in guesses])
    _scored(guesses, lambda: _hits(int(next(rates) * N_RECORDS)))


def _scored(submissions: list[Any], values: Callable[[], dict[str, Any]]) -> list[Any]:
    from pwscup.submissions.models import Evaluation, Submission

    opens = submissions[0].round.opens_at
    for n, submission in enumerate(submissions):
        submission.state, submission.fence = Submission.State.SCORED, 1
        submission.arrived_at = opens + timedelta(seconds=n)
        submission.finished_at = submission.arrived_at + timedelta(seconds=1)
    made = Submission.objects.bulk_create(submissions, batch_size=500)
    Evaluation.objects.bulk_create(
        [
            Evaluation(
                submission=submission,
                fence=1,
                ruleset_digest="d" * 64,
                scoring_version="1.0.0",
                seed="0",
                input_hashes={},
                values=values(),
                seconds=0.1,
                created_at=submission.finished_at,
            )
            for submission in made
        ],
        batch_size=500,
    )
    return made


def _measures(drawn: random.Random) -> dict[str, Any]:
    from tests.web.board_facts import MEASURES

    counts = {"n_original": N_RECORDS, "n_anonymized": N_RECORDS}
    return counts | {measure: drawn.random() for measure in MEASURES}


def _hits(hits: int) -> dict[str, Any]:
    return {"n_records": N_RECORDS, "hits": hits, "rate": hits / N_RECORDS}


# The figures


@contextmanager
def counting_instances() -> Iterator[list[int]]:
    """The number of model instances that are made from rows meanwhile, as a list of one."""
    from django.db.models import Model

    count, plain = [0], Model.from_db.__func__

    def from_db(cls: Any, db: Any, field_names: Any, values: Any) -> Any:
        count[0] += 1
        return plain(cls, db, field_names, values)

    Model.from_db = classmethod(from_db)
    try:
        yield count
    finally:
        Model.from_db = classmethod(plain)


def cpu_seconds(call: Callable[[], Any], n: int = 1) -> float:
    """Processor time of a call, the mean of `n`."""
    started = time.process_time()
    for _ in range(n):
        call()
    return (time.process_time() - started) / n


def _measured(n_teams: int) -> Iterator[tuple[str, str]]:
    from django.test import Client
    from django.urls import reverse
    from django.utils import timezone

    from pwscup.accounts.models import User
    from pwscup.core import audit_log
    from pwscup.core.db import recent
    from pwscup.leaderboards import services

    contest = play(n_teams)
    audit_log.record("contest.imported", contest_id=contest.pk)
    _say(f"{n_teams} teams: facts written", file=sys.stderr)
    now = timezone.now()
    with counting_instances() as instances:
        services.rebuild(contest, now)
    yield "rebuild: model instances", f"{instances[0]:,}"
    for what, forget in (("", recent.forget_all), (", its guesses known", lambda: None)):
        seconds = []
        for _ in range(3):
            forget()
            seconds.append(cpu_seconds(lambda: services.rebuild(contest, now)))
        yield f"rebuild{what}", f"{min(seconds):.2f} s of processor time"

    client, member = Client(), Client()
    member.force_login(User.objects.get(email=f"alice-{contest.slug}@example.org"))
    fragment = reverse("board-fragment", args=[contest.slug])
    yield from _polls(client, fragment)
    for board in ("overall", "anonymization", "matrix"):
        address = f"{reverse('board', args=[contest.slug])}?board={board}"
        member.get(address)
        seconds = cpu_seconds(lambda address=address: member.get(address), 5)
        yield f"board page {board}, stored", f"{1000 * seconds:.1f} ms of processor time"
    yield from _matrix(client, contest)
    yield from _rank(member, contest)
    yield from _csv(contest)


def _polls(client: Any, address: str) -> Iterator[tuple[str, str]]:
    """The processor time of a 304, from the call of the WSGI application to its answer."""
    from django.core.handlers.wsgi import WSGIHandler
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    etag = client.get(address)["ETag"]
    application = WSGIHandler()
    path, _, query = address.partition("?")

    def poll() -> None:
        environ = {
            "REQUEST_METHOD": "GET",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "8000",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "HTTP_IF_NONE_MATCH": etag,
            "HTTP_ACCEPT_LANGUAGE": "en",
            "HTTP_HX_REQUEST": "true",
            "HTTP_COOKIE": "sessionid=0123456789abcdef; csrftoken=0123456789abcdef",
            "wsgi.input": sys.stdin.buffer,
            "wsgi.url_scheme": "http",
        }
        found: list[str] = []
        response = application(environ, lambda status, headers: found.append(status))
        b"".join(response)
        response.close()
        if not found[0].startswith("304"):
            raise AssertionError(found[0])

    connection.close = lambda: None  # as a server with persistent connections keeps it
    with CaptureQueriesContext(connection) as queries:
        poll()
    yield "poll answered 304: queries", str(len(queries))
    seconds = min(cpu_seconds(poll, 200) for _ in range(3))
    yield "poll answered 304", f"{1000 * seconds:.2f} ms, {1 / seconds:,.0f}/s on a processor"


def _matrix(client: Any, contest: Any) -> Iterator[tuple[str, str]]:
    import gzip

    from django.urls import reverse

    page = client.get(reverse("board", args=[contest.slug]), {"board": "matrix"}).content
    packed = len(gzip.compress(page, 6))
    yield "matrix page", f"{len(page) / 1000:,.0f} kB, {packed / 1000:,.0f} kB with gzip"


def _rank(client: Any, contest: Any) -> Iterator[tuple[str, str]]:
    from django.urls import reverse

    own = contest.teams.order_by("pk").first().submissions.order_by("pk").first()
    address = reverse("submission-ranks", args=[own.public_id])
    client.get(address)
    seconds = cpu_seconds(lambda: client.get(address), 3)
    yield "rank of a submission", f"{1000 * seconds:.0f} ms of processor time"


def _csv(contest: Any) -> Iterator[tuple[str, str]]:
    from django.test import Client
    from django.urls import reverse

    from pwscup.accounts.models import User

    client = Client()
    client.force_login(User.objects.get(email=f"oscar-{contest.slug}@example.org"))
    answer: list[bytes] = []

    def download() -> None:
        response = client.get(reverse("organize-submissions-csv", args=[contest.slug]))
        answer[:] = list(response) if response.streaming else [response.content]

    seconds = cpu_seconds(download)
    n_rows = b"".join(answer).count(b"\r\n") - 1
    yield "submissions.csv", f"{n_rows:,} rows, {seconds:.2f} s of processor time"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.boards", description=__doc__)
    parser.add_argument("--teams", default="100,200", help="numbers of teams, with commas")
    return parser


def _say(text: str, file: Any = None) -> None:
    print(text, file=file, flush=True)


if __name__ == "__main__":
    main()
