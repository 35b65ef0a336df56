# SPDX-License-Identifier: Apache-2.0
"""Archives of contests, and contests made from archives and from bundles of Codabench."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.files.uploadedfile import UploadedFile
from django.http import FileResponse, Http404
from django.utils import timezone
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext_noop as _
from ninja import Status

from pwscup.api import problems, schemas
from pwscup.api.forms import checked
from pwscup.api.operations import Operations
from pwscup.api.organize.common import CONTEST, VERSION, contest_of, on_the_clock, shown
from pwscup.api.problems import ApiRefused, Listed
from pwscup.api.schemas import organize as shapes
from pwscup.api.teams.bodies import BINARY, check_type, kept
from pwscup.archives import selectors, services
from pwscup.archives.codabench import services as codabench
from pwscup.archives.codabench.forms import BundleForm, DraftForm
from pwscup.archives.codabench.notes import BundleRefused
from pwscup.archives.codabench.plan import draft_of, program_name
from pwscup.archives.codabench.views import bundles_of, visible_bundle
from pwscup.archives.forms import ArchiveForm, ImportForm
from pwscup.archives.problems import TEXTS
from pwscup.contests import policies
from pwscup.contests.selectors import download_name
from pwscup.core.files import storage
from pwscup.core.http.attachments import file_response
from pwscup.formats.files import ZIP

if TYPE_CHECKING:
    from typing import Any

    from pwscup.archives.codabench.plan import Draft
    from pwscup.archives.models import Archive, CodabenchBundle, ContestImport
    from pwscup.contests.models import Contest
    from pwscup.core.http.requests import ApiRequest

router = Operations(tags=["organizing: archives"])
ARCHIVES = f"{CONTEST}/archives"
CODABENCH = "/organize/codabench"
LINES = "application/x-ndjson"
ZIP_BODY = {ZIP: {"schema": BINARY}}


# Export


@router.looks(
    ARCHIVES,
    "organize-archive",
    list[shapes.Archive],
    _("The archives of a contest, the newest first"),
)
def archives(request: ApiRequest, slug: str) -> list[shapes.Archive]:
    return _archives(contest_of(request, slug))


def _archives(contest: Contest) -> list[shapes.Archive]:
    return [
        shapes.Archive(
            number=one.pk,
            state=one.state,
            is_final=one.is_final,
            names=one.names,
            with_key=one.with_key,
            n_done=one.n_done,
            n_total=one.n_total,
            requested_at=one.requested_at,
            reference=one.reference,
            sha256=one.file.sha256 if _has_file(one) and one.file else None,
            size_bytes=one.file.size_bytes if _has_file(one) and one.file else None,
        )
        for one in selectors.archives_of(contest)
    ]


def _has_file(one: Archive) -> bool:
    return one.file is not None and one.file.erased_at is None


@router.acts(
    ARCHIVES,
    "organize-archive",
    list[shapes.Archive],
    _("Write an archive of what is or was public; one with the answer key only in the browser"),
    as_="organize-archive-write",
    status=201,
)
def write(
    request: ApiRequest, slug: str, body: shapes.NewArchive, version: int | None = VERSION
) -> Status:
    contest = contest_of(request, slug)
    form = ArchiveForm({"version": 0, "names": body.names}, slug=contest.slug, is_over=True)
    names = checked(form).cleaned_data["names"]
    services.request_archive(actor=request.user, contest=contest, version=version, names=names)
    return Status(201, _archives(contest))


@router.file(
    f"{ARCHIVES}/{{int:number}}",
    "organize-archive-file",
    [ZIP],
    _("An archive; one with the answer key only in the browser"),
)
def archive_file(request: ApiRequest, slug: str, number: int) -> FileResponse:
    found, file = selectors.get_archive(contest_of(request, slug), number)
    if found.with_key:
        raise ApiRefused("browser.only")
    services.note_download(actor=request.user, archive=found)
    response = file_response(storage.archive_path(file), file.name, ZIP)
    response["Cache-Control"] = "private, no-store"
    return response


@router.acts(
    f"{ARCHIVES}/{{int:number}}",
    "organize-archive-file",
    list[shapes.Archive],
    _("Delete an archive"),
    as_="organize-archive-delete",
    method="DELETE",
)
def delete(request: ApiRequest, slug: str, number: int) -> list[shapes.Archive]:
    contest = contest_of(request, slug)
    services.delete_archive(actor=request.user, contest=contest, number=number)
    return _archives(contest)


@router.file(
    f"{CONTEST}/history",
    "organize-archive-history",
    [LINES],
    _("The events that an imported contest had on its original installation"),
)
def history(request: ApiRequest, slug: str) -> FileResponse:
    contest = contest_of(request, slug)
    origin = selectors.origin_of(contest)
    if origin is None or origin.history is None:
        raise Http404
    path = storage.archive_path(origin.history)
    return file_response(path, download_name(contest, "history.jsonl"), LINES)


# Import


def _may_create(request: ApiRequest) -> None:
    if not policies.may_create_contests(request.user):
        raise Http404


def _sent(request: ApiRequest, field: str) -> MultiValueDict[str, UploadedFile]:
    """The body as the field of a form."""
    check_type(request, [ZIP])
    file, size = kept(request)
    return MultiValueDict({field: [UploadedFile(file, f"{field}.zip", ZIP, size)]})


@router.looks(
    "/organize/imports",
    "organize-import",
    list[shapes.Import],
    _("Your imports of archives, the newest first, with all problems"),
)
def imports(request: ApiRequest) -> list[shapes.Import]:
    _may_create(request)
    return [_import(one) for one in selectors.imports_of(request.user)]


def _import(found: ContestImport) -> shapes.Import:
    return shapes.Import(
        number=found.pk,
        sha256=found.sha256,
        state=found.state,
        is_final=found.is_final,
        contest=found.contest.slug if found.contest else None,
        problems=[schemas.Problem(**_problem(one)) for one in found.problems],
        n_problems=found.n_problems,
        differences=found.differences,
        reference=found.reference,
    )


def _problem(one: dict[str, Any]) -> dict[str, Any]:
    code, params = one["code"], one["params"]
    where = {name: params.get(at) for name, at in (("file", "entry"), ("column", "column"))}
    row = str(params.get("row", ""))
    return problems.entry(
        f"archive.{code}",
        str(TEXTS[code]) % params,
        where | {"row": int(row) if row.isdecimal() else None},
        expected=params.get("expected"),
        got=params.get("got"),
    )


@router.acts(
    "/organize/imports",
    "organize-import",
    shapes.Import,
    _("Import an archive of another installation as a new contest"),
    as_="organize-import-archive",
    status=201,
    takes=ZIP_BODY,
)
def import_archive(request: ApiRequest) -> Status:
    _may_create(request)
    form = checked(ImportForm({}, _sent(request, "archive")))
    upload = form.cleaned_data["archive"]
    made = services.receive_archive(actor=request.user, name=upload.name, chunks=upload.chunks())
    return Status(201, _import(made))


# Codabench


@router.looks(
    CODABENCH,
    "organize-codabench",
    list[shapes.BundleLine],
    _("Your bundles of Codabench, the newest first"),
)
def bundles(request: ApiRequest) -> list[shapes.BundleLine]:
    _may_create(request)
    return [_bundle_line(one) for one in bundles_of(request.user)]


def _bundle_line(found: CodabenchBundle) -> shapes.BundleLine:
    return shapes.BundleLine(
        number=found.pk,
        name=found.name,
        sha256=found.sha256,
        contest=found.contest.slug if found.contest else None,
    )


@router.acts(
    CODABENCH,
    "organize-codabench",
    shapes.Bundle,
    _("Read a bundle of Codabench; no contest is created by that"),
    as_="organize-codabench-read",
    status=201,
    takes=ZIP_BODY,
)
def read(request: ApiRequest) -> Status:
    _may_create(request)
    given = checked(BundleForm({}, _sent(request, "bundle"))).cleaned_data["bundle"]
    try:
        found = codabench.receive(actor=request.user, name=given.name, source=given.file)
    except BundleRefused as refused:
        raise Listed(_refused(one) for one in refused.problems) from refused
    return Status(201, _bundle(found))


def _refused(note: Any) -> dict[str, Any]:
    return problems.entry(
        note.code if "." in note.code else f"bundle.{note.code}",
        note.problem,
        {"file": note.where or None},
        expected=note.params.get("expected"),
        got=note.params.get("got"),
    )


@router.looks(
    f"{CODABENCH}/{{int:number}}",
    "organize-codabench-bundle",
    shapes.Bundle,
    _("The draft that a bundle becomes, and what it leaves out"),
)
def bundle(request: ApiRequest, number: int) -> shapes.Bundle:
    return _bundle(visible_bundle(request.user, number))


def _bundle(found: CodabenchBundle) -> shapes.Bundle:
    draft = None if found.contest else _draft(found)
    left_out = draft.left_out if draft else codabench.left_out_of(found)
    competition = codabench.competition_of(found)
    return shapes.Bundle(
        **_bundle_line(found).dict(),
        title=draft.title if draft else competition.title,
        program=draft.program if draft else None,
        programs=codabench.allowed_programs(),
        rounds=[
            shapes.BundleRound(key=one.key, opens_at=one.opens_at, closes_at=one.closes_at)
            for one in (draft.rounds if draft else ())
        ],
        left_out=[
            shapes.LeftOut(where=note.where, what=note.what, instead=note.instead)
            for note in left_out
        ],
    )


def _draft(found: CodabenchBundle, **more: Any) -> Draft:
    competition, allowed = codabench.competition_of(found), codabench.allowed_programs()
    return draft_of(competition, now=timezone.now(), allowed=allowed, **more)


@router.acts(
    f"{CODABENCH}/{{int:number}}",
    "organize-codabench-bundle",
    shapes.OrganizedContest,
    _("Create the draft of a contest from a bundle"),
    as_="organize-codabench-draft",
    status=201,
)
def make(request: ApiRequest, number: int, body: shapes.NewDraft) -> Status:
    found = visible_bundle(request.user, number)
    _may_create(request)
    proposed = program_name(codabench.competition_of(found))
    data = {
        "timezone": body.timezone,
        "starts_at": on_the_clock(body.starts_at, body.timezone) if body.starts_at else "",
        "program": body.program or proposed,
    }
    allowed = codabench.allowed_programs()
    form = checked(DraftForm(data, proposed=proposed, allowed=allowed, is_over=False))
    chosen = form.cleaned_data
    draft = _draft(found, starts_at=form.starting, program=chosen["program"])
    zone = chosen["timezone"]
    made = codabench.make_draft(actor=request.user, bundle=found, draft=draft, timezone=zone)
    return Status(201, shown(made))
