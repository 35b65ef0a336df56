# SPDX-License-Identifier: Apache-2.0
"""The explanations of the tables: what agrees, what differs, and why, with this run's figures."""

from __future__ import annotations

from scoring.studies.comparison import (
    PAPER_RECORDS,
    Agreement,
    agreement,
    best,
    combined,
    own_signs,
    paper_reading,
    paper_signs,
    rates,
)
from scoring.studies.experiment import Measured, Study
from scoring.studies.paper import METHODS, PaperFigures, Signs


def number(value: float | int | None, digits: int = 3) -> str:
    """A value as a reader wants it: thousands apart, no zeros behind."""
    if value is None:
        return "–"
    if value == 0 or value == int(value):
        return f"{int(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    if abs(value) >= 100:
        return f"{value:,.1f}"
    return f"{value:.{digits if abs(value) >= 0.5 * 0.1**digits else 5}f}"


def printed(value: float) -> str:
    """A value as the paper prints it."""
    return f"{value:,.10g}"


def percent(share: float) -> str:
    return f"{100 * share:.0f}\N{NO-BREAK SPACE}%"


def value(made: Measured, measure: str) -> str:
    return number(made.values[measure])


def sign_agreements(study: Study, paper: PaperFigures) -> tuple[Agreement, Agreement, Agreement]:
    """Table 10 against the study; against Table 11 by the rule; the study against Table 11."""
    expected = {f"D_{letter}": paper.table10[letter] for letter in METHODS}
    own: dict[str, Signs] = {name: own_signs(study, name) for name in expected}
    printed = {name: paper_signs(paper, study, name) for name in expected}
    return agreement(expected, own), agreement(expected, printed), agreement(own, printed)


def about_table11(study: Study) -> list[str]:
    made, facts = study.singles, study.sample_facts
    noise, unified = made["D_B"], made["D_D"]
    return [
        f"The sample has {facts['classes']} equivalence classes among 100 records, the paper's had 97: expected "
        f"E1 is {number(study.sample.values['E1'])} and S2 is {number(study.sample.values['S2'])}. The "
        "paper prints E1 = 1 for the untouched table, which a random choice within 97 classes reaches "
        "only by luck; ties are shared out here.",
        "Everything that must be zero is zero in both: k-anonymization, unification and the Yamaoka method leave "
        "U1 and U4 unchanged, noise leaves U3, S1, S2 and E1 unchanged, averages and swaps within classes leave "
        "U1, U2 and U3 unchanged. The paper's U2 of 104.9 for D_F and 209.7 for D_G cannot come from "
        "operations within classes.",
        "U1 and U2 are in yen, and the generated amounts are larger and more unequal than the paper's, so "
        "that only zero or not, and proportions, can be compared.",
        f"Noise: U5 ({value(noise, 'U5')}, the paper's .016) fixes its size. Independent noise gives a U1 of "
        f"{percent(float(noise.values['U1'] or 0) / float(noise.values['U2'] or 1))} of U2 among 100 records "
        f"({value(noise, 'U1')} and {value(noise, 'U2')} here); the paper "
        "has 46 and 7,809. Its noise must have been made to cancel in each column. E3 is "
        f"{value(noise, 'E3')} instead of .54: the sums hang on total and income, whose noise moves "
        "many ranks.",
        f"E2 under unification: {value(unified, 'E2')} (D_D) where the paper has 1. Once vectors match no "
        "more, E2 searches the whole table in one column. The paper's column 15 cannot have had equal "
        f"values; here {facts['zeros_e2']} of 100 households pay nothing for housing and are "
        "indistinguishable by it. EUC2, which looks at all twelve amounts, does find them.",
        f"k-anonymization: Mondrian cuts to {value(made['D_A'], 'S2')} records a class on average, the "
        "paper's algorithm (not named) to 7.7. Its EUC2 of .17 says that most vectors of its table still "
        "occurred in the original, in classes of other records; Mondrian's medians and most frequent values often "
        f"occur nowhere, the amounts are then searched everywhere, and EUC2 is {value(made['D_A'], 'EUC2')}.",
        f"E4 of deleted records is {value(made['D_H'], 'E4')}, as high as untouched: a record that was kept is "
        "nearest to itself. The paper's .089 fits a comparison by rank. E3 collapses in both.",
    ]


