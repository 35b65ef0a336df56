# SPDX-License-Identifier: Apache-2.0
"""The organizer's page of the appearance: colour, pictures and sponsors, with a preview in both themes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from pwscup.contests.branding.colours import adjusted
from pwscup.contests.branding.pictures import KINDS
from pwscup.contests.branding.shown import Picture, branding_of, sponsors_of, style_sheet_url
from pwscup.contests.forms import ColourForm, PictureForm, SponsorForm
from pwscup.contests.models import Contest
from pwscup.contests.organize.common import (
    carry_out,
    for_organizers,
    organizer_page,
    version_of,
)
from pwscup.contests.services import branding as services

BACK = "organize-appearance"
SPONSORS = {
    "up": services.move_sponsor_up,
    "remove": services.remove_sponsor,
    "remove-logo": services.remove_sponsor_logo,
}
"""By button."""


# The page


def _page(request: HttpRequest, contest: Contest, status: int = 200, **bound: Any) -> HttpResponse:
    """The page; `bound` are forms with errors that replace those of the present values."""
    page = organizer_page(request, contest, BACK.removeprefix("organize-"))
    colour = bound.pop("colour", contest.brand.colour)
    initial = {"version": contest.version}
    forms: dict[str, Any] = {
        "colour_form": ColourForm(initial=initial | {"colour": contest.brand.colour}),
        "sponsor_form": SponsorForm(prefix="sponsor", initial=initial),
        **{which: _picture_form(contest, which) for which in KINDS},
    }
    forms |= {key: form for key, form in bound.items() if key in forms}
    page |= forms | {
        "colour": colour,
        "colour_sheet": style_sheet_url(colour),
        "adjusted": adjusted(colour) if colour else {},
        "pictures": [(forms[which], _title(which), _present(contest, which)) for which in KINDS],
        "sponsor_lines": _sponsor_lines(contest, bound.get("changed_sponsor")),
        "most_sponsors": services.MOST_SPONSORS,
    }
    return render(request, "organize/appearance.html", page, status=status)


def _title(which: str) -> str:
    return {"logo": _("Logo"), "picture": _("Banner picture")}[which]


def _present(contest: Contest, which: str) -> Picture | None:
    found: Picture | None = getattr(contest.brand, which)
    return found


def _picture_form(contest: Contest, which: str, *data: Any) -> PictureForm:
    """The form of a picture, with the present text alternatives."""
    held = branding_of(contest)
    initial = {
        "version": contest.version,
        "alt": getattr(held, f"{which}_alt", ""),
        "alt_ja": getattr(held, f"{which}_alt_ja", ""),
    }
    has_picture = _present(contest, which) is not None
    return PictureForm(which, *data, prefix=which, initial=initial, has_picture=has_picture)


def _sponsor_lines(contest: Contest, changed: SponsorForm | None) -> list[tuple[Any, SponsorForm]]:
    """The sponsors in order, each with its form; that of `changed` with its errors."""
    lines = []
    for one in sponsors_of(contest):
        prefix = f"sponsor{one.number}"
        values = {"name": one.name, "url": one.url, "version": contest.version}
        form = SponsorForm(prefix=prefix, initial=values)
        lines.append((one, changed if changed and changed.prefix == prefix else form))
    return lines


# Changes


def _choose_colour(request: HttpRequest, contest: Contest) -> HttpResponse:
    """Save the colour, or only show the page in it."""
    form = ColourForm(request.POST)
    if not form.is_valid():
        return _page(request, contest, HTTPStatus.UNPROCESSABLE_ENTITY, colour_form=form)
    colour, version = form.cleaned_data["colour"], form.cleaned_data["version"]
    if request.POST.get("do") == "preview":
        return _page(request, contest, colour_form=form, colour=colour)
    what = {"version": version, "values": {"colour": colour}}
    return carry_out(request, contest, services.change, done=_("Saved."), back=BACK, **what)


def _save_picture(request: HttpRequest, contest: Contest, which: str) -> HttpResponse:
    form = _picture_form(contest, which, request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, contest, HTTPStatus.UNPROCESSABLE_ENTITY, **{which: form})
    what = form.given()
    return carry_out(request, contest, services.set_picture, done=_("Saved."), back=BACK, **what)


def _remove_picture(request: HttpRequest, contest: Contest, which: str) -> HttpResponse:
    what = {"version": version_of(request), "which": which}
    done = _("The picture is removed.")
    return carry_out(request, contest, services.remove_picture, done=done, back=BACK, **what)


def _add_sponsor(request: HttpRequest, contest: Contest) -> HttpResponse:
    form = SponsorForm(request.POST, request.FILES, prefix="sponsor")
    if not form.is_valid():
        return _page(request, contest, HTTPStatus.UNPROCESSABLE_ENTITY, sponsor_form=form)
    what, done = form.given(), _("The sponsor is added.")
    return carry_out(request, contest, services.add_sponsor, done=done, back=BACK, **what)


ACTIONS: dict[str, Callable[[HttpRequest, Contest], HttpResponse]] = {
    "colour": _choose_colour,
    "preview": _choose_colour,
    "sponsor": _add_sponsor,
    **{f"save-{which}": partial(_save_picture, which=which) for which in KINDS},
    **{f"remove-{which}": partial(_remove_picture, which=which) for which in KINDS},
}
"""By button."""


@require_http_methods(["GET", "HEAD", "POST"])
@for_organizers
def appearance(request: HttpRequest, contest: Contest) -> HttpResponse:
    """The page; a POST does what its button names."""
    if request.method != "POST":
        return _page(request, contest)
    action = ACTIONS.get(request.POST.get("do", ""))
    return redirect(BACK, contest.slug) if action is None else action(request, contest)


@require_POST
@for_organizers
def sponsor(request: HttpRequest, contest: Contest, number: int) -> HttpResponse:
    """Move, change or remove a sponsor."""
    if not contest.sponsors.filter(pk=number).exists():
        raise Http404
    service: Callable[..., Any] | None = SPONSORS.get(request.POST.get("do", ""))
    what: dict[str, Any] = {"version": version_of(request)}
    if service is None:
        form = SponsorForm(request.POST, request.FILES, prefix=f"sponsor{number}")
        if not form.is_valid():
            return _page(request, contest, HTTPStatus.UNPROCESSABLE_ENTITY, changed_sponsor=form)
        service, what = services.change_sponsor, form.given()
    what |= {"number": number}
    return carry_out(request, contest, service, done=_("Saved."), back=BACK, **what)
