# SPDX-License-Identifier: Apache-2.0
"""The sheets of questions that were published with a release."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from pwscup.core.files import storage
from scoring.errors import Collector
from scoring.tables.archives import Archive, Limits

if TYPE_CHECKING:
    from pwscup.submissions.models import Release

LIMITS = Limits(1_000, 10**9, 10**9)


def sheets_of(release: Release) -> dict[str, bytes]:
    """The sheets that were published with a release, by question."""
    if release.candidates is None:
        raise LookupError(f"release {release.pk} has no questions")
    packed = Archive(io.BytesIO(storage.read(release.candidates)), LIMITS, name="questions.zip")
    return {
        entry.shown.removesuffix(".csv"): b"".join(entry.chunks())
        for entry in packed.files(Collector())
    }
