"""What workers run of archives apart from their jobs: an interface and nothing more."""

from __future__ import annotations

from pwscup.archives import services
from pwscup.archives.reading import unfinished
from pwscup.core.celery_app import app
from pwscup.core.db.clock import read_db_clock


@app.task
def sweep() -> None:
    """Delete archives of deleted data, and what is left of imports that failed."""
    services.erase_archives(read_db_clock())
    unfinished.remove_left()
