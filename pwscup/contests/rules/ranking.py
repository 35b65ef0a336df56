# SPDX-License-Identifier: Apache-2.0
"""The ranking of a ruleset as text: headings and their measures, or a formula with its scores and settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.formats import number_format
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from pwscup.contests.rules.own_measures import utility_formula
from pwscup.contests.rules.ranking_texts import (
    AVERAGES,
    BASELINES,
    CHOICES,
    CLAIMS,
    LAST_STAGE,
    LOST,
    ON_BOARD,
    REPEATS,
    SACRIFICES,
    SAFETY,
    SCORES,
    SEASONS,
    SHARED_RANKS,
    TIE_BREAKS,
    TIES,
    TOP_K,
    TOTAL_ON,
    UNION,
    WINS,
)
from pwscup.core.texts.foreign import translated
from pwscup.core.texts.parts import joined, listed, noted
from pwscup.formats import ROUNDS, format_of
from scoring.formulas import (
    ESTIMATE_RANKS,
    FINAL,
    MEASURE_RANKS,
    OF_LISTED,
    OVER_BOARDS,
    binomial_threshold,
    direction_of,
)
from scoring.formulas import FORMULAS as LIBRARY
from scoring.rulesets import localized

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scoring.rulesets import RankingSpec, Ruleset, StageSpec
    from scoring.rulesets.base import BoardSpec

CLAIMED = ("E1", "E2", "E3", "E4", "EUC1", "EUC2")
"""Measures that depend on the declared rows."""
CLAIMLESS = "nearest-link"
"""The measure that does not."""
Lines = list[tuple[str, str]]
"""A name and its meaning, in the order of the page."""


def has_attack(ruleset: Ruleset) -> bool:
    """The ruleset has a round in which tables are attacked."""
    return any(ROUNDS[spec.kind].has_targets for spec in ruleset.rounds)


def ranking_lines(ruleset: Ruleset) -> tuple[tuple[str, str], ...]:
    """The boards and their components."""
    if ruleset.boards:
        return tuple(_board_lines(ruleset))
    ranking = ruleset.ranking
    by_ranks = ranking.formula in (MEASURE_RANKS, ESTIMATE_RANKS)
    if ranking.formula == ESTIMATE_RANKS:
        lines = _estimate_lines(ruleset)
    else:
        lines = _rank_lines(ruleset) if by_ranks else _score_lines(ruleset)
    if len([stage for stage in ruleset.stages if stage.weight]) > 1:
        lines.append((_("Season"), _season(ruleset.stages, direction_of(ranking.formula))))
    lines += [(_("Limits of this ranking"), text) for text in weaknesses(ruleset)]
    if ranking.shares_ranks:
        lines.append((_("Shared ranks"), str(SHARED_RANKS)))
    if ranking.tie_breaks:
        if by_ranks:
            lines += _parts(ranking.tie_breaks, ruleset)
        lines.append((_("Equal totals"), _tie_breaks(ranking.tie_breaks)))
    lines.append((_("Equal and missing values"), _ties() if by_ranks else _missing_scores()))
    return tuple(lines)


# A list of boards


def _board_lines(ruleset: Ruleset) -> Lines:
    """The scores, each board of the list with its season, and what all of them share."""
    boards, weighted = ruleset.boards, [stage for stage in ruleset.stages if stage.weight]
    used = {spec.key: OF_LISTED[spec.formula].used(spec.settings) for spec in boards}
    named = {part for spec in boards for part in (*used[spec.key], *spec.tie_breaks)}
    lines = _parts([name for name in SCORES if name in named], ruleset)
    for spec in boards:
        said = [_total(ruleset, spec)]
        if spec.tie_breaks:
            said.append(str(TIES) % {"order": _order(spec.tie_breaks, ruleset)})
        if len(weighted) > 1:
            said.append(_season_of(spec, ruleset))
        lines.append((_title(spec), joined(*(sentence(text) for text in said))))
    lines += _shared(ruleset)
    lines.append((_("Equal and missing values"), _missing_scores()))
    return lines


def _title(spec: BoardSpec) -> str:
    return localized(spec.title, get_language() or "en")


def sentence(text: str) -> str:
    """The text with a full stop."""
    if text.endswith((".", "。")):
        return text
    return _("%(text)s.") % {"text": text}


def _season_of(spec: BoardSpec, ruleset: Ruleset) -> str:
    weights = " : ".join(_number(stage.weight) for stage in ruleset.stages if stage.weight)
    words = str(SEASONS[spec.season]) % {"weights": weights, "board": _title(spec)}
    if spec.season_tie_breaks:
        order = _order(spec.season_tie_breaks, ruleset)
        words = joined(sentence(words), str(TIES) % {"order": order})
    return words


def _order(names: Sequence[str], ruleset: Ruleset) -> str:
    titles = {spec.key: str(ON_BOARD) % {"board": _title(spec)} for spec in ruleset.boards}
    titles[FINAL] = str(LAST_STAGE)
    return _(", then ").join(str(TIE_BREAKS.get(name) or titles[name]) for name in names)


def _shared(ruleset: Ruleset) -> Lines:
    """Further rules: attackers without a rank, lost tables, and the penalty for records that many found."""
    ranking, said = ruleset.ranking, []
    said += [str(BASELINES[name]) for name in ranking.baselines]
    said += [str(LOST)] if ranking.disqualified == "lost" else []
    said += [str(REPEATS)] if ranking.penalty == "repeats" else []
    said += [str(SHARED_RANKS)] if ranking.shares_ranks else []
    return [(_("Also"), joined(*said))] if said else []


# Boards made of ranks


def _rank_lines(ruleset: Ruleset) -> Lines:
    ranking, attacked = ruleset.ranking, has_attack(ruleset)
    lines = [
        (
            _("Utility rank"),
            _("mean of the ranks on %(ids)s")
            % {"ids": _weighted(ranking.utility, ruleset.weights)},
        ),
        (_("Safety rank"), _safety(ruleset, attacked=attacked)),
        (
            _("Anonymization board"),
            _("mean of the utility rank and the safety rank; the lowest wins"),
        ),
    ]
    if attacked:
        board = joined(format_of(ruleset).rules.ATTACK_BOARD, *_average(ranking))
        lines += [(_("Attack board"), board), (_("Overall board"), _overall(ranking))]
    return lines


def _estimate_lines(ruleset: Ruleset) -> Lines:
    """The boards of rounds in which counts of a hidden table are estimated."""
    measures = _weighted(ruleset.ranking.utility, ruleset.weights)
    return [
        (
            _("Board of each round"),
            _("mean of the ranks on %(ids)s; the lowest wins") % {"ids": measures},
        ),
        (_("Comparison"), _("mean of the totals of the rounds; the lowest wins")),
    ]


def _weighted(ids: Sequence[str], weights: Mapping[str, float]) -> str:
    """The measures, with their weights unless these are all 1."""
    if all(weights[id_] == 1 for id_ in ids):
        return listed(ids)
    return listed(
        _("%(id)s (weight %(weight)s)") % {"id": id_, "weight": _number(weights[id_])}
        for id_ in ids
    )


def _safety(ruleset: Ruleset, *, attacked: bool) -> str:
    ranking = ruleset.ranking
    if not (format_of(ruleset).declares_rows and ranking.linkage):
        words = str(SAFETY[attacked, bool(ranking.linkage)])
    elif attacked:
        words = _(
            "mean of the ranks on %(ids)s and on the worst re-identification rate: over %(attacks)s and, "
            "once the attack round has closed, over the guesses of every other team"
        )
    else:
        words = _(
            "mean of the ranks on %(ids)s and on the worst re-identification rate over %(attacks)s"
        )
    ids = _weighted(ranking.safety, ruleset.weights)
    return words % {"ids": ids, "attacks": listed(ranking.linkage)}


def _average(ranking: RankingSpec) -> list[str]:
    """The aggregation of attackers' rates, if it is not the mean."""
    return [str(AVERAGES[ranking.attackers])] if ranking.attackers in AVERAGES else []


