"""Libraries that only some measures need, and that an installation may lack."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


class MissingPackageError(ImportError):
    """A library is not installed that a measure needs; its text says how to install it."""


def needed(module: str, package: str) -> ModuleType:
    """A module of a package that may be missing.

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
        raise MissingPackageError(
            f'the package {package} is missing: pip install "pwscup[cups]"'
        ) from error
