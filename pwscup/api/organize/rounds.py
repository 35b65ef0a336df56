# SPDX-License-Identifier: Apache-2.0
"""The clock of a contest: dates and limits of rounds, immediate changes, pauses and outages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import Http404
from django.utils.translation import gettext_noop as _

from pwscup.api.forms import checked, data_of
from pwscup.api.operations import Operations
from pwscup.api.organize.common import CONTEST, ROUND, VERSION, changed, contest_of
from pwscup.api.schemas import organize as shapes
from pwscup.contests import services
from pwscup.contests.forms import LengthForm, OutageForm, PauseForm, ResumeForm, RoundForm
from pwscup.contests.forms.rounds import FIELDS
from pwscup.contests.services import RoundPlan

if TYPE_CHECKING:
    from collections.abc import Callable

    from ninja import Schema

    from pwscup.contests.models import Contest, Round
    from pwscup.core.http.requests import ApiRequest

router = Operations(tags=["organizing: rounds"])


@router.acts(
    f"{CONTEST}/rounds",
    "organize-rounds",
    shapes.OrganizedContest,
    _("Change dates, attempts and feedback of rounds, all or none"),
    method="PATCH",
)
def rounds(
    request: ApiRequest, slug: str, body: shapes.Rounds, version: int | None = VERSION
) -> shapes.OrganizedContest:
    contest = contest_of(request, slug)
    plans = [_plan(_round(contest, one.key), one) for one in body.rounds]
    return changed(request, contest, services.update_rounds, version, plans=plans)


def _round(contest: Contest, key: str) -> Round:
    found = next((round for round in contest.rounds.all() if round.key == key), None)
    if found is None:
        raise Http404
    found.contest = contest
    return found


def _plan(round: Round, given: shapes.RoundChange) -> RoundPlan:
    """The values of a round, those that were sent in place of the present ones."""
    values = {name: getattr(round, name) for name in FIELDS} | data_of(given)
    del values["key"]
    if given.tries_per_day == 0:
        values["tries_per_day"] = None
    prefixed = {f"{round.key}-{name}": value for name, value in values.items()}
    return checked(RoundForm(prefixed, round=round)).plan()


@router.acts(
    f"{CONTEST}/rounds/start",
    "organize-start",
    shapes.OrganizedContest,
    _("Open the first round now, and move all others with it"),
)
def start(request: ApiRequest, slug: str, version: int | None = VERSION) -> shapes.OrganizedContest:
    return changed(request, contest_of(request, slug), services.start_rounds, version)


@router.acts(
    f"{ROUND}/open",
    "organize-round-open",
    shapes.OrganizedContest,
    _("Open a round now"),
)
def open_now(
    request: ApiRequest,
    slug: str,
    key: str,
    body: shapes.Opening,
    version: int | None = VERSION,
) -> shapes.OrganizedContest:
    contest = contest_of(request, slug)
    _round(contest, key)
    what = {"key": key, "keeps_end": body.keeps_end}
    return changed(request, contest, services.open_round_now, version, **what)


@router.acts(
    f"{ROUND}/close", "organize-round-close", shapes.OrganizedContest, _("Close a round now")
)
def close_now(
    request: ApiRequest, slug: str, key: str, version: int | None = VERSION
) -> shapes.OrganizedContest:
    contest = contest_of(request, slug)
    _round(contest, key)
    return changed(request, contest, services.close_round_now, version, key=key)


@router.acts(
    f"{ROUND}/extend",
    "organize-round-extend",
    shapes.OrganizedContest,
    _("Extend a round, by hours and minutes or until a time"),
)
def extend(
    request: ApiRequest,
    slug: str,
    key: str,
    body: shapes.Lengthening,
    version: int | None = VERSION,
) -> shapes.OrganizedContest:
    return _lengthen(request, contest_of(request, slug), key, services.extend_round, body, version)


@router.acts(
    f"{ROUND}/reopen",
    "organize-round-reopen",
    shapes.OrganizedContest,
    _("Open a closed round again, for hours and minutes or until a time"),
)
def reopen(
    request: ApiRequest,
    slug: str,
    key: str,
    body: shapes.Lengthening,
    version: int | None = VERSION,
) -> shapes.OrganizedContest:
    return _lengthen(request, contest_of(request, slug), key, services.reopen_round, body, version)


def _lengthen(
    request: ApiRequest,
    contest: Contest,
    key: str,
    service: Callable[..., Any],
    body: shapes.Lengthening,
    version: int | None,
) -> shapes.OrganizedContest:
    round = _round(contest, key)
    data = {f"round-{key}-{name}": value for name, value in data_of(body, version=0).items()}
    values = checked(LengthForm(data, round=round)).values() | {"key": key}
    del values["version"]
    return changed(request, contest, service, version, **values)


# Pauses and outages


@router.acts(
    f"{CONTEST}/pause",
    "organize-pause",
    shapes.OrganizedContest,
    _("Pause a contest: its clock stops"),
)
def pause(
    request: ApiRequest, slug: str, body: shapes.Reason, version: int | None = VERSION
) -> shapes.OrganizedContest:
    contest, what = contest_of(request, slug), _given(PauseForm, body)
    return changed(request, contest, services.pause, version, **what)


@router.acts(
    f"{CONTEST}/resume",
    "organize-resume",
    shapes.OrganizedContest,
    _("Resume a contest: all later dates move by the length of the pause"),
)
def resume(
    request: ApiRequest, slug: str, body: shapes.OptionalReason, version: int | None = VERSION
) -> shapes.OrganizedContest:
    contest, what = contest_of(request, slug), _given(ResumeForm, body)
    return changed(request, contest, services.resume, version, **what)


@router.acts(
    f"{CONTEST}/outage",
    "organize-outage",
    shapes.OrganizedContest,
    _("Record an outage: the dates after it move by its length"),
)
def outage(
    request: ApiRequest, slug: str, body: shapes.Outage, version: int | None = VERSION
) -> shapes.OrganizedContest:
    contest = contest_of(request, slug)
    what = _given(OutageForm, body, prefix="outage-", zone=contest.tz)
    return changed(request, contest, services.record_outage, version, **what)


def _given(
    form: Callable[..., Any], body: Schema, *, prefix: str = "", **options: Any
) -> dict[str, Any]:
    """The values of a form about the contest, without the version, which stands in the address."""
    data = {f"{prefix}{name}": value for name, value in data_of(body, version=0).items()}
    given = dict(checked(form(data, **options)).cleaned_data)
    del given["version"]
    return given
