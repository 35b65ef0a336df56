# SPDX-License-Identifier: Apache-2.0
"""Materials of a contest, and hints for teams in a round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import Http404
from django.utils.translation import gettext_noop as _
from ninja import Status

from pwscup.api.forms import checked, data_of, refuse_unknown
from pwscup.api.operations import Operations
from pwscup.api.organize.common import CONTEST, VERSION, contest_of
from pwscup.api.schemas import organize as shapes
from pwscup.api.teams.bodies import BINARY, FORM, check_type, form_of
from pwscup.contests.forms import (
    HierarchiesForm,
    HintForm,
    LinkForm,
    MaterialFileForm,
    MaterialForm,
)
from pwscup.contests.models import Contest, Material, RoundHint
from pwscup.contests.selectors import rounds_of
from pwscup.contests.services import hints as hint_services
from pwscup.contests.services import materials as services

if TYPE_CHECKING:
    from collections.abc import Callable

    from pwscup.core.http.requests import ApiRequest

router = Operations(tags=["organizing: materials"])
MATERIALS = f"{CONTEST}/materials"
MATERIAL = f"{MATERIALS}/{{int:number}}"
HINTS = f"{CONTEST}/hints"
HINT = f"{HINTS}/{{int:number}}"
TEXT = {"type": "string"}
FIELDS = ("kind", "title", "title_ja", "audience")
MATERIAL_BODY = {FORM: form_of(dict.fromkeys(FIELDS, TEXT) | {"file": BINARY})}
FILES = {
    "file": (MaterialFileForm, services.add_file),
    "hierarchies": (HierarchiesForm, services.add_hierarchies),
}
"""By the kind of a material with a file: the form, and the service that keeps it."""


@router.looks(
    MATERIALS,
    "organize-materials",
    list[shapes.OrganizedMaterial],
    _("The materials of a contest in their order"),
)
def materials(request: ApiRequest, slug: str) -> list[shapes.OrganizedMaterial]:
    return _materials(contest_of(request, slug))


def _materials(contest: Contest) -> list[shapes.OrganizedMaterial]:
    return [
        shapes.OrganizedMaterial(
            number=one.pk,
            kind=one.kind,
            title=one.title,
            title_ja=one.title_ja,
            audience=one.audience,
            url=one.url,
            file_name=one.file.name if one.file else "",
        )
        for one in Material.objects.filter(contest=contest).select_related("file")
    ]


@router.acts(
    MATERIALS,
    "organize-materials",
    list[shapes.OrganizedMaterial],
    _("Add a file or generalization hierarchies: a form with kind, titles, audience and file"),
    as_="organize-material-add",
    status=201,
    takes=MATERIAL_BODY,
)
def add_file(request: ApiRequest, slug: str, version: int | None = VERSION) -> Status:
    contest = contest_of(request, slug)
    check_type(request, [FORM])
    refuse_unknown(sorted({*request.POST} - {*FIELDS}), "form")
    refuse_unknown(sorted({*request.FILES} - {"file"}), "form")
    kind = request.POST.get("kind", "file")
    if kind not in FILES:
        raise Http404
    form, service = FILES[kind]
    data = request.POST.dict() | {"version": "0"}
    given = checked(form(data, request.FILES)).given()
    return Status(201, _added(request, contest, service, version, given))


def _added(
    request: ApiRequest,
    contest: Contest,
    service: Callable[..., Any],
    version: int | None,
    given: dict[str, Any],
) -> list[shapes.OrganizedMaterial]:
    service(actor=request.user, contest=contest, **(given | {"version": version}))
    return _materials(contest)


@router.acts(
    f"{MATERIALS}/links",
    "organize-material-link",
    list[shapes.OrganizedMaterial],
    _("Add a link to a page of the web"),
    status=201,
)
def add_link(
    request: ApiRequest, slug: str, body: shapes.NewLink, version: int | None = VERSION
) -> Status:
    contest = contest_of(request, slug)
    given = checked(LinkForm(data_of(body, version=0))).given()
    return Status(201, _added(request, contest, services.add_link, version, given))


def _material(contest: Contest, number: int) -> Material:
    found = Material.objects.filter(contest=contest, pk=number).first()
    if found is None:
        raise Http404
    return found


@router.acts(
    MATERIAL,
    "organize-material",
    list[shapes.OrganizedMaterial],
    _("Change the titles of a material, or who gets it"),
    as_="organize-material-change",
    method="PATCH",
)
def change(
    request: ApiRequest,
    slug: str,
    number: int,
    body: shapes.MaterialChange,
    version: int | None = VERSION,
) -> list[shapes.OrganizedMaterial]:
    contest = contest_of(request, slug)
    found = _material(contest, number)
    held = {name: getattr(found, name) for name in ("title", "title_ja", "audience")}
    given = checked(MaterialForm(held | data_of(body, version=0))).given() | {"number": number}
    return _added(request, contest, services.change, version, given)


@router.acts(
    f"{MATERIAL}/up",
    "organize-material-up",
    list[shapes.OrganizedMaterial],
    _("Move a material before the one above it"),
)
def move_up(
    request: ApiRequest, slug: str, number: int, version: int | None = VERSION
) -> list[shapes.OrganizedMaterial]:
    contest = contest_of(request, slug)
    _material(contest, number)
    return _added(request, contest, services.move_up, version, {"number": number})


@router.acts(
    MATERIAL,
    "organize-material",
    list[shapes.OrganizedMaterial],
    _("Remove a material"),
    as_="organize-material-remove",
    method="DELETE",
)
def remove(
    request: ApiRequest, slug: str, number: int, version: int | None = VERSION
) -> list[shapes.OrganizedMaterial]:
    contest = contest_of(request, slug)
    _material(contest, number)
    return _added(request, contest, services.remove, version, {"number": number})


# Hints


@router.looks(
    HINTS, "organize-hints", list[shapes.OrganizedHint], _("All hints for teams, by round")
)
def hints(request: ApiRequest, slug: str) -> list[shapes.OrganizedHint]:
    return _hints(contest_of(request, slug))


def _hints(contest: Contest) -> list[shapes.OrganizedHint]:
    found = RoundHint.objects.filter(round__contest=contest).select_related("round__contest")
    return [
        shapes.OrganizedHint(
            number=one.pk,
            round=one.round.key,
            text=one.text,
            text_ja=one.text_ja,
            after_percent=one.after_percent,
            published_at=one.published_at,
        )
        for one in found.order_by("round__position", "published_at", "after_percent", "pk")
    ]


@router.acts(
    HINTS,
    "organize-hints",
    list[shapes.OrganizedHint],
    _("Write a hint, published after a share of the round or by you"),
    as_="organize-hint-add",
    status=201,
)
def add_hint(
    request: ApiRequest, slug: str, body: shapes.NewHint, version: int | None = VERSION
) -> Status:
    contest = contest_of(request, slug)
    data = data_of(body, version=0)
    data["key"] = data.pop("round", "")
    given = dict(checked(HintForm(rounds_of(contest), data)).cleaned_data) | {"version": version}
    hint_services.add_hint(actor=request.user, contest=contest, **given)
    return Status(201, _hints(contest))


@router.acts(
    f"{HINT}/publish", "organize-hint-publish", list[shapes.OrganizedHint], _("Publish a hint now")
)
def publish_hint(
    request: ApiRequest, slug: str, number: int, version: int | None = VERSION
) -> list[shapes.OrganizedHint]:
    contest = contest_of(request, slug)
    hint_services.publish_hint(actor=request.user, contest=contest, version=version, number=number)
    return _hints(contest)


@router.acts(HINT, "organize-hint", list[shapes.OrganizedHint], _("Delete a hint"), method="DELETE")
def remove_hint(
    request: ApiRequest, slug: str, number: int, version: int | None = VERSION
) -> list[shapes.OrganizedHint]:
    contest = contest_of(request, slug)
    hint_services.remove_hint(actor=request.user, contest=contest, version=version, number=number)
    return _hints(contest)
