# SPDX-License-Identifier: Apache-2.0
"""Plugins: measures, attacks, formulas and formats of Python packages that an administrator has installed."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, wraps
from importlib.metadata import EntryPoint, entry_points
from numbers import Real
from typing import TYPE_CHECKING, Any

from scoring.addresses import function_at
from scoring.attacks.base import Attack, ColumnChoice
from scoring.attacks.catalog import ATTACKS, INQUIRIES
from scoring.catalogs import Registry
from scoring.datasets import MAX_RECORDS
from scoring.errors import ProblemsFound, shorten
from scoring.formulas import FORMULAS, OF_LISTED, OFFICIAL, PARTS
from scoring.formulas.base import Formula, Setting
from scoring.options import Option
from scoring.registry import ALL_MEASURES, MEASURES, Measure
from scoring.rulesets.installed import FORMATS, Format
from scoring.rulesets.kinds import SERIES
from scoring.rulesets.loader import library_names, parse_ruleset, schema_names

if TYPE_CHECKING:
    from scoring.rulesets import Ruleset

logger = logging.getLogger(__name__)
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,49}")
OF_MEASURES, OF_ATTACKS, OF_FORMULAS = "pwscup.measures", "pwscup.attacks", "pwscup.formulas"
OF_FORMATS = "pwscup.formats"
GROUPS: dict[str, tuple[type, tuple[Registry[Any], ...]]] = {
    OF_MEASURES: (Measure, (MEASURES, ALL_MEASURES)),
    OF_ATTACKS: (Attack, (ATTACKS, INQUIRIES)),
    OF_FORMULAS: (Formula, (FORMULAS, OFFICIAL, OF_LISTED)),
    OF_FORMATS: (Format, (FORMATS,)),
}
"""By group of entry points: the class of its objects, and the registries that get them; formats may name the others."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """An entry of a package: its group, its identifier, and the package with its version.

    `fault` says why it cannot be used, and is empty where it can.
    """

    group: str
    id: str
    package: str
    version: str
    fault: str = ""


@cache
def load() -> tuple[Plugin, ...]:
    """Register every installed plugin, once in a process; those with a fault are named and left out.

    An entry point names a `Measure`, `Attack`, `Formula` or `Format`. Its identifier must be new, its texts complete,
    its function importable and its rules without problems.
    """
    return tuple(
        _registered(group, point)
        for group in GROUPS
        for point in sorted(entry_points(group=group), key=lambda point: point.name)
    )


def named(group: str, ids: Iterable[str]) -> tuple[Plugin, ...]:
    """The usable plugins of a group among some identifiers."""
    wanted = set(ids)
    return tuple(p for p in load() if p.group == group and p.id in wanted and not p.fault)


def used(rules: Ruleset) -> tuple[Plugin, ...]:
    """The plugins that rules are or name: a format, measures, formulas of boards, and attacks of baseline teams."""
    known = FORMATS.get(rules.id)
    return (
        *named(OF_FORMATS, [rules.id] if known and known.text == rules.text else []),
        *named(OF_MEASURES, rules.measures),
        *formulas_of(rules),
        *named(OF_ATTACKS, rules.baseline_attackers.values()),
    )


def formulas_of(rules: Ruleset) -> tuple[Plugin, ...]:
    """The plugins among the formulas of the boards of rules."""
    return named(OF_FORMULAS, {rules.ranking.formula, *(spec.formula for spec in rules.boards)})


def texts() -> dict[str, Mapping[str, str]]:
    """The texts of all plugins by their English ones, each with its languages."""
    found: dict[str, Mapping[str, str]] = {}
    for plugin in load():
        if not plugin.fault:
            entry = GROUPS[plugin.group][1][0][plugin.id]
            own = getattr(entry, "texts", {})
            found |= {_english(entry, name): text for name, text in own.items()}
    return found


def _english(entry: Any, name: str) -> str:
    """The English text that pages translate: the attribute of that name, or the description of a setting."""
    for setting in getattr(entry, "settings", ()):
        if setting.name == name:
            return str(setting.description)
    return str(getattr(entry, name, entry.texts[name]["en"]))


# Registering


def _registered(group: str, point: EntryPoint) -> Plugin:
    kind, registries = GROUPS[group]
    package = point.dist.name if point.dist else "unknown"
    version = point.dist.version if point.dist else "unknown"
    try:
        entry = point.load()
        fault = _fault(entry, kind, registries)
    except (Exception, SystemExit) as error:  # whatever a foreign package does, the site goes on
        return Plugin(group, point.name, package, version, _shown(error))
    if fault:
        return Plugin(group, point.name, package, version, fault)
    if kind is not Format:
        entry = replace(entry, texts={name: dict(text) for name, text in entry.texts.items()})
    if kind is Formula:
        entry = replace(entry, function=_guarded(entry))
    for registry in registries:
        registry[entry.id] = entry
    return Plugin(group, entry.id, package, version)


def _fault(entry: Any, kind: type, registries: Iterable[Registry[Any]]) -> str:
    """The first thing wrong with an entry; empty where it is complete."""
    if not issubclass(type(entry), kind):
        return f"expected a {kind.__name__}, got {type(entry).__name__}"
    if not (isinstance(entry.id, str) and ID.fullmatch(entry.id)):
        return (
            f"expected an id of letters, digits, hyphens and underscores, got {shorten(entry.id)}"
        )
    if any(entry.id in registry for registry in registries):
        return f"there is a {kind.__name__} {entry.id} already"
    if kind is Format:
        return _unfit_format(entry)
    return _lacking(entry, kind) or _unfit(entry, kind)


def _lacking(entry: Any, kind: type) -> str:
    """A text that is missing."""
    needed = ("title", "summary", "name", "best", "worst") if kind is Measure else ("title",)
    for text in needed:
        if not str(getattr(entry, text)).strip():
            return f"{entry.id} has no {text}"
    for name, text in entry.texts.items():
        if not all(isinstance(words, str) for words in text.values()) or not text.get("en"):
            return f"texts of {entry.id}: expected words by language, en among them, for {name}"
    return ""


def _unfit(entry: Any, kind: type) -> str:
    """A value that cannot be used."""
    id_ = entry.id
    if kind in (Measure, Formula) and entry.direction not in ("lower", "higher"):
        return f"{id_}: expected direction lower or higher, got {shorten(entry.direction)}"
    if kind is Measure and entry.high is not None and not entry.low < entry.high:
        return f"{id_}: expected low < high, got {entry.low} and {entry.high}"
    if kind is Formula:
        if not {*entry.needs} <= {*entry.uses} <= {*PARTS, "loss"}:
            return f"{id_}: expected uses out of {', '.join(PARTS)} and loss, and needs out of uses"
        if not all(isinstance(setting, Setting) for setting in entry.settings):
            return f"{id_}: expected settings of the class Setting"
        return "" if callable(entry.function) else f"{id_} names no function"
    if kind is Attack and not (
        all(isinstance(choice, ColumnChoice) for choice in entry.columns)
        and all(isinstance(option, Option) for option in entry.options)
    ):
        return f"{id_}: expected columns of the class ColumnChoice, and options of the class Option"
    return "" if callable(function_at(entry.address)) else f"{id_} names no function"


def _unfit_format(entry: Format) -> str:
    """Problems of the rules, or a generator that does not fit them."""
    id_ = entry.id
    if id_ in library_names() or id_ in schema_names():
        return f"there is a ruleset or a schema {id_} already"
    try:
        rules = parse_ruleset(entry.text)
    except ProblemsFound as found:
        more = f", and {found.n_total - 1} more problems" if found.n_total > 1 else ""
        return f"rules of {id_}: {shorten(found.problems[0], 400)}{more}"
    if rules.id != id_:
        return f"rules of {id_}: expected this id in them, got {rules.id}"
    if not entry.generator:
        return ""
    if rules.schema is None or rules.tables == SERIES:
        return f"{id_}: expected no generator, as the rules name no columns of a table"
    if not isinstance(entry.n_records, int) or not 1 <= entry.n_records <= MAX_RECORDS:
        return f"{id_}: expected n_records from 1 to {MAX_RECORDS}, got {shorten(entry.n_records)}"
    if entry.generated and not {"en", "ja"} <= {*entry.generated}:
        return f"{id_}: expected a sentence in en and ja under generated"
    return "" if callable(entry.function) else f"{id_}: generator names no function"


def _shown(error: BaseException) -> str:
    return shorten(f"{type(error).__name__}: {error}", 200)


def _guarded(formula: Formula) -> Callable[..., dict[Any, float | None]]:
    """The function of a formula: where it fails, nobody has a total and the log says why."""

    @wraps(formula.function)
    def totals(scores: Any, settings: Any) -> dict[Any, float | None]:
        try:
            found = formula.function(scores, settings)
            return {team: _total(found[team]) for team in scores.teams}
        except Exception:
            logger.exception("the plugin's formula %s failed: no team has a total", formula.id)
            return dict.fromkeys(scores.teams)

    return totals


def _total(value: object) -> float | None:
    if value is None:
        return None
    if not isinstance(value, Real) or not math.isfinite(value):
        raise TypeError(f"expected a number or None for each team, got {type(value).__name__}")
    return float(value)
