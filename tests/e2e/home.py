# SPDX-License-Identifier: Apache-2.0
"""The command line as a participant runs it at home, in this process because loading the libraries takes seconds."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

from scoring.cli.main import main


def scoring(command: str, *arguments: str | Path, **options: str | int | Path) -> dict[str, Any]:
    """`python -m scoring COMMAND … --json`; its exit status must be 0."""
    words = [command, *map(str, arguments), "--json"]
    for name, value in options.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(words)
    assert status == 0, f"{' '.join(words)}: {out.getvalue()}{err.getvalue()}"
    return json.loads(out.getvalue())
