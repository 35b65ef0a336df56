# SPDX-License-Identifier: Apache-2.0
"""The sample functions of the lecture's contest: frames in, frames out, deleted records kept as blank lines.

A frame may come from `read_table` or from `pandas.read_csv`. A record whose cells are all missing is a deleted one:
every function leaves it blank, in its place. Columns of numbers are numbers, all others are categories. Methods that
draw take a `seed`; without one they draw 128 bits from the operating system. The seed used is in
`frame.attrs["seed"]`: keep it secret, because anyone who has it can undo the method.
"""

from scoring.classroom.attacks import identify, nearest_candidates
from scoring.classroom.files import read_schema, read_table, write_anonymized, write_attack
from scoring.classroom.frames import is_deleted
from scoring.classroom.methods import generalize, laplace, randomized_response, remove_rare_records
from scoring.classroom.rules import fit_to_rules, score

__all__ = [
    "fit_to_rules",
    "generalize",
    "identify",
    "is_deleted",
    "laplace",
    "nearest_candidates",
    "randomized_response",
    "read_schema",
    "read_table",
    "remove_rare_records",
    "score",
    "write_anonymized",
    "write_attack",
]
