# SPDX-License-Identifier: Apache-2.0
"""Parts of pages that scroll by themselves: the keyboard comes to each, and each has a name."""

from __future__ import annotations

from typing import Literal

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import pgettext

Kind = Literal["table", "code", "list", "chart"]


def scrolling(*names: object, kind: Kind = "table") -> SafeString:
    """The attributes of an element that scrolls; several names are joined, empty ones left out.

    Its name differs from that of the section around it, which is a landmark, too.
    """
    name = " · ".join(filter(None, map(str, names)))
    return format_html('tabindex="0" role="region" aria-label="{}"', _named(name, kind))


def _named(name: str, kind: Kind) -> str:
    match kind:
        case "code":
            label = pgettext("a part of a page that scrolls", "%(name)s: code")
        case "list":
            label = pgettext("a part of a page that scrolls", "%(name)s: list")
        case "chart":
            label = pgettext("a part of a page that scrolls", "%(name)s: chart")
        case _:
            label = pgettext("a part of a page that scrolls", "%(name)s: table")
    return label % {"name": name}
