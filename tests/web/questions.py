# SPDX-License-Identifier: Apache-2.0
"""A contest whose attack round asks questions about own tables of teams."""

from __future__ import annotations

import io
import json
import tomllib
import zipfile
from types import SimpleNamespace
from typing import Any

import tomli_w
from django.conf import settings
from django.utils import timezone

from pwscup.accounts.models import Team, User
from pwscup.core.files import storage
from pwscup.submissions import services
from pwscup.submissions.models import Release, Submission
from scoring.questions.sheets import Key
from scoring.rulesets import Ruleset, parse_ruleset
from tests import factories
from tests.web import lecture, pipeline

TITLE = {"en": "Title", "ja": "題"}
MEMBERS = {
    "key": "members",
    "asks": "membership",
    "answers": "confidences",
    "result": "tpr_at_fpr",
    "fpr": 0.5,
    "targets": 4,
    "controls": 4,
    "title": TITLE,
}
BALANCES = {
    "key": "balances",
    "asks": "attributes",
    "result": "over_controls",
    "column": "balance",
    "tolerance": 10,
    "targets": 5,
    "controls": 5,
    "title": TITLE,
}
LINKS = {"key": "lines", "asks": "links", "candidates": 2, "title": TITLE}


def ruleset(*questions: dict[str, Any], text: str = "", **round: Any) -> Ruleset:
    """The ruleset of a lecture contest, or of `text`, whose attack round asks these questions."""
    values = tomllib.loads(text or factories.lecture_ruleset().text)
    attack = next(r for r in values["round"] if r["key"] == "attack")
    for key in ("file", "gives", "marking", "truth"):
        attack.pop(key, None)
    attack |= {"kind": "question-attack", "question": list(questions), "feedback": "exact"}
    if len(questions) > 1:
        attack["combine"] = "max"
    attack |= round
    return parse_ruleset(tomli_w.dumps(values))


def contest_of(cast: Any, rules: Ruleset) -> SimpleNamespace:
    """The cast in such a contest."""
    contest = factories.make_lecture_contest(organizer=cast.oscar, ruleset=rules)
    return pipeline.two_teams(cast, contest)


def published(cast: Any, rules: Ruleset) -> SimpleNamespace:
    """Both teams have submitted their tables unchanged, and these are published with questions."""
    cup = contest_of(cast, rules)
    for user, team in ((cast.alice, cup.red), (cast.carol, cup.blue)):
        factories.give_table(team, *drawn_for(team))
        pipeline.scored(lecture.hand_in(user, team, lecture.own_table(team)))
    cup.releases = lecture.publish(cup.contest)
    return cup


def drawn_for(team: Team) -> tuple[list[int], list[int]]:
    own = [*range(10)] if team.name == "Red" else [*range(20, 30)]
    return own, [*own[::-1], *(row + 10 for row in own)]


def keys_of(release: Release) -> dict[str, Key]:
    """The sealed answers, by question."""
    sealed = json.loads((settings.PRIVATE_ROOT / release.key.path).read_bytes())
    return {key: Key.from_dict(data) for key, data in sealed["questions"].items()}


def sheets_of(release: Release) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(storage.read(release.candidates))) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def right_answers(release: Release, rules: Ruleset) -> dict[str, bytes]:
    """The answer files of an attacker who knows all."""
    from scoring.questions.files import write_answers

    schema = release.round.contest.datasets.get(team=None, key="original").schema.public()
    files = {}
    for question in rules.round("attack").questions:
        key = keys_of(release)[question.key]
        members = key.inside.astype(float)
        known = {"member": members, "confidence": members, **key.values}
        if key.lines is not None:
            known |= {"line_1": key.lines, "line_2": key.lines * 0 - 1}
        answers = {name: known[name] for name in question.columns(schema)}
        files[question.key] = write_answers(answers, question, schema)
    return files


def answer(user: User | None, team: Team, target: Release, files: dict[str, bytes]) -> Submission:
    """Answers about a target, submitted now."""
    return services.submit(
        user=user,
        team=team,
        round=target.round,
        target=target,
        files={key: (f"{key}.csv", data) for key, data in files.items()},
        arrived_at=timezone.now(),
    )


def archive_of(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as out:
        for name, data in files.items():
            out.writestr(name, data)
    return packed.getvalue()
