# SPDX-License-Identifier: Apache-2.0
"""An audit as plain values, for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from scoring.attacks.membership import Membership
from scoring.audits.audit import Audit, Finding
from scoring.audits.pictures import records_by_class_size
from scoring.measures.disclosure import Disclosure


def summary(audit: Audit) -> dict[str, Any]:
    """Everything that an audit found, without the single records.

    Examples
    --------
    >>> from scoring.audits.audit import audit
    >>> from scoring.examples import SCHEMA, table
    >>> tables = table("original"), table("noise"), np.arange(4), SCHEMA
    >>> found = audit(*tables, rng=np.random.default_rng(1), attacks=["EUC2"], measures=["S1"])
    >>> summary(found)["worst"], summary(found)["times_found"]
    ('EUC2', [0, 4])
    """
    labels, records = records_by_class_size(audit.class_sizes)
    return {
        "n_original": audit.n_original,
        "n_anonymized": audit.n_anonymized,
        "n_copies": audit.n_copies,
        "worst": None if audit.worst is None else audit.worst.attack.id,
        "by_chance": audit.by_chance,
        "attacks": [_finding(finding) for finding in audit.findings],
        "times_found": np.bincount(audit.times_found, minlength=len(audit.findings) + 1).tolist(),
        "records_by_class_size": dict(zip(labels, records, strict=True)),
        "measures": dict(audit.values),
        "disclosures": {name: of_disclosure(d) for name, d in audit.disclosures.items()},
        "replay": None
        if audit.replay is None
        else {"chain": list(audit.replay.chain), "seed": audit.replay.seed},
        "columns": [asdict(column) for column in audit.columns],
        "compared": None if audit.compared is None else asdict(audit.compared),
        "membership": None if audit.membership is None else of_membership(audit.membership),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "attack": finding.attack.id,
        "n_guessed": finding.n_guessed,
        "hits": finding.found.hits,
        "found": finding.found.value,
        "low": finding.found.low,
        "high": finding.found.high,
        "expected": finding.expected,
        "rate": finding.rate,
    }


def of_disclosure(found: Disclosure) -> dict[str, Any]:
    """An attack and its control."""
    return {
        "n_attacks": found.n_attacks,
        "main": found.main.value,
        "control": found.control.value,
        "baseline": found.baseline.value,
        "risk": found.risk.value,
        "low": found.risk.low,
        "high": found.risk.high,
        "difference": asdict(found.difference),
        "above_control": found.is_above_control,
        "mode": None if found.mode is None else found.mode.value,
    }


def of_membership(found: Membership) -> dict[str, Any]:
    """The success in distinguishing members from others."""
    rates = {f"{rate:g}": asdict(share) for rate, share in found.at_false_positives.items()}
    return {
        "auc": found.auc,
        "low": found.area.low,
        "high": found.area.high,
        "true_positives_at": rates,
    }
