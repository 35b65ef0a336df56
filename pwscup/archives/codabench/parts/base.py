# SPDX-License-Identifier: Apache-2.0
"""A bundle while it is read: its files and keys, its problems, and what is left out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pwscup.archives.codabench.files import Files
from pwscup.archives.codabench.notes import Notes
from pwscup.archives.codabench.pages import clean
from pwscup.archives.codabench.sections import Section

TASK_FILES = ("scoring_program", "reference_data", "input_data", "ingestion_program")
"""Files of a task; in CodaLab 1.5 those of a phase."""


@dataclass(frozen=True, slots=True)
class Reading:
    """An open bundle; `is_old` says that it has the format of CodaLab 1.5."""

    files: Files
    top: Section
    is_old: bool
    problems: Notes
    left_out: Notes

    def note_unknown(self, section: Section) -> None:
        """Note the keys of a section that nobody asked for."""
        for key in section.unknown:
            name = clean(key)[:60]
            self.left_out.add("unknown", section.where(name), key=name)


def named(value: object) -> str:
    """A value of any type in a note."""
    if isinstance(value, dict | list):
        return ", ".join(clean(str(key))[:30] for key in value)
    return clean(str(value))


def shown(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M} UTC"
