# SPDX-License-Identifier: Apache-2.0
"""Short names of teams: the ASCII name of a team in file names and URLs, chosen by the team or made from its name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from django.core.exceptions import ValidationError
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.names import looks

LONGEST = 24
FORM = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
TEAM = "team"
"""The prefix of short names in file names, as in teamred_original.csv, and of those made for names without letters."""
_DEVICES = {"con", "prn", "aux", "nul"} | {f"{d}{n}" for d in ("com", "lpt") for n in range(10)}
_FILES = (
    *(
        "anonymized",
        "answers",
        "attack",
        "candidates",
        "estimate",
        "guess",
        "original",
        "own",
        "people",
    ),
    *("release", "rows", "sample", "schema", "series", "targets"),
)
RESERVED = frozenset([*_DEVICES, *_FILES])
"""Names that Windows keeps for devices, and those of other files."""

_HEPBURN = {"si": "shi", "ti": "chi", "tu": "tsu", "hu": "fu", "zi": "ji", "di": "ji", "du": "zu"}
"""Kana whose names in Unicode follow another spelling than Hepburn's."""
_VOWELS = ("a", "e", "i", "o", "u")
_DOUBLED = "\N{DOUBLE HYPHEN}"
"""In a reading: the small tsu, which doubles the consonant that follows."""
KANA = re.compile(r"(?:HIRAGANA|KATAKANA) LETTER (?P<small>SMALL )?(?P<kana>[A-Z]+)")


def clean_short_name(typed: str) -> str:
    """The short name in lower case and half width; empty where nothing was typed.

    Raises
    ------
    ValidationError
        If it has another form, or is reserved.
    """
    short = unicodedata.normalize("NFKC", typed).strip().lower()
    if not short:
        return ""
    if not (2 <= len(short) <= LONGEST and FORM.fullmatch(short)):
        raise ValidationError(
            _(
                "“%(got)s” is no short name — expected 2 to %(longest)d of the letters a–z, digits, and hyphens "
                "between them."
            ),
            "form",
            {"got": typed.strip()[:50], "longest": LONGEST},
        )
    if short in RESERVED or short.startswith(TEAM):
        raise ValidationError(
            _(
                "“%(got)s” is reserved: it begins with “team”, which file names add, or names other files or a "
                "device of Windows."
            ),
            "reserved",
            {"got": short},
        )
    return short


def short_name_of(name: str, taken: Iterable[str]) -> str:
    """An unused short name for a team: red-team, red-team-2, or team-7 if its name has neither ASCII letters nor kana.

    Examples
    --------
    >>> short_name_of("Red Team", set()), short_name_of("さくら", {"sakura"}), short_name_of("力", {"red"})
    ('red-team', 'sakura-2', 'team-2')
    """
    taken = set(taken)
    base = base_of(name)
    if len(base) < 2:
        return _first_free(TEAM, taken, start=len(taken) + 1)
    return base if base not in taken | RESERVED else _first_free(base, taken, start=2)


def base_of(name: str) -> str:
    """The ASCII letters and digits of a name, or the reading of one in kana; empty where it has neither."""
    # Guess files may be called attack_<short name>.csv: no short name must look like that of another team.
    return slugify(romanized(name) or name).replace("_", "-")[:40].strip("-")


def resembles(short: str, others: Iterable[str]) -> bool:
    """Readers could take the short name for one of the others; a hyphen makes no difference."""
    seen = frozenset[str]().union(*(_looks(other) for other in others))
    return bool(_looks(short) & seen)


def _looks(short: str) -> frozenset[str]:
    return looks(short.replace("-", ""))


def _first_free(base: str, taken: set[str], *, start: int) -> str:
    number = start
    while f"{base}-{number}" in taken:
        number += 1
    return f"{base}-{number}"


def romanized(name: str) -> str:
    """The reading of a name in kana, in Hepburn's spelling with short vowels; empty if it has other letters.

    Unicode's name of each character has its reading: HIRAGANA LETTER SA, KATAKANA LETTER SMALL TU.

    Examples
    --------
    >>> romanized("さくら"), romanized("ニャンコ隊"), romanized("ロケット・ボーイ 2")
    ('sakura', '', 'roketto-boi 2')
    """
    read = ""
    for letter in unicodedata.normalize("NFKC", name):
        found = KANA.fullmatch(unicodedata.name(letter, ""))
        if found:
            read = _appended(read, found["kana"].lower(), is_small=found["small"] is not None)
        elif letter in "ー・":
            read += "-" if letter == "・" else ""
        elif letter.isascii():
            read += letter
        else:
            return ""
    return re.sub(f"{_DOUBLED}(.?)", _double, read)


def _appended(read: str, kana: str, *, is_small: bool) -> str:
    """The reading with another kana; a small one changes the one before it."""
    if is_small and kana == "tu":
        return read + _DOUBLED
    if is_small and kana in ("ya", "yu", "yo") and read.endswith("i"):
        return read[:-1] + (kana[1] if read.endswith(("shi", "chi", "ji")) else kana)
    if is_small and kana in _VOWELS and read.endswith(_VOWELS):
        return read[:-1] + kana
    return read + _HEPBURN.get(kana, kana)


def _double(following: re.Match[str]) -> str:
    consonant = following[1]
    return "tc" if consonant == "c" else 2 * consonant
