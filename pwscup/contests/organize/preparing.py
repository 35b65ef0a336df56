# SPDX-License-Identifier: Apache-2.0
"""The page Prepare: a raw file becomes the table of a contest by steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pwscup.contests import policies, selectors, services
from pwscup.contests.models import Contest
from pwscup.contests.organize import preparing_texts as texts
from pwscup.contests.organize.common import for_organizers, organizer_page, version_of
from pwscup.core.files.exports import csv_response
from pwscup.core.files.names import plain_name
from pwscup.core.http.posted import posted_number
from pwscup.core.http.requests import SignedIn
from pwscup.core.texts import problems
from pwscup.core.texts.refusals import Refused
from scoring.errors import Problem, ProblemsFound

if TYPE_CHECKING:
    from pwscup.contests.forms.preparing import RawForm, ReadingForm, StepForm
    from pwscup.contests.models import Preparation

Change = Callable[[SignedIn, Contest, "Preparation"], HttpResponse]


@require_http_methods(["GET", "HEAD", "POST"])
@for_organizers
def prepare(request: SignedIn, contest: Contest) -> HttpResponse:
    """The raw file, its steps and its columns; and the upload of another one."""
    from pwscup.contests.forms.preparing import RawForm

    if contest.format.suffix != "csv":
        raise Http404
    if request.method != "POST":
        return _page(request, contest)
    form = RawForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, contest, raw_form=form)
    return _answered(request, contest, lambda: _uploaded(request, contest, form))


def _uploaded(request: SignedIn, contest: Contest, form: RawForm) -> None:
    from scoring.tables.preparing import Steps

    upload, file = form.cleaned_data["table"], form.cleaned_data["steps"]
    given = None
    if file is not None:
        text = file.read().decode("utf-8", "replace")
        is_json = file.name.lower().endswith(".json")
        given = Steps.from_json(text) if is_json else Steps.from_toml(text)
    services.upload_raw(
        actor=request.user,
        contest=contest,
        version=form.cleaned_data["version"],
        name=plain_name(upload.name),
        data=upload.read(),
        reading=given.reading if given else None,
        steps=given.steps if given else None,
        n_sampled=form.cleaned_data["n_sampled"],
    )


@require_http_methods(["GET", "HEAD", "POST"])
@for_organizers
def steps(request: SignedIn, contest: Contest) -> HttpResponse:
    """The file of steps; and every change of them, of the way of reading, and of the roles of columns."""
    kept = selectors.preparation_of(contest)
    if request.method != "POST":
        if kept is None:
            raise Http404
        answer = HttpResponse(kept.steps_text, content_type="application/toml; charset=utf-8")
        answer["Content-Disposition"] = f'attachment; filename="steps-{contest.slug}.toml"'
        return answer
    change = CHANGES.get(request.POST.get("do", ""))
    if kept is None or change is None:
        return redirect("organize-prepare", contest.slug)
    return change(request, contest, kept)


@require_safe
@for_organizers
def column_csv(request: SignedIn, contest: Contest, number: int) -> HttpResponse:
    """The histogram of a column, by its number from 0."""
    kept = selectors.preparation_of(contest)
    columns = texts.columns(kept.seen, contest.format.setup.ROLES) if kept else []
    if number >= len(columns):
        raise Http404
    rows = [(bar.label, bar.n) for bar in columns[number].bars]
    return csv_response(f"{contest.slug}-column-{number + 1}.csv", ("value", "records"), rows)


@require_POST
@for_organizers
def apply(request: SignedIn, contest: Contest) -> HttpResponse:
    """Make the prepared table the draft of the contest's table, whose columns are confirmed next."""
    try:
        services.apply_steps(
            actor=request.user,
            contest=contest,
            version=version_of(request),
            revision=posted_number(request, "revision"),
        )
    except ProblemsFound as found:
        return _page(request, contest, found=found)
    except Refused as refusal:
        return _page(request, contest, said=[str(words) for words in refusal.messages])
    return redirect(reverse("organize-data", args=[contest.slug]) + "#columns")


def _answered(
    request: SignedIn, contest: Contest, change: Callable[[], Any], **again: Any
) -> HttpResponse:
    """The page after a change, or with everything that was entered and the reasons why nothing was changed."""
    try:
        change()
    except ProblemsFound as found:
        return _page(request, contest, found=found, **again)
    except Refused as refusal:
        return _page(request, contest, said=[str(words) for words in refusal.messages], **again)
    return redirect("organize-prepare", contest.slug)


def _reading(request: SignedIn, contest: Contest, kept: Preparation) -> HttpResponse:
    form = _reading_form(kept, request.POST)
    if not form.is_valid():
        return _page(request, contest, reading_form=form)
    what: dict[str, Any] = {
        "actor": request.user,
        "contest": contest,
        "revision": _revision(request),
    }
    return _answered(
        request,
        contest,
        lambda: services.change_reading(**what, reading=form.reading()),
        reading_form=form,
    )


def _save(request: SignedIn, contest: Contest, kept: Preparation) -> HttpResponse:
    """Add a step, or change one."""
    form = _step_form(kept, request.POST.get("kind", ""), posted_number(request, "n"), request.POST)
    if form is None:
        return redirect("organize-prepare", contest.slug)
    if not form.is_valid():
        return _page(request, contest, step_form=form)
    listed = [dict(step) for step in kept.steps.steps]
    n = posted_number(request, "n")
    if n is None:
        listed.append(form.step())
    else:
        listed[n - 1] = form.step()
    what: dict[str, Any] = {"contest": contest, "revision": _revision(request), "steps": listed}
    one = len(listed) if n is None else n
    return _answered(
        request, contest, lambda: services.change_steps(**what, must_fit=(one,)), step_form=form
    )


