# SPDX-License-Identifier: Apache-2.0
"""From a sent form to submissions: after an error nothing is submitted."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from pwscup.accounts.selectors import team_of
from pwscup.core.http import unavailable
from pwscup.core.texts.parts import listed, named
from pwscup.submissions import policies, selectors, services
from pwscup.submissions.forms import NoteForm
from pwscup.submissions.intake.guesses import files_of, refused_in_advance, submit_each
from pwscup.submissions.middleware import arrival
from pwscup.submissions.pages import rounds
from pwscup.submissions.services import SubmissionRefused

if TYPE_CHECKING:
    from pwscup.accounts.models import Team
    from pwscup.contests.models import Round
    from pwscup.core.http.requests import SignedIn
    from pwscup.submissions.intake.guesses import Guesses, Outcome
    from pwscup.submissions.models import Submission

Received = tuple[NoteForm, list["Submission"]]


def receive(request: SignedIn, round: Round) -> Received:
    """The form with its errors, and the new submissions."""
    team = team_of(request.user, round.contest)
    if policies.publishes_for_house(request.user, round):
        return receive_table(request, round, None)
    if team is None:
        form = NoteForm(request.POST)
        form.add_error(None, _("Files are submitted by teams, and you are not in a team yet."))
        return form, []
    taker = receive_guesses if round.format.has_targets else receive_table
    return taker(request, round, team)


def receive_table(request: SignedIn, round: Round, team: Team | None) -> Received:
    """One submission of a round without targets: a table, or slides; without `team` of the one that an organizer
    chose."""
    form = rounds.empty_form(request, round, request.POST, request.FILES)
    if not form.is_valid():
        return form, []
    team = team or form.chosen_team
    if team is None:
        form.add_error(
            None, _("The platform plays no team in this contest: choose some on the page Teams.")
        )
        return form, []
    try:
        taken = services.submit(
            user=request.user,
            team=team,
            round=round,
            files=files_of(form.parts()),
            arrived_at=arrival(request),
            **form.said(),
            nonce=form.cleaned_data["nonce"],
        )
    except SubmissionRefused as refusal:
        form.add_error(None, refusal.message)
        return form, []
    return form, [taken]


def receive_guesses(request: SignedIn, round: Round, team: Team) -> Received:
    """One submission for each target with a guess."""
    others = {r.team.slug: r for r in selectors.releases(round) if r.team_id != team.pk}
    form = rounds.guess_form(round, team, others.values(), request.POST, request.FILES)
    if not form.is_valid():
        return form, []
    guesses = {others[slug]: files for slug, files in form.cleaned_data["guess"].items()}
    nonce, arrived_at = form.cleaned_data["nonce"], arrival(request)
    if errors := refused_in_advance(request, round, team, guesses, arrived_at, nonce):
        form.add_error(None, errors)
        return form, []
    outcome = submit_each(request, round, team, guesses, arrived_at, nonce, form.said())
    _tell(form, guesses, outcome)
    return form, list(outcome.taken.values())


def _tell(form: NoteForm, guesses: Guesses, outcome: Outcome) -> None:
    """List which guesses were received and which were not, if one was refused or the platform is unavailable."""
    if outcome.failed is not None:
        name = outcome.failed.team.name
        if outcome.status is not None:
            form.status = outcome.status
        why = outcome.refusal.message if outcome.refusal else unavailable.HEADINGS[form.status]
        form.add_error(None, named(name, why))
    names = [target.team.name for target in guesses]
    n_taken = len(outcome.taken)
    if n_taken < len(names) > 1:
        words = _("Received: %(received)s. Not received: %(others)s.")
        received, others = listed(names[:n_taken]), listed(names[n_taken:])
        form.add_error(None, words % {"received": received or "–", "others": others})
    if form.status != HTTPStatus.UNPROCESSABLE_ENTITY:
        words = _(
            "Send the same files again in a few minutes: files that were received are not counted twice."
        )
        form.add_error(None, words)
