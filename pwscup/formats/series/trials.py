# SPDX-License-Identifier: Apache-2.0
"""Trials on series of tables: the library's methods of publication, and its attackers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from pwscup.contests.selectors import dataset_of, shown_schema
from pwscup.core.files import storage
from pwscup.formats.common.bots import guess_file
from pwscup.formats.trying import Tried
from scoring.formats.sequential import series_files
from scoring.formats.sequential.background import read_background, read_published
from scoring.formats.sequential.bundles import pack_for_people
from scoring.formats.sequential.files import identifier_of
from scoring.formats.sequential.guess_files import write_value_guess
from scoring.formats.sequential.guesses import (
    GUESSERS,
    baseline_guesses,
    mark_values,
    true_values,
    values_of,
)
from scoring.formats.sequential.publishing import Options, publish
from scoring.formats.sequential.scores import score_series
from scoring.formats.sequential.series import handed_in, of_publication

if TYPE_CHECKING:
    from pwscup.formats.trying import Attempt
    from scoring.formats.sequential.publishing import Method
    from scoring.formats.sequential.series import Series
    from scoring.formats.sequential.tables import Microdata

N_SHOWN = 10


def of_series(attempt: Attempt) -> Tried:
    """A release of each of the team's tables."""
    dataset, step = attempt.anonymized, attempt.steps[-1]
    spec = attempt.round.contest.ruleset.sequential
    if spec is None or dataset.public is None:
        raise LookupError(f"dataset {dataset.pk} is no series of a team")
    original = series_files.read_tables(storage.read(dataset.public), dataset.schema)
    options = Options(int(step.values["m"]), cast("Method", step.method))
    name = identifier_of(dataset.schema)
    data = pack_for_people(handed_in(of_publication(publish(original, options)), name))
    # As it is read when it is submitted, and refused for the same reasons.
    found = series_files.read_series(
        data, original, name, m=spec.m, require=spec.require, limits=spec.limits
    )
    values = score_series(
        original,
        found,
        measures=list(attempt.measures),
        seed=step.seed,
        m=spec.m,
        definition=spec.definition,
    )
    facts = {"n_people": len(original.ids), "n_releases": len(found.releases)}
    return Tried(
        {"series": ("series.zip", data)}, values, facts | strongest(original, found, spec.m)
    )


def strongest(original: Microdata, found: Series, m: int) -> dict[str, Any]:
    """The attacker with the highest rate on the team's own releases."""
    values = true_values(original)
    baseline = values_of(baseline_guesses(original, found.releases), original)
    rates = {
        name: mark_values(
            values, baseline, values_of(guess(original, found.releases), original), m=m
        ).rate
        for name, guess in GUESSERS.items()
    }
    best = max(reversed(rates), key=lambda name: rates[name])  # the baseline last: its rate is 0
    n = len(values)
    return {"attack": {"id": best, "rate": rates[best], "n_attackers": len(rates), "n_attacked": n}}


def of_values(attempt: Attempt) -> Tried:
    """A guess of the value of everybody in the background of a release."""
    release = attempt.attacked
    if release.candidates is None:
        raise LookupError("a release without a background table")
    schema = shown_schema(dataset_of(attempt.round.contest))
    people = read_background(storage.read(release.candidates), schema)
    seen = read_published(storage.read(release.table), people)
    guesses = GUESSERS[attempt.steps[-1].method](seen.people, seen.releases)
    values = values_of(guesses, seen.people)
    facts = {
        "n_lines": len(seen.people.ids),
        "n_guessed": sum(1 for value in values.values() if value),
        "n_different": len({value for value in values.values() if value}),
        "guesses": [{"id": id_, "value": value} for id_, value in list(values.items())[:N_SHOWN]],
    }
    return Tried(guess_file(release, write_value_guess(values)), facts=facts)
