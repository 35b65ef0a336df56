"""The demo contests, as they are before anybody has played: of two formats, one that is over and one that is open."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from django.db import transaction
from django.utils import timezone

from pwscup.accounts import services as accounts
from pwscup.accounts.models import Team, User
from pwscup.bots.cast import BOTS, Bot
from pwscup.contests import services as contests
from pwscup.contests.models import Contest
from pwscup.demo.cast import ORGANIZER, PASSWORD, TEAMS, Person
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.reading import write_table

FINISHED, RUNNING = "demo-finished", "demo-running"
DISCLOSED, HIDDEN = "demo-disclosed", "demo-hidden"
N_RECORDS = 8333
OPEN_DAYS = 90
RUNNING_HOUSES = 3


@transaction.atomic
def create() -> bool:
    """Make people, contests and teams once; return whether there was anything to make."""
    if Contest.objects.filter(is_demo=True).exists():
        return False
    now = timezone.now()
    organizer = person(ORGANIZER)
    people = {team: [person(member) for member in members] for team, members in TEAMS.items()}
    finished_contest(organizer, now)
    disclosed_contest(organizer, now)
    running = running_contest(organizer, now)
    hidden = hidden_contest(organizer, now)
    for name, members in people.items():
        for contest in (running, hidden):
            found_team(contest, name, members)
    return True


def person(person: Person) -> User:
    """An account with a verified address."""
    user, created = User.objects.get_or_create(
        email=person.email,
        defaults={"display_name": person.name, "is_organizer": person.is_organizer},
    )
    if created:
        user.set_password(PASSWORD)
        user.save(update_fields=["password"])
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


def finished_contest(organizer: User, now: datetime) -> Contest:
    """Both rounds are over; the house teams played all of it."""
    contest = contests.create_contest(
        actor=organizer,
        ruleset="pwscup2015",
        slug=FINISHED,
        title="Demo cup (finished)",
        title_ja="デモカップ(終了)",
        summary="Six house teams, seven anonymizers, six attackers: see what each method costs and protects.",
        summary_ja="運営側の 6 チームが 7 種類の匿名加工と 6 種類の再識別で競った結果です。"
        "手法ごとの有用性と安全性を比べられます。",
        starts_at=now - timedelta(days=22),
        is_demo=True,
    )
    fill_and_publish(contest, organizer, BOTS, seed=1)
    return contest


def running_contest(organizer: User, now: datetime) -> Contest:
    """The anonymization round is open for long, so that a newcomer can play."""
    contest = contests.create_contest(
        actor=organizer,
        ruleset="pwscup2015",
        slug=RUNNING,
        title="Demo cup (open for you)",
        title_ja="デモカップ(参加受付中)",
        summary="The anonymization round is open: found a team, upload the sample files, and see them scored.",
        summary_ja="匿名加工フェーズを開催中です。チームを作り、サンプルファイルを提出すると、その場で採点されます。",
        starts_at=now - timedelta(days=2),
        is_demo=True,
    )
    closing = now + timedelta(days=OPEN_DAYS)
    plan_rounds(contest, organizer, closing, closing + timedelta(days=7))
    fill_and_publish(contest, organizer, BOTS[:RUNNING_HOUSES], seed=2)
    return contest


def disclosed_contest(organizer: User, now: datetime) -> Contest:
    """Both rounds about a hidden table are over; the house teams estimated it in each."""
    contest = contests.create_contest(
        actor=organizer,
        ruleset="dp-disclosure",
        slug=DISCLOSED,
        title="Demo of differential privacy (finished)",
        title_ja="差分プライバシーのデモ(終了)",
        summary="House teams estimated a hidden table, once from a randomized release and once by asking.",
        summary_ja="運営側のチームが、一括開示された表と対話型の問い合わせから、非公開の表を推定した結果です。",
        starts_at=now - timedelta(days=22),
        is_demo=True,
    )
    fill_and_publish(contest, organizer, BOTS, seed=3)
    return contest


def hidden_contest(organizer: User, now: datetime) -> Contest:
    """The batch round is over, and teams ask in the interactive one for long."""
    contest = contests.create_contest(
        actor=organizer,
        ruleset="dp-disclosure",
        slug=HIDDEN,
        title="Demo of differential privacy (ask a hidden table)",
        title_ja="差分プライバシーのデモ(非公開の表に問い合わせる)",
        summary="Ask for counts of a hidden table within a budget of ε, and compare with a release of everything.",
        summary_ja="予算 ε の範囲で非公開の表の度数を問い合わせ、一括開示と比べてみてください。",
        starts_at=now - timedelta(days=2),
        is_demo=True,
    )
    plan_rounds(contest, organizer, now - timedelta(days=1), now + timedelta(days=OPEN_DAYS))
    fill_and_publish(contest, organizer, BOTS[:RUNNING_HOUSES], seed=4)
    return contest


def plan_rounds(contest: Contest, organizer: User, turn: datetime, end: datetime) -> None:
    """The first of two rounds closes when the second one opens."""
    first, second = (contests.plan_of(round) for round in contest.rounds.all())
    plans = [replace(first, closes_at=turn), replace(second, opens_at=turn, closes_at=end)]
    contests.update_rounds(actor=organizer, contest=contest, plans=plans)


def fill_and_publish(
    contest: Contest, organizer: User, houses: tuple[Bot, ...], *, seed: int
) -> None:
    """With a table and house teams the contest is complete."""
    attach_households(contest, organizer, seed=seed)
    house_teams(contest, houses)
    contests.publish(actor=organizer, contest=contest)


def attach_households(contest: Contest, organizer: User, *, seed: int) -> None:
    """A table of pseudo households, as large as the one of 2015."""
    table = write_table(households(N_RECORDS, seed=seed), HOUSEHOLDS_SCHEMA)
    contests.attach_dataset(
        actor=organizer,
        contest=contest,
        data=table,
        schema=HOUSEHOLDS_SCHEMA,
        name="households.csv",
    )


def house_teams(contest: Contest, houses: tuple[Bot, ...]) -> None:
    """Teams without members, played by `pwscup.bots.play`."""
    for house in houses:
        Team.objects.create(
            contest=contest, name=house.name, slug=house.name.lower(), is_house=True
        )


def found_team(contest: Contest, name: str, members: list[User]) -> None:
    """A team whose first member is its captain; the others join by invitation."""
    captain, *others = members
    team = accounts.create_team(user=captain, contest=contest, name=name)
    if others:
        invitation = accounts.invite(user=captain, team=team)
        for user in others:
            accounts.join_team(user=user, invitation=invitation)
