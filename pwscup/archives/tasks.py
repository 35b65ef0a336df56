"""What workers run of archives: an interface and nothing more."""

from __future__ import annotations

from pwscup.archives import queue, worker
from pwscup.core.celery_app import app
from pwscup.core.clock import read_db_clock
from pwscup.core.sending import send_soon


@app.task
def write(archive_id: int) -> None:
    """Write an archive, if it still waits."""
    worker.write(archive_id)


@app.task
def read(import_id: int) -> None:
    """Read an archive, if it still waits."""
    worker.read(import_id)


@app.task
def sweep() -> None:
    """Find what was lost, send what was forgotten."""
    queue.sweep(read_db_clock())


def send_write(archive_id: int) -> None:
    """Send the hint that an archive waits to be written; raise soon where the broker does not answer."""
    send_soon(write, archive_id)


def send_read(import_id: int) -> None:
    """Send the hint that an archive waits to be read; raise soon where the broker does not answer."""
    send_soon(read, import_id)
