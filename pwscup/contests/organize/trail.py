# SPDX-License-Identifier: Apache-2.0
"""The audit trail for readers: events, actors, and the values before and after."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pwscup.accounts.models import User
from pwscup.core import seals
from pwscup.core.models import Event

HEADER = ("id", "at", "actor", "kind", "subject", "data")
EVENT_TITLES = {
    "contest.created": gettext_lazy("contest created"),
    "contest.committed": gettext_lazy("committed to a secret"),
    "contest.revealed": gettext_lazy("secret published"),
    "draw.contributed": gettext_lazy("a team's text for the draws"),
    "draw.announced": gettext_lazy("public value for the draws announced"),
    "draw.value": gettext_lazy("public value for the draws entered"),
    "draw.mixed": gettext_lazy("contributions to draws fixed"),
    "contest.settings_changed": gettext_lazy("settings changed"),
    "contest.table_uploaded": gettext_lazy("table uploaded"),
    "contest.raw_table_uploaded": gettext_lazy("raw table uploaded"),
    "contest.raw_table_removed": gettext_lazy("raw table removed"),
    "contest.table_prepared": gettext_lazy("table prepared from the raw one"),
    "contest.table_attached": gettext_lazy("table and columns confirmed"),
    "contest.rounds_changed": gettext_lazy("rounds changed"),
    "contest.rounds_started": gettext_lazy("lesson started, all rounds moved"),
    "contest.round_opened": gettext_lazy("round opened manually"),
    "contest.round_closed": gettext_lazy("round closed manually"),
    "contest.round_paused": gettext_lazy("contest paused"),
    "contest.round_resumed": gettext_lazy("contest resumed"),
    "contest.round_extended": gettext_lazy("round extended"),
    "contest.round_reopened": gettext_lazy("round opened again"),
    "contest.outage_recorded": gettext_lazy("outage recorded"),
    "contest.published": gettext_lazy("contest published"),
    "contest.unpublished": gettext_lazy("contest unpublished"),
    "contest.office_invited": gettext_lazy("invitation to organize or judge created"),
    "contest.office_withdrawn": gettext_lazy("invitation to organize or judge withdrawn"),
    "contest.organizer_added": gettext_lazy("organizer added"),
    "contest.organizer_removed": gettext_lazy("organizer removed"),
    "contest.retention_changed": gettext_lazy("time to keep the data changed"),
    "contest.data_erased": gettext_lazy("data deleted"),
    "contest.terms_changed": gettext_lazy("terms changed"),
    "terms.accepted": gettext_lazy("terms accepted"),
    "contest.board_changed": gettext_lazy("visibility of the leaderboard changed"),
    "contest.board_frozen": gettext_lazy("leaderboard frozen"),
    "contest.board_revealed": gettext_lazy("leaderboard revealed"),
    "contest.ceremony_started": gettext_lazy("closing ceremony started"),
    "contest.ceremony_moved": gettext_lazy("places revealed"),
    "contest.ceremony_stopped": gettext_lazy("closing ceremony ended, leaderboard still frozen"),
    "contest.debriefing_changed": gettext_lazy("settings of the debriefing changed"),
    "contest.debriefing_examples": gettext_lazy("examples of the debriefing chosen"),
    "contest.debriefing_requested": gettext_lazy("debriefing requested again"),
    "contest.debriefing_done": gettext_lazy("debriefing computed"),
    "contest.debriefing_failed": gettext_lazy("debriefing failed"),
    "contest.judge_added": gettext_lazy("judge added"),
    "contest.judge_removed": gettext_lazy("judge removed"),
    "contest.division_created": gettext_lazy("division created"),
    "contest.division_renamed": gettext_lazy("division renamed"),
    "contest.division_removed": gettext_lazy("division removed"),
    "team.set_up": gettext_lazy("team set up by the organizers"),
    "team.division_changed": gettext_lazy("division of the team changed"),
    "team.invited_by_mail": gettext_lazy("personal invitation created"),
    "team.invitation_resent": gettext_lazy("personal invitation sent again"),
    "team.created": gettext_lazy("team created"),
    "team.renamed": gettext_lazy("team renamed"),
    "team.short_name_changed": gettext_lazy("short name of the team changed"),
    "team.invitation_created": gettext_lazy("invitation link created"),
    "team.invitation_revoked": gettext_lazy("invitation link revoked"),
    "team.joined": gettext_lazy("joined the team"),
    "team.left": gettext_lazy("left the team"),
    "team.removed": gettext_lazy("empty team removed"),
    "team.baseline_added": gettext_lazy("baseline team added"),
    "team.baseline_removed": gettext_lazy("baseline team removed"),
    "team.readmitted": gettext_lazy("person readmitted"),
    "team.member_removed": gettext_lazy("member removed"),
    "team.captain_transferred": gettext_lazy("captaincy transferred"),
    "contest.class_code_created": gettext_lazy("class code created"),
    "contest.class_code_revoked": gettext_lazy("class code revoked"),
    "account.guest_created": gettext_lazy("guest joined without an email address"),
    "account.link_created": gettext_lazy("sign-in link of a guest created"),
    "submission.received": gettext_lazy("submission received"),
    "submission.scored": gettext_lazy("submission scored"),
    "submission.rejected": gettext_lazy("submission rejected"),
    "submission.failed": gettext_lazy("scoring failed"),
    "submission.cancelled": gettext_lazy("submission cancelled"),
    "submission.files_deleted": gettext_lazy("files of refused submissions deleted"),
    "submission.chosen": gettext_lazy("submission chosen to count"),
    "submission.annotated": gettext_lazy("note changed"),
    "submission.retried": gettext_lazy("failed submission waits again"),
    "contest.fault": gettext_lazy("platform failure"),
    "contest.ruleset_changed": gettext_lazy("rules changed"),
    "contest.rescore_requested": gettext_lazy("re-scoring requested"),
    "contest.rescore_applied": gettext_lazy("re-scoring applied"),
    "contest.rescore_dropped": gettext_lazy("re-scoring discarded"),
    "contest.rescore_failed": gettext_lazy("re-scoring failed"),
    "contest.dry_run_requested": gettext_lazy("dry run requested"),
    "contest.dry_run_started": gettext_lazy("dry run started"),
    "contest.dry_run_done": gettext_lazy("dry run played"),
    "contest.dry_run_failed": gettext_lazy("dry run failed"),
    "contest.dry_run_removed": gettext_lazy("dry run removed"),
    "contest.report_requested": gettext_lazy("final report requested"),
    "contest.report_done": gettext_lazy("final report written"),
    "contest.report_failed": gettext_lazy("writing the final report failed"),
    "contest.report_published": gettext_lazy("final report published"),
    "archive.requested": gettext_lazy("archive requested"),
    "archive.written": gettext_lazy("archive written"),
    "archive.failed": gettext_lazy("archive failed"),
    "archive.downloaded": gettext_lazy("archive downloaded"),
    "archive.deleted": gettext_lazy("archive deleted"),
    "contest.imported": gettext_lazy("contest imported"),
    "contest.made_of_bundle": gettext_lazy("created from a Codabench bundle"),
    "import.requested": gettext_lazy("import requested"),
    "import.refused": gettext_lazy("import refused"),
    "import.failed": gettext_lazy("import failed"),
    "team.profile_changed": gettext_lazy("public page of the team changed"),
    "team.archive_consent": gettext_lazy("consent to be named in archives changed"),
    "ruling.withdrawn": gettext_lazy("submission withdrawn"),
    "ruling.disqualified": gettext_lazy("team disqualified"),
    "ruling.reinstated": gettext_lazy("reinstated"),
    "ruling.late_allowed": gettext_lazy("late submission allowed"),
    "appeal.written": gettext_lazy("appeal written"),
    "appeal.closed": gettext_lazy("appeal decided"),
    "announcement.published": gettext_lazy("announced"),
    "announcement.corrected": gettext_lazy("announcement corrected"),
    "announcement.withdrawn": gettext_lazy("announcement withdrawn"),
    "clarification.published": gettext_lazy("clarification published"),
    "question.asked": gettext_lazy("question asked"),
    "question.answered": gettext_lazy("question answered"),
    "webhook.added": gettext_lazy("webhook added"),
    "webhook.removed": gettext_lazy("webhook removed"),
    "webhook.enabled": gettext_lazy("webhook enabled"),
    "webhook.disabled": gettext_lazy("webhook disabled after failures"),
    "webhook.tested": gettext_lazy("webhook tested"),
    "hint.added": gettext_lazy("hint added"),
    "hint.published": gettext_lazy("hint published"),
    "hint.removed": gettext_lazy("hint deleted"),
    "material.added": gettext_lazy("material added"),
    "material.changed": gettext_lazy("material changed"),
    "material.moved": gettext_lazy("order of materials changed"),
    "material.removed": gettext_lazy("material removed"),
    "contest.appearance_changed": gettext_lazy("appearance changed"),
    "sponsor.added": gettext_lazy("sponsor added"),
    "sponsor.changed": gettext_lazy("sponsor changed"),
    "sponsor.moved": gettext_lazy("order of sponsors changed"),
    "sponsor.removed": gettext_lazy("sponsor removed"),
    "vote.opened": gettext_lazy("vote of the audience opened"),
    "vote.ended": gettext_lazy("vote of the audience ended"),
    "marks.saved": gettext_lazy("grades of a presentation saved"),
    "audit.requested": gettext_lazy("audit requested"),
    "audit.done": gettext_lazy("audit done"),
    "audit.failed": gettext_lazy("audit failed"),
    "batch.released": gettext_lazy("randomized table released"),
    "errors.noise_drawn": gettext_lazy("noise for the errors of estimates drawn"),
    "query.answered": gettext_lazy("query answered"),
    "original.chosen": gettext_lazy("one of a team's originals chosen"),
    "table.drawn": gettext_lazy("a team's own table drawn"),
    "release.published": gettext_lazy("table published"),
    "truth.read": gettext_lazy("answer key read"),
}
DETAIL_TITLES = {
    "answer": gettext_lazy("Answer"),
    "arrived_at": gettext_lazy("Arrived"),
    "attempt": gettext_lazy("Run of the scoring"),
    "audience": gettext_lazy("Visible to"),
    "closes_at": gettext_lazy("Closes"),
    "commitment": gettext_lazy("SHA-256 of the secret"),
    "days": gettext_lazy("Days"),
    "digest": gettext_lazy("Digest"),
    "division": gettext_lazy("Division"),
    "ended_at": gettext_lazy("Ended"),
    "epsilon": gettext_lazy("ε"),
    "expires_at": gettext_lazy("Expires"),
    "files": gettext_lazy("Files"),
    "frozen_at": gettext_lazy("Frozen"),
    "host": gettext_lazy("Host"),
    "max_team_size": gettext_lazy("Maximum team size"),
    "member": gettext_lazy("Member"),
    "moved": gettext_lazy("Moved"),
    "n_columns": gettext_lazy("Columns"),
    "n_differences": gettext_lazy("Differences"),
    "n_evaluations": gettext_lazy("Evaluations"),
    "n_failures": gettext_lazy("Failures"),
    "n_files": gettext_lazy("Files"),
    "n_places": gettext_lazy("Places"),
    "n_problems": gettext_lazy("Problems"),
    "n_raw": gettext_lazy("Records of the raw table"),
    "n_records": gettext_lazy("Records"),
    "n_submissions": gettext_lazy("Submissions"),
    "n_voters": gettext_lazy("Voters"),
    "name": gettext_lazy("Name"),
    "number": gettext_lazy("Number"),
    "opens_at": gettext_lazy("Opens"),
    "original": gettext_lazy("Number of the original"),
    "position": gettext_lazy("Position"),
    "reason": gettext_lazy("Reason"),
    "reference": gettext_lazy("Reference"),
    "round": gettext_lazy("Round"),
    "scoring_version": gettext_lazy("Version of the library"),
    "seats": gettext_lazy("Seats"),
    "short_name": gettext_lazy("Short name"),
    "size_bytes": gettext_lazy("Size in bytes"),
    "stage": gettext_lazy("Stage"),
    "started_at": gettext_lazy("Started"),
    "step": gettext_lazy("Step"),
    "steps": gettext_lazy("Steps"),
    "submission": gettext_lazy("Submission"),
    "summary": gettext_lazy("Summary (English)"),
    "summary_ja": gettext_lazy("Summary (Japanese)"),
    "target": gettext_lazy("Target"),
    "team": gettext_lazy("Team"),
    "text": gettext_lazy("Text"),
    "text_ja": gettext_lazy("Text (Japanese)"),
    "timezone": gettext_lazy("Time zone"),
    "title": gettext_lazy("Title"),
    "title_ja": gettext_lazy("Title (Japanese)"),
    "tries": gettext_lazy("Attempts"),
    "until": gettext_lazy("Until"),
    "url": gettext_lazy("Address"),
}
"""Of the keys of events, in pages; files keep the keys."""


@dataclass(frozen=True, slots=True)
class Shown:
    """An event; `actor` is empty for the platform itself."""

    at: datetime
    actor: str
    kind: str
    words: str
    subject: str
    details: tuple[tuple[str, str], ...]


def shown(events: Iterable[Event], zone: ZoneInfo) -> list[Shown]:
    """Events as text, with the current names of users and times in `zone`."""
    events = list(events)
    people = _people(events)
    return [
        Shown(
            at=event.at,
            actor=str(event.actor) if event.actor else "",
            kind=event.kind,
            words=str(EVENT_TITLES.get(event.kind, "")),
            subject=people.get(event.subject, event.subject),
            details=tuple(_details(event.data, zone)),
        )
        for event in events
    ]


def _people(events: Iterable[Event]) -> dict[str, str]:
    """The names of users who are subjects of events."""
    keys = {s.removeprefix("user ") for event in events if (s := event.subject).startswith("user ")}
    found = User.objects.filter(pk__in=[key for key in keys if key.isdecimal()])
    return {f"user {person.pk}": person.display_name for person in found}


def rows(events: Iterable[Event], zone: ZoneInfo) -> Iterator[tuple[object, ...]]:
    """Events as the records of a CSV file with the header `HEADER`."""
    for event in events:
        yield (
            event.pk,
            event.at.astimezone(zone).isoformat(timespec="seconds"),
            str(event.actor) if event.actor else "",
            event.kind,
            event.subject,
            json.dumps(event.data, ensure_ascii=False, sort_keys=True),
        )


def lines(contest_id: int) -> Iterator[bytes]:
    """The chain of a contest as JSON lines, in the format of `scoring.proof.trail`."""
    for entry in seals.chain(contest_id):
        yield json.dumps(entry, ensure_ascii=False).encode() + b"\n"


def _details(data: dict[str, Any], zone: ZoneInfo, prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in data.items():
        name = f"{prefix}{DETAIL_TITLES.get(key, key)}"
        if isinstance(value, dict):
            yield from _details(value, zone, f"{name} · ")
        elif isinstance(value, list) and len(value) == 2:
            yield name, " → ".join(_value(part, zone) for part in value)
        else:
            yield name, _value(value, zone)


def _value(value: Any, zone: ZoneInfo) -> str:
    if value in (None, ""):
        return _("nothing")
    if isinstance(value, str):
        moment = _moment(value)
        return value if moment is None else f"{moment.astimezone(zone):%Y-%m-%d %H:%M:%S %Z}"
    return str(value)


def _moment(text: str) -> datetime | None:
    """The time in an ISO text with a zone."""
    if "T" not in text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else None
