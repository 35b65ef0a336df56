"""Perturbation: random noise on the sensitive numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from scoring.anonymizers.base import Anonymized, Anonymizer, untouched
from scoring.anonymizers.domain import to_domain
from scoring.errors import gettext_noop as _
from scoring.options import Option
from scoring.schema import Schema


def sa_noise(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    scale: float = 0.1,
    zeros: str = "keep",
) -> Anonymized:
    """Add normal noise to every sensitive number, in proportion to its column's spread.

    Integers stay integers and the result stays within the column's bounds. A zero is kept by
    default: it says that a household spends nothing on something at all, and noise that is cut
    off at a bound of zero would shift the mean of a column with many zeros.

    Parameters
    ----------
    scale
        Standard deviation of the noise as a multiple of the column's own; 0 changes nothing.
    zeros
        "keep" or "perturb".
    """
    result = table.copy()
    for name in schema.sensitive_numeric:
        values = table[name].to_numpy(dtype=np.float64)
        noise = rng.standard_normal(len(values)) * (scale * values.std())
        noisy = to_domain(values + noise, schema.column(name))
        result[name] = np.where(values == 0, 0, noisy) if zeros == "keep" else noisy
    return Anonymized(result, untouched(table))


SA_NOISE = Anonymizer(
    id="sa-noise",
    title=_("Noise on sensitive attributes"),
    protects=_("Linkage by amounts: the nearest original may be another one"),
    costs=_("Every amount is off; correlations and cell means shift"),
    function=sa_noise,
    options=(
        Option(
            "scale",
            "number",
            0.1,
            _("standard deviation of the noise, as a multiple of the column's own"),
        ),
        Option(
            "zeros",
            "text",
            "keep",
            _("whether zeros stay zero or get noise too"),
            choices=("keep", "perturb"),
        ),
    ),
)
