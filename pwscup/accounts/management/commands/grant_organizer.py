from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from pwscup.accounts import services
from pwscup.accounts.models import User


class Command(BaseCommand):
    help = "Allow the user with this e-mail address to create contests."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")

    def handle(self, *args: Any, email: str, **options: Any) -> None:
        user = User.objects.filter(email__iexact=email, deleted_at=None).first()
        if user is None:
            raise CommandError(f"{email}: no account has this address. Sign up first.")
        services.grant_organizer(user=user)
        self.stdout.write(f"{user.email} may create contests now.")
