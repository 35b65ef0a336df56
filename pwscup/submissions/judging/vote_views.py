# SPDX-License-Identifier: Apache-2.0
"""Pages of the vote of the audience: for members of teams, for guests with the link, and for organizers."""

from __future__ import annotations

import secrets
from http import HTTPStatus
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from pwscup.accounts.policies import is_organizer
from pwscup.contests.selectors import contest_page, visible_round
from pwscup.core.http.posted import MAX_DIGITS, posted_number
from pwscup.core.http.requests import SignedIn
from pwscup.submissions.judging import votes
from pwscup.submissions.judging.models import TalkVote

if TYPE_CHECKING:
    from pwscup.contests.models import Round

COOKIE, SALT = "pwscup_voter", "pwscup.vote"
KEPT_SECONDS = 7 * 24 * 3600


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def vote(request: SignedIn, slug: str, key: str) -> HttpResponse:
    """The ballot of a member of a team."""
    round = visible_round(request.user, slug, key)
    if not votes.may_vote(request.user, round):
        raise Http404
    return _ballot(request, round, votes.Voter(user=request.user))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def guest_vote(request: HttpRequest, token: str) -> HttpResponse:
    """The ballot of a browser with the link; a member of a team is led to his own."""
    found = TalkVote.objects.select_related("round__contest").filter(
        round__contest__is_published=True
    )
    round = get_object_or_404(found, token=token).round
    if votes.may_vote(request.user, round):
        return redirect("vote", round.contest.slug, round.key)
    guest = request.get_signed_cookie(COOKIE, "", salt=SALT, max_age=KEPT_SECONDS)
    voter = votes.Voter(guest=guest or secrets.token_hex(16))
    response = _ballot(request, round, voter)
    response.set_signed_cookie(
        COOKIE,
        voter.guest,
        salt=SALT,
        max_age=KEPT_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


def _ballot(request: HttpRequest, round: Round, voter: votes.Voter) -> HttpResponse:
    status = HTTPStatus.OK
    if request.method == "POST":
        sent = request.POST.getlist("team")
        teams = [int(text) for text in sent if text.isascii() and text.isdigit()][:100]
        try:
            votes.cast(voter=voter, round=round, teams=[t for t in teams if t < 10**MAX_DIGITS])
        except votes.VoteRefused as refusal:
            messages.error(request, refusal.message)
            status = HTTPStatus.UNPROCESSABLE_ENTITY
        else:
            messages.success(
                request, _("Your vote is saved. You can change it until the vote ends.")
            )
            return redirect(request.path)
    found = votes.vote_of(round)
    chosen = votes.chosen_by(found, voter) if found else set()
    page = contest_page(request, round.contest, round.key) | {
        "round": round,
        "vote": found,
        "chosen": chosen,
        "teams": votes.candidates(round, voter),
        "award": votes.result_of(found) if found and found.ended_at else None,
    }
    return render(request, "submissions/vote.html", page, status=status)


@require_POST
@login_required
def organize_vote(request: SignedIn, slug: str, key: str) -> HttpResponse:
    """Open the vote, or end it."""
    round = visible_round(request.user, slug, key)
    if not (round.format.is_judged and is_organizer(request.user, round.contest)):
        raise Http404
    try:
        if request.POST.get("do") == "end":
            votes.end_vote(actor=request.user, round=round)
        else:
            most = posted_number(request, "most")
            most = votes.MOST_CHOICES if most is None else most
            votes.open_vote(
                actor=request.user,
                round=round,
                most=min(max(most, 1), votes.MOST_CHOICES),
                has_guests=request.POST.get("guests") == "on",
            )
    except votes.VoteRefused as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, _("Saved."))
    return redirect("round", slug, key)
