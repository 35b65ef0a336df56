# SPDX-License-Identifier: Apache-2.0
"""Own tables of teams, if the rules give each team one, and the sample submission derived from it."""

from __future__ import annotations

import csv
import hashlib
import io
import zipfile
from functools import lru_cache
from typing import TYPE_CHECKING

from django.db.models import Q
from django.urls import reverse

from pwscup.core.files import storage
from pwscup.core.models import StoredFile
from pwscup.formats.files import SUFFIXES, ZIP
from scoring.rulesets.base import ONCE

if TYPE_CHECKING:
    from pwscup.accounts.models import Team
    from pwscup.contests.models import Contest, Dataset
    from scoring.rulesets import Ruleset

ORIGINAL, DRAW = "original", "draw"
SAMPLE = "sample-anonymized"
NAMES = ("original", SAMPLE)
FIRST_TIME = (1980, 1, 1, 0, 0, 0)
"""The time of every file in an archive, whose bytes depend on its content only."""


def numbered(name: str, number: int | None) -> str:
    """The name of a file about one of several originals; without a number there is only one.

    Examples
    --------
    >>> numbered("original", 2), numbered("original", None)
    ('original-2', 'original')
    """
    return name if number is None else f"{name}-{number}"


def key_of(name: str, number: int | None) -> str:
    """The key of a row of `Dataset`: the first of several originals has that of the only one."""
    return numbered(name, None if number == 1 else number)


def table_of(team: Team, number: int | None = None) -> Dataset | None:
    """The team's own table, or that of several with this number; None if it has not been drawn, or all teams share
    one."""
    key = (
        "key__startswith" if number is None else "key"
    )  # the only one, or the one that it has chosen
    found = team.datasets.filter(**{key: key_of(ORIGINAL, number)}).order_by("pk")
    return found.select_related("sealed", "public", "contest").first()


def numbers_of(team: Team) -> tuple[int | None, ...]:
    """The numbers of the originals that the team has, or gets by itself: none where it has yet to choose."""
    spec = team.contest.ruleset.data
    if spec.choose != ONCE:
        return spec.numbers
    return tuple(number for number in spec.numbers if table_of(team, number) is not None)


def draw_of(team: Team, number: int | None = None) -> Dataset | None:
    """The draw of that table: its records, its decoys, and the order of its candidates, all sealed."""
    found = team.datasets.filter(key=key_of(DRAW, number))
    return found.select_related("sealed", "contest").first()


def n_own_records(team: Team) -> int | None:
    """The number of records of the team's own table; None if it has none, or several of other lengths."""
    own = team.datasets.filter(key__startswith=ORIGINAL).values_list("n_records", flat=True)
    lengths = set(own)
    return lengths.pop() if len(lengths) == 1 else None


def has_draws(contest: Contest) -> bool:
    """A team has its table: from now on the organizer's table cannot change."""
    return contest.datasets.filter(team__isnull=False).exists()


def n_needed(ruleset: Ruleset) -> int:
    """The minimum number of records, or individuals, in the organizer's table: those of a team and its decoys
    all differ."""
    return ruleset.data.n_own + (ruleset.data.decoys or 0)


def n_available(dataset: Dataset) -> int:
    """The number of records of a table, or of individuals of a series, that are distributed to teams."""
    return dataset.n_records if dataset.n_people is None else dataset.n_people


def n_parts(dataset: Dataset) -> int | None:
    """The maximum number of teams for the individuals of a series; None if teams may share records."""
    if dataset.n_people is None:
        return None
    return dataset.n_people // n_needed(dataset.contest.ruleset)


def n_teams_left(contest: Contest) -> int | None:
    """The number of further teams for which individuals are left; None if teams need none of their own, or
    without a table.

    Teams that wait for their tables are counted, but not those that everybody has left.
    """
    if not contest.format.shares_out_people:
        return None
    dataset = contest.datasets.filter(team=None, key=ORIGINAL).first()
    if dataset is None:
        return None
    without = contest.teams.exclude(datasets__key=ORIGINAL)
    invited = Q(invitations__used_at=None, invitations__revoked_at=None) & ~Q(invitations__email="")
    somebody = Q(memberships__isnull=False) | Q(invitations__isnull=False) & invited
    n_waiting = without.filter(Q(is_house=True) | somebody).distinct().count()
    return max(0, len(parts_left(dataset)) - n_waiting)


