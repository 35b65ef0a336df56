# SPDX-License-Identifier: Apache-2.0
"""Consistency of the parts of an archive: rules and rounds, columns, files, the secret."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from pwscup.archives import layout
from pwscup.archives.problems import ArchiveRefused
from pwscup.archives.reading import rows as reading
from pwscup.archives.reading.rows import CORRUPT, Reader
from pwscup.archives.row_texts import Row
from pwscup.contests.branding.pictures import PictureRefused, measured
from pwscup.contests.models import Material
from pwscup.contests.services.branding import MOST_SPONSORS
from pwscup.formats import ROUNDS
from scoring.proof.commitments import commitment
from scoring.rulesets import Ruleset
from scoring.rulesets.loader import parse_archived
from scoring.tables.schema import Schema

PICTURES = (("branding", 1, ("logo", "picture")), ("sponsors", MOST_SPONSORS, ("logo",)))
"""The sheets with pictures, their largest number of rows, and their columns of pictures."""
MAX_STANDINGS_BYTES = 128 * 1024 * 1024
MAX_PICTURE_BYTES = 32 * 1024 * 1024
"""More than any picture takes that is written again: PNG files grow."""


def check_sense(reader: Reader) -> None:
    """Checks across rows that are valid by themselves."""
    rules = _holding_rules(reader)
    _check_rounds(reader, rules)
    _check_answers(reader, rules)
    _check_materials(reader)
    _check_schema(reader)
    _check_files(reader)
    _check_pictures(reader)
    _check_standings(reader)


def _holding_rules(reader: Reader) -> Ruleset:
    """The current version, after all versions were read."""
    held = str(holding(reader))
    if held not in reader.keys["rules"]:
        where = {"entry": layout.CONTEST, "row": 1, "column": "rules"}
        raise ArchiveRefused("dangling", **where, expected="rules", got=held)
    versions = {
        str(row["number"]): _rules(reader, row)
        for row in reading.rows(reader, layout.BY_NAME["rules"])
    }
    return versions[held]


def _rules(reader: Reader, row: Row) -> Ruleset:
    entry = f"rules/{row['number']}.toml"
    if entry not in reader.checked.files:
        raise ArchiveRefused("missing", entry=entry)
    try:
        rules = parse_archived(reader.text(entry))
    except CORRUPT as error:
        raise ArchiveRefused("rules", entry=entry, got=error) from error
    if rules.digest != row["digest"]:
        raise ArchiveRefused("digest", entry=entry, expected=row["digest"], got=rules.digest)
    return rules


def holding(reader: Reader) -> int | str:
    """The number of the contest's current rules."""
    contest = reader.document.get("contest")
    return contest.get("rules", "") if isinstance(contest, dict) else ""


def _check_rounds(reader: Reader, rules: Ruleset) -> None:
    kinds = {spec.key: spec.kind for spec in rules.rounds}
    for row in reading.rows(reader, layout.BY_NAME["rounds"]):
        if kinds.get(row["key"]) != row["kind"]:
            raise ArchiveRefused("round", entry=layout.CONTEST, got=row["key"])
    for key in kinds:
        if key not in reader.keys["rounds"]:
            raise ArchiveRefused("rounds", entry=layout.CONTEST, expected=key)
    attacks = {spec.key for spec in rules.rounds if ROUNDS[spec.kind].has_targets}
    for row in reading.rows(reader, layout.BY_NAME["submissions"]):
        if (row["target"] is not None) != (row["round"] in attacks):
            raise ArchiveRefused("row", entry="submissions.csv", row=row["n"])


def _check_answers(reader: Reader, rules: Ruleset) -> None:
    """Answers and releases belong to rounds of their kind, and a team's spending adds up."""
    kinds = {spec.key: spec.kind for spec in rules.rounds}
    for row in reading.rows(reader, layout.BY_NAME["batches"]):
        if not ROUNDS[kinds[row["round"]]].is_release:
            raise ArchiveRefused("row", entry="batches.csv", row=row["n"])
    spent: dict[tuple[Any, Any], tuple[int, int]] = {}
    for row in reading.rows(reader, layout.BY_NAME["answers"]):
        ledger = row["team"], row["round"]
        number, before = spent.get(ledger, (0, 0))
        spent[ledger] = row["number"], row["spent"]
        adds_up = spent[ledger] == (number + 1, before + row["cost"])
        if not (adds_up and ROUNDS[kinds[row["round"]]].is_asked):
            raise ArchiveRefused("row", entry="answers.json", row=row["n"])


