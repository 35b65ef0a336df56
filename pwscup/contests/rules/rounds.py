# SPDX-License-Identifier: Apache-2.0
"""The data, stages and rounds of a ruleset as text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from pwscup.contests.rules.asked import asked_sentences
from pwscup.contests.rules.ranking import share
from pwscup.contests.rules.texts import (
    MARKING,
    TRUTH,
)
from pwscup.core.texts.parts import joined
from pwscup.formats import FILES, ROUNDS, format_of
from scoring.rulesets import localized
from scoring.scores.ladder import disclosed_bits

if TYPE_CHECKING:
    from datetime import datetime

    from scoring.rulesets import FileSpec, RoundSpec, Ruleset

EXAMPLE = 100
MINUTES_PER_HOUR = 60
MINUTES_PER_DAY = 24 * MINUTES_PER_HOUR


class ShownRound(Protocol):
    """The facts about a round beyond its specification: of a round of a contest, or of a plan."""

    @property
    def spec(self) -> RoundSpec: ...
    @property
    def tries(self) -> int: ...
    @property
    def tries_per_day(self) -> int | None: ...
    @property
    def feedback(self) -> str: ...
    @property
    def opens_at(self) -> datetime | None: ...
    @property
    def closes_at(self) -> datetime | None: ...


@dataclass(frozen=True, slots=True)
class PlannedRound:
    """A round as proposed by its ruleset; it has a length but no dates."""

    spec: RoundSpec
    opens_at: None = None
    closes_at: None = None

    @property
    def tries(self) -> int:
        return self.spec.tries or self.spec.tries_per_target or 1

    @property
    def tries_per_day(self) -> int | None:
        return self.spec.tries_per_day

    @property
    def feedback(self) -> str:
        return self.spec.feedback


@dataclass(frozen=True, slots=True)
class FileRule:
    title: str
    format: str
    columns: tuple[str, ...]
    """Those of the file, if it has not all of them."""
    unless: str
    """When it may be left out; empty for a file that is required."""


@dataclass(frozen=True, slots=True)
class RoundRule:
    """A round as text; dates, attempts and feedback are those of the contest, if there is one."""

    key: str
    title: str
    stage: str
    opens_at: datetime | None
    closes_at: datetime | None
    length: str
    description: str
    files: tuple[FileRule, ...]
    criteria: tuple[str, ...]
    brief: tuple[str, ...]
    """The number of attempts and the submission that counts; `sentences` has these, too."""
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StageRule:
    """A stage as text: its rounds, and its weight."""

    title: str
    rounds: tuple[str, ...]
    share: str


# Rounds


def round_rule(round: ShownRound, ruleset: Ruleset, language: str) -> RoundRule:
    """A round with its files, and the sentences about attempts and results."""
    spec = round.spec
    stage = localized(ruleset.stage(spec.stage).title, language)
    return RoundRule(
        key=spec.key,
        title=localized(spec.title, language),
        stage=stage if len(ruleset.stages) > 1 else "",
        opens_at=round.opens_at,
        closes_at=round.closes_at,
        length=length(spec.minutes),
        description=localized(spec.description, language),
        files=tuple(_file_rule(file, ruleset, language) for file in spec.files),
        criteria=tuple(localized(criterion.title, language) for criterion in spec.criteria),
        brief=(*_attempts(round), _counted(spec)),
        sentences=_sentences(round, ruleset),
    )


def _file_rule(file: FileSpec, ruleset: Ruleset, language: str) -> FileRule:
    kind, columns = FILES[file.kind], ruleset.data.columns_of(file.key)
    text = str(kind.text)
    if columns:
        text = joined(text, _("Of these columns each file has only those named next to it."))
    unless = "" if file.required else str(kind.unless)
    return FileRule(localized(file.title, language), text, columns or (), unless)


def _sentences(round: ShownRound, ruleset: Ruleset) -> tuple[str, ...]:
    spec = round.spec
    said = [
        *_attempts(round),
        _("A file that is refused because of its format uses no attempt."),
        _counted(spec),
        str(ROUNDS[spec.kind].feedback[round.feedback]),
        _disclosed(round, ruleset),
    ]
    said[:0] = asked_sentences(spec, get_language() or "en")
    said.insert(0, format_of(ruleset).rules.round_sentence(ruleset, spec))
    if spec.is_organizers:
        said.insert(0, _("The organizers publish the tables of this round; teams attack them."))
    return tuple(sentence for sentence in said if sentence)


def _disclosed(round: ShownRound, ruleset: Ruleset) -> str:
    """The amount that feedback before the end discloses of the sealed answers."""
    bits = disclosed_by(round.feedback, round, ruleset)
    if not bits:
        return ""
    return _(
        "By this feedback %(attempts)s guesses about a table disclose at most %(bits)s bits about the true answers, "
        "where %(n)s records are asked."
    ) % {"attempts": round.tries, "bits": math.ceil(bits), "n": n_asked(round.spec, ruleset)}


def disclosed_by(feedback: str, round: ShownRound, ruleset: Ruleset) -> float:
    """The most bits about the true answers that all guesses about a table disclose by this feedback; 0 for others."""
    spec = round.spec
    if not ROUNDS[spec.kind].has_targets:
        return 0.0
    n_bands, n = len(spec.bands), n_asked(spec, ruleset)
    return disclosed_bits(feedback, round.tries, n, chance=spec.chance, n_bands=n_bands)


def n_asked(spec: RoundSpec, ruleset: Ruleset) -> int:
    """The records of a table that a guess is about; 100 as an example where the rules do not say."""
    own = ruleset.data.n_own or EXAMPLE
    return max((question.targets or own for question in spec.questions), default=own)


def _counted(spec: RoundSpec) -> str:
    return str(ROUNDS[spec.kind].counts[spec.counts])


def _attempts(round: ShownRound) -> tuple[str, ...]:
    said = (_tries(round), _tries_in_all(round), _tries_per_day(round))
    return tuple(sentence for sentence in said if sentence)


def _tries(round: ShownRound) -> str:
    if round.spec.tries_per_target is not None:
        return ngettext(
            "%(n)d guess for each other team.", "%(n)d guesses for each other team.", round.tries
        ) % {"n": round.tries}
    return ngettext(
        "%(n)d submission for each team.", "%(n)d submissions for each team.", round.tries
    ) % {"n": round.tries}


def _tries_in_all(round: ShownRound) -> str:
    n = round.spec.tries_in_all
    if n is None:
        return ""
    return ngettext(
        "%(n)d guess in the whole round, against all other teams together.",
        "%(n)d guesses in the whole round, against all other teams together.",
        n,
    ) % {"n": n}


def _tries_per_day(round: ShownRound) -> str:
    n = round.tries_per_day
    if n is None:
        return ""
    if round.spec.tries_per_target is not None:
        words = ngettext(
            "At most %(n)d guess for each other team on a calendar day of the contest's time zone.",
            "At most %(n)d guesses for each other team on a calendar day of the contest's time zone.",
            n,
        )
    else:
        words = ngettext(
            "At most %(n)d submission for each team on a calendar day of the contest's time zone.",
            "At most %(n)d submissions for each team on a calendar day of the contest's time zone.",
            n,
        )
    return words % {"n": n}


def length(minutes: int) -> str:
    """The length of a round, in the largest unit that gives a whole number."""
    if minutes % MINUTES_PER_DAY == 0:
        n = minutes // MINUTES_PER_DAY
        return ngettext("%(n)d day", "%(n)d days", n) % {"n": n}
    if minutes % MINUTES_PER_HOUR == 0:
        n = minutes // MINUTES_PER_HOUR
        return ngettext("%(n)d hour", "%(n)d hours", n) % {"n": n}
    return ngettext("%(n)d minute", "%(n)d minutes", minutes) % {"n": minutes}


# The season, the data and what is valid


def stage_rules(ruleset: Ruleset, language: str) -> tuple[StageRule, ...]:
    """The stages, if there are several."""
    if len(ruleset.stages) == 1:
        return ()
    return tuple(
        StageRule(
            title=localized(stage.title, language),
            rounds=tuple(localized(r.title, language) for r in ruleset.rounds_of(stage.key)),
            share=share(stage, ruleset.stages),
        )
        for stage in ruleset.stages
    )


def data_sentences(ruleset: Ruleset) -> tuple[str, ...]:
    """The data of each team, and the allowed content of an anonymized table or the target of an estimate."""
    rules, has_blanks = format_of(ruleset).rules, ruleset.validity.blank_records
    kinds = dict.fromkeys(r.kind for r in ruleset.rounds if ROUNDS[r.kind].is_attacked)
    deletions = tuple(str(ROUNDS[kind].deletions[has_blanks]) for kind in kinds)
    return (*rules.data(ruleset), *rules.contents(ruleset, deletions))


# Attackers


def marking_sentences(ruleset: Ruleset, language: str) -> tuple[str, ...]:
    """The data of attackers and the evaluation of guesses; round by round only if rounds differ."""
    attacks = [spec for spec in ruleset.rounds if ROUNDS[spec.kind].has_targets]
    said = {spec.key: _marked(spec) for spec in attacks}
    if len(set(said.values())) <= 1:
        return next(iter(said.values()), ())
    return tuple(
        _("%(round)s: %(sentence)s") % {"round": localized(spec.title, language), "sentence": words}
        for spec in attacks
        for words in said[spec.key]
    )


def _marked(spec: RoundSpec) -> tuple[str, ...]:
    format = ROUNDS[spec.kind]
    published = (str(format.published),) if spec.gives else ()
    hits = TRUTH.get(spec.truth, format.hits)
    if format.asks_questions and spec.truth in TRUTH:
        hits = joined(str(format.hits), str(hits))
    return (*published, str(hits), str(format.rate or MARKING[spec.marking]))
