# SPDX-License-Identifier: Apache-2.0
"""The lecture contest: a table of its own for each team, decoys among the candidates, aligned tables.

Records are numbered by 0-based rows of the organizer's table, by 0-based lines of a team's own table
(its original), of its candidate table, and of its release; only files count from 1.
"""

from scoring.formats.lecture.draw import candidate_table, draw
from scoring.formats.lecture.imitations import imitated_decoys
from scoring.formats.lecture.marking import mark_kept
from scoring.formats.lecture.parts import combined, joined, read_parts
from scoring.formats.lecture.release import Release, positions_of, release
from scoring.formats.lecture.split import TeamDraw, key_of, lines_of_team, split

__all__ = [
    "Release",
    "TeamDraw",
    "candidate_table",
    "combined",
    "draw",
    "imitated_decoys",
    "joined",
    "key_of",
    "lines_of_team",
    "mark_kept",
    "positions_of",
    "read_parts",
    "release",
    "split",
]
