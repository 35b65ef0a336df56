"""The largest body of a request, by the address that it is sent to."""

from __future__ import annotations

from django.conf import settings
from django.urls import Resolver404, resolve

# What the form's other fields and the boundaries between files may add.
OVERHEAD_BYTES = 256 * 1024
TAKES_FILES = frozenset(
    {
        "api-submissions",
        "experiment-new",
        "organize-data",
        "organize-import",
        "organize-new",
        "organize-team-list",
        "round",
    }
)
"""The names of the addresses whose forms have a field for files."""


def most_bytes_at(path: str) -> int:
    """The largest body that this address takes: little where no file is expected."""
    try:
        takes_files = resolve(path).url_name in TAKES_FILES
    except Resolver404:
        takes_files = False
    return _with_files() if takes_files else settings.DATA_UPLOAD_MAX_MEMORY_SIZE


def is_too_large(n_bytes: int, path: str) -> bool:
    """Whether this address takes no body of that length; the address is looked up for large ones only."""
    always = min(settings.DATA_UPLOAD_MAX_MEMORY_SIZE, _with_files())
    return n_bytes > always and n_bytes > most_bytes_at(path)


def _with_files() -> int:
    return settings.MAX_UPLOAD_BYTES + OVERHEAD_BYTES
