# SPDX-License-Identifier: Apache-2.0
"""Pages of news, questions and email preferences for participants."""

from __future__ import annotations

from dataclasses import asdict
from http import HTTPStatus
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from pwscup.accounts.selectors import team_of
from pwscup.accounts.services import remember_language
from pwscup.contests.models import Contest
from pwscup.contests.selectors import contest_page, visible_contest
from pwscup.core.http import polling
from pwscup.core.http.requests import SignedIn
from pwscup.notices import policies, selectors, services
from pwscup.notices import toasts as selection
from pwscup.notices.forms import MailForm, QuestionForm
from pwscup.notices.models import Preference
from pwscup.notices.sending import mails
from pwscup.notices.webhooks import signing

ITEMS_ON_A_PAGE = 30
MAX_DIGITS = 18
"""The digits of a key that a database accepts."""
FORM = require_http_methods(["GET", "HEAD", "POST"])


@require_safe
def news(request: HttpRequest, slug: str) -> HttpResponse:
    contest = visible_contest(request.user, slug)
    page = contest_page(request, contest, "news")
    found = Paginator(selectors.news(contest), ITEMS_ON_A_PAGE).get_page(request.GET.get("page"))
    gets_mail = page["my_team"] is not None or page["is_organizer"]
    user = request.user if gets_mail and found.number == 1 else None
    if user and user.is_authenticated and selectors.n_unread(user.pk, contest.pk):
        services.note_visit(user=user, contest=contest, seen_at=page["now"])
    may_ask = contest.is_published and page["my_team"] is not None
    page |= {"found": found, "gets_mail": gets_mail, "may_ask": may_ask}
    return render(request, "notices/news.html", page)


@require_safe
@login_required
def toasts(request: SignedIn) -> HttpResponse:
    """The notices after the key `after` as JSON; without a key only the newest key, so that a page begins with none."""
    now, asked = timezone.now(), request.GET.get("after", "")
    newest = selection.newest_for(request.user, now)
    after = (
        int(asked) if asked.isascii() and asked.isdigit() and len(asked) < MAX_DIGITS else newest
    )
    etag = polling.etag(newest, after)
    response = get_conditional_response(request, etag=etag)
    if response is None:
        found = selection.toasts_for(request.user, now, after=after) if newest > after else []
        response = JsonResponse({"newest": newest, "toasts": [asdict(toast) for toast in found]})
    response["ETag"], response["Cache-Control"] = etag, "private, no-cache"
    return response


# Questions


@FORM
@login_required
@never_cache
def questions(request: SignedIn, slug: str) -> HttpResponse:
    """The team's own questions; a POST asks one."""
    contest = visible_contest(request.user, slug)
    if request.method == "POST":
        return _ask(request, contest, QuestionForm(request.POST))
    return _questions(request, contest, QuestionForm())


def _questions(
    request: HttpRequest, contest: Contest, form: QuestionForm, status: int = 200
) -> HttpResponse:
    page = contest_page(request, contest, "news")
    team = page["my_team"]
    own = selectors.questions_of(team) if team else []
    page |= {
        "form": form,
        "questions": own,
        "may_ask": contest.is_published and team is not None,
        "clarifications": selectors.clarifications_of(contest),
    }
    return render(request, "notices/questions.html", page, status=status)


def _ask(request: SignedIn, contest: Contest, form: QuestionForm) -> HttpResponse:
    team = team_of(request.user, contest)
    if team is None or not policies.may_ask(request.user, contest):
        raise Http404
    if not form.is_valid():
        return _questions(request, contest, form, HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        question = services.ask_question(user=request.user, team=team, **form.cleaned_data)
    except services.NoticeRefused as refusal:
        form.add_error(None, str(refusal))
        return _questions(request, contest, form, HTTPStatus.UNPROCESSABLE_ENTITY)
    remember_language(user=request.user, language=get_language() or "")
    messages.success(request, _("Your question was sent to the organizers."))
    return redirect("question", slug=contest.slug, public_id=question.public_id)


@require_safe
@login_required
@never_cache
def question(request: HttpRequest, slug: str, public_id: UUID) -> HttpResponse:
    contest = visible_contest(request.user, slug)
    found = selectors.question_of(request.user, contest, public_id)
    page = contest_page(request, contest, "news")
    page |= {"question": found, "clarification": selectors.clarification_of(found)}
    return render(request, "notices/question.html", page)


# Email


@FORM
@login_required
@never_cache
def mail_preferences(request: SignedIn, slug: str) -> HttpResponse:
    contest = visible_contest(request.user, slug)
    if not policies.gets_mail(request.user, contest):
        raise Http404
    chosen = selectors.preference_of(request.user, contest)
    form = MailForm(
        request.POST if request.method == "POST" else None,
        initial={
            "wanted": chosen.wanted if chosen else Preference.Wanted.ALL,
            "language": mails.language_of(request.user, contest.pk),
        },
    )
    if form.is_valid():
        services.choose_mail(user=request.user, contest=contest, **form.cleaned_data)
        messages.success(request, _("Saved."))
        return redirect("mail-preferences", contest.slug)
    page = contest_page(request, contest, "news") | {"form": form}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else 200
    return render(request, "notices/mail.html", page, status=status)


@csrf_exempt  # mail programs post without visiting a page; the token identifies user and contest
@FORM
@never_cache
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """A button, as programs that follow links in emails press none; and its result."""
    named = signing.unsubscribed(token)
    contest = Contest.objects.filter(pk=named[1]).first() if named else None
    if named is None or contest is None:
        raise Http404
    is_done = request.method == "POST"
    if is_done:
        services.unsubscribe(
            user_id=named[0],
            contest_id=contest.pk,
            language=get_language() or mails.DEFAULT_LANGUAGE,
        )
    page = {"named_contest": contest, "is_done": is_done}
    return render(request, "notices/unsubscribe.html", page)
