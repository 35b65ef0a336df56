"""What the platform asks about a kind of round: one question a line, one entry a kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _

from pwscup.formats.files import CSV, ZIP
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
        return _named(self.evaluated)

    @property
    def player(self) -> Player | None:
        """How bots play."""
        return None if self.played is None else _named(self.played)

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


_LAST = _("The last one that was scored counts.")
_CHOSEN = _(
    "The submission that the team chooses counts; until it chooses, the latest that was scored."
)
_SHOWN_LATER = _("The values are shown after the round has closed.")
_TABLES: dict[str, Any] = {
    "counts": {"chosen_or_latest": _CHOSEN, "last": _LAST},
    "feedback": {
        "exact": _("The team sees every measure as soon as its submission is scored."),
        "coarse": _SHOWN_LATER,
        "after_close": _SHOWN_LATER,
    },
}
_GUESSES: dict[str, Any] = {
    "counts": {"last": _LAST},
    "feedback": {
        "exact": _("The attackers see the rate of a guess as soon as it is marked."),
        "coarse": _(
            "The attackers see the rate to the nearest ten per cent below as soon as a guess is marked, "
            "the exact one after the round has closed."
        ),
        "after_close": _(
            "The rates are shown after the round has closed: a rate after every guess would tell too much."
        ),
    },
}
_COUNTS: dict[str, Any] = {
    "evaluated": "attacks.estimates:COUNTS",
    "content_type": CSV,
    "counts": {"chosen_or_latest": _CHOSEN, "last": _LAST},
    "feedback": {
        "after_close": _(
            "How good an estimate is, is shown after the last round about the hidden table has closed: shown "
            "before, it would tell of that table what nobody has paid for."
        )
    },
}
ROUNDS = {
    format.kind: format
    for format in (
        RoundFormat(
            kind="anonymization",
            evaluated="common.evaluation:TABLES",
            played="common.bots:TABLES",
            content_type=None,
            todo=_(
                "Download the original table, anonymize it and hand in the result with its row numbers."
            ),
            deletions={False: _("A record is deleted by leaving it out of the table.")},
            **_TABLES,
        ),
        RoundFormat(
            kind="aligned-anonymization",
            evaluated="per_team.evaluation:TABLES",
            played="per_team.bots:TABLES",
            content_type=None,
            todo=_(
                "Download your team's own table, anonymize it and hand in the result, its records in the same order."
            ),
            deletions={
                True: _(
                    "Records stay on their lines. A deleted record is a line whose cells are all empty; a "
                    "line with some "
                    "empty cells is not deleted."
                ),
                False: _("Records stay on their lines, and none can be deleted."),
            },
            **_TABLES,
        ),
        RoundFormat(
            kind="series",
            evaluated="series.evaluation:SERIES",
            played="series.bots:SERIES",
            content_type=ZIP,
            todo=_(
                "Download your team's tables, publish a release of each and hand in all of them as one zip archive."
            ),
            deletions={
                False: _(
                    "A person is left out by its identifier in D1.csv, D2.csv and so on: from that release "
                    "on it has no row, "
                    "and it never comes back."
                )
            },
            **_TABLES,
        ),
        RoundFormat(
            kind="attack",
            evaluated="attacks.linkage:ROWS",
            played="common.bots:ROWS",
            content_type=None,
            todo=_("Download the other teams' tables and hand in a guess for each."),
            published=_(
                "When the attack round opens, the submission that counts of every team is published: "
                "its table, the records shuffled. Everybody who attacks has it and the original table."
            ),
            hits=_(
                "The row numbers never leave the server. A guess hits where it names the row that the "
                "anonymizing team declared for the record."
            ),
            **_GUESSES,
        ),
        RoundFormat(
            kind="candidate-attack",
            evaluated="attacks.linkage:CANDIDATES",
            played="per_team.bots:CANDIDATES",
            content_type=None,
            todo=_(
                "Download the other teams' tables with their candidates and hand in a guess for each."
            ),
            published=_(
                "When the attack round opens, the submission that counts of every team is published: "
                "its table, the records shuffled. Everybody who attacks has it and the team's table of candidates; "
                "only the team itself has its original table."
            ),
            hits=_(
                "Which record stands on which line never leaves the server. A guess hits where it names the "
                "candidate that is the record's original; a decoy is always a miss."
            ),
            release_names=("anonymized", "candidate"),
            names_both_teams=True,
            **_GUESSES,
        ),
        RoundFormat(
            kind="value-attack",
            evaluated="attacks.values:VALUES",
            played="series.bots:VALUES",
            content_type=CSV,
            todo=_(
                "Download the other teams' releases with their people and hand in a guess of the sensitive "
                "values for each."
            ),
            published=_(
                "When the attack round opens, the submission that counts of every team is published: its releases, "
                "rows sorted by group and value. Everybody who attacks has them and the team's people, the "
                "tables without the "
                "sensitive column: who was there when, with identifier and quasi-identifiers."
            ),
            hits=_(
                "The sensitive values never leave the server. A guess hits where it names the person's own value."
            ),
            rate=_(
                "The rate of a guess file is its accuracy over the baseline: its hits less those of the "
                "baseline, divided by "
                "the number of all people in the tables, those who were left out among them; 0 where the "
                "baseline has more. "
                "The baseline guesses for each person the most frequent value of the rows whose box holds "
                "the person in "
                "the first release of its life, or of all its rows where no box does; of equally frequent "
                "ones the one that "
                "sorts first. It counts for at most one in m of the people: what it finds beyond that, the "
                "publisher has told."
            ),
            release_names=("series", "people"),
            **_GUESSES,
        ),
        RoundFormat(
            kind="presentation",
            evaluated="common.evaluation:SLIDES",
            played=None,
            content_type=None,
            todo=_("Look up when your team presents, and hand in your slides before."),
            counts={"last": _("The last file that was accepted counts.")},
            feedback={"after_close": _("The marks are shown after the round has closed.")},
        ),
        RoundFormat(
            kind="batch",
            played="hidden.bots:RELEASED",
            todo=_(
                "Download the released table, estimate the target table from it and hand in the estimate."
            ),
            discloses=_(
                "The table is released once, over the columns %(columns)s: each value of each record is kept with "
                "some probability and otherwise drawn at random from all values of its column, such that the "
                "release as a whole is differentially private with ε = %(epsilon)s. All teams get the same."
            ),
            is_release=True,
            **_COUNTS,
        ),
        RoundFormat(
            kind="interactive",
            played="hidden.bots:ASKED",
            todo=_(
                "Ask for counts within your team's budget, estimate the target table and hand in the estimate."
            ),
            discloses=_(
                "Each team has a budget of ε = %(epsilon)s for queries about the columns %(columns)s, and "
                "says for each "
                "what of it the answer costs. An answer is a table of counts with Laplace noise of scale 2/ε, or of a "
                "single count with noise of scale 1/ε. The same query at the same ε is repeated for nothing."
            ),
            is_asked=True,
            **_COUNTS,
        ),
    )
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
