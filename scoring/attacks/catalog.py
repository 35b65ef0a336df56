# SPDX-License-Identifier: Apache-2.0
"""Every attack under its identifier."""

from __future__ import annotations

from scoring.attacks.base import (
    AMOUNTS,
    DISTANCES,
    DUPLICATES,
    MODELS,
    ONE_AMOUNT,
    QUASI_IDENTIFIERS,
    SCALES,
    SENSITIVE,
    WITHIN,
    Attack,
    ColumnChoice,
    Guess,
    Inquiry,
)
from scoring.catalogs import Registry
from scoring.errors import gettext_noop as _
from scoring.options import Option

__all__ = [
    "ATTACKS",
    "CANDIDATES",
    "INQUIRIES",
    "MEMBERSHIP",
    "REPLAY",
    "Attack",
    "ColumnChoice",
    "Guess",
    "Inquiry",
]


def _measured(id_: str, name: str, title: str, function: str, *columns: ColumnChoice) -> Attack:
    """An attack whose rate is a measure of the same identifier."""
    return Attack(id_, name, title, f"scoring.attacks.guesses:{function}", columns)


def _within(default: str) -> Option:
    return Option("within", "text", default, _("where originals are looked for"), choices=WITHIN)


def _distance(default: str) -> Option:
    return Option("distance", "text", default, _("how pairs are compared"), choices=DISTANCES)


def _candidates(default: int) -> Option:
    return Option(
        "candidates",
        "integer",
        default,
        _("most originals that a record chooses from"),
        low=1,
        high=1_000,
    )


_DUPLICATES = Option(
    "duplicates",
    "text",
    "no",
    _("whether several records may get the same original"),
    choices=DUPLICATES,
)


REPLAY = "replay"

ATTACKS = Registry(
    "attack",
    (
        _measured(
            "E1",
            "identify.rand",
            _("Random record of the same class"),
            "guess_random_in_class",
            QUASI_IDENTIFIERS,
        ),
        _measured(
            "E2",
            "identify.sa",
            _("Nearest in one column, same class"),
            "guess_nearest_value_in_class",
            QUASI_IDENTIFIERS,
            ONE_AMOUNT,
        ),
        _measured("E3", "identify.sort", _("Equal rank of the sum"), "guess_rank_of_sum", AMOUNTS),
        _measured(
            "E4", "identify.sa21", _("Nearest in one column"), "guess_nearest_value", ONE_AMOUNT
        ),
        _measured(
            "EUC1",
            "identify.euc",
            _("Nearest by distance, same class"),
            "guess_nearest_point_in_class",
            QUASI_IDENTIFIERS,
            AMOUNTS,
        ),
        _measured(
            "EUC2",
            "identify.euc",
            _("Nearest by distance, same class or else anywhere"),
            "guess_nearest_point",
            QUASI_IDENTIFIERS,
            AMOUNTS,
        ),
        Attack(
            "E4-rank",
            "identify.sa21",
            _("Equal rank in one column"),
            "scoring.attacks.guesses:guess_rank_of_value",
            (ONE_AMOUNT,),
        ),
        Attack(
            "nearest-scaled",
            "identify.euc, scaled",
            _("Nearest by distance on one scale"),
            "scoring.attacks.scaled:guess_nearest_scaled",
            (QUASI_IDENTIFIERS, AMOUNTS),
            (
                Option("scale", "text", "z", _("what columns are brought to"), choices=SCALES),
                _within("class-or-anywhere"),
            ),
        ),
        Attack(
            "gower",
            "Gower",
            _("Nearest over columns of all kinds"),
            "scoring.attacks.scaled:guess_gower",
            (QUASI_IDENTIFIERS, SENSITIVE),
            (
                Option("weights", "columns", (), _("weights of columns, as a:2,b:0.5; else 1")),
                _within("anywhere"),
            ),
        ),
        Attack(
            "one-candidate",
            "Attack_id",
            _("One of the nearest candidates each"),
            "scoring.attacks.neighbours:guess_one_candidate",
            (QUASI_IDENTIFIERS, SENSITIVE),
            (
                _candidates(10),
                _DUPLICATES,
                _distance("euclidean"),
            ),
        ),
        Attack(
            "greedy-assignment",
            _("one to one"),
            _("One original each, the nearest pair first"),
            "scoring.attacks.assignment:guess_greedy_assignment",
            (QUASI_IDENTIFIERS, SENSITIVE),
            (_distance("z"), _within("class-or-anywhere")),
        ),
        Attack(
            "optimal-assignment",
            _("one to one"),
            _("One original each, at the smallest sum of distances"),
            "scoring.attacks.assignment:guess_optimal_assignment",
            (QUASI_IDENTIFIERS, SENSITIVE),
            (
                _distance("z"),
                _within("class-or-anywhere"),
                _candidates(20),
                Option(
                    "edges",
                    "integer",
                    4_000_000,
                    _("most pairs that one assignment weighs"),
                    low=1,
                    high=100_000_000,
                ),
            ),
        ),
        Attack(
            "learned-linkage",
            _("learnt"),
            _("Likeliest candidate, learnt from imitations"),
            "scoring.attacks.learned:guess_learned_linkage",
            (QUASI_IDENTIFIERS, SENSITIVE),
            (
                Option("model", "text", "logistic", _("the classifier"), choices=MODELS),
                _candidates(20),
                Option(
                    "sample",
                    "integer",
                    500,
                    _("originals that the attacker anonymizes to learn from"),
                    low=1,
                    high=100_000,
                ),
                _DUPLICATES,
                Option("rounds", "integer", 3, _("how often the attacker learns"), low=1, high=20),
            ),
        ),
        Attack(
            REPLAY,
            _("replayed"),
            _("The anonymizers again, with small seeds"),
            "scoring.attacks.replay:guess_replayed",
            (),
            (
                Option(
                    "seeds",
                    "integer",
                    1000,
                    _("seeds below this number are replayed"),
                    low=1,
                    high=2**32,
                ),
                Option(
                    "work",
                    "integer",
                    400,
                    _("the most work, in millions of cells that noise is added to"),
                    low=1,
                    high=1_000_000,
                ),
            ),
        ),
    ),
)
"""Identifier to attack, in the order in which they are shown."""

CANDIDATES = Inquiry(
    "nearest-candidates",
    "Neighbor_att",
    _("The n nearest originals of each record"),
    "scoring.attacks.neighbours:nearest_candidates",
    (QUASI_IDENTIFIERS, SENSITIVE),
    (
        Option("n", "integer", 5, _("how many, at most as many as the original has"), low=1),
        _distance("euclidean"),
    ),
)
MEMBERSHIP = Inquiry(
    "membership",
    _("membership"),
    _("Membership: is a person in the table at all"),
    "scoring.attacks.membership:membership_scores",
    (QUASI_IDENTIFIERS, SENSITIVE),
    (_distance("gower"),),
)

INQUIRIES: Registry[Inquiry] = Registry("attack", (*ATTACKS.values(), CANDIDATES, MEMBERSHIP))
"""Attacks, and what attackers ask that is not answered by one row for each record."""
