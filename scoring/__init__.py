# SPDX-License-Identifier: Apache-2.0
"""Anonymizes tables, attacks them, and scores both: functions from tables to numbers.

    >>> import scoring
    >>> table, schema = scoring.generate("households", 100, seed=1)
    >>> anonymized = scoring.anonymize(table, "mondrian", schema, k=5, seed=1)
    >>> scoring.score(table, anonymized, measures="S1")["S1"] >= 5
    True

Each name is imported at its first use, so that a process loads what it needs and no more.
"""

from __future__ import annotations

import os
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "1.2.0"
DISTRIBUTION = "pwscup"
"""The distribution that this package belongs to: another one on the package index is called `scoring`."""

if TYPE_CHECKING:
    from scoring import privacy, sequential
    from scoring.anonymizers import ANONYMIZERS
    from scoring.attacks.catalog import ATTACKS
    from scoring.catalogs import UnknownNameError
    from scoring.errors import Problem, ProblemsFound
    from scoring.facade.adapters import hierarchies, synthesize
    from scoring.facade.audits import audit, compare
    from scoring.facade.files import generate, read, validate
    from scoring.facade.given import UnconfirmedRolesWarning
    from scoring.facade.measuring import k_anonymity, l_diversity, score, t_closeness
    from scoring.facade.methods import anonymize, attack, candidates, membership
    from scoring.facade.studies import study
    from scoring.registry import MEASURES
    from scoring.tables.schema import Column, Kind, Role, Schema

__all__ = [
    "ANONYMIZERS",
    "ATTACKS",
    "MEASURES",
    "Column",
    "Kind",
    "Problem",
    "ProblemsFound",
    "Role",
    "Schema",
    "UnconfirmedRolesWarning",
    "UnknownNameError",
    "__version__",
    "anonymize",
    "attack",
    "audit",
    "candidates",
    "compare",
    "generate",
    "hierarchies",
    "k_anonymity",
    "l_diversity",
    "membership",
    "privacy",
    "read",
    "score",
    "sequential",
    "study",
    "synthesize",
    "t_closeness",
    "validate",
]

_MODULES = {
    "scoring.anonymizers": ("ANONYMIZERS",),
    "scoring.attacks.catalog": ("ATTACKS",),
    "scoring.catalogs": ("UnknownNameError",),
    "scoring.errors": ("Problem", "ProblemsFound"),
    "scoring.facade.adapters": ("hierarchies", "synthesize"),
    "scoring.facade.audits": ("audit", "compare"),
    "scoring.facade.files": ("generate", "read", "validate"),
    "scoring.facade.given": ("UnconfirmedRolesWarning",),
    "scoring.facade.measuring": ("k_anonymity", "l_diversity", "score", "t_closeness"),
    "scoring.facade.methods": ("anonymize", "attack", "candidates", "membership"),
    "scoring.facade.studies": ("study",),
    "scoring.registry": ("MEASURES",),
    "scoring.tables.schema": ("Column", "Kind", "Role", "Schema"),
}
_PLACES = {name: module for module, names in _MODULES.items() for name in names}
_SUBMODULES = ("privacy", "sequential")


def _check_files() -> None:
    """Refuse to run where that other distribution is installed in the same folder: the files of both are mixed."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    names: list[str] = []
    with suppress(OSError):
        names = os.listdir(folder)
    others = [
        n for n in names if n.startswith("scoring-") and n.endswith((".dist-info", ".egg-info"))
    ]
    if others:
        raise ImportError(
            f"{folder} has the files of another project that is called scoring ({others[0]}), mixed with those of "
            "pwscup: pip uninstall --yes scoring pwscup, then pip install pwscup"
        )


_check_files()


def __getattr__(name: str) -> Any:
    """Import a public name at its first use (PEP 562)."""
    if name in _SUBMODULES:
        value: Any = import_module(f"{__name__}.{name}")
    elif name in _PLACES:
        value = getattr(import_module(_PLACES[name]), name)
    else:
        near = get_close_matches(name, __all__)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
