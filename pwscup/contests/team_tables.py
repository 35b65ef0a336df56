"""A team's own table where the rules give each team one: which it is, and a sample made from it."""

from __future__ import annotations

import csv
import hashlib
import io
from functools import lru_cache
from typing import TYPE_CHECKING

from django.urls import reverse

from pwscup.contests.models import Dataset
from pwscup.core import storage
from scoring.rulesets.kinds import COMMON, PER_TEAM

if TYPE_CHECKING:
    from pwscup.accounts.models import Team
    from pwscup.contests.models import Contest
    from scoring.rulesets import Ruleset

ORIGINAL, DRAW = "original", "draw"
SAMPLE = "sample-anonymized"
NAMES = ("original", SAMPLE)


def has_own_tables(contest: Contest) -> bool:
    """Whether each team anonymizes its own part of the organizer's table, which nobody gets."""
    return contest.ruleset.tables == PER_TEAM


def is_common(contest: Contest) -> bool:
    """Whether the organizer's table is for all teams, who anonymize the same one."""
    return contest.ruleset.tables == COMMON


def table_of(team: Team) -> Dataset | None:
    """The team's own table; None where it has not been drawn, or all teams share one."""
    found = Dataset.objects.filter(team=team, key=ORIGINAL)
    return found.select_related("sealed", "public", "contest").first()


def draw_of(team: Team) -> Dataset | None:
    """What was drawn for the team: its records, its decoys, and the order of its candidates, all sealed."""
    return Dataset.objects.filter(team=team, key=DRAW).select_related("sealed", "contest").first()


def has_draws(contest: Contest) -> bool:
    """Whether a team has its table: from now on the organizer's stays what it is."""
    return contest.datasets.filter(team__isnull=False).exists()


def n_needed(ruleset: Ruleset) -> int:
    """How many records the organizer's table has at least: a team's own and its decoys are all different."""
    return (ruleset.data.sample or 0) + (ruleset.data.decoys or 0)


def team_file(team: Team, kind: str) -> str:
    """What a file of a team is called in a contest of own tables, such as teamred_original.csv."""
    return f"team{team.slug}_{kind}.csv"


def url_of(team: Team, name: str) -> str:
    """Where the team downloads its table or the sample, one of `NAMES`."""
    return reverse("team-data", args=[team.contest.slug, team.slug, f"{name}.csv"])


def sample_of(dataset: Dataset) -> bytes:
    """A submission that is accepted as it is, of the team's own values alone.

    One column is moved down by a record, and the last record deleted where the rules allow it.
    """
    if dataset.public is None:
        raise LookupError(f"table {dataset.pk} has no public part")
    text = storage.read(dataset.public).decode("utf-8-sig")
    header, *records = csv.reader(io.StringIO(text, newline=""))
    first = [record[0] for record in records]
    moved = [[cell, *record[1:]] for cell, record in zip(first[-1:] + first, records, strict=False)]
    if dataset.contest.ruleset.validity.blank_records and len(moved) > 1:
        moved[-1] = [""] * len(header)
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header, *moved])
    return out.getvalue().encode()


@lru_cache(maxsize=256)
def _facts_of_sample(pk: int, sha256: str, ruleset: str) -> tuple[int, str]:
    """Size and digest of the sample; both texts are there to tell what it was made from."""
    sample = sample_of(Dataset.objects.select_related("public", "contest").get(pk=pk))
    return len(sample), hashlib.sha256(sample).hexdigest()


def facts_of(dataset: Dataset) -> dict[str, tuple[int, str]]:
    """Size and digest of the team's table and of the sample, where there are bytes to make one from."""
    public = dataset.public
    if public is None:
        return {}
    facts = {ORIGINAL: (public.size_bytes, public.sha256)}
    if public.erased_at is None:
        digest = dataset.contest.ruleset.digest
        facts[SAMPLE] = _facts_of_sample(dataset.pk, public.sha256, digest)
    return facts


def content_of(dataset: Dataset, name: str) -> bytes | None:
    """The bytes of the team's table or of its sample; None for another name."""
    if dataset.public is None or name not in NAMES:
        return None
    return storage.read(dataset.public) if name == ORIGINAL else sample_of(dataset)
