# SPDX-License-Identifier: Apache-2.0
"""Names of uploaded files: sanitized in one way everywhere."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from scoring.tables.text import visible

MAX_NAME = 100
_MAX_SUFFIX = 20


def plain_name(name: str | None, default: str = "file") -> str:
    """The last part of a path without control and bidirectional characters, shortened before its suffix."""
    last = re.split(r"[/\\]", name or "")[-1]
    path = PurePosixPath(visible(last).strip(". ") or default)
    suffix = path.suffix[:_MAX_SUFFIX]
    return path.stem[: MAX_NAME - len(suffix)] + suffix
