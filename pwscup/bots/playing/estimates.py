"""How bots estimate counts of a hidden table: from its release, or by asking within their budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from typing import TYPE_CHECKING

import numpy as np

from pwscup.contests.disclosed import disclosed_attributes, epsilon_of_round, target_attributes
from pwscup.core.files import storage
from pwscup.disclosure import services
from scoring.formats.disclosure.estimates import write_estimate
from scoring.formats.disclosure.estimators import counted, from_answer, reconstructed
from scoring.formats.disclosure.releases import read_release
from scoring.privacy.accounting import SMALLEST
from scoring.rulesets.kinds import BATCH, INTERACTIVE

if TYPE_CHECKING:
    from datetime import datetime

    from numpy.typing import NDArray

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Round
    from scoring.formats.disclosure.attributes import Attribute

    Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Turn:
    """A bot's turn in a round of disclosure, at one moment of it."""

    team: Team
    round: Round
    at: datetime

    @property
    def target(self) -> tuple[Attribute, ...]:
        return target_attributes(self.round.contest)

    def ask(self, columns: Sequence[str], epsilon: Decimal) -> Counts:
        """The noisy counts over these columns, an axis for each."""
        found = services.ask(
            user=None,
            team=self.team,
            round=self.round,
            query={"columns": list(columns)},
            epsilon=f"{epsilon:f}",
            asked_at=self.at,
        )
        attributes = disclosed_attributes(self.round.contest)
        canonical = [attribute for attribute in attributes if attribute.name in columns]
        answer = np.asarray(found.answer.counts).reshape([len(a.values) for a in canonical])
        order = [attribute.name for attribute in canonical]
        return answer.transpose([order.index(name) for name in columns])

    def share(self, n: int) -> Decimal:
        """One of n equal parts of the budget, as a decimal that can be paid."""
        return (epsilon_of_round(self.round) / n).quantize(SMALLEST, rounding=ROUND_DOWN)


# From the release


def count_release(turn: Turn) -> Counts | None:
    """The released table counted as it is; None as long as there is none."""
    release = services.ensure_released(turn.round)
    if release is None:
        return None
    attributes = disclosed_attributes(turn.round.contest)
    return counted(read_release(storage.read(release.table), attributes), attributes, turn.target)


def reconstruct_release(turn: Turn) -> Counts | None:
    """What the release most likely came from, by iterative Bayes."""
    release = services.ensure_released(turn.round)
    if release is None:
        return None
    attributes = disclosed_attributes(turn.round.contest)
    codes = read_release(storage.read(release.table), attributes)
    return reconstructed(codes, attributes, turn.target, release.epsilon)


# By asking


def ask_target(turn: Turn) -> Counts:
    """The target itself, for the whole budget."""
    return from_answer(turn.ask(_names(turn.target), turn.share(1)))


def ask_twice(turn: Turn) -> Counts:
    """The target in two halves of the budget that differ a little, and the mean of both answers."""
    half, names = turn.share(2), _names(turn.target)
    both = turn.ask(names, half) + turn.ask(names, half - SMALLEST)
    return from_answer(np.rint(both / 2).astype(np.int64))


def ask_marginals(turn: Turn) -> Counts:
    """Each column alone, and their product as if they were independent."""
    names = _names(turn.target)
    epsilon = turn.share(len(names))
    marginals = [from_answer(turn.ask([name], epsilon)).astype(float) for name in names]
    table = np.ones(())
    for marginal in marginals:
        table = np.multiply.outer(table, marginal / max(1.0, marginal.sum()))
    n_records = np.mean([marginal.sum() for marginal in marginals])
    return np.rint(n_records * table).astype(np.int64)


def _names(attributes: tuple[Attribute, ...]) -> list[str]:
    return [attribute.name for attribute in attributes]


ESTIMATORS: dict[str, dict[str, Callable[[Turn], Counts | None]]] = {
    BATCH: {"count": count_release, "reconstruct": reconstruct_release},
    INTERACTIVE: {
        "target": ask_target,
        "twice": ask_twice,
        "marginals": ask_marginals,
    },
}
"""By the kind of the round and what a bot is said to do."""


def estimate_file(turn: Turn, method: str) -> bytes | None:
    """What the bot hands in; None as long as it has nothing to estimate from."""
    counts = ESTIMATORS[turn.round.kind][method](turn)
    return None if counts is None else write_estimate(counts, turn.target)
