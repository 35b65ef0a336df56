# SPDX-License-Identifier: Apache-2.0
"""News, questions of teams, and webhooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.http import HttpResponse
from django.utils.translation import gettext_noop as _
from ninja import Query, Status

from pwscup.api import schemas
from pwscup.api.forms import checked, data_of
from pwscup.api.operations import Operations, Paging, paged
from pwscup.api.organize.common import CONTEST, contest_of
from pwscup.api.schemas import organize as shapes
from pwscup.api.teams.notices import shown_question
from pwscup.notices import selectors, services
from pwscup.notices.forms import (
    AnnouncementForm,
    AnswerForm,
    ClarificationForm,
    CorrectionForm,
    WebhookForm,
    WithdrawalForm,
)
from pwscup.notices.models import Announcement

if TYPE_CHECKING:
    from pwscup.core.http.requests import ApiRequest
    from pwscup.notices.models import Webhook

router = Operations(tags=["organizing: news and questions"])
NEWS, QUESTION = f"{CONTEST}/news", f"{CONTEST}/questions/{{uuid:public_id}}"
WEBHOOK = f"{CONTEST}/webhooks/{{uuid:public_id}}"


# News


@router.looks(
    NEWS,
    "organize-news",
    list[shapes.Announcement],
    _("The announcements of a contest, the newest first"),
)
def news(
    request: ApiRequest, response: HttpResponse, slug: str, paging: Query[Paging]
) -> list[shapes.Announcement]:
    contest = contest_of(request, slug)
    found = paged(request, response, contest.announcements.all(), paging)
    return [_announcement(one) for one in found]


def _announcement(found: Announcement) -> shapes.Announcement:
    return shapes.Announcement(
        number=found.pk,
        version=found.version,
        title=found.title,
        title_ja=found.title_ja,
        text=found.text,
        text_ja=found.text_ja,
        is_important=found.is_pinned,
        created_at=found.created_at,
        edited_at=found.edited_at,
        withdrawn_at=found.withdrawn_at,
        withdrawn_reason=found.withdrawn_reason,
    )


def _texts(body: shapes.NewAnnouncement, **more: Any) -> dict[str, Any]:
    data = data_of(body, **more)
    data["is_pinned"] = data.pop("is_important", False)
    return data


@router.acts(
    NEWS,
    "organize-news",
    shapes.Announcement,
    _("Announce something to everybody, with emails"),
    as_="organize-announce",
    status=201,
)
def announce(request: ApiRequest, slug: str, body: shapes.NewAnnouncement) -> Status:
    contest = contest_of(request, slug)
    values = checked(AnnouncementForm(_texts(body))).cleaned_data
    made = services.publish_announcement(actor=request.user, contest=contest, values=values)
    return Status(201, _announcement(made))


@router.acts(
    f"{NEWS}/{{int:number}}",
    "organize-announcement",
    shapes.Announcement,
    _("Correct an announcement"),
    method="PUT",
)
def correct(
    request: ApiRequest, slug: str, number: int, body: shapes.Correction
) -> shapes.Announcement:
    found = selectors.announcement_of(contest_of(request, slug), number)
    edited = Announcement.objects.get(pk=found.pk)  # a form writes its input into its instance
    values = dict(checked(CorrectionForm(_texts(body), instance=edited)).cleaned_data)
    version = values.pop("version")
    services.correct_announcement(
        actor=request.user, announcement=found, version=version, values=values
    )
    return _announcement(Announcement.objects.get(pk=found.pk))


@router.acts(
    f"{NEWS}/{{int:number}}/withdraw",
    "organize-announcement-withdraw",
    shapes.Announcement,
    _("Withdraw an announcement, with a reason"),
)
def withdraw(
    request: ApiRequest, slug: str, number: int, body: shapes.Reason
) -> shapes.Announcement:
    found = selectors.announcement_of(contest_of(request, slug), number)
    given = checked(WithdrawalForm(data_of(body))).cleaned_data
    services.withdraw_announcement(actor=request.user, announcement=found, **given)
    return _announcement(Announcement.objects.get(pk=found.pk))


# Questions


@router.looks(
    f"{CONTEST}/questions",
    "organize-questions",
    list[schemas.Question],
    _("The questions of all teams, the open ones first"),
)
def questions(
    request: ApiRequest, response: HttpResponse, slug: str, paging: Query[Paging]
) -> list[schemas.Question]:
    found = selectors.questions_to(contest_of(request, slug))
    return [shown_question(one) for one in paged(request, response, found, paging)]


@router.looks(QUESTION, "organize-question", schemas.Question, _("A question of a team"))
def question(request: ApiRequest, slug: str, public_id: UUID) -> schemas.Question:
    contest = contest_of(request, slug)
    return shown_question(selectors.question_of(request.user, contest, public_id))


@router.acts(
    QUESTION,
    "organize-question",
    schemas.Question,
    _("Answer a question, or correct the answer"),
    as_="organize-question-answer",
    method="PUT",
)
def answer(
    request: ApiRequest, slug: str, public_id: UUID, body: shapes.NewAnswer
) -> schemas.Question:
    contest = contest_of(request, slug)
    found = selectors.question_of(request.user, contest, public_id)
    given = checked(AnswerForm(data_of(body))).cleaned_data
    services.answer_question(actor=request.user, question=found, **given)
    return shown_question(selectors.question_of(request.user, contest, public_id))


@router.acts(
    f"{QUESTION}/publish",
    "organize-question-publish",
    schemas.Question,
    _("Publish a question and its answer for everybody, without the team"),
)
def clarify(
    request: ApiRequest, slug: str, public_id: UUID, body: shapes.Clarification
) -> schemas.Question:
    contest = contest_of(request, slug)
    found = selectors.question_of(request.user, contest, public_id)
    values = dict(checked(ClarificationForm(_texts(body))).cleaned_data)
    name_is_a_word = values.pop("name_is_a_word")
    services.publish_clarification(
        actor=request.user, question=found, values=values, name_is_a_word=name_is_a_word
    )
    return shown_question(selectors.question_of(request.user, contest, public_id))


# Webhooks


@router.looks(
    f"{CONTEST}/webhooks",
    "organize-webhooks",
    shapes.Webhooks,
    _("The webhooks of a contest, and their newest calls"),
)
def webhooks(request: ApiRequest, slug: str) -> shapes.Webhooks:
    contest = contest_of(request, slug)
    return shapes.Webhooks(
        webhooks=[_webhook(one) for one in selectors.webhooks_of(contest)],
        calls=[
            shapes.Call(
                kind=one.delivery.notice.kind,
                webhook=one.delivery.webhook.public_id if one.delivery.webhook else None,
                state=one.delivery.state,
                error=one.words,
            )
            for one in selectors.calls_of(contest)
        ],
    )


def _webhook(found: Webhook) -> shapes.Webhook:
    return shapes.Webhook(
        id=found.public_id,
        url=found.url,
        n_failures=found.n_failures,
        disabled_at=found.disabled_at,
    )


@router.acts(
    f"{CONTEST}/webhooks",
    "organize-webhooks",
    shapes.NewWebhook,
    _("Add a webhook; its secret is shown only now"),
    as_="organize-webhook-add",
    status=201,
)
def add_webhook(request: ApiRequest, slug: str, body: shapes.Url) -> Status:
    contest = contest_of(request, slug)
    url = checked(WebhookForm(data_of(body))).cleaned_data["url"]
    made, secret = services.add_webhook(actor=request.user, contest=contest, url=url)
    return Status(201, shapes.NewWebhook(**_webhook(made).dict(), secret=secret))


@router.acts(WEBHOOK, "organize-webhook", None, _("Remove a webhook"), method="DELETE", status=204)
def remove_webhook(request: ApiRequest, slug: str, public_id: UUID) -> Status:
    found = selectors.webhook_of(contest_of(request, slug), public_id)
    services.remove_webhook(actor=request.user, webhook=found)
    return Status(204, None)


@router.acts(
    f"{WEBHOOK}/test", "organize-webhook-test", None, _("Send a test to a webhook"), status=204
)
def test_webhook(request: ApiRequest, slug: str, public_id: UUID) -> Status:
    found = selectors.webhook_of(contest_of(request, slug), public_id)
    services.test_webhook(actor=request.user, webhook=found)
    return Status(204, None)


@router.acts(
    f"{WEBHOOK}/enable",
    "organize-webhook-enable",
    None,
    _("Enable a webhook that had failed too often"),
    status=204,
)
def enable_webhook(request: ApiRequest, slug: str, public_id: UUID) -> Status:
    found = selectors.webhook_of(contest_of(request, slug), public_id)
    services.enable_webhook(actor=request.user, webhook=found)
    return Status(204, None)