def _moved(by: int) -> Change:
    """Move a step by so many places; 0 removes it."""

    def change(request: SignedIn, contest: Contest, kept: Preparation) -> HttpResponse:
        listed, n = list(kept.steps.steps), posted_number(request, "n") or 0
        if not 1 <= n <= len(listed):
            return redirect("organize-prepare", contest.slug)
        step = listed.pop(n - 1)
        if by:
            listed.insert(max(0, n - 1 + by), step)
        what: dict[str, Any] = {"contest": contest, "revision": _revision(request), "steps": listed}
        return _answered(request, contest, lambda: services.change_steps(**what))

    return change


def _propose(request: SignedIn, contest: Contest, _kept: Preparation) -> HttpResponse:
    what: dict[str, Any] = {"contest": contest, "revision": _revision(request)}
    return _answered(request, contest, lambda: services.propose_steps(**what))


def _roles(request: SignedIn, contest: Contest, kept: Preparation) -> HttpResponse:
    allowed = {str(role) for role in contest.format.setup.ROLES}
    chosen = {
        column["name"]: request.POST.get(f"role-{at}", "")
        for at, column in enumerate(kept.seen["columns"])
    }
    known = {name: role for name, role in chosen.items() if role in allowed}
    return _answered(request, contest, lambda: services.choose_roles(contest=contest, roles=known))


def _discard(request: SignedIn, contest: Contest, _kept: Preparation) -> HttpResponse:
    return _answered(
        request, contest, lambda: services.discard_raw(actor=request.user, contest=contest)
    )


CHANGES: Mapping[str, Any] = {
    "reading": _reading,
    "save": _save,
    "remove": _moved(0),
    "up": _moved(-1),
    "down": _moved(1),
    "propose": _propose,
    "roles": _roles,
    "discard": _discard,
}


def _revision(request: SignedIn) -> int | None:
    return posted_number(request, "revision")


def _reading_form(kept: Preparation, data: Any = None) -> ReadingForm:
    from pwscup.contests.forms.preparing import ReadingForm

    reading = kept.steps.reading
    first = {name: getattr(reading, name) for name in ("encoding", "separator", "sheet", "header")}
    return ReadingForm(data, sheets=kept.seen["sheets"], initial=first)


def _step_form(kept: Preparation, kind: str, n: int | None, data: Any = None) -> StepForm | None:
    """The form of a new step of this kind, or of step `n`; None where there is none."""
    from pwscup.contests.forms.preparing import StepForm
    from scoring.tables.preparing import STEPS, names_after

    listed = kept.steps.steps
    given: Mapping[str, Any] = {}
    names = [column["name"] for column in kept.seen["columns"]]
    if n is not None:
        if not 1 <= n <= len(listed):
            return None
        given = listed[n - 1]
        kind = given["do"]
        own = [*given.get("columns", ()), *([given["column"]] if "column" in given else [])]
        names = list(dict.fromkeys([*own, *names_after(kept.seen["names"], listed[: n - 1])]))
    if kind not in STEPS:
        return None
    form = StepForm(data, kind=STEPS[kind], columns=names, given=given)
    form.number = n
    return form


def _asked_form(request: SignedIn, kept: Preparation) -> StepForm | None:
    n = request.GET.get("step", "")
    if n.isascii() and n.isdecimal():
        return _step_form(kept, "", int(n))
    return _step_form(kept, request.GET.get("add", ""), None)


def _page(
    request: SignedIn,
    contest: Contest,
    *,
    raw_form: RawForm | None = None,
    reading_form: ReadingForm | None = None,
    step_form: StepForm | None = None,
    found: ProblemsFound | None = None,
    said: Sequence[str] = (),
) -> HttpResponse:
    from pwscup.contests.forms.preparing import STEP_LEADS, STEP_TITLES, RawForm

    kept = selectors.preparation_of(contest)
    listed = problems.shown(found.problems, {"steps": _("steps")}) if found else []
    page = organizer_page(request, contest, "data")
    page |= {
        "kept": kept,
        "next_step": None,  # which would leave the raw table unused
        "raw_form": raw_form or RawForm(initial={"version": contest.version}),
        "said": said,
        "problems": listed,
        "n_shown": problems.n_shown(listed),
        "n_problems": found.n_total if found else 0,
        "may_replace": policies.may_replace_table(request.user, contest),
    }
    if kept is not None:
        form = step_form or _asked_form(request, kept)
        page |= {
            "reading_form": reading_form or _reading_form(kept),
            "reading": texts.reading(kept.steps.reading, kept.seen["sheets"]),
            "notes": [" — ".join(problems.parts(Problem(**note))) for note in kept.seen["notes"]],
            "step_rows": texts.steps(kept.steps.unseeded().steps, kept.seen["outcomes"]),
            "kinds": STEP_TITLES.items(),
            "step_form": form,
            "step_title": form and STEP_TITLES[form.kind.id],
            "step_lead": form and STEP_LEADS[form.kind.id],
            "columns": texts.columns(kept.seen, contest.format.setup.ROLES),
            "risk": texts.risk(kept.seen["risk"]),
            "n_broken": sum("problems" in one for one in kept.seen["outcomes"]),
        }
    return render(request, "organize/prepare.html", page)
