# SPDX-License-Identifier: Apache-2.0
"""Known games: the red lines of a dry run's certificate, with what organizers say about them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from pwscup.contests.services.common import ContestRefused
from scoring.cheaters import CHEATERS
from scoring.rulesets.base import localized

if TYPE_CHECKING:
    from pwscup.contests.models import Contest

Line = dict[str, Any]
MAX_LENGTH = 500


def red_lines(contest: Contest) -> list[Line] | None:
    """The lines of the last certificate that are red; None without one about the present rules."""
    run = contest.dry_runs.filter(state="done").order_by("-pk").first()
    if run is None or run.certificate.get("digest") != contest.ruleset.digest:
        return None
    return [line for line in run.certificate["lines"] if line["is_red"]]


def known_games(contest: Contest, sentence: str) -> dict[str, Any]:
    """The games that participants read about; ContestRefused without a sentence where one is needed."""
    lines, said = red_lines(contest), sentence.strip()[:MAX_LENGTH]
    if lines != [] and not said:
        raise ContestRefused(
            _("There is no certificate of these rules. Run the bots, or tell participants why not.")
            if lines is None
            else _(
                "Cheaters gain by these rules. Answer the red lines, or tell participants why not."
            )
        )
    shown = dict.fromkeys(line["cheater"] for line in lines or ())
    return {"cheaters": [*shown], "sentence": said}


def games_of(lines: Iterable[Line]) -> list[str]:
    """The sentence about each cheater of some lines, once, in the reader's language."""
    language = get_language() or "en"
    known = dict.fromkeys(line["cheater"] for line in lines)
    return [localized(CHEATERS[name].sentence, language) for name in known if name in CHEATERS]


def shown_games(contest: Contest) -> dict[str, Any]:
    """The games on the rules page, with the organizers' sentence; empty without any."""
    known = contest.known_games
    games = games_of({"cheater": name} for name in known.get("cheaters", ()))
    return {"games": games, "sentence": known["sentence"]} if known.get("sentence") else {}