def about_table10(study: Study, paper: PaperFigures) -> list[str]:
    own, by_rule, both = sign_agreements(study, paper)
    return [
        f"Of the paper's {own.total} expectations the study's values bear out {own.same}; the paper's own "
        f"Table 11, read by the same rule, bears out {by_rule.same}. Study and Table 11 have the same "
        f"sign in {both.same} places. Of the {own.total - own.same} places where the study is not as "
        f"expected, {_unexpected_in_both(study, paper)} are not as expected in Table 11 either.",
        "Noise (B): the expected loss in U3 is a slip, for amounts move nobody to another cell; Table 11 "
        "has 0. Matching by rank (E3) suffers first, as expected.",
        "Unification (D, E): expected to help a little against E2, and does so here, but not in Table 11, "
        "whose column 15 distinguishes all records.",
        "Averages and swaps (F, G): strong effects were expected. On 100 records with 97 classes in the paper and "
        f"{study.sample_facts['classes']} here, {study.sample_facts['alone']} records are unique in their class and "
        "keep their amounts, so that neither utility nor safety moves much, in either table. Their strength shows "
        f"at {study.n_records:,} records (D_2, D_5).",
        "Deletion (H): expected to resist nothing; in both tables it breaks E3, since every rank after "
        "the first deleted one is off. U5 was expected to suffer; records that stay lose nothing.",
    ]


def _unexpected_in_both(study: Study, paper: PaperFigures) -> int:
    count = 0
    for letter, expected in paper.table10.items():
        own, by_rule = own_signs(study, f"D_{letter}"), paper_signs(paper, study, f"D_{letter}")
        count += sum(own[m] != expected[m] != by_rule[m] for m in expected)
    return count


def about_table12(study: Study) -> list[str]:
    made = study.chains
    lines = [
        "The teams' tables and methods are not public. These chains follow Table 13's guesses, with options "
        "chosen for S1 and S2, and depart from a guess where the printed values rule it out; every "
        "reason stands in the list of recipes. Yen differ: U2 here is measured on generated households.",
        f"S2: {value(made['D_2'], 'S2')} against 1.88 (D_2, all 13 columns), "
        f"{value(made['D_5'], 'S2')} against 36.07 (D_5, six columns), {value(made['D_8'], 'S2')} "
        f"against 13.71 (D_8), {value(made['D_10'], 'S2')} against 106.83 (D_10).",
        "D_3 and D_4 keep U4 = 0.00, and E1, E2, E3 and EUC1 all lie between .18 and .26, near 1/S2 = .20. A swap "
        "column by column, as section 4.2.4 describes it, would change correlations and drive E3 to nearly 0. So whole "
        "records are exchanged within classes: one record of a class stays in its place on average. Here U4 is "
        f"{value(made['D_3'], 'U4')}, E3 {value(made['D_3'], 'E3')} (.25 in the paper) and 1/S2 "
        f"{number(1 / float(made['D_3'].values['S2'] or 1))}. U3 ({value(made['D_3'], 'U3')} against 1.01) and U5 "
        f"({value(made['D_3'], 'U5')} against .02) stay off: Mondrian moves more records between the cross cells than "
        "the team's k-anonymization did, and amounts within a class differ more here.",
        "D_5 and D_6 (guess: Yamaoka and unification) have U4 = .07, but neither of the two touches an "
        f"amount's correlation. A swap within the 13-column classes gives exactly such a U4 "
        f"({value(made['D_5'], 'U4')} here), and it is in the chain.",
        "D_8 and D_9 (guess: unification inside the cross columns) have U2 = U3 = 0. Unification inside "
        "always moves counts; the columns must have been outside.",
        "D_10 to D_12 (guess: k-anonymization and averages): with k-anonymization only, classes stay "
        "small; the large S2 compared with k of 4, 8 and 41, and E1 of two thirds of 1/S2 or more, fit columns "
        "outside that were unified to a vector that occurs in most cells.",
        f"U5 of chains with the Yamaoka method is higher here ({value(made['D_5'], 'U5')} against .02): "
        "the contestants exchanged numbers among records that are nearer to each other than "
        "neighbours in one sum are.",
    ]
    if study.n_records != 8333:
        lines.insert(
            0,
            f"A quick run on {study.n_records} records: S2 and all that follows from it is "
            "smaller than in the paper by design.",
        )
    return lines


