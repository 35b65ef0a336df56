# SPDX-License-Identifier: Apache-2.0
"""The questions of the platform to a format of contests: one per line, and the only list of them.

A format is a package next to this module, named as `tables` in its rulesets. Each of its modules answers one of the
protocols below, or a part of it where the format is `like` another one; it is imported when it is asked first, so
that pages load no pandas.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from types import ModuleType

    from django.utils.functional import _StrPromise

    from pwscup.accounts.models import Team
    from pwscup.contests.forms import FileForm, VersionedForm
    from pwscup.contests.models import Contest, Dataset, TableDraft
    from pwscup.contests.rules.ranking_texts import Part
    from pwscup.leaderboards.boards.attack_texts import AttackTexts
    from scoring.rulesets import RoundSpec, Ruleset
    from scoring.tables.schema import Role, Schema

    Text = str | _StrPromise


Ticked = Mapping[str, Collection[str]]
"""The names of the ticked columns, by tick."""
NOTHING_TICKED: Ticked = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Described:
    """An organizer's file of unknown columns: a suggested schema, and statistics for the decision."""

    schema: Schema
    columns: list[dict[str, Any]]
    n_records: int


@dataclass(frozen=True, slots=True)
class Parts:
    """The stored parts of an organizer's file; `n_available` is the number of units for teams."""

    whole: bytes
    public: bytes
    n_records: int
    samples: Mapping[str, bytes] = field(default_factory=dict)
    n_tables: int | None = None
    n_people: int | None = None

    @property
    def n_available(self) -> int:
        return self.n_records if self.n_people is None else self.n_people


class Table(Protocol):
    """Reading the organizer's file: every method raises `scoring.errors.ProblemsFound` with all its errors."""

    def describe(self, data: bytes) -> Described:
        """The content of an uploaded file."""

    def generated(self, ruleset: Ruleset, **chosen: int) -> tuple[str, bytes, Described]:
        """Name, bytes and description of a synthetic file, with the arguments of `Setup.GENERATE_FORM`."""

    def check(self, data: bytes, schema: Schema) -> None:
        """Read the file with its schema without storing anything."""

    def check_draw(self, data: bytes, schema: Schema, ruleset: Ruleset) -> None:
        """Refuse a file with too few of the records that the rules draw by their values."""

    def prepare(self, data: bytes, schema: Schema) -> Parts:
        """Read the file with its schema and create the stored parts."""

    def tick_notes(self, data: bytes, schema: Schema, ruleset: Ruleset) -> list[str]:
        """The consequences of the ticks for organizers that follow from the file."""

    def unmeasured(self, schema: Schema, ruleset: Ruleset) -> tuple[str, ...]:
        """The ruleset's measures without a value under this schema."""


class Setup(Protocol):
    """The organizer's page of that file. It loads no pandas."""

    UPLOAD_FORM: type[FileForm]
    GENERATE_FORM: type[VersionedForm]
    ROLES: Mapping[Role, Text]
    """The roles of columns."""
    FILE_TITLES: Mapping[str, str]
    """The names of files inside the upload in error messages."""
    CONFIRMED: Text
    TICKS: Mapping[str, Text]
    """Choices for each column that become part of the rules, by name."""

    def proposed(self, ruleset: Ruleset) -> dict[str, int]:
        """Initial values of `GENERATE_FORM` under these rules, if they are not the form's own."""

    def generated(self, ruleset: Ruleset) -> Text:
        """The content of a generated file."""

    def ticked(self, ruleset: Ruleset, schema: Schema) -> Ticked:
        """The ticked columns by these rules, or a suggestion if the rules are about another table."""

    def rules_with(self, ruleset: Ruleset, schema: Schema, ticked: Ticked) -> Ruleset:
        """The rules for the ticked columns; raise `ProblemsFound` if they cannot be chosen so."""

    def tick_notes(self, ruleset: Ruleset, schema: Schema) -> list[str]:
        """The consequences of the ticks for organizers, as far as they follow from the columns."""

    def check_columns(self, ruleset: Ruleset, schema: Schema) -> None:
        """Raise `ProblemsFound` if the columns do not match the rules of the format."""

    def shown_schema(self, schema: Schema) -> Schema:
        """The columns that participants get."""

    def lacking(self, ruleset: Ruleset, got: int, expected: int) -> Text:
        """The message that the file has fewer records, or individuals, than the rules need."""

    def warnings(
        self, contest: Contest, schema: Schema, draft: TableDraft | None, dataset: Dataset | None
    ) -> list[str]:
        """Warnings about these columns for organizers."""


