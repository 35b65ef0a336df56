# SPDX-License-Identifier: Apache-2.0
"""Hooks of schemathesis: bodies that are files, among them some that the contests of the test take.

Named in `SCHEMATHESIS_HOOKS`; the folder in `GENERATED_FILES` holds the files, by their media type.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import schemathesis
from hypothesis import strategies as st

FOLDER = "GENERATED_FILES"
KINDS = {"csv": "text/csv", "zip": "application/zip", "pdf": "application/pdf"}

for _suffix, _kind in KINDS.items():
    _files = sorted(Path(os.environ[FOLDER]).glob(f"*.{_suffix}"))
    _known = st.sampled_from([file.read_bytes() for file in _files])
    schemathesis.openapi.media_type(_kind, _known | _known | st.binary())


@schemathesis.serializer(*KINDS.values())
def as_it_is(_context: Any, value: Any) -> Any:
    """The bytes of a file."""
    return value if isinstance(value, bytes) else str(value).encode()
