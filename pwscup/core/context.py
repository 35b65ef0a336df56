# SPDX-License-Identifier: Apache-2.0

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest
from django.urls import reverse

from pwscup.core import mailbox
from pwscup.core.files import space
from pwscup.core.http import themes


def site(request: HttpRequest) -> dict[str, Any]:
    """Facts about the installation for every template."""
    return {
        "DEMO": settings.DEMO,
        "MAILBOX": mailbox.is_open(request),
        "ORIGIN": origin(request),
        "RETURN_HERE": return_here(request),
        "SPACE_IS_LOW": space.is_low,
        "SPACE_RESERVE": settings.DISK_RESERVE_BYTES,
        "THEME": themes.chosen(request),
    }


def origin(request: HttpRequest) -> str:
    """Scheme and host of this site; empty where the request names a host that is not this site's."""
    try:
        return f"{request.scheme}://{request.get_host()}"
    except DisallowedHost:
        return ""


def return_here(request: HttpRequest) -> str:
    """The query that returns a visitor to this page after log-in or sign-up; empty on the front page."""
    back = request.POST.get("next") or request.GET.get("next") or request.path
    entrance = reverse("account_login").removesuffix("login/")
    if back == "/" or back.startswith(entrance) or request.path.startswith("/i18n/"):
        return ""
    return "?" + urlencode({"next": back})
