# SPDX-License-Identifier: Apache-2.0
"""Context of the page of a round with a hidden table: the target, the release, the budget."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pwscup.contests.selectors import original_of
from pwscup.formats.hidden.disclosed import (
    budget_in,
    disclosed_attributes,
    is_release_due,
    target_attributes,
)

if TYPE_CHECKING:
    from pwscup.accounts.models import Team
    from pwscup.contests.models import Round
    from pwscup.disclosure.models import BatchRelease
    from scoring.formats.disclosure.attributes import Attribute
    from scoring.privacy.accounting import Budget


@dataclass(frozen=True, slots=True)
class ReleasedColumn:
    """A column of a release, and the probability that one of its values is the true one."""

    name: str
    n_values: int
    kept: float


def facts(round: Round, team: Team | None, now: datetime) -> dict[str, Any]:
    """The target of the estimate and its data; incomplete without a table."""
    dataset = original_of(round.contest)
    if dataset is None:
        return {}
    target = target_attributes(round.contest)
    found: dict[str, Any] = {
        "target": target,
        "n_cells": math.prod(len(attribute.values) for attribute in target),
        "n_records": dataset.n_records,
        "epsilon": round.spec.epsilon,
    }
    if round.format.is_release:
        return found | release_of(round, now)
    return found | ({"budget": budget_of(team, round)} if team else {})


def release_of(round: Round, now: datetime) -> dict[str, Any]:
    """The released table and the randomization of its columns, or a note that it is being created."""
    release: BatchRelease | None = getattr(round, "batch_release", None)
    if release is None:
        return {"is_being_released": is_release_due(round, now)}
    attributes = disclosed_attributes(round.contest)
    rho, columns = kept_columns(release.epsilon, attributes)
    return {"release": release, "rho": rho, "released_columns": columns}


def kept_columns(
    epsilon: Decimal, attributes: tuple[Attribute, ...]
) -> tuple[float, list[ReleasedColumn]]:
    """The ρ of a release, and its effect on each column: both are public."""
    from scoring.formats.disclosure.releases import rho_at  # imports scipy, which few pages need
    from scoring.privacy.post_randomization import keep_probability

    rho = rho_at(epsilon, attributes)
    sizes = [(attribute.name, len(attribute.values)) for attribute in attributes]
    return rho, [ReleasedColumn(name, n, keep_probability(rho, n)) for name, n in sizes]


def budget_of(team: Team, round: Round) -> Budget:
    """The budget of the team and its spending, from its newest answer."""
    newest = round.answers.filter(team=team).defer("counts").order_by("-number").first()
    return budget_in(round, newest.epsilon_so_far if newest else Decimal(0))
