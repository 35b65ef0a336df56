# SPDX-License-Identifier: Apache-2.0
"""An audit of a series as plain values, for JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np

from scoring.audits.series import AttackerFinding, DefinitionFinding, SeriesAudit
from scoring.formats.sequential.pictures import risk_counts
from scoring.formats.sequential.risk import Risks
from scoring.formats.sequential.scored import is_above

KIND = "series"
"""Distinguishes these values from those of an audit of a table."""
_MOST_WORLDS = 2**53  # what every JSON reader reads as a number
_CERTAIN = 1 - 1e-9


def summary(audit: SeriesAudit) -> dict[str, Any]:
    """Everything that an audit found, of single people only those with the largest risks.

    Examples
    --------
    >>> from scoring.audits.series import audit_series
    >>> from scoring.formats.sequential.examples import SMALL
    >>> from scoring.formats.sequential.publishing import Options, publish
    >>> from scoring.formats.sequential.series import of_publication
    >>> series = of_publication(publish(SMALL, Options(m=2)))
    >>> found = summary(audit_series(SMALL, series, m=2, definition="counting"))
    >>> found["people"][0]["id"], found["people"][0]["over_time"], found["people"][0]["pinned_by"]
    ('Bob', [0.5, 0.6666666666666666], [1, 2])
    """
    return {
        "kind": KIND,
        "n_people": audit.n_people,
        "n_records": sum(len(snapshot.ids) for snapshot in audit.original.snapshots),
        "n_releases": audit.n_releases,
        "m": audit.m,
        "definition": audit.definition.value,
        "is_m_invariant": audit.is_m_invariant,
        "seed": audit.seed,
        "findings": [_finding(finding, audit) for finding in audit.findings],
        "people": _people(audit),
        "losses": [asdict(loss) for loss in audit.losses],
        "information": asdict(audit.information),
        "attackers": [_attacker(finding) for finding in audit.attackers],
    }


def _finding(finding: DefinitionFinding, audit: SeriesAudit) -> dict[str, Any]:
    first = audit.n_releases - len(finding.history) + 1
    return {
        "definition": finding.definition.value,
        "n_without": finding.n_without,
        "after": [
            {"release": first + i} | _risks(risks, audit.m)
            for i, risks in enumerate(finding.history)
        ],
    }


def _risks(risks: Risks, m: int) -> dict[str, Any]:
    """The summary of the risks after one release; the interval is that of the person with the largest."""
    n_people = int((~np.isnan(risks.values)).sum())
    worst = int(np.nanargmax(risks.values)) if n_people else None
    logarithm = risks.log10_worlds
    counts, _edges = risk_counts(risks)
    return {
        "n_people": n_people,
        "max": risks.max,
        "low": None if worst is None else float(risks.low[worst]),
        "high": None if worst is None else float(risks.high[worst]),
        "mean": risks.mean,
        "n_above": int(is_above(risks.low, m).sum()),
        "n_may_be_above": int(is_above(risks.high, m).sum()),
        "n_certain": int((risks.low >= _CERTAIN).sum()),
        "n_sampled": int(risks.is_sampled.sum()),
        "n_samples": risks.n_samples,
        "worlds": risks.worlds if (risks.worlds or 0) <= _MOST_WORLDS else None,
        "log10_worlds": logarithm if logarithm is not None and math.isfinite(logarithm) else None,
        "counts": counts.tolist(),
    }


def _people(audit: SeriesAudit) -> list[dict[str, Any]]:
    history, pins = audit.chosen.history, audit.pins
    is_over_time = len(history) == audit.n_releases
    return [
        {
            "id": audit.original.ids[i],
            "risk": float(history[-1].values[i]),
            "low": float(history[-1].low[i]),
            "high": float(history[-1].high[i]),
            "over_time": [_number(risks.values[i]) for risks in history] if is_over_time else [],
            "pinned_by": pins[i],
        }
        for i in audit.most_at_risk()
    ]


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _attacker(finding: AttackerFinding) -> dict[str, Any]:
    return {
        "name": finding.name,
        "n_guessed": finding.n_guessed,
        "hits": finding.found.hits,
        "found": finding.found.value,
        "low": finding.found.low,
        "high": finding.found.high,
        "rate": finding.rate,
    }
