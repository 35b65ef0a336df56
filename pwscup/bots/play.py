"""What bots do in a round: hand in tables, or guesses about the tables of others.

They know what every team knows. Whatever they hand in goes through the same services and the same
worker as a participant's files, as of a moment inside the round.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from pwscup.accounts.models import Team
from pwscup.bots.cast import BY_NAME
from pwscup.bots.estimates import Turn, estimate_file
from pwscup.bots.files import Files, Knowledge, aligned_files, anonymized_files
from pwscup.contests.selectors import dataset_of
from pwscup.submissions import draws, services
from pwscup.submissions.models import Release, Submission

if TYPE_CHECKING:
    from pwscup.bots.cast import Bot
    from pwscup.contests.models import Contest, Dataset, Round

MINUTE = timedelta(minutes=1)


def play_round(contest: Contest, round: Round) -> int:
    """Hand in whatever the bots have not handed in yet in this round; return how many files that were."""
    play = PLAYS.get(round.kind)
    return play(contest, round) if play else 0


def hand_in_tables(contest: Contest, round: Round) -> int:
    """One table for every bot that has none in this round, all of them at the same moment.

    In a round of the past the sweeper publishes what is there as soon as it is scored.
    """
    idle = list(contest.teams.filter(is_house=True).exclude(submissions__round=round))
    make = MAKERS[round.kind]
    made = [make(_table_of(team), BY_NAME[team.name], seed=team.pk) for team in idle]
    with transaction.atomic():
        for position, (team, files) in enumerate(zip(idle, made, strict=True)):
            _submit(team, round, files, position=position + 1, note=BY_NAME[team.name].note)
    return len(idle)


MAKERS: dict[str, Callable[..., Files]] = {
    "anonymization": anonymized_files,
    "aligned-anonymization": aligned_files,
}


def _table_of(team: Team) -> Dataset:
    """The team's own table where the rules give it one, else that of all teams."""
    return draws.ensure_drawn(team) or dataset_of(team.contest)


def _targets(contest: Contest, round: Round) -> list[tuple[Release, Team]]:
    """The pairs of a release and a bot that has not attacked it yet."""
    made = set(Submission.objects.filter(round=round).values_list("team_id", "target_id"))
    releases = Release.objects.filter(round=round).select_related("table", "candidates", "team")
    bots = list(contest.teams.filter(is_house=True))
    return [
        (release, team)
        for release in releases
        for team in bots
        if release.team_id != team.pk and (team.pk, release.pk) not in made
    ]


def guess_rows(contest: Contest, round: Round) -> int:
    """One guess for every pair of a bot and another team's release."""
    pairs = _targets(contest, round)
    if pairs:
        known = Knowledge.of_original(dataset_of(contest))
        for position, (release, team) in enumerate(pairs):
            guess = known.guess_file(release, BY_NAME[team.name], seed=team.pk)
            _attack(team, round, release, guess, position)
    return len(pairs)


def guess_candidates(contest: Contest, round: Round) -> int:
    """As `guess_rows`, among the candidates that were published with each release."""
    pairs = _targets(contest, round)
    schema = dataset_of(contest).schema.public()
    for position, (release, team) in enumerate(pairs):
        known = Knowledge.of_candidates(release, schema)
        guess = known.candidate_guess_file(release, BY_NAME[team.name], seed=team.pk)
        _attack(team, round, release, guess, position)
    return len(pairs)


def hand_in_estimates(contest: Contest, round: Round) -> int:
    """One estimate for every bot that has none in this round, which it asks for a step before."""
    idle = list(contest.teams.filter(is_house=True).exclude(submissions__round=round))
    n_made = 0
    for position, team in enumerate(idle, start=1):
        method = getattr(BY_NAME[team.name], round.kind)
        turn = Turn(team, round, _moment_in(round, position - 1))
        estimate = estimate_file(turn, method)
        if estimate is not None:
            files = {"estimate": ("estimate.csv", estimate)}
            _submit(team, round, files, position=position, note=method)
            n_made += 1
    return n_made


PLAYS: dict[str, Callable[[Contest, Round], int]] = {
    "anonymization": hand_in_tables,
    "aligned-anonymization": hand_in_tables,
    "attack": guess_rows,
    "candidate-attack": guess_candidates,
    "batch": hand_in_estimates,
    "interactive": hand_in_estimates,
}


def _attack(team: Team, round: Round, release: Release, guess: bytes, position: int) -> None:
    bot: Bot = BY_NAME[team.name]
    files = {"guess": (f"{release.team.slug}.csv", guess)}
    _submit(team, round, files, position=position, note=bot.attacker, target=release)


def _submit(
    team: Team,
    round: Round,
    files: Files,
    *,
    position: int,
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
            arrived_at=_moment_in(round, position),
        )


def _moment_in(round: Round, position: int) -> datetime:
    """Hours after the opening in a long round, else minutes, and always before the end."""
    step = timedelta(hours=1) if round.closes_at - round.opens_at > timedelta(days=2) else MINUTE
    latest = min(timezone.now(), round.closes_at - timedelta(seconds=1))
    return max(round.opens_at, min(round.opens_at + position * step, latest))
