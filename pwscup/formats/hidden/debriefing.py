# SPDX-License-Identifier: Apache-2.0
"""The debriefing of an estimate of a hidden table: estimates next to the counts that they are compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

if TYPE_CHECKING:
    from collections.abc import Collection


@dataclass(frozen=True, slots=True)
class CellRow:
    """A cell of the estimated table."""

    values: tuple[str, ...]
    estimate: int
    truth: int

    @property
    def error(self) -> str:
        """The difference with its sign."""
        return f"{self.estimate - self.truth:+d}"


def shown(values: dict[str, Any], _hidden: Collection[str] = ()) -> dict[str, Any]:
    """The context of the part `debriefing`."""
    cells = [CellRow(tuple(of), estimate, truth) for of, estimate, truth in values["cells"]]
    is_noisy = values.get("is_noisy", False)
    sentence = (
        _("%(exact)s of %(total)s counts are those of the target with the noise of the errors.")
        if is_noisy
        else _("%(exact)s of %(total)s counts are estimated exactly.")
    )
    return {
        "is_noisy": is_noisy,
        "columns": values["columns"],
        "cells": cells,
        "n_cells": values["n_cells"],
        "sentence": sentence % {"exact": values["n_exact"], "total": values["n_cells"]},
        "n_unlisted": values["n_cells"] - len(cells),
    }
