# SPDX-License-Identifier: Apache-2.0
"""Questions about a kind of file. The answers are in `kinds`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from pwscup.formats.spec import Text

CSV, ZIP, PDF, JSON = "text/csv", "application/zip", "application/pdf", "application/json"
SUFFIXES = {CSV: "csv", ZIP: "zip", PDF: "pdf", JSON: "json"}


HINTS = {
    CSV: _("Drop the CSV file here, or choose it."),
    ZIP: _("Drop the zip archive here, or choose it."),
    PDF: _("Drop the PDF file here, or choose it."),
    JSON: _("Drop the JSON file here, or choose it."),
}
TAPS = {
    CSV: _("Tap to choose a CSV file"),
    ZIP: _("Tap to choose a zip archive"),
    PDF: _("Tap to choose a PDF file"),
    JSON: _("Tap to choose a JSON file"),
}
OPTIONAL = _("optional")
EMPTY = _("“%(name)s” is empty — expected a header line and at least one record")


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A kind of file: its description in the rules, and the message for an empty one."""

    text: Text
    content_type: str = CSV
    empty: Text = EMPTY
    unless: Text = OPTIONAL
    """The case in which a file may be left out, as shown next to its name."""

    @property
    def suffix(self) -> str:
        return SUFFIXES[self.content_type]

    @property
    def hint(self) -> Text:
        """The invitation in the field of an upload."""
        return HINTS[self.content_type]

    @property
    def tap(self) -> Text:
        """The same where there is no mouse."""
        return TAPS[self.content_type]

    @property
    def accept(self) -> str:
        """The filter of a browser's file dialog."""
        return f".{self.suffix},{self.content_type}"
