# SPDX-License-Identifier: Apache-2.0
"""The row is the job: claims, leases and fencing.

A message to the broker is only a hint that a row waits. A worker claims the row with a conditional update,
holds it by a lease that it renews, and writes its result only while its fencing number is current. So a dead
worker, a lost message and a message delivered twice cost time, and nothing else.

`rows` handles one row, `heartbeat` the work under a lease, `kinds` everything that kinds of jobs share.
"""

from pwscup.core.jobs.kinds import (
    JOB_KINDS,
    announce,
    attend,
    claim,
    fail,
    finish,
    job,
    resend_forgotten,
    sweep,
    take_back,
    work_on,
)
from pwscup.core.jobs.rows import (
    AWAY,
    MAX_ATTEMPTS,
    Claim,
    expired,
    give_back,
    held,
    new_reference,
    note,
    renew,
    try_again,
    wait_again,
)

__all__ = [
    "AWAY",
    "JOB_KINDS",
    "MAX_ATTEMPTS",
    "Claim",
    "announce",
    "attend",
    "claim",
    "expired",
    "fail",
    "finish",
    "give_back",
    "held",
    "job",
    "new_reference",
    "note",
    "renew",
    "resend_forgotten",
    "sweep",
    "take_back",
    "try_again",
    "wait_again",
    "work_on",
]
