"""Names that people give themselves and their teams: what is allowed, and what they become in addresses."""

from __future__ import annotations

import re
import unicodedata

from django.core.exceptions import ValidationError
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

# Control, format (invisible, right-to-left) and unassigned characters make one name look like another.
REFUSED_CATEGORIES = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
# Letters, marks and symbols that are drawn as nothing: fillers, empty Braille, joiners, selectors.
DRAWN_AS_NOTHING = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def clean_name(name: str) -> str:
    """Return the name in one spelling, spaces collapsed; refuse characters that cannot be seen."""
    tidy = " ".join(unicodedata.normalize("NFC", name).split())
    invisible = any(unicodedata.category(character) in REFUSED_CATEGORIES for character in tidy)
    if invisible or not DRAWN_AS_NOTHING.sub("", tidy).strip():
        raise ValidationError(_("The name contains a character that cannot be seen."), "invisible")
    return tidy


def likeness(name: str) -> str:
    """What two names share that people would take for the same: width, case and what is not drawn do not count."""
    folded = unicodedata.normalize("NFKC", DRAWN_AS_NOTHING.sub("", name)).casefold()
    return " ".join(folded.split())


def team_slug(name: str, taken: set[str]) -> str:
    """An ASCII name for files and addresses that is not taken: red-team, red-team-2, or team-7 without letters."""
    # Guess files may be called attack_<slug>.csv: no slug must look like that of another team.
    base = slugify(name).replace("_", "-")[:40].strip("-")
    if len(base) < 2:
        return _first_free("team", taken, start=len(taken) + 1)
    return base if base not in taken else _first_free(base, taken, start=2)


def _first_free(base: str, taken: set[str], *, start: int) -> str:
    number = start
    while f"{base}-{number}" in taken:
        number += 1
    return f"{base}-{number}"
