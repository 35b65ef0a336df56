"""Plugins: measures, attacks and formulas of Python packages that an administrator has installed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from scoring.addresses import function_at
from scoring.attacks.base import Attack
from scoring.attacks.catalog import ATTACKS
from scoring.catalogs import Registry
from scoring.errors import shorten
from scoring.formulas import FORMULAS, OFFICIAL
from scoring.formulas.base import Formula
from scoring.registry import ALL_MEASURES, MEASURES, Measure

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,49}")
GROUPS: dict[str, tuple[type, tuple[Registry[Any], ...]]] = {
    "pwscup.measures": (Measure, (MEASURES, ALL_MEASURES)),
    "pwscup.attacks": (Attack, (ATTACKS,)),
    "pwscup.formulas": (Formula, (FORMULAS, OFFICIAL)),
}
"""By group of entry points: the class of its objects, and the registries that get them."""


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

    An entry point names a `Measure`, `Attack` or `Formula`. Its identifier must be new, its texts complete and its
    function importable.
    """
    return tuple(
        _registered(group, point) for group in GROUPS for point in entry_points(group=group)
    )


def used(ids: Iterable[str]) -> Iterator[Plugin]:
    """The plugins among some identifiers of measures, attacks and formulas."""
    wanted = set(ids)
    return (plugin for plugin in load() if not plugin.fault and plugin.id in wanted)


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
    texts = ("title", "summary", "name", "best", "worst") if kind is Measure else ("title",)
    for text in texts:
        if not str(getattr(entry, text)).strip():
            return f"{entry.id} has no {text}"
    if kind in (Measure, Formula) and entry.direction not in ("lower", "higher"):
        return f"{entry.id}: expected direction lower or higher, got {shorten(entry.direction)}"
    if kind is Measure and entry.high is not None and not entry.low < entry.high:
        return f"{entry.id}: expected low < high, got {entry.low} and {entry.high}"
    function = entry.function if kind is Formula else function_at(entry.address)
    return "" if callable(function) else f"{entry.id} names no function"


def _shown(error: BaseException) -> str:
    return shorten(f"{type(error).__name__}: {error}", 200)
