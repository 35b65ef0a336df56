# SPDX-License-Identifier: Apache-2.0
"""Every attacker against a table, and several tables compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from scoring import __version__, evaluate, plugins
from scoring.attacks.strongest import strongest_attack
from scoring.facade.given import Pair, SchemaLike, frame_for, pair_for
from scoring.facade.progress import steps
from scoring.facade.results import AnonymizedTable, AuditResult, ComparedTables
from scoring.registry import ATTACKS, MEASURES, Measure
from scoring.scores.options import Options
from scoring.seeds import generator

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

RISK = "risk"
"""The column of `compare` with the rate of the strongest attacker."""


def audit(
    original: pd.DataFrame,
    anonymized: pd.DataFrame | AnonymizedTable,
    schema: SchemaLike | None = None,
    *,
    rows: ArrayLike | None = None,
    control: pd.DataFrame | None = None,
    attacks: str | Sequence[str] | None = None,
    measures: str | Sequence[str] | None = None,
    seed: int | None = None,
    rng: np.random.Generator | None = None,
    progress: bool = True,
    **options: Any,
) -> AuditResult:
    """Run every attacker and every measure on a table, and name the strongest attacker.

    Parameters
    ----------
    original, anonymized, schema, rows
        As in `score`.
    control : DataFrame, optional
        Records of the same kind that the anonymized table was not made from: attacks are compared with the same ones
        on them.
    attacks, measures : str or sequence of str, optional
        Identifiers out of `ATTACKS` and `MEASURES`; all by default, none where the sequence is empty.
    seed : int, optional
        Of the records' order and of the attackers; 1 by default.
    rng : numpy.random.Generator, optional
        Instead of a seed.
    progress : bool
        Show a progress bar after two seconds.
    **options
        Options of measures: `population_fraction`, `weight_column`, `hierarchies`, `closeness`.

    Returns
    -------
    AuditResult
        A frame of attackers, the measures, and a report.

    Raises
    ------
    ProblemsFound
        Where a frame or an option is refused.
    UnknownNameError
        Where an attacker or a measure is unknown.
    ControlError
        Where the control has records of the original.
    ValueError
        Where rows are not known.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> found = audit(table("original"), table("noise"), SCHEMA, attacks=["E1", "EUC2"], measures="S1")
    >>> found
    <AuditResult: EUC2 is the strongest attack: it finds 100.00 % of 4 records; seed 1>
    >>> found.to_frame()["rate"].to_dict()
    {'EUC2': 1.0, 'E1': 0.5}
    """
    from scoring.audits.audit import audit as run

    plugins.load()
    pair = pair_for(original, anonymized, schema, rows)
    others = None
    if control is not None:
        others = frame_for(control, pair.schema, file="control", original=True)
    chosen, wanted = _known(attacks, ATTACKS), _known(measures, MEASURES)
    generated, used = generator(seed, rng, default=1)
    with steps(None, progress=progress) as step:
        found = run(
            pair.original,
            pair.anonymized,
            pair.declared,
            pair.schema,
            rng=generated,
            control=others,
            attacks=chosen,
            measures=wanted,
            options=Options(**options),
            progress=lambda i, n, name: step(f"{name}, {i + 1} of {n}"),
        )
    return AuditResult(found, used, __version__)


def compare(
    original: pd.DataFrame,
    tables: Mapping[str, pd.DataFrame | AnonymizedTable],
    schema: SchemaLike | None = None,
    *,
    utility: str = "pairs",
    risk: str = RISK,
    measures: str | Sequence[str] = (),
    seed: int | None = None,
    progress: bool = True,
) -> ComparedTables:
    """Compare several anonymized tables of one original: utility against risk.

    Parameters
    ----------
    original : DataFrame
    tables : mapping of str to DataFrame or AnonymizedTable
        By names for the frame and the plot. The index of a frame names its records of the original.
    schema : Schema, path or str, optional
        As in `score`.
    utility : str
        A measure; by default the difference of the shares of pairs of values, where 0 is no loss.
    risk : str
        A measure; by default "risk": the share of records that the strongest of the fast attackers finds. Above 1,000
        records it attacks a sample of 500.
    measures : str or sequence of str
        Further measures for the frame.
    seed : int, optional
        Of everything that is drawn; 1 by default.
    progress : bool
        Show a progress bar after two seconds.

    Returns
    -------
    ComparedTables
        A frame and a plot.

    Raises
    ------
    ProblemsFound
        Where a frame is refused.
    UnknownNameError
        Where a measure is unknown.
    ValueError
        Where there is no table.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> found = compare(table("original"), {"noise": table("noise"), "swap": table("swapped")}, SCHEMA)
    >>> found.to_frame()[["records", "risk", "attack"]].to_numpy().tolist()
    [[4, 1.0, 'E2'], [4, 0.5, 'E1']]
    """
    plugins.load()
    if not tables:
        raise ValueError("tables: expected at least one table, got none")
    used = 1 if seed is None else seed
    more = [measures] if isinstance(measures, str) else list(measures)
    wanted = list(dict.fromkeys([utility, *([] if risk == RISK else [risk]), *more]))
    known = [MEASURES[id_] for id_ in wanted]
    lines = []
    with steps(len(tables), progress=progress) as step:
        for name, table in tables.items():
            step(str(name))
            lines.append(_line(pair_for(original, table, schema, None), known, risk, used))
    frame = pd.DataFrame(lines, index=pd.Index(list(tables), name="table"))
    labels = _label(utility), "share of records that are found" if risk == RISK else _label(risk)
    return ComparedTables(frame, utility, risk, labels, used)


def _line(pair: Pair, measures: Sequence[Measure], risk: str, seed: int) -> dict[str, Any]:
    values = evaluate.score(
        pair.original,
        pair.anonymized,
        pair.rows,
        pair.schema,
        options=Options(seed=seed),
        measures=measures,
    )
    line: dict[str, Any] = {"records": values.pop("n_anonymized")}
    line |= {measure.id: values[measure.id] for measure in measures}
    if risk == RISK:
        rng = np.random.default_rng(seed)
        found = strongest_attack(
            pair.original, pair.anonymized, pair.declared, pair.schema, rng=rng
        )
        line[RISK] = None if found is None else found.found.value
        line["attack"] = None if found is None else found.attack.id
    return line


def _label(id_: str) -> str:
    measure = MEASURES[id_]
    return f"{measure.id}: {measure.title} ({measure.direction} is better)"


def _known(names: str | Sequence[str] | None, registry: Mapping[str, Any]) -> list[str] | None:
    """The names as a list, all of them registered."""
    if names is None:
        return None
    chosen = [names] if isinstance(names, str) else list(names)
    return [registry[name].id for name in chosen]
