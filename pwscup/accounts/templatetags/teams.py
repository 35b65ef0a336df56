# SPDX-License-Identifier: Apache-2.0
"""Template tags about teams: `{% team_picture name %}`."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString

from pwscup.accounts.names.pictures import picture

register = template.Library()


@register.simple_tag
def team_picture(name: str) -> SafeString:
    """The generated picture of the team with this name, as SVG."""
    return picture(name)
