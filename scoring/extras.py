# SPDX-License-Identifier: Apache-2.0
"""Libraries that only some measures and pictures need, and that an installation may lack."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


class MissingPackageError(ImportError):
    """A library is not installed that a measure or a picture needs; its text says how to install it."""


def needed(module: str, package: str, extra: str = "cups") -> ModuleType:
    """A module of a package that may be missing: of one of the extras of `pwscup`.

    Raises
    ------
    MissingPackageError
        With the package that is missing and how to install it.

    Examples
    --------
    >>> needed("math", "math").__name__
    'math'
    >>> needed("no_such_module", "no-such-package")
    Traceback (most recent call last):
    scoring.extras.MissingPackageError: the package no-such-package is missing: pip install "pwscup[cups]"
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise _missing(package, extra) from error


def check_pictures() -> None:
    """Check, before a long computation, that its pictures can be drawn; nothing is loaded.

    Raises
    ------
    MissingPackageError
        Where matplotlib is not installed.
    """
    if find_spec("matplotlib") is None:
        raise _missing("matplotlib", "plots")


def _missing(package: str, extra: str) -> MissingPackageError:
    return MissingPackageError(f'the package {package} is missing: pip install "pwscup[{extra}]"')
