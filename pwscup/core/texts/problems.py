# SPDX-License-Identifier: Apache-2.0
"""The problems of a file in the reader's language: the message, the expected and the found value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from pwscup.core.texts.parts import listed, noted
from scoring.errors import MESSAGES, Problem

SEPARATOR = " — "


MOST_RECORDS = 5  # that are listed of one problem


@dataclass(frozen=True, slots=True)
class Shown:
    """A problem as a row of a table; `further` are other records of the file with the same problem."""

    file: str
    row: int | None
    column: str
    what: str
    details: tuple[str, ...]
    further: tuple[int, ...] = ()

    @property
    def records(self) -> str:
        """The numbers of the records, the first of them where there are many."""
        if self.row is None:
            return ""
        shown = listed((self.row, *self.further)[:MOST_RECORDS])
        n_more = 1 + len(self.further) - MOST_RECORDS
        if n_more <= 0:
            return shown
        return _("%(records)s and %(n)d more") % {"records": shown, "n": n_more}


def n_shown(rows: Iterable[Shown]) -> int:
    return sum(1 + len(one.further) for one in rows)


def shown(problems: Iterable[Problem], titles: Mapping[str, str]) -> list[Shown]:
    """Translate problems, those that differ only in the record as one; `titles` are the displayed names of files."""
    found: dict[Shown, list[int]] = {}
    for problem in problems:
        what, *details = parts(problem)
        file = titles.get(problem.file or "", problem.file or "")
        alike = Shown(file, None, problem.column or "", what, tuple(details))
        if problem.row is None:
            found[alike] = []
        else:
            found.setdefault(replace(alike, row=0), []).append(problem.row)
    return [
        replace(one, row=rows[0], further=tuple(rows[1:])) if rows else one
        for one, rows in found.items()
    ]


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
    """The parts of a message; a parameter such as `got_ja` replaces `got` for readers of that language.

    A measure of the library has its English title among the parameters, which is translated here.
    """
    ending = f"_{(get_language() or '')[:2]}"
    own = {name.removesuffix(ending): params[name] for name in params if name.endswith(ending)}
    if "title" in params and "measure" not in own:
        own["measure"] = noted(_(params["title"]), params["id"])
    return [part.format_map(_Params({**params, **own})) for part in template.split(SEPARATOR)]
