"""Whether the parts of an archive make one contest: rules and rounds, columns, files, the secret."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from pwscup.archives import layout
from pwscup.archives.problems import Findings
from pwscup.archives.reading import rows as reading
from pwscup.archives.reading.rows import CORRUPT, Reader
from pwscup.archives.reading.values import WrongValue
from scoring.errors import ProblemsFound
from scoring.proof.commitments import commitment
from scoring.rulesets import Ruleset, parse_ruleset
from scoring.rulesets.kinds import BATCH, INTERACTIVE
from scoring.tables.schema import Schema

MAX_STANDINGS_BYTES = 128 * 1024 * 1024


def check_sense(reader: Reader, findings: Findings) -> None:
    """What no single row can tell; of rows that are right by themselves."""
    try:
        rules = _check_rules(reader, findings)
        _check_rounds(reader, rules, findings)
        _check_answers(reader, rules, findings)
        _check_schema(reader, findings)
        _check_files(reader, findings)
        _check_standings(reader, findings)
    except (WrongValue, *CORRUPT, KeyError):
        if not findings.n_total:  # otherwise a row is wrong, and told of
            raise


def _check_rules(reader: Reader, findings: Findings) -> Ruleset | None:
    """Every version, and that the one that holds is there; that one."""
    held, found = str(holding(reader)), None
    if held not in reader.keys["rules"]:
        findings.add(
            "dangling", entry=layout.CONTEST, row=1, column="rules", expected="rules", got=held
        )
    for row in reading.rows(reader, layout.BY_NAME["rules"]):
        entry = f"rules/{row['number']}.toml"
        try:
            rules = parse_ruleset(reader.text(entry))
        except KeyError:
            findings.add("missing", entry=entry)
        except ProblemsFound as problems:
            for problem in problems.problems:
                findings.add("rules", entry=entry, got=problem)
        except CORRUPT as error:
            findings.add("rules", entry=entry, got=error)
        else:
            if rules.digest != row["digest"]:
                findings.add("digest", entry=entry, expected=row["digest"], got=rules.digest)
            found = rules if str(row["number"]) == held else found
    return found


def holding(reader: Reader) -> int | str:
    """The number of the rules that the contest goes by."""
    contest = reader.document.get("contest")
    return contest.get("rules", "") if isinstance(contest, dict) else ""


def _check_rounds(reader: Reader, rules: Ruleset | None, findings: Findings) -> None:
    if rules is None:
        return
    kinds = {spec.key: spec.kind for spec in rules.rounds}
    for row in reading.rows(reader, layout.BY_NAME["rounds"]):
        if kinds.get(row["key"]) != row["kind"]:
            findings.add("round", entry=layout.CONTEST, got=row["key"])
    for key in kinds:
        if key not in reader.keys["rounds"]:
            findings.add("rounds", entry=layout.CONTEST, expected=key)
    attacks = {spec.key for spec in rules.rounds if spec.phase == "attack"}
    for row in reading.rows(reader, layout.BY_NAME["submissions"]):
        if (row["target"] is not None) != (row["round"] in attacks):
            findings.add("row", entry="submissions.csv", row=row["n"])


def _check_answers(reader: Reader, rules: Ruleset | None, findings: Findings) -> None:
    """Answers and releases stand in rounds of their kind, and what a team has spent adds up."""
    kinds = {spec.key: spec.kind for spec in rules.rounds} if rules else {}
    for row in reading.rows(reader, layout.BY_NAME["batches"]):
        if kinds.get(row["round"], BATCH) != BATCH:
            findings.add("row", entry="batches.csv", row=row["n"])
    spent: dict[tuple[Any, Any], tuple[int, int]] = {}
    for row in reading.rows(reader, layout.BY_NAME["answers"]):
        ledger = row["team"], row["round"]
        number, before = spent.get(ledger, (0, 0))
        spent[ledger] = row["number"], row["spent"]
        adds_up = spent[ledger] == (number + 1, before + row["cost"])
        if not adds_up or kinds.get(row["round"], INTERACTIVE) != INTERACTIVE:
            findings.add("row", entry="answers.json", row=row["n"])


def _check_schema(reader: Reader, findings: Findings) -> None:
    if not reader.keys["tables"]:
        return
    try:
        Schema.from_toml(reader.text(layout.SCHEMA)).public()
    except KeyError:
        findings.add("missing", entry=layout.SCHEMA)
    except ProblemsFound as problems:
        for problem in problems.problems:
            findings.add("rules", entry=layout.SCHEMA, got=problem)


def _check_files(reader: Reader, findings: Findings) -> None:
    """Every file that was not deleted has its bytes, and the secret is the one committed to."""
    contest = next(reading.rows(reader, layout.CONTEST_SHEET))
    for row in reading.rows(reader, layout.FILES):
        if row["erased_at"] is not None:
            continue
        name = f"files/{row['sha256']}"
        entry = reader.checked.entries.get(name)
        if entry is None:
            findings.add("missing", entry=name)
        elif entry.sha256 != row["sha256"]:
            findings.add("hash", entry=name, expected=row["sha256"], got=entry.sha256)
        elif entry.size_bytes != row["size_bytes"]:
            findings.add("size", entry=name, expected=row["size_bytes"], got=entry.size_bytes)
        elif contest["secret"] == row["n"] and not _is_secret(reader, name, contest["commitment"]):
            findings.add("secret", entry=layout.CONTEST)


def _is_secret(reader: Reader, entry: str, committed: str) -> bool:
    try:
        return commitment(bytes.fromhex(reader.text(entry))) == committed
    except ValueError:
        return False


def _check_standings(reader: Reader, findings: Findings) -> None:
    try:
        if reader.checked.entries[layout.STANDINGS].size_bytes > MAX_STANDINGS_BYTES:
            raise ValueError(f"more than {MAX_STANDINGS_BYTES} bytes")
        document = json.loads(reader.read(layout.STANDINGS))
        moment = datetime.fromisoformat(document["as_of"])
        is_right = moment.tzinfo is not None and all(map(_is_variant, document["boards"]))
    except (*CORRUPT, KeyError, TypeError):
        is_right = False
    if not is_right:
        findings.add("unreadable", entry=layout.STANDINGS, got=layout.STANDINGS)


def _is_variant(variant: Any) -> bool:
    return (
        isinstance(variant["stage"], str)
        and isinstance(variant["division"], str)
        and all(_is_section(section) for section in variant["boards"].values())
    )


def _is_section(section: Any) -> bool:
    """The part of a board that is compared: the rows that have a team."""
    rows = section.get("rows", []) if isinstance(section, dict) else []
    return all(isinstance(row["name"], str) and "rank" in row for row in rows)
