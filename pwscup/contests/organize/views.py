# SPDX-License-Identifier: Apache-2.0
"""The organizer's contests: list, creation, settings, publication, staff, and the audit trail."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pwscup.accounts.invitations import keep_proof
from pwscup.accounts.models import OfficeInvitation
from pwscup.contests import guidance, policies, selectors, services
from pwscup.contests.forms import JudgeForm, MomentField, OrganizerForm, SettingsForm
from pwscup.contests.models import Contest
from pwscup.contests.organize import trail, wizard
from pwscup.contests.organize.common import (
    carry_out,
    for_organizers,
    organizer_page,
    tell,
    version_of,
)
from pwscup.contests.organize.status import shows_judges, status
from pwscup.contests.services.commitment import (
    add_public_value,
    mixes_of,
    public_value_of,
)
from pwscup.contests.services.games import games_of, red_lines
from pwscup.contests.services.staff import REFUSALS, open_invitations, refusal_of_office
from pwscup.core import seals
from pwscup.core.files.exports import csv_stream, in_parts
from pwscup.core.http.attachments import attached
from pwscup.core.http.posted import posted_number
from pwscup.core.http.requests import SignedIn

Office = OfficeInvitation.Office
EVENTS_ON_A_PAGE = 50
FORM = require_http_methods(["GET", "HEAD", "POST"])


@require_safe
@login_required
def contests(request: HttpRequest) -> HttpResponse:
    lines = selectors.organizer_list(request.user, timezone.now())
    may_create = policies.may_create_contests(request.user)
    if not lines and not may_create:
        raise Http404
    return render(request, "organize/list.html", {"lines": lines, "may_create": may_create})


@FORM
@login_required
def new(request: SignedIn) -> HttpResponse:
    if not policies.may_create_contests(request.user):
        raise Http404
    form = wizard.form_of(request)
    if form.is_valid():
        contest = services.create_contest(actor=request.user, **form.cleaned_data)
        messages.success(request, _("The contest is created as a draft. Next: its table."))
        return redirect("organize-data", contest.slug)
    page = {"form": form, **wizard.cards(wizard.asked_of(request), form["ruleset"].value())}
    return render(request, "organize/new.html", page)


@require_safe
@for_organizers
def contest(request: HttpRequest, contest: Contest) -> HttpResponse:
    return _overview(request, contest)


def _overview(
    request: HttpRequest,
    contest: Contest,
    form: OrganizerForm | None = None,
    judge_form: JudgeForm | None = None,
) -> HttpResponse:
    page = organizer_page(request, contest, "overview")
    invited = list(open_invitations(contest))
    page |= status(request, contest, page["now"]) | {
        "timeline": guidance.timeline(page["contest_rounds"], page["now"]),
        "interruptions": guidance.interruptions(contest, page["now"]),
        "is_certified": contest.is_published or red_lines(contest) is not None,
        "games": [] if contest.is_published else games_of(red_lines(contest) or ()),
        "may_unpublish": policies.may_unpublish(request.user, contest),
        "organizers": contest.organizers.order_by("display_name", "pk"),
        "organizer_form": form or OrganizerForm(),
        "judges": contest.judges.order_by("display_name", "pk"),
        "shows_judges": shows_judges(contest, invited),
        "invited": invited,
        "judge_form": judge_form or JudgeForm(prefix="judge"),
    }
    return render(request, "organize/contest.html", page)


@FORM
@for_organizers
def settings(request: SignedIn, contest: Contest) -> HttpResponse:
    shown = organizer_page(request, contest, "settings")
    before = {"version": contest.version}
    edited = Contest.objects.get(pk=contest.pk)  # a form writes its input into its instance
    form = SettingsForm(request.POST or None, instance=edited, initial=before)
    if form.is_valid():
        values = dict(form.cleaned_data)
        try:
            services.update_settings(
                actor=request.user, contest=contest, version=values.pop("version"), values=values
            )
        except services.ContestRefused as refusal:
            tell(request, refusal)
        else:
            messages.success(request, _("Saved."))
        return redirect("organize-settings", contest.slug)
    return render(request, "organize/settings.html", shown | {"form": form})


@require_POST
@for_organizers
def publish(request: HttpRequest, contest: Contest) -> HttpResponse:
    said = {"sentence": request.POST.get("sentence", "")}
    if "start" in request.POST:
        done = _("The contest is public, and its first round is open.")
        return _change(request, contest, services.publish_and_start, done, **said)
    return _change(request, contest, services.publish, _("The contest is public now."), **said)


@require_POST
@for_organizers
def unpublish(request: HttpRequest, contest: Contest) -> HttpResponse:
    return _change(request, contest, services.unpublish, _("The contest is unpublished."))


def _change(
    request: HttpRequest, contest: Contest, service: Any, done: str, **more: Any
) -> HttpResponse:
    what = {"version": version_of(request), **more}
    return carry_out(request, contest, service, done=done, back="organize-contest", **what)


@require_POST
@for_organizers
def organizers(request: SignedIn, contest: Contest) -> HttpResponse:
    """Invite an organizer, withdraw an invitation, or remove an organizer, by the button next to the name."""
    form = OrganizerForm(request.POST)
    if answer := _office(request, contest, Office.ORGANIZER, form, services.remove_organizer):
        return answer
    stays = selectors.organized_contests(request.user).filter(pk=contest.pk).exists()
    return redirect("organize-contest", contest.slug) if stays else redirect("home")


@require_POST
@for_organizers
def judges(request: SignedIn, contest: Contest) -> HttpResponse:
    """The same for judges."""
    form = JudgeForm(request.POST, prefix="judge")
    answer = _office(request, contest, Office.JUDGE, form, services.remove_judge)
    return answer or redirect("organize-contest", contest.slug)


def _office(
    request: SignedIn, contest: Contest, office: str, form: OrganizerForm, remove: Any
) -> HttpResponse | None:
    """Do the action of the button; show the page with the form again after an error."""
    what: dict[str, Any] = {"actor": request.user, "contest": contest}
    try:
        if (leaving := posted_number(request, "remove")) is not None:
            remove(**what, user_id=leaving)
        elif (invitation := posted_number(request, "withdraw")) is not None:
            services.withdraw_office_invitation(**what, invitation_id=invitation)
            messages.success(request, _("The invitation is withdrawn."))
        elif form.is_valid():
            email = form.cleaned_data["email"]
            services.invite_to_office(**what, office=office, email=email)
            words = _("We sent an invitation to %(email)s.")
            messages.success(request, words % {"email": email})
        else:
            if isinstance(form, JudgeForm):
                return _overview(request, contest, judge_form=form)
            return _overview(request, contest, form)
    except services.ContestRefused as refusal:
        tell(request, refusal)
    return None


@never_cache
@FORM
def office(request: HttpRequest, token: str) -> HttpResponse:
    """The page of an invitation: the role and a button, or why it cannot be accepted."""
    invitation = selectors.office_invitation(token)
    if request.method == "POST":
        if not request.user.is_authenticated:
            return redirect_to_login(request.path)
        try:
            accepted = services.accept_office(user=request.user, invitation=invitation)
        except services.ContestRefused as refusal:
            tell(request, refusal)
            return redirect("office-invitation", token)
        if invitation.office == Office.ORGANIZER:
            return redirect("organize-contest", accepted.slug)
        messages.success(request, _("You judge “%(title)s”.") % {"title": accepted.local_title})
        return redirect("contest", accepted.slug) if accepted.is_published else redirect("home")
    code = refusal_of_office(request.user, invitation)
    page = {"invitation": invitation, "contest": invitation.contest, "next": request.path}
    page["reason"] = REFUSALS[code] if code else None
    page["is_proved"] = not code and request.user.is_anonymous and keep_proof(request, invitation)
    return render(request, "accounts/office.html", page)


# The audit trail


@require_safe
@for_organizers
def events(request: HttpRequest, contest: Contest) -> HttpResponse:
    paginator = Paginator(selectors.events_of(contest), EVENTS_ON_A_PAGE)
    found = paginator.get_page(request.GET.get("page"))
    page = organizer_page(request, contest, "events")
    page |= {
        "events": trail.shown(found.object_list, contest.tz),
        "found": found,
        "pages": paginator.get_elided_page_range(found.number, on_each_side=2, on_ends=1),
        "head": seals.head(contest.pk),
        "mixes": mixes_of(contest),
        "public_value": public_value_of(contest),
        "may_reveal": policies.may_reveal(request.user, contest, page["now"]),
    }
    return render(request, "organize/events.html", page)


@require_POST
@for_organizers
def public_value(request: HttpRequest, contest: Contest) -> HttpResponse:
    """Announce a public value for draws, or enter it."""
    what: dict[str, Any] = {key: request.POST.get(key, "") for key in ("source", "text")}
    try:
        due_at = MomentField(zone=contest.tz, required=False).clean(request.POST.get("due_at"))
    except ValidationError:
        due_at = None
    what |= {"due_at": due_at, "version": version_of(request)}
    return carry_out(
        request, contest, add_public_value, done=_("Saved."), back="organize-events", **what
    )


@require_safe
@for_organizers
def events_csv(request: HttpRequest, contest: Contest) -> StreamingHttpResponse:
    rows = trail.rows(in_parts(selectors.events_of(contest)), contest.tz)
    return csv_stream(selectors.download_name(contest, "events.csv"), trail.HEADER, rows)


@require_safe
@for_organizers
def events_jsonl(request: HttpRequest, contest: Contest) -> StreamingHttpResponse:
    """Every event with its seal, for verification that none was changed."""
    seals.seal_all(contest.pk)
    response = StreamingHttpResponse(trail.lines(contest.pk), content_type="application/x-ndjson")
    return attached(response, selectors.download_name(contest, "events.jsonl"))
