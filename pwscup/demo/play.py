"""What house teams do: hand in tables in anonymization rounds, guesses in attack rounds.

They know what every team knows: the public original and the published releases. Whatever they hand
in goes through the same services and the same worker as a participant's files.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
from django.db import transaction
from django.utils import timezone

from pwscup.accounts.models import Team
from pwscup.contests.models import Contest, Dataset, Round
from pwscup.contests.selectors import dataset_of
from pwscup.core import storage
from pwscup.demo.cast import HOUSES, House
from pwscup.submissions import services
from pwscup.submissions.models import Release, Submission
from scoring.anonymizers import anonymize
from scoring.evaluate import Prepared
from scoring.reading import read_table, write_guess, write_rows, write_table
from scoring.registry import ATTACKS

BY_NAME = {house.name: house for house in HOUSES}


def advance() -> int:
    """Hand in whatever the house teams can hand in now; return how many files that were."""
    now = timezone.now()
    handed_in = 0
    for contest in Contest.objects.filter(is_demo=True):
        for round in contest.rounds.filter(opens_at__lte=now):
            play = {"anonymization": hand_in_tables, "attack": hand_in_guesses}[round.phase]
            handed_in += play(contest, round)
    return handed_in


def hand_in_tables(contest: Contest, round: Round) -> int:
    """One table for every house team that has none in this round, all of them at the same moment.

    In a round of the past the sweeper publishes what is there as soon as it is scored.
    """
    idle = list(contest.teams.filter(is_house=True).exclude(submissions__round=round))
    original = dataset_of(contest)
    made = [anonymized_files(original, BY_NAME[team.name], seed=team.pk) for team in idle]
    with transaction.atomic():
        for position, (team, files) in enumerate(zip(idle, made, strict=True)):
            _submit(team, round, files, hours=position + 1, note=BY_NAME[team.name].note)
    return len(idle)


def hand_in_guesses(contest: Contest, round: Round) -> int:
    """One guess for every pair of a house team and another team's release."""
    made = set(Submission.objects.filter(round=round).values_list("team_id", "target_id"))
    pairs = [
        (release, team)
        for release in Release.objects.filter(round=round).select_related("table", "team")
        for team in contest.teams.filter(is_house=True)
        if release.team_id != team.pk and (team.pk, release.pk) not in made
    ]
    if pairs:
        known = Knowledge(dataset_of(contest))
        for position, (release, team) in enumerate(pairs):
            house = BY_NAME[team.name]
            guess = known.guess_file(release, house, seed=team.pk)
            files = {"guess": (f"{release.team.slug}.csv", guess)}
            _submit(team, round, files, hours=position, note=house.attacker, target=release)
    return len(pairs)


def anonymized_files(original: Dataset, house: House, *, seed: int) -> dict[str, tuple[str, bytes]]:
    """The two files of an anonymization round, made by the house's chain of methods."""
    schema = original.schema.public()
    table = read_table(storage.read(original.public), schema, file="original", original=True)
    result = anonymize(table, schema, house.methods, rng=np.random.default_rng(seed))
    return {
        "anonymized": ("anonymized.csv", write_table(result.table, schema)),
        "rows": ("rows.csv", write_rows(result.source)),
    }


class Knowledge:
    """What every attacker knows: the public original, indexed once for all attacks."""

    def __init__(self, original: Dataset) -> None:
        self.schema = original.schema.public()
        table = read_table(
            storage.read(original.public), self.schema, file="original", original=True
        )
        self.original = Prepared.of(table, self.schema)

    def guess_file(self, release: Release, house: House, *, seed: int) -> bytes:
        """The house attacker's guess file for one release."""
        seen = read_table(storage.read(release.table), self.schema, file="anonymized")
        attack = ATTACKS[house.attacker]
        rng = np.random.default_rng(seed)
        return write_guess(attack(self.original, seen, self.schema, rng=rng))


def _submit(
    team: Team,
    round: Round,
    files: dict[str, tuple[str, bytes]],
    *,
    hours: int,
    note: str,
    target: Release | None = None,
) -> None:
    """Submit as of a moment inside the round, once, even when two workers play at the same time."""
    with transaction.atomic():
        Team.objects.select_for_update().get(pk=team.pk)
        if Submission.objects.filter(team=team, round=round, target=target).exists():
            return
        services.submit(
            user=None,
            team=team,
            round=round,
            files=files,
            target=target,
            note=note,
            arrived_at=_moment_in(round, hours),
        )


def _moment_in(round: Round, hours: int) -> datetime:
    return min(round.opens_at + timedelta(hours=hours), timezone.now())
