# SPDX-License-Identifier: Apache-2.0
"""Punctuation between the parts of a text, which each language sets in its own way."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import pgettext


def listed(parts: Iterable[object]) -> str:
    """The parts of a list in one line."""
    return pgettext("between the parts of a list", ", ").join(map(str, parts))


def named(name: object, text: object) -> str:
    """A name and the text that belongs to it."""
    return _("%(name)s: %(text)s") % {"name": name, "text": text}


def noted(text: object, note: object) -> str:
    """A text with a note in brackets."""
    return _("%(text)s (%(note)s)") % {"text": text, "note": note}


def percent(number: str) -> str:
    """A number of per cent with its sign."""
    return _("%(number)s %%") % {"number": number}


def gap() -> str:
    """What separates two sentences: in Japanese nothing."""
    return _("%(text)s %(sentence)s") % {"text": "", "sentence": ""}


def joined(*sentences: object) -> str:
    """Sentences one after the other, without the empty ones."""
    return gap().join(filter(None, map(str, sentences)))
