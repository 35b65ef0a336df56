# SPDX-License-Identifier: Apache-2.0
"""Predicates of valid values of columns and rows, in addition to the checks of their fields."""

from __future__ import annotations

import re
import sys
from typing import Any
from zoneinfo import available_timezones

from django.core.exceptions import ValidationError

from pwscup.accounts.names import clean_name
from pwscup.contests.services.materials import is_web_address
from pwscup.core.models import StoredFile
from pwscup.submissions.judging.votes import MOST_CHOICES
from scoring.registry import ALL_MEASURES
from scoring.rulesets.base import MAX_ORIGINALS
from scoring.rulesets.document import SHORT_NAME
from scoring.tables.text import visible

PROBLEM_KEYS = {"code", "params", "file", "row", "column"}
LARGEST = sys.float_info.max
AREAS = (StoredFile.Area.SEALED, StoredFile.Area.PUBLISHED)


def is_timezone(value: Any) -> bool:
    return value in available_timezones()


def is_area(value: Any) -> bool:
    """The area of a file of a contest; drafts and archives are not in archives."""
    return value in AREAS


def is_digest(value: Any) -> bool:
    return re.fullmatch("[0-9a-f]{64}", value) is not None


def is_file_name(value: Any) -> bool:
    """A name that is not a path: files are packed under it for participants."""
    is_plain = value == visible(value) and not {"/", "\\"} & set(value)
    return is_plain and value.strip(". ") != ""


def is_team_name(value: Any) -> bool:
    try:
        return bool(clean_name(value))
    except ValidationError:
        return False


def are_measures(value: Any) -> bool:
    """Identifiers of measures, of which a ruleset may define some itself."""
    return isinstance(value, list) and all(
        isinstance(m, str) and (m in ALL_MEASURES or SHORT_NAME.fullmatch(m)) for m in value
    )


def are_games(value: Any) -> bool:
    """Known games: names of cheaters, and a sentence; or nothing."""
    if not isinstance(value, dict) or not value:
        return value == {}
    names, sentence = value.get("cheaters"), value.get("sentence")
    is_list = isinstance(names, list) and all(isinstance(name, str) for name in names)
    return value.keys() == {"cheaters", "sentence"} and is_list and isinstance(sentence, str)


def is_original(value: Any) -> bool:
    """The number of one of a team's originals, or none."""
    return value is None or 1 <= value <= MAX_ORIGINALS


def is_mapping(value: Any) -> bool:
    return isinstance(value, dict)


def are_values(value: Any) -> bool:
    """The result of an evaluation: numbers by name, or nothing if it rejects."""
    if value is None:
        return True
    return isinstance(value, dict) and all(
        v is None or (isinstance(v, int | float) and not isinstance(v, bool) and abs(v) <= LARGEST)
        for v in value.values()
    )


def are_counts(value: Any) -> bool:
    """Integers, at least one; noise makes some of them negative."""
    return isinstance(value, list) and bool(value) and all(type(count) is int for count in value)


def are_problems(value: Any) -> bool:
    """A list in the format of `scoring.errors.Problem.to_dict`."""
    return isinstance(value, list) and all(_is_problem(problem) for problem in value)


def _is_problem(problem: Any) -> bool:
    return (
        isinstance(problem, dict)
        and set(problem) <= PROBLEM_KEYS
        and isinstance(problem.get("code"), str)
        and isinstance(problem.get("params") or {}, dict)
        and isinstance(problem.get("row") or 0, int)
        and all(isinstance(problem.get(part) or "", str) for part in ("file", "column"))
    )


def is_choice(value: Any) -> bool:
    return value is not None and 1 <= value <= MOST_CHOICES


def is_share(value: Any) -> bool:
    return value is None or 0 <= value <= 100


def is_mark(value: Any) -> bool:
    return value is not None and 0 <= value <= 100


def closes_after_it_opens(row: dict[str, Any]) -> bool:
    return row["opens_at"] < row["closes_at"]


def is_link_or_nothing(value: Any) -> bool:
    return value == "" or is_web_address(value)


def is_material(row: dict[str, Any]) -> bool:
    """A link leads to the web and has no file; every other material is a file."""
    if row["kind"] == "link":
        return row["file"] is None and is_web_address(row["url"])
    return row["file"] is not None and row["url"] == ""


def is_table(row: dict[str, Any]) -> bool:
    """A series has the numbers of tables and individuals; a part counts from 1."""
    is_series = row.get("n_tables") is not None
    return is_series == (row.get("n_people") is not None) and row.get("part") != 0


def is_paid(row: dict[str, Any]) -> bool:
    """An answer had a cost, within its team's budget."""
    return 1 <= row["cost"] <= row["spent"] <= row["budget"]


def is_bitmap(value: Any) -> bool:
    """A bitmap of `contests.truth`, or none."""
    return isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9+/]*={0,2}", value) is not None


def is_evaluation(row: dict[str, Any]) -> bool:
    """A rejection has problems, and a result has none; final values belong to measures with other values."""
    final, values = row.get("final_values") or {}, row["values"]
    return (values is None) == bool(row["problems"]) and set(final) <= set(values or {})
