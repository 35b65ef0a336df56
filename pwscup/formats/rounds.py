# SPDX-License-Identifier: Apache-2.0
"""Questions about a kind of round: one per line. The answers are in `kinds`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pwscup.formats.files import ZIP
from scoring.rulesets.kinds import OWN_TABLES, ROUND_KINDS

if TYPE_CHECKING:
    from pwscup.formats.checking import Checking
    from pwscup.formats.evaluation import AnyEvaluation
    from pwscup.formats.playing import Player
    from pwscup.formats.spec import Text
    from pwscup.formats.trying import Trying

ATTACKED, ATTACKS, JUDGED, ESTIMATES = "anonymization", "attack", "presentation", "disclosure"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundFormat:
    """A kind of round: the answers to the platform's questions about it."""

    kind: str
    evaluated: str
    """The module next to this one, and the name in it, that evaluates submissions: `pwscup.formats.evaluation`."""
    played: str | None
    """In the same way, the player of bots; None if only users take part: `pwscup.formats.playing`."""
    content_type: str
    """The content type of a submission of one file."""
    todo: Text
    """The task of a team while the round is open."""
    counts: Mapping[str, Text]
    """The submission that counts, by the setting of the ruleset."""
    feedback: Mapping[str, Text]
    """The time when results are shown, by the setting of the organizer."""
    deletions: Mapping[bool, Text] = field(default_factory=dict)
    """For a round in which tables are anonymized: how a record is deleted, by whether there are blank records."""
    tried: str | None = None
    """In the same way, the trials of teams in the browser; None without any: `pwscup.formats.trying`."""
    checked: str | None = None
    """In the same way, the rules by which browsers check files; None without any: `pwscup.formats.checking`."""
    published: Text | None = None
    """For an attack round: the files of attackers."""
    hits: Text | None = None
    """For an attack round: the definition of a hit."""
    rate: Text | None = None
    """For an attack round whose rate is not a plain share of the attacked records: its definition."""
    release_names: tuple[str, str] | None = None
    """The names of a published table, and of the file next to it, in files of teams."""
    released_as: str = "attack"
    """For a round in which tables are anonymized: the kind of attack round whose release has the same order of lines;
    see `scoring.proof.reveals.released`."""
    given_suffix: str | None = None
    """The suffix of the file next to a published table, if it is not that of the format."""
    names_both_teams: bool = False
    """Guess files are named after the attacking team and its target."""
    discloses: Text | None = None
    """The disclosure of a hidden table, and its ε."""
    is_release: bool = False
    """The platform releases a table in the round; it does not answer questions."""
    is_asked: bool = False
    """Teams ask questions, and pay for the answers from a budget."""

    @property
    def phase(self) -> str:
        return ROUND_KINDS[self.kind].phase

    @property
    def given_next_to_table(self) -> str:
        """The file of attackers next to a published table: the original, candidates, individuals."""
        (given,) = ROUND_KINDS[self.kind].gives
        return given

    @property
    def has_own_tables(self) -> bool:
        """Each team has its own table."""
        return bool({*ROUND_KINDS[self.kind].formats} & {*OWN_TABLES})

    @property
    def evaluation(self) -> AnyEvaluation:
        """The evaluation of a submission; it answers the questions of `TableEvaluation` if `is_attacked`."""
        return named(self.evaluated)

    @property
    def player(self) -> Player | None:
        """The player of bots."""
        return None if self.played is None else named(self.played)

    @property
    def trying(self) -> Trying | None:
        """The methods that teams may try in the browser."""
        return None if self.tried is None else named(self.tried)

    @property
    def checking(self) -> Checking | None:
        """The rules by which browsers check files before they are sent."""
        return None if self.checked is None else named(self.checked)

    @property
    def is_archive(self) -> bool:
        """Submissions are archives of files."""
        return self.content_type == ZIP

    @property
    def page(self) -> str:
        """The page of such a round."""
        return self.phase

    @property
    def has_targets(self) -> bool:
        """A submission is a guess about another team's published table; attempts count by target."""
        return self.phase == ATTACKS

    @property
    def is_attacked(self) -> bool:
        """The counting submission of each team is published when the attack on it opens."""
        return self.phase == ATTACKED

    @property
    def asks_questions(self) -> bool:
        """The rules list questions about each published table, with an answer file each."""
        return ROUND_KINDS[self.kind].asks_questions

    @property
    def needs_own_table(self) -> bool:
        """Each team anonymizes a table that is drawn for it when the round opens."""
        return self.is_attacked and self.has_own_tables

    @property
    def is_measured(self) -> bool:
        """Submissions have the measures of the ruleset."""
        return self.is_attacked or self.tells_of_table

    @property
    def is_judged(self) -> bool:
        """Submissions are presented to judges, and not scored."""
        return self.phase == JUDGED

    @property
    def tells_of_table(self) -> bool:
        """Results disclose the hidden table, and are shown after the end of the last such round."""
        return self.phase == ESTIMATES


def named(entry: str) -> Any:
    """An answer, imported on first use: pages load no pandas."""
    module, _, name = entry.partition(":")
    return getattr(import_module(f"{__package__}.{module}"), name)
