"""Makes workers wait before they score: while a test holds them, and as many seconds as the submission's note says."""

from __future__ import annotations

import time
from typing import Any

from celery.signals import worker_init

HOLD = "hold"


@worker_init.connect
def slow_down(**_: Any) -> None:
    """In workers alone: what schedules their work needs no numerical library."""
    from django.conf import settings

    from pwscup.submissions import evaluation
    from pwscup.submissions.models import Submission

    evaluate = evaluation.evaluate

    def slowly(submission_id: int) -> evaluation.Result:
        while (settings.DATA_DIR / HOLD).exists():
            time.sleep(0.05)
        time.sleep(float(Submission.objects.get(pk=submission_id).note or 0))
        return evaluate(submission_id)

    evaluation.evaluate = slowly
