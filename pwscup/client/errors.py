# SPDX-License-Identifier: Apache-2.0
"""Errors of the client: each says where, what, expected and got."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.catalogs import hint

PLACES = ("file", "row", "column", "field")
MAX_SHOWN = 200
_MAX_LENGTH = 2_000


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a request or a file, as the site or the client found it.

    Attributes
    ----------
    code : str
        Stable, such as `cell.not_a_number`.
    message : str
        In the language of the client: what is wrong, what was expected, what was got.
    file, column, field : str or None
        The file and its column, or the key of the request.
    row : int or None
        The record, from 1.
    expected, got : any
        As far as they are known.
    """

    code: str
    message: str
    file: str | None = None
    row: int | None = None
    column: str | None = None
    field: str | None = None
    expected: Any = None
    got: Any = None

    @property
    def hint(self) -> str:
        """A question that names similar names, for a problem about an unknown one; mostly empty."""
        if "unknown" not in self.code or not isinstance(self.expected, str):
            return ""
        return hint(str(self.got), self.expected.split(", "))

    def __str__(self) -> str:
        """The place, the message, and similar names."""
        named = {"file": self.file, "record": self.row, "column": self.column, "field": self.field}
        where = ", ".join(f"{name} {value}" for name, value in named.items() if value is not None)
        text = f"{self.message}{self.hint}"
        return f"{where}: {text}" if where else text

    @classmethod
    def of(cls, shown: object) -> Problem:
        """A problem as the API writes it; whatever a site that is no PWSCup sends, it becomes a text."""
        if not isinstance(shown, Mapping):
            return cls("unknown", _text(shown))
        found = shown.get("where")
        where = found if isinstance(found, Mapping) else {}
        row = where.get("row")
        texts = {name: _optional(where.get(name)) for name in ("file", "column", "field")}
        return cls(
            code=_text(shown.get("code") or "unknown"),
            message=_text(shown.get("message") or shown.get("code") or "unknown"),
            row=row if isinstance(row, int) else None,
            expected=shown.get("expected"),
            got=shown.get("got"),
            **texts,
        )

    def to_dict(self) -> dict[str, Any]:
        """The problem as the API writes it."""
        where = {name: getattr(self, name) for name in PLACES}
        return {
            "code": self.code,
            "where": where,
            "expected": self.expected,
            "got": self.got,
            "message": self.message,
        }


def _text(value: object) -> str:
    """Printable, and not endless: a terminal obeys control characters."""
    text = str(value)[:_MAX_LENGTH]
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


def _optional(value: object) -> str | None:
    return None if value is None else _text(value)


class ClientError(Exception):
    """An error of the client, with its problems.

    Attributes
    ----------
    problems : tuple of Problem
    """

    def __init__(self, problems: Sequence[Problem] | str, code: str = "client") -> None:
        if isinstance(problems, str):
            problems = [Problem(code, problems)]
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems[:MAX_SHOWN]))


class Refused(ClientError):  # noqa: N818 — the site's answer, no fault of the program
    """The site refuses a request: nothing was stored, changed or paid.

    Attributes
    ----------
    status : int
        The status code of HTTP.
    problems : tuple of Problem
        All of them, in the language of the client.
    n_problems : int
        Their number, where not all are listed.
    """

    def __init__(self, status: int, problems: Sequence[Problem], n_problems: int) -> None:
        self.status = status
        self.n_problems = n_problems
        super().__init__(problems)


class Rejected(ClientError):  # noqa: N818 — as above
    """A file that was submitted, or checked at home, has problems; a rejected file uses no attempt."""


class TokenError(ClientError):
    """There is no token for this site, or the site does not accept it."""


class BusyError(ClientError):
    """The site was still busy, or limits requests, after all attempts; nothing was done."""


class UnreachableError(ClientError):
    """The site does not answer, or its certificate is not trusted."""


class UncertainError(UnreachableError):
    """The answer was lost on its way: the request may have been carried out."""


class MovedError(ClientError):
    """The site is at another address. The token was not sent there."""


class BadAnswerError(ClientError):
    """The answer is none of PWSCup's API."""


class UnsafeFileError(ClientError):
    """A downloaded file has a name or a content that must not be written."""


class FileError(ClientError):
    """A local file is missing, cannot be read or written, or does not belong to the round."""


class UnknownError(ClientError):
    """There is no contest, round, board or target of this name; the message names similar ones."""


class FailedError(ClientError):
    """The site could not score a submission, or it was cancelled."""


class TimedOutError(ClientError):
    """A submission was not scored in the time that the caller waits; it is scored later."""
