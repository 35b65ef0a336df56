# SPDX-License-Identifier: Apache-2.0
"""Contexts of the page of one submission: plain functions of facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils.translation import get_language

from pwscup.contests.guidance import round_state
from pwscup.contests.rules.measures import ShownMeasure, shown_measure, visible_measures
from pwscup.contests.rules.own_measures import utility_formula
from pwscup.contests.selectors import contest_page
from pwscup.core.http.polling import etag
from pwscup.core.texts.parts import listed
from pwscup.formats import format_of
from pwscup.submissions import policies, selectors
from pwscup.submissions.forms import NoteForm
from pwscup.submissions.pages.lines import lines
from pwscup.submissions.pages.problems import problems_of
from pwscup.submissions.results import feedback, finals
from pwscup.submissions.states import FINAL, State
from scoring.rulesets.base import localized

if TYPE_CHECKING:
    from django.http import HttpRequest

    from pwscup.submissions.models import Submission
    from pwscup.submissions.policies import Person
    from scoring.questions.asked import QuestionSpec
    from scoring.rulesets import Ruleset

Values = Mapping[str, float | int | None]
COUNTED = ("n_original", "n_anonymized", "n_people", "n_tuples", "n_rows", "n_groups")
"""The counts of a result in addition to its measures, for a table or a series."""


def result_page(request: HttpRequest, submission: Submission) -> dict[str, Any]:
    """All facts about one submission that this viewer may see."""
    round = submission.round
    context = contest_page(request, round.contest, round.key)
    now, viewer = context["now"], request.user
    evaluation = selectors.latest_evaluation(submission)
    visible = feedback.visible_values(submission, evaluation, viewer, now)
    own = policies.may_change(viewer, submission)
    context |= status(submission)
    return (
        context
        | {
            "round": round,
            "own": own,
            "visible": visible,
            "may_choose": policies.may_choose(viewer, submission, now),
            "may_cancel": policies.may_cancel(viewer, submission),
            "may_appeal": policies.may_appeal(viewer, submission),
            "ruling": selectors.newest_ruling(submission.team, submission),
            "may_audit": policies.may_audit(viewer, submission, now),
            "counts": _counts(submission),
            "round_state": round_state(round, now),
            "answer_results": _answer_results(submission, visible),
            "rate_title": round.contest.format.boards.attack(round.contest.ruleset).rate,
            "problems": problems_of(submission, submission.problems, titles(submission)),
            "notes": problems_of(
                submission, evaluation.notes if evaluation else [], titles(submission)
            ),
            "n_more": submission.n_problems - len(submission.problems),
            "titles": titles(submission),
            "note_form": NoteForm(instance=submission) if own else None,
            "retry_url": reverse("round", args=[round.contest.slug, round.key]),
        }
        | _measures(submission, visible, viewer, now)
    )


def _answer_results(
    submission: Submission, visible: feedback.Visible | None
) -> list[dict[str, Any]]:
    """The result of each question of the round, with its title, and its rate next to that of chance."""
    values = (visible.values if visible else None) or {}
    language = get_language() or "en"
    return [
        {
            "title": localized(question.title, language),
            "value": values[question.key],
            "rate": values.get(f"{question.key}.rate"),
            "chance": _up_to(values, question),
            **{name: values.get(f"{question.key}.{name}") for name in ("declared", "content")},
        }
        for question in submission.round.spec.questions
        if question.key in values
    ]


def _up_to(values: Values, question: QuestionSpec) -> float | None:
    """The largest rate of a question that counts as chance; None where nothing is taken off."""
    chance, error = (values.get(f"{question.key}.{part}") for part in ("chance", "error"))
    if chance is None or error is None or question.margin is None:
        return None
    return min(1.0, chance + question.margin * error)


def titles(submission: Submission) -> dict[str, str]:
    """The titles of the files of the submission's round in the rules."""
    language = get_language() or "en"
    return {spec.key: localized(spec.title, language) for spec in submission.round.spec.files}


def _counts(submission: Submission) -> bool:
    """This submission counts, for its team or against its target."""
    if submission.state != State.SCORED:
        return False
    if submission.target_id is None:
        counted = selectors.counted_submission(submission.team, submission.round)
        return counted is not None and counted.pk == submission.pk
    counting = selectors.counting_guesses(submission.team, submission.round)
    return counting.get(submission.target_id) == submission.pk


