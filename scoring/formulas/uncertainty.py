# SPDX-License-Identifier: Apache-2.0
"""Intervals of totals and of ranks: how far the records of a contest order its teams.

The records of a table are a sample of those that could have been asked about. All attackers of a table are compared on
the same records, so their rates are paired: correlated as the records are that they found. Utility, presentation,
measures and penalties are taken as exact.

Draws are plausible true rates. Of one rate they are spread as Wilson's score interval of every level, and those of
several attackers of a table have the correlation of their hits: the Gaussian limit of the paired bootstrap over
records, computed from the counts of records that each two attackers found. The order of records does not matter.

The highest of several rates is too high on average. Its draws are corrected as by Chernozhukov, Lee & Rosen,
“Intersection bounds: estimation and inference”: the lower end is simultaneous over all attackers that could be the
strongest one, the upper end is that of the strongest one found.

Ranks are compared by the differences of totals, simultaneously over all rivals of a team and in steps, as in Mogstad,
Romano, Shaikh & Wilhelm, “Inference for Ranks with Applications to Mobility across Neighborhoods and Academic
Achievement across Countries”.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from scoring.questions.bitmaps import unpacked
from scoring.scores.options import DECIMALS

K = TypeVar("K", bound=Hashable)
Floats = npt.NDArray[np.floating[Any]]

N_DRAWS = (400, 1000)
"""Draws of large contests, and of small ones."""
LEVEL = 0.95
GAP = 1.0
"""Standard errors by which an attacker may be weaker than the strongest one, and still is taken for equally strong."""
_SEED = 2015
_TINY = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Found(Generic[K]):
    """The `n` records of a table, and how many of them each two of its attackers found; see `found_of`.

    Attackers that are not among them were asked about as many records, and are taken as independent.
    """

    n: int
    attackers: tuple[K, ...] = ()
    together: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 0), np.int64))


def found_of(bitmaps: Mapping[K, bytes]) -> Found[K]:
    """The counts of a table from the bitmaps of its attackers; those of another length than the most are left out.

    Examples
    --------
    >>> from scoring.questions.bitmaps import packed
    >>> found = found_of({"a": packed(np.array([1, 1, 0])), "b": packed(np.array([0, 1, 0]))})
    >>> found.n, found.together.tolist()
    (3, [[2, 1], [1, 1]])
    """
    lengths = [int.from_bytes(bitmap[:4], "big") for bitmap in bitmaps.values()]
    n = max(sorted(set(lengths)), key=lengths.count, default=0)
    kept = {
        a: bits for (a, bits), length in zip(bitmaps.items(), lengths, strict=True) if length == n
    }
    if not n:
        return Found(0)
    with threadpool_limits(limits=1):  # whole numbers: the same in any order
        hits = np.array([unpacked(bitmap) for bitmap in kept.values()], dtype=np.float32)
        return Found(n, tuple(kept), (hits @ hits.T).astype(np.int64))


@dataclass(frozen=True, slots=True)
class Place:
    """The intervals of a team on a board.

    `rival` is the next better rank, or the second one where the team is first; None for the only team. `separable` is
    true if the team differs from all of that rank. `shared` is the rank of teams that are not separable from the best
    of them.
    """

    total_low: float
    total_high: float
    rank_low: int
    rank_high: int
    separable: bool | None
    rival: int | None
    shared: int


def wilson(rate: Floats, n: Floats, y: Floats) -> Floats:
    """The end of Wilson's score interval at `y` standard deviations; see `scoring.reporting.intervals.wilson`."""
    half = y**2 / (2 * n)
    spread = y * np.sqrt(np.maximum(rate * (1 - rate), 0) / n + half / (2 * n))
    return np.asarray((rate + half + spread) / (1 + 2 * half))


