# SPDX-License-Identifier: Apache-2.0
"""One PostgreSQL for all distributed tests; each file has a database of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import services


@pytest.fixture(scope="session")
def postgresql() -> Iterator[services.PostgreSQL]:
    server = services.PostgreSQL()
    yield server
    server.stop()
