# SPDX-License-Identifier: Apache-2.0
"""The table of a contest: upload or synthetic table, columns, confirmation. No answer holds a record of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.utils.translation import gettext_noop as _
from ninja import Query

from pwscup.api.forms import checked, data_of, refuse_unknown
from pwscup.api.operations import Operations
from pwscup.api.organize.common import CONTEST, VERSION, contest_of
from pwscup.api.problems import ApiRefused
from pwscup.api.schemas import organize as shapes
from pwscup.api.teams.bodies import BINARY, check_type, chunks
from pwscup.contests import policies, selectors, services
from pwscup.contests.services import ChangedMeanwhile
from pwscup.formats.files import CSV, SUFFIXES, ZIP
from scoring.tables.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pwscup.contests.models import Contest, TableDraft
    from pwscup.core.http.requests import ApiRequest

router = Operations(tags=["organizing: table"])
DATA = f"{CONTEST}/data"
TABLE_BODY = {kind: {"schema": BINARY} for kind in (CSV, ZIP)}


@router.looks(
    DATA, "organize-data", shapes.Data, _("The table of a contest and its draft, without records")
)
def data(request: ApiRequest, slug: str) -> shapes.Data:
    return data_of_contest(request, contest_of(request, slug))


def data_of_contest(request: ApiRequest, contest: Contest) -> shapes.Data:
    """The table of a contest and its draft, without records."""
    dataset, draft = selectors.original_of(contest), selectors.draft_of(contest)
    setup = contest.format.setup
    schema = draft.schema if draft else dataset.schema if dataset else None
    warnings = setup.warnings(contest, schema, draft, dataset) if schema else []
    return shapes.Data(
        table=shapes.Table(
            n_records=dataset.n_records,
            sha256=dataset.sealed.sha256,
            schema_toml=dataset.schema_text,
            created_at=dataset.created_at,
        )
        if dataset
        else None,
        draft=_draft(contest, draft) if draft else None,
        may_replace=policies.may_replace_table(request.user, contest),
        choices={key: str(title) for key, title in setup.TICKS.items()},
        warnings=[str(words) for words in warnings],
    )


def _draft(contest: Contest, draft: TableDraft) -> shapes.Draft:
    return shapes.Draft(
        file_name=draft.file.name,
        sha256=draft.file.sha256,
        n_records=draft.n_records,
        schema_toml=draft.schema_text,
        columns=[
            shapes.DraftColumn(name=name, n_distinct=column.get("n_distinct"))
            for name, column in zip(draft.schema.names, draft.columns, strict=True)
        ],
        ticked={tick: list(names) for tick, names in _ticked(contest, draft).items()},
    )


def _ticked(contest: Contest, draft: TableDraft) -> Mapping[str, list[str]]:
    """The choices of before, or those of the rules."""
    setup = contest.format.setup
    ticked = draft.ticked(setup.TICKS) or setup.ticked(contest.ruleset, draft.schema)
    return {tick: list(names) for tick, names in ticked.items()}


@router.acts(
    DATA,
    "organize-data",
    shapes.Data,
    _("Upload a table, or tables of several times as a zip archive; columns are suggested"),
    as_="organize-data-upload",
    method="PUT",
    takes=TABLE_BODY,
)
def upload(
    request: ApiRequest,
    slug: str,
    n_sampled: int | None = Query(
        None, ge=4, le=1_000_000, description="records to draw at random, if not all"
    ),
    version: int | None = VERSION,
) -> shapes.Data:
    contest = contest_of(request, slug)
    suffix = contest.format.suffix
    check_type(request, [kind for kind in TABLE_BODY if SUFFIXES[kind] == suffix])
    if n_sampled is not None and "n_sampled" not in contest.format.setup.UPLOAD_FORM.base_fields:
        refuse_unknown(["n_sampled"], "query")
    services.upload_table(
        actor=request.user,
        contest=contest,
        version=version,
        name=f"original.{suffix}",
        data=whole_body(request),
        n_sampled=n_sampled,
    )
    return data_of_contest(request, contest)


def whole_body(request: ApiRequest) -> bytes:
    """The body of a request that is a file; ApiRefused where it is too large."""
    body = bytearray()
    for chunk in chunks(request):
        body += chunk
        if len(body) > settings.MAX_UPLOAD_BYTES:
            raise ApiRefused("request.too_large", expected=settings.MAX_UPLOAD_BYTES)
    return bytes(body)


@router.acts(
    f"{DATA}/generate",
    "organize-generate",
    shapes.Data,
    _("Generate a synthetic table, with columns that are known"),
)
def generate(
    request: ApiRequest, slug: str, body: shapes.Generate, version: int | None = VERSION
) -> shapes.Data:
    contest = contest_of(request, slug)
    setup = contest.format.setup
    fields = setup.GENERATE_FORM.base_fields
    first = {name: field.initial for name, field in fields.items() if field.initial is not None}
    given = data_of(body)
    refuse_unknown((name for name in given if name not in fields), "body", "body")
    proposed = {**first, **setup.proposed(contest.ruleset)}
    chosen = dict(checked(setup.GENERATE_FORM({**proposed, **given, "version": 0})).cleaned_data)
    del chosen["version"]
    services.generate_table(actor=request.user, contest=contest, version=version, **chosen)
    return data_of_contest(request, contest)


@router.acts(
    f"{DATA}/columns",
    "organize-columns",
    shapes.Checked,
    _("Check the columns of the draft, or confirm them: then it is the contest's table"),
)
def columns(
    request: ApiRequest, slug: str, body: shapes.Columns, version: int | None = VERSION
) -> shapes.Checked:
    contest = contest_of(request, slug)
    draft = selectors.draft_of(contest)
    if draft is None:
        raise ApiRefused("data.no_draft")
    if version is not None and version != contest.version:
        raise ChangedMeanwhile
    schema = _schema(contest, draft, body.schema_toml)
    ticked = _chosen(contest, draft, body.ticked)
    notes: list[str] = []
    if body.confirm:
        services.confirm_table(
            actor=request.user, contest=contest, version=version, schema=schema, ticked=ticked
        )
    else:
        notes = services.check_table(contest=contest, schema=schema, ticked=ticked)
    return shapes.Checked(
        is_confirmed=body.confirm,
        notes=[str(note) for note in notes],
        data=data_of_contest(request, contest),
    )


def _schema(contest: Contest, draft: TableDraft, text: str | None) -> Schema:
    """The schema as it was sent; its columns are those of the draft, with roles that the format knows."""
    if text is None:
        return draft.schema
    schema = Schema.from_toml(text)
    roles = contest.format.setup.ROLES
    if schema.names != draft.schema.names:
        raise ApiRefused(
            "data.other_columns",
            expected=", ".join(draft.schema.names),
            got=", ".join(schema.names),
        )
    if unknown := [column.name for column in schema.columns if column.role not in roles]:
        raise ApiRefused(
            "data.unknown_role",
            expected=", ".join(str(role) for role in roles),
            got=", ".join(unknown),
        )
    return schema


def _chosen(
    contest: Contest, draft: TableDraft, ticked: Mapping[str, Sequence[str]] | None
) -> Mapping[str, Sequence[str]]:
    """The choices of columns; each needs at least one column of the draft."""
    if ticked is None:
        return _ticked(contest, draft)
    choices = contest.format.setup.TICKS
    refuse_unknown((key for key in ticked if key not in choices), "body", "body", "ticked")
    for key in choices:
        names = ticked.get(key, ())
        if not names or not set(names) <= set(draft.schema.names):
            raise ApiRefused("data.choice", expected=key, got=", ".join(names) or "—")
    return ticked
