"""The organizer's CSV, which stays hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pwscup.formats.common.table import has_identifiers_alone

if TYPE_CHECKING:
    from scoring.rulesets import Ruleset
    from scoring.tables.schema import Schema


def unmeasured(schema: Schema, ruleset: Ruleset) -> tuple[str, ...]:
    """None: the measures are those of an estimate, not of a table."""
    return ruleset.measures if has_identifiers_alone(schema) else ()
