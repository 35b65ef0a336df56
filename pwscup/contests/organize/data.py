# SPDX-License-Identifier: Apache-2.0
"""The organizer's table: upload, roles of the columns, confirmation."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from pwscup.contests import policies, selectors, services
from pwscup.contests.forms import ColumnsForm, FileForm, VersionedForm
from pwscup.contests.models import Contest, Dataset, Preparation, TableDraft
from pwscup.contests.organize import preparing_texts
from pwscup.contests.organize.common import for_organizers, organizer_page, tell, version_of
from pwscup.contests.rules.pages import given_columns
from pwscup.contests.teams import tables
from pwscup.core.files.names import plain_name
from pwscup.core.http.requests import SignedIn
from pwscup.core.texts import problems
from pwscup.core.texts.refusals import Refused
from scoring.errors import ProblemsFound

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pwscup.formats.spec import Ticked
    from scoring.tables.schema import Schema


@require_http_methods(["GET", "HEAD", "POST"])
@for_organizers
def data(request: SignedIn, contest: Contest) -> HttpResponse:
    """The contest's table, and the upload of another one."""
    if request.method != "POST":
        return _page(request, contest)
    form = _upload_form(contest, request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, contest, upload_form=form)
    _keep_entered(request, contest, form.cleaned_data["version"])
    upload = form.cleaned_data["table"]
    name, content = plain_name(upload.name), upload.read()
    try:
        services.upload_table(
            actor=request.user,
            contest=contest,
            version=form.cleaned_data["version"],
            name=name,
            data=content,
            n_sampled=form.cleaned_data.get("n_sampled"),
        )
    except ProblemsFound as found:
        _keep_raw(request, contest, name, content, is_refused=True)
        return _page(request, contest, found=found, file_name=name)
    except Refused as refusal:
        tell(request, refusal)
    else:
        _keep_raw(request, contest, name, content, is_refused=False)
    return redirect("organize-data", contest.slug)


def _keep_raw(
    request: SignedIn, contest: Contest, name: str, content: bytes, *, is_refused: bool
) -> None:
    """Keep a file for the page Prepare where it is needed and can be read there."""
    with suppress(ProblemsFound, Refused):
        services.keep_raw(
            actor=request.user, contest=contest, name=name, data=content, is_refused=is_refused
        )


def _keep_entered(request: HttpRequest, contest: Contest, version: int) -> None:
    """Keep the columns that an upload brought along from the form below it: the new file takes over their roles."""
    draft = selectors.draft_of(contest)
    if draft is None or version != contest.version or "c0-role" not in request.POST:
        return
    form = _columns_form(contest, draft, request.POST)
    schema = form.entered()
    if schema is not None:
        services.keep_columns(contest=contest, schema=schema, ticked=form.ticked())


@require_POST
@for_organizers
def generate(request: SignedIn, contest: Contest) -> HttpResponse:
    """Generate a synthetic table."""
    form = _generate_form(contest, request.POST)
    if not form.is_valid():
        return _page(request, contest, generate_form=form)
    try:
        services.generate_table(actor=request.user, contest=contest, **form.cleaned_data)
    except services.ContestRefused as refusal:
        tell(request, refusal)
    return redirect("organize-data", contest.slug)


@require_POST
@for_organizers
def columns(request: SignedIn, contest: Contest) -> HttpResponse:
    """Check the columns as entered, show once more what participants get of them, or make the draft the contest's
    table."""
    draft = selectors.draft_of(contest)
    if draft is None:
        messages.error(request, _("There is no uploaded table to confirm. Upload it first."))
        return redirect("organize-data", contest.slug)
    if "figures" in request.POST:
        return _figures(request, contest, draft)
    if (
        version_of(request) != contest.version
    ):  # another table may have been uploaded in the meantime
        tell(request, services.ChangedMeanwhile())
        return redirect("organize-data", contest.slug)
    form = _columns_form(contest, draft, request.POST)
    if not form.is_valid():
        return _page(request, contest, columns_form=form)
    schema = None
    try:
        schema = form.schema()
        if "confirm" in request.POST:
            return _confirmed(request, contest, form, schema)
        notes = services.check_table(contest=contest, schema=schema, ticked=form.ticked())
    except ProblemsFound as found:
        if schema is not None:
            services.keep_columns(contest=contest, schema=schema, ticked=form.ticked())
        return _page(request, contest, columns_form=form, found=found, file_name=draft.file.name)
    if "review" in request.POST:
        return _review(request, contest, draft, schema)
    return _page(request, contest, columns_form=form, checked=schema, notes=notes)


def _figures(request: HttpRequest, contest: Contest, draft: TableDraft) -> HttpResponse:
    """The part of the page about the records that the quasi-identifiers find, with the roles as entered."""
    schema = _columns_form(contest, draft, request.POST).entered() or draft.schema
    return render(request, "organize/_figures.html", {"risk": _risk(contest, schema)})


def _risk(contest: Contest, schema: Schema) -> Mapping[str, Any]:
    """The records that the quasi-identifiers find in the draft; nothing for tables of several times."""
    if contest.format.suffix != "csv" or not schema.quasi_identifiers:
        return {}
    return preparing_texts.risk(services.draft_risk(contest=contest, schema=schema))


