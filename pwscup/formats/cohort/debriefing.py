# SPDX-License-Identifier: Apache-2.0
"""The debriefing of a synthetic table: who was found, and how near the table came to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pwscup.formats.common.debriefing import FIRST_RECORDS, found_sentence, times

if TYPE_CHECKING:
    from collections.abc import Collection


def shown(values: dict[str, Any], _hidden: Collection[str] = ()) -> dict[str, Any]:
    """The context of the part `debriefing`."""
    n_found = sum(values["times"][1:])
    records = [{**record, "row": record["row"] + 1} for record in values["records"]]
    return {
        "sentence": found_sentence(n_found, values["n_records"], values["n_attackers"]),
        "times": times(values["times"]),
        "distances": values["distances"],
        "records": records[:FIRST_RECORDS],
        "more_records": records[FIRST_RECORDS:],
        "n_unlisted": n_found - len(records),
    }
