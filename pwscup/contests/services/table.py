# SPDX-License-Identifier: Apache-2.0
"""The table of a contest: upload, check, confirmation."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import User
from pwscup.contests import policies, selectors
from pwscup.contests.models import Contest, Dataset, Sample, TableDraft
from pwscup.contests.services.columns import columns_of, is_as_guessed
from pwscup.contests.services.common import ContestRefused, lock
from pwscup.contests.services.rule_versions import hold, write_down
from pwscup.contests.teams import tables as team_tables
from pwscup.contests.teams.tables import ORIGINAL
from pwscup.core import audit_log
from pwscup.core.files import storage
from pwscup.core.files.storage import Area
from pwscup.core.texts.problems import SEPARATOR, parts
from pwscup.formats import format_of
from pwscup.formats.spec import NOTHING_TICKED
from scoring.errors import PluginError

if TYPE_CHECKING:
    from pwscup.core.texts.refusals import Text
    from pwscup.formats.spec import Described, Ticked
    from scoring.rulesets import Ruleset
    from scoring.tables.schema import Schema

logger = logging.getLogger(__name__)


def upload_table(
    *,
    actor: User,
    contest: Contest,
    version: int | None = None,
    name: str,
    data: bytes,
    n_sampled: int | None = None,
) -> TableDraft:
    """Store an uploaded table, or a random sample of its records, as a draft with a suggestion for its columns.

    Raises
    ------
    ProblemsFound
        If the bytes are not a valid CSV; an earlier draft stays.
    TooManyColumns
        If the table has more columns than a page can show.
    ContestRefused
        If it has fewer records than the sample.
    """
    if n_sampled is not None:
        data = _sampled(data, n_sampled)
    described = contest.format.table.describe(data)
    return _keep_draft(actor, contest, version, name, data, described, n_sampled=n_sampled)


def _sampled(data: bytes, n_sampled: int) -> bytes:
    from pwscup.contests.sampling import sampled  # imports numpy, which most processes do not need

    sample, n_records = sampled(data, n_sampled)
    if n_sampled > n_records:
        raise ContestRefused(
            _("The table has %(got)d records — expected at least the %(expected)d that are drawn.")
            % {"got": n_records, "expected": n_sampled}
        )
    return sample


def generate_table(
    *, actor: User, contest: Contest, version: int | None = None, **chosen: int
) -> TableDraft:
    """Generate synthetic data as a draft with known columns: it contains no real individual and may be public."""
    try:
        name, data, described = contest.format.table.generated(contest.ruleset, **chosen)
    except PluginError as error:
        logger.exception("no table for contest %s", contest.pk)
        raise ContestRefused(SEPARATOR.join(parts(error.problem))) from error
    return _keep_draft(actor, contest, version, name, data, described, is_generated=True)


def _keep_draft(
    actor: User,
    contest: Contest,
    version: int | None,
    name: str,
    data: bytes,
    described: Described,
    *,
    n_sampled: int | None = None,
    is_generated: bool = False,
) -> TableDraft:
    with transaction.atomic():
        held = lock(contest, version)
        check_table_may_change(contest)
        schema, columns = columns_of(described, None if is_generated else _former(held))
        drop_draft(held)
        draft = TableDraft.objects.create(
            contest=held,
            file=storage.store(data, area=Area.DRAFT, name=name),
            schema_text=schema.to_toml(),
            columns=columns,
            n_records=described.n_records,
        )
        sampled: dict[str, Any] = {"n_sampled": n_sampled} if n_sampled else {}
        audit_log.record(
            "contest.table_uploaded",
            actor=actor,
            contest_id=contest.pk,
            sha256=draft.file.sha256,
            n_records=draft.n_records,
            n_columns=len(columns),
            **sampled,
        )
    return draft


def _former(contest: Contest) -> TableDraft | Dataset | None:
    """The table whose columns organizers have chosen or confirmed."""
    draft, dataset = selectors.draft_of(contest), selectors.original_of(contest)
    if draft is None or (is_as_guessed(draft) and not selectors.is_confirmed(draft, dataset)):
        return dataset
    return draft


def check_table(*, contest: Contest, schema: Schema, ticked: Ticked = NOTHING_TICKED) -> list[str]:
    """Store these columns with the draft, and read it with them; return notes about the ticked columns.

    Raises
    ------
    ProblemsFound
        Every cell that does not fit its column.
    """
    draft = TableDraft.objects.select_related("file").get(contest=contest)
    _keep_columns(draft, schema, ticked)
    rules = contest.format.setup.rules_with(contest.ruleset, schema, ticked)
    contest.format.setup.check_columns(rules, schema)
    data = storage.read_draft(draft.file)
    contest.format.table.check(data, schema)
    contest.format.table.check_draw(data, schema, rules)
    return contest.format.table.tick_notes(data, schema, rules)


def keep_columns(*, contest: Contest, schema: Schema, ticked: Ticked = NOTHING_TICKED) -> None:
    """Store the columns as entered with the draft, without a check; nothing if there is no draft of these columns."""
    draft = selectors.draft_of(contest)
    if draft is not None and draft.schema.names == schema.names:
        _keep_columns(draft, schema, ticked)


def _keep_columns(draft: TableDraft, schema: Schema, ticked: Ticked) -> None:
    columns = [
        column | ({"ticks": [tick for tick in ticked if name in ticked[tick]]} if ticked else {})
        for name, column in zip(schema.names, draft.columns, strict=True)
    ]
    TableDraft.objects.filter(pk=draft.pk).update(schema_text=schema.to_toml(), columns=columns)


def confirm_table(
    *,
    actor: User,
    contest: Contest,
    version: int | None = None,
    schema: Schema,
    ticked: Ticked = NOTHING_TICKED,
) -> Dataset:
    """Make the draft the contest's table, with the given columns, and write the rules for the ticked ones; the
    draft stays for corrections until publication."""
    draft = TableDraft.objects.select_related("file").get(contest=contest)
    data = storage.read_draft(draft.file)
    with transaction.atomic():
        held = lock(contest, version)
        check_table_may_change(held)
        if ticked:
            rules = contest.format.setup.rules_with(held.ruleset, schema, ticked)
            if rules.digest != held.ruleset.digest:
                note = gettext("Columns chosen on the page Data")
                hold(held, write_down(held, rules, note=note, created_by=actor), actor)
                contest.ruleset_text = held.ruleset_text
                contest.__dict__.pop("ruleset", None)
        dataset = attach_dataset(
            actor=actor,
            contest=contest,
            data=data,
            schema=schema,
            name=draft.file.name,
        )
        _keep_columns(draft, schema, ticked)
    return dataset


def attach_dataset(
    *,
    actor: User | None,
    contest: Contest,
    version: int | None = None,
    data: bytes,
    schema: Schema,
    name: str = "original.csv",
) -> Dataset:
    """Store a contest's table: the complete one sealed, the part for participants, and a sample submission.

    For a series the part for participants is the complete one: each team gets the part of its individuals.

    Raises
    ------
    ProblemsFound
        Every cell that does not fit its column.
    ContestRefused
        After the first submission.
    """
    parts = contest.format.table.prepare(data, schema)
    if contest.format.gives_table:
        _check_size(contest, len(parts.public))
    check_enough_records(contest.ruleset, parts.n_available)
    contest.format.setup.check_columns(contest.ruleset, schema)
    contest.format.table.check_draw(data, schema, contest.ruleset)
    with transaction.atomic():
        held = lock(contest, version)
        check_table_may_change(contest)
        public = storage.publish(parts.public, name=f"original.{contest.format.suffix}")
        public.save()
        dataset, _created = Dataset.objects.update_or_create(
            contest=held,
            team=None,
            key=ORIGINAL,
            defaults={
                "sealed": storage.store(parts.whole, area=Area.SEALED, name=name),
                "public": public,
                "schema_text": schema.to_toml(),
                "n_records": parts.n_records,
                "n_tables": parts.n_tables,
                "n_people": parts.n_people,
                "created_at": timezone.now(),
            },
        )
        # A sample contains values: teams with their own tables get one of those, others values that they may see.
        for key, content in parts.samples.items() if contest.format.gives_table else ():
            file = storage.publish(content, name=f"sample-{key}.csv")
            file.save()
            Sample.objects.update_or_create(contest=held, key=key, defaults={"file": file})
        audit_log.record(
            "contest.table_attached",
            actor=actor,
            contest_id=contest.pk,
            sha256=dataset.sealed.sha256,
            public_sha256=public.sha256,
            n_records=dataset.n_records,
            roles={
                str(role): ", ".join(c.name for c in schema.columns if c.role is role)
                for role in dict.fromkeys(column.role for column in schema.columns)
            },
        )
    return dataset


def check_table_may_change(contest: Contest) -> None:
    """Refuse another table once something was made from the current one.

    Raises
    ------
    ContestRefused
        After teams have drawn tables or submitted.
    """
    if team_tables.has_draws(contest):
        raise ContestRefused(
            _(
                "The table cannot be replaced: teams already have their own tables, which were drawn from this one."
            )
        )
    if policies.has_submissions(contest):
        raise ContestRefused(
            _(
                "The table cannot be replaced: there are already submissions, which were made from this table."
            )
        )


def check_enough_records(ruleset: Ruleset, n_records: int) -> None:
    """Refuse a table that is too small for a team's records and its decoys, or its individuals.

    Raises
    ------
    ContestRefused
        With both numbers, and what to do.
    """
    lacking = lacking_records(ruleset, n_records)
    if lacking is not None:
        raise ContestRefused(lacking)


def lacking_records(ruleset: Ruleset, n_records: int) -> Text | None:
    """An error message if a table is too small for these rules; otherwise None."""
    needed = team_tables.n_needed(ruleset)
    if n_records >= needed:
        return None
    return format_of(ruleset).setup.lacking(ruleset, n_records, needed)


def _check_size(contest: Contest, size_bytes: int) -> None:
    largest = contest.ruleset.limits.max_file_bytes
    if size_bytes > largest:
        raise ContestRefused(
            _(
                "The table has %(got)s, but by the rules a team's file has at most %(expected)s, so nobody "
                "could submit a table of this size. Upload a smaller one."
            )
            % {"got": filesizeformat(size_bytes), "expected": filesizeformat(largest)}
        )


def drop_draft(contest: Contest) -> None:
    """Delete the draft of the table; see `drop_preparation` for the raw file."""
    draft = TableDraft.objects.select_related("file").filter(contest=contest).first()
    if draft is not None:
        draft.delete()
        storage.discard_draft(draft.file)


def drop_preparation(contest: Contest) -> None:
    """Delete the raw file and what was made of it, if there is any."""
    kept = selectors.preparation_of(contest)
    if kept is not None:
        kept.delete()
        for file in (kept.raw, kept.parsed, kept.result):
            storage.discard_draft(file)
