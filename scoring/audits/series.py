# SPDX-License-Identifier: Apache-2.0
"""Audit of a series of releases: its risks, its costs, and the hits of attackers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.audits.effort import Plan, plan
from scoring.errors import ProblemsFound
from scoring.formats.sequential.checking import check
from scoring.formats.sequential.guesses import (
    GUESSERS,
    mark_values,
    true_values,
    values_of,
)
from scoring.formats.sequential.last import Information, extra_information
from scoring.formats.sequential.last_read import check_last
from scoring.formats.sequential.loss import Loss, losses_of_series
from scoring.formats.sequential.risk import Definition, Risks, identification_risks, pinned_by
from scoring.formats.sequential.scored import SEED, as_published, heeding, stood_in
from scoring.formats.sequential.series import Series
from scoring.formats.sequential.tables import Microdata
from scoring.reporting.intervals import Rate

Progress = Callable[[int, int, str], None]

MOST_LISTED = 20
"""People of the largest risks that are named."""


@dataclass(frozen=True, slots=True)
class DefinitionFinding:
    """DefinitionFinding: the risks under one definition.

    Attributes
    ----------
    definition : Definition
    history : tuple of Risks
        After each release, or only after the last one if more would take too long; empty if even that would. Every
        published person has a risk: if no possible world is found, the risk by row counting is used, and a person
        without a row has risk 0.
    n_without : int
        Number of people for whom no possible world, or with row counting no row, was found after the last release.
    """

    definition: Definition
    history: tuple[Risks, ...]
    n_without: int

    @property
    def last(self) -> Risks | None:
        """The risks after the last release."""
        return self.history[-1] if self.history else None


@dataclass(frozen=True, slots=True)
class AttackerFinding:
    """AttackerFinding: the hits of one attacker.

    Attributes
    ----------
    name : str
    n_guessed : int
        People about whom a guess was made.
    found : Rate
        Right guesses out of all people, with a Wilson interval.
    rate : float
        Its rate in a contest: the hit rate above the baseline, at least 0.
    """

    name: str
    n_guessed: int
    found: Rate
    rate: float


@dataclass(frozen=True, slots=True)
class SeriesAudit:
    """SeriesAudit: the results of all definitions and attackers on one series.

    Attributes
    ----------
    original : Microdata
        The tables in full.
    series : Series
    m : int
    definition : Definition
        The one that the contest chose, which the list of people is about; row counting where it is not found.
    is_m_invariant : bool
        As far as files show; see `scoring.formats.sequential.checking`.
    findings : tuple of DefinitionFinding
        Those that can be computed, row counting first.
    losses : tuple of Loss
        By release.
    information : Information
        The information published in addition to the generalized tables.
    attackers : tuple of AttackerFinding
        In the order of `GUESSERS`.
    seed : int
        Seed of the possible worlds.
    """

    original: Microdata
    series: Series
    m: int
    definition: Definition
    is_m_invariant: bool
    findings: tuple[DefinitionFinding, ...]
    losses: tuple[Loss, ...]
    information: Information
    attackers: tuple[AttackerFinding, ...]
    seed: int

    @property
    def n_people(self) -> int:
        return len(self.original.ids)

    @property
    def chosen(self) -> DefinitionFinding:
        """The finding under `definition`."""
        return next(f for f in self.findings if f.definition is self.definition)

    @property
    def n_releases(self) -> int:
        return len(self.series.releases)

    @property
    def pins(self) -> list[list[int]]:
        """For each person the releases, from 1, that raised its risk; empty where only the last was looked at."""
        history = self.chosen.history
        if len(history) < self.n_releases:
            return [[] for _ in self.original.ids]
        return pinned_by(history)

    def most_at_risk(self, most: int = MOST_LISTED) -> list[int]:
        """Positions of the people with the largest risks under `definition`, the largest first."""
        risks = self.chosen.history[-1]
        order = np.lexsort([-np.nan_to_num(risks.low), -np.nan_to_num(risks.values, nan=-1)])
        return [int(i) for i in order[:most] if not np.isnan(risks.values[i])]


def audit_series(
    original: Microdata,
    series: Series,
    *,
    m: int,
    definition: str,
    seed: int = SEED,
    progress: Progress | None = None,
) -> SeriesAudit:
    """Find the risks of a series under every definition that can be computed, and attack it.

    Possible worlds with known counterfeits need a series that publishes their numbers; those with known m-invariance
    need an m-invariant series, or a contest with that definition.

    The numbers depend on the tables, the series and the seed only. Under the contest's definition they are those of
    the measures `series-risk-max`, `series-risk-mean` and `series-risk-share` by the same seed, unless there are so
    many records that fewer possible worlds are sampled; see `scoring.audits.effort`.

    Parameters
    ----------
    original : Microdata
        The tables in full.
    series : Series
        As `read_series` gives it.
    m : int
    definition : {"counting", "worlds", "worlds-counterfeit-known", "m-invariance"}
        The contest's.
    seed : int
        Seed of the possible worlds, used again under each definition and after each release.
    progress : callable, optional
        Called before each step with the number of steps done, of all steps, and the step's name.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import SMALL
    >>> from scoring.formats.sequential.publishing import Options, publish
    >>> from scoring.formats.sequential.series import of_publication
    >>> series = of_publication(publish(SMALL, Options(m=2)))
    >>> found = audit_series(SMALL, series, m=2, definition="counting")
    >>> [(str(f.definition), round(f.last.max, 3)) for f in found.findings]
    [('counting', 0.667), ('worlds', 0.6), ('worlds-counterfeit-known', 0.667), ('m-invariance', 0.5)]
    >>> found.attackers[1].found.hits, found.attackers[0].found.hits
    (4, 3)
    """
    n = len(series.releases)
    steps = _steps(n, progress)
    next(steps)
    is_m_invariant = check(
        series.microdata, series.releases, m, tampered=series.tampered
    ).is_m_invariant
    attackers = tuple(_attackers(original, series, m, steps))
    findings = []
    for wanted in Definition:
        may_be_found = {
            Definition.COUNTERFEIT_KNOWN: series.knows_counterfeits,
            Definition.LAST: _has_last(series),
            Definition.M_INVARIANCE: is_m_invariant or definition == Definition.M_INVARIANCE,
        }.get(wanted, True)
        if may_be_found:
            findings.append(_finding(series, wanted, seed, steps))
        else:
            for _time in range(n):
                next(steps)
    return SeriesAudit(
        original=original,
        series=series,
        m=m,
        definition=_chosen(heeding(Definition(definition), series), findings),
        is_m_invariant=bool(is_m_invariant),
        findings=tuple(findings),
        losses=tuple(losses_of_series(original, series)),
        information=extra_information(series.releases, series.tampered),
        attackers=attackers,
        seed=seed,
    )


def _has_last(series: Series) -> bool:
    """True if a column `last` names groups of the release before."""
    try:
        check_last(series.releases)
    except ProblemsFound:
        return False
    return any(release.last is not None for release in series.releases)


def _steps(n_releases: int, progress: Progress | None) -> Iterator[None]:
    """Report the next step at each call."""
    risks = [f"{definition} {n}" for definition in Definition for n in range(1, n_releases + 1)]
    names = ["check", *GUESSERS, *risks]
    for done, name in enumerate(names):
        if progress is not None:
            progress(done, len(names), name)
        yield


def _attackers(
    original: Microdata, series: Series, m: int, steps: Iterator[None]
) -> Iterator[AttackerFinding]:
    truth = true_values(original)
    guesses = {}
    for name, attack in GUESSERS.items():
        next(steps)
        guesses[name] = values_of(attack(original, series.releases), original)
        mark = mark_values(truth, guesses["baseline"], guesses[name], m=m)
        found = Rate.of(mark.hits, mark.n_records)
        yield AttackerFinding(name, len(guesses[name]), found, mark.rate)


def _finding(
    series: Series, definition: Definition, seed: int, steps: Iterator[None]
) -> DefinitionFinding:
    releases = as_published(series, definition)
    history, n_without = [], 0
    planned: Plan | None = None
    for n in range(1, len(releases) + 1):
        next(steps)
        if planned is None:  # it takes long enough to be reported
            planned = plan(series.microdata, releases, definition)
        is_last = n == len(releases)
        if planned.effort is None or not (is_last or planned.is_over_time):
            continue
        found = identification_risks(
            series.microdata,
            releases[:n],
            definition,
            rng=np.random.default_rng(seed),
            n_samples=planned.effort.n_samples,
            most_entities=planned.effort.most_entities,
        )
        risks = stood_in(found, series, n)
        history.append(risks)
        n_without = int((np.isnan(found.values) & ~np.isnan(risks.values)).sum())
    return DefinitionFinding(definition, tuple(history), n_without)


def _chosen(definition: Definition, findings: Sequence[DefinitionFinding]) -> Definition:
    """The contest's definition; where nothing was found under it, row counting."""
    found = {finding.definition for finding in findings if finding.history}
    return definition if definition in found else Definition.COUNTING
