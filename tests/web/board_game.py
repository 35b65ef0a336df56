# SPDX-License-Identifier: Apache-2.0
"""A contest in which anything may happen next: facts are written as they come, past every rule of who may do what."""

from __future__ import annotations

import random

from django.utils import timezone

from pwscup.contests.models import RulesetVersion
from pwscup.submissions.models import Choice, Rescore, Ruling, Submission
from tests import factories
from tests.web import board_facts


class Game:
    """A contest in which anything may happen next."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # the seed makes a failure repeatable
        self.contest = factories.make_contest()
        self.anonymization, self.attack = board_facts.rounds_of(self.contest)
        self.phase = "anonymization"
        self.new_team()

    def step(self) -> str:
        events = [
            self.new_team,
            self.rename,
            self.submit,
            self.submit,
            self.evaluate_again,
            self.wait,
            self.rule,
            self.rescore,
        ]
        if self.phase == "anonymization":
            events += [self.choose, self.open_attack]
        elif self.phase == "attack":
            events += [self.guess, self.guess, self.guess, self.close]
        else:
            events += [self.finish, self.guess]
        event = self.random.choice(events)
        event()
        return event.__name__

    def team(self):
        return self.any_of(self.contest.teams)

    def values(self):
        few = {m: self.random.choice([None, 0.25, 0.5, 1.0, 1 / 3]) for m in board_facts.MEASURES}
        return {"n_original": 4, "n_anonymized": 4, **few}

    def new_team(self) -> None:
        team = factories.make_team(self.contest, f"team {self.contest.teams.count()}")
        team.is_house = self.random.random() < 0.3
        team.save()

    def rename(self) -> None:
        team = self.team()
        team.name = f"{team.name}*"[-20:]
        team.save()

    def submit(self) -> None:
        board_facts.scored(self.team(), self.anonymization, self.values())

    def evaluate_again(self) -> None:
        submission = self.any_of(Submission.objects.filter(round=self.anonymization))
        if submission:
            board_facts.evaluate(submission, self.values())

    def rule(self) -> None:
        """An organizer decides about a team, or one of its submissions."""
        team = self.team()
        submission = self.random.choice([None, self.any_of(team.submissions)])
        out = Ruling.Kind.DISQUALIFIED if submission is None else Ruling.Kind.WITHDRAWN
        kind = self.random.choice([out, Ruling.Kind.REINSTATED])
        Ruling.objects.create(team=team, submission=submission, kind=kind, reason="r")

    def rescore(self) -> None:
        """A re-scoring that is applied or not, and rejects some submissions."""
        state = self.random.choice([Rescore.State.APPLIED, Rescore.State.DROPPED])
        rules, _ = RulesetVersion.objects.get_or_create(
            contest=self.contest, number=1, text=self.contest.ruleset_text, digest="d"
        )
        made = Rescore.objects.create(
            contest=self.contest,
            rules=rules,
            scoring_version="2.0.0",
            state=state,
            decided_at=timezone.now(),
        )
        for submission in Submission.objects.filter(round__contest=self.contest):
            values = {"rate": 0.75} if submission.target_id else self.values()
            found = board_facts.evaluate(submission, self.random.choice([values, values, None]))
            found.rescore = made
            found.save()

    def any_of(self, rows):
        found = list(rows.order_by("pk"))
        return self.random.choice(found) if found else None

    def wait(self) -> None:
        submission = self.any_of(Submission.objects.filter(releases=None))
        if submission:
            submission.state = self.random.choice(list(Submission.State))
            submission.save()

    def choose(self) -> None:
        scored = self.any_of(
            Submission.objects.filter(round=self.anonymization, state=Submission.State.SCORED)
        )
        if scored:
            Choice.objects.create(submission=scored, team=scored.team, round=self.anonymization)

    def open_attack(self) -> None:
        self.move("attack")
        for team in self.contest.teams.all():
            newest = team.submissions.filter(state="scored").order_by("-pk").first()
            if newest:
                board_facts.release(newest, self.attack)

    def guess(self) -> None:
        release = self.any_of(self.attack.releases)
        attacker = self.team()
        if release and release.team != attacker:
            rate = board_facts.rate_of(self.random.choice([0, 0.25, 1]))
            board_facts.scored(attacker, self.attack, rate, target=release)

    def close(self) -> None:
        self.move("after")

    def finish(self) -> None:
        Submission.objects.filter(state__in=["waiting", "running"]).update(state="scored")

    def move(self, phase: str) -> None:
        self.phase = phase
        board_facts.move_to(self.contest, phase)
