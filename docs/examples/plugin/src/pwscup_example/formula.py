# SPDX-License-Identifier: Apache-2.0
"""A ranking formula with one setting."""

import math

from scoring.formulas import Formula, Scores, Setting, protection

FLOOR = Setting("floor", 0.0, 0, 100, "least utility, below which the total is 0")


def geometric(scores: Scores, settings: dict[str, float]) -> dict[object, float | None]:
    """Geometric mean of utility and protection, and 0 below the least utility; higher wins.

    Returns
    -------
    dict
        0 to 100; None for a team without a utility or a published table.

    Notes
    -----
    A template.
    """
    totals: dict[object, float | None] = {}
    for team in scores.teams:
        utility, safe = scores.utility.get(team), protection(scores, team)
        if utility is None or safe is None:
            totals[team] = None
        else:
            totals[team] = math.sqrt(utility * safe) if utility >= settings["floor"] else 0.0
    return totals


GEOMETRIC = Formula(
    id="geometric",
    title="Geometric mean of utility and protection",
    direction="higher",
    uses=("utility", "protection"),
    settings=(FLOOR,),
    function=geometric,
    needs=("utility",),
    texts={
        "title": {
            "en": "Geometric mean of utility and protection",
            "ja": "有用性と防御の幾何平均",
        },
        "text": {
            "en": "geometric mean of utility and protection, and 0 for a utility below the floor",
            "ja": "有用性と防御の幾何平均。有用性がfloor未満の場合は0",
        },
        "floor": {
            "en": "least utility, below which the total is 0",
            "ja": "総合値が0になる有用性の下限",
        },
    },
)