def _review(
    request: HttpRequest, contest: Contest, draft: TableDraft, schema: Schema
) -> HttpResponse:
    """The last page before a table is used: which columns participants get, and which stay hidden."""
    page = organizer_page(request, contest, "data")
    given = given_columns(contest.ruleset, schema)
    names = {column.name for column in given}
    page |= {
        "next_step": None,  # which would leave the table unused
        "draft": draft,
        "given": given,
        "hidden": [name for name in schema.names if name not in names],
        "identifying": [name for name in services.identifying(draft, schema) if name in names],
        "warnings": _warnings(contest, None, draft, schema),
        "risk": _risk(contest, schema),
        "has_started": policies.has_started(contest, page["now"]),
        "entered": [
            (name, value)
            for name, values in request.POST.lists()
            if name not in ("csrfmiddlewaretoken", "review")
            for value in values
        ],
    }
    return render(request, "organize/data_review.html", page)


def _confirmed(
    request: SignedIn, contest: Contest, form: ColumnsForm, schema: Schema
) -> HttpResponse:
    try:
        services.confirm_table(
            actor=request.user,
            contest=contest,
            version=form.attacks.cleaned_data["version"],
            schema=schema,
            ticked=form.ticked(),
        )
    except services.ContestRefused as refusal:
        tell(request, refusal)
    else:
        messages.success(request, contest.format.setup.CONFIRMED)
    return redirect("organize-data", contest.slug)


def _upload_form(contest: Contest, data: Any = None, files: Any = None) -> FileForm:
    return contest.format.setup.UPLOAD_FORM(data, files, initial={"version": contest.version})


def _generate_form(contest: Contest, data: Any = None) -> VersionedForm:
    setup = contest.format.setup
    initial = {"version": contest.version, **setup.proposed(contest.ruleset)}
    return setup.GENERATE_FORM(data, initial=initial)


def _columns_form(contest: Contest, draft: TableDraft, data: Any = None) -> ColumnsForm:
    setup = contest.format.setup
    return ColumnsForm(
        draft.schema,
        version=contest.version,
        data=data,
        roles=setup.ROLES,
        ticks=setup.TICKS,
        ticked=_ticked(contest, draft),
    )


def _ticked(contest: Contest, draft: TableDraft) -> Ticked:
    """The ticks as entered last, or those of the rules."""
    setup = contest.format.setup
    return draft.ticked(setup.TICKS) or setup.ticked(contest.ruleset, draft.schema)


def _tick_notes(contest: Contest, draft: TableDraft | None) -> list[str]:
    if draft is None:
        return []
    setup = contest.format.setup
    try:
        rules = setup.rules_with(contest.ruleset, draft.schema, _ticked(contest, draft))
    except ProblemsFound:  # shown with the warnings
        return []
    return setup.tick_notes(rules, draft.schema)


def _page(
    request: HttpRequest,
    contest: Contest,
    *,
    upload_form: FileForm | None = None,
    generate_form: VersionedForm | None = None,
    columns_form: ColumnsForm | None = None,
    checked: Schema | None = None,
    found: ProblemsFound | None = None,
    file_name: str = "",
    notes: Sequence[str] = (),
) -> HttpResponse:
    dataset, draft = selectors.original_of(contest), selectors.draft_of(contest)
    preparation = selectors.preparation_of(contest)
    if draft is not None and columns_form is None:
        columns_form = _columns_form(contest, draft)
    titles = {"original": file_name, "schema": _("columns"), **contest.format.setup.FILE_TITLES}
    listed = problems.shown(found.problems, titles) if found else []
    page = organizer_page(request, contest, "data")
    page |= {
        "dataset": dataset,
        "preparation": preparation,
        "read_as_text": _read_as_text(draft, preparation),
        "n_parts": tables.n_parts(dataset) if dataset else None,
        "sample_size": contest.ruleset.data.n_own,
        "draft": draft,
        "is_confirmed": selectors.is_confirmed(draft, dataset),
        "columns_form": columns_form,
        "column_rows": _column_rows(columns_form, draft),
        "upload_form": upload_form or _upload_form(contest),
        "generate_form": generate_form or _generate_form(contest),
        "generated": contest.format.setup.generated(contest.ruleset),
        "may_replace": policies.may_replace_table(request.user, contest),
        "has_started": policies.has_started(contest, page["now"]),
        "checked": checked is not None,
        "risk": _risk(contest, checked) if checked and draft else {},
        "tick_notes": [*_tick_notes(contest, draft), *notes],
        "warnings": _warnings(contest, dataset, draft, checked),
        "problems": listed,
        "n_shown": problems.n_shown(listed),
        "n_problems": found.n_total if found else 0,
    }
    return render(request, "organize/data.html", page)


def _read_as_text(draft: TableDraft | None, preparation: Preparation | None) -> list[str]:
    """The columns of the draft that its raw file has numbers or dates in; none once it was prepared."""
    if draft is None or preparation is None or draft.file.sha256 != preparation.raw.sha256:
        return []
    steps = preparation.steps.steps
    return [*dict.fromkeys(name for step in steps for name in services.columns_read_as_text(step))]


def _column_rows(form: ColumnsForm | None, draft: TableDraft | None) -> list[tuple[Any, Any]]:
    """Each column's form, and examples of its cells."""
    if form is None or draft is None:
        return []
    return list(zip(form.columns, draft.columns, strict=True))


def _warnings(
    contest: Contest, dataset: Dataset | None, draft: TableDraft | None, checked: Schema | None
) -> list[str]:
    """Warnings about the columns that were just checked, the draft's, or the confirmed table's."""
    schema = checked or (draft.schema if draft else dataset.schema if dataset else None)
    if schema is None:
        return []
    return contest.format.setup.warnings(contest, schema, draft, dataset)
