"""What pages say where teams have tables of their own."""

from django.utils.translation import gettext_lazy as _

from pwscup.formats.common.texts import (
    AUDIT,
    CHECKED,
    COLUMNS,
    COLUMNS_OF_CELLS,
    COLUMNS_TITLE,
    DRAFT_KEPT,
    GUESS_EXAMPLE,
    NEWS_TEXT,
    NEWS_TITLE,
    NOTE_EXAMPLE,
    NOTHING_PUBLISHED,
    ORIGINAL_LINK,
    OTHERS_FILES,
    OWN_TARGET,
    PREPARING_LEAD,
    PREPARING_TITLE,
    PUBLISHED_TITLE,
    REVEAL_LATER,
    REVEAL_NOW,
    ROW,
    SUBMIT_TITLE,
    USE,
)

__all__ = [
    "AUDIT",
    "CHECKED",
    "COLUMNS",
    "COLUMNS_OF_CELLS",
    "COLUMNS_TITLE",
    "DATA_TITLE",
    "DRAFT_KEPT",
    "GUESS_EXAMPLE",
    "NEWS_TEXT",
    "NEWS_TITLE",
    "NOTE_EXAMPLE",
    "NOTHING_PUBLISHED",
    "ORIGINAL_LINK",
    "OTHERS_FILES",
    "OWN_TARGET",
    "PREPARING_LEAD",
    "PREPARING_TITLE",
    "PUBLISHED_TITLE",
    "REVEAL_LATER",
    "REVEAL_NOW",
    "ROW",
    "SAMPLE_LEAD",
    "SUBMIT_TITLE",
    "USE",
]

DATA_TITLE = _("Your team's table")
SAMPLE_LEAD = _(
    "A sample of the right form, made from your team's table: download it and hand it in as it is."
)
