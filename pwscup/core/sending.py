# SPDX-License-Identifier: Apache-2.0
"""Sending a message to the broker during a request."""

from __future__ import annotations

import os
import threading
from typing import Any

# Time-out of the broker's answer within a request; at most two of them are waited for.
PATIENCE_SECONDS = 1


class _Connection(threading.local):
    """A thread's own connection to the broker, reused for all messages; a forked process opens another."""

    pid: int | None = None
    producer: Any = None

    def get(self, app: Any) -> Any:
        if self.producer is None or self.pid != os.getpid():
            limits = {
                "socket_timeout": PATIENCE_SECONDS,
                "socket_connect_timeout": PATIENCE_SECONDS,
            }
            options = app.conf.broker_transport_options | limits
            connection = app.connection_for_write(
                connect_timeout=PATIENCE_SECONDS, transport_options=options
            )
            self.producer, self.pid = app.amqp.Producer(connection), os.getpid()
            _keep_client(self.producer.channel)
        return self.producer

    def close(self) -> None:
        producer, self.producer = self.producer, None
        if producer is not None:
            producer.connection.collect()  # closes its sockets without a message to the broker


def _keep_client(channel: Any) -> None:
    """Publish every message to Redis by one client of a channel: kombu 5.7 makes a client for each message."""
    if hasattr(channel, "_create_client"):
        client = channel._create_client()
        channel._create_client = lambda *_, **__: client


_connection = _Connection()


def send_soon(task: Any, *arguments: int | str, queue: str | None = None) -> None:
    """Send a task with its arguments, to its default queue or another one; raise soon if the broker does not
    answer."""
    app = task.app
    if app.conf.task_always_eager:
        task.apply_async(arguments)
        return
    is_new = _connection.producer is None
    try:
        task.apply_async(arguments, producer=_connection.get(app), retry=False, queue=queue)
    except Exception:
        _connection.close()
        if is_new:
            raise
        send_soon(
            task, *arguments, queue=queue
        )  # the broker was restarted: the connection is broken