def about_readings(study: Study, paper: PaperFigures) -> list[str]:
    exact = {
        k: [t.made == t.guess for t in study.trials if t.kind == k]
        for k in ("single", "pair", "chain")
    }
    right = {kind: f"{sum(hits)} of {len(hits)}" for kind, hits in exact.items()}
    guessed = paper.table13_methods
    same = [n for n in guessed if paper_reading(paper, study, n) == guessed[n]]
    own = [n for n in study.chains if study.chains[n].guess == guessed[n]]
    failed = [
        f"D_{letter}"
        for letter in METHODS
        if paper_reading(paper, study, f"D_{letter}") != {letter}
    ]
    return [
        "Table 13 guesses methods by comparing signs by eye. guess_methods does it by rule, from the "
        "measures only. It names exactly the methods used for "
        f"{right['single']} tables of one method (D_A to D_H and more samples of 100 records), "
        f"{right['pair']} tables of two methods and {right['chain']} chains. The rules were written with "
        "tables of this generator in view, so these shares flatter it; the list of what it cannot see "
        "is in its documentation.",
        "It errs where it must. Averages of single records look like nothing; a second method that has "
        "nothing left to do leaves no trace (a swap after averaging); after the Yamaoka method all rates are "
        "0 and only U4 shows that amounts were changed, not how; unification before k-anonymization "
        "looks like coarser k-anonymization.",
        f"On the paper's own figures of D_1 to D_12 it reads what Table 13 guesses in {len(same)} cases "
        f"({', '.join(same) or 'none'}). Elsewhere it sees a change of amounts that the guess leaves "
        "out (D_5, D_6), unification outside instead of inside (D_8, D_9), and no trace of the "
        "Yamaoka method: the printed rates of D_5 to D_9 are low but above a random guess. For D_2 and "
        "D_10 to D_12 it reads a swap where the guess is averages: averages within classes make EUC1 "
        "equal to E1, but D_11 has .0080 compared with .0180.",
        f"On the paper's figures of D_A to D_H it fails for {', '.join(failed) or 'none'}. Two of them cannot be: D_F, "
        "whose E1 and EUC1 differ and whose losses are printed as .000, and D_G, which as printed differs from the "
        "original in nothing that a swap changes but E3.",
        f"On the study's chains its reading equals Table 13's guess in {len(own)} cases.",
    ]


def about_combination(study: Study) -> list[str]:
    found = combined(study)
    return [
        "Table 14's point is that a chain shows the effects of all its methods. Taken literally, each sign of a "
        "chain should be the strongest of its methods' signs (those of D_A to D_H above). That "
        f"holds for {found.same} of {found.total} signs of the twelve chains. The rest is mostly scale: averages and "
        f"swaps do little among 100 records in {study.sample_facts['classes']} classes and much among "
        f"{study.n_records:,} in classes of {value(study.chains['D_5'], 'S2')} (D_5).",
    ]


YAMAOKA = ("D_5", "D_6", "D_8", "D_9")


