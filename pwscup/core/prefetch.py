"""What a worker survives of its broker: acknowledgements that fail, and messages that cannot be read.

A worker gives a place of its prefetch limit back even where the broker cannot be told.

Kombu's Redis transport (5.7.0) keeps the place where an acknowledgement fails. A worker that finishes
all it has while the broker is away then waits for ever: it takes no message, so it does not even
notice that the broker is back. What stays unacknowledged is delivered again after the visibility
timeout, and a hint of a row that no longer waits is passed over.

A message that is no message — not JSON, without properties, with headers of other types — ends a worker's main process,
as nothing between the socket and Celery expects it. It is logged and rejected: all that matters is in the rows.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from kombu.transport import redis, virtual

logger = logging.getLogger(__name__)
MALFORMED = (ValueError, TypeError, LookupError, AttributeError)


class ReleasingQoS(redis.QoS):
    """Counts a delivery as done whatever the broker says."""

    def ack(self, delivery_tag: str) -> None:
        try:
            super().ack(delivery_tag)
        except self.channel.connection_errors:
            virtual.QoS.ack(self, delivery_tag)
            raise


class CarefulChannel(redis.Channel):
    """Rejects what cannot be read, and goes on."""

    QoS = ReleasingQoS

    def _brpop_read(self, **options: Any) -> Any:
        try:
            return super()._brpop_read(**options)
        except MALFORMED as error:  # it is out of its list, and held by nobody
            logger.error("a message that cannot be read is dropped: %s", type(error).__name__)
            return True

    def basic_consume(
        self, queue: str, no_ack: bool, callback: Callable[..., Any], *given: Any, **options: Any
    ) -> Any:
        def careful(message: Any) -> None:
            try:
                callback(message)
            except MALFORMED as error:
                logger.error("a malformed message is rejected: %s", type(error).__name__)
                if not message.acknowledged:
                    message.reject()

        return super().basic_consume(queue, no_ack, careful, *given, **options)


def install() -> None:
    """Let every channel that is opened from now on be such a one."""
    redis.Transport.Channel = CarefulChannel
