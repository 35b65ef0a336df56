# SPDX-License-Identifier: Apache-2.0
"""Competition bundles of Codabench, made for tests: a whole one, whose parts tests replace."""

from __future__ import annotations

import io
from copy import deepcopy
from typing import Any

import yaml

from pwscup.archives.codabench.description import Competition
from pwscup.archives.codabench.notes import BundleRefused
from pwscup.archives.codabench.reading import read_bundle
from tests.zips import zipped

COMMAND = "command: python3 $program/score.py $input $output\n"
WHOLE: dict[str, Any] = {
    "version": 2,
    "title": "Hide the Towns",
    "description": "Anonymize a table of towns.",
    "image": "logo.png",
    "terms": "pages/terms.md",
    "registration_auto_approve": True,
    "pages": [
        {"title": "Overview", "file": "pages/overview.md"},
        {"title": "Data", "file": "pages/data.html"},
    ],
    "phases": [
        {
            "index": 0,
            "name": "Development",
            "description": "Try it.",
            "start": "2031-04-01 00:00:00",
            "end": "2031-04-15 12:00:00",
            "max_submissions": 30,
            "max_submissions_per_day": 3,
            "execution_time_limit": 120,
            "tasks": [0],
        },
        {"index": 1, "name": "Final", "start": "2031-04-16", "end": "2031-04-20", "tasks": [0]},
    ],
    "tasks": [
        {
            "index": 0,
            "name": "Towns",
            "reference_data": "reference_data",
            "scoring_program": "scoring_program",
        }
    ],
    "leaderboards": [
        {
            "title": "Results",
            "key": "main",
            "submission_rule": "Force_Last",
            "columns": [
                {"title": "Kept", "key": "kept", "index": 0, "sorting": "desc", "precision": 3},
                {
                    "title": "Seconds",
                    "key": "seconds",
                    "index": 1,
                    "sorting": "asc",
                    "hidden": True,
                },
            ],
        }
    ],
}
FILES: dict[str, bytes] = {
    "logo.png": b"\x89PNG",
    "pages/terms.md": b"Be fair.",
    "pages/overview.md": b"# Overview\n\nHide the towns.",
    "pages/data.html": b"<h1>Data</h1><script>alert(1)</script><p>A <b>table</b>.</p>",
    "reference_data/truth.csv": b"a\n1\n",
    "scoring_program/metadata.yaml": COMMAND.encode(),
    "scoring_program/score.py": b"print('never run')\n",
}


def whole(**changed: Any) -> dict[str, Any]:
    """The competition.yaml of a whole bundle with other keys; None leaves one out."""
    made = deepcopy(WHOLE) | changed
    return {key: value for key, value in made.items() if value is not None}


def with_phase(number: int, **changed: Any) -> dict[str, Any]:
    """The same with one phase changed; None leaves a key out."""
    made = whole()
    phase = made["phases"][number] | changed
    made["phases"][number] = {key: value for key, value in phase.items() if value is not None}
    return made


def bundle(
    content: dict[str, Any] | str | bytes | None = None,
    files: dict[str, bytes] | None = None,
    *,
    folder: str = "",
) -> bytes:
    """A bundle with this competition.yaml and these files in place of the usual ones."""
    made = (
        yaml.safe_dump(WHOLE if content is None else content)
        if not isinstance(content, str | bytes)
        else content
    )
    data = made.encode() if isinstance(made, str) else made
    entries = {"competition.yaml": data} | (FILES if files is None else files)
    return zipped(*((folder + name, data) for name, data in entries.items()))


def read(data: bytes) -> Competition:
    return read_bundle(io.BytesIO(data), "cup.zip")


def problems(data: bytes) -> list[str]:
    """The sentences about all that is wrong with a bundle; empty for one that can be read."""
    try:
        read(data)
    except BundleRefused as refused:
        return [note.problem for note in refused.problems]
    return []


def left_out(data: bytes) -> dict[str, str]:
    """The codes of all that the reader leaves out, each with its first place."""
    found: dict[str, str] = {}
    for note in read(data).left_out:
        found.setdefault(note.code, note.where)
    return found
