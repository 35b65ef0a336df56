# SPDX-License-Identifier: Apache-2.0
"""The tasks of a bundle: the scoring program of the first one, and data, which are left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from pwscup.archives.codabench.description import Program
from pwscup.archives.codabench.files import Folder, Unreadable, plain_path
from pwscup.archives.codabench.notes import BundleRefused
from pwscup.archives.codabench.pages import clean
from pwscup.archives.codabench.parts.base import TASK_FILES, Reading
from pwscup.archives.codabench.sections import Section
from pwscup.archives.codabench.yaml_text import parsed

MOST_TASKS = 100
MAX_COMMAND = 500
KEY = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
"""A thing that is stored at Codabench and not in the bundle."""


def used_tasks(reading: Reading, phases: Iterable[Section]) -> list[Section]:
    """The tasks that phases name, in that order; all of them where they name none."""
    tasks = reading.top.sections("tasks", most=MOST_TASKS)
    by_index: dict[str, Section] = {}
    for n, task in enumerate(tasks):
        task.called(
            "name", "description", "is_public", "ingestion_only_during_scoring", *TASK_FILES
        )
        number = task.whole("index", default=n)
        if str(number) in by_index:
            reading.problems.add("twice", task.where("index"), got=number)
        by_index.setdefault(str(number), task)
        if (key := task.text("key")) and not any(task.get(kind) for kind in TASK_FILES):
            reading.left_out.add("task_key", task.where("key"), got=key)
        reading.note_unknown(task)
    used: dict[str, Section] = {}
    for phase in phases:
        indexes = phase.indexes("tasks")
        if not indexes:
            reading.left_out.add("no_tasks", phase.path)
        for index in indexes:
            if index in by_index:
                used[index] = by_index[index]
            elif tasks:
                reading.problems.add("wrong", phase.where("tasks"), expected="task", got=index)
    return list(used.values()) or tasks


def read_program(reading: Reading, used: list[Section]) -> Program | None:
    """The scoring program of the first task; others, and data, are noted."""
    found: Program | None = None
    for task in used:
        for code in ("reference_data", "input_data"):
            if value := task.text(code):
                reading.left_out.add(code, task.where(code), got=value)
        if value := task.text("ingestion_program"):
            reading.left_out.add("code", task.where("ingestion_program"), got=value)
        path = task.text("scoring_program")
        if not path:
            continue
        where = task.where("scoring_program")
        program = _program_at(reading, where, path)
        if program is not None and found is None:
            found = program
        elif program is not None and found is not None and program.sha256 != found.sha256:
            reading.left_out.add("other_program", where, got=path)
    if len(used) > 1:
        names = [task.text("name", "label") or task.path for task in used[1:]]
        reading.left_out.add("tasks", "tasks", got=", ".join(names))
    return found


def _program_at(reading: Reading, where: str, path: str) -> Program | None:
    plain = plain_path(path)
    try:
        folder = None if plain is None else reading.files.program(plain)
    except Unreadable:
        reading.problems.add("unreadable", where, got=path)
        return None
    if folder is None:
        if KEY.fullmatch(path):
            reading.left_out.add("program_key", where, got=path)
        else:
            reading.problems.add("no_file", where, got=path)
        return None
    command = _command(reading, folder, where)
    return Program(plain or path, command, folder.names, folder.sha256)


def _command(reading: Reading, folder: Folder, where: str) -> str:
    """The command of a program's metadata; empty where it has none."""
    try:
        content = None if folder.metadata is None else parsed(folder.metadata, where)
    except BundleRefused:
        content = None
    command = content.get("command") if isinstance(content, Mapping) else None
    if isinstance(command, str) and command.strip():
        return " ".join(clean(command).split())[:MAX_COMMAND]
    reading.left_out.add("no_command", where)
    return ""
