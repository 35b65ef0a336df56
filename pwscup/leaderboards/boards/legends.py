# SPDX-License-Identifier: Apache-2.0
"""The texts around a board: a caption, the sentences and entries of its legend, its chart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pwscup.contests.rules.measures import ShownMeasure, measures_in, shown_measure
from pwscup.core.texts.parts import joined, listed, named, noted
from pwscup.leaderboards.boards import texts
from pwscup.leaderboards.boards.attack_texts import attack_texts_of, risk_text
from pwscup.leaderboards.boards.columns import is_by_name
from pwscup.leaderboards.boards.heat import top_of
from scoring.registry import ALL_MEASURES

if TYPE_CHECKING:
    from scoring.rulesets import Ruleset

Section = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Term:
    """An entry of a legend; `id` is the identifier of a measure with only a short name on the board."""

    name: str
    text: str
    better: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """The texts of a chart, which is below the table unless it `is_first`."""

    title: str
    caption: str
    alt: str
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class Legend:
    """The texts around a table: paragraphs, entries, `more` paragraphs after them; `alert` is above it."""

    caption: str
    paragraphs: tuple[str, ...]
    terms: tuple[Term, ...] = ()
    more: tuple[str, ...] = ()
    is_wide: bool = False
    alert: str = ""
    figure: Figure | None = None


def legend_of(name: str, section: Section, rules: Ruleset) -> Legend:
    """The legend of the board with that name, in the reader's language."""
    legend = LEGENDS[texts.kind_of(name, section)](section, rules)
    if not any(row.get("interval") for row in section.get("rows", ())):
        return legend
    said = _(
        "Small numbers, such as 2–9, are the ranks that the data admit (95%% intervals over the records of the tables; "
        "utility and measures count as exact). For a team without them it is one rank only. The download has the "
        "intervals of totals, too."
    )
    return replace(legend, more=(*legend.more, said % {}))


# The boards of ranks


def _overall(section: Section, rules: Ruleset) -> Legend:
    weights = {"a": rules.ranking.anonymization_weight, "b": rules.ranking.attack_weight}
    total = _(
        "Total = %(a)s × anonymization rank + %(b)s × attack rank; lower wins, and equal totals share the better "
        "rank."
    )
    missing = _("* No submission: counts as the number of teams.")
    return Legend(
        caption=_("Overall board: the weighted sum of both ranks, lower wins"),
        paragraphs=(joined(total % weights, missing),),
    )


def _anonymization(section: Section, rules: Ruleset) -> Legend:
    said = attack_texts_of(rules)
    built_in = _("built-in attack")
    attacks = (Term(a.id, named(built_in, a.title)) for a in _attacks(section))
    return Legend(
        caption=_("Anonymization board: every measure with its rank, lower total wins"),
        paragraphs=(
            joined(said.anonymization_legend, _weights(rules)),
            *_explained(section, rules),
        ),
        terms=(*_terms(section), *attacks),
        figure=Figure(
            _("Utility against safety"),
            _(
                "A point for each team, with its rank. Better is up and right; the line joins the teams that no other "
                "team beats in both. A team sees its own attempts as a line. The numbers are in the table above."
            ),
            _("Scatter plot of utility and safety by team; the table above has the numbers"),
        ),
    )


def _attack(section: Section, rules: Ruleset) -> Legend:
    said = attack_texts_of(rules)
    return Legend(
        caption=str(said.attack_caption),
        paragraphs=(str(said.attack_legend), *_explained(section, rules)),
    )


def _matrix(section: Section, rules: Ruleset) -> Legend:
    said = attack_texts_of(rules)
    built_in = _("Built-in attacks are run on every submission.")
    is_built_in = any(row["attack"] for row in section["rows"])
    colours = _("Colours go from 0 to %(top)s %%.") % {"top": top_of(section)}
    return Legend(
        caption=_("Attack matrix: attackers in rows, attacked teams in columns"),
        paragraphs=(
            joined(said.matrix_legend, built_in if is_built_in else "", colours),
            *_explained(section, rules),
        ),
        terms=tuple(Term(attack.id, attack.title) for attack in _attacks(section)),
    )


# The boards of scores


