# SPDX-License-Identifier: Apache-2.0
"""The organizer's page of materials."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from pwscup.contests import materials as selectors
from pwscup.contests.forms import HierarchiesForm, LinkForm, MaterialFileForm, MaterialForm
from pwscup.contests.models import Material
from pwscup.contests.organize.common import (
    carry_out,
    for_organizers,
    organizer_page,
    tell,
    version_of,
)
from pwscup.contests.services import materials as services
from pwscup.core.texts.problems import shown
from pwscup.core.texts.refusals import Refused
from scoring.errors import Problem, ProblemsFound

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pwscup.contests.models import Contest

BACK = "organize-materials"
ADDED: dict[str, tuple[Any, Callable[..., Any]]] = {
    "file": (MaterialFileForm, services.add_file),
    "link": (LinkForm, services.add_link),
    "hierarchies": (HierarchiesForm, services.add_hierarchies),
}
"""By kind: the form, and what keeps it."""
CHANGED = {"up": services.move_up, "remove": services.remove}
"""By button."""
EXPECTS_TEXT = ("hierarchy.wrong_value", "hierarchy.missing_key")


def _page(request: HttpRequest, contest: Contest, status: int = 200, **bound: Any) -> HttpResponse:
    """The page; `bound` are forms with errors that replace empty ones, and problems of a file."""
    page = organizer_page(request, contest, "materials")
    initial = {"version": contest.version}
    titles = {"title": "Generalization hierarchies", "title_ja": "一般化階層"}
    hierarchies = selectors.file_of_hierarchies(contest)
    present = selectors.hierarchies_of(hierarchies).problems if hierarchies else ()
    page |= {
        "lines": _lines(contest),
        "file_form": MaterialFileForm(prefix="file", initial=initial),
        "link_form": LinkForm(prefix="link", initial=initial),
        "hierarchies_form": HierarchiesForm(prefix="hierarchies", initial=initial | titles),
        "unfit": shown_problems(present),
        "most": services.MOST,
    }
    return render(request, "organize/materials.html", page | bound, status=status)


def _lines(contest: Contest) -> list[tuple[Material, str, MaterialForm]]:
    """The materials in order, each with its address and the form of its titles."""
    found = []
    for material in contest.materials.select_related("file"):
        material.contest = contest
        values = {name: getattr(material, name) for name in ("title", "title_ja", "audience")}
        form = MaterialForm(
            initial=values | {"version": contest.version}, auto_id=f"{material.pk}-%s"
        )
        found.append((material, selectors.url_of(material), form))
    return found


def shown_problems(problems: Iterable[Problem]) -> list[Any]:
    """The problems in the reader's language; where they name a key, what is expected is a text of the library."""
    translated = [
        replace(one, params={**one.params, "expected": _(str(one.params["expected"]))})
        if one.code in EXPECTS_TEXT
        else one
        for one in problems
    ]
    return shown(translated, {})


@require_http_methods(["GET", "HEAD", "POST"])
@for_organizers
def materials(request: HttpRequest, contest: Contest) -> HttpResponse:
    """All materials; a POST adds one of the kind that its button names."""
    if request.method != "POST":
        return _page(request, contest)
    kind = request.POST.get("add", "")
    if kind not in ADDED:
        return redirect(BACK, contest.slug)
    form_class, service = ADDED[kind]
    form = form_class(request.POST, request.FILES, prefix=kind)
    failed: dict[str, Any] = {f"{kind}_form": form}
    if not form.is_valid():
        return _page(request, contest, HTTPStatus.UNPROCESSABLE_ENTITY, **failed)
    try:
        service(actor=request.user, contest=contest, **form.given())
    except Refused as refusal:
        tell(request, refusal)
    except ProblemsFound as found:
        failed["problems"] = shown_problems(found.problems)
        return _page(request, contest, HTTPStatus.UNPROCESSABLE_ENTITY, **failed)
    else:
        messages.success(request, _("The material is added."))
    return redirect(BACK, contest.slug)


@require_POST
@for_organizers
def material(request: HttpRequest, contest: Contest, number: int) -> HttpResponse:
    """Move or remove a material, or change its titles and who gets it."""
    if not contest.materials.filter(pk=number).exists():
        raise Http404
    service: Callable[..., Any] | None = CHANGED.get(request.POST.get("do", ""))
    what: dict[str, Any] = {"number": number, "version": version_of(request)}
    if service is None:
        form = MaterialForm(request.POST)
        if not form.is_valid():
            messages.error(
                request, _("Nothing was changed: enter a title of at most 100 characters.")
            )
            return redirect(BACK, contest.slug)
        service, what = services.change, {"number": number, **form.given()}
    return carry_out(request, contest, service, done=_("Saved."), back=BACK, **what)
