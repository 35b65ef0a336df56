# SPDX-License-Identifier: Apache-2.0
"""The driver: makes contests, people and facts in bulk inside an installation, and reads what became of them.

Reads a command in JSON from each line of its input and answers with a line, as the drivers of the tests do.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import django

django.setup()  # before models can be imported

# ruff: noqa: E402
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmarks.cases import case
from pwscup.accounts.models import Membership, Team, User
from pwscup.audits import services as audits
from pwscup.audits.models import Audit
from pwscup.contests.models import Contest, Round
from pwscup.core.files import storage
from pwscup.core.models import Event
from pwscup.experiments.models import Experiment
from pwscup.experiments.setup import plans
from pwscup.submissions.decisions import rulings
from pwscup.submissions.models import Evaluation, Release, Submission
from tests import factories
from tests.web import board_facts
from tests.web import experiments as experiments_of_tests

UNUSABLE = "!"  # a password that nobody can log in with, and that costs no time to hash
RETRY_SECONDS = 30
UNFINISHED = ("waiting", "running")
CHUNK = 2_000


# People


def people(prefix: str, n: int) -> list[User]:
    made = [
        User(email=f"{prefix}{i}@example.org", display_name=f"{prefix} {i}", password=UNUSABLE)
        for i in range(n)
    ]
    User.objects.bulk_create(made)
    return list(User.objects.filter(email__in=[user.email for user in made]).order_by("pk"))


def session_of(user: User) -> str:
    browser = Client()
    browser.force_login(user)
    return browser.cookies[settings.SESSION_COOKIE_NAME].value


def teams(contest: Contest, members: Iterable[User]) -> list[Team]:
    """A team for each of them."""
    members = list(members)
    Team.objects.bulk_create(
        Team(contest=contest, name=f"Team {n}", slug=f"team-{n}", captain=user)
        for n, user in enumerate(members)
    )
    made = list(Team.objects.filter(contest=contest).order_by("pk"))
    Membership.objects.bulk_create(
        Membership(team=team, user=user, contest=contest)
        for team, user in zip(made, members, strict=True)
    )
    return made


# Contests


def contest(slug: str, n_teams: int, n_records: int = 0, phase: str = "anonymization") -> dict:
    """A contest with a team for each person; of so many households, or of the paper's four records."""
    organizer = people(f"{slug}-organizer", 1)[0]
    folder = Path(tempfile.mkdtemp(dir=settings.DATA_DIR))
    table: dict[str, Any] = {}
    if n_records:
        drawn = case("13", n_records, folder)
        table = {"original": drawn.original, "schema": drawn.schema.to_toml()}
    else:
        (folder / "anonymized.csv").write_bytes(factories.NOISY)
        (folder / "rows.csv").write_bytes(factories.ROWS)
    made = factories.make_contest(slug, organizer=organizer, phase=phase, **table)
    factories.commit(made)
    made.rounds.update(tries=10_000)
    members = people(slug, n_teams)
    teams(made, members)
    return {
        "files": {key: str(folder / f"{key}.csv") for key in ("anonymized", "rows")},
        "organizer": session_of(organizer),
        "sessions": [session_of(user) for user in members],
    }


def board(slug: str, n_teams: int, n_tables: int) -> dict[str, Any]:
    """A finished contest in which every team has attacked every other: its facts are written in bulk."""
    made = contest(slug, n_teams, phase="after")
    found = Contest.objects.get(slug=slug)
    first, attack = board_facts.rounds_of(found)
    teams, rng = list(found.teams.order_by("pk")), random.Random(1)
    table, key = (
        storage.store(b"row\n1\n", area=area, name="table.csv")
        for area in (storage.Area.PUBLISHED, storage.Area.SEALED)
    )
    tables = [
        (_row(first, team, number), board_facts.values_of(_values(rng)))
        for team in teams
        for number in range(1, n_tables + 1)
    ]
    _write(tables)
    counted = {row.team_id: row for row, _ in tables}
    common = {"round": attack, "table": table, "key": key, "n_records": 1}
    releases = [
        Release(team_id=team, submission=submission, **common)
        for team, submission in counted.items()
    ]
    releases = Release.objects.bulk_create(releases)
    _write(
        (_row(attack, team, number, target), board_facts.rate_of(rng.randrange(100) / 100))
        for team in teams
        for number, target in enumerate((r for r in releases if r.team_id != team.pk), 1)
    )
    shown = counted[teams[0].pk]
    return made | {"submission": str(shown.public_id), "n_rows": _count(found)}


