# SPDX-License-Identifier: Apache-2.0
"""The figures printed in the paper, to compare with those of its table.

Yamaguchi, Terada & Yoshiura, 差分プライバシに基づく一括開示と対話開示のデータ有用性の評価.
"""

from __future__ import annotations

EPSILONS = (0.1, 1.0, 2.0, 3.2, 3.7, 4.0)
TABLE2 = {
    0.1: (5000.0, 0.01, 20.0),
    1.0: (900.0, 0.10, 2.0),
    2.0: (100.0, 0.22, 1.0),
    3.2: (10.0, 0.36, 0.63),
    3.7: (5.0, 0.41, 0.54),
    4.0: (3.0, 0.44, 0.50),
}
"""k, ρ and λ by ε."""

_TABLE5 = {
    "BT": (1430, 1303, 800, 0.19, 0.83, 0.97),
    "BR": (1967, 959, 287, 0.18, 0.78, 0.96),
    "IT1": (106, 11, 3, 0.98, 1.00, 1.00),
    "IT10": (1058, 106, 26, 0.73, 0.98, 1.00),
    "IT14": (1482, 148, 37, 0.65, 0.97, 1.00),
    "IT55": (5821, 582, 146, 0.26, 0.83, 0.97),
    "IT62": (6562, 656, 164, 0.25, 0.82, 0.97),
    "IT89": (9419, 942, 235, 0.18, 0.74, 0.95),
    "IT91": (9631, 963, 241, 0.18, 0.74, 0.95),
    "IT109": (11536, 1154, 288, 0.18, 0.71, 0.93),
    "IT436": (46142, 4614, 1154, 0.08, 0.28, 0.71),
}
_MEASURED = (0.1, 1.0, 4.0)
TABLE5 = {
    (epsilon, method): (values[i], values[i + 3])
    for method, values in _TABLE5.items()
    for i, epsilon in enumerate(_MEASURED)
}
"""L2 and rank correlation by ε and method."""

TABLE6 = {0.1: (14, 89), 1.0: (91, 55), 4.0: (109, 62)}
"""The number of queries from which on a batch is better, by L2 and by rank correlation."""