def _score(section: Section, rules: Ruleset) -> Legend:
    formula = _("Total: %(formula)s") % {"formula": texts.formula_title(section)}
    settings = texts.settings(section)
    total = _("%(total)s.") % {"total": noted(formula, settings) if settings else formula}
    return Legend(
        alert=_provisional(section, rules),
        caption=_("Score board: the total and its components"),
        paragraphs=(
            joined(total, _below(section), _ties(section, rules)),
            *_counted(section, rules),
        ),
        terms=tuple(Term(title, meaning) for title, meaning in texts.parts(section, rules)),
        is_wide=True,
        more=tuple(_explained(section, rules)),
        figure=Figure(
            _("Components of the totals"),
            _("The numbers are in the table above."),
            _("Bars of the parts by team; the table above has the numbers"),
        ),
    )


def _below(section: Section) -> str:
    """The boards that this one is made of, with their weights."""
    boards = section.get("below", [])
    if not boards:
        return ""
    titles = [texts.title_of(board) for board in boards]
    if section["weights"]:
        pairs = zip(titles, section["weights"], strict=True)
        titles = [f"{title} × {texts.plain(weight)}" for title, weight in pairs]
        return _("Made of: %(boards)s.") % {"boards": listed(titles)}
    return _("The best tables are those of “%(board)s”.") % {"board": titles[0]}


def _counted(section: Section, rules: Ruleset) -> Iterator[str]:
    """Exceptions from the definition of protection: who attacks without a rank, whose table is lost, the penalty."""
    ranking = rules.ranking
    if lost := section.get("lost"):
        said = _("Disqualified, with a table that counts as found: %(teams)s.")
        yield said % {"teams": listed(lost)}
    if "protection" not in section["parts"]:
        return
    if ranking.baselines:
        said = _("Attackers that count for protection and have no rank: %(attackers)s.")
        yield said % {"attackers": listed(str(texts.BASELINES[name]) for name in ranking.baselines)}
    if ranking.penalty == "repeats":
        yield _(
            "Each attacker after the first who found one and the same record of a table takes a point of its "
            "protection."
        )


def _provisional(section: Section, rules: Ruleset) -> str:
    missing = texts.missing(section, rules)
    if not missing:
        return ""
    said = _("Provisional: not known yet, and not counted: %(missing)s.") % {"missing": missing}
    stands_in = _("Protection refers to the built-in attacks until the attack round has closed.")
    return joined(said, stands_in if section["is_built_in"] else "")


def _measures(section: Section, rules: Ruleset) -> Legend:
    said = _(
        "The measures are not ranked themselves: the board of scores shows what counts. The best value of each is "
        "bold."
    )
    return Legend(
        caption=str(attack_texts_of(rules).measures_caption),
        paragraphs=(said, *_risks(section, rules)),
        terms=tuple(_terms(section)),
    )


def _season(section: Section, rules: Ruleset) -> Legend:
    if section["direction"] == "higher":
        wins = _("The highest total wins. A stage in which a team took no part counts 0.")
    else:
        wins = _(
            "The lowest total wins. A stage in which a team took no part counts as the last place, at least the "
            "number of teams."
        )
    stages = listed(_stages(section))
    total = _("Total = the weighted mean of the stages' totals: %(stages)s.") % {"stages": stages}
    ranks = _("The rank in a stage is shown in brackets.")
    caption = _("Season board: the weighted mean of the stages' totals")
    if section.get("of") == "ranks":
        caption = _("Season board: the weighted mean of the ranks in the stages")
        total = _("Total = the weighted mean of the ranks in the stages: %(stages)s.") % {
            "stages": stages
        }
    elif section.get("of") == "boards":
        caption = _("Season board: the formula of the board, from the seasons of other boards")
        total = _("Total: %(formula)s") % {"formula": texts.formula_title(section)}
        total = joined(_("%(total)s.") % {"total": total}, _below(section))
    ties = _ties(section, rules) if "tie_breaks" in section else ""
    return Legend(caption=caption, paragraphs=(joined(total, wins, ranks, ties),))


def _stages(section: Section) -> Iterator[str]:
    for stage in section["stages"]:
        weighed = {"stage": texts.title_of(stage), "weight": texts.plain(stage["weight"])}
        counts = _("%(stage)s counts %(weight)s") % weighed
        yield counts if stage["shown"] else noted(counts, _("not known yet, left out"))


# The boards of a hidden table


