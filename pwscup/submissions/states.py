# SPDX-License-Identifier: Apache-2.0
"""The states of a submission: waiting → running → scored, rejected or failed; or cancelled while it waits."""

from __future__ import annotations

from pwscup.submissions.models import Submission

State = Submission.State

UNFINISHED = frozenset({State.WAITING, State.RUNNING})
FINAL = frozenset(State) - UNFINISHED
# A team does not pay with an attempt for rejected, failed or cancelled submissions.
USES_A_TRY = UNFINISHED | {State.SCORED}
WASTED = FINAL - USES_A_TRY
