# SPDX-License-Identifier: Apache-2.0
"""The leaderboard for its organizers: who sees it, the freeze, and the ceremony."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_noop as _

from pwscup.api import schemas
from pwscup.api.forms import checked, data_of
from pwscup.api.operations import Operations
from pwscup.api.organize.common import CONTEST, VERSION, contest_of
from pwscup.api.problems import ApiRefused
from pwscup.api.schemas import organize as shapes
from pwscup.api.teams.boards import ceremony_of
from pwscup.contests.models import Contest
from pwscup.leaderboards.ceremony import services
from pwscup.leaderboards.forms import SEASON, CeremonyForm, DisplayForm, FreezeForm

if TYPE_CHECKING:
    from pwscup.core.http.requests import ApiRequest
    from pwscup.leaderboards.models import Ceremony

router = Operations(tags=["organizing: leaderboard"])
BOARD, CEREMONY = f"{CONTEST}/board", f"{CONTEST}/ceremony"


@router.looks(
    BOARD, "organize-board", shapes.Display, _("Who sees the leaderboard, and its freeze")
)
def board(request: ApiRequest, slug: str) -> shapes.Display:
    return _display(contest_of(request, slug))


def _display(contest: Contest) -> shapes.Display:
    held = Contest.objects.get(pk=contest.pk)
    return shapes.Display(
        audience=held.board_audience,
        hidden_measures=held.hidden_measures,
        measures=list(held.ruleset.measures),
        frozen_at=held.frozen_at,
        version=held.version,
    )


@router.acts(
    BOARD,
    "organize-board",
    shapes.Display,
    _("Choose who sees the leaderboard, and which measures are hidden"),
    as_="organize-board-change",
    method="PUT",
)
def change(
    request: ApiRequest, slug: str, body: shapes.NewDisplay, version: int | None = VERSION
) -> shapes.Display:
    contest = contest_of(request, slug)
    given = checked(DisplayForm(contest, data_of(body, version=0))).cleaned_data
    services.change_display(
        actor=request.user,
        contest=contest,
        version=version,
        audience=given["audience"],
        hidden_measures=given["hidden_measures"],
    )
    return _display(contest)


@router.acts(
    f"{BOARD}/freeze",
    "organize-freeze",
    shapes.Display,
    _("Freeze the leaderboard now, or as of another time"),
)
def freeze(
    request: ApiRequest, slug: str, body: shapes.Freeze, version: int | None = VERSION
) -> shapes.Display:
    contest = contest_of(request, slug)
    at = checked(FreezeForm(contest, data_of(body, version=0))).cleaned_data["at"]
    services.freeze(actor=request.user, contest=contest, version=version, at=at)
    return _display(contest)


@router.acts(
    f"{BOARD}/thaw", "organize-thaw", shapes.Display, _("End the freeze without a ceremony")
)
def thaw(request: ApiRequest, slug: str, version: int | None = VERSION) -> shapes.Display:
    contest = contest_of(request, slug)
    services.reveal(actor=request.user, contest=contest, version=version)
    return _display(contest)


# The ceremony


@router.looks(
    CEREMONY,
    "organize-ceremony",
    schemas.Ceremony,
    _("The ceremony in progress, as far as it is revealed"),
)
def ceremony(request: ApiRequest, slug: str) -> schemas.Ceremony:
    return ceremony_of(contest_of(request, slug), on_stage=True)


@router.acts(
    CEREMONY,
    "organize-ceremony",
    schemas.Ceremony,
    _("Start a ceremony: the final order is fixed, and nothing is revealed yet"),
    as_="organize-ceremony-start",
)
def start(
    request: ApiRequest, slug: str, body: shapes.NewCeremony, version: int | None = VERSION
) -> schemas.Ceremony:
    contest = contest_of(request, slug)
    data = {"version": 0, "stage": body.stage or SEASON, "division": body.division}
    if not body.stage and len(contest.ruleset.stages) == 1:
        data["stage"] = contest.ruleset.stages[0].key
    form = checked(CeremonyForm(contest, data))
    services.start(
        actor=request.user,
        contest=contest,
        version=version,
        stage=form.stage,
        division=form.division,
    )
    return ceremony_of(contest, on_stage=True)


def _open(contest: Contest) -> Ceremony:
    found = services.open_ceremony(contest)
    if found is None:
        raise ApiRefused("ceremony.none")
    return found


@router.acts(
    f"{CEREMONY}/move",
    "organize-ceremony-move",
    schemas.Ceremony,
    _("Reveal the next place, hide the last one again, or reveal all"),
)
def move(request: ApiRequest, slug: str, body: shapes.Move) -> schemas.Ceremony:
    contest = contest_of(request, slug)
    held = _open(contest)
    if body.to not in services.MOVES:
        raise ApiRefused("ceremony.move", expected=", ".join(services.MOVES), got=body.to)
    services.move(
        actor=request.user, contest=contest, ceremony_id=held.pk, seen=body.step, to=body.to
    )
    return ceremony_of(contest, on_stage=True)


@router.acts(
    f"{CEREMONY}/end",
    "organize-ceremony-end",
    shapes.Display,
    _("End the ceremony: show all boards, or keep them frozen"),
)
def end(request: ApiRequest, slug: str, body: shapes.CeremonyEnd) -> shapes.Display:
    contest = contest_of(request, slug)
    held = _open(contest)
    service = services.stop if body.keeps_frozen else services.finish
    service(actor=request.user, contest=contest, ceremony_id=held.pk)
    return _display(contest)
