# SPDX-License-Identifier: Apache-2.0
"""The emails of an installation without a mail server, shown only to the user at that machine."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import conditional_escape, format_html
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

MOST_SHOWN = 50
PROXY_HEADERS = ("X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Forwarded", "Via")
ADDRESS = re.compile(r"https?://[^\s<>\"']+")
SEPARATOR = b"-" * 79 + b"\n"  # the separator of Django's file backend


@dataclass(frozen=True, slots=True)
class Mail:
    """A message as the page shows it."""

    to: str
    subject: str
    sent_at: datetime | None
    body: SafeString


def is_open(request: HttpRequest) -> bool:
    """This request may read the emails: demo, no mail server, and from this machine."""
    if not settings.DEMO or settings.EMAIL_URL:
        return False
    if any(header in request.headers for header in PROXY_HEADERS):
        return False
    try:
        return ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


def read_mails(folder: Path, host: str) -> list[Mail]:
    """The newest messages in the folder, the newest first."""
    files = sorted(folder.glob("*.log"), key=lambda file: file.stat().st_mtime, reverse=True)
    mails: list[Mail] = []
    for file in files[:MOST_SHOWN]:
        parts = file.read_bytes().split(SEPARATOR)
        mails += [parse(part, host) for part in reversed(parts) if part.strip()]
    return mails[:MOST_SHOWN]


def parse(raw: bytes, host: str) -> Mail:
    """Parse a message for the page."""
    message = message_from_bytes(raw.lstrip(), _class=EmailMessage, policy=policy.default)
    part = message.get_body(("plain",))
    date = message["date"]
    return Mail(
        to=str(message["to"] or ""),
        subject=str(message["subject"] or ""),
        sent_at=parsedate_to_datetime(str(date)) if date else None,
        body=with_links(part.get_content() if part else "", host),
    )


def with_links(text: str, host: str) -> SafeString:
    """Escape the text and turn addresses of this site, and only those, into links."""
    pieces, end = [], 0
    for match in ADDRESS.finditer(text):
        pieces.append(conditional_escape(text[end : match.start()]))
        pieces.append(_link(match.group(), host))
        end = match.end()
    pieces.append(conditional_escape(text[end:]))
    return mark_safe("".join(pieces))  # noqa: S308 — every piece is escaped


def _link(address: str, host: str) -> SafeString:
    try:
        here = urlsplit(address).netloc == host
    except ValueError:  # "http://[" is not a valid address
        here = False
    if here:
        return format_html('<a href="{}">{}</a>', address, address)
    path = address.removeprefix(settings.SITE_URL)
    # Keep the host under which the site was opened; "//host" would name another one.
    if address.startswith(f"{settings.SITE_URL}/") and url_has_allowed_host_and_scheme(path, None):
        return format_html('<a href="{}">{}</a>', path, address)
    return conditional_escape(address)


@never_cache
@require_safe
def mail(request: HttpRequest) -> HttpResponse:
    if not is_open(request):
        raise Http404
    mails = read_mails(Path(settings.EMAIL_FILE_PATH), request.get_host())
    return render(request, "core/mail.html", {"mails": mails})
