"""What the platform asks about a kind of round: one question a line. The answers are in `kinds`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pwscup.formats.files import ZIP
from scoring.rulesets.kinds import OWN_TABLES, ROUND_KINDS

if TYPE_CHECKING:
    from pwscup.formats.evaluation import TableEvaluation
    from pwscup.formats.playing import Player
    from pwscup.formats.spec import Text

ATTACKED, ATTACKS, JUDGED, ESTIMATES = "anonymization", "attack", "presentation", "disclosure"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundFormat:
    """A kind of round, by what the platform asks about it."""

    kind: str
    evaluated: str
    """The module next to this one, and the name in it, that evaluates submissions: `pwscup.formats.evaluation`."""
    played: str | None
    """In the same way, how bots play; None where only people take part: `pwscup.formats.playing`."""
    content_type: str | None
    """That of the one file that the API takes; None where it takes none."""
    todo: Text
    """What a team does while the round is open."""
    counts: Mapping[str, Text]
    """Which submission counts, by what the ruleset says of it."""
    feedback: Mapping[str, Text]
    """When results are shown, by what the organizer says of it."""
    deletions: Mapping[bool, Text] = field(default_factory=dict)
    """Of a round in which tables are anonymized: how a record is deleted, by whether there are blank records."""
    published: Text | None = None
    """Of an attack round: what attackers get."""
    hits: Text | None = None
    """Of an attack round: when a guess is right."""
    rate: Text | None = None
    """Of an attack round whose rate is no plain share of what was attacked: what it is."""
    release_names: tuple[str, str] | None = None
    """What a published table, and what is given next to it, are called in files of teams."""
    names_both_teams: bool = False
    """Guess files are named after the attacking team and its target."""
    discloses: Text | None = None
    """What the platform discloses of a hidden table, and for which ε."""
    is_release: bool = False
    """The platform releases a table in the round; it does not answer questions."""
    is_asked: bool = False
    """Teams ask questions, and pay for the answers out of a budget."""

    @property
    def phase(self) -> str:
        return ROUND_KINDS[self.kind].phase

    @property
    def given_next_to_table(self) -> str:
        """What attackers get next to a published table: the original, candidates, people."""
        (given,) = ROUND_KINDS[self.kind].gives
        return given

    @property
    def has_own_tables(self) -> bool:
        """Each team has a table of its own."""
        return ROUND_KINDS[self.kind].tables in OWN_TABLES

    @property
    def evaluation(self) -> TableEvaluation:
        """What a submission is worth; what is asked of tables is answered where `is_attacked`."""
        return named(self.evaluated)

    @property
    def player(self) -> Player | None:
        """How bots play."""
        return None if self.played is None else named(self.played)

    @property
    def is_archive(self) -> bool:
        """What is submitted is an archive of files."""
        return self.content_type == ZIP

    @property
    def page(self) -> str:
        """The page of such a round."""
        return self.phase

    @property
    def has_targets(self) -> bool:
        """What is submitted is a guess about another team's published table; attempts count by target."""
        return self.phase == ATTACKS

    @property
    def is_attacked(self) -> bool:
        """What counts of each team is published when the attack on it opens."""
        return self.phase == ATTACKED

    @property
    def needs_own_table(self) -> bool:
        """Each team anonymizes a table that is drawn for it when the round opens."""
        return self.is_attacked and self.has_own_tables

    @property
    def is_measured(self) -> bool:
        """What is submitted has the measures of the ruleset."""
        return self.is_attacked or self.tells_of_table

    @property
    def is_judged(self) -> bool:
        """What is submitted is presented to judges, and not scored."""
        return self.phase == JUDGED

    @property
    def tells_of_table(self) -> bool:
        """Results tell of the hidden table, and wait for the end of the last such round."""
        return self.phase == ESTIMATES


def named(entry: str) -> Any:
    """An answer, imported when it is asked first: pages load no pandas."""
    module, _, name = entry.partition(":")
    return getattr(import_module(f"{__package__}.{module}"), name)
