# SPDX-License-Identifier: Apache-2.0
"""The phases of a bundle: dates, limits, and their order."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise

from pwscup.archives.codabench.description import Phase
from pwscup.archives.codabench.parts.base import TASK_FILES, Reading, named, shown
from pwscup.archives.codabench.sections import Section

MOST_PHASES = 20
DEFAULT_PER_DAY, DEFAULT_IN_ALL, DEFAULT_SECONDS = 5, 100, 600
"""Limits where a bundle says nothing, as Codabench sets them."""
LONGEST_NAME, LONGEST_DESCRIPTION = 100, 4_000
NEVER = datetime(2000, 1, 1, tzinfo=UTC)
"""Stands for a time that is missing."""


def read_phases(reading: Reading) -> tuple[tuple[Phase, ...], list[Section]]:
    """The phases in order, with the section of each."""
    sections = reading.top.sections("phases", most=MOST_PHASES)
    if not sections and "phases" not in {note.where for note in reading.problems.found}:
        code = "missing" if reading.top.get("phases") is None else "none"
        reading.problems.add(code, "phases", expected="sections")
    order = {
        id(section): section.whole("index", "phasenumber", default=0) or 0 for section in sections
    }
    sections = _without_parents(reading, sorted(sections, key=lambda section: order[id(section)]))
    read = [(section, _phase(reading, section)) for section in sections]
    found = [(section, phase) for section, phase in read if phase is not None]
    if reading.is_old and len(found) == len(read):
        found = _with_ends(reading, found)
    _check_order(reading, found)
    return tuple(phase for _, phase in found), sections


def _without_parents(reading: Reading, sections: list[Section]) -> list[Section]:
    """CodaLab 1.8 has a phase above phases that run at the same time."""
    parents = [s for s in sections if s.flag("is_parallel_parent")]
    for section in sections:
        section.called("parent_phasenumber")
    for parent in parents:
        reading.left_out.add("parallel", parent.path)
    return [section for section in sections if section not in parents]


def _phase(reading: Reading, section: Section) -> Phase | None:
    name = section.text("name", "label", is_needed=True)
    starts_at = section.time("start", "start_date", is_needed=True)
    ends_at = section.time("end")
    phase = Phase(
        name=name[:LONGEST_NAME],
        description=section.text("description")[:LONGEST_DESCRIPTION],
        starts_at=starts_at or NEVER,
        ends_at=ends_at,
        per_day=section.whole("max_submissions_per_day", default=DEFAULT_PER_DAY) or None,
        in_all=section.whole(
            "max_submissions", "max_submissions_per_person", default=DEFAULT_IN_ALL
        )
        or None,
        seconds=_seconds(section),
    )
    _other_keys_of_phase(reading, section)
    return None if starts_at is None else phase


def _seconds(section: Section) -> int:
    if section.get("execution_time_limit") is None:
        milliseconds = section.whole("execution_time_limit_ms") or 0
        return milliseconds // 1000 or DEFAULT_SECONDS
    return section.whole("execution_time_limit") or DEFAULT_SECONDS


def _with_ends(
    reading: Reading, phases: list[tuple[Section, Phase]]
) -> list[tuple[Section, Phase]]:
    """In CodaLab 1.5 a phase ends when the next one begins, and the last one with the competition."""
    ends = [*(phase.starts_at for _, phase in phases), reading.top.time("end_date")][1:]
    return [
        (section, replace(phase, ends_at=end))
        for (section, phase), end in zip(phases, ends, strict=True)
    ]


def _check_order(reading: Reading, phases: list[tuple[Section, Phase]]) -> None:
    for section, phase in phases:
        is_last = section is phases[-1][0]
        if phase.ends_at is not None and phase.ends_at <= phase.starts_at:
            times = {"expected": shown(phase.starts_at), "got": shown(phase.ends_at)}
            where = "end_date" if reading.is_old and is_last else section.where("end")
            reading.problems.add("phase_backwards", where, **times)
    if reading.is_old:
        return
    for (earlier, phase), (later, following) in pairwise(phases):
        start = later.where(later.called("start", "start_date"))
        if phase.ends_at is None:
            reading.problems.add("phase_endless", earlier.where("end"))
        elif following.starts_at < phase.ends_at:
            times = {"expected": shown(phase.ends_at), "got": shown(following.starts_at)}
            reading.problems.add("phase_overlaps", start, **times)


def _other_keys_of_phase(reading: Reading, section: Section) -> None:
    section.called("color", "status", "is_final_phase", "has_max_submissions", "tasks", "solutions")
    for code, names in (
        ("starting_kit", ("starting_kit",)),
        ("public_data", ("public_data", "datasets", "files")),
    ):
        if value := section.get(*names):
            reading.left_out.add(code, section.where(section.called(*names)), got=named(value))
    for code, *flags in (
        ("migration", "auto_migrate_to_this_phase", "auto_migration"),
        ("hidden_output", "hide_output"),
        ("hidden_output", "hide_prediction_output"),
        ("hidden_output", "hide_score_output"),
        ("only_results", "accepts_only_result_submissions"),
    ):
        if section.flag(*flags):
            reading.left_out.add(code, section.where(section.called(*flags)))
    if reading.is_old:
        section.called(*TASK_FILES, "ingestion_program_only_during_scoring")
    reading.note_unknown(section)