def _count(found: Contest) -> int:
    return Submission.objects.filter(round__contest=found).count()


def _values(rng: random.Random) -> tuple[float, ...]:
    return tuple(round(rng.random(), 3) for _ in board_facts.MEASURES)


def _row(round: Round, team: Team, number: int, target: Release | None = None) -> Submission:
    return Submission(
        round=round,
        team=team,
        target=target,
        number=number,
        arrived_at=round.opens_at + timedelta(seconds=number),
        state=Submission.State.SCORED,
        finished_at=round.opens_at + timedelta(seconds=number + 1),
        fence=1,
        attempts=1,
    )


def _write(facts: Iterable[tuple[Submission, dict[str, Any]]]) -> None:
    facts = list(facts)
    rows = Submission.objects.bulk_create([row for row, _ in facts], batch_size=CHUNK)
    common = {
        "fence": 1,
        "ruleset_digest": "d" * 64,
        "scoring_version": "1.0.0",
        "seed": "0",
        "input_hashes": {},
        "seconds": 0.01,
    }
    Evaluation.objects.bulk_create(
        [
            Evaluation(submission=row, values=values, **common)
            for row, (_, values) in zip(rows, facts, strict=True)
        ],
        batch_size=CHUNK,
    )


def fact(slug: str) -> None:
    """Something that changes a board: the last team's table is withdrawn, or counts again."""
    organizer = User.objects.filter(organizes__slug=slug).get()
    last = Submission.objects.filter(round__contest__slug=slug, target=None).order_by("pk").last()
    withdrawn = last.rulings.order_by("pk").last()
    again = withdrawn is not None and withdrawn.kind == "withdrawn"
    service = rulings.reinstate_submission if again else rulings.withdraw
    service(actor=organizer, submission=last, reason="measured")


def unsent(slug: str) -> str:
    """A submission that waits and of which no worker hears; its team's history asks for news of it."""
    team = Team.objects.filter(contest__slug=slug).order_by("pk").first()
    round = team.contest.rounds.get(key="anonymization")
    row = _row(round, team, 1_000_000)
    row.state, row.finished_at, row.sent_at = "waiting", None, timezone.now() + timedelta(days=1)
    row.save()
    return str(row.public_id)


def withdraw(public_id: str) -> None:
    Submission.objects.filter(public_id=public_id).update(state="cancelled")


def clock(slug: str, key: str, **seconds: float) -> float:
    """Move a round's dates, in seconds from now; the time from which they count."""
    now = timezone.now()
    dates = {field: now + timedelta(seconds=after) for field, after in seconds.items()}
    Round.objects.filter(contest__slug=slug, key=key).update(**dates)
    return now.timestamp()


# What became of it


def _stamp(moment: datetime | None) -> float | None:
    return moment.timestamp() if moment else None


def rows(slug: str) -> list[dict[str, Any]]:
    """Every submission of a contest and what became of it."""
    found = Submission.objects.filter(round__contest__slug=slug).prefetch_related("evaluations")
    scored = Event.objects.filter(kind="submission.scored").values_list("subject", flat=True)
    events = Counter(scored)
    return [
        {
            "id": str(row.public_id),
            "note": row.note,
            "state": row.state,
            "arrived": row.arrived_at.timestamp(),
            "finished": _stamp(row.finished_at),
            "attempts": row.attempts,
            "values": [e.values for e in row.evaluations.all()],
            "events": events[str(row.public_id)],
        }
        for row in found.order_by("pk")
    ]


def states(slug: str, before: float | None = None) -> dict[str, int]:
    """The number of submissions in each state, of those that arrived before a time."""
    found = Submission.objects.filter(round__contest__slug=slug)
    if before is not None:
        found = found.filter(arrived_at__lt=datetime.fromtimestamp(before, tz=UTC))
    return dict(Counter(found.values_list("state", flat=True)))


def state_of(public_id: str) -> str:
    return Submission.objects.values_list("state", flat=True).get(public_id=public_id)


