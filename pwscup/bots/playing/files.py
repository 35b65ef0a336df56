"""The files that bots hand in: made from what every team knows, by the kit that every team has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pwscup.bots.cast import ANY_TABLE
from pwscup.core.files import storage
from scoring.anonymizers import anonymize
from scoring.errors import ProblemsFound
from scoring.evaluate import Prepared
from scoring.formats.lecture import positions_of
from scoring.registry import ATTACKS
from scoring.tables.aligned import read_release, write_aligned
from scoring.tables.number_lists import write_candidate_guess
from scoring.tables.reading import read_table, write_guess, write_rows, write_table

if TYPE_CHECKING:
    import pandas as pd

    from pwscup.bots.cast import Bot
    from pwscup.contests.models import Dataset
    from pwscup.submissions.models import Release
    from scoring.anonymizers.base import Anonymized
    from scoring.tables.schema import Schema

Files = dict[str, tuple[str, bytes]]
BACK_MAPPING = ("back-mapping", {})


def public_table(dataset: Dataset) -> pd.DataFrame:
    """The part of a table that participants have."""
    if dataset.public is None:
        raise LookupError(f"table {dataset.pk} has no public part")
    return read_table(
        storage.read(dataset.public), dataset.schema.public(), file="original", original=True
    )


def anonymized_files(original: Dataset, bot: Bot, *, seed: int) -> Files:
    """A table and the row numbers of its records, by the bot's chain of methods."""
    schema = original.schema.public()
    result = _anonymized(public_table(original), schema, bot, seed)
    return {
        "anonymized": ("anonymized.csv", write_table(result.table, schema)),
        "rows": ("rows.csv", write_rows(result.source)),
    }


def aligned_files(original: Dataset, bot: Bot, *, seed: int) -> Files:
    """A table with a line for each record of the original, its values all of the original's."""
    schema = original.schema.public()
    table = public_table(original)
    result = _anonymized(table, schema, bot, seed, BACK_MAPPING)
    positions = positions_of(result.source, len(table))
    return {"anonymized": ("anonymized.csv", write_aligned(result.table, positions, schema))}


def _anonymized(
    table: pd.DataFrame, schema: Schema, bot: Bot, seed: int, *more: tuple[str, dict]
) -> Anonymized:
    """By the bot's methods, or by what works on every table where they need columns that it lacks."""
    for methods in (bot.methods, ANY_TABLE):
        try:
            chain = (*methods, *more)
            return anonymize(table, schema, chain, rng=np.random.default_rng(seed))
        except ProblemsFound:
            if methods is ANY_TABLE:
                raise
    raise AssertionError("unreachable")


class Knowledge:
    """What an attacker knows: the public original, or a table of candidates; indexed once for all attacks."""

    def __init__(self, table: pd.DataFrame, schema: Schema) -> None:
        self.schema = schema
        self.known = Prepared.of(table, schema)

    @classmethod
    def of_original(cls, original: Dataset) -> Knowledge:
        return cls(public_table(original), original.schema.public())

    @classmethod
    def of_candidates(cls, release: Release, schema: Schema) -> Knowledge:
        """The candidates that were published with a release."""
        if release.candidates is None:
            raise LookupError(f"release {release.pk} has no candidates")
        data = storage.read(release.candidates)
        return cls(read_table(data, schema, file="candidates", original=True), schema)

    def guess_file(self, release: Release, bot: Bot, *, seed: int) -> bytes:
        """A guess at the row of the original for every record of a release."""
        seen = read_table(storage.read(release.table), self.schema, file="anonymized")
        return write_guess(self._guess(seen, bot, seed))

    def candidate_guess_file(self, release: Release, bot: Bot, *, seed: int) -> bytes:
        """A guess at the candidate for every line of a release that holds a record."""
        records, lines, n_lines = read_release(storage.read(release.table), schema=self.schema)
        guess = np.full(n_lines, -1, dtype=np.int64)
        guess[lines] = self._guess(records.to_frame(), bot, seed)
        return write_candidate_guess(guess)

    def _guess(self, seen: pd.DataFrame, bot: Bot, seed: int) -> np.ndarray:
        rng = np.random.default_rng(seed)
        try:
            return ATTACKS[bot.attacker](self.known, seen, self.schema, rng=rng)
        except (ProblemsFound, ValueError):  # a column that this attacker looks at is missing
            return rng.integers(0, self.known.n_records, size=len(seen))
