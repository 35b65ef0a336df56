# SPDX-License-Identifier: Apache-2.0
"""Bots with a hidden table: they estimate its counts from a release, or by asking within their budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from typing import TYPE_CHECKING

import numpy as np

from pwscup.core.files import storage
from pwscup.disclosure import services
from pwscup.formats.hidden.disclosed import (
    disclosed_attributes,
    epsilon_of_round,
    most_per_cell,
    target_attributes,
)
from pwscup.formats.playing import Turn
from scoring.cheaters import CHEATERS
from scoring.formats.disclosure.estimates import write_estimate
from scoring.formats.disclosure.estimators import counted, from_answer, reconstructed
from scoring.formats.disclosure.releases import read_release
from scoring.privacy.accounting import SMALLEST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pwscup.bots.cast import Bot
    from pwscup.contests.models import Round
    from pwscup.formats.playing import Files
    from scoring.formats.disclosure.attributes import Attribute

    Counts = NDArray[np.int64]


def ask(turn: Turn, columns: Sequence[str], epsilon: Decimal) -> Counts:
    """The noisy counts over these columns, an axis for each."""
    found = services.ask(
        user=None,
        team=turn.team,
        round=turn.round,
        query={"columns": list(columns)},
        epsilon=f"{epsilon:f}",
        asked_at=turn.at,
    )
    attributes = disclosed_attributes(turn.round.contest)
    canonical = [attribute for attribute in attributes if attribute.name in columns]
    answer = np.asarray(found.answer.counts).reshape([len(a.values) for a in canonical])
    order = [attribute.name for attribute in canonical]
    return answer.transpose([order.index(name) for name in columns])


def share(turn: Turn, n: int) -> Decimal:
    """One of n equal parts of the budget for a step, as a decimal that can be paid.

    Each step has twice the budget of the one before, so that the last one has more than half.
    """
    parts = 2**turn.bot.estimates - 1
    budget = epsilon_of_round(turn.round) * 2**turn.step / parts
    return (budget / n).quantize(SMALLEST, rounding=ROUND_DOWN)


def target_of(turn: Turn) -> tuple[Attribute, ...]:
    return target_attributes(turn.round.contest)


# From the release


def count_release(turn: Turn) -> Counts | None:
    """The released table counted directly; None without a release."""
    release = services.ensure_released(turn.round)
    if release is None:
        return None
    attributes = disclosed_attributes(turn.round.contest)
    return counted(
        read_release(storage.read(release.table), attributes), attributes, target_of(turn)
    )


def reconstruct_release(turn: Turn) -> Counts | None:
    """The most likely origin of the release, by iterative Bayes."""
    release = services.ensure_released(turn.round)
    if release is None:
        return None
    attributes = disclosed_attributes(turn.round.contest)
    codes = read_release(storage.read(release.table), attributes)
    return reconstructed(codes, attributes, target_of(turn), release.epsilon)


# By asking


def ask_target(turn: Turn) -> Counts:
    """The target itself, for the whole budget."""
    return from_answer(ask(turn, _names(target_of(turn)), share(turn, 1)))


def ask_twice(turn: Turn) -> Counts:
    """The target in two slightly different halves of the budget, and the mean of both answers."""
    half, names = share(turn, 2), _names(target_of(turn))
    both = ask(turn, names, half) + ask(turn, names, half - SMALLEST)
    return from_answer(np.rint(both / 2).astype(np.int64))


def ask_marginals(turn: Turn) -> Counts:
    """Each column separately, and their product as if they were independent."""
    names = _names(target_of(turn))
    epsilon = share(turn, len(names))
    marginals = [from_answer(ask(turn, [name], epsilon)).astype(float) for name in names]
    table = np.ones(())
    for marginal in marginals:
        table = np.multiply.outer(table, marginal / max(1.0, marginal.sum()))
    n_records = np.mean([marginal.sum() for marginal in marginals])
    return np.rint(n_records * table).astype(np.int64)


def _names(attributes: tuple[Attribute, ...]) -> list[str]:
    return [attribute.name for attribute in attributes]


def cheated(turn: Turn) -> Counts | None:
    """The same count everywhere, of as many records as the released table has: none where nothing is released."""
    count = CHEATERS[turn.bot.cheat].counts
    if count is None:
        return None
    released = services.ensure_released(turn.round)
    attributes = disclosed_attributes(turn.round.contest)
    n = len(read_release(storage.read(released.table), attributes)) if released else 0
    return count([len(a.values) for a in target_of(turn)], n)


Method = Callable[[Turn], "Counts | None"]


@dataclass(frozen=True)
class Estimator:
    """A bot estimates the target table by its method: an attribute of `Bot`."""

    chosen: str
    methods: Mapping[str, Method]
    is_repeated: bool = False
    """It may submit several estimates, each from more data."""
    draws = False

    def known(self, _round: Round) -> None:
        """Nothing: it asks during its turn."""

    def files(self, turn: Turn) -> Files | None:
        if turn.step and not self.is_repeated:
            return None
        counts = cheated(turn) if turn.bot.cheat else self.methods[self.note(turn.bot)](turn)
        if counts is None:
            return None
        counts = np.minimum(counts, most_per_cell(turn.round.contest))
        return {"estimate": ("estimate.csv", write_estimate(counts, target_of(turn)))}

    def note(self, bot: Bot) -> str:
        method: str = bot.cheat or getattr(bot, self.chosen)
        return method


RELEASED = Estimator("batch", {"count": count_release, "reconstruct": reconstruct_release})
ASKED = Estimator(
    "interactive",
    {"target": ask_target, "twice": ask_twice, "marginals": ask_marginals},
    is_repeated=True,
)