def weaknesses(ruleset: Ruleset) -> tuple[str, ...]:
    """Ways to gain from the ranking without protecting anybody; each has a countermeasure in the rules."""
    ranking, found = ruleset.ranking, []
    is_ranked_by_attacks = ranking.formula == MEASURE_RANKS and has_attack(ruleset)
    if not (format_of(ruleset).declares_rows and is_ranked_by_attacks):
        return ()
    if set(ranking.linkage) & set(CLAIMED) and CLAIMLESS not in (*ranking.safety, *ranking.linkage):
        found.append(str(CLAIMS))
    if ranking.attackers not in AVERAGES:
        found.append(str(SACRIFICES))
    return tuple(found)


def _overall(ranking: RankingSpec) -> str:
    return _(
        "%(anonymization)s × rank on the anonymization board + %(attack)s × rank on the attack board; "
        "the lowest wins"
    ) % {
        "anonymization": _number(ranking.anonymization_weight),
        "attack": _number(ranking.attack_weight),
    }


def _ties() -> str:
    return _(
        "equal values share the best rank (1, 1, 3); a value that is missing ranks as the number of teams"
    )


# A formula of scores


def _score_lines(ruleset: Ruleset) -> Lines:
    ranking = ruleset.ranking
    named = {*LIBRARY[ranking.formula].used(ranking.settings), *ranking.tie_breaks}
    lines = _parts([name for name in SCORES if name in named], ruleset)
    lines.append((_("Total"), _total(ruleset, ruleset.score_boards[0])))
    lines += _shared(ruleset)
    counting = _counting(ranking.utility_measure, ruleset)
    shown = [id_ for id_ in ruleset.measures if id_ not in counting]
    if shown:
        words = _("%(ids)s are shown and do not count") % {"ids": listed(shown)}
        lines.append((_("Other measures"), words))
    return lines


