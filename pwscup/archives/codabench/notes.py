# SPDX-License-Identifier: Apache-2.0
"""Notes on a bundle: problems, for which it is refused, and things that an import leaves out; both with their texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _

from pwscup.archives.codabench.left_out import LEFT_OUT

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

MOST = 100
"""Notes that are kept of a kind."""
MAX_GOT = 80


@dataclass(frozen=True, slots=True)
class Note:
    """A problem, or a thing that is left out: its code, its place in the bundle, and what its text needs."""

    code: str
    where: str = ""
    params: Mapping[str, str] = field(default_factory=dict)

    @property
    def problem(self) -> str:
        """The note as the sentence about a problem, in the reader's language."""
        shown = {name: _shown(value) for name, value in self.params.items()}
        text = str(PROBLEMS[self.code]) % shown
        return f"{self.where} — {text}" if self.where else text

    @property
    def what(self) -> str:
        """The thing that is left out."""
        return str(LEFT_OUT[self.code][0]) % self.params

    @property
    def instead(self) -> str:
        """The thing to do here in place of it."""
        return str(LEFT_OUT[self.code][1]) % self.params

    @property
    def file(self) -> str:
        """Lines of a file that an administrator writes; empty for most notes."""
        return self.params.get("file", "")


class BundleRefused(Exception):  # noqa: N818 — the bundle is at fault, not the program
    """A refused bundle, with all its problems."""

    def __init__(self, problems: Iterable[Note]) -> None:
        self.problems = tuple(problems)
        super().__init__(*self.problems)

    def __str__(self) -> str:
        return "\n".join(note.problem for note in self.problems)


class Notes:
    """Collected notes: the first `MOST` of them."""

    def __init__(self) -> None:
        self.found: list[Note] = []

    def add(self, code: str, where: str = "", **params: Any) -> None:
        shown = {name: value if name == "file" else _short(value) for name, value in params.items()}
        note = Note(code, where, shown)
        if len(self.found) < MOST and note not in self.found:
            self.found.append(note)

    def refuse_if_any(self) -> None:
        """Raise `BundleRefused` where something was noted."""
        if self.found:
            raise BundleRefused(self.found)


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= MAX_GOT else text[: MAX_GOT - 1] + "…"


def _shown(value: str) -> str:
    return str(EXPECTED.get(value, value))


EXPECTED: dict[str, _StrPromise] = {
    "text": _("a text"),
    "whole": _("a whole number from 0"),
    "flag": _("true or false"),
    "section": _("keys with values"),
    "sections": _("a list, each entry with keys and values"),
    "numbers": _("a list of indexes"),
    "time": _("a date and a time of the years 2000 to 2099, such as 2030-01-31 10:00:00"),
    "sorting": _("asc or desc"),
    "version": _("2, or 1 for a bundle of CodaLab 1.5"),
    "file": _("a file of the bundle"),
    "task": _("the index of one of the tasks"),
}
"""Expected values by the name that notes give them."""

PROBLEMS: dict[str, _StrPromise] = {
    "bundle.broken": _("not a zip archive, or a damaged one — expected a bundle of Codabench"),
    "bundle.broken_file": _("a damaged file in the archive — expected the files packed again"),
    "bundle.compression": _("an unusual compression — expected “deflate” or none"),
    "bundle.encrypted": _("an encrypted file — expected an archive without a password"),
    "bundle.path": _(
        "a path that may lead out of the archive — expected file names, or folders with “/” between their names"
    ),
    "bundle.too_many": _("too many files — expected at most %(expected)s — got more"),
    "bundle.too_large": _(
        "the files that describe the competition are too large together — expected at most %(expected)s — got more"
    ),
    "no_yaml": _(
        "the file is missing — expected competition.yaml, in the archive itself or in a folder of it"
    ),
    "several_yaml": _(
        "several folders have the file — expected one competition in a bundle — got %(got)s"
    ),
    "file_too_large": _("the file is too large — expected at most %(expected)s — got more"),
    "not_utf8": _("wrong character encoding — expected UTF-8 — got byte 0x%(got)s at byte %(at)s"),
    "yaml_syntax": _("not YAML — expected a file that a YAML reader accepts — got: %(got)s"),
    "yaml_deep": _("keys stand too deep in each other — expected at most %(expected)s levels"),
    "yaml_large": _(
        "too many values, those that aliases repeat included — expected at most %(expected)s — got more"
    ),
    "version": _("another version — expected %(expected)s — got “%(got)s”"),
    "missing": _("the key is missing — expected %(expected)s"),
    "empty": _("the value is empty — expected %(expected)s"),
    "wrong": _("a wrong value — expected %(expected)s — got “%(got)s”"),
    "none": _("nothing is listed — expected at least one"),
    "too_many": _("too many — expected at most %(expected)s — got %(got)s"),
    "twice": _("another one has the same — expected a different one — got “%(got)s”"),
    "no_file": _(
        "the bundle does not have the file — expected a file of the bundle — got “%(got)s”"
    ),
    "unreadable": _(
        "the file cannot be unpacked — expected the files packed again — got “%(got)s”"
    ),
    "phase_backwards": _(
        "the phase ends before it begins — expected an end after %(expected)s — got %(got)s"
    ),
    "phase_overlaps": _(
        "the phase begins while the one before is open — expected a start from %(expected)s — got %(got)s"
    ),
    "phase_endless": _("only the last phase may be without an end — expected a date and a time"),
    "no_column": _(
        "no column has a value that the scoring program writes — expected a column without “computation”"
    ),
}
"""Sentences about problems by code."""
