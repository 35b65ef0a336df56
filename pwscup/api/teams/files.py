# SPDX-License-Identifier: Apache-2.0
"""Files for teams: the contest's table and its schema, samples, materials, and the published tables of other teams."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.conf import settings
from django.http import FileResponse, Http404, HttpResponse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_noop as _
from ninja import Query

from pwscup.accounts.selectors import team_of
from pwscup.api import schemas
from pwscup.api.operations import Operations
from pwscup.api.problems import ApiRefused
from pwscup.api.teams.common import CONTEST, ROUND, after_terms, own_team
from pwscup.contests import materials as contest_materials
from pwscup.contests import notebook as notebooks
from pwscup.contests import policies, selectors
from pwscup.contests.teams import tables
from pwscup.core.files import storage
from pwscup.core.http.attachments import attached, file_response
from pwscup.formats.files import CSV, ZIP
from pwscup.submissions import draws, services
from pwscup.submissions.intake import limits
from pwscup.submissions.pages import downloads
from pwscup.submissions.policies import may_download_release, may_have_table
from pwscup.submissions.selectors import (
    counting_guesses,
    get_visible_release,
    releases,
    tries_left_by_target,
)

if TYPE_CHECKING:
    from django.http import HttpResponseBase

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Contest, Material
    from pwscup.contests.selectors import Download
    from pwscup.core.http.requests import ApiRequest
    from pwscup.core.models import StoredFile
    from pwscup.submissions.models import Release

router = Operations(tags=["files"])
TOML, OCTETS = "application/toml", "application/octet-stream"
SCHEMA, NOTEBOOK, SAMPLE = "schema.toml", "notebook.ipynb", "sample-"
RELEASE = "/releases/{uuid:public_id}"
TYPES = {"csv": "text/csv; charset=utf-8", "zip": ZIP}


@router.looks(
    f"{CONTEST}/files",
    "files",
    list[schemas.Download],
    _("The files of a contest: its table, or your team's, the schema, samples and the notebook"),
)
def files(request: ApiRequest, slug: str) -> list[schemas.Download]:
    contest, now = selectors.visible_contest(request.user, slug), timezone.now()
    team, may_have = _team(request, contest), _may_have(request, contest)
    if team is not None and contest.format.own_tables:
        draws.ensure_drawn(team, now)
    listed = selectors.downloads(contest, team)
    found = [_download(one, may_have=may_have) for one in listed]
    if listed and contest.format.has_notebook:
        found.append(schemas.Download(name=NOTEBOOK, key="notebook", is_available=True))
    return found


@router.acts(
    f"{CONTEST}/original",
    "original-choose",
    list[schemas.Download],
    _("Choose one of your team's originals for all rounds; the answer is its files"),
)
def choose_original(
    request: ApiRequest, slug: str, body: schemas.ChosenOriginal
) -> list[schemas.Download]:
    contest = selectors.visible_contest(request.user, slug)
    after_terms(request, contest)
    team = own_team(request, contest)
    services.choose_original(user=request.user, team=team, number=body.original)
    return files(request, slug)


def _may_have(request: ApiRequest, contest: Contest) -> bool:
    return policies.may_download_original(request.user, contest, timezone.now())


def _download(one: Download, *, may_have: bool) -> schemas.Download:
    return schemas.Download(
        name=_name(one),
        key=one.key,
        file_name=one.name,
        size_bytes=one.size_bytes,
        sha256=one.sha256,
        n_records=one.n_records,
        n_columns=one.n_columns,
        is_available=may_have or one.key == "schema",
    )


def _name(one: Download) -> str:
    """The last part of its address here; that of a page stands below /sample/ for a sample of all teams."""
    folder, name = one.url.rstrip("/").split("/")[-2:]
    return f"{SAMPLE}{name}" if folder == "sample" else name


@router.file(
    f"{CONTEST}/files/{{str:name}}",
    "file",
    [CSV, ZIP, TOML, notebooks.TYPE],
    _("A file of a contest"),
)
def file(
    request: ApiRequest,
    slug: str,
    name: str,
    language: str = Query("", description="of the notebook: en or ja"),
) -> HttpResponseBase:
    contest = selectors.visible_contest(request.user, slug)
    if name == SCHEMA:
        return _schema(contest)
    if name == NOTEBOOK:
        return _notebook(request, contest, language)
    team = _team(request, contest)
    if team is not None and contest.format.own_tables:
        return _own(request, contest, team, name)
    return _common(request, contest, name)


def _team(request: ApiRequest, contest: Contest) -> Team | None:
    team = team_of(request.user, contest)
    if team is not None:
        team.contest = contest
    return team


def _schema(contest: Contest) -> HttpResponse:
    dataset = selectors.original_of(contest)
    if dataset is None:
        raise Http404
    response = HttpResponse(selectors.public_schema(dataset), content_type=TOML)
    return attached(response, selectors.download_name(contest, SCHEMA))


def _notebook(request: ApiRequest, contest: Contest, asked: str) -> HttpResponse:
    dataset = selectors.original_of(contest)
    if dataset is None or not contest.format.has_notebook:
        raise Http404
    language = asked if asked in dict(settings.LANGUAGES) else get_language() or "en"
    content = notebooks.notebook(contest, dataset, team_of(request.user, contest), language)
    response = HttpResponse(content, content_type=notebooks.TYPE)
    return attached(
        response, selectors.download_name(contest, f"{language}.ipynb"), is_private=True
    )


def _own(request: ApiRequest, contest: Contest, team: Team, name: str) -> HttpResponse:
    """A team's own table or its sample; the table is drawn now if it is due."""
    if not may_have_table(request.user, team, timezone.now()):
        raise Http404
    after_terms(request, contest)
    key, _dot, suffix = name.rpartition(".")
    is_named = suffix == tables.suffix_of(contest, key) and draws.ensure_drawn(team) is not None
    content = tables.content_of(team, key) if is_named else None
    if not content:
        raise Http404
    shown = selectors.download_name(contest, tables.team_file(team, key))
    return downloads.table_response(shown, content)


