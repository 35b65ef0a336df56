# SPDX-License-Identifier: Apache-2.0
"""Reading a bundle: the zip archive becomes a `Competition`, with notes on all that no contest has a place for."""

from __future__ import annotations

from pathlib import Path
from typing import IO

from pwscup.archives.codabench.description import Competition
from pwscup.archives.codabench.files import Files, Unreadable, opened
from pwscup.archives.codabench.notes import BundleRefused, Note, Notes
from pwscup.archives.codabench.pages import clean
from pwscup.archives.codabench.parts.base import Reading, named
from pwscup.archives.codabench.parts.leaderboards import read_leaderboard
from pwscup.archives.codabench.parts.phases import read_phases
from pwscup.archives.codabench.parts.tasks import read_program, used_tasks
from pwscup.archives.codabench.parts.texts import read_texts
from pwscup.archives.codabench.sections import Section
from pwscup.archives.codabench.yaml_text import MAX_BYTES, parsed

COMPETITION_KEYS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("image", ("image",)),
    ("docker", ("docker_image", "competition_docker_image")),
    ("contact", ("contact_email",)),
    ("reward", ("reward",)),
    ("queue", ("queue",)),
    ("fact_sheet", ("fact_sheet",)),
    ("admins", ("admin_names", "admins", "collaborators")),
)
"""Codes of notes on keys that have any value."""
SHOWN = ("docker", "reward")
"""Those whose values are shown: an address, for example, is not even kept."""
COMPETITION_FLAGS: tuple[tuple[str, str, bool], ...] = (
    ("programs_available", "make_programs_available", True),
    ("input_available", "make_input_data_available", True),
    ("detailed", "enable_detailed_results", True),
    ("manual_run", "auto_run_submissions", False),
    ("public_submissions", "can_participants_make_submissions_public", True),
    ("forum", "forum_enabled", True),
)
"""Codes of notes on keys of that value, where they are given."""
IGNORED = (
    "version",
    "competition_type",
    "show_detailed_results_in_submission_panel",
    "show_detailed_results_in_leaderboard",
    "force_submission_to_leaderboard",
    "disallow_leaderboard_modifying",
    "end_date",
)
"""Keys that are read elsewhere, or say nothing by themselves."""


def read_bundle(source: Path | IO[bytes], name: str = "bundle.zip") -> Competition:
    """The competition of a bundle of Codabench, or of CodaLab 1.5.

    Parameters
    ----------
    source : path or binary file
        A zip archive. Only competition.yaml, pages and programs are unpacked, and nothing of it is run.
    name : str
        The name of the bundle in problems.

    Raises
    ------
    BundleRefused
        All that is wrong with it.
    """
    with opened(source, name) as files:
        problems, left_out = Notes(), Notes()
        top = Section(_content(files, left_out), "", problems, left_out)
        return _competition(Reading(files, top, _is_old(top, problems), problems, left_out))


def _content(files: Files, left_out: Notes) -> dict[object, object]:
    """The keys of competition.yaml."""
    where = files.yaml_path
    try:
        data = files.read(where, MAX_BYTES)
    except Unreadable as error:
        params = {"expected": f"{MAX_BYTES // 1024} KiB", "got": where}
        is_large = files.entries[where].declared_bytes > MAX_BYTES
        code = "file_too_large" if is_large else "unreadable"
        raise BundleRefused([Note(code, where, params)]) from error
    content = parsed(data, where, left_out)
    if not isinstance(content, dict):
        params = {"expected": "section", "got": clean(str(content))[:80]}
        raise BundleRefused([Note("wrong", where, params)])
    return content


def _is_old(top: Section, problems: Notes) -> bool:
    """The bundle has the format of CodaLab 1.5, in which phases have numbers for names."""
    version, phases = top.get("version"), top.get("phases")
    if version is None:
        return isinstance(phases, dict)
    number = str(version).strip()
    if number not in ("1", "1.0", "1.5", "1.8", "2", "2.0"):
        problems.add("version", "version", expected="version", got=version)
    return number.startswith("1")


def _competition(reading: Reading) -> Competition:
    """All of it; the problems are raised together."""
    top = reading.top
    top.called(*IGNORED)
    if reading.is_old:
        reading.left_out.add("version_15", "version")
    title = top.text("title", is_needed=True)
    description = top.text("description")
    terms, pages = read_texts(reading)
    phases, sections = read_phases(reading)
    used = sections if reading.is_old else used_tasks(reading, sections)
    leaderboard = read_leaderboard(reading)
    program = read_program(reading, used)
    _other_keys(reading)
    reading.problems.refuse_if_any()
    return Competition(
        title=title,
        description=description,
        terms=terms,
        pages=pages,
        phases=phases,
        leaderboard=leaderboard,
        program=program,
        left_out=tuple(reading.left_out.found),
    )


def _other_keys(reading: Reading) -> None:
    top = reading.top
    for code, names in COMPETITION_KEYS:
        if value := top.get(*names):
            shown = {"got": named(value)} if code in SHOWN else {}
            reading.left_out.add(code, top.called(*names), **shown)
    for code, name, noted in COMPETITION_FLAGS:
        if top.get(name) is not None and top.flag(name) is noted:
            reading.left_out.add(code, name)
    if top.text("competition_type") == "benchmark":
        reading.left_out.add("benchmark", "competition_type")
    _note_registration(reading)
    if solutions := top.get("solutions"):
        n = len(solutions) if isinstance(solutions, list) else 1
        reading.left_out.add("solutions", "solutions", got=n)
    top.called("terms", "html", "tasks", "pages")
    reading.note_unknown(top)


def _note_registration(reading: Reading) -> None:
    """Each registration is approved unless the bundle says otherwise."""
    top = reading.top
    if reading.is_old:
        is_asked, key = top.flag("has_registration", default=True), "has_registration"
    else:
        is_asked, key = not top.flag("registration_auto_approve"), "registration_auto_approve"
    top.called("has_registration", "registration_auto_approve")
    if is_asked:
        reading.left_out.add("registration", key)
