"""From a sent form to submissions: after an error nothing is submitted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from http import HTTPStatus
from typing import TYPE_CHECKING

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from pwscup.accounts.selectors import team_of
from pwscup.core.http import unavailable
from pwscup.submissions import policies, selectors, services
from pwscup.submissions.forms import NoteForm
from pwscup.submissions.intake import limits
from pwscup.submissions.intake.gates import used_today
from pwscup.submissions.middleware import arrival
from pwscup.submissions.pages import rounds
from pwscup.submissions.services import SubmissionRefused

if TYPE_CHECKING:
    from django.http import HttpRequest

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Round
    from pwscup.submissions.intake.uploads import Part
    from pwscup.submissions.models import Release, Submission

Received = tuple[NoteForm, list["Submission"]]
Guesses = dict["Release", dict[str, "Part"]]
"""The files for each target, by their key."""


def receive(request: HttpRequest, round: Round) -> Received:
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


def receive_table(request: HttpRequest, round: Round, team: Team | None) -> Received:
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
    files = {key: (part.name, part.chunks()) for key, part in form.parts().items()}
    try:
        taken = services.submit(
            user=request.user,
            team=team,
            round=round,
            files=files,
            arrived_at=arrival(request),
            **form.said(),
            nonce=form.cleaned_data["nonce"],
        )
    except SubmissionRefused as refusal:
        form.add_error(None, refusal.message)
        return form, []
    return form, [taken]


def receive_guesses(request: HttpRequest, round: Round, team: Team) -> Received:
    """One submission for each target with a guess."""
    others = {r.team.slug: r for r in selectors.releases(round) if r.team_id != team.pk}
    form = rounds.guess_form(round, team, others.values(), request.POST, request.FILES)
    if not form.is_valid():
        return form, []
    guesses = {others[slug]: files for slug, files in form.cleaned_data["guess"].items()}
    used_up = _used_up(team, round, guesses, arrival(request))
    again = {target for target in used_up if _sent_before(request, team, target, guesses, form)}
    if errors := [error for target, error in used_up.items() if target not in again]:
        form.add_error(None, errors)
        return form, []
    return form, _submit_each(request, round, team, guesses, form)


def _files(parts: Mapping[str, Part]) -> dict[str, services.Upload]:
    return {key: (part.name, part.chunks()) for key, part in parts.items()}


def _sent_before(
    request: HttpRequest, team: Team, target: Release, guesses: Guesses, form: NoteForm
) -> bool:
    files = _files(guesses[target])
    nonce = form.cleaned_data["nonce"]
    return services.sent_before(request.user, team, target.round, target, files, nonce) is not None


def _used_up(
    team: Team, round: Round, guesses: Iterable[Release], arrived_at: datetime
) -> dict[Release, ValidationError]:
    """The targets whose attempts are used, in total or for today, found before anything is submitted."""
    left = selectors.tries_left_by_target(team, round)
    today = limits.left_today_by_target(team, round, arrived_at)
    over = _("%(team)s: all %(n)s attempts against this target are used")
    later = f"%(team)s: {used_today(round, arrived_at)}"
    errors = {}
    in_all = limits.left_in_all(team, round)
    too_many = _("%(team)s: only %(left)s of %(n)s attempts in the whole round are left")
    for n_before, target in enumerate(guesses):
        if in_all is not None and n_before >= in_all:
            shown = {"team": target.team.name, "left": in_all, "n": round.spec.tries_in_all}
            errors[target] = ValidationError(too_many, "tries_in_all", shown)
            continue
        shown = {"team": target.team.name, "n": round.tries}
        if not left.get(target.pk):
            errors[target] = ValidationError(over, "tries", shown)
        elif today is not None and not today.get(target.pk):
            errors[target] = ValidationError(later, "tries_today", shown)
    return errors


def _submit_each(
    request: HttpRequest, round: Round, team: Team, guesses: Guesses, form: NoteForm
) -> list[Submission]:
    """Submit the guesses; if one is refused or the platform is unavailable, list which were received and
    which were not.

    There is no transaction around them: the files are written in between, and others write too.
    """
    taken: dict[Release, Submission] = {}
    for target, files in guesses.items():
        try:
            taken[target] = services.submit(
                user=request.user,
                team=team,
                round=round,
                files=_files(files),
                arrived_at=arrival(request),
                target=target,
                **form.said(),
                nonce=form.cleaned_data["nonce"],
            )
        except SubmissionRefused as refusal:
            form.add_error(None, f"{target.team.name}: {refusal.message}")
        except Exception as error:
            status = unavailable.status_of(request, error) if taken else None
            if status is None:
                raise
            form.status = status
            form.add_error(None, f"{target.team.name}: {unavailable.HEADINGS[status]}")
        if target not in taken:
            break
    names = [target.team.name for target in guesses]
    if len(taken) < len(names) > 1:
        words = _("Received: %(received)s. Not received: %(others)s.")
        received, others = ", ".join(names[: len(taken)]), ", ".join(names[len(taken) :])
        form.add_error(None, words % {"received": received or "–", "others": others})
    if form.status != HTTPStatus.UNPROCESSABLE_ENTITY:
        words = _(
            "Send the same files again in a few minutes: files that were received are not counted twice."
        )
        form.add_error(None, words)
    return list(taken.values())
