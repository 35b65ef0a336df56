# SPDX-License-Identifier: Apache-2.0
"""Audits of a synthetic table: their page and their report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from pwscup.core.texts.foreign import translated
from pwscup.formats.common.audits import families
from scoring.measures.catalog import MEASURES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scoring.audits.synthetic import SyntheticAudit

COMPARED = ("singling-out", "linkability", "inference")


def attacks() -> list[tuple[str, str]]:
    """The measures that need no rows, and the attack on membership."""
    found = [(m.id, translated(m.title)) for m in MEASURES.values() if not m.needs_rows]
    return [*found, ("membership", _("Membership"))]


def summary(found: SyntheticAudit) -> dict[str, Any]:
    from scoring.audits.synthetic_report import summary  # imports pandas, which pages do not need

    return summary(found)


def report(found: SyntheticAudit, facts: Mapping[str, str], **language: Any) -> str:
    from scoring.audits.synthetic_report import report

    return report(found, facts, **language)


def results(values: dict[str, Any]) -> dict[str, Any]:
    """The copies, the attacks compared with non-members, and every measure by family."""
    return {
        "n_copies": values["n_copies"],
        "share_of_copies": values["n_copies"] / values["n_anonymized"],
        "compared": [
            {"title": _(MEASURES[id_].title), **values["disclosures"][id_]}
            for id_ in COMPARED
            if id_ in values["disclosures"]
        ],
        "membership": values["membership"],
        "found_at": (values["membership"] or {}).get("true_positives_at", {}).get("0.01"),
        "families": families(values["measures"]),
    }