def _comparison(section: Section, rules: Ruleset) -> Legend:
    total = _(
        "Total = the mean of the totals of the rounds, with the rank in a round in brackets; the lowest wins. A "
        "round without a submission of a team counts as the number of teams."
    )
    return Legend(
        caption=_("Comparison of the rounds: the mean of the totals, lower wins"),
        paragraphs=(joined(total, _ties(section, rules)),),
    )


def _estimates(section: Section, rules: Ruleset) -> Legend:
    total = _(
        "Ranks in brackets; the best value of each measure is bold. Total = mean of the ranks on the measures; "
        "lower wins, and equal totals share the better rank."
    )
    download = _(
        "The download has all rounds with full precision; <code>python -m scoring rank-estimates</code> computes "
        "the same ranks from it."
    )
    return Legend(
        caption=_("Board of the round: every measure with its rank, lower total wins"),
        paragraphs=(joined(total, _weights(rules)),),
        terms=tuple(Term(m.name, m.title, f"{m.arrow} {m.better}") for m in measures_in(section)),
        more=(mark_safe(download),),  # noqa: S308 — of the catalogue
    )


def _curve(section: Section, rules: Ruleset) -> Legend:
    drawn = _(
        "The distance of each scored estimate from the hidden table, by the ε of its data: of a release its "
        "ε, of answers the spent ε when the estimate arrived. Filled points count; lower is better. The "
        "numbers are in the table below."
    )
    asked_once = _(
        "“Asked once” is the formula's distance at that ε; a dash if nothing had been spent."
    )
    return Legend(
        caption=_("Every scored estimate with its ε and its distance"),
        paragraphs=(asked_once,),
        figure=Figure(
            str(texts.TITLES["curve"]),
            joined(drawn, _formula(section["n_cells"]) if section["line"] else ""),
            _(
                "Scatter plot of the distance of every estimate by ε; the table below has the numbers"
            ),
            is_first=True,
        ),
    )


def _formula(n_cells: int) -> str:
    said = ngettext(
        "The dashed line is a formula: the root mean square distance if the table of %(n)s cell is asked for once "
        "and all of ε is spent on it.",
        "The dashed line is a formula: the root mean square distance if the table of %(n)s cells is asked for once "
        "and all of ε is spent on it.",
        n_cells,
    )
    return said % {"n": n_cells}


LEGENDS: dict[str, Callable[[Section, Ruleset], Legend]] = {
    "overall": _overall,
    "anonymization": _anonymization,
    "attack": _attack,
    "matrix": _matrix,
    "score": _score,
    "measures": _measures,
    "season": _season,
    "comparison": _comparison,
    "estimates": _estimates,
    "curve": _curve,
}


# Sentences and entries of legends


def _explained(section: Section, rules: Ruleset) -> Iterator[str]:
    """The definition of an attack's rate and of risk, if their names do not explain them."""
    if explained := attack_texts_of(rules).explained:
        yield str(explained)
    yield from _risks(section, rules)


def _risks(section: Section, rules: Ruleset) -> Iterator[str]:
    families = {rules.measure(id_).family for id_ in section.get("measures", [])}
    if "risk" in families and (said := risk_text(rules)):
        yield said


def _weights(rules: Ruleset) -> str:
    weights = texts.weighted_measures(rules)
    said = _("The means are weighted: %(weights)s, every other rank × 1.")
    return said % {"weights": weights} if weights else ""


def _ties(section: Section, rules: Ruleset) -> str:
    order = listed(texts.tie_break(name, rules) for name in section.get("tie_breaks", []))
    if not order:
        return _("Equal totals share the better rank.")
    if any(row["tie_broken_by"] for row in section["rows"] if "tie_broken_by" in row):
        return _("* Ties are broken by, in this order: %(order)s.") % {"order": order}
    return _("Ties are broken by, in this order: %(order)s.") % {"order": order}


def _terms(section: Section) -> Iterator[Term]:
    measures = measures_in(section)
    by_name = any(map(is_by_name, measures))
    for m in measures:
        better = f"{m.arrow} {m.better}"
        yield Term(m.name, m.title, better, m.id) if by_name else Term(m.id, m.title, better)


def _attacks(section: Section) -> list[ShownMeasure]:
    """The built-in attacks that a page names by their identifiers."""
    found = {row.get("attack") for row in section["rows"]}
    found |= {row.get("worst_by") for row in section["rows"] if not row.get("worst_by_team")}
    return [shown_measure(ALL_MEASURES[id_]) for id_ in sorted(filter(None, found))]
