# SPDX-License-Identifier: Apache-2.0
"""News, the own team's questions to the organizers, and the choice of emails."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.http import Http404, HttpResponse
from django.utils.translation import gettext_noop as _
from ninja import Query, Status

from pwscup.api import schemas
from pwscup.api.forms import checked, data_of
from pwscup.api.operations import Operations, Paging, paged
from pwscup.api.teams.common import CONTEST, own_team
from pwscup.contests.selectors import visible_contest
from pwscup.notices import policies, selectors, services
from pwscup.notices.forms import MailForm, QuestionForm
from pwscup.notices.models import Preference
from pwscup.notices.sending import mails

if TYPE_CHECKING:
    from pwscup.contests.models import Contest
    from pwscup.core.http.requests import ApiRequest
    from pwscup.notices.models import Question
    from pwscup.notices.selectors import Item

router = Operations(tags=["news and questions"])


@router.looks(
    f"{CONTEST}/news",
    "news",
    list[schemas.News],
    _("News of a contest, important ones first, then the newest"),
)
def news(
    request: ApiRequest, response: HttpResponse, slug: str, paging: Query[Paging]
) -> list[schemas.News]:
    found = selectors.news(visible_contest(request.user, slug))
    return [_item(item) for item in paged(request, response, found, paging)]


def _item(item: Item) -> schemas.News:
    written = item.announcement
    return schemas.News(
        key=item.key,
        at=item.at,
        changed_at=item.changed_at,
        title=item.title,
        text=item.text,
        is_important=item.is_pinned,
        withdrawn=written.withdrawn_reason if written and written.withdrawn_at else None,
    )


@router.looks(
    f"{CONTEST}/questions",
    "questions",
    list[schemas.Question],
    _("Questions of your team to the organizers, the newest first"),
)
def questions(
    request: ApiRequest, response: HttpResponse, slug: str, paging: Query[Paging]
) -> list[schemas.Question]:
    team = own_team(request, visible_contest(request.user, slug))
    found = selectors.questions_of(team)
    return [shown_question(one) for one in paged(request, response, found, paging)]


@router.acts(
    f"{CONTEST}/questions",
    "questions",
    schemas.Question,
    _("Ask the organizers a question"),
    as_="question-ask",
    status=201,
)
def ask(request: ApiRequest, slug: str, body: schemas.Ask) -> Status:
    contest = visible_contest(request.user, slug)
    team = own_team(request, contest)
    if not policies.may_ask(request.user, contest):
        raise Http404
    given = checked(QuestionForm(data_of(body))).cleaned_data
    made = services.ask_question(user=request.user, team=team, **given)
    return Status(201, shown_question(selectors.question_of(request.user, contest, made.public_id)))


@router.looks(
    f"{CONTEST}/questions/{{uuid:public_id}}",
    "question",
    schemas.Question,
    _("A question of your team, with its answer"),
)
def question(request: ApiRequest, slug: str, public_id: UUID) -> schemas.Question:
    contest = visible_contest(request.user, slug)
    return shown_question(selectors.question_of(request.user, contest, public_id))


def shown_question(found: Question) -> schemas.Question:
    """A question as its team and the organizers read it."""
    public = getattr(found, "clarification", None)
    return schemas.Question(
        id=found.public_id,
        team=found.team.slug,
        subject=found.subject,
        text=found.text,
        asked_at=found.asked_at,
        asked_by=found.asked_by.display_name if found.asked_by else None,
        answer=found.answer,
        answered_at=found.answered_at,
        is_published=public is not None and public.withdrawn_at is None,
    )


# Email


@router.looks(
    f"{CONTEST}/mail", "mail-preferences", schemas.Mail, _("The emails of a contest that you get")
)
def mail(request: ApiRequest, slug: str) -> schemas.Mail:
    return _mail(request, _with_mail(request, slug))


@router.acts(
    f"{CONTEST}/mail",
    "mail-preferences",
    schemas.Mail,
    _("Choose the emails of a contest that you get"),
    as_="choose-mail",
    method="PUT",
)
def choose_mail(request: ApiRequest, slug: str, body: schemas.Mail) -> schemas.Mail:
    contest = _with_mail(request, slug)
    chosen = checked(MailForm(data_of(body))).cleaned_data
    services.choose_mail(user=request.user, contest=contest, **chosen)
    return _mail(request, contest)


def _with_mail(request: ApiRequest, slug: str) -> Contest:
    contest = visible_contest(request.user, slug)
    if not policies.gets_mail(request.user, contest):
        raise Http404
    return contest


def _mail(request: ApiRequest, contest: Contest) -> schemas.Mail:
    chosen = selectors.preference_of(request.user, contest)
    return schemas.Mail(
        wanted=chosen.wanted if chosen else Preference.Wanted.ALL,
        language=mails.language_of(request.user, contest.pk),
    )
