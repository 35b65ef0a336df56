# SPDX-License-Identifier: Apache-2.0
"""Names of tasks before `run_job` and the single sweep: their messages may be in a broker during an upgrade.

To be deleted after the next release.
"""

from __future__ import annotations

from collections.abc import Callable

from pwscup.core.celery_app import app
from pwscup.core.jobs import kinds

LABELS = {
    "pwscup.archives.tasks.read": "archives.contestimport",
    "pwscup.archives.tasks.write": "archives.archive",
    "pwscup.audits.tasks.run": "audits.audit",
    "pwscup.bots.tasks.run": "bots.rehearsal",
    "pwscup.experiments.tasks.run": "experiments.experiment",
    "pwscup.reports.tasks.run": "reports.finalreport",
    "pwscup.rescores.tasks.run": "submissions.rescore",
    "pwscup.submissions.tasks.score": "submissions.submission",
}
SWEEPS = (
    "pwscup.audits.tasks.sweep",
    "pwscup.bots.tasks.sweep",
    "pwscup.reports.tasks.sweep",
    "pwscup.rescores.tasks.sweep",
)


def _run(label: str) -> Callable[[int], None]:
    def run(pk: int) -> None:
        kinds.run_job(label, pk)

    return run


for name, label in LABELS.items():
    app.task(name=name)(_run(label))
for name in SWEEPS:
    app.task(name=name)(kinds.sweep)