def final_of(public_id: str, seconds: float) -> float | None:
    """When a submission became final; None where it did not within so many seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        row = Submission.objects.get(public_id=public_id)
        if row.state not in UNFINISHED:
            return _stamp(row.finished_at)
        time.sleep(0.05)
    return None


def files_of(public_id: str) -> list[str]:
    """The paths of the files of a submission."""
    found = Submission.objects.get(public_id=public_id).files.select_related("file")
    return [str(settings.PRIVATE_ROOT / part.file.path) for part in found]


def newest_waiting() -> str | None:
    """A submission that waits."""
    found = Submission.objects.filter(state="waiting").order_by("-pk").first()
    return found and str(found.public_id)


def unfinished(public_ids: list[str]) -> int:
    """The number of these submissions that are not final."""
    return Submission.objects.filter(public_id__in=public_ids, state__in=UNFINISHED).count()


def flush() -> None:
    """Let the broker forget everything."""
    import redis

    url = settings.CELERY_BROKER_URL.replace("redis+socket://", "unix://")
    with redis.Redis.from_url(url) as client:
        client.flushall()


def ask_long() -> None:
    """Ask for what the worker of long jobs does: a person for an experiment, a team for the audit of a scored table."""
    scored = Submission.objects.filter(state="scored").select_related("team__captain").latest("pk")
    audits.request_audit(user=scored.team.captain, submission=scored)
    experiments_of_tests.requested(
        people("long", 1)[0], setup=plans.DEFAULTS | {"tolerance": 0, "trials": 20}
    )


def long_states() -> dict[str, str]:
    """The states of these jobs."""
    return {
        kind._meta.model_name: state
        for kind in (Audit, Experiment)
        for state in kind.objects.values_list("state", flat=True)
    }


def experiments() -> dict[str, str]:
    """The states of all experiments by their address."""
    return {str(e.public_id): e.state for e in Experiment.objects.all()}


def proposal(**changed: Any) -> list[tuple[str, str]]:
    """The fields of the form of an experiment as it is proposed, but for what is changed."""
    from pwscup.experiments.setup import forms

    values = forms.proposals(None) | changed
    numbers = ("epsilons", "queries")
    return [
        (name, ", ".join(map(str, value)) if name in numbers else str(value))
        for name, given in values.items()
        for value in (given if isinstance(given, list) and name not in numbers else [given])
    ]


def queries(path: str, session: str = "", etag: str = "") -> dict[str, Any]:
    """The number of database queries of a page, in the code that the installation runs."""
    browser = Client(headers={"host": "127.0.0.1"})
    if session:
        browser.cookies[settings.SESSION_COOKIE_NAME] = session
    headers = {"if-none-match": etag} if etag else {}
    browser.get(path, headers=headers)  # what is kept in the process is there afterwards
    with CaptureQueriesContext(connection) as asked:
        status = browser.get(path, headers=headers).status_code
    return {"n": len(asked), "status": status}


def terminate() -> int:
    """End every other connection to the database, as an administrator can."""
    others = "datname = current_database() AND pid <> pg_backend_pid()"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}")
        return len(cursor.fetchall())


def backends() -> list[int]:
    """The processes that serve other connections to the database."""
    others = "datname = current_database() AND pid <> pg_backend_pid()"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT pid FROM pg_stat_activity WHERE {others}")
        return [pid for (pid,) in cursor.fetchall()]


def answer(command: dict[str, Any]) -> Any:
    """Do a command; where the database was away, again."""
    name, deadline = command.pop("do"), time.monotonic() + RETRY_SECONDS
    while True:
        try:
            return {"answer": COMMANDS[name](**command)}
        except (OperationalError, InterfaceError) as error:
            if time.monotonic() > deadline:
                return {"error": f"{name}: {error}"}
            time.sleep(0.5)
        except Exception as error:
            return {"error": f"{name}: {type(error).__name__}: {error}"}
        finally:
            connection.close()


COMMANDS = {
    function.__name__: function
    for function in (
        ask_long,
        backends,
        board,
        clock,
        contest,
        experiments,
        fact,
        files_of,
        final_of,
        flush,
        long_states,
        newest_waiting,
        proposal,
        queries,
        rows,
        state_of,
        states,
        terminate,
        unfinished,
        unsent,
        withdraw,
    )
}


def main() -> None:
    """Answer each line until there are no more."""
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
