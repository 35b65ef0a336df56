"""A worker gives a place of its prefetch limit back even where the broker cannot be told.

Kombu's Redis transport (5.7.0) keeps the place where an acknowledgement fails. A worker that finishes
all it has while the broker is away then waits for ever: it takes no message, so it does not even
notice that the broker is back. What stays unacknowledged is delivered again after the visibility
timeout, and a hint of a row that no longer waits is passed over.
"""

from __future__ import annotations

from kombu.transport import redis, virtual


class ReleasingQoS(redis.QoS):
    """Counts a delivery as done whatever the broker says."""

    def ack(self, delivery_tag: str) -> None:
        try:
            super().ack(delivery_tag)
        except self.channel.connection_errors:
            virtual.QoS.ack(self, delivery_tag)
            raise


def install() -> None:
    """Let every channel that is opened from now on count so."""
    redis.Channel.QoS = ReleasingQoS
