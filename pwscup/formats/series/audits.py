# SPDX-License-Identifier: Apache-2.0
"""Audits of a series of releases: their page and their report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from scoring.audits import series_texts as words
from scoring.audits.numbers import percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scoring.audits.series import SeriesAudit


@dataclass(frozen=True, slots=True)
class Risk:
    """The risks by one definition after one release, as text; `width` is that of the bar, in per cent of certainty."""

    title: str
    how: str
    release: int
    max: str
    interval: str
    mean: str
    above: tuple[str, ...]
    worlds: str
    width: float


@dataclass(frozen=True, slots=True)
class Person:
    id: str
    risk: str
    over_time: tuple[str, ...]
    pinned_by: str


@dataclass(frozen=True, slots=True)
class Attacker:
    name: str
    title: str
    hits: int
    found: str
    interval: str
    rate: str


def attacks() -> list[tuple[str, str]]:
    """Definitions of risk, and attackers."""
    definitions = [(name, title) for name, (title, _text) in words.DEFINITIONS.items()]
    return [(name, _(title)) for name, title in [*definitions, *words.ATTACKERS.items()]]


def summary(found: SeriesAudit) -> dict[str, Any]:
    from scoring.audits.series_summary import summary  # imports numpy, which pages do not need

    return summary(found)


def report(found: SeriesAudit, facts: Mapping[str, str], **language: Any) -> str:
    from scoring.audits.series_report import report

    return report(found, facts, **language)


def results(values: dict[str, Any]) -> dict[str, Any]:
    """The risks by each definition, over time and by individual; the loss of the releases; and the attackers."""
    found = [finding for finding in values["findings"] if finding["after"]]
    history = words.chosen(values)["after"]
    return {
        "verdict": words.verdict(values, _),
        "remarks": words.remarks(values, _),
        "risks": [_risk(finding["definition"], finding["after"][-1]) for finding in found],
        "not_found": words.not_found(values, _),
        "over_time": [_risk(values["definition"], after) for after in history]
        if len(history) > 1
        else [],
        "people": [_person(person) for person in values["people"]],
        "losses": [
            loss | {"extent": percent(loss["extent"]), "release": release}
            for release, loss in enumerate(values["losses"], start=1)
        ],
        "information": values["information"],
        "attackers": [_attacker(attacker) for attacker in values["attackers"]],
    }


def _risk(definition: str, risks: dict[str, Any]) -> Risk:
    largest = risks["max"] or 0.0
    return Risk(
        title=_(words.DEFINITIONS[definition][0]),
        how=words.how_found(risks, _),
        release=risks["release"],
        max=percent(largest),
        interval=_interval(risks),
        mean=percent(risks["mean"] or 0.0),
        above=tuple(words.above_told(risks, _)),
        worlds=words.worlds_told(definition, risks, _),
        width=round(100 * largest, 1),
    )


def _person(person: dict[str, Any]) -> Person:
    return Person(
        id=person["id"],
        risk=percent(person["risk"]),
        over_time=tuple("–" if risk is None else percent(risk) for risk in person["over_time"]),
        pinned_by=", ".join(f"R{release}" for release in person["pinned_by"]),
    )


def _attacker(found: dict[str, Any]) -> Attacker:
    return Attacker(
        name=found["name"],
        title=_(words.ATTACKERS[found["name"]]),
        hits=found["hits"],
        found=percent(found["found"]),
        interval=_interval(found),
        rate=percent(found["rate"]),
    )


def _interval(ends: dict[str, Any]) -> str:
    """From the lower to the upper end; empty if they are equal."""
    low, high = ends["low"], ends["high"]
    if low is None or low == high:
        return ""
    ends_told = (percent(end).replace(" ", "\u00a0") for end in (low, high))
    return "\u00a0– ".join(ends_told)  # a line break is allowed only in the middle
