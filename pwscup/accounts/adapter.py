"""Where allauth asks how this site wants things."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.db import transaction
from django.http import HttpRequest

from pwscup.accounts.models import User
from pwscup.accounts.services import remember_address
from pwscup.accounts.tokens import revoke_all


class AccountAdapter(DefaultAccountAdapter):
    """Keeps the display name, and the page a person came from, through sign-up and its e-mail."""

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        user.display_name = form.cleaned_data["display_name"]
        return super().save_user(request, user, form, commit=commit)

    def set_password(self, user: User, password: str) -> None:
        """Whoever changes a password shuts others out: from their sessions, and from their tokens."""
        with transaction.atomic():
            super().set_password(user, password)
            revoke_all(user)

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        """A confirmed address replaces the one before, by which its owner can still be recognized."""
        user = email_address.user
        with transaction.atomic():
            before = user.email
            confirmed = super().confirm_email(request, email_address)
            if user.email != before:
                remember_address(user=user, address=before)
        return confirmed

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        """The link in the mail; it carries the way back, because it may be opened in another browser."""
        url = super().get_email_confirmation_url(request, emailconfirmation)
        back = request.POST.get(REDIRECT_FIELD_NAME) or request.GET.get(REDIRECT_FIELD_NAME)
        if back and self.is_safe_url(back):
            return f"{url}?{urlencode({REDIRECT_FIELD_NAME: back})}"
        return url
