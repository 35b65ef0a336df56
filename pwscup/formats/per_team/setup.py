"""The organizer's page of a table of which each team gets a part."""

from pwscup.formats.common.setup import (
    CONFIRMED,
    FILE_TITLES,
    GENERATE_FORM,
    ROLES,
    UPLOAD_FORM,
    check_columns,
    lacking,
    shown_schema,
    warnings,
)

__all__ = [
    "CONFIRMED",
    "FILE_TITLES",
    "GENERATE_FORM",
    "ROLES",
    "UPLOAD_FORM",
    "check_columns",
    "lacking",
    "shown_schema",
    "warnings",
]
