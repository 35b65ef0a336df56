# SPDX-License-Identifier: Apache-2.0
"""The study as one page: every table next to the paper's, with texts and pictures, nothing fetched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from statistics import fmean, pstdev

from scoring import __version__
from scoring.reporting.document import document
from scoring.reporting.style import BASE
from scoring.studies import markup, texts, texts_cost
from scoring.studies.comparison import (
    PAPER_RECORDS,
    best,
    letters,
    own_signs,
    paper_reading,
    paper_signs,
    rates,
    summaries,
)
from scoring.studies.experiment import Measured, Study, Value
from scoring.studies.index import SHOWN, index_of
from scoring.studies.paper import ATTACKED, METHODS, SHORT_NAMES, SIGNED, PaperFigures
from scoring.studies.recipes import Recipe
from scoring.studies.signature import confusion
from scoring.studies.signs import RULE
from scoring.studies.texts import number, printed

PAPER = (
    "Ito &amp; Kikuchi, “<span lang='ja'>ユークリッド距離を用いた再識別手法と PWSCup2015 の匿名加工"
    "データを用いた評価</span>”"
)
SECTIONS = {
    "index": "The index of EUC1 (section 3.2, Tables 2 to 5)",
    "recipes": "The tables (Tables 6 and 7)",
    "singles": "Single methods, measured (Table 11)",
    "effects": "Expected effects (Table 10)",
    "scatter": "Utility against safety (Figure 1)",
    "chains": "Chains, measured (Table 12)",
    "guesses": "Guessing the methods (Tables 13 and 14)",
    "attacks": "EUC1 and the older attacks (Table 15)",
    "cost": "What EUC1 costs and finds (Figures 2 to 6)",
    "impossible": "Figures that cannot be",
}
_CHAINS = "D_1 to D_12: below each name the methods of this study's chain (rates from Table 15)"
_GROUPS = ("S1", "E1")  # where a table's rows pass from utility to safety to attacks


def page(study: Study, paper: PaperFigures, pictures: Mapping[str, bytes]) -> str:
    """The whole document."""
    body = "".join(
        [
            _head(study),
            _section("index", _index()),
            _section("recipes", _recipes(study, paper)),
            _section("singles", _singles(study, paper)),
            _section("effects", _effects(study, paper)),
            _section("scatter", _scatter(study, pictures)),
            _section(
                "chains",
                chains(study, paper, _CHAINS) + markup.points(texts.about_table12(study)),
            ),
            _section("guesses", _guesses(study, paper)),
            _section(
                "attacks",
                attacks(study, paper) + markup.points(texts.about_table15(study, paper)),
            ),
            _section("cost", _cost(study, pictures)),
            _section("impossible", _impossible()),
            _foot(study),
        ]
    )
    return document("The 2015 paper again", BASE + style(), body)


def style() -> str:
    return files("scoring.studies").joinpath("data/page.css").read_text(encoding="utf-8")


def _head(study: Study) -> str:
    facts = {
        "records": f"{study.n_records:,}",
        "sample": f"{study.sample.n_records}",
        "seed": str(study.seed),
        "classes of 13 columns": f"{study.table_facts['classes']:,}",
        "cells of 6 columns": f"{study.table.n_cells}",
    }
    shown = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts.items())
    links = "".join(f'<a href="#{key}">{escape(title)}</a>' for key, title in SECTIONS.items())
    return (
        "<header>\n<h1>The 2015 paper again</h1>\n"
        f'<p class="lead">{PAPER}: its tables and figures reproduced on generated pseudo households '
        "with the library's anonymizers, measures and attacks, next to the printed figures.</p>\n"
        f'<dl class="facts">{shown}</dl>\n<nav aria-label="Contents">{links}</nav>\n'
        '<p class="key">In every table the <b>large</b> figure is this study\'s, the small one below it '
        "the paper's. Names are the paper's: D_A to D_H are 100 records with one method each, D_1 to "
        "D_12 the contestants' tables, here chains of methods. EUC1 counts a record without a match as "
        "a miss unless “own row” is said.</p>\n</header>\n"
    )


def _section(key: str, content: str) -> str:
    return f'<section id="{key}">\n<h2>{escape(SECTIONS[key])}</h2>\n{content}</section>\n'


def _foot(study: Study) -> str:
    quick = "" if study.n_records == 8333 else " --quick"
    return (
        f"<footer><p>Made by <code>python -m scoring study pwscup2015 --seed {study.seed}{quick}</code>, "
        f"scoring {__version__}. All numbers are in <code>tables/*.csv</code>, all pictures in "
        "<code>figures/*.png</code>. With one seed everything but the seconds repeats. The paper's "
        f"figures are quoted from {PAPER}.</p></footer>\n"
    )


def _index() -> str:
    rows = []
    for name, title in SHOWN.items():
        for entry in index_of(name):
            distances = "<br>".join(
                ", ".join(number(distance) for distance in near) for near in entry.distances
            )
            cells = [
                markup.cell(_listed(entry.key), "text"),
                markup.cell(_listed(entry.rows), "text"),
                markup.cell(_listed(entry.matches) if entry.matches else "–", "text"),
                markup.cell(distances, "text"),
                markup.cell(_listed(entry.euc1), "text"),
                markup.cell(_listed(entry.euc2), "text"),
            ]
            rows.append(markup.row(title, cells))
    head = (
        "",
        "key: QI1, QI2, QI3",
        "value: its records",
        "records of X with this key",
        "distances of each record, by SA1 and SA2",
        "EUC1",
        "EUC2",
    )
    text = (
        "EUC1 and EUC2 look records up by their quasi-identifiers. The paper's four records X with noise on the "
        "amounts (B) match, key by key. With QI3 unified (D) nobody in X has the key 1, 1, 1: EUC1 then "
        "answers with the record's own number, EUC2 compares all records of X."
    )
    return markup.paragraphs([text]) + markup.table(
        "The index F of two small tables, and the answers by it", head, rows, "texts"
    )


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


def _recipes(study: Study, paper: PaperFigures) -> str:
    rows = [
        markup.row(
            made.recipe.name,
            [
                markup.cell(_team(paper, made.recipe.name), "text"),
                markup.cell(letters(made.recipe.methods), "text"),
                markup.cell(_steps(made.recipe), "text"),
                markup.cell(escape(made.recipe.reason), "text"),
            ],
        )
        for made in (*study.singles.values(), *study.chains.values())
    ]
    key = "; ".join(f"<b>{letter}</b> {escape(name)}" for letter, name in METHODS.items())
    head = ("", "team in the paper", "methods", "steps and options", "why so")
    return f'<p class="key">{key}.</p>\n' + markup.table(
        "How each table is made", head, rows, "texts"
    )


def _team(paper: PaperFigures, name: str) -> str:
    return str(paper.table6[name]) if name in paper.table6 else "–"


def _steps(recipe: Recipe) -> str:
    """The steps, one a line; unifications of one column each share a line."""
    lines: list[str] = []
    for method, options in recipe.steps:
        if "value" in options and isinstance(options["columns"], tuple):
            text = f"{options['columns'][0]}={options['value']}"
        else:
            text = ", ".join(
                f"{name}={','.join(value) if isinstance(value, tuple) else value}"
                for name, value in options.items()
            )
        if lines and "value" in options and lines[-1].startswith(method):
            lines[-1] += f", {text}"
        else:
            lines.append(f"{method} {text}".strip())
    return "<br>".join(f"<code>{escape(line)}</code>" for line in lines)


def _measured(
    caption: str,
    columns: Mapping[str, tuple[str, Mapping[str, Value], Mapping[str, float]]],
    measures: Sequence[str],
    digits: int = 3,
) -> str:
    """Measures down, tables across; `columns` has a second name line, our values, the paper's."""
    head = ["", *(f"{name}<small>{line}</small>" for name, (line, _, _) in columns.items())]
    rows = [
        markup.row(
            m,
            [
                markup.both(number(ours[m], digits), printed(theirs[m]) if m in theirs else "–")
                for _, ours, theirs in columns.values()
            ],
            "group" if m in _GROUPS else "",
        )
        for m in measures
    ]
    return markup.table(caption, head, rows)


