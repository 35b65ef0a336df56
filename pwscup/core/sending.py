"""Telling the broker something while somebody waits for a page."""

from __future__ import annotations

from typing import Any

# A request waits for the broker's answer: twice at most this long, where the broker is silent.
PATIENCE_SECONDS = 1


def send_soon(task: Any, pk: int) -> None:
    """Send a task the key of a row; raise soon where the broker does not answer."""
    app = task.app
    if app.conf.task_always_eager:
        task.apply_async([pk])
        return
    limits = {"socket_timeout": PATIENCE_SECONDS, "socket_connect_timeout": PATIENCE_SECONDS}
    with app.connection_for_write(
        connect_timeout=PATIENCE_SECONDS, transport_options=limits
    ) as connection:
        task.apply_async([pk], connection=connection, retry=False)
