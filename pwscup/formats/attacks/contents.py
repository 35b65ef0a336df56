# SPDX-License-Identifier: Apache-2.0
"""The records that the lines of a published table show by their content, sealed with its answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pwscup.core.files import storage
from pwscup.formats.attacks.archives import records_in
from scoring.scores.content import Contents, contents
from scoring.scores.options import DECLARED

if TYPE_CHECKING:
    from pwscup.formats.evaluation import Case, Published

CONTENTS = "contents"
"""Their place in the sealed answer."""


def with_contents(case: Case, published: Published, attack: str) -> Published:
    """The published files; the sealed answer has what the lines show, if the rules of the attack ask for it."""
    if case.ruleset.round(attack).truth == DECLARED:
        return published
    found = contents_of(case, published.table).to_dict()
    return replace(published, answer={**published.answer, CONTENTS: found})


def contents_of(case: Case, table: bytes) -> Contents:
    """What the lines of a published table show: records among those that attackers choose from.

    These are the team's records and its decoys, or all of a table that all teams have.
    """
    reason = f"contents of {case.submission.public_id}"
    schema = case.organizers_table.schema.public()
    records, lines, n_lines = records_in(table, case.ruleset.data, schema)
    drawn, known = case.drawn_rows(reason), case.organizers_table.records(reason)
    choices = known if drawn is None else known.taken(drawn["candidates"])
    positions = np.full(n_lines, -1, dtype=np.int64)
    positions[lines] = np.arange(len(records))
    return contents(records, choices, schema).at(positions)


def sealed_contents(case: Case) -> Contents | None:
    """What the lines of the attacked table show; None where only the declared records count.

    They are found now where the rules were others when the table was published.
    """
    target = case.submission.target
    if target is None or case.ruleset.round(case.submission.round.key).truth == DECLARED:
        return None
    answer = case.answer()
    if CONTENTS in answer:
        return Contents.from_dict(answer[CONTENTS])
    return contents_of(case.attacked, storage.read(target.table))