def _common(request: ApiRequest, contest: Contest, name: str) -> FileResponse:
    """The table of all teams, or a file of the sample submission; a hidden table is no program's."""
    if not (_may_have(request, contest) and contest.format.gives_table):
        raise Http404
    found: StoredFile | None = None
    dataset = selectors.original_of(contest)
    if name == f"original.{contest.format.suffix}" and dataset is not None:
        found = dataset.public
    elif name.startswith(SAMPLE):
        samples = {f"{SAMPLE}{key}.csv": one for key, one in selectors.samples_of(contest).items()}
        found = samples[name].file if name in samples else None
    if found is None:
        raise Http404
    after_terms(request, contest)
    shown = selectors.download_name(contest, name)
    return file_response(storage.path_of(found), shown, TYPES[name.rpartition(".")[2]])


# Materials


@router.looks(
    f"{CONTEST}/materials",
    "materials",
    list[schemas.Material],
    _("Materials of a contest: files, links and generalization hierarchies"),
)
def materials(request: ApiRequest, slug: str) -> list[schemas.Material]:
    contest = selectors.visible_contest(request.user, slug)
    return [
        schemas.Material(
            number=one.material.pk,
            kind=one.material.kind,
            title=one.material.local_title,
            audience=one.material.audience,
            url=one.material.url,
            file_name=one.material.file.name if one.material.file else "",
            needs_terms=one.needs_terms,
        )
        for one in contest_materials.offered(request, contest)
    ]


@router.file(
    f"{CONTEST}/materials/{{int:number}}",
    "material",
    [*dict.fromkeys(contest_materials.TYPES.values()), OCTETS],
    _("The file of a material"),
)
def material(request: ApiRequest, slug: str, number: int) -> FileResponse:
    contest = selectors.visible_contest(request.user, slug)
    found = contest.materials.select_related("file").filter(pk=number).first()
    if found is None or found.file is None:
        raise Http404
    found.contest = contest
    _refuse_material(request, found)
    return contest_materials.response_of(found.file)


def _refuse_material(request: ApiRequest, material: Material) -> None:
    if not policies.may_have_material(request.user, material):
        raise Http404
    if contest_materials.needs_terms_first(request.user, material):
        raise ApiRefused("terms.first")


# Published tables


@router.looks(
    f"{ROUND}/targets",
    "targets",
    list[schemas.Target],
    _("The published tables of an attack round, and the attempts that are left against each"),
)
def targets(request: ApiRequest, slug: str, key: str) -> list[schemas.Target]:
    round, now = selectors.visible_round(request.user, slug, key), timezone.now()
    if not (round.format.has_targets and round.has_opened(now)):
        return []
    team = team_of(request.user, round.contest)
    left = tries_left_by_target(team, round) if team else {}
    today = limits.left_today_by_target(team, round, now) if team else None
    counting = counting_guesses(team, round) if team else {}
    return [
        schemas.Target(
            id=one.public_id,
            team=schemas.Team(slug=one.team.slug, name=one.team.name),
            is_own=team is not None and one.team_id == team.pk,
            n_records=one.n_records,
            table=_stored(one.table),
            given=None if one.candidates is None else _stored(one.candidates),
            is_available=may_download_release(request.user, one, now),
            tries_left=left.get(one.pk),
            left_today=None if today is None else today.get(one.pk),
            is_guessed=one.pk in counting,
        )
        for one in releases(round)
    ]


def _stored(file: StoredFile) -> schemas.Stored:
    return schemas.Stored(
        name=file.name,
        size_bytes=file.size_bytes,
        sha256=file.sha256,
        erased=file.erased_at is not None,
    )


@router.file(
    f"{ROUND}/targets.zip",
    "targets-zip",
    [ZIP],
    _("All published tables of an attack round but your own, with what attackers get next to each"),
)
def targets_zip(request: ApiRequest, slug: str, key: str) -> HttpResponseBase:
    round = selectors.visible_round(request.user, slug, key)
    found = list(releases(round))
    if not found or not may_download_release(request.user, found[0], timezone.now()):
        raise Http404
    after_terms(request, round.contest)
    own = team_of(request.user, round.contest)
    return downloads.releases_response(round, [r for r in found if r.team_id != (own and own.pk)])


@router.file(f"{RELEASE}/table", "release-table", [CSV, ZIP], _("A published table"))
def release_table(request: ApiRequest, public_id: UUID) -> FileResponse:
    return downloads.published_response(_release(request, public_id).table)


@router.file(
    f"{RELEASE}/given",
    "release-given",
    [CSV, ZIP],
    _("What attackers get next to a published table: candidates, question sheets or individuals"),
)
def release_given(request: ApiRequest, public_id: UUID) -> FileResponse:
    found = _release(request, public_id)
    if found.candidates is None:
        raise Http404
    return downloads.published_response(found.candidates)


def _release(request: ApiRequest, public_id: UUID) -> Release:
    found = get_visible_release(request.user, public_id, timezone.now())
    after_terms(request, found.round.contest)
    return found
