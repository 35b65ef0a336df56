"""What bots do in a round: hand in tables or series of releases, or guesses about those of others.

They know what every team knows. Whatever they hand in goes through the same services and the same
worker as a participant's files, as of a moment inside the round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from pwscup.accounts.models import Team
from pwscup.bots.cast import BY_NAME, Bot
from pwscup.bots.playing.estimates import Turn, estimate_file
from pwscup.bots.playing.files import Files, Knowledge, aligned_files, anonymized_files
from pwscup.bots.playing.series import series_files, value_guess_file
from pwscup.contests.selectors import dataset_of, shown_schema
from pwscup.submissions import draws, evaluation, services
from pwscup.submissions.models import Release, Submission

if TYPE_CHECKING:
    from pwscup.contests.models import Contest, Dataset, Round

MINUTE = timedelta(minutes=1)
Players = dict[Team, Bot]


def play_round(contest: Contest, round: Round, guests: Mapping[str, Bot] | None = None) -> int:
    """Hand in whatever the bots have not handed in yet in this round; return how many files that were.

    `guests` are teams of people, by name, for which a bot plays.
    """
    play = PLAYS.get(round.kind)
    return play(contest, round, _players(contest, guests or {})) if play else 0


def _players(contest: Contest, guests: Mapping[str, Bot]) -> Players:
    found = contest.teams.filter(Q(is_house=True) | Q(name__in=guests)).order_by("pk")
    return {team: BY_NAME[team.name] if team.is_house else guests[team.name] for team in found}


def _idle(players: Players, round: Round) -> Players:
    """Those who have handed in nothing in this round."""
    busy = set(Submission.objects.filter(round=round).values_list("team_id", flat=True))
    return {team: bot for team, bot in players.items() if team.pk not in busy}


def hand_in_tables(_contest: Contest, round: Round, players: Players) -> int:
    """One table for every bot that has none in this round, all of them at the same moment.

    In a round of the past the sweeper publishes what is there as soon as it is scored. A bot for which no people
    are left hands in nothing.
    """
    make = MAKERS[round.kind]
    tables = [(team, bot, _table_of(team)) for team, bot in _idle(players, round).items()]
    made = [
        (team, bot, make(table, bot, seed=evaluation.bot_seed(team, round)))
        for team, bot, table in tables
        if table is not None
    ]
    with transaction.atomic():
        for position, (team, bot, files) in enumerate(made, start=1):
            _submit(team, round, files, position=position, note=_note(bot, round))
    return len(made)


MAKERS: dict[str, Callable[..., Files]] = {
    "anonymization": anonymized_files,
    "aligned-anonymization": aligned_files,
    "series": series_files,
}


def _note(bot: Bot, round: Round) -> str:
    """What is read beside what the bot hands in: how it was made."""
    return bot.series.note if round.format.is_archive else bot.note


def _table_of(team: Team) -> Dataset | None:
    """The team's own table where the rules give it one, None where there is none left; else that of all teams."""
    if team.contest.format.own_tables:
        return draws.ensure_drawn(team)
    return dataset_of(team.contest)


def _targets(round: Round, players: Players) -> list[tuple[Release, Team, Bot]]:
    """Each release with a bot that has not attacked it yet."""
    made = set(Submission.objects.filter(round=round).values_list("team_id", "target_id"))
    releases = Release.objects.filter(round=round).select_related("table", "candidates", "team")
    return [
        (release, team, bot)
        for release in releases
        for team, bot in players.items()
        if release.team_id != team.pk and (team.pk, release.pk) not in made
    ]


def _seeds(pairs: Sequence[tuple[Release, Team, Bot]], round: Round) -> dict[Team, int]:
    """What each of the bots that attack draws from."""
    teams = dict.fromkeys(team for _release, team, _bot in pairs)
    return {team: evaluation.bot_seed(team, round) for team in teams}


def guess_rows(contest: Contest, round: Round, players: Players) -> int:
    """One guess for every pair of a bot and another team's release."""
    pairs = _targets(round, players)
    if pairs:
        known = Knowledge.of_original(dataset_of(contest))
        seeds = _seeds(pairs, round)
        for position, (release, team, bot) in enumerate(pairs):
            guess = known.guess_file(release, bot, seed=seeds[team])
            _attack(team, round, release, guess, position, bot.attacker)
    return len(pairs)


def guess_candidates(contest: Contest, round: Round, players: Players) -> int:
    """As `guess_rows`, among the candidates that were published with each release."""
    pairs = _targets(round, players)
    schema = dataset_of(contest).schema.public()
    seeds = _seeds(pairs, round)
    for position, (release, team, bot) in enumerate(pairs):
        known = Knowledge.of_candidates(release, schema)
        guess = known.candidate_guess_file(release, bot, seed=seeds[team])
        _attack(team, round, release, guess, position, bot.attacker)
    return len(pairs)


def guess_values(contest: Contest, round: Round, players: Players) -> int:
    """A guess at everybody's value for every pair of a bot and another team's series."""
    pairs = _targets(round, players)
    schema = shown_schema(dataset_of(contest))
    for position, (release, team, bot) in enumerate(pairs):
        guess = value_guess_file(release, bot, schema)
        _attack(team, round, release, guess, position, bot.values)
    return len(pairs)


def hand_in_estimates(_contest: Contest, round: Round, players: Players) -> int:
    """One estimate for every bot that has none in this round, which it asks for a step before."""
    n_made = 0
    for position, (team, bot) in enumerate(_idle(players, round).items(), start=1):
        method: str = getattr(bot, round.kind)
        turn = Turn(team, round, _moment_in(round, position - 1))
        estimate = estimate_file(turn, method)
        if estimate is not None:
            files = {"estimate": ("estimate.csv", estimate)}
            _submit(team, round, files, position=position, note=method)
            n_made += 1
    return n_made


PLAYS: dict[str, Callable[[Contest, Round, Players], int]] = {
    "anonymization": hand_in_tables,
    "aligned-anonymization": hand_in_tables,
    "series": hand_in_tables,
    "attack": guess_rows,
    "candidate-attack": guess_candidates,
    "value-attack": guess_values,
    "batch": hand_in_estimates,
    "interactive": hand_in_estimates,
}


def _attack(
    team: Team, round: Round, release: Release, guess: bytes, position: int, note: str
) -> None:
    files = {"guess": (f"{release.team.slug}.csv", guess)}
    _submit(team, round, files, position=position, note=note, target=release)


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
            user=None if team.is_house else team.captain,
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
