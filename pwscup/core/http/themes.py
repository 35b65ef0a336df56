# SPDX-License-Identifier: Apache-2.0
"""Light, dark, or as the system prefers: the choice is a cookie, so that the first response has the right colours."""

from __future__ import annotations

from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

COOKIE = "theme"
CHOICES = ("light", "dark")
KEPT = timedelta(days=365)


def chosen(request: HttpRequest) -> str:
    """The theme that the visitor chose: `light` or `dark`; empty: as the system prefers."""
    value = request.COOKIES.get(COOKIE, "")
    return value if value in CHOICES else ""


@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    """Keep `theme` (light, dark; anything else: the system's) and return to the page `next` of this site."""
    back = request.POST.get("next", "")
    hosts = {request.get_host()}
    is_ours = url_has_allowed_host_and_scheme(back, hosts, require_https=request.is_secure())
    response = redirect(back if is_ours else "/")
    theme = request.POST.get("theme", "")
    if theme in CHOICES:
        secure = request.is_secure()
        response.set_cookie(
            COOKIE, theme, max_age=KEPT, samesite="Lax", httponly=True, secure=secure
        )
    else:
        response.delete_cookie(COOKIE, samesite="Lax")
    return response