class Draws(Generic[K]):
    """Draws of the true rates of a contest.

    Parameters
    ----------
    teams
        Those whose tables may be attacked.
    attackers
        All that attack, the teams among them.
    rates : mapping of (attacker, defender) to rate
        From 0 to 1; without own tables.
    found : mapping of defender to Found
        A table without it, or with no records, has exact rates.

    Attributes
    ----------
    teams, attackers : dict of key to position
        In an order that does not depend on that of the parameters.
    rates : n_attackers × n_teams
        NaN where there is none.
    errors : n_attackers × n_teams
        Their standard errors.
    noise : n_teams × n_draws × n_attackers
        Standard normal, correlated within each table, independent between tables; the second half of the draws is the
        negative of the first.
    high, low : n_draws × n_teams
        The rate of the strongest attacker of each table, uncorrected, and corrected for being the highest of several.
    """

    def __init__(
        self,
        teams: Sequence[K],
        attackers: Sequence[K],
        rates: Mapping[tuple[K, K], float],
        found: Mapping[K, Found[K]],
    ) -> None:
        self.teams = {team: i for i, team in enumerate(sorted(teams, key=repr))}
        self.attackers = {a: i for i, a in enumerate(sorted({*teams, *attackers}, key=repr))}
        shape = len(self.attackers), len(self.teams)
        self.rates = np.full(shape, np.nan)
        for (attacker, defender), rate in rates.items():
            if attacker in self.attackers and defender in self.teams and attacker != defender:
                self.rates[self.attackers[attacker], self.teams[defender]] = rate
        self.n = np.array([found[t].n if t in found else 0 for t in self.teams], dtype=float)
        self.shares, self.slopes = self.rates.copy(), np.ones(shape)
        self.errors = np.zeros(shape)
        self.n_draws = int(np.clip(2_000_000 // max(self.rates.size, 1), *N_DRAWS))
        self.noise = np.zeros((len(self.teams), self.n_draws, shape[0]), dtype=np.float32)
        self.high = np.zeros((self.n_draws, len(self.teams)))
        self.low = self.high.copy()
        with threadpool_limits(limits=1):  # the matrices are small
            for team, t in self.teams.items():
                self._draw(t, found[team] if self.n[t] else Found(0))

    def _draw(self, t: int, found: Found[K]) -> None:
        """The noise of a table, and the rate of its strongest attacker."""
        present = np.flatnonzero(~np.isnan(self.rates[:, t]))
        if not len(present):
            return
        if not found.n:
            self.high[:, t] = self.low[:, t] = self.rates[present, t].max()
            return
        correlation = self._correlation(t, found)[np.ix_(present, present)]
        random = np.random.default_rng((_SEED, t))
        half = random.standard_normal(((self.n_draws + 1) // 2, len(present)), dtype=np.float32)
        half /= np.sqrt((half**2).mean(axis=0))
        half = half @ np.linalg.cholesky(correlation).T.astype(np.float32)
        noise = np.concatenate([half, -half])[: self.n_draws]
        self.noise[t][:, present] = noise
        rates, errors = self.rates[present, t], self.errors[present, t]
        best = int(np.argmax(rates))
        covariance = correlation[best] * errors * errors[best]
        apart = np.sqrt(np.maximum(errors**2 + errors[best] ** 2 - 2 * covariance, _TINY**2))
        behind = np.maximum((rates[best] - rates) / apart - GAP, 0)
        self.high[:, t] = self.at(noise[:, best], present[best], t)
        self.low[:, t] = self.at((noise + behind).min(axis=1), present[best], t)

    def _correlation(self, t: int, found: Found[K]) -> Floats:
        """The correlation of the hits of all attackers of a table, after their shares of hits and their errors."""
        known = [k for k, a in enumerate(found.attackers) if a in self.attackers]
        rows = [self.attackers[found.attackers[k]] for k in known]
        together = found.together[np.ix_(known, known)] / found.n
        self.shares[rows, t] = hits = np.diag(together)
        self.slopes[:, t] = self._slopes(t)
        smooth = (self.shares[:, t] * found.n + 2) / (found.n + 4)
        self.errors[:, t] = self.slopes[:, t] * np.sqrt(smooth * (1 - smooth) / found.n)
        spread = np.sqrt(hits * (1 - hits))
        scale = np.where(spread > 0, spread, np.inf)
        correlation = np.eye(len(self.attackers))
        correlation[np.ix_(rows, rows)] = (
            0.999 * (together - np.outer(hits, hits)) / np.outer(scale, scale)
        )
        np.fill_diagonal(correlation, 1)  # positive definite
        return correlation

    def _slopes(self, t: int) -> Floats:
        """By how much a rate changes with the share of hits: 1, or more where chance is taken off."""
        missed = 1 - self.shares[:, t]
        differs = (np.abs(self.rates[:, t] - self.shares[:, t]) > _TINY) & (missed > _TINY)
        return np.where(
            differs, np.clip((1 - self.rates[:, t]) / np.where(differs, missed, 1), 0.2, 5), 1
        )

    def at(self, y: Floats, attacker: int, t: int) -> Floats:
        """Rates at so many standard deviations from the one that an attacker reached against a table."""
        share, n = self.shares[attacker, t], self.n[t]
        moved = self.slopes[attacker, t] * (wilson(share, n, y.astype(np.float64)) - share)
        return np.asarray(np.clip(self.rates[attacker, t] + moved, 0, 1))

    def each(self, t: int) -> Floats:
        """The rates against a table, n_draws × n_attackers, without Wilson's shift, which means would add up."""
        return np.asarray(np.clip(self.rates[:, t] + self.errors[:, t] * self.noise[t], 0, 1))

    def attacks(self, targets: Mapping[K, Collection[K]], average: str) -> Floats:
        """The averages of attackers' rates, n_draws × n_attackers; a target that was not attacked counts 0.

        An attacker without targets has 0.
        """
        is_target = np.zeros(self.rates.shape, dtype=bool)
        for team, of in targets.items():
            is_target[self.attackers[team], [self.teams[target] for target in of]] = True
        size = np.maximum(is_target.sum(axis=1), 1)
        if average != "mean":
            return self._middle(is_target, average)
        is_known = is_target & ~np.isnan(self.rates) & (self.n > 0)
        mean = np.where(is_target, np.nan_to_num(self.rates), 0).sum(axis=1) / size
        per_n = is_known / np.maximum(self.n, 1)
        variance = np.nan_to_num(self.slopes**2 * self.shares * (1 - self.shares)) * per_n
        whole = variance.sum(axis=1)
        weights = np.sqrt(np.where(whole[:, None] > 0, variance, per_n))
        y = np.zeros(self.noise.shape[1:])
        for t in range(len(self.teams)):
            y += self.noise[t] * weights[:, t]
        y /= np.maximum(np.sqrt((weights**2).sum(axis=1)), _TINY)
        n = np.where(
            whole > 0,
            mean * (1 - mean) * size**2 / np.maximum(whole, _TINY**2),
            (is_known * self.n).sum(axis=1),
        )
        return np.where(n > 0, wilson(mean, np.maximum(n, _TINY), y), mean)

    def _middle(self, is_target: npt.NDArray[np.bool_], average: str) -> Floats:
        """Medians, or means without the lowest and the highest quarter, of drawn rates."""
        drawn = np.stack([np.nan_to_num(self.each(t)) for t in range(len(self.teams))])
        found = np.zeros(drawn.shape[1:])
        for a, of in enumerate(is_target):
            ordered = np.sort(drawn[of, :, a], axis=0)
            cut = len(ordered) // 4 if average == "trimmed" else (len(ordered) - 1) // 2
            if len(ordered):
                found[:, a] = ordered[cut : len(ordered) - cut].mean(axis=0)
        return found


# Intervals


def places(
    totals: Floats,
    worse: Floats,
    better: Floats,
    ranks: npt.NDArray[np.int64],
    *,
    are_shared: bool = False,
) -> list[Place]:
    """The intervals of the totals of a board, and of its ranks.

    Parameters
    ----------
    totals : n_teams
        Higher ones are better.
    worse, better : n_draws × n_teams
        Draws of true totals that are as bad, and as good, as the data admit; the same where nothing is corrected.
    ranks : n_teams
        The ranks of the board, tie-breaks included.
    are_shared
        Teams have the rank that they share, and rivals are those of these ranks.
    """
    tail = (1 - LEVEL) / 2
    low = np.minimum(totals, np.quantile(worse, tail, axis=0))
    high = np.maximum(totals, np.quantile(better, 1 - tail, axis=0))
    compared = _compared(totals, worse, better)
    shared = _shared(ranks, compared)
    if are_shared:
        ranks = np.array(shared)
    rivals = [_rival(j, ranks) for j in range(len(ranks))]
    return [
        Place(
            float(low[j]),
            float(high[j]),
            min(rank, shared[j], 1 + int((compared[j] < 0).sum())),
            max(rank, len(ranks) - int((compared[j] > 0).sum())),
            None if rivals[j] is None else bool(compared[j, ranks == rivals[j]].all()),
            rivals[j],
            shared[j],
        )
        for j, rank in enumerate(ranks.tolist())
    ]


def _compared(totals: Floats, worse: Floats, better: Floats) -> npt.NDArray[np.int64]:
    """1 where a team (row) is better than a rival (column), by the level of all its rivals together, -1 where worse."""
    lead = worse.mean(axis=0)[:, None] - better.mean(axis=0)
    compared = np.zeros(lead.shape, dtype=np.int64)
    for j in range(len(totals)):
        up, down = worse[:, j : j + 1] - better, worse - better[:, j : j + 1]
        spread = np.maximum(up.std(axis=0), _TINY), np.maximum(down.std(axis=0), _TINY)
        roots = np.maximum((lead[j] - up) / spread[0], (lead[:, j] - down) / spread[1])
        distance = np.maximum(lead[j] / spread[0], lead[:, j] / spread[1])
        rivals = np.flatnonzero(np.arange(len(totals)) != j)
        while len(rivals):
            critical = np.quantile(roots[:, rivals].max(axis=1), LEVEL)
            apart = distance[rivals] > max(critical, _TINY)
            if not apart.any():
                break
            named, rivals = rivals[apart], rivals[~apart]
            compared[j, named] = np.sign(np.round(totals[j] - totals[named], DECIMALS))
    return compared


def _rival(j: int, ranks: npt.NDArray[np.int64]) -> int | None:
    """The next better rank; of the first rank the next one, itself where several teams have it."""
    better, others = ranks[ranks < ranks[j]], np.delete(ranks, j)
    rival = better.max(initial=0) or others.min(initial=len(ranks) + 1)
    return None if rival > len(ranks) else int(rival)


def _shared(ranks: npt.NDArray[np.int64], compared: npt.NDArray[np.int64]) -> list[int]:
    """The rank of the best of the teams that are not separable from it, one group after the other."""
    shared, first = ranks.copy(), None
    for n, j in enumerate(np.argsort(ranks, kind="stable"), start=1):
        if first is None or compared[first, j]:
            first, rank = j, n
        shared[j] = rank
    return [int(rank) for rank in shared]
