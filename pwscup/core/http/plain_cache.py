# SPDX-License-Identifier: Apache-2.0
"""The shared cache holds JSON: data from its server is never executed as code."""

from __future__ import annotations

import json
from typing import Any


class JsonSerializer:
    """For Django's Redis cache, in place of pickle; whole numbers stay plain, so that Redis counts them."""

    def dumps(self, value: Any) -> int | bytes:
        return value if type(value) is int else json.dumps(value).encode()

    def loads(self, data: bytes) -> Any:
        return json.loads(data)
