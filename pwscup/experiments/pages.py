# SPDX-License-Identifier: Apache-2.0
"""Contexts of the pages of experiments: plain functions of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from pwscup.core.http.polling import etag
from pwscup.core.texts.parts import listed
from pwscup.core.texts.problems import n_shown
from pwscup.experiments import selectors
from pwscup.experiments.drawn import Sheet, sheet, table_name
from pwscup.experiments.setup import plans, texts
from scoring.privacy.experiments import paper

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.experiments.models import Experiment
    from pwscup.experiments.setup.forms import ExperimentForm

L2, RANK = "l2", "rank_correlation"
BEST = "best"
BATCHES = (BEST, "BT", "BR")
MOST_DRAWN = 40
"""The maximum number of cells of a table that the library draws."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A value, with a note in small print."""

    value: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A measure by method and ε."""

    title: str
    lead: str
    epsilons: list[str]
    rows: list[tuple[str, list[Cell]]]


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure; `stem` is its name in URLs, and `sheet` has its numbers."""

    stem: str
    title: str
    sheet: Sheet


def overview(user: User) -> dict[str, Any]:
    """The list, with the experiments that can be compared."""
    found = list(selectors.experiments_of(user).defer("counts", "values"))
    lines = [
        {
            "experiment": each,
            "data": texts.data(each),
            "epsilons": numbers(each.setup["epsilons"]),
        }
        for each in found
    ]
    n_done = sum(each.state == each.State.DONE for each in found)
    return {
        "lines": lines,
        "may_compare": n_done > 1,
        "most_compared": selectors.MOST_COMPARED,
        "is_final": all(each.is_final for each in found),
    }


def form_page(form: ExperimentForm) -> dict[str, Any]:
    return {
        "form": form,
        "problems": form.problems,
        "n_problems": form.n_problems,
        "n_shown": n_shown(form.problems),
    }


def status(experiment: Experiment) -> dict[str, Any]:
    """The context of the polled fragment."""
    is_waiting = experiment.state == experiment.State.WAITING
    n_before = selectors.n_before(experiment) if is_waiting else 0
    steps = plans.steps(experiment.setup)
    done = min(experiment.done_steps, len(steps) - 1)
    facts = (experiment.pk, experiment.state, done, experiment.attempts, n_before)
    return {
        "experiment": experiment,
        "n_before": n_before,
        "step": steps[done],
        "number": done + 1,
        "n_steps": len(steps),
        "share": 100 * done // len(steps),
        "etag": etag(*facts, experiment.is_stopping),
    }


def experiment_page(experiment: Experiment) -> dict[str, Any]:
    """All facts about one experiment."""
    context = status(experiment) | {
        "data": texts.data(experiment),
        "attributes": texts.attributes(experiment),
        "n_records": experiment.counts["n_records"],
        "n_cells": texts.n_cells(experiment),
        "label": texts.label(experiment.setup),
        "setup": experiment.setup,
        "epsilons": numbers(experiment.setup["epsilons"]),
        "queries": numbers(experiment.setup["queries"]),
    }
    return context | (_results(experiment) if experiment.values else {})


def _results(experiment: Experiment) -> dict[str, Any]:
    names = selectors.file_names(experiment)
    general, by_epsilon = pictures(experiment)
    return {
        "tables": [_table(experiment, L2), _table(experiment, RANK)],
        "crossings": _crossings(experiment),
        "reconstructions": [
            (number(each["epsilon"]), each["mean_iterations"], each["converged"])
            for each in experiment.values["reconstruction"]["by_epsilon"]
        ],
        "general": general,
        "pictures": by_epsilon,
        "n_files": len(names),
        "most_drawn": MOST_DRAWN if texts.n_cells(experiment) > MOST_DRAWN else None,
    }


# Numbers


def number(value: float) -> str:
    return f"{value:g}" if isinstance(value, float) else f"{value:,}"


def numbers(values: list[float]) -> str:
    return listed(map(number, values))


def shown(measure: str, value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.1f}" if measure == L2 else f"{value:.3f}"


def measure_title(measure: str) -> str:
    return _("L2 distance") if measure == L2 else _("Rank correlation")


def batch_title(batch: str) -> str:
    return _("the better batch") if batch == BEST else batch


# Tables


def utilities(experiment: Experiment) -> dict[tuple[float, str], dict[str, Any]]:
    """The measures by ε and method."""
    return {(each["epsilon"], each["method"]): each for each in experiment.values["utility"]}


