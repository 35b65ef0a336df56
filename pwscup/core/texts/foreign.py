# SPDX-License-Identifier: Apache-2.0
"""Texts of plugins, which bring their own languages; all others are in the catalogues."""

from __future__ import annotations

from django.utils.translation import get_language, gettext

from scoring import plugins
from scoring.rulesets import localized


def translated(text: str) -> str:
    """A text of a registry in the reader's language."""
    own = plugins.texts().get(text)
    return localized(own, get_language() or "en") if own else gettext(text)
