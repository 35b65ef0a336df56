# SPDX-License-Identifier: Apache-2.0
"""Files for attackers in one archive, and what they know of a published table, whether it is one file or several."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

from pwscup.contests.teams.tables import FIRST_TIME
from pwscup.core.files import storage
from scoring.formats.lecture.parts import read_published
from scoring.tables.aligned import read_release
from scoring.tables.archives import unpacked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pwscup.submissions.models import Release
    from scoring.rulesets.base import DataSpec
    from scoring.tables.equivalence import IntArray
    from scoring.tables.records import Records
    from scoring.tables.schema import Schema


def archive(files: Mapping[str, bytes]) -> bytes:
    """Files as one zip archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in files.items():
            out.writestr(zipfile.ZipInfo(name, FIRST_TIME), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def records_of(release: Release, schema: Schema) -> tuple[Records, IntArray, int]:
    """The published records, the line of each, and the number of lines; several tables as one."""
    return records_in(storage.read(release.table), release.round.contest.ruleset.data, schema)


def records_in(data: bytes, rules: DataSpec, schema: Schema) -> tuple[Records, IntArray, int]:
    """As `records_of`, of a table that is to be published."""
    if not rules.parts:
        return read_release(data, schema=schema)
    columns = rules.columns_of_parts(schema)
    files = unpacked(data, [*columns], file="release", optional=rules.optional_parts)
    return read_published(files, columns, schema)
