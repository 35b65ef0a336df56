# SPDX-License-Identifier: Apache-2.0
"""Notes on files that were accepted: what differs from what the rules ask for, and was read all the same.

Readers add notes as other code issues warnings; `noted` collects them, elsewhere they are lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from scoring.errors import MAX_REPORTED, Problem

_collected: ContextVar[list[Problem] | None] = ContextVar("notes", default=None)


@contextmanager
def noted() -> Iterator[list[Problem]]:
    """Collect the notes that are added within the block, one for each code, file and column.

    Of blocks within each other the inner one collects.

    Examples
    --------
    >>> from scoring.tables.text import decode
    >>> with noted() as notes:
    ...     text = decode("職業\\n料理人\\n".encode("cp932"), file="anonymized")
    >>> [note.code for note in notes]
    ['note.cp932']
    """
    notes: list[Problem] = []
    token = _collected.set(notes)
    try:
        yield notes
    finally:
        _collected.reset(token)


def add_note(
    code: str, *, file: str | None = None, column: str | None = None, **params: str | int | float
) -> None:
    """Add a note of this code, the first for a file and column."""
    notes = _collected.get()
    if notes is None or len(notes) == MAX_REPORTED:
        return
    if all((note.code, note.file, note.column) != (code, file, column) for note in notes):
        notes.append(Problem(code, params, file, column=column))
