# SPDX-License-Identifier: Apache-2.0
"""The columns of models."""

from __future__ import annotations

from typing import Any

from django.db.models import Field, Model


def field_of(model: type[Model], name: str) -> Field[Any, Any]:
    """A field of the model's own table; not the other end of a relation."""
    field = model._meta.get_field(name)
    assert isinstance(field, Field)
    return field


def longest(model: type[Model], name: str) -> int:
    """The number of characters that a text may have in this field."""
    n = field_of(model, name).max_length
    assert n is not None
    return n
