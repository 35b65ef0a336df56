"""What the pages of audits show: plain functions from facts to contexts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils.translation import gettext as _

from pwscup.audits import selectors, series_pages
from pwscup.contests.rules.measures import FAMILIES, ShownMeasure, shown_measure
from pwscup.contests.selectors import contest_page
from pwscup.core.http.polling import etag
from pwscup.core.templatetags.pwscup import percent
from scoring.audits import NOTABLE_TIMES, VERDICT, how_made
from scoring.registry import ATTACKS, MEASURES

if TYPE_CHECKING:
    from django.http import HttpRequest

    from pwscup.audits.models import Audit
    from pwscup.submissions.models import Submission


@dataclass(frozen=True, slots=True)
class Finding:
    """One attacker's line; `width` is the bar's, in per cent of the widest."""

    id: str
    title: str
    hits: int
    low: float
    high: float
    rate: float
    width: float


@dataclass(frozen=True, slots=True)
class ClassSize:
    """How many records live in classes of a range of sizes; `width` is the bar's, as above."""

    label: str
    n_records: int
    width: float


@dataclass(frozen=True, slots=True)
class Family:
    title: str
    rows: tuple[tuple[ShownMeasure, float | int | None], ...]


def audit_page(request: HttpRequest, submission: Submission) -> dict[str, Any]:
    """Everything about the audit of one submission."""
    round = submission.round
    found = selectors.audit_of(submission)
    context = contest_page(request, round.contest, round.key) | {
        "round": round,
        "submission": submission,
        "is_series": series_pages.is_series(submission),
        "attacks": series_pages.attacks(submission)
        or [(attack.id, _(attack.title)) for attack in ATTACKS.values()],
        "back_url": reverse("submission", args=[submission.public_id]),
    }
    if found is None or found.state == found.State.FAILED:
        context["before"] = selectors.before(submission)
    if found is None:
        return context
    context |= status(submission, found)
    return context | (results(found.values) if found.values else {})


def status(submission: Submission, audit: Audit) -> dict[str, Any]:
    """What the polled fragment shows."""
    n_before = selectors.n_before(audit) if audit.state == audit.State.WAITING else 0
    share = 100 * audit.done_steps // audit.n_steps if audit.n_steps else 0
    return {
        "submission": submission,
        "audit": audit,
        "share": share,
        "n_before": n_before,
        "etag": etag(audit.pk, audit.state, audit.done_steps, audit.attempts, n_before),
    }


def results(values: dict[str, Any]) -> dict[str, Any]:
    """The findings, the worst first, and every measure by family; of a series its risks."""
    if values.get("kind") == series_pages.KIND:
        return series_pages.results(values)
    widest = max((finding["rate"] for finding in values["attacks"]), default=0) or 1
    findings = [_finding(finding, widest) for finding in values["attacks"]]
    often = sum(values["times_found"][NOTABLE_TIMES:])
    return {
        "findings": findings,
        "verdict": _verdict(findings[0]),
        "how_made": _how_made(values.get("replay")),
        "by_chance": values["by_chance"],
        "n_often": often,
        "share_often": often / values["n_anonymized"],
        "n_never": values["times_found"][0],
        "class_sizes": _class_sizes(values["records_by_class_size"]),
        "families": _families(values["measures"]),
    }


def _verdict(worst: Finding) -> str:
    """The report's first sentence."""
    return _(VERDICT) % {"attack": worst.id, "title": worst.title, "rate": percent(worst.rate)}


def _how_made(replay: dict[str, Any] | None) -> str | None:
    """The report's sentence about anonymizers and a seed that make the table again, where they were found."""
    return None if replay is None else how_made(replay["chain"], replay["seed"], _)


def _class_sizes(records: dict[str, int]) -> list[ClassSize]:
    """The ranges of sizes, the smallest first."""
    widest = max(records.values()) or 1
    ordered = sorted(records.items(), key=lambda item: int(re.split(r"\D", item[0])[0]))
    return [ClassSize(label, n, round(100 * n / widest, 1)) for label, n in ordered]


def _finding(values: dict[str, Any], widest: float) -> Finding:
    attack = ATTACKS[values["attack"]]
    return Finding(
        id=attack.id,
        title=_(attack.title),
        hits=values["hits"],
        low=values["low"],
        high=values["high"],
        rate=values["rate"],
        width=round(100 * values["rate"] / widest, 1),
    )


def _families(measures: dict[str, float | int | None]) -> list[Family]:
    """Measures that the table has, by family; official rates stand with their attackers already."""
    by_family: dict[str, list[tuple[ShownMeasure, float | int | None]]] = {}
    for id_, measure in MEASURES.items():  # JSON in a database need not keep its order
        value, family = measures.get(id_), measure.family
        if value is not None and family != "linkage":
            by_family.setdefault(family, []).append((shown_measure(id_), value))
    return [Family(str(FAMILIES[family]), tuple(rows)) for family, rows in by_family.items()]
