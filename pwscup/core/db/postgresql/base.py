# SPDX-License-Identifier: Apache-2.0
"""The connection wrapper, in the module where Django expects it."""

from __future__ import annotations

import select

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that checks whether it is usable only if the server has sent something in the meantime.

    A server that restarts or ends a connection sends a message and closes it, so there is something to read.
    """

    def is_usable(self) -> bool:
        if self.connection is None or self.connection.closed or self.connection.broken:
            return False
        poll = select.poll()  # for any file descriptor; `select` is limited to 1,024
        poll.register(self.connection.pgconn.socket, select.POLLIN | select.POLLPRI)
        return not poll.poll(0) or super().is_usable()
