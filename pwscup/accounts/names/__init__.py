# SPDX-License-Identifier: Apache-2.0
"""Names of users and teams: allowed characters, and look-alikes."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

# Control, format (invisible, right-to-left) and unassigned characters make one name look like another.
REFUSED_CATEGORIES = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
# Letters, accents and symbols that are drawn as nothing: fillers, empty Braille, joiners, selectors.
DRAWN_AS_NOTHING = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
MARKS = {"Mn", "Me"}
MOST_MARKS = 4
DIRECTION = "\u200e"  # around right-to-left letters in the table of confusables


def clean_name(name: str) -> str:
    """Return the name in one normal form, spaces collapsed; refuse invisible characters."""
    tidy = " ".join(unicodedata.normalize("NFC", name).split())
    invisible = any(unicodedata.category(character) in REFUSED_CATEGORIES for character in tidy)
    if invisible or not DRAWN_AS_NOTHING.sub("", tidy).strip():
        raise ValidationError(_("The name contains a character that cannot be seen."), "invisible")
    return tidy


def clean_new_name(name: str) -> str:
    """As `clean_name`, for a new name; also refuse letters with too many diacritics."""
    tidy = clean_name(name)
    if _is_heaped(tidy):
        raise ValidationError(
            _("A letter of the name has more diacritics than any language uses."), "heaped"
        )
    return tidy


def _is_heaped(name: str) -> bool:
    """A letter carries the same diacritic twice, or more of them than Unicode's security advice (UTS 39) allows."""
    marks: list[str] = []
    for character in unicodedata.normalize("NFD", name):
        marks = [*marks, character] if unicodedata.category(character) in MARKS else []
        if len(marks) > MOST_MARKS or len(marks) > len(set(marks)):
            return True
    return False


def looks(name: str) -> frozenset[str]:
    """Skeletons of a team's name: two names with a skeleton in common are confusable.

    One skeleton is of the lower-case letters, one of the letters as written: a capital I looks like a lower-case l.
    """
    plain = unicodedata.normalize("NFKC", DRAWN_AS_NOTHING.sub("", name))
    forms = (_skeleton(plain.casefold()), _skeleton(plain).casefold())
    return frozenset(" ".join(form.split()) for form in forms)


def _skeleton(text: str) -> str:
    """Each character replaced by its prototype in Unicode's table of confusables."""
    same = _prototypes()
    decomposed = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFD", "".join(same.get(c, c) for c in decomposed))


@cache
def _prototypes() -> dict[str, str]:
    """The prototype of each character: it represents all characters that look like it.

    The table lists, for a character, those that look like it. A character with many look-alikes represents
    them; of a pair the lower code point does, unless a character looks like a sequence, as m does like rn.
    """
    from confusable_homoglyphs import confusables  # most processes do not need the table

    alike = {
        key.strip(DIRECTION): [other["c"].strip(DIRECTION) for other in others]
        for key, others in confusables.confusables_data.items()
    }
    return {
        key: other if len(alike.get(other, ())) > 1 or len(other) > 1 else min(key, other)
        for key, (other, *more) in alike.items()
        if len(key) == 1 and not more
    }


def likeness(name: str) -> str:
    """The part of a name that readers distinguish: width, case and invisible characters are ignored."""
    folded = unicodedata.normalize("NFKC", DRAWN_AS_NOTHING.sub("", name)).casefold()
    return " ".join(folded.split())