class Rules(Protocol):
    """The rules and results of the format as text."""

    # Headings of families of measures: on the page of the rules, and in the table of a submission's measures.
    FAMILIES: Mapping[str, Text]
    SHORT_FAMILIES: Mapping[str, Text]
    HEADLINE: tuple[str, ...] | None
    """The measures that a line about a submission shows; None shows all."""
    # The definition of the attack board.
    ATTACK_BOARD: Text

    def parts(self, ruleset: Ruleset) -> Mapping[str, Part]:
        """The components of formulas."""

    def formulas(self, ruleset: Ruleset) -> Mapping[str, Text]:
        """The meaning of formulas."""

    def data(self, ruleset: Ruleset) -> tuple[str, ...]:
        """The distribution of the organizer's table."""

    def contents(self, ruleset: Ruleset, deletions: tuple[str, ...]) -> tuple[str, ...]:
        """The content of a submission; `deletions` are the sentences about allowed deletions."""

    def round_sentence(self, ruleset: Ruleset, spec: RoundSpec) -> str:
        """An additional sentence about a round of this kind; it may be empty."""

    def drawing(self, ruleset: Ruleset) -> tuple[str, ...]:
        """The measures of the ruleset whose values depend on a seed."""

    def asked(self, ruleset: Ruleset) -> dict[str, Any]:
        """The requirements of the ruleset in the part `requirements` of the page of a round."""

    def risks(self, ruleset: Ruleset) -> tuple[str, ...]:
        """The attacker's method of computing the risk measures."""


class Texts(Protocol):
    """Short texts of pages; longer parts of pages are templates, see `part` in `pwscup.core.templatetags`."""

    # The round in which tables are anonymized.
    SUBMIT_TITLE: Text
    DATA_TITLE: Text
    SAMPLE_LEAD: Text
    NOTE_EXAMPLE: Text
    ROW: Text
    AUDIT: Text
    # The round in which they are attacked.
    NOTHING_PUBLISHED: Text
    PREPARING_TITLE: Text
    PREPARING_LEAD: Text
    PUBLISHED_TITLE: Text
    OTHERS_FILES: Text
    OWN_TARGET: Text
    GUESS_EXAMPLE: Text
    NEWS_TITLE: Text
    NEWS_TEXT: Text
    # The organizer's page of the data.
    CHECKED: Text
    COLUMNS_TITLE: Text
    DRAFT_KEPT: Text
    ORIGINAL_LINK: Text
    USE: Text
    REVEAL_NOW: Text
    REVEAL_LATER: Text
    # The rules: the purpose of columns, if some span the cells of measures, and if none do.
    COLUMNS_OF_CELLS: Text
    COLUMNS: Text
    BOTS: Mapping[str, Text]
    """The behavior of each baseline team in a contest of this format, a sentence by name."""


class Boards(Protocol):
    """Texts of boards and reports about attacks."""

    def attack(self, ruleset: Ruleset) -> AttackTexts:
        """The words for the results of attacks under these rules."""

    def risks(self, ruleset: Ruleset) -> str:
        """The meaning of risk measures under these rules; it may be empty."""


class Audits(Protocol):
    """The analyses of a submission by the library, on a page and in a report."""

    def attacks(self) -> list[tuple[str, str]]:
        """The parts of an audit, by name and title."""

    def summary(self, found: Any) -> dict[str, Any]:
        """The stored part of the result of `TableEvaluation.audited`."""

    def report(
        self,
        found: Any,
        facts: Mapping[str, str],
        *,
        language: str,
        translate: Callable[[str], str],
    ) -> str:
        """The report for download, as HTML."""

    def results(self, values: dict[str, Any]) -> dict[str, Any]:
        """The context of the part `audit` of the page for a summary."""