def _singles(study: Study, paper: PaperFigures) -> str:
    columns: dict[str, tuple[str, Mapping[str, Value], Mapping[str, float]]] = {
        "original": ("untouched", study.sample.values, paper.table11["original"])
    }
    for name, made in study.singles.items():
        columns[name] = (SHORT_NAMES[name[-1]], made.values, paper.table11[name])
    caption = "Utility (U, 0 is nothing lost), safety (S, higher is safer), rates of the attacks"
    return _measured(caption, columns, (*SIGNED, "EUC2")) + markup.points(
        texts.about_table11(study)
    )


def _effects(study: Study, paper: PaperFigures) -> str:
    rows = []
    for m in SIGNED:
        cells = []
        for letter in METHODS:
            name = f"D_{letter}"
            ours, expected = own_signs(study, name)[m], paper.table10[letter][m]
            by_rule = paper_signs(paper, study, name)[m]
            css = "sign" if ours == expected else "sign differs"
            cells.append(markup.cell(f"{ours}<small>{expected} · {by_rule}</small>", css))
        rows.append(markup.row(m, cells, "group" if m in _GROUPS else ""))
    head = ["", *(f"{letter}<small>{name}</small>" for letter, name in SHORT_NAMES.items())]
    key = (
        f'<p class="key">{escape(RULE)} Large: the rule on this study\'s values. Small: what Table 10 expects · '
        "the rule on Table 11. Shaded: the study is not what Table 10 expects.</p>\n"
    )
    table = markup.table("Signs of the single methods", head, rows, "signs")
    return key + table + markup.points(texts.about_table10(study, paper))


