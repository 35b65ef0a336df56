# SPDX-License-Identifier: Apache-2.0
"""The text of a notice in the active language: never a result, a rank or a name that is not public."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from pwscup.contests import faults
from pwscup.core.models import Event
from pwscup.core.texts.moments import shown_moment
from pwscup.notices import changes, kinds

if TYPE_CHECKING:
    from pwscup.contests.models import Round
    from pwscup.notices.models import Notice


@dataclass(frozen=True, slots=True)
class Content:
    """Title, text and the path of the page with details."""

    title: str
    text: str
    path: str


def content(notice: Notice) -> Content:
    """The text of a notice in the current state."""
    if notice.announcement is not None:
        return _announcement(notice)
    if notice.kind in (kinds.QUESTION, kinds.ANSWER):
        return _question(notice)
    if notice.kind in (kinds.OPENED, kinds.CLOSING, kinds.RESULTS):
        return _round(notice)
    if notice.kind in (kinds.TEST, kinds.DISABLED):
        return _webhook(notice)
    if notice.kind == kinds.FAULT:
        return _fault(notice)
    return _event(notice)


def address(path: str) -> str:
    """The URL of a page in email and webhooks."""
    return settings.SITE_URL + path


def _announcement(notice: Notice) -> Content:
    found = notice.announcement
    assert found is not None
    path = reverse("news", args=[notice.contest.slug]) + f"#announcement-{found.pk}"
    return Content(found.local_title, found.local_text, path)


def _question(notice: Notice) -> Content:
    question = notice.question
    assert question is not None
    asked = _("%(team)s asked:") % {"team": question.team.name}
    parts = [asked, question.text]
    if notice.kind == kinds.QUESTION:
        path = reverse("organize-question", args=[notice.contest.slug, question.public_id])
        title = _("Question: %(subject)s") % {"subject": question.subject}
    else:
        path = reverse("question", args=[notice.contest.slug, question.public_id])
        title = _("Answer: %(subject)s") % {"subject": question.subject}
        parts += [_("The organizers answered:"), question.answer]
    return Content(title, "\n\n".join(parts), path)


def round_of(notice: Notice) -> Round:
    """The round of the notice."""
    return notice.contest.rounds.get(key=notice.round_key)


def _round(notice: Notice) -> Content:
    round, contest = round_of(notice), notice.contest
    name = {"round": round.local_title}
    path = reverse("round", args=[contest.slug, round.key])
    closes = shown_moment(round.closes_at, contest.tz)
    if notice.kind == kinds.OPENED:
        text = _("Files are accepted until %(time)s.") % {"time": closes}
        return Content(_("“%(round)s” is open") % name, text, path)
    if notice.kind == kinds.CLOSING:
        text = _("It closes at %(time)s. Files that arrive later are not accepted.") % {
            "time": closes
        }
        return Content(_("“%(round)s” closes soon") % name, text, path)
    text = _("The round closed at %(time)s. Its results are on the leaderboard.")
    path = reverse("board", args=[contest.slug])
    return Content(_("“%(round)s”: results are available") % name, text % {"time": closes}, path)


def _webhook(notice: Notice) -> Content:
    path = reverse("organize-webhooks", args=[notice.contest.slug])
    if notice.kind == kinds.TEST:
        return Content(_("This is a test"), _("An organizer requested it."), path)
    assert notice.webhook is not None
    host = urlsplit(notice.webhook.url).hostname or ""
    text = _(
        "Nothing is sent to %(host)s any more: %(n)d consecutive calls failed. Repair the service "
        "there, then enable the webhook again."
    ) % {"host": host, "n": kinds.MAX_FAILURES}
    return Content(_("A webhook is disabled"), text, path)


def _fault(notice: Notice) -> Content:
    event, contest = Event.objects.get(pk=notice.event_id or 0), notice.contest
    task, reference = event.data["task"], event.data["reference"]
    said = faults.words(contest, task, "" if event.subject == contest.slug else event.subject)
    more = _("The log has details under %(reference)s.") % {"reference": reference}
    path = reverse("organize-contest", args=[contest.slug])
    if task == faults.FAILED:
        path = reverse("organize-submissions", args=[contest.slug]) + f"?state={task}"
    return Content(_("A task has failed"), f"{said}\n\n{more}", path)


def _event(notice: Notice) -> Content:
    event = Event.objects.get(pk=notice.event_id or 0)
    told = changes.told(event, changes.titles_of(notice.contest), notice.contest.tz)
    return Content(told.title, told.text, reverse("news", args=[notice.contest.slug]))


def payload(notice: Notice) -> dict[str, Any]:
    """The body of a call: public facts only, with texts in all languages."""
    said = {}
    for code, _language in settings.LANGUAGES:
        with translation.override(code):
            said[code] = content(notice)
    data: dict[str, Any] = {
        "title": {code: words.title for code, words in said.items()},
        "text": {code: words.text for code, words in said.items()},
        "url": address(said["en"].path),
    }
    if notice.round_key:
        round = round_of(notice)
        data["round"] = round.key
        data["opens_at"] = round.opens_at.isoformat()
        data["closes_at"] = round.closes_at.isoformat()
    return {
        "id": str(notice.public_id),
        "kind": notice.kind,
        "contest": notice.contest.slug,
        "at": notice.at.isoformat(),
        "data": data,
    }