class Debriefing(Protocol):
    """The explanation of a finished contest to a team about its own table or estimate. It loads no pandas."""

    def shown(self, values: dict[str, Any], hidden: Collection[str]) -> dict[str, Any]:
        """The context of the part `debriefing` of the page; the values of `hidden` measures are left out."""


class Draw(Protocol):
    """The own data of each team; required for formats with `own_tables`."""

    def drawn(
        self, team: Team, known: dict[int, Any], numbers: tuple[int | None, ...]
    ) -> Dataset | None:
        """Draw the team's originals of these numbers now and keep them; None where nothing is left for it.

        `known` keeps by contest what is read for a draw, for several teams one after another.
        """


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of several modules: for each name, the first that has it."""

    modules: tuple[ModuleType, ...]

    def __getattr__(self, name: str) -> Any:
        for module in self.modules:
            if hasattr(module, name):
                return getattr(module, name)
        raise AttributeError(f"{name} is answered by none of {[m.__name__ for m in self.modules]}")


@dataclass(frozen=True)
class Format:
    """A format: the distribution of the organizer's file, and the modules with the answers to the questions above."""

    name: str
    like: tuple[str, ...] = ()
    """The formats with the remaining answers, the nearest first; without any it has all answers itself."""
    gives_table: bool = False
    """All teams get the organizer's table, and anonymize the same one."""
    own_tables: bool = False
    """Each team anonymizes its own part, and nobody gets the whole."""
    hides_table: bool = False
    """Nobody gets any of it except through rounds of disclosure."""
    shares_out_people: bool = False
    """No individual is in the tables of two teams, so the individuals may be exhausted."""
    has_sample: bool = True
    """Teams get a sample submission."""
    rewrites_files: bool = False
    """The stored file is rewritten by the library."""
    declares_rows: bool = True
    """Teams declare the original record of each record."""
    has_cross_columns: bool = True
    """Some columns span the cells of measures."""
    has_public_part: bool = False
    """Teams get the file without the columns that are hidden."""
    has_notebook: bool = False
    """Teams get a notebook with the way from their table to their submissions."""
    offers_trials: bool = False
    """Teams of a new contest may try methods in the browser, unless its organizer switches that off."""
    suffix: str = "csv"
    """The suffix of a file of tables."""

    @cached_property
    def table(self) -> Table:
        return cast(Table, self._answers("table"))

    @cached_property
    def setup(self) -> Setup:
        return cast(Setup, self._answers("setup"))

    @cached_property
    def rules(self) -> Rules:
        return cast(Rules, self._answers("rules"))

    @cached_property
    def texts(self) -> Texts:
        return cast(Texts, self._answers("texts"))

    def templates(self, part: str) -> list[str]:
        """The template of a part of a page: the format's own, or that of a format that it is like."""
        return [f"formats/{name}/{part}.html" for name in self._names]

    @property
    def notebook(self) -> str:
        """The template of the notebook, see `pwscup.contests.notebook`."""
        return f"formats/{self.name}/notebook.txt"

    @cached_property
    def boards(self) -> Boards:
        return cast(Boards, self._answers("boards"))

    @cached_property
    def audits(self) -> Audits:
        return cast(Audits, self._answers("audits"))

    @cached_property
    def debriefing(self) -> Debriefing:
        return cast(Debriefing, self._answers("debriefing"))

    @cached_property
    def draw(self) -> Draw:
        return cast(Draw, self._answers("draw"))

    @property
    def _names(self) -> tuple[str, ...]:
        """The packages with answers, the format's own first."""
        return (self.name, *self.like)

    def _answers(self, part: str) -> Any:
        names = (f"{__package__}.{name}.{part}" for name in self._names)
        return Answers(tuple(import_module(name) for name in names if find_spec(name)))
