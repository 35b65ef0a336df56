# SPDX-License-Identifier: Apache-2.0
"""Audits of a table: their page and their report."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from pwscup.contests.rules.measures import FAMILIES, ShownMeasure, shown_measure
from pwscup.core.templatetags.pwscup import percent
from pwscup.core.texts.foreign import translated
from scoring.audits import NOTABLE_TIMES, VERDICT, how_made
from scoring.audits.single import SingleColumn, sentences
from scoring.registry import ATTACKS, MEASURES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scoring.audits.audit import Audit


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one attacker; `width` is that of its bar, in per cent of the widest."""

    id: str
    title: str
    hits: int
    low: float
    high: float
    rate: float
    width: float


@dataclass(frozen=True, slots=True)
class ClassSize:
    """The number of records in classes of a range of sizes; `width` is that of the bar, as above."""

    label: str
    n_records: int
    width: float


@dataclass(frozen=True, slots=True)
class Family:
    title: str
    rows: tuple[tuple[ShownMeasure, float | int | None], ...]


def attacks() -> list[tuple[str, str]]:
    """All attackers of the library and of plugins."""
    return [(attack.id, translated(attack.title)) for attack in ATTACKS.values()]


def summary(found: Audit) -> dict[str, Any]:
    from scoring.audits.summary import summary  # imports pandas, which pages do not need

    return summary(found)


def report(found: Audit, facts: Mapping[str, str], **language: Any) -> str:
    from scoring.audits.report import report

    return report(found, facts, **language)


def results(values: dict[str, Any]) -> dict[str, Any]:
    """The findings, the worst first, and every measure by family."""
    widest = max((finding["rate"] for finding in values["attacks"]), default=0) or 1
    findings = [_finding(finding, widest) for finding in values["attacks"]]
    often = sum(values["times_found"][NOTABLE_TIMES:])
    return {
        "findings": findings,
        "verdict": _verdict(findings[0]),
        "n_copies": values.get("n_copies"),
        "how_made": _how_made(values.get("replay")),
        "single": _single(values.get("columns", [])),
        "by_chance": values["by_chance"],
        "n_often": often,
        "share_often": often / values["n_anonymized"],
        "n_never": values["times_found"][0],
        "class_sizes": _class_sizes(values["records_by_class_size"]),
        "families": families(values["measures"]),
    }


def _verdict(worst: Finding) -> str:
    """The report's first sentence."""
    return _(VERDICT) % {"attack": worst.id, "title": worst.title, "rate": percent(worst.rate)}


def _how_made(replay: dict[str, Any] | None) -> str | None:
    """The report's sentence about anonymizers and a seed that reproduce the table, if they were found."""
    return None if replay is None else how_made(replay["chain"], replay["seed"], _)


def _single(found: list[dict[str, Any]]) -> list[str]:
    """A sentence for each column that by itself finds nearly every record; audits made before have none."""
    return sentences((SingleColumn(**one) for one in found), percent, _)


def _class_sizes(records: dict[str, int]) -> list[ClassSize]:
    """The ranges of sizes, the smallest first."""
    widest = max(records.values()) or 1
    ordered = sorted(records.items(), key=lambda item: int(re.split(r"\D", item[0])[0]))
    return [ClassSize(label, n, round(100 * n / widest, 1)) for label, n in ordered]


def _finding(values: dict[str, Any], widest: float) -> Finding:
    id_ = values["attack"]
    return Finding(
        id=id_,
        title=attack_title(id_),
        hits=values["hits"],
        low=values["low"],
        high=values["high"],
        rate=values["rate"],
        width=round(100 * values["rate"] / widest, 1),
    )


def attack_title(id_: str) -> str:
    """The title of an attack; its identifier if it was a plugin's that is not installed any more."""
    attack = ATTACKS.get(id_)
    return id_ if attack is None else translated(attack.title)


def families(measures: dict[str, float | int | None]) -> list[Family]:
    """The measures of the table, by family; official rates are shown with their attackers."""
    by_family: dict[str, list[tuple[ShownMeasure, float | int | None]]] = {}
    for id_, measure in MEASURES.items():  # JSON in a database may be reordered
        value, family = measures.get(id_), measure.family
        if value is not None and family != "linkage":
            by_family.setdefault(family, []).append((shown_measure(measure), value))
    return [Family(str(FAMILIES[family]), tuple(rows)) for family, rows in by_family.items()]
