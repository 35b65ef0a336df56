"""The rules of a contest in words, made from its ruleset, its rounds and its table's schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.template.defaultfilters import filesizeformat
from django.utils.formats import number_format
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from pwscup.contests.measure_words import (
    ENDS,
    FAMILIES,
    FAMILY_ENDS,
    NO_END,
    NOTHING_LOST,
    WORDS,
)
from pwscup.contests.measures import shown_measure
from pwscup.contests.models import Round
from pwscup.contests.rule_words import (
    COUNTS,
    FEEDBACK,
    FILE_FORMATS,
    KINDS,
    OPTIONS,
    ROLES,
)
from scoring.registry import MEASURES, Measure
from scoring.rulesets import RankingSpec, Ruleset, localized
from scoring.schema import Column, Kind, Schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scoring.rulesets import FileSpec, RoundSpec
    from scoring.rulesets.base import Limits, Options

MAX_VALUES_SHOWN = 30


@dataclass(frozen=True, slots=True)
class MeasureRule:
    """A measure in words: which way is better, and what the good and the bad end mean."""

    id: str
    name: str
    title: str
    words: str
    direction: str
    best: str
    worst: str
    definition: str
    is_measured: bool


@dataclass(frozen=True, slots=True)
class Family:
    title: str
    measures: tuple[MeasureRule, ...]


@dataclass(frozen=True, slots=True)
class FileRule:
    title: str
    format: str
    is_required: bool


@dataclass(frozen=True, slots=True)
class RoundRule:
    """A round in words; dates, tries and feedback are this contest's."""

    round: Round
    title: str
    description: str
    files: tuple[FileRule, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ColumnRule:
    name: str
    role: str
    kind: str
    cross: bool
    domain: str


@dataclass(frozen=True, slots=True)
class Rules:
    """What the rules page shows."""

    title: str
    version: str
    summary: str
    rounds: tuple[RoundRule, ...]
    columns: tuple[ColumnRule, ...]
    limits: tuple[str, ...]
    families: tuple[Family, ...]
    options: tuple[str, ...]
    attack_columns: tuple[str, ...]
    marking: tuple[str, ...]
    ranking: tuple[tuple[str, str], ...]


def rules_of(
    ruleset: Ruleset,
    rounds: Sequence[Round],
    schema: Schema | None,
    *,
    max_team_size: int,
    unmeasured: Iterable[str] = (),
) -> Rules:
    """The rules in the reader's language; `schema` is that of the contest's table, once there is one."""
    language = get_language() or "en"
    return Rules(
        title=localized(ruleset.title, language),
        version=f"{ruleset.id} {ruleset.version}",
        summary=localized(ruleset.summary, language),
        rounds=tuple(_round_rule(round, language) for round in rounds),
        columns=tuple(_column_rule(c) for c in schema.public().columns) if schema else (),
        limits=_limits(ruleset.limits, max_team_size),
        families=_families(ruleset.measures, set(unmeasured)),
        options=_options(ruleset.options),
        attack_columns=_attack_columns(schema, ruleset.measures),
        marking=_marking(ruleset) if _has_attack(ruleset) else (),
        ranking=_ranking(ruleset.ranking, has_attack=_has_attack(ruleset)),
    )


def _has_attack(ruleset: Ruleset) -> bool:
    return any(spec.kind == "attack" for spec in ruleset.rounds)


# Rounds and files


def _round_rule(round: Round, language: str) -> RoundRule:
    spec = round.spec
    return RoundRule(
        round=round,
        title=localized(spec.title, language),
        description=localized(spec.description, language),
        files=tuple(_file_rule(file, language) for file in spec.files),
        sentences=(
            _tries(round, spec),
            _("A file that is refused because of its form uses no try."),
            str(COUNTS[spec.counts]),
            str(FEEDBACK[spec.phase, round.feedback]),
        ),
    )


def _file_rule(file: FileSpec, language: str) -> FileRule:
    return FileRule(localized(file.title, language), str(FILE_FORMATS[file.kind]), file.required)


def _tries(round: Round, spec: RoundSpec) -> str:
    if spec.tries_per_target is not None:
        return ngettext(
            "%(n)d guess for each other team.", "%(n)d guesses for each other team.", round.tries
        ) % {"n": round.tries}
    return ngettext(
        "%(n)d submission for each team.", "%(n)d submissions for each team.", round.tries
    ) % {"n": round.tries}


def _column_rule(column: Column) -> ColumnRule:
    return ColumnRule(
        column.name, str(ROLES[column.role]), str(KINDS[column.kind]), column.cross, _domain(column)
    )


def _domain(column: Column) -> str:
    if column.values is not None:
        shown = ", ".join(value or _("(empty)") for value in column.values[:MAX_VALUES_SHOWN])
        more = len(column.values) - MAX_VALUES_SHOWN
        return shown if more <= 0 else _("%(values)s and %(n)d more") % {"values": shown, "n": more}
    if column.kind is Kind.CATEGORY:
        return _("any text")
    low, high = (
        None if bound is None else number_format(bound, force_grouping=True)
        for bound in (column.min, column.max)
    )
    if low is not None and high is not None:
        return _("%(low)s to %(high)s") % {"low": low, "high": high}
    if low is not None:
        return _("at least %(low)s") % {"low": low}
    return _("at most %(high)s") % {"high": high} if high is not None else _("any number")


def _limits(limits: Limits, max_team_size: int) -> tuple[str, ...]:
    records = (
        _("An anonymized table has at most as many records as the original.")
        if limits.max_records_factor == 1
        else _("An anonymized table has at most %(factor)s times as many records as the original.")
        % {"factor": number_format(limits.max_records_factor)}
    )
    members = ngettext(
        "A team has at most %(n)d member.", "A team has at most %(n)d members.", max_team_size
    )
    return (
        _("A file has at most %(size)s.") % {"size": filesizeformat(limits.max_file_bytes)},
        records,
        members % {"n": max_team_size},
        _("A person plays in one team of the contest; its organizers play in none."),
        _("A file counts as handed in when it has arrived; what arrives after the end is refused."),
    )


# Measures


def _families(measures: Iterable[str], unmeasured: set[str]) -> tuple[Family, ...]:
    chosen = [MEASURES[id_] for id_ in measures]
    families = dict.fromkeys(measure.family for measure in chosen)
    return tuple(
        Family(
            str(FAMILIES.get(family, family)),
            tuple(_measure_rule(m, m.id not in unmeasured) for m in chosen if m.family == family),
        )
        for family in families
    )


def _measure_rule(measure: Measure, is_measured: bool) -> MeasureRule:
    best, worst = _ends(measure)
    shown = shown_measure(measure.id)
    return MeasureRule(
        id=measure.id,
        name=measure.name,
        title=shown.title,
        words=str(WORDS.get(measure.id, "")),
        direction=shown.better,
        best=str(best),
        worst=str(worst),
        definition=measure.description,
        is_measured=is_measured,
    )


def _ends(measure: Measure) -> tuple[object, object]:
    if measure.id in ENDS:
        return ENDS[measure.id]
    if measure.family in FAMILY_ENDS:
        return FAMILY_ENDS[measure.family]
    low, high = f"{measure.low:g}", NO_END if measure.high is None else f"{measure.high:g}"
    if measure.direction == "higher":
        return high, low
    return (NOTHING_LOST if shown_measure(measure.id).is_loss else low), high


def _options(options: Options) -> tuple[str, ...]:
    return tuple(
        str(words) for (name, value), words in OPTIONS.items() if getattr(options, name) == value
    )


def _attack_columns(schema: Schema | None, measures: Iterable[str]) -> tuple[str, ...]:
    if schema is None:
        return ()
    columns = {"E2": schema.e2_column, "E4": schema.e4_column}
    return tuple(
        _("%(attack)s looks at the column %(column)s.") % {"attack": id_, "column": column}
        for id_, column in columns.items()
        if column is not None and id_ in measures
    )


# Attackers and ranking


def _marking(ruleset: Ruleset) -> tuple[str, ...]:
    return (
        _(
            "When the attack round opens, the submission that counts of every team is published: "
            "its table, the records shuffled. Everybody who attacks has it and the original table."
        ),
        _(
            "The row numbers never leave the server. A guess hits where it names the row that the "
            "anonymizing team declared for the record."
        ),
        _(
            "The re-identification rate of a guess file is its hits divided by the number of records "
            "of the published table."
        ),
    )


def _ranking(ranking: RankingSpec, *, has_attack: bool) -> tuple[tuple[str, str], ...]:
    lines = [
        (_("Utility rank"), _("mean of the ranks on %(ids)s") % {"ids": _ids(ranking.utility)}),
        (_("Safety rank"), _safety(ranking, has_attack=has_attack)),
        (
            _("Anonymization board"),
            _("mean of the utility rank and the safety rank; the lowest wins"),
        ),
    ]
    if has_attack:
        lines += [(_("Attack board"), _attack_board()), (_("Overall board"), _overall(ranking))]
    return (*lines, (_("Equal and missing values"), _ties()))


def _ids(ids: Sequence[str]) -> str:
    return ", ".join(ids)


def _safety(ranking: RankingSpec, *, has_attack: bool) -> str:
    if has_attack:
        words = _(
            "mean of the ranks on %(ids)s and on the worst re-identification rate: over %(attacks)s and, "
            "once the attack round has closed, over the guesses of every other team"
        )
    else:
        words = _(
            "mean of the ranks on %(ids)s and on the worst re-identification rate over %(attacks)s"
        )
    return words % {"ids": _ids(ranking.safety), "attacks": _ids(ranking.linkage)}


def _attack_board() -> str:
    return _(
        "mean re-identification rate over the tables of all other teams; the highest wins. "
        "A table without a valid guess counts 0, the team's own table does not count."
    )


def _overall(ranking: RankingSpec) -> str:
    return _(
        "%(anonymization)s × rank on the anonymization board + %(attack)s × rank on the attack board; "
        "the lowest wins"
    ) % {
        "anonymization": number_format(ranking.anonymization_weight),
        "attack": number_format(ranking.attack_weight),
    }


def _ties() -> str:
    return _(
        "equal values share the best rank (1, 1, 3); a value that is missing ranks as the number of teams"
    )
