# SPDX-License-Identifier: Apache-2.0
"""Looks for known vulnerabilities in what the lock files pin: `make audit`.

pip-audit alone reports success where its source knows none of the packages, as behind a mirror of the package
index without advisories. Here that is a failure of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SERVICES = {"pypi": "https://pypi.org", "osv": "https://api.osv.dev"}
"""Sources of advisories, in the order in which they are asked."""
FOUND, NOT_CHECKED = 1, 3


@dataclass(frozen=True, slots=True)
class Report:
    """The answer of a source: the packages that it knows, and the names of those that it does not."""

    known: list[dict[str, Any]]
    skipped: list[str]


def ask(pip_audit: Sequence[str], service: str, locks: Sequence[str]) -> Report | None:
    """The answer of a source; None if there is none, or if it knows no package at all."""
    command = [*pip_audit, "--vulnerability-service", service, "--disable-pip", "--require-hashes"]
    command += ["--format", "json", "--progress-spinner", "off", "--timeout", "10"]
    for lock in locks:
        command += ["--requirement", lock]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    try:
        listed = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        return None
    skipped = [one["name"] for one in listed if "skip_reason" in one]
    known = [one for one in listed if "skip_reason" not in one]
    return Report(known, skipped) if known else None


def lines_of(report: Report) -> list[str]:
    """A line for each vulnerability: package, version, its names, and the versions without it."""
    return [
        f"{one['name']} {one['version']}: {', '.join([vuln['id'], *vuln.get('aliases', ())])}"
        f" (repaired in: {', '.join(vuln['fix_versions']) or 'no version'})"
        for one in report.known
        for vuln in one["vulns"]
    ]


def audit(pip_audit: Sequence[str], locks: Sequence[str]) -> tuple[int, list[str]]:
    """The lines to print, and the exit status: 0 if all is checked and nothing known, `FOUND`, or `NOT_CHECKED` if not
    all could be checked."""
    shortest = min(locks, key=lambda lock: Path(lock).stat().st_size)  # shows soon who answers
    answers = (name for name in SERVICES if ask(pip_audit, name, [shortest]) is not None)
    service = next(answers, "")
    report = ask(pip_audit, service, locks) if service else None
    if report is None:
        asked = " and ".join(SERVICES.values())
        return NOT_CHECKED, [
            f"Nothing was checked: no source of advisories answers ({asked}).",
            "Run `make audit` on a machine that reaches one of them.",
        ]
    found, address = lines_of(report), SERVICES[service]
    said = [
        *found,
        f"{len(report.known)} packages checked with {address}: {len(found)} advisories.",
    ]
    if report.skipped:
        said.append(f"Not checked, as {address} does not know them: {', '.join(report.skipped)}")
    return FOUND if found else NOT_CHECKED if report.skipped else 0, said


def main() -> int:
    program, *locks = sys.argv[1:]
    status, lines = audit([program], locks)
    sys.stdout.write("\n".join(lines) + "\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
