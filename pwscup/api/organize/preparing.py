# SPDX-License-Identifier: Apache-2.0
"""A raw table and the steps that prepare it. No answer holds a record of it, or the seed of a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_noop as _

from pwscup.api.operations import Operations
from pwscup.api.organize.common import VERSION, contest_of
from pwscup.api.organize.table import DATA, data_of_contest, whole_body
from pwscup.api.problems import ApiRefused
from pwscup.api.schemas import organize as shapes
from pwscup.api.teams.bodies import BINARY, check_type
from pwscup.contests import selectors, services
from pwscup.core.texts.problems import SEPARATOR, parts
from pwscup.formats.files import CSV
from scoring.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from pwscup.contests.models import Contest, Preparation
    from pwscup.core.http.requests import ApiRequest

router = Operations(tags=["organizing: table"])
PREPARE = f"{DATA}/prepare"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
TYPES = {CSV: "raw.csv", "text/plain": "raw.csv", XLSX: "raw.xlsx"}
EVERY_STEP = range(1, 1_000)


@router.looks(
    PREPARE,
    "organize-prepare",
    shapes.Preparation | None,
    _("The raw table, its steps, their effect, and what the quasi-identifiers find"),
)
def preparation(request: ApiRequest, slug: str) -> shapes.Preparation | None:
    return _shown(selectors.preparation_of(contest_of(request, slug)))


@router.acts(
    PREPARE,
    "organize-prepare",
    shapes.Preparation,
    _("Upload a raw table in any usual encoding, or a workbook; steps are proposed"),
    as_="organize-prepare-upload",
    method="PUT",
    takes={kind: {"schema": BINARY} for kind in TYPES},
)
def upload(request: ApiRequest, slug: str, version: int | None = VERSION) -> shapes.Preparation:
    contest = contest_of(request, slug)
    check_type(request, TYPES)
    kept = services.upload_raw(
        actor=request.user,
        contest=contest,
        version=version,
        name=TYPES[request.content_type or CSV],
        data=whole_body(request),
    )
    return _there(kept)


@router.acts(
    PREPARE,
    "organize-prepare",
    shapes.Data,
    _("Delete the raw table and its steps; the table of the contest stays"),
    as_="organize-prepare-discard",
    method="DELETE",
)
def discard(request: ApiRequest, slug: str) -> shapes.Data:
    contest = contest_of(request, slug)
    services.discard_raw(actor=request.user, contest=contest)
    return data_of_contest(request, contest)


@router.acts(
    f"{PREPARE}/steps",
    "organize-prepare-steps",
    shapes.Preparation,
    _("Change the steps, the way of reading, or roles; every step must fit the table"),
    method="PUT",
)
def steps(request: ApiRequest, slug: str, body: shapes.Steps) -> shapes.Preparation:
    from scoring.tables.preparing import Steps

    contest = contest_of(request, slug)
    revision = body.revision
    if body.reading is not None:
        reading = Steps.from_dict({"version": 1, "read": body.reading}).reading
        what: dict[str, Any] = {"actor": request.user, "contest": contest, "revision": revision}
        revision = services.change_reading(**what, reading=reading).revision
    if body.steps is not None:
        services.change_steps(
            contest=contest, revision=revision, steps=body.steps, must_fit=EVERY_STEP
        )
    if body.roles is not None:
        _check_roles(contest, body.roles)
        services.choose_roles(contest=contest, roles=body.roles)
    kept = selectors.preparation_of(contest)
    if kept is None:
        raise ApiRefused("data.no_raw")
    return _there(kept)


@router.acts(
    f"{PREPARE}/apply",
    "organize-prepare-apply",
    shapes.Data,
    _("Make the prepared table the draft, whose columns are then confirmed"),
)
def apply(
    request: ApiRequest, slug: str, revision: int | None = None, version: int | None = VERSION
) -> shapes.Data:
    contest = contest_of(request, slug)
    services.apply_steps(actor=request.user, contest=contest, version=version, revision=revision)
    return data_of_contest(request, contest)


def _check_roles(contest: Contest, roles: Mapping[str, str]) -> None:
    """Refuse roles that the format does not know, and columns that the prepared table does not have."""
    kept = selectors.preparation_of(contest)
    names = [column["name"] for column in kept.seen["columns"]] if kept else []
    if others := [name for name in roles if name not in names]:
        raise ApiRefused("data.other_columns", expected=", ".join(names), got=", ".join(others))
    known = [str(role) for role in contest.format.setup.ROLES]
    if unknown := [name for name, role in roles.items() if role not in known]:
        raise ApiRefused("data.unknown_role", expected=", ".join(known), got=", ".join(unknown))


def _shown(kept: Preparation | None) -> shapes.Preparation | None:
    return None if kept is None else _there(kept)


def _there(kept: Preparation) -> shapes.Preparation:
    seen, listed = kept.seen, kept.steps.unseeded()
    reading = listed.to_dict().get("read", {})
    return shapes.Preparation(
        file_name=kept.raw.name,
        sha256=kept.raw.sha256,
        n_raw=seen["n_records"],
        n_records=seen["n_left"],
        reading=reading,
        sheets=seen["sheets"],
        notes=[_words(note) for note in seen["notes"]],
        steps=[dict(step) for step in listed.steps],
        steps_toml=listed.to_toml(),
        effects=[_effect(outcome) for outcome in seen["outcomes"]],
        columns=[
            shapes.PreparedColumn(
                name=column["name"],
                kind=column["kind"],
                role=seen["roles"].get(column["name"], column["role"]),
                n_missing=column["n_missing"],
                n_distinct=column["n_distinct"],
            )
            for column in seen["columns"]
        ],
        risk=shapes.Risk(**seen["risk"]),
        revision=kept.revision,
    )


def _effect(outcome: Mapping[str, Any]) -> shapes.StepEffect:
    if "problems" in outcome:
        return shapes.StepEffect(problems=[_words(problem) for problem in outcome["problems"]])
    return shapes.StepEffect(
        **{key: outcome[key] for key in ("n", "unit", "left", "n_records", "n_columns")}
    )


def _words(problem: Mapping[str, Any]) -> str:
    return SEPARATOR.join(parts(Problem(**problem)))
