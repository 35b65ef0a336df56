"""What the platform asks about a kind of round: one question a line, one line a kind."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from scoring.rulesets.kinds import OWN_TABLES, ROUND_KINDS

if TYPE_CHECKING:
    from pwscup.formats.evaluation import TableEvaluation

ATTACKED, ATTACKS, JUDGED, ESTIMATES = "anonymization", "attack", "presentation", "disclosure"
CSV, ZIP = "text/csv", "application/zip"


@dataclass(frozen=True, slots=True)
class RoundFormat:
    """A kind of round, by what the platform asks about it.

    `release_names` are what a published table, and what is given next to it, are called in files of teams;
    `content_type` is that of the one file that the API takes.
    """

    kind: str
    phase: str
    evaluated: str
    """The module next to this one, and the name in it, that evaluates submissions."""
    has_own_tables: bool = False
    """Each team has a table of its own."""
    content_type: str | None = None
    release_names: tuple[str, str] | None = None
    names_both_teams: bool = False
    """Guess files are named after the attacking team and its target."""
    is_release: bool = False
    """The platform releases a table in the round; it does not answer questions."""
    is_asked: bool = False
    """Teams ask questions, and pay for the answers out of a budget."""

    @property
    def evaluation(self) -> TableEvaluation:
        """What a submission is worth; what is asked of tables is answered where `is_attacked`."""
        return _named(self.evaluated)

    @property
    def page(self) -> str:
        """The page of such a round."""
        return self.phase

    @property
    def is_archive(self) -> bool:
        """What is submitted is an archive of files."""
        return self.content_type == ZIP

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


ANSWERS: dict[str, dict[str, Any]] = {
    "anonymization": {"evaluated": "common.evaluation:TABLES"},
    "aligned-anonymization": {"evaluated": "per_team.evaluation:TABLES"},
    "series": {"evaluated": "series.evaluation:SERIES", "content_type": ZIP},
    "attack": {"evaluated": "attacks.linkage:ROWS"},
    "candidate-attack": {
        "evaluated": "attacks.linkage:CANDIDATES",
        "release_names": ("anonymized", "candidate"),
        "names_both_teams": True,
    },
    "value-attack": {
        "evaluated": "attacks.values:VALUES",
        "content_type": CSV,
        "release_names": ("series", "people"),
    },
    "presentation": {"evaluated": "common.evaluation:SLIDES"},
    "batch": {"evaluated": "attacks.estimates:COUNTS", "content_type": CSV, "is_release": True},
    "interactive": {"evaluated": "attacks.estimates:COUNTS", "content_type": CSV, "is_asked": True},
}
ROUNDS = {
    kind.id: RoundFormat(
        kind.id, kind.phase, has_own_tables=kind.tables in OWN_TABLES, **ANSWERS[kind.id]
    )
    for kind in ROUND_KINDS.values()
}


def kinds_where(question: str) -> tuple[str, ...]:
    """The kinds of rounds for which the answer is yes, for a query of the database."""
    return tuple(kind for kind, format in ROUNDS.items() if getattr(format, question))


def load_evaluations() -> None:
    """Import what evaluates every kind of round: a worker does so before it forks."""
    for format in ROUNDS.values():
        _named(format.evaluated)


def _named(entry: str) -> Any:
    """An answer, imported when it is asked first: pages load no pandas."""
    module, _, name = entry.partition(":")
    return getattr(import_module(f"{__package__}.{module}"), name)