# Live status


def status(submission: Submission) -> dict[str, Any]:
    """The context of the polled fragment."""
    place = selectors.queue_place(submission)
    return {
        "submission": submission,
        "place": place,
        "final": submission.state in FINAL,
        "etag": etag(submission.public_id, submission.state, place, submission.attempts),
    }


# Measures


@dataclass(frozen=True, slots=True)
class Part:
    """One of several tables that belong together: its title, and its values in the order of the measures."""

    title: str
    values: tuple[float | int | None, ...]


def of_parts(ruleset: Ruleset, ids: Sequence[str], values: Values) -> dict[str, Any]:
    """The values of each table of a submission that has several."""
    language, parts = get_language() or "en", ruleset.data.parts
    submitted = [part for part in parts if any(f"{id_}.{part.key}" in values for id_ in ids)]
    return {
        "measures": ids,
        "rows": [
            Part(
                localized(part.title, language),
                tuple(values.get(f"{id_}.{part.key}") for id_ in ids),
            )
            for part in submitted
        ],
    }


@dataclass(frozen=True, slots=True)
class Row:
    """A measure of a result, and the best value among the team's scored submissions."""

    measure: ShownMeasure
    value: float | int | None
    best: float | int | None
    is_best: bool
    """It is better than another submission of the team, and not at the worst end of the measure."""


@dataclass(frozen=True, slots=True)
class Family:
    title: str
    rows: tuple[Row, ...]


def _measures(
    submission: Submission, visible: feedback.Visible | None, viewer: Person, now: datetime
) -> dict[str, Any]:
    """The rows of a scored anonymization, or of an estimate; empty for other results."""
    values = visible.values if visible else None
    if submission.target_id is not None or not values:
        return {}
    same = selectors.submissions_of_team(submission.team, submission.round)
    others = {
        line.submission.number: line.visible.values
        for line in lines(list(same), viewer, now, [])
        if line.submission.pk != submission.pk and line.visible and line.visible.values
    }
    ruleset = submission.round.contest.ruleset
    ids = visible_measures(submission.round.contest, viewer)
    if submission.round.format.tells_of_table:
        return {"families": families(ruleset, ids, values, list(others.values()))}
    drawing = [id_ for id_ in finals.drawing_measures(ruleset) if id_ in ids]
    return {
        "utility": ruleset.ranking.utility_in(values),
        "utility_formula": utility_formula(ruleset.ranking),
        "families": families(ruleset, ids, values, list(others.values())),
        "drawing": listed(drawing),
        "is_final": bool(drawing) and finals.are_final(submission.round, now),
        "n_others": len(others),
        "parts": of_parts(ruleset, ids, values),
        "sizes": {name: values.get(name) for name in COUNTED},
        "n_copies": _n_copies(ruleset, ids, values),
    }


def _n_copies(ruleset: Ruleset, ids: Iterable[str], values: Values) -> int | None:
    """The records that are as they were, by the first measure that counts them; None without one."""
    shares = (values.get(id_) for id_ in ids if ruleset.measure(id_).finds_copies)
    share, n_records = next(shares, None), values.get("n_anonymized")
    return None if share is None or n_records is None else round(share * n_records)


def families(
    ruleset: Ruleset, ids: Iterable[str], values: Values, others: Sequence[Values]
) -> list[Family]:
    """The measures by family, in the order of the families' texts."""
    titles = format_of(ruleset).rules.SHORT_FAMILIES
    rows = [_row(shown_measure(ruleset.measure(id_)), values, others) for id_ in ids]
    grouped = {f: tuple(row for row in rows if row.measure.family == f) for f in titles}
    return [Family(str(titles[f]), found) for f, found in grouped.items() if found]


def _row(measure: ShownMeasure, values: Values, others: Sequence[Values]) -> Row:
    value, rest = values.get(measure.id), [v.get(measure.id) for v in others]
    best = measure.best_of((value, *rest))
    is_better = any(other is not None and other != value for other in rest)
    is_best = value is not None and value == best and is_better and not measure.of.is_worst(value)
    return Row(measure, value, best, is_best)
