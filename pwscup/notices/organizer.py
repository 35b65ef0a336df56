# SPDX-License-Identifier: Apache-2.0
"""The organizer's pages of news, questions and webhooks."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from pwscup.contests.models import Contest
from pwscup.contests.organize.common import for_organizers, organizer_page, tell
from pwscup.core.http.requests import SignedIn
from pwscup.notices import selectors, services
from pwscup.notices.forms import (
    AnnouncementForm,
    AnswerForm,
    ClarificationForm,
    CorrectionForm,
    WebhookForm,
    WithdrawalForm,
)
from pwscup.notices.models import Announcement, Question

ON_A_PAGE = 30
FORM = require_http_methods(["GET", "HEAD", "POST"])


# News


@FORM
@for_organizers
def news(request: SignedIn, contest: Contest) -> HttpResponse:
    """The announcements; a POST adds one."""
    form = AnnouncementForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            services.publish_announcement(
                actor=request.user, contest=contest, values=form.cleaned_data
            )
        except services.NoticeRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("Announced. Emails are being sent."))
            return redirect("organize-news", contest.slug)
    announced = Paginator(contest.announcements.all(), ON_A_PAGE).get_page(request.GET.get("page"))
    page = organizer_page(request, contest, "news")
    page |= {
        "form": form,
        "found": announced,
        "n_open": selectors.n_open_questions(contest),
        "mails": selectors.mails_by_state(contest),
    }
    return render(request, "notices/organize_news.html", page)


@FORM
@for_organizers
def announcement(request: SignedIn, contest: Contest, number: int) -> HttpResponse:
    """The text of an announcement; a POST corrects it."""
    found = selectors.announcement_of(contest, number)
    edited = Announcement.objects.get(pk=found.pk)  # a form writes its input into its instance
    form = CorrectionForm(request.POST or None, instance=edited, initial={"version": found.version})
    if form.is_valid():
        values = dict(form.cleaned_data)
        try:
            services.correct_announcement(
                actor=request.user,
                announcement=found,
                version=values.pop("version"),
                values=values,
            )
        except services.NoticeRefused as refusal:
            tell(request, refusal)
            return redirect("organize-announcement", contest.slug, number)
        messages.success(request, _("Saved."))
        return redirect("organize-news", contest.slug)
    return _announcement(request, contest, found, form, WithdrawalForm())


def _announcement(
    request: HttpRequest,
    contest: Contest,
    found: Announcement,
    form: CorrectionForm,
    withdrawal: WithdrawalForm,
) -> HttpResponse:
    page = organizer_page(request, contest, "news")
    page |= {"announcement": found, "form": form, "withdrawal": withdrawal}
    return render(request, "notices/organize_announcement.html", page)


@require_POST
@for_organizers
def withdraw(request: SignedIn, contest: Contest, number: int) -> HttpResponse:
    found = selectors.announcement_of(contest, number)
    form = WithdrawalForm(request.POST)
    if not form.is_valid():
        correction = CorrectionForm(instance=found, initial={"version": found.version})
        return _announcement(request, contest, found, correction, form)
    try:
        services.withdraw_announcement(actor=request.user, announcement=found, **form.cleaned_data)
    except services.NoticeRefused as refusal:
        tell(request, refusal)
    return redirect("organize-news", contest.slug)


# Questions


@require_http_methods(["GET", "HEAD"])
@for_organizers
def questions(request: HttpRequest, contest: Contest) -> HttpResponse:
    asked = selectors.questions_to(contest)
    found = Paginator(asked, ON_A_PAGE).get_page(request.GET.get("page"))
    page = organizer_page(request, contest, "questions")
    page |= {"found": found, "n_open": selectors.n_open_questions(contest)}
    return render(request, "notices/organize_questions.html", page)


@FORM
@never_cache
@for_organizers
def question(request: SignedIn, contest: Contest, public_id: UUID) -> HttpResponse:
    """A question; a POST answers it, or corrects the answer."""
    found = selectors.question_of(request.user, contest, public_id)
    form = AnswerForm(request.POST or None, initial={"answer": found.answer})
    if form.is_valid():
        services.answer_question(actor=request.user, question=found, **form.cleaned_data)
        messages.success(request, _("The team is notified."))
        return redirect("organize-question", contest.slug, public_id)
    return _question(request, contest, found, form, None)


def _question(
    request: HttpRequest,
    contest: Contest,
    question: Question,
    form: AnswerForm,
    clarification: ClarificationForm | None,
) -> HttpResponse:
    page = organizer_page(request, contest, "questions")
    page |= {
        "question": question,
        "form": form,
        "published": selectors.clarification_of(question),
        "clarification_form": clarification or ClarificationForm(initial=_proposed(question)),
    }
    return render(request, "notices/organize_question.html", page)


def _proposed(question: Question) -> dict[str, str]:
    """Question and answer, to be edited, in the field of their probable language."""
    words = f"{question.text}\n\n{question.answer}".strip()
    in_japanese = "" if words.isascii() else "_ja"
    return {f"title{in_japanese}": question.subject, f"text{in_japanese}": words}


@require_POST
@for_organizers
def clarify(request: SignedIn, contest: Contest, public_id: UUID) -> HttpResponse:
    found = selectors.question_of(request.user, contest, public_id)
    form = ClarificationForm(request.POST)
    if form.is_valid():
        values: dict[str, Any] = dict(form.cleaned_data)
        name_is_a_word = values.pop("name_is_a_word")
        try:
            services.publish_clarification(
                actor=request.user, question=found, values=values, name_is_a_word=name_is_a_word
            )
        except services.NoticeRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("The clarification is published."))
            return redirect("organize-question", contest.slug, public_id)
    return _question(request, contest, found, AnswerForm(initial={"answer": found.answer}), form)


# Webhooks


@FORM
@never_cache
@for_organizers
def webhooks(request: SignedIn, contest: Contest) -> HttpResponse:
    """The recipients of news; a POST adds a URL, and only its response shows the secret."""
    form, secret = WebhookForm(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        try:
            _webhook, secret = services.add_webhook(
                actor=request.user, contest=contest, url=form.cleaned_data["url"]
            )
            form = WebhookForm()
        except services.NoticeRefused as refusal:
            form.add_error("url", str(refusal))
    page = organizer_page(request, contest, "webhooks")
    page |= {
        "form": form,
        "secret": secret,
        "webhooks": selectors.webhooks_of(contest),
        "calls": selectors.calls_of(contest),
    }
    return render(request, "notices/organize_webhooks.html", page)


@require_POST
@for_organizers
def webhook(request: SignedIn, contest: Contest, public_id: UUID) -> HttpResponse:
    """The action of a button next to a URL."""
    found = selectors.webhook_of(contest, public_id)
    actions = {
        "test": (services.test_webhook, _("A test is being sent; see the list below.")),
        "enable": (services.enable_webhook, _("The webhook is enabled again.")),
        "remove": (services.remove_webhook, _("The webhook is removed.")),
    }
    chosen = actions.get(request.POST.get("action", ""))
    if chosen is None:
        raise Http404
    service, done = chosen
    try:
        service(actor=request.user, webhook=found)
        messages.success(request, done)
    except services.NoticeRefused as refusal:
        tell(request, refusal)
    return redirect("organize-webhooks", contest.slug)
