"""The wrapper of a connection, where Django looks for it."""

from __future__ import annotations

import select

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that asks the server whether it is usable only where the server has sent something meanwhile.

    A server that restarts or ends a connection says so and closes it: then there is something to read.
    """

    def is_usable(self) -> bool:
        if self.connection is None or self.connection.closed or self.connection.broken:
            return False
        poll = select.poll()  # of any file descriptor; `select` stops at 1,024
        poll.register(self.connection.pgconn.socket, select.POLLIN | select.POLLPRI)
        return not poll.poll(0) or super().is_usable()