def _counting(id_: str | None, ruleset: Ruleset) -> set[str]:
    """The measure of utility, and those that it is made of."""
    if id_ is None:
        return set()
    of = (term.measure.id for term in ruleset.measure(id_).terms)
    return {id_}.union(*(_counting(part, ruleset) for part in of))


def _parts(names: Iterable[str], ruleset: Ruleset) -> Lines:
    """The scores among these names."""
    parts = format_of(ruleset).rules.parts(ruleset)
    formula = {"formula": utility_formula(ruleset.ranking)}
    found = [(name, parts[name]) for name in names if name in parts]
    lines = [(str(part.title), str(part.words) % formula, name) for name, part in found]
    averaged = {"attack": _average(ruleset.ranking)}
    return [(title, joined(text, *averaged.get(name, []))) for title, text, name in lines]


def _total(ruleset: Ruleset, spec: BoardSpec) -> str:
    if spec.formula in OVER_BOARDS:
        return _over_boards(ruleset, spec)
    formulas = format_of(ruleset).rules.formulas(ruleset)
    if spec.formula not in formulas:
        return _titled(spec)
    settings: dict[str, Any] = LIBRARY[spec.formula].with_defaults(spec.settings)
    params: dict[str, object] = {
        name: CHOICES.get(name, {}).get(value, value) if isinstance(value, str) else _number(value)
        for name, value in settings.items()
    }
    text = str(formulas[spec.formula])
    if spec.formula == "weighted-sum":
        params = {"terms": _weighted_parts(settings)}
    if spec.formula == "top-k-attack" and {*spec.settings} - {"k"}:
        text = str(TOP_K)
        if spec.boards:
            title = _title(ruleset.board(spec.boards[0]))
            params["of"] = str(TOTAL_ON) % {"board": title}
    if "bound" in settings:
        n, bound = int(settings["n"]), str(settings["bound"])
        hits = binomial_threshold(n, settings["p"], settings["alpha"], bound)
        params |= {"hits": _number(hits), "rate": _number(round(100 * hits / n, 2))}
        params["measure"] = ruleset.ranking.loss_measure
        text = joined(text, UNION) if bound == "union" else text
    return text % params


def _titled(spec: BoardSpec) -> str:
    """A formula that has no sentence of the platform's: that of its plugin or its title, and its settings."""
    formula = LIBRARY[spec.formula]
    own = formula.texts.get("text")
    text = localized(own, get_language() or "en") if own else translated(formula.title)
    chosen = formula.with_defaults(spec.settings).items()
    settings = [
        f"{name} = {value if isinstance(value, str) else _number(value)}" for name, value in chosen
    ]
    terms = noted(text.rstrip(".。"), listed(settings)) if settings else text.rstrip(".。")
    return str(WINS[spec.direction]) % {"terms": terms}


def _over_boards(ruleset: Ruleset, spec: BoardSpec) -> str:
    value = {"board-ranks": ON_BOARD, "board-totals": TOTAL_ON}[spec.formula]
    terms = " + ".join(
        _("%(weight)s × %(part)s")
        % {"weight": _number(weight), "part": str(value) % {"board": _title(ruleset.board(key))}}
        for key, weight in zip(spec.boards, spec.weights, strict=True)
    )
    return str(WINS[spec.direction]) % {"terms": terms}


def _weighted_parts(weights: Mapping[str, Any]) -> str:
    return " + ".join(
        _("%(weight)s × %(part)s") % {"weight": _number(weight), "part": SCORES[name].title}
        for name, weight in weights.items()
        if weight
    )


def _tie_breaks(names: Sequence[str]) -> str:
    order = _(", then ").join(str(TIE_BREAKS[name]) for name in names)
    return _("decided by %(order)s") % {"order": order}


def _missing_scores() -> str:
    return _(
        "teams that stay equal share the best rank (1, 1, 3); a score that is missing counts 0, and a "
        "team without any ranks as the number of teams"
    )


# Stages


def share(stage: StageSpec, stages: Sequence[StageSpec]) -> str:
    """The weight of a stage in the season, as text."""
    whole = sum(other.weight for other in stages)
    if not stage.weight:
        return _("does not count")
    percent = _number(round(100 * stage.weight / whole, 2))
    return _("%(percent)s %% of the season's total") % {"percent": percent}


def _season(stages: Sequence[StageSpec], direction: str) -> str:
    weights = " : ".join(_number(stage.weight) for stage in stages if stage.weight)
    if direction == "higher":
        words = _(
            "mean of the stages' totals, weighted %(weights)s; a missing total counts 0; the highest wins"
        )
    else:
        words = _(
            "mean of the stages' totals, weighted %(weights)s; a missing total counts as the worst; "
            "the lowest wins"
        )
    return words % {"weights": weights}


def _number(value: float) -> str:
    """A number of a ruleset without trailing zeros."""
    return number_format(int(value) if value == int(value) else value)
