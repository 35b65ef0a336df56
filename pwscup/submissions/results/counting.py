# SPDX-License-Identifier: Apache-2.0
"""Results of submissions as plain values, for boards: without an object for every rate.

The rules are those of `selectors`: the newest effective evaluation of a submission counts, and submissions
withdrawn by an organizer or rejected by a re-scoring are excluded.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import BigIntegerField, Count, F, Max, QuerySet, Sum, TextField
from django.db.models.functions import Cast

from pwscup.contests.models import Contest, Round
from pwscup.core.db.recent import Recent
from pwscup.submissions import policies
from pwscup.submissions.models import Choice, Release, Rescore, Ruling, Submission
from pwscup.submissions.results import finals
from pwscup.submissions.selectors import as_of
from pwscup.submissions.states import State

Values = Mapping[str, float | None]
Pair = tuple[int, int]
"""The teams of an attacker and of a defender."""
AS_TEXT = Cast("evaluations__values", TextField())
FINAL = "evaluations__final_values"
N_GUESSED = "n_guessed"
"""The value of an attack that names a number of records of its own."""
"""Stored text: only values that count are decoded."""


@dataclass(frozen=True, slots=True)
class Result:
    """An effective submission: its team, its time of arrival, and its effective evaluation."""

    submission: int
    team: int
    arrived_at: datetime
    values: Values | None


def standing_rows(
    contest: Contest, submissions: QuerySet[Submission], before: datetime | None, *columns: str
) -> Iterator[tuple[Any, ...]]:
    """Key, values as JSON (None without an evaluation) and columns of the effective submissions, the oldest first.

    With `before`, the state at that time.
    """
    withdrawn = _withdrawn(contest, before)
    rows = _accepted_rows(submissions, before, _applied(contest, before), *columns)
    return (row for row in rows if row[0] not in withdrawn)


def _accepted_rows(
    submissions: QuerySet[Submission],
    before: datetime | None,
    applied: Container[int],
    *columns: str,
) -> Iterator[tuple[Any, ...]]:
    """The same, withdrawn or not, with these re-scorings applied."""
    scored = as_of(submissions.filter(state=State.SCORED), "arrived_at", before)
    rows = scored.order_by("arrived_at", "pk", "evaluations__pk").values_list(
        "pk", "evaluations__pk", "evaluations__rescore", AS_TEXT, *columns
    )
    newest: dict[int, tuple[Any, ...]] = {}
    for pk, evaluation, rescore, text, *others in rows:
        if evaluation is not None and (rescore is None or rescore in applied):
            newest[pk] = (text is not None, pk, text, *others)
        elif pk not in newest:
            newest[pk] = (True, pk, None, *others)
    return (row[1:] for row in newest.values() if row[0])


def accepted_values(contest: Contest, submissions: QuerySet[Submission]) -> dict[int, Values]:
    """The values of the effective submissions by key, also of those withdrawn by an organizer."""
    rows = list(_accepted_rows(submissions, None, _applied(contest, None)))
    values = _decoded_at_once(text for _, text in rows)
    return {pk: of for (pk, _), of in zip(rows, values, strict=True) if of is not None}


def _withdrawn(contest: Contest, before: datetime | None) -> set[int]:
    """The submissions withdrawn by an organizer, according to the newest ruling about each."""
    rulings = Ruling.objects.filter(team__contest=contest, submission__isnull=False)
    newest = as_of(rulings, "decided_at", before).order_by("pk").values_list("submission", "kind")
    return {pk for pk, kind in dict(newest).items() if kind == Ruling.Kind.WITHDRAWN}


def _applied(contest: Contest, before: datetime | None) -> set[int]:
    """The re-scorings whose evaluations are effective."""
    applied = Rescore.objects.filter(contest=contest, state=Rescore.State.APPLIED)
    return set(as_of(applied, "decided_at", before).values_list("pk", flat=True))


def newest_results(
    contest: Contest, submissions: QuerySet[Submission], final_rounds: Container[int], *columns: Any
) -> dict[int, tuple[tuple[Any, ...], float | None, Values]]:
    """By key the columns of these submissions, and seconds and values of the newest effective evaluation.

    For `final_rounds` the final values. Without an evaluation there are no seconds and no values.
    """
    applied = _applied(contest, None)
    made = ("rescore", "seconds")
    columns = ("pk", *(f"evaluations__{name}" for name in made), AS_TEXT, FINAL, "round", *columns)
    newest: dict[int, tuple[Any, ...]] = {}
    for pk, rescore, *row in submissions.order_by("evaluations__pk").values_list(*columns):
        if rescore is None or rescore in applied:
            newest[pk] = tuple(row)
        elif pk not in newest:
            newest[pk] = (None, None, None, *row[3:])
    values = _decoded_at_once([text for _, text, *_ in newest.values()])
    return {
        pk: (
            tuple(others),
            seconds,
            finals.combined(of, final, is_final=round in final_rounds) or {},
        )
        for (pk, (seconds, _, final, round, *others)), of in zip(
            newest.items(), values, strict=True
        )
    }


def _decoded_at_once(texts: Iterable[str | None]) -> list[Values | None]:
    """The values of many rows: decoding one joined text takes half the time."""
    return json.loads(f"[{','.join([text or 'null' for text in texts])}]")


def decoded(text: str | None) -> Values | None:
    """The values of a row."""
    return None if text is None else json.loads(text)


# What counts


def counted_results(
    round: Round, before: datetime | None = None, *, is_final: bool = False
) -> dict[int, Result]:
    """The counting result of each team, as in `selectors.counted_submissions`; for `is_final` see `finals`."""
    rows = list(
        standing_rows(
            round.contest,
            Submission.objects.filter(round=round),
            before,
            "team",
            "arrived_at",
            FINAL,
        )
    )
    counted = {team: pk for pk, _, team, _, _ in rows}
    if policies.counts_by_choice(round):
        known = {row[0] for row in rows}
        choices = as_of(Choice.objects.filter(round=round), "chosen_at", before)
        chosen = choices.order_by("pk").values_list("team", "submission")
        counted |= {team: pk for team, pk in chosen if pk in known}
    counting = set(counted.values())
    return {
        team: Result(pk, team, at, finals.combined(decoded(text), final, is_final=is_final))
        for pk, text, team, at, final in rows
        if pk in counting
    }


def released_results(
    attack: Round, before: datetime | None = None, *, is_final: bool = False
) -> dict[int, Result] | None:
    """The submissions that were published for attacks, by team, except those withdrawn later; None if nothing
    is published yet."""
    found = as_of(Release.objects.filter(round=attack), "created_at", before)
    released = {pk: team for team, pk in found.values_list("team", "submission")}
    if not released:
        return None
    submissions = Submission.objects.filter(releases__round=attack)
    rows = standing_rows(attack.contest, submissions, before, "arrived_at", FINAL)
    return {
        released[pk]: Result(
            pk, released[pk], at, finals.combined(decoded(text), final, is_final=is_final)
        )
        for pk, text, at, final in rows
        if pk in released
    }


# Guesses


@dataclass(frozen=True, slots=True)
class Guesses:
    """The scored guesses of a round by key, the oldest first: attacker, defender and rate; and the counting
    rates as long as none is withdrawn."""

    made: Mapping[int, tuple[Pair, float | None]]
    rates: Mapping[Pair, float]
    sizes: Mapping[int, int]
    """By key the number of records that a guess names, if its evaluation says it."""


_GUESSES: Recent[Guesses] = Recent(20, most_weight=120_000)
"""A cache by source: the facts of a round after its attacks hardly change. 200 teams take 10 MB."""


def counted_rates(attack: Round, before: datetime | None = None) -> Mapping[Pair, float]:
    """The rate of the last scored guess of each attacker against each defender, by team."""
    guesses = _guesses(attack, before)
    withdrawn = {pk for pk in _withdrawn(attack.contest, before) if pk in guesses.made}
    if not withdrawn:
        return guesses.rates
    return _last_rates(found for pk, found in guesses.made.items() if pk not in withdrawn)


def counted_sizes(attack: Round, before: datetime | None = None) -> dict[Pair, int]:
    """The number of records that the counting guess of an attacker against a defender names, if it is known."""
    guesses = _guesses(attack, before)
    withdrawn = _withdrawn(attack.contest, before)
    last = {pair: pk for pk, (pair, _) in guesses.made.items() if pk not in withdrawn}
    return {pair: guesses.sizes[pk] for pair, pk in last.items() if pk in guesses.sizes}


def _last_rates(guesses: Iterable[tuple[Pair, float | None]]) -> dict[Pair, float]:
    return {pair: rate for pair, rate in dict(guesses).items() if rate is not None}


def _guesses(attack: Round, before: datetime | None) -> Guesses:
    """The guesses of a round, read again only after a new score or an applied re-scoring."""
    applied = frozenset(_applied(attack.contest, before))
    scored = Submission.objects.filter(round=attack, target__isnull=False, state=State.SCORED)
    total = Sum("pk", output_field=BigIntegerField())  # PostgreSQL sums keys to decimals
    facts = scored.aggregate(Count("pk"), Max("pk"), Max("evaluations__pk"), total=total)
    name = (attack.pk, before, applied, *facts.values())
    found = _GUESSES.get(name)
    if found is None:
        found = _read_guesses(attack, before, applied)
        _GUESSES.put(name, found, weight=len(found.made))
    return found


def _read_guesses(attack: Round, before: datetime | None, applied: Container[int]) -> Guesses:
    guesses = Submission.objects.filter(round=attack, target__isnull=False)
    guesses = guesses.annotate(defender=F("target__team"))
    rows = list(_accepted_rows(guesses, before, applied, "team", "defender"))
    values = _decoded_at_once(text for _, text, *_ in rows)
    made = {
        pk: ((attacker, defender), None if of is None else of.get("rate"))
        for (pk, _, attacker, defender), of in zip(rows, values, strict=True)
    }
    sizes = {
        row[0]: int(n)
        for row, of in zip(rows, values, strict=True)
        if of is not None and (n := of.get(N_GUESSED)) is not None
    }
    return Guesses(made, _last_rates(made.values()), sizes)
