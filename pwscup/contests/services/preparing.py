# SPDX-License-Identifier: Apache-2.0
"""A raw file becomes the table of a contest by steps; the library carries them out."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import User
from pwscup.contests import selectors
from pwscup.contests.models import Contest, Preparation, TableDraft
from pwscup.contests.services.common import ChangedMeanwhile, ContestRefused, lock
from pwscup.contests.services.table import (
    check_table_may_change,
    drop_preparation,
    upload_table,
)
from pwscup.core import audit_log
from pwscup.core.files import storage
from pwscup.core.files.headers import TooManyColumns
from pwscup.core.files.storage import Area
from scoring.errors import Problem, ProblemsFound
from scoring.tables.schema import Role

if TYPE_CHECKING:
    import pandas as pd

    from pwscup.core.models import StoredFile
    from scoring.tables.preparing import Report, Step, Steps
    from scoring.tables.raw_files import RawTable, Reading
    from scoring.tables.schema import Schema

Seen = dict[str, Any]
IN_COLUMNS = ("numbers", "round", "missing", "dates", "merge-rare")
"""Steps that change cells of their columns only; `missing` may drop records instead."""


def upload_raw(
    *,
    actor: User,
    contest: Contest,
    version: int | None = None,
    name: str,
    data: bytes,
    reading: Reading | None = None,
    steps: Sequence[Step] | None = None,
    n_sampled: int | None = None,
) -> Preparation:
    """Keep a raw file with the given steps; without them with those of the former file where one of these fits, else
    with the steps that the table seems to need; and a sample of `n_sampled` records at their end.

    Raises
    ------
    ProblemsFound
        Where the file cannot be read; the former one stays.
    ContestRefused
        Where the table of the contest can no longer be replaced, or the format takes no such table.
    """
    from scoring.tables.preparing import Steps, tried

    _check_format(contest)
    check_table_may_change(contest)
    raw = _read(data, reading, name)
    former = selectors.preparation_of(contest)
    chosen = steps
    if chosen is None and former is not None and former.steps.steps:
        results = tried(raw.table, former.steps.steps)[1]
        if not all(isinstance(one, ProblemsFound) for one in results):
            chosen = former.steps.steps
    if chosen is None:
        chosen = _proposed(raw)
    if n_sampled is not None:
        chosen = [*chosen, {"do": "sample", "records": n_sampled}]
    asked = Steps(raw.reading, tuple(chosen)).seeded()
    done = _done(asked, *tried(raw.table, asked.steps))
    roles = former.seen["roles"] if former else {}
    seen = _seen_of(raw) | _looked_at(done, roles)
    with transaction.atomic():
        held = lock(contest, version)
        check_table_may_change(contest)
        drop_preparation(held)
        kept = Preparation.objects.create(
            contest=held,
            raw=storage.store(data, area=Area.DRAFT, name=name),
            parsed=_store(raw.table, name),
            result=storage.store(done.packed, area=Area.DRAFT, name=name),
            steps_text=asked.to_toml(),
            seen=seen,
            revision=former.revision + 1 if former else 1,
        )
        audit_log.record(
            "contest.raw_table_uploaded",
            actor=actor,
            contest_id=contest.pk,
            sha256=kept.raw.sha256,
            n_records=len(raw.table),
            n_columns=len(raw.table.columns),
        )
    return kept


def keep_raw(*, actor: User, contest: Contest, name: str, data: bytes, is_refused: bool) -> None:
    """Keep an uploaded file for the page Prepare: a refused one, or one whose steps would make numbers or years of
    what was read as text.

    Nothing where another raw file is kept.
    """
    if contest.format.suffix != "csv" or selectors.preparation_of(contest) is not None:
        return
    if is_refused or any(map(columns_read_as_text, _proposed(_read(data, None, name)))):
        upload_raw(actor=actor, contest=contest, name=name, data=data)


def columns_read_as_text(step: Step) -> list[str]:
    """The columns of a proposed step whose numbers or dates a table without it has as categories."""
    makes_numbers = step["do"] in ("numbers", "dates") or (
        step["do"] == "missing" and step["how"] != "category"
    )
    return list(step.get("columns", ())) if makes_numbers else []


def change_reading(
    *, actor: User, contest: Contest, revision: int | None = None, reading: Reading
) -> Preparation:
    """Read the raw file in another way; the steps stay.

    Raises
    ------
    ProblemsFound, ContestRefused
        As `upload_raw`.
    """
    kept = _held(contest, revision)
    data = storage.read_draft(kept.raw)
    what: dict[str, Any] = {
        "name": kept.raw.name,
        "data": data,
        "reading": reading,
        "steps": kept.steps.steps,
    }
    return upload_raw(actor=actor, contest=contest, **what)


def change_steps(
    *,
    contest: Contest,
    revision: int | None = None,
    steps: Sequence[Step],
    must_fit: Container[int] = (),
) -> Preparation:
    """Carry out other steps. A sample without a seed has the one that was drawn for it before, else a new one.

    Parameters
    ----------
    revision : int, optional
        That of the page; steps that somebody else changed since are not overwritten.
    steps : sequence of dict
        As in `scoring.tables.preparing.Steps`.
    must_fit : container of int
        Numbers of steps, from 1: where the table does not allow one of these, nothing is changed. Other steps are
        kept with their problems.

    Raises
    ------
    ProblemsFound
        Of steps that are wrong, whatever the table is, or do not fit; nothing is changed.
    ContestRefused
        Where there is no raw file, or somebody else changed the steps.
    """
    from scoring.tables.preparing import Steps

    kept = _held(contest, revision)
    before = kept.steps
    asked = Steps.from_dict(Steps(before.reading, tuple(steps)).to_dict())
    chosen = _with_seeds(asked, before).seeded()
    done = _continued(kept, chosen) or _from_the_start(kept, chosen)
    _refuse_unfit([one for at, one in enumerate(done.outcomes, start=1) if at in must_fit])
    seen = kept.seen | _looked_at(done, kept.seen["roles"])
    result = storage.store(done.packed, area=Area.DRAFT, name=kept.raw.name)
    with transaction.atomic():
        held = Preparation.objects.select_for_update().get(pk=kept.pk)
        if held.revision != kept.revision:
            storage.discard_draft(result)
            raise ChangedMeanwhile
        former = held.result
        Preparation.objects.filter(pk=held.pk).update(
            steps_text=chosen.to_toml(), seen=seen, result=result, revision=held.revision + 1
        )
        storage.discard_draft(former)
    return Preparation.objects.get(pk=kept.pk)


def propose_steps(*, contest: Contest, revision: int | None = None) -> Preparation:
    """Replace the steps by those that the raw table seems to need."""
    from scoring.tables.coded import unpack
    from scoring.tables.proposing import proposed_steps

    kept = _held(contest, revision)
    table = unpack(storage.read_draft(kept.parsed))
    steps = proposed_steps(table, today=timezone.now().date())
    return change_steps(contest=contest, revision=revision, steps=steps)


def choose_roles(*, contest: Contest, roles: Mapping[str, str]) -> Preparation:
    """Keep the roles of columns as chosen, and count again what they find."""
    kept = _held(contest, None)
    known = {column["name"] for column in kept.seen["columns"]}
    chosen = kept.seen["roles"] | {name: role for name, role in roles.items() if name in known}
    guessed = {column["name"]: column["role"] for column in kept.seen["columns"]}
    chosen = {name: role for name, role in chosen.items() if guessed.get(name) != role}
    seen = kept.seen | {"roles": chosen}
    seen["risk"] = _risk_of(storage.read_draft(kept.result), seen["columns"], chosen)
    Preparation.objects.filter(pk=kept.pk, revision=kept.revision).update(seen=seen)
    kept.seen = seen
    return kept


def discard_raw(*, actor: User, contest: Contest) -> None:
    """Delete the raw file and its steps; the table of the contest stays."""
    kept = _held(contest, None)
    with transaction.atomic():
        held = lock(contest)
        drop_preparation(held)
        audit_log.record(
            "contest.raw_table_removed",
            actor=actor,
            contest_id=contest.pk,
            sha256=kept.raw.sha256,
        )


def apply_steps(
    *, actor: User, contest: Contest, version: int | None = None, revision: int | None = None
) -> TableDraft:
    """Make the prepared table the draft of the contest's table, with the roles that were chosen.

    Raises
    ------
    ProblemsFound
        Where a step does not fit, or the result is no table of this format.
    ContestRefused
        As `upload_table`.
    """
    from scoring.tables.coded import csv_bytes, unpack

    kept = _held(contest, revision)
    _refuse_unfit([_problems_in(one) for one in kept.seen["outcomes"] if "problems" in one])
    table = unpack(storage.read_draft(kept.result))
    name = f"{kept.raw.name.rpartition('.')[0] or kept.raw.name}.csv"
    data = csv_bytes(table)
    draft = upload_table(actor=actor, contest=contest, version=version, name=name, data=data)
    with transaction.atomic():
        _give_roles(draft, kept.seen["roles"], contest)
        Preparation.objects.filter(pk=kept.pk).update(applied_at=timezone.now())
        audit_log.record(
            "contest.table_prepared",
            actor=actor,
            contest_id=contest.pk,
            raw_sha256=kept.raw.sha256,
            sha256=draft.file.sha256,
            n_raw=kept.seen["n_records"],
            n_records=draft.n_records,
            steps=", ".join(step["do"] for step in kept.steps.steps),
        )
    return draft


def _give_roles(draft: TableDraft, roles: Mapping[str, str], contest: Contest) -> None:
    """The chosen roles instead of the guessed ones, where the columns then fit together."""
    from pwscup.contests.services.columns import with_roles

    allowed = {str(role) for role in contest.format.setup.ROLES}
    chosen = {name: Role(role) for name, role in roles.items() if role in allowed}
    schema = with_roles(draft.schema, chosen)
    if schema is not None:
        TableDraft.objects.filter(pk=draft.pk).update(schema_text=schema.to_toml())


def _held(contest: Contest, revision: int | None) -> Preparation:
    kept = selectors.preparation_of(contest)
    if kept is None:
        raise ContestRefused(_("There is no raw table to prepare. Upload it first."))
    if revision is not None and kept.revision != revision:
        raise ChangedMeanwhile
    return kept


def _check_format(contest: Contest) -> None:
    if contest.format.suffix != "csv":
        raise ContestRefused(
            _(
                "The tables of this format are several files of one archive, which cannot be prepared."
            )
        )


def _read(data: bytes, reading: Reading | None, name: str) -> RawTable:
    from scoring.tables.raw_files import read_raw

    raw = read_raw(data, reading, file=name)
    if len(raw.table.columns) > settings.MAX_TABLE_COLUMNS:
        numbers = {"got": len(raw.table.columns), "expected": settings.MAX_TABLE_COLUMNS}
        raise TooManyColumns(
            _("The table has %(got)d columns — expected at most %(expected)d.") % numbers
        )
    return raw


def _proposed(raw: RawTable) -> list[dict[str, Any]]:
    from scoring.tables.proposing import proposed_steps

    return proposed_steps(raw.table, today=timezone.now().date())


def _with_seeds(asked: Steps, before: Steps) -> Steps:
    """The steps with the seeds that samples of as many records had, in their order."""
    from scoring.tables.preparing import Steps

    drawn = [step for step in before.steps if step["do"] == "sample"]
    found = []
    for step in asked.steps:
        if step["do"] == "sample" and not step.get("seed"):
            same = next((one for one in drawn if one["records"] == step["records"]), None)
            if same is not None:
                drawn.remove(same)
                found.append({**step, "seed": same["seed"]})
                continue
        found.append(dict(step))
    return Steps(asked.reading, tuple(found))


@dataclass(frozen=True, slots=True)
class _Done:
    """The table after all steps, packed; the effects of the steps; and the columns as organizers see them."""

    packed: bytes
    outcomes: list[Any]
    columns: list[dict[str, Any]]
    n_records: int


def _done(steps: Steps, table: pd.DataFrame, outcomes: Sequence[Any]) -> _Done:
    from scoring.tables.coded import pack

    return _Done(pack(table), list(outcomes), _columns_of(table, steps), len(table))


def _from_the_start(kept: Preparation, steps: Steps) -> _Done:
    from scoring.tables.coded import unpack
    from scoring.tables.preparing import tried

    return _done(steps, *tried(unpack(storage.read_draft(kept.parsed)), steps.steps))


def _continued(kept: Preparation, steps: Steps) -> _Done | None:
    """The steps behind those of before, from their result; only the columns of a step are read where it changes no
    others. None where the steps of before are not the first ones."""
    from scoring.tables.coded import repack, unpack
    from scoring.tables.preparing import tried

    before = kept.steps.steps
    new = steps.steps[len(before) :]
    if not before or not new or steps.steps[: len(before)] != before:
        return None
    packed, outcomes = storage.read_draft(kept.result), list(kept.seen["outcomes"])
    columns = list(kept.seen["columns"])
    named = set(new[0].get("columns", ()))
    is_inside = new[0]["do"] in IN_COLUMNS and new[0].get("how") != "drop"
    if len(new) > 1 or not is_inside or not named or not named <= {c["name"] for c in columns}:
        table, results = tried(unpack(packed), new, first=len(before) + 1)
        return _done(steps, table, [*outcomes, *results])
    table, (result,) = tried(unpack(packed, named), new, first=len(before) + 1)
    if isinstance(result, ProblemsFound):
        return _Done(packed, [*outcomes, result], columns, kept.seen["n_left"])
    whole = replace(result, n_columns=len(columns))
    changed = {column["name"]: column for column in _columns_of(table, steps)}
    columns = [changed.get(column["name"], column) for column in columns]
    return _Done(repack(packed, table), [*outcomes, whole], columns, len(table))


def _refuse_unfit(outcomes: Sequence[Any]) -> None:
    problems = [
        problem for one in outcomes if isinstance(one, ProblemsFound) for problem in one.problems
    ]
    if problems:
        raise ProblemsFound(problems)


def _seen_of(raw: RawTable) -> Seen:
    return {
        "notes": [_kept_problem(note) for note in raw.notes],
        "sheets": list(raw.sheets),
        "n_records": len(raw.table),
        "names": [str(name) for name in raw.table.columns],
    }


def _columns_of(table: pd.DataFrame, steps: Steps) -> list[dict[str, Any]]:
    """The view of organizers on each column."""
    from scoring.tables.previews import preview

    return [
        {
            "name": column.name,
            "n_missing": column.n_missing,
            "n_distinct": column.n_distinct,
            "kind": str(column.kind),
            "role": str(column.role),
            "bars": [[bar.label, bar.n] for bar in column.bars],
            "examples": list(column.examples),
        }
        for column in preview(table, steps.labels_of)
    ]


def _looked_at(done: _Done, roles: Mapping[str, str]) -> Seen:
    """The view of organizers on the table after all steps."""
    names = {column["name"] for column in done.columns}
    kept = {name: role for name, role in roles.items() if name in names}
    return {
        "outcomes": [one if isinstance(one, Mapping) else _outcome(one) for one in done.outcomes],
        "columns": done.columns,
        "n_left": done.n_records,
        "roles": kept,
        "risk": _risk_of(done.packed, done.columns, kept),
    }


def _outcome(result: Report | ProblemsFound) -> Mapping[str, Any]:
    if isinstance(result, ProblemsFound):
        return {"problems": [_kept_problem(problem) for problem in result.problems]}
    return {
        "n": result.n,
        "unit": result.unit,
        "left": result.left,
        "n_records": result.n_records,
        "n_columns": result.n_columns,
        "examples": [asdict(example) for example in result.examples],
    }


def _kept_problem(problem: Problem) -> dict[str, Any]:
    return {"code": problem.code, "params": dict(problem.params), "file": problem.file}


def _problems_in(outcome: Mapping[str, Any]) -> ProblemsFound:
    return ProblemsFound([Problem(**problem) for problem in outcome["problems"]])


def _risk_of(
    data: bytes, columns: Sequence[Mapping[str, Any]], roles: Mapping[str, str]
) -> Mapping[str, Any]:
    """The records that the quasi-identifiers of a packed table find, and the cells of a cross table of some."""
    from scoring.tables.coded import unpack_codes
    from scoring.tables.exposure import proposed_cross
    from scoring.tables.schema import N_CROSS

    names = _quasi(columns, roles)
    codes, n_records = unpack_codes(data, names)
    n_values = {c["name"]: c["n_distinct"] + bool(c["n_missing"]) for c in columns}
    crossed = [names[at] for at in proposed_cross([n_values[n] for n in names], n_records, N_CROSS)]
    return _found_by(codes, names, crossed, n_records)


def draft_risk(*, contest: Contest, schema: Schema) -> Mapping[str, Any]:
    """The records that the quasi-identifiers of a schema find in the draft, and the cells of its cross table.

    Raises
    ------
    ProblemsFound
        Where the draft lacks a column of the schema.
    """
    from scoring.tables.exposure import codes_in

    draft = TableDraft.objects.select_related("file").get(contest=contest)
    names = list(schema.quasi_identifiers)
    codes = codes_in(storage.read_draft(draft.file), names, file="original")
    return _found_by(
        codes, names, [name for name in names if name in schema.cross], draft.n_records
    )


def _found_by(
    codes: Mapping[str, Any], names: Sequence[str], crossed: Sequence[str], n_records: int
) -> Mapping[str, Any]:
    """The records that these columns find, and the cells of a cross table of some of them."""
    from scoring.tables.exposure import exposure, found_by

    quasi = [codes[name] for name in names]
    whole = exposure(quasi, [codes[name] for name in crossed], n_records)
    return asdict(whole) | {
        "cross": list(crossed),
        "finds": [
            {"name": name, **asdict(one)}
            for name, one in zip(names, found_by(quasi, n_records), strict=True)
        ],
    }


def _quasi(columns: Sequence[Mapping[str, Any]], roles: Mapping[str, str]) -> list[str]:
    wanted = str(Role.QUASI_IDENTIFIER)
    return [c["name"] for c in columns if roles.get(c["name"], c["role"]) == wanted]


def _store(table: pd.DataFrame, name: str) -> StoredFile:
    from scoring.tables.coded import pack

    return storage.store(pack(table), area=Area.DRAFT, name=name)
