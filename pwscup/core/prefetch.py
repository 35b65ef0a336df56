# SPDX-License-Identifier: Apache-2.0
"""Robustness of a worker against its broker: acknowledgements that fail, and unreadable messages.

A worker releases a slot of its prefetch limit even if the broker is not reachable.

Kombu's Redis transport (5.7.0) keeps the slot if an acknowledgement fails. A worker that finishes all its
tasks while the broker is unavailable then waits for ever: it takes no message, so it does not notice that the
broker is back. Unacknowledged messages are delivered again after the visibility timeout, and a hint for a row
that no longer waits is ignored.

A malformed message — not JSON, without properties, with headers of other types — ends a worker's main
process, as nothing between the socket and Celery expects it. It is logged and rejected: the rows hold the
state.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from kombu.transport import redis, virtual

logger = logging.getLogger(__name__)
MALFORMED = (ValueError, TypeError, LookupError, AttributeError)


class ReleasingQoS(redis.QoS):
    """Counts a delivery as done, whatever the broker answers."""

    def ack(self, delivery_tag: str) -> None:
        try:
            super().ack(delivery_tag)
        except self.channel.connection_errors:
            virtual.QoS.ack(self, delivery_tag)
            raise


class CarefulChannel(redis.Channel):
    """Rejects unreadable messages, and continues."""

    QoS = ReleasingQoS

    def _brpop_read(self, **options: Any) -> Any:
        try:
            return super()._brpop_read(**options)
        except MALFORMED as error:  # it is already removed from its list
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
    """Make every channel opened from now on such a channel."""
    redis.Transport.Channel = CarefulChannel
