"""What workers run of experiments apart from their jobs: an interface and nothing more."""

from __future__ import annotations

from pwscup.core.celery_app import app
from pwscup.core.db.clock import read_db_clock
from pwscup.experiments import services


@app.task
def sweep() -> None:
    """Forget what nobody waits for."""
    services.forget_left(read_db_clock())
