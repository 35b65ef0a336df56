# SPDX-License-Identifier: Apache-2.0
"""The check of files in browsers, before they are sent: rules of a round's files, and the words of problems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils import translation
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from pwscup.formats.checking import Checks
from pwscup.submissions import selectors
from pwscup.submissions.intake.uploads import by_stem

if TYPE_CHECKING:
    from pwscup.accounts.models import Team
    from pwscup.contests.models import Round


def round_checks(round: Round, team: Team | None) -> dict[str, Any]:
    """All that a browser needs to check the files of a round, in the language of the reader.

    Each of `files` has the key and the rules of a file; fields of forms are named like their files, and `names` leads
    to guesses and tables by the names of files without their suffix.
    """
    from scoring.tables.published_rules import (
        reading_rules,  # imports numpy, which most pages do not need
    )

    checking = round.format.checking
    found = checking.checks(round, team, _targets(round, team)) if checking else Checks()
    files = {key: {"key": key, "rules": rules} for key, rules in found.files.items()}
    names = {key.lower(): key for key in found.files}
    keys = [spec.key for spec in round.spec.files]
    stems = by_stem(found.targets, own=team.slug if team else "")
    for slug, of_target in found.targets.items():
        for key, rules in of_target.items():
            place = f"{slug}/{key}"
            files[place] = {"key": key, "rules": rules}
            names[f"{key.lower()}_{slug}"] = place
            if len(keys) == 1:
                names |= {stem: place for stem, named in stems.items() if named == slug}
    return {
        "reading": reading_rules(),
        "words": catalogue(get_language() or "en"),
        "files": files,
        "names": names,
    }


def _targets(round: Round, team: Team | None) -> list[Any]:
    """The published tables of other teams."""
    if not round.format.has_targets:
        return []
    found = selectors.releases(round).select_related("team", "submission", "candidates")
    return [release for release in found if team is None or release.team_id != team.pk]


def catalogue(language: str) -> dict[str, Any]:
    """The messages of problems in a language, and the words for their places."""
    from scoring.tables.published_rules import messages

    with translation.override(language):
        return {
            "messages": {code: _(message) for code, message in messages().items()},
            "record": _("record {n}"),
            "column": _("column {name}"),
        }
