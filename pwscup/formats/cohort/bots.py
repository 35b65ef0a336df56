# SPDX-License-Identifier: Apache-2.0
"""Bots with cohorts: each publishes a synthetic table by a synthesizer of the library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pwscup.formats.cohort.evaluation import FILE
from pwscup.formats.common.bots import given
from pwscup.formats.common.cheats import cheated, public_table
from scoring.anonymizers.synthesizers import SYNTHESIZERS
from scoring.rulesets.kinds import MODEL_FILE
from scoring.sandbox.models import trained
from scoring.tables.reading import write_table
from scoring.tables.record_bounds import record_bounds
from scoring.tables.records import Records
from scoring.tables.synthetic import in_canonical_order, read_synthetic

if TYPE_CHECKING:
    import pandas as pd

    from pwscup.bots.cast import Bot
    from pwscup.contests.models import Round
    from pwscup.formats.playing import Files, Turn
    from scoring.rulesets import Ruleset
    from scoring.rulesets.base import RoundSpec
    from scoring.tables.schema import Schema

METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "Noise": ("bootstrap", {"noise": 0.3}),
    "Unify": ("trees", {"leaf": 50}),
    "Average": ("trees", {"leaf": 10}),
    "Swap": ("independent", {}),
    "Yamaoka": ("bootstrap", {"noise": 0.05}),
    "Mondrian": ("copula", {}),
}
"""The synthesizer of each bot, and its option."""


class Synthesizer:
    """A bot makes as many records as its cohort has, within the rules."""

    draws = True

    def known(self, _round: Round) -> None:
        """Only the table."""

    def files(self, turn: Turn) -> Files | None:
        original, bot, seed = given(turn)
        schema, rules = original.schema.public(), turn.team.contest.ruleset
        if bot.cheat:
            table = cheated(turn, original, is_aligned=False)
            if table is None:
                return None
            made = write_table(Records.of(table.table, schema), schema)
            return files_of(made, turn.round.spec, schema, rules)
        method, option = METHODS[bot.name]
        rng = np.random.default_rng(seed)
        made = synthetic_file(
            public_table(original),
            schema,
            rules,
            (method, option),
            rng=rng,
        )
        return files_of(made, turn.round.spec, schema, rules)

    def note(self, bot: Bot) -> str:
        if bot.cheat:
            return bot.note
        method, option = METHODS[bot.name]
        return ", ".join([method, *(f"{name} = {value}" for name, value in option.items())])


def synthetic_file(
    table: pd.DataFrame,
    schema: Schema,
    ruleset: Ruleset,
    method: tuple[str, dict[str, Any]],
    *,
    rng: np.random.Generator,
) -> bytes:
    """A synthetic table with as many records as the rules allow, at most those of the table."""
    limits = ruleset.limits
    least, most = record_bounds(len(table), limits.min_records_factor, limits.max_records_factor)
    id_, option = method
    made = SYNTHESIZERS[id_](table, schema, min(max(len(table), least), most), rng=rng, **option)
    return write_table(in_canonical_order(Records.of(made, schema), schema), schema)


def files_of(data: bytes, spec: RoundSpec, schema: Schema, ruleset: Ruleset) -> Files:
    """A synthetic table, and a model that learned from it where the rules ask for one."""
    files = {FILE: ("synthetic.csv", data)}
    for file in spec.files:
        if file.kind == MODEL_FILE:
            wanted = next(m for id_ in ruleset.measures if (m := ruleset.measure(id_)).file)
            own = {name: wanted.parameters[name] for name in ("target", "positive")}
            model = trained(read_synthetic(data, schema), schema, **own)
            files[file.key] = ("model.json", model)
    return files


TABLES = Synthesizer()
