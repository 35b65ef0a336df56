# SPDX-License-Identifier: Apache-2.0
"""The absolute meaning of a table's result: a sentence, the strongest attack that the platform knows, the next step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.urls import reverse
from django.utils.translation import gettext as _

from pwscup.audits.selectors import audit_of
from pwscup.contests.rules.measures import shown_measure
from pwscup.formats.common.audits import attack_title
from pwscup.leaderboards.boards.sections import built_in_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pwscup.audits.models import Audit
    from pwscup.leaderboards.history.places import Comparison
    from pwscup.submissions.models import Submission
    from pwscup.submissions.results.counting import Values

MOST, SOME = 0.5, 0.1
"""The shares of the records from which a result is bad, and from which it needs attention."""
DANGER, WARNING, GOOD, UNKNOWN = "danger", "warning", "good", "unknown"


@dataclass(frozen=True, slots=True)
class Reached:
    """The share of the records, 0 to 1, that an attack finds; `name` is empty for another team's attack."""

    rate: float
    name: str


@dataclass(frozen=True, slots=True)
class Meaning:
    """The head of a result: `official` is the worst rate of the rules, shown where a stronger attack is known."""

    sentence: str
    level: str
    official: Reached | None
    step: str
    step_url: str


def meaning_of(
    submission: Submission, values: Values, comparison: Comparison | None, *, may_audit: bool
) -> Meaning:
    """The meaning of a scored table with these visible values."""
    audit = audit_of(submission) if may_audit else None
    official = max(_official(submission, values), key=_rate, default=None)
    others = [*_audited(audit), *_attacked(submission, comparison)]
    strongest = max((*filter(None, [official]), *others), key=_rate, default=None)
    is_beaten = official and strongest and strongest.rate > official.rate
    n = int(values.get("n_anonymized") or values.get("n_people") or 0)
    level = _level(strongest)
    step, address = _step(submission, level, audit, may_audit=may_audit)
    return Meaning(
        sentence=_sentence(strongest, n),
        level=level,
        official=official if is_beaten else None,
        step=step,
        step_url=address,
    )


def _rate(reached: Reached) -> float:
    return reached.rate


def _official(submission: Submission, values: Values) -> Iterator[Reached]:
    """The rates of the built-in attacks of the rules that the viewer may see."""
    ruleset = submission.round.contest.ruleset
    for id_ in built_in_of(ruleset):
        if (rate := values.get(id_)) is not None:
            yield Reached(float(rate), shown_measure(ruleset.measure(id_)).title)


def _audited(audit: Audit | None) -> Iterator[Reached]:
    """The attackers of the audit of this submission, once it is done."""
    found: list[Mapping[str, object]] = (audit.values or {}).get("attacks", []) if audit else []
    for line in found:
        if "rate" in line and "attack" in line:
            yield Reached(float(str(line["rate"])), attack_title(str(line["attack"])))


def _attacked(submission: Submission, comparison: Comparison | None) -> Iterator[Reached]:
    """The strongest attack of another team, once the boards show it and if it was about this submission."""
    if comparison is not None and (rate := comparison.worst.get(submission.team_id)) is not None:
        yield Reached(rate, "")


def _level(strongest: Reached | None) -> str:
    if strongest is None:
        return UNKNOWN
    return DANGER if strongest.rate >= MOST else WARNING if strongest.rate >= SOME else GOOD


def _sentence(strongest: Reached | None, n: int) -> str:
    if strongest is None:
        return _("No attack on this table is known yet.")
    hits = round(strongest.rate * n)
    if not strongest.rate or (n and not hits):
        return _("No known attack finds a record.")
    facts = {"hits": hits, "n": n, "attack": strongest.name}
    if not strongest.name:
        return _("%(hits)d of %(n)d records are found by another team.") % facts
    return _("%(hits)d of %(n)d records are found by the attack “%(attack)s”.") % facts


def _step(
    submission: Submission, level: str, audit: Audit | None, *, may_audit: bool
) -> tuple[str, str]:
    """One next step, and its address."""
    if may_audit and audit is None:
        return _("Let every attacker of the platform try"), reverse(
            "audit", args=[submission.public_id]
        )
    if may_audit and level in (DANGER, WARNING) and submission.round.contest.format.declares_rows:
        return _("See which columns give records away"), reverse(
            "submission-data", args=[submission.public_id]
        )
    return _("Compare your attempts"), reverse("submission-history", args=[submission.public_id])
