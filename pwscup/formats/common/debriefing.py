# SPDX-License-Identifier: Apache-2.0
"""The debriefing of a table of records: who was found, through which columns, and what each column cost."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pwscup.core.templatetags.pwscup import listed, measure, percent
from scoring.audits.single import SingleColumn, sentences

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

FIRST_RECORDS = 20
"""Shown immediately; the others unfold."""
MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Bar:
    """A number of records; `width` is that of its bar, in per cent of the widest."""

    label: str
    n: int
    width: float


@dataclass(frozen=True, slots=True)
class ColumnRow:
    """A column: its loss, the width of the bar as above, and the share of the records that it finds by itself."""

    name: str
    loss: float
    width: float
    rate: float
    is_unchanged: bool
    l: int | None  # noqa: E741 — the name of the measure
    t: float | None


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A found record: its line in the team's own table, from 1, and the columns that find it."""

    row: int
    times: int
    columns: tuple[tuple[str, bool], ...]
    """Each with the information whether it is unchanged."""


def shown(values: dict[str, Any], hidden: Collection[str] = ()) -> dict[str, Any]:
    """The context of the part `debriefing`."""
    widest = max((column["loss"] for column in values["columns"]), default=0) or 1
    columns = [_column(column, widest, hidden) for column in values["columns"]]
    n_found, records = sum(values["times"][1:]), [_record(record) for record in values["records"]]
    return {
        "sentence": found_sentence(n_found, values["n_records"], values["n_attackers"]),
        "n_copies": values.get("n_copies"),
        "times": times(values["times"]),
        "sets": _sets(values["records"]),
        "columns": columns,
        "sensitive": _sensitive(columns),
        "has_sensitive": any(c.l is not None or c.t is not None for c in columns),
        "single": sentences(
            (SingleColumn(**column["single"]) for column in values["columns"]), percent, _
        ),
        "records": records[:FIRST_RECORDS],
        "more_records": records[FIRST_RECORDS:],
        "n_unlisted": n_found - len(records),
    }


def found_sentence(n_found: int, n_records: int, n_attackers: int) -> str:
    if not n_attackers:
        return _("Nobody attacked this table.")
    text = ngettext(
        "The one attacker found %(found)s of %(records)s records.",
        "%(attackers)s attackers found %(found)s of %(records)s records between them.",
        n_attackers,
    )
    return text % {"found": f"{n_found:,}", "records": f"{n_records:,}", "attackers": n_attackers}


def times(counts: list[int]) -> list[Bar]:
    """The records by the number of attackers that found them."""
    return bars((str(n), records) for n, records in enumerate(counts))


def bars(found: Iterable[tuple[str, int]]) -> list[Bar]:
    rows = list(found)
    widest = max((n for _label, n in rows), default=0) or 1
    return [Bar(label, n, round(100 * n / widest, 1)) for label, n in rows]


def _column(column: dict[str, Any], widest: float, hidden: Collection[str]) -> ColumnRow:
    single = SingleColumn(**column["single"])
    return ColumnRow(
        name=column["name"],
        loss=column["loss"],
        width=round(100 * column["loss"] / widest, 1),
        rate=single.rate,
        is_unchanged=single.is_unchanged,
        l=None if "distinct-l" in hidden else column["l"],
        t=None if "t-closeness" in hidden else column["t"],
    )


def _record(record: dict[str, Any]) -> FoundRow:
    kept = set(record["unchanged"])
    columns = tuple((name, name in kept) for name in record["columns"])
    return FoundRow(record["row"] + 1, record["times"], columns)


def _sets(records: list[dict[str, Any]]) -> list[Bar]:
    """The sets of columns that find the listed records, the most frequent first."""
    counts = Counter(tuple(record["columns"]) for record in records)
    others = counts.pop((), 0)
    found = [(" + ".join(columns), n) for columns, n in counts.most_common(12)]
    rest = len(records) - others - sum(n for _columns, n in found)
    found += [(_("other sets of columns"), rest)] if rest else []
    found += [(_("only more than three columns together, or none"), others)] if others else []
    return bars(found)


def _sensitive(columns: list[ColumnRow]) -> list[str]:
    """The columns that decide l and t, if there is a choice."""
    fewest = min((column.l for column in columns if column.l is not None), default=None)
    largest = max((column.t for column in columns if column.t is not None), default=None)
    found = []
    if fewest is not None:
        text = _("l = %(l)s comes from %(column)s: the fewest different values in a class.")
        names = _named([column.name for column in columns if column.l == fewest])
        found.append(text % {"l": fewest, "column": names})
    if largest is not None:
        text = _("t = %(t)s comes from %(column)s: the class that differs most from the table.")
        names = _named([column.name for column in columns if column.t == largest])
        found.append(text % {"t": measure(round(largest, 4)), "column": names})
    return found


def _named(columns: list[str]) -> str:
    """Some columns by name, and the number of the others."""
    few = listed(columns[:MOST_NAMED])
    if len(columns) <= MOST_NAMED:
        return few
    return _("%(few)s and %(n)s more") % {"few": few, "n": len(columns) - MOST_NAMED}