def about_table15(study: Study, paper: PaperFigures) -> list[str]:
    chains, n = study.chains, study.n_records
    own = {name: best(rates(made, own_row=True), n) for name, made in chains.items()}
    miss = {name: best(rates(made, own_row=False), n) for name, made in chains.items()}
    theirs = {name: best(found, PAPER_RECORDS) for name, found in paper.table15.items()}
    counts = [sum("EUC1" in who for who in found.values()) for found in (theirs, own, miss)]
    d7 = study.chains["D_7"]
    return [
        f"EUC1 is the best of the five, by itself or with others, in {counts[0]} of the paper's twelve "
        f"tables, in {counts[1]} here where it answers "
        f"with the record's own position when nothing matches, and in {counts[2]} where that is a miss.",
        f"That answer decides. D_7 keeps the original's order, its unified vectors match nothing, and EUC1 has "
        f".8762 in the paper and {number(d7.own_row)} here, though it compared almost no amounts; with "
        f"a miss instead it has {value(d7, 'EUC1')}. In a contest the files are shuffled first, so the "
        "gain is not real. The Yamaoka chains (D_5, D_6, D_8, D_9) have at most "
        f"{number(max(chains[name].own_row for name in YAMAOKA), 4)} here by either rule, since hardly a record keeps "
        "its number; the paper's .0743 says that 619 of 8,333 numbers were left in place.",
        "EUC2, which the paper gave up for its running time, is listed as well: it searches all records where "
        f"nothing matches, and finds {percent(float(d7.values['EUC2'] or 0))} of D_7 without any help from the order.",
        "D_1, D_3, D_4 and D_10 to D_12: here vectors without a match are answered by position and raise EUC1 "
        f"(D_10: {number(study.chains['D_10'].own_row)}); the paper's EUC1 stays near or below E1 there "
        "(.0043 compared with .0060). Those files were not in the original's order, or nearly all of their "
        "vectors occur in the original.",
        "The paper's E1 of .6485 for D_2 is above what its S2 allows: classes of 1.88 on average give "
        f"1/1.88 = .53 ({value(study.chains['D_2'], 'E1')} here), and knowing the averages adds nothing to it.",
    ]


IMPOSSIBLE = (
    ("Table 10, noise: U3", "amounts move no record to another cell; Table 11 has 0"),
    (
        "Table 10, deletion: U5; E3 and E4",
        "records that stay lose nothing; Table 11 has 0, and rates of .067 and .089 where no effect "
        "was expected",
    ),
    (
        "Table 11: E1 = 1 for the original, D_G and D_H",
        "97 classes among 100 records give .97 on average, 87 among 90 the same: luck, three times",
    ),
    (
        "Table 11: U2 of D_F (104.9) and D_G (209.7)",
        "averages and swaps within classes leave the mean of every cell unchanged: 0",
    ),
    ("Table 11: EUC1 = EUC2 = 1 for D_F", "averaged records of a class are ties: .97 on average"),
    (
        "Table 11: E4 = .089 for D_H",
        "undistorted records are nearest to themselves; matching by rank gives such a value",
    ),
    (
        "Table 13: D_5 and D_6",
        "the same S2 of 36.07 has two different signs",
    ),
    (
        "Table 13: unification inside for D_8 and D_9",
        "it cannot leave U2 = U3 = 0, as Table 12 has it",
    ),
    (
        "Table 13: D_5 and D_6 by Yamaoka and unification only",
        "neither changes a correlation, but U4 is .07",
    ),
    ("Table 15: E1 = .6485 for D_2", "with classes of 1.88 on average the expected rate is .53"),
    (
        "Table 15: standard deviations",
        "they are those of 13 numbers, the twelve rates and their mean; of the twelve only, EUC1 has "
        ".2525, not .2426",
    ),
    (
        "Section 4.6: 17 % with 13, 20 % with 6 quasi-identifiers",
        "more untouched quasi-identifiers cannot find fewer, and a random guess within classes finds "
        "more than half",
    ),
)
"""Figures of the paper that cannot be, or contradict each other: the place and the reason."""