def _table(experiment: Experiment, measure: str) -> Table:
    """Table 5 of the paper for one measure, with theoretical and published values."""
    found, epsilons = utilities(experiment), experiment.setup["epsilons"]
    printed = paper.TABLE5 if experiment.source == experiment.Source.PUBLISHED else {}
    leads = {
        L2: _("Records between the estimated table and the original: lower is better."),
        RANK: _("The preservation of the order of the cells: 1 is complete, 0 none."),
    }
    rows = []
    for method in plans.methods_of(experiment.setup):
        keys = [(epsilon, method) for epsilon in epsilons]
        cells = [_cell(measure, found[key], printed.get(key)) for key in keys]
        rows.append((method, cells))
    return Table(measure_title(measure), leads[measure], list(map(number, epsilons)), rows)


def _cell(measure: str, found: dict[str, Any], printed: tuple[float, float] | None) -> Cell:
    notes = []
    if measure == L2 and found["expected_l2"] is not None:
        notes.append(_("expected %(value)s") % {"value": shown(L2, found["expected_l2"])})
    if printed is not None:
        value = f"{printed[0]:,}" if measure == L2 else f"{printed[1]:.2f}"
        notes.append(_("paper %(value)s") % {"value": value})
    return Cell(shown(measure, found[measure]), tuple(notes))


def crossing_cell(found: dict[str, Any] | None) -> Cell:
    """The number of queries from which a batch is as good: the first integer, and the exact value."""
    if found is None:
        return Cell("–")
    if found["queries"] is None:
        return Cell(_("never"))
    if not found["queries"]:
        return Cell(f"{found['first']:,}", (_("from the first on"),))
    meets = _("meets at %(value)s") % {"value": f"{found['queries']:,.1f}"}
    return Cell(f"{found['first']:,}", (meets,))


def crossings_of(experiment: Experiment) -> dict[tuple[float, str, str], dict[str, Any]]:
    """The crossings of the methods, by ε, measure and batch."""
    return {
        (each["epsilon"], each["measure"], each["batch"]): each
        for each in experiment.values["crossings"]
    }


def _crossings(experiment: Experiment) -> list[tuple[str, str, list[Cell]]]:
    """Table 6 of the paper, and the same for each batch method."""
    found = crossings_of(experiment)
    printed = paper.TABLE6 if experiment.source == experiment.Source.PUBLISHED else {}
    rows = []
    for epsilon in experiment.setup["epsilons"]:
        for batch in (each for each in BATCHES if (epsilon, L2, each) in found):
            cells = [crossing_cell(found.get((epsilon, each, batch))) for each in (L2, RANK)]
            if batch == BEST and epsilon in printed:
                beside = [_("paper %(value)s") % {"value": n} for n in printed[epsilon]]
                cells = [
                    Cell(cell.value, (*cell.notes, note))
                    for cell, note in zip(cells, beside, strict=True)
                ]
            rows.append((number(epsilon), batch_title(batch), cells))
    return rows


# Figures


def pictures(experiment: Experiment) -> tuple[list[Picture], list[tuple[str, list[Picture]]]]:
    """The figures without ε, and those of each ε."""
    names = selectors.file_names(experiment)
    tables = selectors.tables(experiment)

    def picture(stem: str, what: str) -> Picture:
        data = tables.get(table_name(stem))
        numbers = sheet(data, stem).largest(MOST_DRAWN) if data else Sheet((), ())
        return Picture(stem, picture_title(what), numbers)

    stems = [name[len("figures/") : -len(".svg")] for name in names if name.endswith(".svg")]
    general = [picture(stem, stem) for stem in stems if stem.startswith("figure3-")]
    by_epsilon: dict[str, list[Picture]] = {}
    for stem in stems:
        what, mark, epsilon = stem.rpartition("-epsilon-")
        if mark:
            by_epsilon.setdefault(epsilon, []).append(picture(stem, what))
    return general, sorted(by_epsilon.items(), key=lambda item: float(item[0]))


def picture_title(what: str) -> str:
    """The title of a figure, by its name without ε."""
    kind, _mark, rest = what.partition("-")
    words = {
        "figure3": _("ε against ρ") if rest == "epsilon" else _("k against ρ"),
        "figure8": _("L2 distance against the number of queries"),
        "figure9": _("Rank correlation against the number of queries"),
    }
    boxes = _("Estimates of each cell by %(method)s, the original highlighted")
    return words.get(kind) or boxes % {"method": rest.upper()}
