# SPDX-License-Identifier: Apache-2.0
"""The largest accepted body of a request, by its path."""

from __future__ import annotations

from django.conf import settings
from django.urls import Resolver404, resolve

# Allowance for the other fields of the form and the boundaries between files.
OVERHEAD_BYTES = 256 * 1024
TAKES_FILES = frozenset(
    {
        "api-guesses",
        "api-organize-appearance-picture",
        "api-organize-codabench",
        "api-organize-data",
        "api-organize-import",
        "api-organize-materials",
        "api-organize-prepare",
        "api-organize-sponsor-logo",
        "api-organize-sponsors",
        "api-submissions",
        "experiment-new",
        "organize-appearance",
        "organize-codabench",
        "organize-data",
        "organize-import",
        "organize-materials",
        "organize-new",
        "organize-prepare",
        "organize-sponsor",
        "organize-team-list",
        "round",
    }
)
"""The names of the URLs whose forms have a file field."""


def most_bytes_at(path: str) -> int:
    """The largest accepted body for this path: small if no file is expected."""
    try:
        takes_files = resolve(path).url_name in TAKES_FILES
    except Resolver404:
        takes_files = False
    return _with_files() if takes_files else settings.DATA_UPLOAD_MAX_MEMORY_SIZE


def is_too_large(n_bytes: int, path: str) -> bool:
    """This path does not accept a body of that length; the path is resolved for large bodies only."""
    always = min(settings.DATA_UPLOAD_MAX_MEMORY_SIZE, _with_files())
    return n_bytes > always and n_bytes > most_bytes_at(path)


def _with_files() -> int:
    return settings.MAX_UPLOAD_BYTES + OVERHEAD_BYTES