def _check_materials(reader: Reader) -> None:
    """A contest has one file of hierarchies at most."""
    n_hierarchies = 0
    for row in reading.rows(reader, layout.BY_NAME["materials"]):
        n_hierarchies += row["kind"] == Material.Kind.HIERARCHIES
        if n_hierarchies > 1:
            raise ArchiveRefused("row", entry="materials.csv", row=row["n"])


def _check_schema(reader: Reader) -> None:
    if not reader.keys["tables"]:
        return
    if layout.SCHEMA not in reader.checked.files:
        raise ArchiveRefused("missing", entry=layout.SCHEMA)
    try:
        Schema.from_toml(reader.text(layout.SCHEMA)).public()
    except CORRUPT as error:
        raise ArchiveRefused("rules", entry=layout.SCHEMA, got=error) from error


def _check_files(reader: Reader) -> None:
    """Every file that was not deleted has its bytes, and the secret matches the commitment."""
    contest = next(reading.rows(reader, layout.CONTEST_SHEET))
    for row in reading.rows(reader, layout.FILES):
        if row["erased_at"] is not None:
            continue
        name = f"files/{row['sha256']}"
        entry = reader.checked.entries.get(name)
        if entry is None:
            raise ArchiveRefused("missing", entry=name)
        if entry.sha256 != row["sha256"]:
            raise ArchiveRefused("hash", entry=name, expected=row["sha256"], got=entry.sha256)
        if entry.size_bytes != row["size_bytes"]:
            raise ArchiveRefused(
                "size", entry=name, expected=row["size_bytes"], got=entry.size_bytes
            )
        if contest["secret"] == row["n"] and not _is_secret(reader, name, contest["commitment"]):
            raise ArchiveRefused("secret", entry=layout.CONTEST)


def _check_pictures(reader: Reader) -> None:
    """There is one row of the appearance at most, few sponsors, and each picture is a file of its own."""
    files, seen = {row["n"]: row for row in reading.rows(reader, layout.FILES)}, set()
    for name, most, columns in PICTURES:
        sheet = layout.BY_NAME[name]
        for n, row in enumerate(reading.rows(reader, sheet), start=1):
            if n > most:
                raise ArchiveRefused("row", entry=sheet.entry, row=n)
            for column in columns:
                key, size = row[column], (row[f"{column}_width"], row[f"{column}_height"])
                if key in seen or not _is_picture(reader, files.get(key), size):
                    where = {"entry": sheet.entry, "row": n, "column": column}
                    raise ArchiveRefused("value", **where, got=key or "")
                seen |= {key} - {None}


def _is_picture(reader: Reader, file: Row | None, size: tuple[int, int]) -> bool:
    """A picture named by its format, of this size; or no file, without a size."""
    if file is None or file["erased_at"] is not None:
        return file is not None or size == (0, 0)
    entry = f"files/{file['sha256']}"
    if reader.checked.entries[entry].size_bytes > MAX_PICTURE_BYTES:
        return False
    try:
        suffix, *found = measured(reader.read(entry))
    except PictureRefused:
        return False
    return file["name"].endswith(f".{suffix}") and tuple(found) == size


def _is_secret(reader: Reader, entry: str, committed: str) -> bool:
    try:
        return commitment(bytes.fromhex(reader.text(entry))) == committed
    except ValueError:
        return False


def _check_standings(reader: Reader) -> None:
    try:
        if reader.checked.entries[layout.STANDINGS].size_bytes > MAX_STANDINGS_BYTES:
            raise ValueError(f"more than {MAX_STANDINGS_BYTES} bytes")
        reader.standings = document = json.loads(reader.read(layout.STANDINGS))
        moment = datetime.fromisoformat(document["as_of"])
        is_right = moment.tzinfo is not None and all(map(_is_variant, document["boards"]))
    except (*CORRUPT, KeyError, TypeError):
        is_right = False
    if not is_right:
        raise ArchiveRefused("unreadable", entry=layout.STANDINGS, got=layout.STANDINGS)


def _is_variant(variant: Any) -> bool:
    return (
        isinstance(variant["stage"], str)
        and isinstance(variant["division"], str)
        and all(_is_section(section) for section in variant["boards"].values())
    )


def _is_section(section: Any) -> bool:
    """The compared part of a board: the rows with a team."""
    rows = section.get("rows", []) if isinstance(section, dict) else []
    return all(isinstance(row["name"], str) and "rank" in row for row in rows)
