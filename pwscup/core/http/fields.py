# SPDX-License-Identifier: Apache-2.0
"""The fields of a form that offer something."""

from __future__ import annotations

from typing import Any

from django.forms import BaseForm, ChoiceField, ModelChoiceField


def choice_field(form: BaseForm, name: str) -> ChoiceField:
    field = form.fields[name]
    assert isinstance(field, ChoiceField)
    return field


def row_field(form: BaseForm, name: str) -> ModelChoiceField[Any]:
    """The same for a field that offers rows."""
    field = form.fields[name]
    assert isinstance(field, ModelChoiceField)
    return field
