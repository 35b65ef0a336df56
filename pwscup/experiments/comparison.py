# SPDX-License-Identifier: Apache-2.0
"""Comparison of experiments: differences of their settings, and their joined tables."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from pwscup.core.texts.parts import listed
from pwscup.core.texts.refusals import Refused
from pwscup.experiments import pages, selectors
from pwscup.experiments.pages import BEST, L2, RANK, Cell, Picture
from pwscup.experiments.setup import plans, texts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pwscup.experiments.models import Experiment

    Placed = tuple[str, Experiment, Picture, str]

LETTERS = "ABCD"


@dataclass(frozen=True, slots=True)
class Setting:
    """The values of a setting in each experiment."""

    name: str
    values: list[str]

    @property
    def differs(self) -> bool:
        return len(set(self.values)) > 1


def page(chosen: list[Experiment]) -> dict[str, Any]:
    """The context of the page; Refused if the experiments cannot be compared."""
    _check(chosen)
    all_settings = settings(chosen)
    return {
        "experiments": list(zip(LETTERS, chosen, strict=False)),
        "letters": LETTERS[: len(chosen)],
        "labels": [
            (letter, texts.label(each.setup)) for letter, each in zip(LETTERS, chosen, strict=False)
        ],
        "differing": [each for each in all_settings if each.differs],
        "same": [each for each in all_settings if not each.differs],
        "same_data": all(each.counts == chosen[0].counts for each in chosen),
        "tables": [(pages.measure_title(each), _joined(chosen, each)) for each in (L2, RANK)],
        "crossings": _crossings(chosen),
        "pictures": _pictures(chosen),
    }


def _check(chosen: list[Experiment]) -> None:
    if not 2 <= len(chosen) <= selectors.MOST_COMPARED:
        raise Refused(
            _("Choose two to %(n)d experiments to compare.") % {"n": selectors.MOST_COMPARED}
        )
    unfinished = [each.title for each in chosen if each.state != each.State.DONE]
    if unfinished:
        names = {"names": listed(unfinished)}
        raise Refused(_("These have no result to compare: %(names)s.") % names)


def settings(chosen: list[Experiment]) -> list[Setting]:
    """All settings that affect the figures, as text."""
    words = {
        _("Data"): texts.data,
        _("Attributes"): texts.attributes,
        _("Records"): lambda each: f"{each.counts['n_records']:,}",
        "ε": lambda each: pages.numbers(each.setup["epsilons"]),
        _("Batch methods"): lambda each: listed(each.setup["batch"]) or _("none"),
        _("Numbers of queries"): lambda each: pages.numbers(each.setup["queries"]) or _("none"),
        _("Trials"): lambda each: f"{each.setup['trials']:,}",
        _("Seed"): lambda each: str(each.setup["seed"]),
        _("Aggregate"): lambda each: texts.aggregate(each.setup),
        "ρ": lambda each: texts.rule(each.setup),
        _("Reconstruction"): lambda each: texts.stopping(each.setup),
        _("Version of the library"): lambda each: each.scoring_version,
    }
    return [Setting(name, [say(each) for each in chosen]) for name, say in words.items()]


def _joined(
    chosen: list[Experiment], measure: str
) -> list[tuple[str, list[tuple[str, list[Cell]]]]]:
    """By ε, and then by method: the value of each experiment, a dash if it has none."""
    found = [pages.utilities(each) for each in chosen]
    groups = []
    for epsilon in _epsilons(chosen):
        rows = []
        for method in _methods(chosen):
            lines = [own.get((epsilon, method)) for own in found]
            if any(lines):
                rows.append((method, [_cell(measure, line) for line in lines]))
        groups.append((pages.number(epsilon), rows))
    return groups


def _cell(measure: str, line: dict[str, Any] | None) -> Cell:
    return Cell(pages.shown(measure, line[measure] if line else None))


def _crossings(chosen: list[Experiment]) -> list[tuple[str, str, list[Cell]]]:
    found = [pages.crossings_of(each) for each in chosen]
    rows = []
    for epsilon in _epsilons(chosen):
        for measure in (L2, RANK):
            lines = [own.get((epsilon, measure, BEST)) for own in found]
            if any(lines):
                cells = [pages.crossing_cell(line) for line in lines]
                rows.append((pages.number(epsilon), pages.measure_title(measure), cells))
    return rows


def _pictures(chosen: list[Experiment]) -> list[tuple[str, str, list[Placed]]]:
    """The curves by number of queries for every ε of at least two experiments."""
    by_key: dict[tuple[str, str], list[Placed]] = {}
    for letter, each in zip(LETTERS, chosen, strict=False):
        _general, by_epsilon = pages.pictures(each)
        for epsilon, own in by_epsilon:
            for picture in own:
                if picture.stem.startswith(("figure8-", "figure9-")):
                    placed = (letter, each, picture, texts.label(each.setup))
                    by_key.setdefault((epsilon, picture.title), []).append(placed)
    shared = [(*key, own) for key, own in by_key.items() if len(own) > 1]
    return sorted(shared, key=lambda group: float(group[0]))


def _epsilons(chosen: list[Experiment]) -> list[float]:
    return sorted(set(chain.from_iterable(each.setup["epsilons"] for each in chosen)))


def _methods(chosen: list[Experiment]) -> list[str]:
    """All methods: the batches, then the interactive ones by their number of queries."""
    batch = _every(each.setup["batch"] for each in chosen)
    queries = _every(each.setup["queries"] for each in chosen)
    return plans.methods_of({"batch": sorted(batch, reverse=True), "queries": sorted(queries)})


def _every(lists: Iterable[list[Any]]) -> set[Any]:
    return set(chain.from_iterable(lists))
