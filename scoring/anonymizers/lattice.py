# SPDX-License-Identifier: Apache-2.0
"""Full-domain generalization: the lowest loss that makes a table k-anonymous, diverse or close."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from scoring.anonymizers.base import Anonymized, Anonymizer
from scoring.anonymizers.chosen import chosen_columns
from scoring.anonymizers.constraints import DIVERSITY_OPTIONS, Constraints, Sensitive
from scoring.anonymizers.lattice_search import (
    DISCERNIBILITY,
    INFORMATION,
    Ints,
    Lattice,
    Levels,
    Outcome,
    Search,
)
from scoring.anonymizers.recoding import HIERARCHY_OPTIONS, LABEL, VALUE, check_labels, recoded
from scoring.errors import ProblemsFound
from scoring.errors import gettext_noop as _
from scoring.options import Option, refuse
from scoring.privacy.diversity import ClassCounts
from scoring.tables.hierarchies import Hierarchy, Intervals, hierarchies
from scoring.tables.hierarchy_files import Source
from scoring.tables.numbering import combined
from scoring.tables.schema import Schema

if TYPE_CHECKING:
    import pandas as pd

ID = "lattice"


def lattice(
    table: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    k: int = 3,
    fraction: float = 0.05,
    l: int = 1,  # noqa: E741 — the field's name
    entropy_l: float = 1.0,
    c: float = 0.0,
    t: float = 1.0,
    sensitive: str = "",
    columns: tuple[str, ...] = (),
    loss: str = INFORMATION,
    nodes: int = 500,
    hierarchy: Source = "",
    intervals: Intervals = "quantile",
    write: str = VALUE,
) -> Anonymized:
    """Recode whole columns to the levels of least loss that make the table k-anonymous.

    Protects against linkage by the columns and, with l, entropy_l, c or t, against disclosure of a class's sensitive
    value. Costs the differences within groups, for all records, and the records in classes that break a bound, which
    are suppressed.

    All combinations of levels form a lattice. If classes are too small at a node, they are too small at all lower
    nodes, which are skipped. Classes of higher nodes are merged from those of lower ones. Nodes that cannot lose less
    than the best one found are skipped, too.

    Parameters
    ----------
    k
        The smallest class allowed.
    fraction
        The largest share of the records that may be suppressed.
    l, entropy_l, c, t, sensitive
        Bounds on the values of a sensitive column in each class, see `Constraints`. t-closeness
        compares with the whole table, records that are suppressed included; the measure `t-closeness` does so
        with `closeness = "original"`, and by default compares with what is left, which may give more than t.
    columns
        The columns to recode; by default all quasi-identifiers.
    loss
        The loss to minimize: `information`, the mean share of each column's range that values lose, suppressed records
        all of it; or `discernibility`, the mean share of records that are indistinguishable from a record. Ties: fewer
        suppressed records, then the lowest node.
    nodes
        The maximum number of combinations to search. If they do not suffice, the best of them is taken.
    hierarchy, intervals, write
        As for global recoding.

    Raises
    ------
    ProblemsFound
        k is larger than the table, a column does not exist, the hierarchy has problems, or no
        combination of levels keeps the bounds with so few suppressed records.

    Notes
    -----
    The node of least loss over all combinations is what OLA (El Emam et al., "A Globally Optimal k-Anonymity
    Method for the De-Identification of Health Data") and Flash (Kohlmayer et al., "Flash: Efficient, Stable
    and Optimal K-Anonymity") search for, too, in other orders; `datafly` is the greedy method next to it.
    Samarati, "Protecting Respondents' Identities in Microdata Release"; LeFevre, DeWitt &
    Ramakrishnan, "Incognito: Efficient Full-Domain K-Anonymity", sections on roll-up and
    generalization pruning; Bayardo & Agrawal, "Data Privacy Through Optimal k-Anonymization",
    discernibility.
    """
    names = chosen_columns(ID, columns, schema.names, "columns") or schema.quasi_identifiers
    bounds = Constraints(k, l, entropy_l, c, t)
    values = Sensitive.of(ID, table, schema, sensitive) if bounds.needs_values else None
    found = hierarchies(table, schema, names, hierarchy, intervals=intervals)
    found = [h.ascending() for h in found]
    if write == LABEL:
        check_labels(ID, found)
    max_suppressed = int(fraction * len(table) + 1e-9)
    if problems := bounds.problems(ID, len(table), values, suppresses=max_suppressed > 0):
        raise ProblemsFound(problems)

    def searched(bounds: Constraints, max_suppressed: int) -> Outcome:
        return Search(
            Lattice(found, len(table), values),
            bounds,
            values,
            max_suppressed=max_suppressed,
            loss=loss,
            max_nodes=nodes,
        ).run()

    outcome = searched(bounds, max_suppressed)
    if outcome.node is None:
        if not outcome.is_optimal:
            expected = "enough combinations to find one that keeps the bounds"
            raise refuse(ID, "nodes", expected, outcome.n_evaluated)
        if name := _unreachable(bounds, lambda bounds: searched(bounds, len(table) - 1)):
            expected = "a bound that some combination of levels keeps"
            raise refuse(ID, name, expected, getattr(bounds, name))
        expected = "a share with which some combination of levels keeps the bounds"
        raise refuse(ID, "fraction", expected, fraction)
    made = without_failing(table, found, outcome.node.levels, bounds, values, write)
    warnings = _farther_from_release(found, outcome.node.levels, made.source, bounds, values)
    if not outcome.is_optimal:
        n = outcome.n_evaluated
        limited = "combinations of levels, another may lose less; raise nodes"
        warnings += (f"{ID}: stopped after {n} {limited}",)
    return Anonymized(made.table, made.source, warnings)


def _farther_from_release(
    found: list[Hierarchy],
    levels: Levels,
    kept: Ints,
    bounds: Constraints,
    values: Sensitive | None,
) -> tuple[str, ...]:
    """A warning where classes are farther than t from the records that are left, without the suppressed ones."""
    if values is None or bounds.t == 1:
        return ()
    groups = [h.groups[level][h.of_record[kept]] for h, level in zip(found, levels, strict=True)]
    left = np.unique(values.of_record[kept], return_inverse=True)[1].astype(np.int64)
    counts = ClassCounts.of(combined(groups, len(kept)), left)
    largest = float(values.distances(counts, counts.total).max())
    if largest <= bounds.t:
        return ()
    against = "the table with the suppressed records; without them t-closeness is"
    return (f"{ID}: t = {bounds.t:g} is kept compared with {against} {largest:.3f}",)


def _unreachable(bounds: Constraints, searched: Callable[[Constraints], Outcome]) -> str:
    """The bound that no combination of levels keeps, whatever share is suppressed; "" if they can be kept."""
    if searched(bounds).node is not None:
        return ""
    relaxed = {
        "entropy_l": replace(bounds, entropy_l=1.0),
        "c": replace(bounds, c=0.0),
        "t": replace(bounds, t=1.0),
        "l": replace(bounds, l=1),
    }
    for name, rest in relaxed.items():
        if rest != bounds and searched(rest).node is not None:
            return name
    return ""


def without_failing(
    table: pd.DataFrame,
    found: list[Hierarchy],
    levels: Levels,
    bounds: Constraints,
    values: Sensitive | None,
    write: str,
) -> Anonymized:
    """The table at these levels, without the records in classes that break a bound."""
    groups = [h.groups[level][h.of_record] for h, level in zip(found, levels, strict=True)]
    classes = combined(groups, len(table))
    counts = None if values is None else values.counts(classes)
    failing = bounds.failing(np.bincount(classes).astype(np.int64), counts, values)
    kept = np.flatnonzero(~failing[classes]).astype(np.int64)
    rest = table.iloc[kept].reset_index(drop=True)
    of_kept = [replace(h, of_record=h.of_record[kept]) for h in found]
    return Anonymized(recoded(rest, of_kept, levels, write), kept)


LATTICE = Anonymizer(
    id=ID,
    title=_("Full-domain generalization (lattice search)"),
    protects=_("Linkage by quasi-identifiers; with l or t, knowing a sensitive value by its class"),
    costs=_("Differences within groups, for all records, and the suppressed records"),
    function=lattice,
    options=(
        Option("k", "integer", 3, _("the smallest equivalence class allowed"), low=1),
        Option("fraction", "number", 0.05, _("largest share of suppressed records"), high=1),
        *DIVERSITY_OPTIONS,
        Option("columns", "columns", (), _("columns to recode; by default all quasi-identifiers")),
        Option(
            "loss",
            "text",
            INFORMATION,
            _("the loss to minimize"),
            choices=(INFORMATION, DISCERNIBILITY),
        ),
        Option(
            "nodes", "integer", 500, _("maximum number of combinations of levels to search"), low=1
        ),
        *HIERARCHY_OPTIONS,
    ),
)
