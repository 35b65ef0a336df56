# SPDX-License-Identifier: Apache-2.0
"""Sets a full stage for the tests of looks, inside the running installation, by the services that pages use too.

Called as `manage.py shell -c "from tests.e2e import stage; stage.set_up()"`; the worker scores meanwhile.
"""

from __future__ import annotations

import sys
from datetime import timedelta

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from pwscup.accounts.models import Team, User
from pwscup.audits import services as audits
from pwscup.audits.models import Audit
from pwscup.contests import services as contests
from pwscup.contests.models import Contest
from pwscup.contests.selectors import samples_of
from pwscup.core.files import storage
from pwscup.core.jobs import new_reference
from pwscup.demo import create, play
from pwscup.demo.cast import ORGANIZER, TEAMS
from pwscup.submissions import services
from pwscup.submissions.models import Release, Submission
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.tables.reading import write_table
from tests import factories
from tests.e2e import stage_disclosure
from tests.services import wait_until
from tests.web.experiments import requested

N_RECORDS = 120
SCORING_SECONDS = 240
# Names that nothing can break, and that a page must bear.
LONG_NAME = "Wolkenkratzerbeobachtungsgesellschaften"
LONG_FILE = "anonymized-by-our-very-best-method-at-the-very-last-moment-final-2.csv"


def set_up() -> None:
    """The demo contests on small tables, played by houses and by a person, experiments, and a draft.

    Prints addresses of which a walk would see too few: audits that are done, failed, running, and one that
    another one comes before; then those of `stage_disclosure`.
    """
    create.N_RECORDS = N_RECORDS
    mine = hand_in_tables()
    experiment = requested(mine.captain)
    estimates = stage_disclosure.ask_and_estimate(mine.captain)
    wait_until(all_scored, "every table is scored", SCORING_SECONDS)
    running = Team.objects.get(contest__slug=create.RUNNING, captain=mine.captain)
    audit = audits.request_audit(user=mine.captain, submission=scored_of(running)[0])
    finished = mine.contest
    n_teams = finished.teams.count()
    wait_until(lambda: published(finished) == n_teams, "all tables are published", SCORING_SECONDS)
    play.advance()
    hand_in_guess(mine)
    draft_contest(User.objects.get(email=ORGANIZER.email))
    wait_until(all_scored, "every guess is scored", SCORING_SECONDS)
    wait_until(lambda: is_done(audit), "the audit is done", SCORING_SECONDS)
    compared = stage_disclosure.compare(experiment)
    done, failed = scored_of(running)
    audited = (done, failed, *audits_under_way(mine, failed=failed))
    addresses = [reverse("audit", args=[submission.public_id]) for submission in audited]
    addresses += [reverse("submission", args=[estimate.public_id]) for estimate in estimates]
    sys.stdout.write("\n".join([*addresses, compared]) + "\n")


def published(contest: Contest) -> int:
    return Release.objects.filter(round__contest=contest).count()


def all_scored() -> bool:
    unfinished = (Submission.State.WAITING, Submission.State.RUNNING)
    return not Submission.objects.filter(state__in=unfinished).exists()


@transaction.atomic  # the clock must not find a round that is over before anybody has handed in
def hand_in_tables() -> Team:
    """Every team's tables in both contests; the team of the first person in the finished one."""
    assert create.create()
    running, over = (Contest.objects.get(slug=s) for s in (create.RUNNING, create.FINISHED))
    player = User.objects.get(email=next(iter(TEAMS.values()))[0].email)
    mine = factories.make_team(over, LONG_NAME, player)
    play.advance()
    for team in (Team.objects.get(contest=running, captain=player), mine):
        hand_in_good_and_bad(team)
    return mine


def hand_in_good_and_bad(team: Team) -> None:
    """The contest's own sample twice, and a broken one between."""
    samples = {key: storage.read(s.file) for key, s in samples_of(team.contest).items()}
    table, rows = samples["anonymized"], samples["rows"]
    broken = table.replace(b"metropolitan", b"moon").replace(b"male", b"unknown")
    for content in (table, broken, table):
        files = {"anonymized": (LONG_FILE, content), "rows": ("rows.csv", rows)}
        _hand_in(team, "anonymization", files)


def hand_in_guess(team: Team) -> None:
    """A guess for one target, and none for the others."""
    releases = Release.objects.filter(round__contest=team.contest).exclude(team=team)
    target = releases.select_related("team").first()
    guess = b"row\n" + b"1\n" * target.n_records
    _hand_in(team, "attack", {"guess": (f"{target.team.slug}.csv", guess)}, target=target)


def _hand_in(
    team: Team,
    key: str,
    files: dict[str, tuple[str, bytes]],
    target: Release | None = None,
) -> None:
    round = team.contest.rounds.get(key=key)
    services.submit(
        user=team.captain,
        team=team,
        round=round,
        files=files,
        target=target,
        note=LONG_NAME,
        arrived_at=round.opens_at + timedelta(hours=1),
    )


def scored_of(team: Team) -> list[Submission]:
    tables = Submission.objects.filter(team=team, target=None, state=Submission.State.SCORED)
    return list(tables.order_by("id"))


def is_done(audit: Audit) -> bool:
    audit.refresh_from_db()
    assert audit.state != Audit.State.FAILED, audit.reference
    return audit.state == Audit.State.DONE


def audits_under_way(team: Team, *, failed: Submission) -> list[Submission]:
    """A table that is being audited by nobody, without a lease that could end, and one that has to wait for it."""
    long = {"attempts": 1, "fence": 1}
    first, second = scored_of(team)
    Audit.objects.create(
        submission=first, state=Audit.State.RUNNING, step="EUC2", done_steps=9, n_steps=58, **long
    )
    Audit.objects.create(submission=failed, state=Audit.State.FAILED, reference=new_reference())
    return [first, second]


def draft_contest(organizer: User) -> None:
    """A contest with an uploaded table whose columns are still to be confirmed."""
    contest = contests.create_contest(
        actor=organizer,
        ruleset="pwscup2015",
        title="Draft cup",
        slug="draft-cup",
        starts_at=timezone.now() + timedelta(days=7),
    )
    table = write_table(households(N_RECORDS, seed=3), HOUSEHOLDS_SCHEMA)
    contests.upload_table(actor=organizer, contest=contest, name=LONG_FILE, data=table)
