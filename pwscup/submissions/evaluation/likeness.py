# SPDX-License-Identifier: Apache-2.0
"""Likeness of what teams submitted in a round that is over: files, originals and results, opened on the record."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pwscup.contests import truth
from pwscup.contests.models import Dataset
from pwscup.contests.selectors import dataset_of
from pwscup.submissions import selectors
from pwscup.submissions.models import Submission
from scoring.audits.likeness import alike, changes, lines_of, passed_on, shared_records
from scoring.rulesets.submitted import has_rows
from scoring.tables.schema import SOURCE_ROW

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pwscup.contests.models import Round
    from pwscup.core.models import StoredFile
    from scoring.audits.likeness import Likeness, Line

EQUAL, TABLES, ANSWERS, RECORDS, PASSED_ON = "equal", "tables", "answers", "records", "passed on"
ALL = 10**9


@dataclass(frozen=True, slots=True)
class Found:
    """Teams, by their keys, whose files are alike in one way; `likeness` is None where they are equal."""

    how: str
    teams: tuple[int, ...]
    likeness: Likeness | None = None


def compared(round: Round) -> list[Found]:
    """The likenesses in a round: of tables with each other and with originals, or of answers."""
    counting, reason = _counting(round), f"likeness in {round.key}"
    if round.format.is_judged:
        return _equal(counting)
    files, datasets = [entry.file for one in counting for entry in one.files.all()], []
    if round.format.is_attacked:
        originals = Dataset.objects.filter(contest=round.contest_id, key__startswith="original")
        datasets = list(originals.select_related("sealed"))
        files += [dataset.sealed for dataset in datasets]
    with truth.on_record(files, reason=reason, contest=round.contest, subject=round.key):
        if round.format.is_attacked:
            return _equal(counting) + _tables(round, counting, datasets, reason)
        return _equal(counting) + _answers(counting, reason)


def _counting(round: Round) -> list[Submission]:
    """The counting tables, or the latest scored guess of each team about each target."""
    if not round.format.has_targets:
        return list(selectors.counted_submissions(round).values())
    scored = selectors.standing(Submission.objects.filter(round=round))
    scored = scored.select_related("team").prefetch_related("files__file", "evaluations")
    latest = {(s.team_id, s.target_id): s for s in scored.order_by(*selectors.OLDEST_FIRST)}
    return list(latest.values())


def _equal(counting: Iterable[Submission]) -> list[Found]:
    """Teams with equal files, by their SHA-256; the platform's own teams are bots of public methods."""
    groups: defaultdict[Any, dict[int, bool]] = defaultdict(dict)
    for one in counting:
        digests = tuple(sorted((file.key, file.file.sha256) for file in one.files.all()))
        groups[one.target_id, one.original, digests][one.team_id] = one.team.is_house
    teams = {tuple(sorted(group)): group for group in groups.values() if len(group) > 1}
    return [Found(EQUAL, pair) for pair, group in teams.items() if not any(group.values())]


def _read(
    file: StoredFile, reason: str, contest_id: int, most: int = 2_000
) -> tuple[Line, list[Line]]:
    return lines_of(truth.read_sealed(file, reason=reason, contest_id=contest_id), most)


def _split(
    counting: Iterable[Submission], cells: dict[int, Any]
) -> tuple[dict[int, Any], list[Any]]:
    """What teams have, and what the platform's own have: public methods."""
    house = {one.team_id for one in counting if one.team.is_house}
    return {k: v for k, v in cells.items() if k not in house}, [cells[k] for k in house & {*cells}]


def _answers(counting: list[Submission], reason: str) -> list[Found]:
    """All answers of two attackers, over all targets: of those with a known result, the wrong ones."""
    cells: dict[int, dict[Any, str]] = defaultdict(dict)
    for one in counting:
        rights = [e.right for e in one.evaluations.all() if e.holds and e.right]
        units = truth.right_units(rights[-1]).tolist() if rights else []
        for file in one.files.all():
            _header, lines = _read(file.file, reason, one.round.contest_id)
            for row, line in enumerate(lines):
                if len(units) != len(lines) or not units[row]:
                    cells[one.team_id] |= {
                        ((file.key, c), one.target_id, row): cell for c, cell in enumerate(line)
                    }
    found = alike(*_split(counting, cells))
    return [Found(ANSWERS, pair, likeness) for pair, likeness in found.items()]


def _tables(
    round: Round, counting: list[Submission], datasets: list[Dataset], reason: str
) -> list[Found]:
    names = dataset_of(round.contest).schema.public().names
    tables = {one.team_id: _table(one, names, reason) for one in counting}
    own: defaultdict[int, list[Line]] = defaultdict(list)
    everybody: list[Line] = []
    for dataset in datasets:
        header, lines = _read(dataset.sealed, reason, round.contest_id, ALL)
        (own[dataset.team_id] if dataset.team_id else everybody).extend(_only(names, header, lines))
    teams, public = _split(counting, tables)
    plain = {team: list(table.values()) for team, table in teams.items()}
    if own:
        once = [line for line, n in Counter(everybody).items() if n == 1]
        had = {team: plain[team] for team in plain if team in own}
        found = [Found(PASSED_ON, pair, one) for pair, one in passed_on(had, own, once).items()]
    elif has_rows(round.contest.ruleset):
        changed = {team: changes(table, everybody) for team, table in teams.items()}
        usual = [changes(table, everybody) for table in public]
        return [Found(TABLES, pair, one) for pair, one in alike(changed, usual).items()]
    else:
        found = []
    known = {*everybody, *(line for table in public for line in table.values())}
    return found + [Found(RECORDS, pair, one) for pair, one in shared_records(plain, known).items()]


def _table(one: Submission, names: tuple[str, ...], reason: str) -> dict[int, Line]:
    """The records of a submission by the row that they were made from, or by their line."""
    files = {entry.key: entry.file for entry in one.files.all()}
    first = next(spec.key for spec in one.round.spec.files if spec.key in files)
    header, lines = _read(files[first], reason, one.round.contest_id)
    rows: list[int] = list(range(len(lines)))
    if SOURCE_ROW in header:
        rows = [int(line[header.index(SOURCE_ROW)]) - 1 for line in lines]
    elif "rows" in files:
        _none, numbers = _read(files["rows"], reason, one.round.contest_id)
        rows = [int(line[0]) - 1 for line in numbers]
    return dict(zip(rows, _only(names, header, lines), strict=False))


def _only(names: tuple[str, ...], header: Line, lines: list[Line]) -> list[Line]:
    """Lines with the cells of these columns, in this order; those that a file lacks are blank."""
    places = [header.index(name) if name in header else len(header) for name in names]
    return [
        tuple((*line, "")[place] if place < len(line) else "" for place in places) for line in lines
    ]
