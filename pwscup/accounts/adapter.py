# SPDX-License-Identifier: Apache-2.0
"""The settings of this site for django-allauth."""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.core.internal.ratelimit import get_ip
from allauth.core.ratelimit import consume
from django.conf import settings
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import get_language

from pwscup.accounts.addresses import normalized
from pwscup.accounts.guests import become_ordinary, is_placeholder, revoke_link
from pwscup.accounts.models import User
from pwscup.accounts.services import remember_address, remember_language
from pwscup.accounts.tokens import revoke_all

logger = logging.getLogger(__name__)

LINKS = ("activate_url", "password_reset_url", "signup_url")


def at_site(address: str) -> str:
    """The same page under the site's own address: the host of a request may be any name that resolves to this
    server."""
    parts = urlsplit(address)
    return settings.SITE_URL + urlunsplit(("", "", parts.path, parts.query, parts.fragment))


class AccountAdapter(DefaultAccountAdapter):
    """Keeps the display name, and the page a visitor came from, during sign-up and in its email."""

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Links in emails and the name of the site come from the settings.

        The number of emails to an address is limited per hour. Emails above the limit are dropped; the page
        does not differ.
        """
        if is_placeholder(email):
            return
        if not consume(self.request, action="mail", key=normalized(email)):
            logger.warning(
                "a mail about an account was not sent: its address has reached the limit for this hour"
            )
            return
        links = {name: at_site(context[name]) for name in LINKS if name in context}
        site = {"domain": urlsplit(settings.SITE_URL).netloc}
        super().send_mail(template_prefix, email, context | links | {"current_site": site})

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Failed log-ins are counted per account and source, so that a stranger cannot lock out the owner."""
        return f"{credentials.get('email', '').lower()}:{get_ip(request)}"

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        user.display_name = form.cleaned_data["display_name"]
        user.language = get_language() or ""
        if not self.is_email_verified(request, form.cleaned_data["email"]):
            self.unstash_verified_email(
                request
            )  # the address of an invitation, but not the one of this account
        return super().save_user(request, user, form, commit=commit)

    def login(self, request: HttpRequest, user: User) -> None:
        """A language that was chosen before the log-in is the user's, and so is that of the page if none is known."""
        super().login(request, user)
        if settings.LANGUAGE_COOKIE_NAME in request.COOKIES or not user.language:
            remember_language(user=user, language=get_language() or "")

    def set_password(self, user: User, password: str) -> None:
        """Changing a password ends all other sessions, all tokens and the sign-in link of the account."""
        with transaction.atomic():
            super().set_password(user, password)
            revoke_all(user)
            revoke_link(user)

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        """A confirmed address replaces the previous one, whose hash still identifies its owner."""
        user = email_address.user
        with transaction.atomic():
            before = user.email
            confirmed = super().confirm_email(request, email_address)
            if confirmed and user.email != before:
                remember_address(user=user, address=before)
                if user.is_guest:
                    become_ordinary(user)
        return confirmed

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        """The link in the email; it carries the return address, because it may be opened in another browser."""
        url = super().get_email_confirmation_url(request, emailconfirmation)
        back = request.POST.get(REDIRECT_FIELD_NAME) or request.GET.get(REDIRECT_FIELD_NAME)
        if back and self.is_safe_url(back):
            return f"{url}?{urlencode({REDIRECT_FIELD_NAME: back})}"
        return url
