# SPDX-License-Identifier: Apache-2.0
"""Sets the stage for the looks at a lecture contest, inside the running installation: one contest in each state.

Called as `manage.py shell -c "from tests.e2e import stage_lecture; stage_lecture.set_up()"`.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from decimal import Decimal

from django.db import transaction
from django.utils import timezone

from pwscup.accounts import services as accounts
from pwscup.accounts.models import Team, User
from pwscup.bots import services as bots
from pwscup.bots.cast import BOTS
from pwscup.bots.models import Rehearsal
from pwscup.bots.playing.rounds import play_round
from pwscup.contests import services as contests
from pwscup.contests.models import Contest
from pwscup.contests.terms import digest_of
from pwscup.core.files import storage
from pwscup.demo.cast import Person
from pwscup.demo.create import house_teams, person
from pwscup.leaderboards.ceremony import services as ceremonies
from pwscup.notices import services as notices
from pwscup.submissions import draws, services
from pwscup.submissions.decisions import rulings
from pwscup.submissions.judging import grades
from pwscup.submissions.models import Release, Submission
from pwscup.submissions.states import State
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.tables.reading import write_table
from tests.e2e.stage import LONG_FILE, LONG_NAME, SCORING_SECONDS, all_scored
from tests.services import wait_until

TEACHER = Person("Thea", is_organizer=True)
JUDGE = Person("Juno")
MEMBER = Person("Mina")
PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
WORDS = "Why is it so? Please look at record 7 of our table again."
# How long ago each contest began: three weeks of anonymization, eleven days of attack, a day of talks.
BEGAN = {
    "lecture-draft": timedelta(days=-7),
    "lecture-tables": timedelta(days=1),
    "lecture-attack": timedelta(days=22),
    "lecture-talks": timedelta(days=32, hours=2),
    "lecture-over": timedelta(days=32, hours=2),
}
# Where the person has accepted the terms, and may download.
ACCEPTED = ("lecture-attack", "lecture-talks")


def set_up() -> None:
    """A draft with its dry run, and contests in which each round is open, and one that is frozen at its end."""
    people = [person(someone) for someone in (TEACHER, JUDGE, MEMBER)]
    made = {slug: make(slug, *people) for slug in BEGAN}
    dry_run = bots.request_dry_run(actor=people[0], contest=made["lecture-draft"])
    for slug, contest in made.items():
        if slug != "lecture-draft":
            play(contest, "anonymization")
    late = [made[slug] for slug in ("lecture-attack", "lecture-talks", "lecture-over")]
    wait_until(lambda: all(map(is_published, late)), "all tables are published", SCORING_SECONDS)
    for contest in late:
        play(contest, "attack")
    wait_until(all_scored, "every guess is scored", SCORING_SECONDS)
    talk(made["lecture-tables"], *people)
    for contest in late[1:]:
        give_marks(contest, people[:2])
    finish(made["lecture-over"], people[0])
    wait_until(lambda: is_rehearsed(dry_run), "the bots have played", SCORING_SECONDS)


def make(slug: str, teacher: User, judge: User, member: User) -> Contest:
    """A lecture contest with three houses and a person's team."""
    contest = contests.create_contest(
        actor=teacher,
        ruleset="pets-lecture",
        slug=slug,
        title=f"{slug.capitalize()} of {LONG_NAME}",
        starts_at=timezone.now() - BEGAN[slug],
    )
    contests.attach_dataset(
        actor=teacher,
        contest=contest,
        data=write_table(households(300, seed=5), HOUSEHOLDS_SCHEMA),
        schema=HOUSEHOLDS_SCHEMA,
        name=LONG_FILE,
    )
    contest.judges.add(judge)
    if slug != "lecture-draft":
        contests.publish(actor=teacher, contest=contest)
        house_teams(contest, BOTS[:3])
        accounts.create_team(user=member, contest=contest, name=LONG_NAME)
    if slug in ACCEPTED:
        contests.accept_terms(user=member, contest=contest, digest=digest_of(contest))
    return contest


@transaction.atomic  # the clock must not publish before everybody has handed in
def play(contest: Contest, key: str) -> None:
    """The houses hand in what they make; the person's team the sample, and something broken."""
    round = contest.rounds.get(key=key)
    team = contest.teams.get(is_house=False)
    play_round(contest, round)
    if key == "anonymization":
        table = storage.read(draws.ensure_drawn(team).public)
        for content in (table, table.replace(b"male", b"unknown")):
            hand_in(team, key, {"anonymized": (LONG_FILE, content)})
        return
    target = Release.objects.filter(round=round).exclude(team=team).first()
    for guess in (b"1\n" * target.n_records, b"one\n"):
        hand_in(team, key, {"guess": (f"{target.team.slug}.csv", guess)}, target)


def hand_in(
    team: Team, key: str, files: dict[str, tuple[str, bytes]], target: Release | None = None
) -> Submission:
    round = team.contest.rounds.get(key=key)
    return services.submit(
        user=team.captain,
        team=team,
        round=round,
        files=files,
        target=target,
        note=LONG_NAME,
        arrived_at=round.opens_at + timedelta(minutes=30),
    )


def is_published(contest: Contest) -> bool:
    return Release.objects.filter(round__contest=contest).count() == contest.teams.count()


def is_rehearsed(dry_run: Rehearsal) -> bool:
    dry_run.refresh_from_db()
    assert dry_run.state != Rehearsal.State.FAILED, dry_run.reference
    return dry_run.state == Rehearsal.State.DONE


def talk(contest: Contest, teacher: User, _judge: User, member: User) -> None:
    """News, a question with its answer, a withdrawal."""
    team = contest.teams.get(is_house=False)
    words = {"title": LONG_NAME, "text": WORDS, "title_ja": LONG_NAME, "text_ja": WORDS}
    notices.publish_announcement(actor=teacher, contest=contest, values=words | {"is_pinned": True})
    for subject in ("First", LONG_NAME):
        asked = notices.ask_question(user=member, team=team, subject=subject, text=WORDS)
    notices.answer_question(actor=teacher, question=asked, answer=WORDS)
    table = Submission.objects.filter(team=team, state=State.SCORED).first()
    rulings.withdraw(actor=teacher, submission=table, reason=WORDS)


def give_marks(contest: Contest, judges: Iterable[User]) -> None:
    """Slides of one team, and marks for all."""
    round = contest.rounds.get(key="presentation")
    hand_in(contest.teams.get(is_house=False), round.key, {"slides": ("slides.pdf", PDF)})
    wait_until(all_scored, "the slides are taken", SCORING_SECONDS)
    criteria = [criterion.key for criterion in round.spec.criteria]
    for judge in judges:
        given = {
            (team.pk, criterion): Decimal(60 + place)
            for place, team in enumerate(grades.speakers(round))
            for criterion in criteria
        }
        grades.save(user=judge, round=round, given=given, seen=grades.last_of(round, judge))


def finish(contest: Contest, teacher: User) -> None:
    """Frozen, closed, and the last place revealed."""
    ceremonies.freeze(actor=teacher, contest=contest)
    contest.refresh_from_db()
    contests.close_round_now(actor=teacher, contest=contest, key="presentation")
    ceremony = ceremonies.start(actor=teacher, contest=contest)
    ceremonies.move(actor=teacher, contest=contest, ceremony_id=ceremony.pk, seen=0, to="next")
