# SPDX-License-Identifier: Apache-2.0

from django.conf import settings
from filelock import FileLock, Timeout

from pwscup.core.celery_app import app


@app.task(name="demo.advance", ignore_result=True)
def advance() -> None:
    """Let the baseline teams play on; called by the schedule, so that nothing is lost with a worker."""
    try:
        with FileLock(settings.DATA_DIR / "demo.lock", timeout=0):
            from pwscup.demo import play  # imports the numerical libraries, which only workers need

            play.advance()
    except Timeout:
        return  # another worker is playing
