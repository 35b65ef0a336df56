"""Reading a bundle: the zip archive becomes a `Competition`, with notes on all that no contest has a place for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import IO

from pwscup.archives.codabench.description import (
    Column,
    Competition,
    Leaderboard,
    Page,
    Phase,
    Program,
)
from pwscup.archives.codabench.files import Files, Folder, Unreadable, opened, plain_path
from pwscup.archives.codabench.notes import BundleRefused, Note, Notes
from pwscup.archives.codabench.pages import clean, is_html, text_of_html
from pwscup.archives.codabench.sections import Section
from pwscup.archives.codabench.yaml_text import MAX_BYTES, parsed

MOST_PHASES, MOST_PAGES, MOST_TASKS, MOST_BOARDS, MOST_COLUMNS = 20, 30, 100, 20, 50
DEFAULT_PER_DAY, DEFAULT_IN_ALL, DEFAULT_SECONDS = 5, 100, 600
"""Limits where a bundle says nothing, as Codabench sets them."""
DEFAULT_PRECISION = 2
DIRECTIONS = {"asc": "lower", "desc": "higher"}
KEY = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
"""A thing that is stored at Codabench and not in the bundle."""
MAX_COMMAND = 500
NEVER = datetime(2000, 1, 1, tzinfo=UTC)
"""Stands for a time that is missing."""
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
        return _Reader(files).competition()


class _Reader:
    """Reads one bundle; collects problems and what is left out."""

    def __init__(self, files: Files) -> None:
        self.files, self.problems, self.left_out = files, Notes(), Notes()
        try:
            data = files.read(files.yaml_path, MAX_BYTES)
        except Unreadable as error:
            where = files.yaml_path
            params = {"expected": f"{MAX_BYTES // 1024} KiB", "got": where}
            is_large = files.entries[where].declared_bytes > MAX_BYTES
            code = "file_too_large" if is_large else "unreadable"
            raise BundleRefused([Note(code, where, params)]) from error
        content = parsed(data, files.yaml_path)
        if not isinstance(content, dict):
            params = {"expected": "section", "got": clean(str(content))[:80]}
            raise BundleRefused([Note("wrong", files.yaml_path, params)])
        self.top = Section(content, "", self.problems)
        self.is_old = self._is_old()

    def _is_old(self) -> bool:
        """The bundle has the format of CodaLab 1.5, in which phases have numbers for names."""
        version, phases = self.top.get("version"), self.top.get("phases")
        if version is None:
            return isinstance(phases, dict)
        number = str(version).strip()
        if number not in ("1", "1.0", "1.5", "1.8", "2", "2.0"):
            self.problems.add("version", "version", expected="version", got=version)
        return number.startswith("1")

    def competition(self) -> Competition:
        """All of it; the problems are raised together."""
        top = self.top
        top.called(*IGNORED)
        if self.is_old:
            self.left_out.add("version_15", "version")
        title = top.text("title", is_needed=True)
        description = top.text("description")
        terms, pages = self._texts()
        phases, used = self._phases()
        leaderboard = self._leaderboard()
        program = self._program(used)
        self._other_keys()
        self.problems.refuse_if_any()
        return Competition(
            title=title,
            description=description,
            terms=terms,
            pages=pages,
            phases=phases,
            leaderboard=leaderboard,
            program=program,
            left_out=tuple(self.left_out.found),
        )

    # Texts

    def _texts(self) -> tuple[str, tuple[Page, ...]]:
        """The terms and the pages."""
        if self.is_old:
            listed = self.top.section("html", "pages")
            paths = listed.values if listed else {}
            named = [
                (clean(title)[:100], f"html.{clean(title)[:60]}", path)
                for title, path in paths.items()
            ]
            terms = next(((where, path) for title, where, path in named if title == "terms"), None)
            named = [one for one in named if one[0] != "terms"]
        else:
            named = [
                (page.text("title", is_needed=True)[:100], page.where("file"), page.get("file"))
                for page in self.top.sections("pages", most=MOST_PAGES)
            ]
            path = self.top.get("terms")
            terms = None if path is None else ("terms", path)
        if len(named) > MOST_PAGES:
            self.problems.add("too_many", "html", expected=MOST_PAGES, got=len(named))
            named = []
        pages = [self._page(*one) for one in named]
        return self._terms(terms), tuple(page for page in pages if page is not None)

    def _terms(self, named: tuple[str, object] | None) -> str:
        if named is None:
            self.left_out.add("no_terms", "terms")
            return ""
        where, path = named
        plain = self._path(where, path)
        if plain is None:
            return ""
        text = self._text(plain)
        if text is None:
            self.left_out.add("terms_unreadable", where, got=plain)
        elif is_html(plain):
            self.left_out.add("terms_html", where)
        return text or ""

    def _page(self, title: str, where: str, path: object) -> Page | None:
        plain = self._path(where, path)
        if plain is None:
            return None
        text = self._text(plain)
        if not text:
            code = "page_unreadable" if text is None else "page_empty"
            self.left_out.add(code, where, got=title)
            return None
        if is_html(plain):
            self.left_out.add("page_html", where, got=title)
        return Page(title or plain, plain, text)

    def _path(self, where: str, path: object) -> str | None:
        """The path of a file that the bundle has; None where a problem was noted."""
        if not isinstance(path, str) or not path.strip():
            code = "missing" if path is None else "wrong"
            self.problems.add(code, where, expected="file", got=path)
            return None
        plain = plain_path(path.strip())
        if plain is None or plain not in self.files:
            self.problems.add("no_file", where, got=clean(path))
            return None
        return plain

    def _text(self, path: str) -> str | None:
        """A page as plain text; None where it cannot be read."""
        try:
            text = self.files.read(path).decode("utf-8-sig")
        except (Unreadable, UnicodeDecodeError):
            return None
        return clean(text_of_html(text) if is_html(path) else text)

    # Phases

    def _phases(self) -> tuple[tuple[Phase, ...], list[Section]]:
        """The phases in order, and of each the sections that name its data and programs."""
        sections = self.top.sections("phases", most=MOST_PHASES)
        if not sections and "phases" not in {note.where for note in self.problems.found}:
            code = "missing" if self.top.get("phases") is None else "none"
            self.problems.add(code, "phases", expected="sections")
        order = {
            id(section): section.whole("index", "phasenumber", default=0) or 0
            for section in sections
        }
        sections = self._without_parents(sorted(sections, key=lambda section: order[id(section)]))
        phases = [self._phase(section) for section in sections]
        found = [phase for phase in phases if phase is not None]
        if self.is_old and len(found) == len(phases):
            found = self._with_ends(found)
        self._check_order(sections, phases)
        used = sections if self.is_old else self._tasks(sections)
        return tuple(found), used

    def _without_parents(self, sections: list[Section]) -> list[Section]:
        """CodaLab 1.8 has a phase above phases that run at the same time."""
        parents = [s for s in sections if s.flag("is_parallel_parent")]
        for section in sections:
            section.called("parent_phasenumber")
        for parent in parents:
            self.left_out.add("parallel", parent.path)
        return [section for section in sections if section not in parents]

    def _phase(self, section: Section) -> Phase | None:
        name = section.text("name", "label", is_needed=True)
        starts_at = section.time("start", "start_date", is_needed=True)
        ends_at = section.time("end")
        phase = Phase(
            name=name[:100],
            description=section.text("description")[:4000],
            starts_at=starts_at or NEVER,
            ends_at=ends_at,
            per_day=section.whole("max_submissions_per_day", default=DEFAULT_PER_DAY) or None,
            in_all=section.whole(
                "max_submissions", "max_submissions_per_person", default=DEFAULT_IN_ALL
            )
            or None,
            seconds=self._seconds(section),
        )
        self._other_keys_of_phase(section)
        return None if starts_at is None else phase

    def _seconds(self, section: Section) -> int:
        if section.get("execution_time_limit") is None:
            milliseconds = section.whole("execution_time_limit_ms") or 0
            return milliseconds // 1000 or DEFAULT_SECONDS
        return section.whole("execution_time_limit") or DEFAULT_SECONDS

    def _with_ends(self, phases: list[Phase]) -> list[Phase]:
        """In CodaLab 1.5 a phase ends when the next one begins, and the last one with the competition."""
        ends = [*(phase.starts_at for phase in phases), self.top.time("end_date")][1:]
        return [replace(phase, ends_at=end) for phase, end in zip(phases, ends, strict=True)]

    def _check_order(self, sections: list[Section], phases: list[Phase | None]) -> None:
        read = [(s, p) for s, p in zip(sections, phases, strict=True) if p is not None]
        for section, phase in read:
            if phase.ends_at is not None and phase.ends_at <= phase.starts_at:
                times = {"expected": _shown(phase.starts_at), "got": _shown(phase.ends_at)}
                self.problems.add("phase_backwards", section.where("end"), **times)
        for (earlier, phase), (later, following) in pairwise(read):
            start = later.where(later.called("start", "start_date"))
            if self.is_old:
                if following.starts_at <= phase.starts_at:
                    times = {
                        "expected": _shown(phase.starts_at),
                        "got": _shown(following.starts_at),
                    }
                    self.problems.add("phase_overlaps", start, **times)
            elif phase.ends_at is None:
                self.problems.add("phase_endless", earlier.where("end"))
            elif following.starts_at < phase.ends_at:
                times = {"expected": _shown(phase.ends_at), "got": _shown(following.starts_at)}
                self.problems.add("phase_overlaps", start, **times)

    def _other_keys_of_phase(self, section: Section) -> None:
        section.called(
            "color", "status", "is_final_phase", "has_max_submissions", "tasks", "solutions"
        )
        for code, names in (
            ("starting_kit", ("starting_kit",)),
            ("public_data", ("public_data", "datasets", "files")),
        ):
            if value := section.get(*names):
                self.left_out.add(code, section.where(section.called(*names)), got=_named(value))
        for code, *names in (
            ("migration", "auto_migrate_to_this_phase", "auto_migration"),
            ("hidden_output", "hide_output"),
            ("hidden_output", "hide_prediction_output"),
            ("hidden_output", "hide_score_output"),
            ("only_results", "accepts_only_result_submissions"),
        ):
            if section.flag(*names):
                self.left_out.add(code, section.where(section.called(*names)))
        if self.is_old:
            section.called(*TASK_FILES, "ingestion_program_only_during_scoring")
        self._note_unknown(section)

    # Tasks and programs

    def _tasks(self, phases: Iterable[Section]) -> list[Section]:
        """The tasks that phases name, in that order; all of them where they name none."""
        tasks = self.top.sections("tasks", most=MOST_TASKS)
        by_index: dict[str, Section] = {}
        for n, task in enumerate(tasks):
            task.called(
                "name", "description", "is_public", "ingestion_only_during_scoring", *TASK_FILES
            )
            index = task.whole("index", default=n)
            if str(index) in by_index:
                self.problems.add("twice", task.where("index"), got=index)
            by_index.setdefault(str(index), task)
            if (key := task.text("key")) and not any(task.get(kind) for kind in TASK_FILES):
                self.left_out.add("task_key", task.where("key"), got=key)
            self._note_unknown(task)
        used: dict[str, Section] = {}
        for phase in phases:
            indexes = phase.indexes("tasks")
            if not indexes:
                self.left_out.add("no_tasks", phase.path)
            for index in indexes:
                if index in by_index:
                    used[index] = by_index[index]
                elif tasks:
                    self.problems.add("wrong", phase.where("tasks"), expected="task", got=index)
        return list(used.values()) or tasks

    def _program(self, used: list[Section]) -> Program | None:
        """The scoring program of the first task; others, and data, are noted."""
        found: Program | None = None
        for task in used:
            for code in ("reference_data", "input_data"):
                if value := task.text(code):
                    self.left_out.add(code, task.where(code), got=value)
            if value := task.text("ingestion_program"):
                self.left_out.add("code", task.where("ingestion_program"), got=value)
            path = task.text("scoring_program")
            if not path:
                continue
            where = task.where("scoring_program")
            program = self._read_program(where, path)
            if program is not None and found is None:
                found = program
            elif program is not None and found is not None and program.sha256 != found.sha256:
                self.left_out.add("other_program", where, got=path)
        if len(used) > 1:
            names = [task.text("name", "label") or task.path for task in used[1:]]
            self.left_out.add("tasks", "tasks", got=", ".join(names))
        return found

    def _read_program(self, where: str, path: str) -> Program | None:
        plain = plain_path(path)
        try:
            folder = None if plain is None else self.files.program(plain)
        except Unreadable:
            self.problems.add("unreadable", where, got=path)
            return None
        if folder is None:
            if KEY.fullmatch(path):
                self.left_out.add("program_key", where, got=path)
            else:
                self.problems.add("no_file", where, got=path)
            return None
        command = self._command(folder, where)
        return Program(plain or path, command, folder.names, folder.sha256)

    def _command(self, folder: Folder, where: str) -> str:
        """The command of a program's metadata; empty where it has none."""
        try:
            content = None if folder.metadata is None else parsed(folder.metadata, where)
        except BundleRefused:
            content = None
        command = content.get("command") if isinstance(content, Mapping) else None
        if isinstance(command, str) and command.strip():
            return " ".join(clean(command).split())[:MAX_COMMAND]
        self.left_out.add("no_command", where)
        return ""

    # Leaderboards

    def _leaderboard(self) -> Leaderboard:
        """The first leaderboard, which Codabench shows for all phases."""
        boards = self._old_boards() if self.is_old else self._boards()
        if not boards:
            if not {note.where.split("[")[0] for note in self.problems.found} & {"leaderboards"}:
                self.problems.add("missing", "leaderboards", expected="sections")
            return Leaderboard("", "", ())
        (first, columns), *others = boards
        for board, _columns in others:
            self.left_out.add("leaderboards", board.path, got=board.text("title", "label"))
        is_hidden = first.flag("hidden")
        if is_hidden:
            self.left_out.add("hidden_board", first.where("hidden"))
        rule = first.text("submission_rule")
        title = first.text("title", "label")
        first.called("key", "index", "primary_index", "rank", "id")
        self._note_unknown(first)
        read = [self._column(column, is_hidden=is_hidden) for column in columns]
        found = [column for column in read if column is not None]
        if not found and not self.problems.found:
            self.problems.add("no_column", first.where("columns"))
        self._check_keys(columns, found)
        return Leaderboard(title[:100], rule, tuple(found))

    def _boards(self) -> list[tuple[Section, list[Section]]]:
        boards = self.top.sections("leaderboards", "leaderboard", most=MOST_BOARDS)
        found = []
        for n, board in enumerate(boards):
            columns = board.sections("columns", most=MOST_COLUMNS)
            if n == 0 and not columns and board.get("columns") is None:
                self.problems.add("missing", board.where("columns"), expected="sections")
            order = {id(c): c.whole("index", default=at) or 0 for at, c in enumerate(columns)}
            found.append((board, sorted(columns, key=lambda c: order[id(c)])))
        return found

    def _old_boards(self) -> list[tuple[Section, list[Section]]]:
        """In CodaLab 1.5 boards and columns stand next to each other, and a column repeats its board."""
        whole = self.top.section("leaderboard")
        if whole is None:
            return []
        boards = whole.sections("leaderboards", most=MOST_BOARDS)
        columns = whole.sections("columns", most=MOST_COLUMNS)
        order = {id(c): c.whole("rank", default=1) or 0 for c in columns}
        columns.sort(key=lambda c: order[id(c)])
        by_label: dict[str, list[Section]] = {}
        for column in columns:
            board = column.section("leaderboard")
            label = board.text("label").lower() if board else ""
            by_label.setdefault(label, []).append(column)
        return [
            (board, by_label.get(board.text("label").lower()) or by_label.get("", []))
            for board in boards
        ]

    def _column(self, section: Section, *, is_hidden: bool) -> Column | None:
        """A column that the program writes; None for one that is computed of others."""
        old_key = section.path.rpartition(".")[2] if self.is_old else ""
        title = section.text("title", "label") or old_key
        key = old_key or section.text("key", is_needed=True)
        computed = section.get("computation", "computed")
        section.called(
            "computation_indexes", "column_group", "index", "rank", "leaderboard", "id", "key"
        )
        sorting = (section.text("sorting", "sort") or "desc").lower()
        if sorting not in DIRECTIONS:
            section.wrong(section.called("sorting", "sort"), "sorting", sorting)
        precision = section.whole("precision", "numeric_format", default=DEFAULT_PRECISION)
        hidden = section.flag("hidden") or is_hidden
        self._note_unknown(section)
        if computed:
            self.left_out.add("computation", section.path, got=title or key)
            return None
        direction = DIRECTIONS.get(sorting, "higher")
        precision = DEFAULT_PRECISION if precision is None else precision
        return Column(key, (title or key)[:100], direction, precision, hidden)

    def _check_keys(self, sections: list[Section], columns: list[Column]) -> None:
        seen: set[str] = set()
        for column in columns:
            if column.key and column.key in seen:
                where = sections[0].path.rpartition("[")[0] or sections[0].path
                self.problems.add("twice", where, got=column.key)
            seen.add(column.key)

    # Everything else

    def _other_keys(self) -> None:
        top = self.top
        for code, names in COMPETITION_KEYS:
            if value := top.get(*names):
                shown = {"got": _named(value)} if code in SHOWN else {}
                self.left_out.add(code, top.called(*names), **shown)
        for code, name, noted in COMPETITION_FLAGS:
            if top.get(name) is not None and top.flag(name) is noted:
                self.left_out.add(code, name)
        if top.text("competition_type") == "benchmark":
            self.left_out.add("benchmark", "competition_type")
        self._note_registration()
        if solutions := top.get("solutions"):
            n = len(solutions) if isinstance(solutions, list) else 1
            self.left_out.add("solutions", "solutions", got=n)
        top.called("terms", "html", "tasks", "pages")
        self._note_unknown(top)

    def _note_registration(self) -> None:
        """Each registration is approved unless the bundle says otherwise."""
        top = self.top
        if self.is_old:
            is_asked, key = top.flag("has_registration", default=True), "has_registration"
        else:
            is_asked, key = not top.flag("registration_auto_approve"), "registration_auto_approve"
        top.called("has_registration", "registration_auto_approve")
        if is_asked:
            self.left_out.add("registration", key)

    def _note_unknown(self, section: Section) -> None:
        for key in section.unknown:
            shown = clean(key)[:60]
            self.left_out.add("unknown", section.where(shown), key=shown)


TASK_FILES = ("scoring_program", "reference_data", "input_data", "ingestion_program")


def _named(value: object) -> str:
    """A value of any type in a note."""
    if isinstance(value, dict | list):
        return ", ".join(clean(str(key))[:30] for key in value)
    return clean(str(value))


def _shown(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M} UTC"
