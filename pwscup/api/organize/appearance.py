# SPDX-License-Identifier: Apache-2.0
"""The appearance of a contest: its colour, its pictures and its sponsors."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from django.http import Http404
from django.utils.translation import gettext_noop as _
from ninja import Status

from pwscup.api.forms import checked, data_of, refuse_unknown
from pwscup.api.operations import Operations
from pwscup.api.organize.common import CONTEST, VERSION, contest_of
from pwscup.api.schemas import organize as shapes
from pwscup.api.teams.bodies import BINARY, FORM, check_type, form_of
from pwscup.api.teams.contests import shown_picture
from pwscup.contests.branding.colours import DARK, LIGHT, shades
from pwscup.contests.branding.pictures import KINDS
from pwscup.contests.branding.shown import branding_of, sponsors_of
from pwscup.contests.forms import AlternativesForm, PictureForm, SponsorForm
from pwscup.contests.models import Contest, Sponsor
from pwscup.contests.services import branding as services

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from pwscup.contests.branding.colours import Theme
    from pwscup.core.http.requests import ApiRequest

router = Operations(tags=["organizing: appearance"])
APPEARANCE = f"{CONTEST}/appearance"
PICTURE = f"{APPEARANCE}/{{slug:key}}"
SPONSORS = f"{CONTEST}/sponsors"
SPONSOR = f"{SPONSORS}/{{int:number}}"
LOGO = f"{SPONSOR}/logo"
TEXT = {"type": "string"}
PICTURE_FIELDS, SPONSOR_FIELDS = ("alt", "alt_ja"), ("name", "url")
PICTURE_BODY = {FORM: form_of(dict.fromkeys(PICTURE_FIELDS, TEXT) | {"file": BINARY})}
SPONSOR_BODY = {FORM: form_of(dict.fromkeys(SPONSOR_FIELDS, TEXT) | {"logo": BINARY})}
LOGO_BODY = {FORM: form_of({"logo": BINARY})}


def _shown(contest: Contest) -> shapes.Appearance:
    """The appearance as it is now."""
    held = Contest.objects.get(pk=contest.pk)
    colour = held.brand.colour
    return shapes.Appearance(
        version=held.version,
        colour=colour,
        light=_shades(colour, LIGHT),
        dark=_shades(colour, DARK),
        logo=_picture(held, "logo"),
        picture=_picture(held, "picture"),
        sponsors=[
            shapes.OrganizedSponsor(
                number=one.number, name=one.name, url=one.url, logo=shown_picture(one.logo)
            )
            for one in sponsors_of(held)
        ],
    )


def _shades(colour: str, theme: Theme) -> shapes.Shades | None:
    return shapes.Shades(**asdict(shades(colour, theme))) if colour else None


def _picture(contest: Contest, which: str) -> shapes.OrganizedPicture | None:
    """A picture with its text alternatives in both languages."""
    found = getattr(contest.brand, which)
    if found is None:
        return None
    held = branding_of(contest)
    alternatives = {name: getattr(held, f"{which}_{name}") for name in PICTURE_FIELDS}
    return shapes.OrganizedPicture(**(asdict(found) | alternatives))


def _changed(
    request: ApiRequest, contest: Contest, service: Callable[..., Any], **what: Any
) -> shapes.Appearance:
    service(actor=request.user, contest=contest, **what)
    return _shown(contest)


def _refuse_others(request: ApiRequest, texts: Collection[str], file: str) -> None:
    """Refuse what is no form with files, and fields that nothing asks for."""
    check_type(request, [FORM])
    refuse_unknown(sorted({*request.POST} - {*texts}), "form")
    refuse_unknown(sorted({*request.FILES} - {file}), "form")


# Colour and pictures


@router.looks(
    APPEARANCE,
    "organize-appearance",
    shapes.Appearance,
    _("The colour, the pictures and the sponsors of a contest"),
)
def appearance(request: ApiRequest, slug: str) -> shapes.Appearance:
    return _shown(contest_of(request, slug))


@router.acts(
    APPEARANCE,
    "organize-appearance",
    shapes.Appearance,
    _("Change the colour or the text alternatives of pictures"),
    as_="organize-appearance-change",
    method="PATCH",
)
def change(
    request: ApiRequest, slug: str, body: shapes.AppearanceChange, version: int | None = VERSION
) -> shapes.Appearance:
    contest = contest_of(request, slug)
    given = data_of(body)
    form = checked(AlternativesForm(given | {"version": 0}))
    values = {name: form.cleaned_data[name] for name in given}
    return _changed(request, contest, services.change, version=version, values=values)


@router.acts(
    PICTURE,
    "organize-appearance-picture",
    shapes.Appearance,
    _("Set the `logo` or the `picture`: a form with file and text alternatives"),
    as_="organize-appearance-picture-set",
    takes=PICTURE_BODY,
)
def set_picture(
    request: ApiRequest, slug: str, key: str, version: int | None = VERSION
) -> shapes.Appearance:
    contest = contest_of(request, slug)
    present = _one_of(contest, key)
    _refuse_others(request, PICTURE_FIELDS, "file")
    held = {} if present is None else {name: getattr(present, name) for name in PICTURE_FIELDS}
    data = held | request.POST.dict() | {"version": "0"}
    form = checked(PictureForm(key, data, request.FILES, has_picture=present is not None))
    what = form.given() | {"version": version}
    return _changed(request, contest, services.set_picture, **what)


def _one_of(contest: Contest, which: str) -> shapes.OrganizedPicture | None:
    if which not in KINDS:
        raise Http404
    return _picture(contest, which)


@router.acts(
    PICTURE,
    "organize-appearance-picture",
    shapes.Appearance,
    _("Remove the `logo` or the `picture`"),
    as_="organize-appearance-picture-remove",
    method="DELETE",
)
def remove_picture(
    request: ApiRequest, slug: str, key: str, version: int | None = VERSION
) -> shapes.Appearance:
    contest = contest_of(request, slug)
    _one_of(contest, key)
    return _changed(request, contest, services.remove_picture, version=version, which=key)


# Sponsors


@router.acts(
    SPONSORS,
    "organize-sponsors",
    shapes.Appearance,
    _("Add a sponsor: a form with name, url and logo"),
    as_="organize-sponsor-add",
    status=201,
    takes=SPONSOR_BODY,
)
def add_sponsor(request: ApiRequest, slug: str, version: int | None = VERSION) -> Status:
    contest = contest_of(request, slug)
    _refuse_others(request, SPONSOR_FIELDS, "logo")
    form = checked(SponsorForm(request.POST.dict() | {"version": "0"}, request.FILES))
    what = form.given() | {"version": version}
    return Status(201, _changed(request, contest, services.add_sponsor, **what))


def _sponsor(contest: Contest, number: int) -> Sponsor:
    found = Sponsor.objects.filter(contest=contest, pk=number).first()
    if found is None:
        raise Http404
    return found


def _values(contest: Contest, number: int) -> dict[str, Any]:
    """The present values of a sponsor, as a form takes them."""
    found = _sponsor(contest, number)
    return {name: getattr(found, name) for name in SPONSOR_FIELDS} | {"version": 0}


@router.acts(
    SPONSOR,
    "organize-sponsor",
    shapes.Appearance,
    _("Change the name or the link of a sponsor"),
    as_="organize-sponsor-change",
    method="PATCH",
)
def change_sponsor(
    request: ApiRequest,
    slug: str,
    number: int,
    body: shapes.SponsorChange,
    version: int | None = VERSION,
) -> shapes.Appearance:
    contest = contest_of(request, slug)
    form = checked(SponsorForm(_values(contest, number) | data_of(body)))
    what = form.given() | {"version": version, "number": number}
    return _changed(request, contest, services.change_sponsor, **what)


@router.acts(
    LOGO,
    "organize-sponsor-logo",
    shapes.Appearance,
    _("Set the logo of a sponsor"),
    as_="organize-sponsor-logo-set",
    takes=LOGO_BODY,
)
def set_logo(
    request: ApiRequest, slug: str, number: int, version: int | None = VERSION
) -> shapes.Appearance:
    contest = contest_of(request, slug)
    values = _values(contest, number)
    _refuse_others(request, (), "logo")
    form = SponsorForm(values, request.FILES)
    form.fields["logo"].required = True
    what = checked(form).given() | {"version": version, "number": number}
    return _changed(request, contest, services.change_sponsor, **what)


@router.acts(
    LOGO,
    "organize-sponsor-logo",
    shapes.Appearance,
    _("Remove the logo of a sponsor"),
    as_="organize-sponsor-logo-remove",
    method="DELETE",
)
def remove_logo(
    request: ApiRequest, slug: str, number: int, version: int | None = VERSION
) -> shapes.Appearance:
    contest = contest_of(request, slug)
    _sponsor(contest, number)
    what = {"version": version, "number": number}
    return _changed(request, contest, services.remove_sponsor_logo, **what)


@router.acts(
    f"{SPONSOR}/up",
    "organize-sponsor-up",
    shapes.Appearance,
    _("Move a sponsor before the one above it"),
)
def move_up(
    request: ApiRequest, slug: str, number: int, version: int | None = VERSION
) -> shapes.Appearance:
    contest = contest_of(request, slug)
    _sponsor(contest, number)
    what = {"version": version, "number": number}
    return _changed(request, contest, services.move_sponsor_up, **what)


@router.acts(
    SPONSOR,
    "organize-sponsor",
    shapes.Appearance,
    _("Remove a sponsor"),
    as_="organize-sponsor-remove",
    method="DELETE",
)
def remove_sponsor(
    request: ApiRequest, slug: str, number: int, version: int | None = VERSION
) -> shapes.Appearance:
    contest = contest_of(request, slug)
    _sponsor(contest, number)
    what = {"version": version, "number": number}
    return _changed(request, contest, services.remove_sponsor, **what)
