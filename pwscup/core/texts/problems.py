"""The problems of a file in the reader's language: the message, the expected and the found value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from scoring.errors import MESSAGES, Problem

SEPARATOR = " — "


@dataclass(frozen=True, slots=True)
class Shown:
    """A problem as a row of a table."""

    file: str
    row: int | None
    column: str
    what: str
    details: tuple[str, ...]


def shown(problems: Iterable[Problem], titles: Mapping[str, str]) -> list[Shown]:
    """Translate problems; `titles` are the displayed names of the files."""
    return [_shown(problem, titles) for problem in problems]


def _shown(problem: Problem, titles: Mapping[str, str]) -> Shown:
    what, *details = parts(problem)
    file = titles.get(problem.file or "", problem.file or "")
    return Shown(file, problem.row, problem.column or "", what, tuple(details))


def parts(problem: Problem) -> list[str]:
    """A message split into its parts; the template is split first, as a value may contain anything."""
    template = MESSAGES.get(problem.code)
    if template is None:
        return [_("This file was refused for the reason “%(code)s”.") % {"code": problem.code}]
    try:
        return _filled(_(template), problem.params)
    except (IndexError, ValueError):  # an error in the catalogue must not hide a problem
        return _filled(template, problem.params)


class _Params(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "?"


def _filled(template: str, params: Mapping[str, Any]) -> list[str]:
    return [part.format_map(_Params(params)) for part in template.split(SEPARATOR)]
