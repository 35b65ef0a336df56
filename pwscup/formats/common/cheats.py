# SPDX-License-Identifier: Apache-2.0
"""Cheaters as bots: the cast of the library with what teams have in a contest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pwscup.bots.cast import SACRIFICED
from pwscup.contests.teams.tables import ORIGINAL, table_of
from pwscup.core.files import storage
from pwscup.formats.attacks.sheets import sheets_of
from scoring.cheaters import CHEATERS, Hand, Target
from scoring.questions.attackers import read_sheet
from scoring.tables.reading import read_table

if TYPE_CHECKING:
    from pwscup.contests.models import Dataset
    from pwscup.formats.playing import Turn
    from pwscup.submissions.models import Release
    from scoring.anonymizers.base import Anonymized
    from scoring.tables.equivalence import IntArray
    from scoring.tables.schema import Schema

MOST_OTHERS = 4
"""Tables of others that a cheater has."""


def public_table(dataset: Dataset) -> pd.DataFrame:
    """The part of a table that participants have."""
    if dataset.public is None:
        raise LookupError(f"table {dataset.pk} has no public part")
    return read_table(
        storage.read(dataset.public), dataset.schema.public(), file="original", original=True
    )


def cheated(turn: Turn, dataset: Dataset, *, is_aligned: bool) -> Anonymized | None:
    """The table of the cheater that a bot plays; None where it publishes none."""
    cheater = CHEATERS[turn.bot.cheat]
    if cheater.table is None:
        return None
    schema, table = dataset.schema.public(), public_table(dataset)
    return cheater.table(Hand(table, schema, _others(dataset), is_aligned))


def _others(dataset: Dataset) -> pd.DataFrame | None:
    """Tables that were drawn for others, or further ones for the same team."""
    drawn = dataset.contest.datasets.filter(key__startswith=ORIGINAL).exclude(team=None)
    others = drawn.exclude(pk=dataset.pk).select_related("public").order_by("pk")[:MOST_OTHERS]
    tables = [public_table(other) for other in others if dataset.team_id is not None]
    return pd.concat(tables, ignore_index=True) if tables else None


def target_of(
    turn: Turn,
    release: Release,
    schema: Schema,
    *,
    known: pd.DataFrame,
    seen: pd.DataFrame,
    places: IntArray | None = None,
) -> Target:
    """A published table, with the sheets about its team in all rounds, and the file if the team gave it away."""
    sheets = {}
    about = release.team.releases.select_related("round__contest", "candidates").order_by("pk")
    for other in about:
        questions = other.round.spec.questions
        files = sheets_of(other) if questions else {}
        for question in questions:
            name = question.key if other.pk == release.pk else f"{other.round.key}/{question.key}"
            sheets[name] = read_sheet(files[question.key], question, schema).known
    at = np.arange(len(seen)) if places is None else places
    return Target(known, seen, schema, sheets, at, *_given_away(turn, release))


def _given_away(turn: Turn, release: Release) -> tuple[pd.DataFrame | None, pd.DataFrame | None]:
    """The file of the team that cheats for another one, and its original."""
    if release.team.name != SACRIFICED:
        return None, None
    team = release.team
    dataset = table_of(team, release.submission.original) or release.round.contest.datasets.get(
        team=None, key=ORIGINAL
    )
    original = public_table(dataset)
    made = CHEATERS["permuted"].table
    if made is None:
        raise LookupError("a team without a table gives none away")
    found = made(Hand(original, dataset.schema.public()))
    return (None, None) if found is None else (found.table, original)
