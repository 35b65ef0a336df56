"""The lecture contest: a table of its own for each team, decoys among the candidates, aligned tables.

Records are numbered by 0-based rows of the organizer's table, by 0-based lines of a team's own table
(its original), of its candidate table, and of its release; only files count from 1.
"""

from scoring.lecture.draw import candidate_table, draw
from scoring.lecture.marking import mark_kept
from scoring.lecture.release import Release, positions_of, release

__all__ = ["Release", "candidate_table", "draw", "mark_kept", "positions_of", "release"]
