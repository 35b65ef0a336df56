# SPDX-License-Identifier: Apache-2.0
"""Measures of a series of releases: its utility, and its disclosure risk. Each is a function of a `Scored`."""

from __future__ import annotations

import numpy as np

from scoring.formats.sequential.loss import as_read, displaced_tuples, ranges_of, widest
from scoring.formats.sequential.queries import SANITY, Answers, count, queries
from scoring.formats.sequential.scored import Scored, is_above
from scoring.formats.sequential.tables import Release


def extent(scored: Scored) -> float:
    """Mean width of the regions of tuples, as a share of each attribute's range.

    The range is the largest less the smallest value in all tables; of categories, their list. A region is as wide as
    the mean of its shares, each at most 1; one that a notice names has 1, because anyone may be in its group. A release
    does not contain the owners of its rows, so the widest rows count, as many as tuples are published in it: no
    counterfeit makes the mean smaller. A tuple that is left out has 1.

    Returns
    -------
    float
        0 if all values are published unchanged, 1 if nothing is disclosed about them, or nobody is published.

    Notes
    -----
    Where nobody is left out, without notices and counterfeits, the extent that `sequential publish` prints, if no
    region leaves the range.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import scored
    >>> round(extent(scored()), 6)
    0.437363
    """
    ranges = ranges_of(scored.original)
    total = float(scored.n_tuples - scored.n_published)
    for release, snapshot in zip(_read(scored), scored.series.microdata.snapshots, strict=True):
        total += float(widest(release, len(snapshot.ids), ranges).sum())
    return total / scored.n_tuples


def discernibility(scored: Scored) -> float:
    """The mean share of rows that are indistinguishable from a row, over all releases.

    The sum of the squared sizes of groups, and of the table's size for each tuple that is left out, divided by
    the squared size of the table; at most 1.

    Returns
    -------
    float
        About 0 where groups are small, 1 where there is one group, or nobody is published.

    Notes
    -----
    The discernibility metric of Bayardo & Agrawal, “Data privacy through optimal k-anonymization”, section on cost
    metrics.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import scored
    >>> round(discernibility(scored()), 6)
    0.694444
    """
    shares = []
    for release, snapshot, full in zip(
        scored.series.releases,
        scored.series.microdata.snapshots,
        scored.original.snapshots,
        strict=True,
    ):
        n = len(full.ids)
        _numbers, sizes = np.unique(release.group, return_counts=True)
        cost = int((sizes**2).sum()) + (n - len(snapshot.ids)) * n
        shares.append(min(1.0, cost / n**2))
    return float(np.mean(shares))


def query_error(scored: Scored) -> float:
    """Mean relative error of 1,000 random COUNT queries when they are put to the releases instead of the tables.

    A query asks for how many tuples of one time lie in an interval of each quasi-identifier and have one of some
    sensitive values. In a release, rows are spread evenly over their regions, those of groups in a notice over all
    values. If the number of counterfeits of a group is published, its rows count correspondingly less; but groups of
    only counterfeits, which would hide people without cost, count in full. The error is \\|estimate - count\\| /
    max(count, 0.001 n, 1) for a table of n tuples, those that are left out among them.

    Returns
    -------
    float
        0 where every answer is kept, about 1 where counts vanish.

    Notes
    -----
    The queries are like those of Xiao & Tao, “m-Invariance: towards privacy preserving re-publication of dynamic
    datasets”, section on experiments, with a fixed expected selectivity of 0.05, and drawn around tuples, so
    that no count is 0. There the median counts; here the mean, for which every query matters, with the bound for
    small counts of `range-queries`. They depend on the tables and on `seed` only.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import scored
    >>> 0 < query_error(scored()) < 2
    True
    """
    answers = [Answers.of(release, scored.original) for release in _read(scored)]
    errors = []
    for query in queries(scored.original, scored.seed):
        snapshot = scored.original.snapshots[query.time]
        n = count(query, snapshot)
        bound = max(1.0, SANITY * len(snapshot.ids), n)
        errors.append(abs(answers[query.time].estimate(query) - n) / bound)
    return float(np.mean(errors))


def counterfeits(scored: Scored) -> float:
    """Counterfeits of all releases for each tuple of all tables.

    Returns
    -------
    float
        From 0; 1 where there are as many counterfeits as tuples.

    Notes
    -----
    Counterfeits are the rows that the published tuples leave over.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import scored
    >>> round(counterfeits(scored()), 6)
    0.142857
    """
    return (scored.n_rows - scored.n_published) / scored.n_tuples


def deletions(scored: Scored) -> float:
    """The share of the tuples of all tables that are not published.

    Returns
    -------
    float
        From 0 to 1.

    Notes
    -----
    A tuple left out of a release is left out of all later ones, and counts in each.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import scored
    >>> deletions(scored())
    0.0
    """
    return 1 - scored.n_published / scored.n_tuples


def displaced(scored: Scored) -> float:
    """The share of published tuples that are outside of their region.

    In each release, those that a largest matching leaves without a row of their value in whose region, as it is
    published, they lie. So it does not depend on whose the rows are; a publisher who knows may count more.

    Returns
    -------
    float
        From 0 to 1; 0 where no notice of tampering is published.

    Notes
    -----
    Regions are cut by the method `improved` of `sequential publish`.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import scored
    >>> displaced(scored())
    0.0
    """
    n = sum(displaced_tuples(scored.series))
    return n / scored.n_published if n else 0.0


def risk_max(scored: Scored) -> float:
    """The largest risk of a published person: the attacker's certainty of its sensitive value.

    The attacker has all published files, and knows the quasi-identifiers and the lifespan of every person. The contest
    chooses the definition of risk. With possible worlds the attacker reads the notices: regions of groups that they
    name may contain anyone. A person whose true value is ruled out, or who is left without a row, has risk 0. If no
    possible world is found, row counting is used. If there are too many possible worlds, they are sampled with `seed`.

    Returns
    -------
    float
        From 0 to 1, where the value of some person is certain; 0 if nobody is published.

    Notes
    -----
    Zhang, Kamidoi & Wakabayashi, on safer generalization by m-invariance for sequential release, section 4.2.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import scored
    >>> round(risk_max(scored()), 6)
    0.666667
    """
    risks, _low = scored.risks
    return float(risks.max(initial=0.0))


def risk_mean(scored: Scored) -> float:
    """The mean risk of the published people: the share of values that a guess by these chances finds.

    Returns
    -------
    float
        From 0 to 1; 0 where nobody is published.

    Notes
    -----
    Risks are those of `series-risk-max`.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import scored
    >>> 0 < risk_mean(scored()) < risk_max(scored())
    True
    """
    risks, _low = scored.risks
    return float(risks.mean()) if len(risks) else 0.0


def risk_share(scored: Scored) -> float:
    """The share of the published people with a risk above 1/m.

    A sampled risk is above 1/m if its whole 95 % interval is.

    Returns
    -------
    float
        From 0 to 1; 0 where nobody is published.

    Notes
    -----
    Risks are those of `series-risk-max`; m is the contest's.

    Examples
    --------
    >>> from scoring.formats.sequential.examples import scored
    >>> risk_share(scored())
    0.2
    """
    _risks, low = scored.risks
    return float(is_above(low, scored.m).mean()) if len(low) else 0.0


def _read(scored: Scored) -> list[Release]:
    """The releases as their readers may take them, who read the notices."""
    return [
        as_read(release, groups, scored.original)
        for release, groups in zip(scored.series.releases, scored.series.tampered, strict=True)
    ]
