# SPDX-License-Identifier: Apache-2.0
"""Accounts that are there already, for stories that are not about signing up, made inside the running installation.

Called as `manage.py shell -c "from tests.e2e import accounts; accounts.admit(…)"`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from allauth.account.models import EmailAddress
from django.conf import settings
from django.test import Client

from pwscup.accounts.models import User


def admit(people: Mapping[str, str], organizer: str, password: str) -> None:
    """Make everybody, by address, an account; print the session in which each is logged in."""
    for email, name in people.items():
        user = User.objects.create_user(
            email, password, display_name=name, is_organizer=email == organizer
        )
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
        browser = Client()
        browser.force_login(user)
        session = browser.cookies[settings.SESSION_COOKIE_NAME].value
        sys.stdout.write(f"{email} {session}\n")
