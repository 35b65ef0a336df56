# SPDX-License-Identifier: Apache-2.0
"""Questions of bots to a kind of round: the files to submit. Bots have the same information as teams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from pwscup.accounts.models import Team
    from pwscup.bots.cast import Bot
    from pwscup.contests.models import Dataset, Round
    from pwscup.submissions.models import Release

Files = dict[str, tuple[str, bytes]]
"""Names and bytes by the ruleset's keys."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A bot's turn in a round at a time in it: the table that it anonymizes, or the release that it attacks."""

    bot: Bot
    team: Team
    round: Round
    at: datetime
    seed: int | None = None
    table: Dataset | None = None
    release: Release | None = None
    number: int | None = None
    """The number of that table among the originals of the team, if it has several."""
    known: Any = None
    """The result of `Player.known`."""
    step: int = 0
    """The place among the estimates that the bot submits in the round."""


class Player(Protocol):
    """The behavior of bots in a kind of round."""

    draws: bool
    """It draws at random, from a seed of the contest's secret."""

    def known(self, round: Round) -> Any:
        """The data that is read once for all turns of a round."""

    def files(self, turn: Turn) -> Files | None:
        """The files to submit; None if their data is not available yet."""

    def note(self, bot: Bot) -> str:
        """The note of the submission: its method."""
