# SPDX-License-Identifier: Apache-2.0
"""Accounts with a token and a session each, made inside a running installation: people make them in a browser.

Called as `manage.py shell -c "from tests.season import accounts; accounts.admit()"`.
"""

from __future__ import annotations

import sys

from django.conf import settings
from django.test import Client

from pwscup.accounts.tokens import ORGANIZE, TEAM, create_token
from tests import factories
from tests.season.story import ORGANIZER, PEOPLE


def admit() -> None:
    """Print the name, the token and the session of everybody in the story."""
    for name in PEOPLE:
        user = factories.make_user(name, is_organizer=name == ORGANIZER)
        scopes = (ORGANIZE,) if name == ORGANIZER else (TEAM,)
        _token, text = create_token(user=user, name="season", days=7, scopes=scopes)
        browser = Client()
        browser.force_login(user)
        session = browser.cookies[settings.SESSION_COOKIE_NAME].value
        sys.stdout.write(f"person {name} {text} {session}\n")
