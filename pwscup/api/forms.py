# SPDX-License-Identifier: Apache-2.0
"""The forms of the site with values of programs: one place decides what a value may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ninja.errors import ValidationError

from pwscup.api.problems import FormRefused

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.forms import BaseForm
    from ninja import Schema

F = TypeVar("F", bound="BaseForm")


def data_of(body: Schema, **more: Any) -> dict[str, Any]:
    """The values that a program sent, as data of a form; `more` are fields that only pages fill in."""
    return {
        key: value for key, value in body.dict(exclude_unset=True).items() if value is not None
    } | more


def refuse_unknown(names: Iterable[str], *place: str) -> None:
    """Refuse keys of a body that nothing asks for; `place` is where they stand in it.

    Raises
    ------
    ninja.errors.ValidationError
        With every name, if there are any.
    """
    found = [{"type": "extra_forbidden", "loc": (*place, name)} for name in names]
    if found:
        raise ValidationError(found)


def checked(form: F) -> F:
    """The form itself.

    Raises
    ------
    FormRefused
        With the problems of all fields.
    """
    if not form.is_valid():
        raise FormRefused(form)
    return form