def _scatter(study: Study, pictures: Mapping[str, bytes]) -> str:
    picture = markup.picture(
        pictures,
        "figure1-u4-e3.png",
        "Two scatter plots of U4 and E3: single methods and chains, the paper's and this study's",
        "Figure 1. Lost correlation against the rate of matching by rank; lower left is better for those "
        "who publish. Letters and numbers are the tables' names. The paper's points are those of Tables 11 and 12.",
    )
    text = (
        "E3 needs exact ranks: whatever moves sums (noise, averages, swaps, deletion) ends it long before "
        "correlations suffer. Only the Yamaoka method stands at 0 on both axes, in both studies, because "
        "it changes no value at all; U5 is where it pays.",
        "The paper's averages and swaps stay at U4 = .000 and E3 near 1, since 97 classes of 100 "
        f"records leave at most six in company; the sample here has {study.sample_facts['classes']} classes, and "
        f"{study.sample.n_records - study.sample_facts['alone']} records in company, whose moved sums shift the ranks "
        "between them.",
    )
    return picture + markup.paragraphs(text)


def chains(study: Study, paper: PaperFigures, caption: str) -> str:
    """Table 12, with the rates of Table 15."""
    columns = {
        name: (
            letters(made.recipe.methods),
            made.values,
            {**paper.table12[name], **paper.table15[name]},
        )
        for name, made in study.chains.items()
    }
    return _measured(caption, columns, (*SIGNED, "EUC2"), digits=4)


def _guesses(study: Study, paper: PaperFigures) -> str:
    return (
        marks(study, paper)
        + methods(study, paper)
        + markup.points(texts.about_readings(study, paper))
        + _confusion(study)
        + combination(study, paper)
        + markup.paragraphs(texts.about_combination(study))
    )


def marks(study: Study, paper: PaperFigures) -> str:
    """The signs of Table 13."""
    rows = []
    own = {name: own_signs(study, name) for name in study.chains}
    ruled = {name: paper_signs(paper, study, name) for name in study.chains}
    for m in SIGNED:
        cells = [
            markup.cell(
                f"{own[name][m]}<small>{paper.table13[name][m]} · {ruled[name][m]}</small>",
                "sign" if own[name][m] == ruled[name][m] else "sign differs",
            )
            for name in study.chains
        ]
        rows.append(markup.row(m, cells, "group" if m in _GROUPS else ""))
    key = (
        "<p class=\"key\">Large: the rule on this study's values. Small: the paper's sign · the rule on the "
        "paper's values. Shaded: the rule says something else of the paper's table.</p>\n"
    )
    return key + markup.table("Signs of the chains", ["", *study.chains], rows, "signs")


def methods(study: Study, paper: PaperFigures) -> str:
    """The methods of Table 13, made, guessed and read."""
    every: dict[str, Measured] = {**study.singles, **study.chains}
    rows = []
    for name, made in every.items():
        in_paper = paper.table13_methods.get(name, frozenset(name[-1]))
        of_paper = paper_reading(paper, study, name)
        rows.append(
            markup.row(
                name,
                [
                    markup.cell(letters(made.recipe.methods), "text"),
                    markup.cell(
                        letters(made.guess),
                        "text" if made.guess == made.recipe.methods else "text differs",
                    ),
                    markup.cell(letters(in_paper), "text"),
                    markup.cell(
                        letters(of_paper), "text" if of_paper == in_paper else "text differs"
                    ),
                ],
                "group" if name in ("D_A", "D_1") else "",
            )
        )
    head = (
        "",
        "this study: made by",
        "read off its values",
        "paper: Table 7 or its guess",
        "read off the paper's values",
    )
    return markup.table("Methods, made and read (shaded where they differ)", head, rows, "texts")


def _confusion(study: Study) -> str:
    counts = confusion((trial.made, trial.guess) for trial in study.trials)
    rows = [
        markup.row(
            f"{letter} <small>{METHODS[letter]}</small>",
            [
                markup.cell(str(found))
                for found in (c.hit, c.missed, c.false_alarm, c.rightly_absent)
            ],
        )
        for letter, c in counts.items()
    ]
    head = ("", "used and read", "used, not read", "read, not used", "neither")
    return markup.table(
        f"How often the reading is right, over {len(study.trials)} tables", head, rows
    )


