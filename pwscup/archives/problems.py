# SPDX-License-Identifier: Apache-2.0
"""Problems of archives: codes with parameters, and their texts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext_lazy

AGAIN = gettext_lazy("Export the contest again and import the file unchanged.")
TEXTS = {
    "not_zip": gettext_lazy(
        "This is not a zip archive, or it was truncated or damaged — expected an archive of a contest."
    ),
    "too_large": gettext_lazy(
        "The archive is too large — expected at most %(expected)s — got %(got)s."
    ),
    "unpacked": gettext_lazy(
        "The unpacked archive is too large — expected at most %(expected)s — got %(got)s. "
        "An operator of this installation can raise the limit."
    ),
    "space": gettext_lazy(
        "Too little disk space on this installation — expected %(expected)s including the reserve for the "
        "uploads of teams — got %(got)s. Ask its operators to free space, then import the archive again."
    ),
    "too_many": gettext_lazy("The archive has too many entries — expected at most %(expected)s."),
    "duplicate": gettext_lazy("%(entry)s — duplicate entry — expected each entry once."),
    "unknown": gettext_lazy("%(entry)s — this entry does not belong in an archive of a contest."),
    "missing": gettext_lazy("%(entry)s — this entry is missing."),
    "unlisted": gettext_lazy("%(entry)s — this entry is not in the manifest."),
    "method": gettext_lazy(
        "%(entry)s — it is encrypted or compressed with another method — expected “deflate” or none."
    ),
    "size": gettext_lazy(
        "%(entry)s — its size is not that of the manifest — expected %(expected)s bytes — got %(got)s."
    ),
    "hash": gettext_lazy(
        "%(entry)s — it was changed: its SHA-256 differs from the manifest — expected %(expected)s — got %(got)s."
    ),
    "damaged": gettext_lazy("%(entry)s — it is damaged and cannot be unpacked."),
    "manifest": gettext_lazy("%(entry)s — it is not the manifest of an archive of a contest."),
    "newer": gettext_lazy(
        "The archive was made by a newer version — expected format %(expected)s or older — got %(got)s. "
        "Update this installation, then import it."
    ),
    "no_key": gettext_lazy(
        "The archive was made without the answer key, so nothing in it can be evaluated and it cannot be imported. "
        "Ask for an archive with the answer key."
    ),
    "unreadable": gettext_lazy("%(entry)s — it cannot be read — got: %(got)s."),
    "columns": gettext_lazy("%(entry)s — other columns — expected %(expected)s — got %(got)s."),
    "cells": gettext_lazy(
        "%(entry)s, row %(row)s — wrong number of cells — expected %(expected)s — got %(got)s."
    ),
    "number": gettext_lazy(
        "%(entry)s, row %(row)s — rows are numbered from 1 without gaps — expected %(expected)s — got %(got)s."
    ),
    "moment": gettext_lazy(
        "%(entry)s, row %(row)s, %(column)s — expected a date and a time with a zone — got “%(got)s”."
    ),
    "integer": gettext_lazy(
        "%(entry)s, row %(row)s, %(column)s — expected a whole number within its range — got “%(got)s”."
    ),
    "decimal": gettext_lazy(
        "%(entry)s, row %(row)s, %(column)s — expected a number — got “%(got)s”."
    ),
    "boolean": gettext_lazy(
        "%(entry)s, row %(row)s, %(column)s — expected true or false — got “%(got)s”."
    ),
    "text": gettext_lazy(
        "%(entry)s, row %(row)s, %(column)s — expected a text that is valid for this column — got “%(got)s”."
    ),
    "choice": gettext_lazy(
        "%(entry)s, row %(row)s, %(column)s — expected one of %(expected)s — got “%(got)s”."
    ),
    "value": gettext_lazy(
        "%(entry)s, row %(row)s, %(column)s — a value that is not valid for this column — got “%(got)s”."
    ),
    "empty": gettext_lazy("%(entry)s, row %(row)s, %(column)s — expected a value — got nothing."),
    "row": gettext_lazy("%(entry)s, row %(row)s — its values contradict each other."),
    "twice": gettext_lazy(
        "%(entry)s, row %(row)s — another row has the same %(column)s — got “%(got)s”."
    ),
    "dangling": gettext_lazy(
        "%(entry)s, row %(row)s, %(column)s — there is no such row in %(expected)s — got “%(got)s”."
    ),
    "area": gettext_lazy(
        "%(entry)s, row %(row)s, %(column)s — the file belongs to another area — expected %(expected)s."
    ),
    "rules": gettext_lazy("%(entry)s — %(got)s."),
    "digest": gettext_lazy(
        "%(entry)s — the rules do not match their digest — expected %(expected)s — got %(got)s."
    ),
    "round": gettext_lazy(
        "%(entry)s, round “%(got)s” — the rules of the contest have no such round of this kind."
    ),
    "rounds": gettext_lazy(
        "%(entry)s — the rules name a round that is missing — expected “%(expected)s”."
    ),
    "secret": gettext_lazy(
        "%(entry)s — the secret is not the one that the contest has committed to."
    ),
    "contradiction": gettext_lazy(
        "The rows of the archive contradict each other, so the database rejects them — got: %(got)s."
    ),
}
NEEDS_AGAIN = frozenset(
    [
        "not_zip",
        "duplicate",
        "unknown",
        "missing",
        "unlisted",
        "method",
        "size",
        "hash",
        "damaged",
        "manifest",
    ]
)


class ArchiveRefused(Exception):  # noqa: N818 — the archive is at fault, not the program
    """A refused archive, with its first problem."""

    def __init__(self, code: str, **params: Any) -> None:
        shown = {name: str(value)[:200] for name, value in params.items()}
        self.problem = {"code": code, "params": shown}
        super().__init__(code, shown)


def sentences(problems: Iterable[dict[str, Any]]) -> list[str]:
    """The problems in the reader's language; followed by advice if the file itself is at fault."""
    problems = list(problems)
    found = [str(TEXTS[problem["code"]]) % problem["params"] for problem in problems]
    if any(problem["code"] in NEEDS_AGAIN for problem in problems):
        found.append(str(AGAIN))
    return found
