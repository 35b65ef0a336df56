# SPDX-License-Identifier: Apache-2.0
"""Actions of bots in a round: they submit tables or series of releases, or guesses about those of others.

They have the same information as every team. Their files go through the same services and the same
worker as a participant's files, with a time inside the round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import cycle
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from pwscup.accounts.models import Team
from pwscup.bots.cast import BY_NAME, PLAYED, SACRIFICED, Bot
from pwscup.contests.selectors import dataset_of
from pwscup.contests.teams.tables import numbers_of
from pwscup.formats.playing import Turn
from pwscup.submissions import draws, evaluation, services
from pwscup.submissions.models import Release, Submission

if TYPE_CHECKING:
    from pwscup.contests.models import Contest, Dataset, Round
    from pwscup.formats.playing import Files, Player

MINUTE = timedelta(minutes=1)
Players = dict[Team, Bot]
Moment = Callable[["Round", int], datetime]
"""The time at which a submission arrives, by round and position."""


@dataclass(frozen=True, slots=True)
class Play:
    """Bots in a round: their teams, the times of their submissions, and the largest number of guesses now."""

    player: Player
    round: Round
    players: Players
    moment: Moment
    at_most: int | None = None


def play_round(contest: Contest, round: Round, guests: Mapping[str, Bot] | None = None) -> int:
    """Submit the missing files of the bots in this round, as of times in it; return their number.

    `guests` are teams of people, by name, for which a bot plays.
    """
    return _play(round, _players(contest, guests or {}), _moment_in)


def play_now(team: Team, round: Round, at_most: int) -> int:
    """Submit the missing files of one team of the platform in an open round, of guesses at most so many."""
    if team.name not in BY_NAME:
        return 0
    bot = _bot_of(team)
    return _play(round, {team: bot}, lambda _round, _position: timezone.now(), at_most)


def _play(round: Round, players: Players, moment: Moment, at_most: int | None = None) -> int:
    player, format = round.format.player, round.format
    if player is None:
        return 0
    play = hand_in_tables if format.is_attacked else hand_in_estimates
    if format.has_targets:
        play = hand_in_guesses
    return play(Play(player, round, players, moment, at_most))


def _players(contest: Contest, guests: Mapping[str, Bot]) -> Players:
    found = contest.teams.filter(Q(is_house=True) | Q(name__in=guests)).order_by("pk")
    return {team: _bot_of(team) if team.is_house else guests[team.name] for team in found}


def _bot_of(team: Team) -> Bot:
    """The bot of a team of the platform, with the attack that the rules give it."""
    bot = PLAYED[team.name]
    attacker = team.contest.ruleset.baseline_attackers.get(team.name, bot.attacker)
    return replace(bot, attacker=attacker)


def _idle(play: Play) -> Players:
    """The bots without a submission in this round."""
    busy = set(Submission.objects.filter(round=play.round).values_list("team_id", flat=True))
    return {team: bot for team, bot in play.players.items() if team.pk not in busy}


def hand_in_tables(play: Play) -> int:
    """One table for every bot that has none in this round, all of them at the same time.

    In a past round the sweeper publishes tables as soon as they are scored. A bot for which no individuals
    are left submits nothing.
    """
    player, round = play.player, play.round
    numbers = play.round.contest.ruleset.data.numbers
    taken = [
        (team, bot, own[0] if len(own := numbers_of(team)) == 1 else number)
        for (team, bot), number in zip(_idle(play).items(), cycle(numbers), strict=False)
        if not (bot.cheat and round.spec.is_organizers)
    ]
    tables = [(team, bot, _table_of(team, number), number) for team, bot, number in taken]
    known, made = player.known(round), []
    for team, bot, table, number in tables:
        if table is not None:
            turn = Turn(
                bot,
                team,
                round,
                timezone.now(),
                _seed(player, team, round),
                table,
                number=number,
                known=known,
            )
            made.append((turn, player.files(turn)))
    with transaction.atomic():
        for position, (turn, files) in enumerate(made, start=1):
            _submit(play, turn, files, position)
    return len(made)


def _table_of(team: Team, number: int | None) -> Dataset | None:
    """The team's own table if the rules give it one, None if none is left; otherwise that of all teams."""
    if team.contest.format.own_tables:
        return draws.ensure_drawn(team, number=number)
    return dataset_of(team.contest)


def _targets(play: Play) -> list[tuple[Release, Team, Bot]]:
    """Each release with a bot that has not attacked it yet."""
    made = set(Submission.objects.filter(round=play.round).values_list("team_id", "target_id"))
    releases = Release.objects.filter(round=play.round).select_related(
        "table", "candidates", "team"
    )
    return [
        (release, team, bot)
        for release in releases
        for team, bot in play.players.items()
        if release.team_id != team.pk
        and (team.pk, release.pk) not in made
        and _meets(bot, release.team.name)
    ][: play.at_most]


def _meets(bot: Bot, attacked: str) -> bool:
    """Cheaters attack honest tables, and the one whose file they have; honest bots attack all."""
    return not bot.cheat or attacked == SACRIFICED or attacked not in PLAYED.keys() - BY_NAME.keys()


def hand_in_guesses(play: Play) -> int:
    """One guess for every pair of a bot and another team's release."""
    player, round, pairs = play.player, play.round, _targets(play)
    if pairs:
        known = player.known(round)
        teams = dict.fromkeys(team for _release, team, _bot in pairs)
        seeds = {team: _seed(player, team, round) for team in teams}
        for position, (release, team, bot) in enumerate(pairs):
            at = play.moment(round, position)
            turn = Turn(bot, team, round, at, seeds[team], release=release, known=known)
            _submit(play, turn, player.files(turn), position)
    return len(pairs)


def hand_in_estimates(play: Play) -> int:
    """The estimates of every bot that has none in this round; it asks for each a step before."""
    player, round = play.player, play.round
    known, n_made = player.known(round), 0
    for position, (team, bot) in enumerate(_idle(play).items(), start=1):
        seed = _seed(player, team, round)
        for step in range(bot.estimates):
            place = position + step * (len(play.players) + 1)
            at = play.moment(round, place - 1)
            turn = Turn(bot, team, round, at, seed, known=known, step=step)
            n_made += _submit(play, turn, player.files(turn), place)
    return n_made


def _seed(player: Player, team: Team, round: Round) -> int | None:
    """The seed of a bot; its derivation is recorded, so it is derived only if needed."""
    return evaluation.bot_seed(team, round) if player.draws else None


def _submit(play: Play, turn: Turn, files: Files | None, position: int) -> bool:
    """Submit as of a time inside the round, once, even when two workers play at the same time; no files, nothing.

    The submission of a later step comes after those of the steps before.
    """
    if files is None:
        return False
    team, round, target = turn.team, turn.round, turn.release
    with transaction.atomic():
        Team.objects.select_for_update().get(pk=team.pk)
        if Submission.objects.filter(team=team, round=round, target=target).count() == turn.step:
            services.submit(
                user=None if team.is_house else team.captain,
                team=team,
                round=round,
                files=files,
                target=target,
                note=play.player.note(turn.bot),
                arrived_at=play.moment(round, position),
                original=turn.number,
            )
    return True


def _moment_in(round: Round, position: int) -> datetime:
    """Hours after the opening in a long round, else minutes, and always before the end."""
    step = timedelta(hours=1) if round.closes_at - round.opens_at > timedelta(days=2) else MINUTE
    latest = min(timezone.now(), round.closes_at - timedelta(seconds=1))
    return max(round.opens_at, min(round.opens_at + position * step, latest))