def combination(study: Study, paper: PaperFigures) -> str:
    """Table 14."""
    names = ("D_A", "D_F", "D_10")
    rows = []
    for m in SIGNED:
        cells = []
        for name in names:
            ours, theirs = own_signs(study, name)[m], paper.table14[name][m]
            cells.append(markup.both(ours, theirs, "sign" if ours == theirs else "sign differs"))
        rows.append(markup.row(m, cells, "group" if m in _GROUPS else ""))
    caption = "Table 14: two methods and a chain of both"
    return markup.table(caption, ["", *names], rows, "signs")


def attacks(study: Study, paper: PaperFigures) -> str:
    """Table 15, with its last rows."""
    rows = []
    for name, made in study.chains.items():
        ours, theirs = rates(made, own_row=True), paper.table15[name]
        own_best, paper_best = best(ours, study.n_records), best(theirs, PAPER_RECORDS)
        cells = [
            markup.both(
                number(ours[m], 4),
                f"{theirs[m]:.4f}{' *' if m in paper_best else ''}",
                "best" if m in own_best else "",
            )
            for m in ATTACKED
        ]
        cells += [markup.cell(number(made.values[m], 4)) for m in ("EUC1", "EUC2")]
        rows.append(markup.row(name, cells))
    rows += _summary_rows(study, paper)
    head = ("", "E1", "E2", "E3", "E4", "EUC1, own row", "EUC1, miss", "EUC2")
    caption = "Re-identification rates of the chains; bold and * show the best of the first five"
    return markup.table(caption, head, rows)


def _summary_rows(study: Study, paper: PaperFigures) -> list[str]:
    """The last rows of Table 15: for EUC1 as the paper has it, then without its own answer, and EUC2."""
    chains, n = study.chains, study.n_records
    own = summaries({name: rates(made, own_row=True) for name, made in chains.items()}, n)
    miss = summaries({name: rates(made, own_row=False) for name, made in chains.items()}, n)
    euc2 = [float(made.values["EUC2"] or 0) for made in chains.values()]
    printed = paper.table15_summary
    means = [markup.both(number(own[m].mean, 4), f"{printed[m].mean:.4f}") for m in ATTACKED]
    deviations = [
        markup.both(number(own[m].deviation, 4), f"{printed[m].deviation:.4f}") for m in ATTACKED
    ]
    bests = [markup.both(str(own[m].best), str(printed[m].best)) for m in ATTACKED]
    for cells, of_miss, of_euc2 in (
        (means, miss["EUC1"].mean, fmean(euc2)),
        (deviations, miss["EUC1"].deviation, pstdev(euc2)),
    ):
        cells += [markup.cell(number(value, 4)) for value in (of_miss, of_euc2)]
    bests += [markup.cell("–")] * 2
    return [
        markup.row("mean", means, "group"),
        markup.row("standard deviation", deviations),
        markup.row("best of the five in", bests),
    ]


def _cost(study: Study, pictures: Mapping[str, bytes]) -> str:
    captions = {
        "figure2-time-by-quasi-identifiers.png": "Figure 2. Time of EUC1 against the number of "
        "quasi-identifiers, and the distances that its definition asks for.",
        "figure3-rate-by-quasi-identifiers.png": "Figure 3. Rate of EUC1 against the number of "
        "quasi-identifiers.",
        "figure4-time-by-amounts.png": "Figure 4. Time of EUC1 against the number of sensitive "
        "attributes, with all 13 quasi-identifiers.",
        "figure5-rate-by-amounts.png": "Figure 5. Rate of EUC1 against the number of sensitive "
        "attributes.",
        "figure6-time-by-records.png": "Figure 6. Time of EUC1 against the number of records, with one "
        "quasi-identifier.",
    }
    about = texts_cost.about_figures(study)
    shown = [
        markup.picture(pictures, name, caption.partition(". ")[2], caption)
        + markup.paragraphs(about[int(name.removeprefix("figure")[0])])
        for name, caption in captions.items()
    ]
    return markup.paragraphs([texts_cost.INTRODUCTION]) + "".join(shown)


def _impossible() -> str:
    rows = [
        markup.row(escape(where), [markup.cell(escape(why), "text")])
        for where, why in texts.IMPOSSIBLE
    ]
    text = (
        "Some printed figures contradict each other or the definitions, or are the luck of a single "
        "draw. No choice of data reproduces them, and this study does not try."
    )
    return markup.paragraphs([text]) + markup.table("Where and why", ("", ""), rows, "texts")
