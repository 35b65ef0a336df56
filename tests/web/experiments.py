# SPDX-License-Identifier: Apache-2.0
"""Small privacy experiments for tests: two cells, two trials."""

from __future__ import annotations

import zlib
from typing import Any

from django.utils import timezone

from pwscup.accounts.models import User
from pwscup.experiments import services, tables
from pwscup.experiments.models import Experiment
from pwscup.experiments.setup import plans
from scoring.privacy.experiments.counts import Counts, read_counts

COUNTS = b"sex,count\nF,78\nM,144\n"
SMALL: dict[str, Any] = plans.DEFAULTS | {"epsilons": [1.0, 4.0], "queries": [1, 9], "trials": 2}


def counts() -> Counts:
    return read_counts(COUNTS, file="counts")


def requested(user: User, **given: Any) -> Experiment:
    """What a person asks for now."""
    about = {
        "name": "",
        "source": Experiment.Source.COUNTS,
        "origin": {"name": "C.csv", "sha256": ""},
        "counts": counts(),
        "setup": SMALL,
    }
    return services.request_experiment(user=user, **(about | given))


def make_experiment(user: User, **fields: Any) -> Experiment:
    """An experiment in any state, with one figure and its numbers."""
    given = {
        "number": Experiment.objects.filter(owner=user).count() + 1,
        "source": Experiment.Source.COUNTS,
        "origin": {"name": "C.csv", "sha256": ""},
        "counts": tables.to_json(counts()),
        "setup": SMALL,
        "finished_at": timezone.now(),
        "seconds": 1.0,
    }
    made = Experiment.objects.create(owner=user, **(given | fields))
    made.files.create(name="figures/figure3-k.svg", packed=zlib.compress(b"<svg/>"))
    table = b"rho,epsilon,k\n0,0,78\n0.5,1.0986,2\n"
    made.files.create(name="tables/figure3-rho.csv", packed=zlib.compress(table))
    return made
