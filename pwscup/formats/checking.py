# SPDX-License-Identifier: Apache-2.0
"""Questions to a kind of round about the check of files in browsers: the rules of its files, from published facts only.

No module that answers reads an original or an answer key: rules follow from the schema that participants get, from
the numbers of records of tables that they have, and from files that were published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pwscup.accounts.models import Team
    from pwscup.contests.models import Round
    from pwscup.submissions.models import Release
    from scoring.tables.published_rules import Rules


@dataclass(frozen=True, slots=True)
class Checks:
    """The rules of files by their key, as JSON; those of guesses by target. A file without rules is not checked."""

    files: Mapping[str, Rules] = field(default_factory=dict)
    targets: Mapping[str, Mapping[str, Rules]] = field(default_factory=dict)


class Checking(Protocol):
    """Rules of the files of a round."""

    def checks(self, round: Round, team: Team | None, targets: Sequence[Release]) -> Checks:
        """The rules of the next submission of the team, or of organizers. `targets` are those of other teams."""
