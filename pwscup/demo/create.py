# SPDX-License-Identifier: Apache-2.0
"""The demo contests in their initial state: of three formats one finished and one open each, and a finished lesson."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from allauth.account.models import EmailAddress
from django.db import transaction
from django.utils import timezone

from pwscup.accounts import services as accounts
from pwscup.accounts.models import Membership, Team, User
from pwscup.bots.cast import BOTS, Bot
from pwscup.contests import services as contests
from pwscup.contests.models import Contest
from pwscup.demo import gaming, lesson
from pwscup.demo.cast import (
    CLASSMATES,
    DEMO_SERIES,
    GUESTS,
    JUDGES,
    ORGANIZER,
    PASSWORD,
    TEAMS,
    Person,
)
from pwscup.formats.series.table import packed
from scoring.datasets.cups import imitation
from scoring.datasets.hospital import HOSPITAL_SCHEMA, hospital
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.rulesets.loader import load_schema
from scoring.tables.reading import write_table

FINISHED, RUNNING = "demo-finished", "demo-running"
DISCLOSED, HIDDEN = "demo-disclosed", "demo-hidden"
SERIES_OPEN = "demo-series-open"
ROBUST = "demo-robust"
SYNTHETIC = "demo-synthetic"
N_RECORDS = 8333
N_PATIENTS, N_WINDOWS = 1000, 4
N_PEOPLE = 4000
"""Of the table that cohorts are drawn from: those of a team, and people who are in none."""
OPEN_DAYS = 90
RUNNING_HOUSES = 3
HOUSES: dict[str, tuple[Bot, ...]] = {lesson.LECTURE: (), SYNTHETIC: BOTS[-3:]}
"""By contest, if its baseline teams are not all bots, or the first of them."""


@dataclass(frozen=True, slots=True)
class Demo:
    """A demo contest of two rounds.

    `turns` has two numbers of days after creation: the end of the first round, and the end of the second;
    without it both are over, and all baseline teams played.
    """

    ruleset: str
    slug: str
    title: str
    title_ja: str
    summary: str
    summary_ja: str
    seed: int
    turns: tuple[int, int] | None = None
    days_ago: int = 22
    """The days before creation at which a finished contest began."""


DEMOS = (
    # Both rounds are over; the baseline teams played both.
    Demo(
        ruleset="pwscup2015",
        slug=FINISHED,
        title="Demo cup (finished)",
        title_ja="デモカップ（終了）",
        summary="Six baseline teams, seven anonymizers, six attackers: see what each method costs and protects. Its "
        "news says how a team games these rules, and where the same cup is played under rules that answer it.",
        summary_ja="6つのベースラインチームが7種類の匿名加工と6種類の攻撃で競った結果です。"
        "手法ごとの有用性と安全性を比べられます。"
        "ルールを突いてスコアを稼ぐ方法と、その対策を入れた同じカップは、お知らせで紹介しています。",
        seed=1,
    ),
    # Both rounds about a hidden table are over; the baseline teams estimated it in each.
    Demo(
        ruleset="dp-disclosure",
        slug=DISCLOSED,
        title="Demo of differential privacy (finished)",
        title_ja="差分プライバシーのデモ（終了）",
        summary="Baseline teams estimated a hidden table, once from a randomized release and once by asking.",
        summary_ja="ベースラインチームが、一括開示された表と対話型の問い合わせから、非公開の表を推定した結果です。",
        seed=3,
    ),
    # The anonymization round is open for a long time, so that new users can play.
    Demo(
        ruleset="pwscup2015",
        slug=RUNNING,
        title="Demo cup (open for you)",
        title_ja="デモカップ（参加受付中）",
        summary="For trying it out: create a team, upload the sample files, and see them scored.",
        summary_ja="匿名加工フェーズを開催中です。チームを作り、サンプルファイルを提出すると、その場で採点されます。",
        turns=(OPEN_DAYS, OPEN_DAYS + 7),
        seed=2,
    ),
    # The batch round is over, and the interactive one is open for a long time.
    Demo(
        ruleset="dp-disclosure",
        slug=HIDDEN,
        title="Demo of differential privacy (ask a hidden table)",
        title_ja="差分プライバシーのデモ（表に問い合わせる）",
        summary="Ask for counts of a hidden table within a budget of ε, and compare with a release of everything.",
        summary_ja="予算εの範囲で非公開の表の度数を問い合わせ、一括開示と比べてみてください。",
        turns=(-1, OPEN_DAYS),
        seed=4,
    ),
    # Both rounds of sequential release are over; the baseline teams published their series and guessed values.
    Demo(
        ruleset="sequential-release",
        slug=DEMO_SERIES,
        title="Demo of sequential release (finished)",
        title_ja="逐次公開のデモ（終了）",
        summary="Six baseline teams published the tables of a synthetic hospital repeatedly: see what they disclose.",
        summary_ja="6つのベースラインチームが架空の病院の表を繰り返し公開した結果です。"
        "公開データを合わせると何がわかるかを見られます。",
        seed=5,
    ),
    # The release round is open for a long time: each team has its own tables.
    Demo(
        ruleset="sequential-release",
        slug=SERIES_OPEN,
        title="Demo of sequential release (publish your tables)",
        title_ja="逐次公開のデモ（自分の表を公開する）",
        summary="Your team holds the patients of four half-years: publish each table, and see what they disclose.",
        summary_ja="チームごとに割り当てられた4期分の患者の表を公開してみてください。"
        "合わせると何がわかってしまうかを確かめられます。",
        turns=(OPEN_DAYS, OPEN_DAYS + 7),
        seed=6,
    ),
    # The table and the teams of the finished cup, under rules with countermeasures to score gaming.
    Demo(
        ruleset="pwscup2015-robust",
        slug=ROBUST,
        title="Demo cup with answers to score gaming (finished)",
        title_ja="スコア稼ぎ対策つきデモカップ（終了）",
        summary="The teams and the original table of the finished cup under other rules: a risk without declared "
        "rows, utility over all quasi-identifiers, and attackers ranked by the median.",
        summary_ja="終了したデモカップと同じチーム・同じ元データを別のルールで競わせた結果です。"
        "申告によらないリスク指標と全準識別子の有用性指標を加え、再識別の順位は中央値で決めます。",
        seed=1,
    ),
    # A lesson of one afternoon is over: own tables, candidates with decoys, presentations and judges.
    Demo(
        ruleset="pets-lecture",
        slug=lesson.LECTURE,
        title="Demo of a lesson (finished)",
        title_ja="講義コンテストのデモ（終了）",
        summary="Four teams of a class anonymized tables of their own, searched for each other's records among "
        "candidates, and presented to two judges.",
        summary_ja="4チームがそれぞれの表を匿名加工し、候補データの中から互いのレコードを探し、"
        "2人の審査員の前で発表した結果です。",
        seed=7,
    ),
    # Both stages of a cup in the manner of the most recent one are over.
    Demo(
        ruleset="synthetic-2026",
        slug=SYNTHETIC,
        title="Demo of synthetic survival data (finished)",
        title_ja="生存時間の合成データのデモ（終了）",
        summary="A preliminary and a final in the manner of PWS Cup 2026: three baseline teams published synthetic "
        "cohorts, and asked who was in those of the others.",
        summary_ja="PWS Cup 2026に倣った予備戦と本戦です。3つのベースラインチームが追跡データの合成データを公開し、"
        "他チームの元データに誰がいたかを推定しました。",
        seed=8,
        days_ago=60,
    ),
)


@transaction.atomic
def create() -> bool:
    """Create accounts, contests and teams once; return whether anything was created."""
    if Contest.objects.filter(is_demo=True).exists():
        return False
    now = timezone.now()
    organizer = person(ORGANIZER)
    people = {
        team: [person(member) for member in members]
        for team, members in (TEAMS | CLASSMATES).items()
    }
    made = {demo.slug: make_contest(demo, organizer, now) for demo in DEMOS}
    for slug, guests in GUESTS.items():
        for name in guests:
            seat_team(made[slug], name, people[name])
    judges = [person(judge) for judge in JUDGES]
    made[lesson.LECTURE].judges.set(judges)
    lesson.present(made[lesson.LECTURE], judges)
    for name in TEAMS:
        for slug in (RUNNING, HIDDEN, SERIES_OPEN):
            found_team(made[slug], name, people[name])
    gaming.announce(organizer, made[FINISHED], made[ROBUST])
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


def make_contest(demo: Demo, organizer: User, now: datetime) -> Contest:
    """The contest with its table, or tables, and its baseline teams, published."""
    is_over = demo.turns is None
    contest = contests.create_contest(
        actor=organizer,
        ruleset=demo.ruleset,
        slug=demo.slug,
        title=demo.title,
        title_ja=demo.title_ja,
        summary=demo.summary,
        summary_ja=demo.summary_ja,
        starts_at=now - timedelta(days=demo.days_ago if is_over else 2),
        is_demo=True,
    )
    if demo.slug == lesson.LECTURE:
        lesson.plan(contest, organizer, now)
    if demo.turns is not None:
        turn, end = (now + timedelta(days=days) for days in demo.turns)
        plan_rounds(contest, organizer, turn, end)
    attach = ATTACH.get(demo.ruleset, attach_households)
    attach(contest, organizer, seed=demo.seed)
    house_teams(contest, HOUSES.get(demo.slug, BOTS if is_over else BOTS[:RUNNING_HOUSES]))
    contests.publish(actor=organizer, contest=contest)
    return contest


def plan_rounds(contest: Contest, organizer: User, turn: datetime, end: datetime) -> None:
    """The first of two rounds closes when the second one opens."""
    first, second = (contests.plan_of(round) for round in contest.rounds.all())
    plans = [replace(first, closes_at=turn), replace(second, opens_at=turn, closes_at=end)]
    contests.update_rounds(actor=organizer, contest=contest, plans=plans)


def attach_households(
    contest: Contest, organizer: User, *, seed: int, n_records: int | None = None
) -> None:
    """A table of pseudo households, by default as large as the one of 2015."""
    table = write_table(households(n_records or N_RECORDS, seed=seed), HOUSEHOLDS_SCHEMA)
    contests.attach_dataset(
        actor=organizer,
        contest=contest,
        data=table,
        schema=HOUSEHOLDS_SCHEMA,
        name="households.csv",
    )


def attach_hospital(contest: Contest, organizer: User, *, seed: int) -> None:
    """The tables of a synthetic hospital, with individuals for all baseline teams and some more teams."""
    tables = hospital(N_PATIENTS, N_WINDOWS, seed=seed)
    contests.attach_dataset(
        actor=organizer,
        contest=contest,
        data=packed([write_table(table, HOSPITAL_SCHEMA) for table in tables]),
        schema=HOSPITAL_SCHEMA,
        name="hospital.zip",
    )


def attach_cohort(contest: Contest, organizer: User, *, seed: int) -> None:
    """A table of people who were followed, from which cohorts are drawn."""
    schema = load_schema("survival")
    contests.attach_dataset(
        actor=organizer,
        contest=contest,
        data=write_table(imitation("survival", N_PEOPLE, seed=seed), schema),
        schema=schema,
        name="survival.csv",
    )


ATTACH: dict[str, Callable[..., Any]] = {
    "synthetic-2026": attach_cohort,
    "sequential-release": attach_hospital,
    "pets-lecture": partial(attach_households, n_records=lesson.N_RECORDS),
}
"""By the ruleset, if the table is not that of `attach_households`."""


def began_at(contest: Contest) -> datetime:
    """The opening of the first round: teams are there before their submissions, for scores over time."""
    return min(round.opens_at for round in contest.rounds.all())


def house_teams(contest: Contest, houses: tuple[Bot, ...]) -> None:
    """Teams without members, played by `pwscup.bots.playing.rounds`."""
    for house in houses:
        Team.objects.create(
            contest=contest,
            name=house.name,
            slug=house.name.lower(),
            is_house=True,
            created_at=began_at(contest),
        )


def seat_team(contest: Contest, name: str, members: list[User]) -> None:
    """A team with members in a finished contest, where no team can be created any more."""
    team = Team.objects.create(
        contest=contest,
        name=name,
        slug=name.lower(),
        captain=members[0],
        created_at=began_at(contest),
    )
    for user in members:
        Membership.objects.create(team=team, user=user, contest=contest)


def found_team(contest: Contest, name: str, members: list[User]) -> None:
    """A team whose first member is its captain; the others join by invitation."""
    captain, *others = members
    team = accounts.create_team(user=captain, contest=contest, name=name)
    if others:
        invitation = accounts.invite(user=captain, team=team)
        for user in others:
            accounts.join_team(user=user, invitation=invitation)
