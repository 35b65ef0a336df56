# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from pwscup.accounts import services
from pwscup.accounts.models import User


class Command(BaseCommand):
    help = "Allow the user with this email address to create contests, or no longer."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--revoke", action="store_true", help="no longer allow it")

    def handle(self, *args: Any, email: str, revoke: bool, **options: Any) -> None:
        user = User.objects.filter(email__iexact=email, deleted_at=None).first()
        if user is None:
            raise CommandError(f"{email}: no account has this address. Sign up first.")
        change = services.revoke_organizer if revoke else services.grant_organizer
        try:
            change(user=user)
        except services.RefusedError as refusal:
            raise CommandError(refusal.message) from refusal
        self.stdout.write(
            f"{user.email} {'can no longer create contests' if revoke else 'may create contests now'}."
        )