def parts_left(dataset: Dataset) -> range:
    """The parts of the individuals that were never assigned to a team, in order."""
    return range((dataset.part or 0) + 1, (n_parts(dataset) or 0) + 1)


def team_file(team: Team, kind: str, *, suffix: str = "") -> str:
    """The name of a file of a team in a contest with own tables, such as teamred_original.csv."""
    return f"{in_files(team.slug)}_{kind}.{suffix or suffix_of(team.contest, kind)}"


def suffix_of(contest: Contest, kind: str) -> str:
    """The suffix of a file of tables: several that belong together are an archive."""
    is_several = contest.ruleset.data.parts and not kind.startswith(ORIGINAL)
    return SUFFIXES[ZIP] if is_several else contest.format.suffix


def in_files(short_name: str) -> str:
    """A team in file names: teamred, and not teamteam-1.

    Examples
    --------
    >>> in_files("red"), in_files("team-1")
    ('teamred', 'team-1')
    """
    return short_name if short_name.startswith("team-") else f"team{short_name}"


def url_of(team: Team, name: str) -> str:
    """The URL of the team's table or the sample, one of `NAMES`."""
    name = f"{name}.{suffix_of(team.contest, name)}"
    return reverse("team-data", args=[team.contest.slug, team.slug, name])


def sample_of(dataset: Dataset) -> bytes:
    """A valid submission that contains only values of the team's own table.

    One column is shifted by a record, and the last record deleted if the rules allow it.
    """
    if dataset.public is None:
        raise LookupError(f"table {dataset.pk} has no public part")
    return _sample(dataset.public, *_rules_of_sample(dataset))


def _rules_of_sample(dataset: Dataset) -> tuple[bool, tuple[tuple[str, tuple[str, ...]], ...]]:
    """Records may be deleted; and the tables of a submission with their columns, if there are several."""
    rules = dataset.contest.ruleset
    parts = tuple(rules.data.columns_of_parts(dataset.schema).items())
    return rules.validity.blank_records, parts


def _sample(
    public: StoredFile, may_delete: bool, parts: tuple[tuple[str, tuple[str, ...]], ...]
) -> bytes:
    text = storage.read(public).decode("utf-8-sig")
    header, *records = csv.reader(io.StringIO(text, newline=""))
    first = [record[0] for record in records]
    moved = [[cell, *record[1:]] for cell, record in zip(first[-1:] + first, records, strict=False)]
    if may_delete and len(moved) > 1:
        moved[-1] = [""] * len(header)
    if not parts:
        return _written([header, *moved])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for key, columns in parts:
            places = [at for at, name in enumerate(header) if name in columns]
            lines = [[line[at] for at in places] for line in (header, *moved)]
            archive.writestr(zipfile.ZipInfo(f"{key}.csv", FIRST_TIME), _written(lines))
    return packed.getvalue()


def _written(lines: list[list[str]]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(lines)
    return storage.for_people(out.getvalue().encode(), "sample.csv")


@lru_cache(maxsize=256)
def _facts_of_sample(
    public_id: int,
    _sha256: str,
    may_delete: bool,
    parts: tuple[tuple[str, tuple[str, ...]], ...],
) -> tuple[int, str]:
    """Size and digest of the sample that is derived from a team's table."""
    sample = _sample(StoredFile.objects.get(pk=public_id), may_delete, parts)
    return len(sample), hashlib.sha256(sample).hexdigest()


def facts_of(dataset: Dataset) -> dict[str, tuple[int, str]]:
    """Size and digest of the team's table and of the sample, if their bytes are available.

    A series has no sample: a command creates releases.
    """
    public = dataset.public
    if public is None:
        return {}
    facts = {ORIGINAL: (public.size_bytes, public.sha256)}
    if public.erased_at is None and dataset.contest.format.has_sample:
        facts[SAMPLE] = _facts_of_sample(public.pk, public.sha256, *_rules_of_sample(dataset))
    return facts


def content_of(team: Team, name: str) -> bytes | None:
    """The bytes of a table of the team, or of its sample; None for another name, or before they are drawn."""
    kinds = NAMES if team.contest.format.has_sample else NAMES[:1]
    named = {numbered(kind, n): (kind, n) for kind in kinds for n in numbers_of(team)}
    kind, number = named.get(name, ("", None))
    dataset = table_of(team, number) if kind else None
    if dataset is None or dataset.public is None:
        return None
    return storage.read(dataset.public) if kind == ORIGINAL else sample_of(dataset)
