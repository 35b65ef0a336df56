# SPDX-License-Identifier: Apache-2.0
"""The choices of the analyses by name: plain data, so that rules are read without any analysis."""

LARGEST, MEAN = OF = ("largest", "mean")
"""Ways in which the differences of all figures become one value."""

AVERAGE, DEVIATION, QUARTILES, SHARES, CORRELATIONS = STATISTICS = (
    "mean",
    "deviation",
    "quartiles",
    "shares",
    "correlations",
)
AMONG_COLUMNS, RANGE, UNSCALED = SCALES = ("columns", "range", "none")
LEFT_OUT, ONE_HOT = CATEGORIES = ("left-out", "one-hot")

COEFFICIENTS, P_VALUES, ODDS_RATIOS, INTERVALS, COLLINEARITY = OF_REGRESSION = (
    "coefficients",
    "p-values",
    "odds-ratios",
    "intervals",
    "collinearity",
)
RAW, SQUASHED, SQUASHED_DIFFERENCE = FORMS = ("raw", "squashed", "squashed-difference")

STATISTIC, P_VALUE, EPSILON, ETA, RANK_ETA, PAIRS, PAIRS_EITHER_WAY = OF_GROUPS = (
    "statistic",
    "p-value",
    "epsilon-squared",
    "eta-squared",
    "rank-eta-squared",
    "pairs",
    "pairs-either-way",
)

HAZARD_RATIOS, _, _ = OF_HAZARDS = ("hazard-ratios", P_VALUES, INTERVALS)

MODEL = "model"
"""The kind of file that holds a team's model."""
ORIGINAL, HALF_AND_HALF, CONTROLS = TESTED_ON = ("original", "half-and-half", "controls")
"""The records that such a model is applied to."""

BAR, TOTAL = DISTANCES = ("bar", "total")
BINS = 10

LOGISTIC, TREE, FOREST, BOOSTING, XGBOOST = MODELS = (
    "logistic-regression",
    "decision-tree",
    "random-forest",
    "gradient-boosting",
    "xgboost",
)
ACCURACY, F1 = SCORES = ("accuracy", "f1")
