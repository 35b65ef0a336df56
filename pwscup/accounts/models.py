# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        return self.create_user(email, password, is_superuser=True, is_organizer=True, **fields)


class User(AbstractBaseUser, PermissionsMixin):
    """Fact: a user with an account; after deletion the row stays without a name, because facts refer to it."""

    email = models.EmailField(_("email address"), unique=True)
    display_name = models.CharField(_("name shown to others"), max_length=50)
    is_active = models.BooleanField(default=True)
    is_organizer = models.BooleanField(default=False, help_text=_("may create contests"))
    language = models.CharField(
        _("language"),
        max_length=10,
        blank=True,
        choices=settings.LANGUAGES,
        help_text="of emails: that of sign-up, or the one that the user switched to last",
    )
    date_joined = models.DateTimeField(default=timezone.now)
    deleted_at = models.DateTimeField(null=True, blank=True)
    guest_of = models.ForeignKey(
        "contests.Contest",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="guests",
        help_text="the contest that a guest, an account without an email address, joined by its class code",
    )

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS = ["display_name"]

    def __str__(self) -> str:
        return self.display_name

    @property
    def is_guest(self) -> bool:
        """The account has no email address yet: it plays in one contest, and gets no email."""
        return self.guest_of_id is not None


class Team(models.Model):
    """Fact: a team of one contest."""

    contest = models.ForeignKey("contests.Contest", on_delete=models.CASCADE, related_name="teams")
    name = models.CharField(_("team name"), max_length=40)
    slug = models.SlugField(max_length=50, help_text="identifies the team in file names and URLs")
    captain = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="captain_of"
    )
    is_house = models.BooleanField(default=False, help_text="played by the platform itself")
    division = models.ForeignKey(
        "contests.Division",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="teams",
        verbose_name=_("division"),
    )
    is_named_in_archive = models.BooleanField(
        _("the archive of the contest may name the team"),
        default=False,
        help_text=_("Without your consent a published archive calls the team by a number."),
    )
    affiliation = models.CharField(
        _("affiliation"),
        max_length=80,
        blank=True,
        help_text=_("A school or a company. Everybody who sees the leaderboard sees it."),
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["contest", "slug"], name="team_slug_unique_in_contest"),
            models.UniqueConstraint(fields=["contest", "name"], name="team_name_unique_in_contest"),
        ]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """Fact: a user is a member of a team; one team per user and contest, enforced by the database."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    contest = models.ForeignKey("contests.Contest", on_delete=models.CASCADE, related_name="+")
    joined_at = models.DateTimeField(default=timezone.now)
    shows_name = models.BooleanField(
        _("show my name on the page of my team"),
        default=False,
        help_text=_("Otherwise only your team and the organizers see it."),
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "contest"], name="one_team_per_person_and_contest"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"


class SeatSource(models.Model):
    """Fact: the network from which a user joined a team, as a keyed hash. It is deleted with the contest's data."""

    contest = models.ForeignKey(
        "contests.Contest", on_delete=models.CASCADE, related_name="seat_sources"
    )
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="seat_sources")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    network = models.CharField(
        max_length=64, blank=True, help_text="as computed by `accounts.addresses.network_of`"
    )

    def __str__(self) -> str:
        return f"seat of {self.user} in {self.team}"


class FormerAddress(models.Model):
    """Fact: the keyed hash of an address that an account had when it took part in a contest, and no longer has.

    It identifies a user who comes back under another account. It is deleted with the contest's data.
    """

    contest = models.ForeignKey(
        "contests.Contest", on_delete=models.CASCADE, related_name="former_addresses"
    )
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="former_addresses")
    digest = models.CharField(
        max_length=64, help_text="as computed by `accounts.addresses.digest_of`"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["contest", "user", "digest"], name="former_address_kept_once"
            ),
        ]
        indexes = [models.Index(fields=["contest", "digest"], name="former_address_by_digest")]

    def __str__(self) -> str:
        return f"former address of {self.user}"


class Readmission(models.Model):
    """Fact: the organizers allow a user to join one more team; identified by the hash of an address.

    It is deleted when the user joins; the audit trail keeps that it was granted.
    """

    contest = models.ForeignKey(
        "contests.Contest", on_delete=models.CASCADE, related_name="readmissions"
    )
    digest = models.CharField(max_length=64)
    granted_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    granted_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["contest", "digest"], name="readmitted_once"),
        ]

    def __str__(self) -> str:
        return f"readmission to {self.contest}"


def invitation_token() -> str:
    return secrets.token_urlsafe(24)


def invitation_expiry() -> Any:
    return timezone.now() + timedelta(days=7)


class MailedInvitation(models.Model):
    """Job: an invitation whose email is due while `mail_due_at` is set."""

    token = models.CharField(max_length=64, unique=True, default=invitation_token)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(default=invitation_expiry)
    revoked_at = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="when it was used; an invitation with an address works once",
    )
    mail_due_at = models.DateTimeField(null=True, blank=True, db_index=True)
    mail_tries = models.PositiveSmallIntegerField(default=0)
    mailed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True


class Invitation(MailedInvitation):
    """Fact: the holder of the token may join the team until it expires, is revoked or used."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField(blank=True, help_text="the recipient, if the organizers sent it")

    def __str__(self) -> str:
        return f"invitation to {self.team}"

    @property
    def is_personal(self) -> bool:
        """It was created for one address, and works once."""
        return bool(self.email)


class OfficeInvitation(MailedInvitation):
    """Fact: the recipient of the email may accept the role of an organizer or judge of the contest."""

    class Office(models.TextChoices):
        ORGANIZER = "organizer", _("organizer")
        JUDGE = "judge", _("judge")

    contest = models.ForeignKey(
        "contests.Contest", on_delete=models.CASCADE, related_name="office_invitations"
    )
    office = models.CharField(max_length=10, choices=Office)
    email = models.EmailField()

    def __str__(self) -> str:
        return f"invitation to be {self.office} of {self.contest}"


class ClassCode(models.Model):
    """Fact: anybody with the code may join the contest with a name only, until it is revoked (the row is deleted)."""

    contest = models.OneToOneField(
        "contests.Contest", on_delete=models.CASCADE, related_name="class_code"
    )
    code = models.CharField(max_length=8, unique=True)
    seats = models.PositiveSmallIntegerField(
        _("most people who may join by it"),
        default=60,
        validators=[MinValueValidator(1), MaxValueValidator(1000)],
    )
    n_joined = models.PositiveSmallIntegerField(default=0)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"class code of {self.contest}"


class SignInLink(models.Model):
    """Fact: the holder of the link signs in as this guest, until another link or a password replaces it.

    The token of the link is not stored; `digest` identifies it.
    """

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="sign_in_link")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token")
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"sign-in link of {self.user}"


class AccessToken(models.Model):
    """Fact: the holder of the token acts as this user through the API, as far as its scopes go, until it expires or is
    revoked.

    The token itself is not stored; `digest` identifies it.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="access_tokens")
    name = models.CharField(_("name"), max_length=50)
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token")
    scope = models.CharField(
        max_length=50,
        blank=True,
        default="team",
        help_text="names of scopes in addition to reading, with a space between them",
    )
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="to the minute")
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"

    @property
    def all_scopes(self) -> tuple[str, ...]:
        """The permissions of the token: `read`, and possibly `team` and `organize`."""
        return ("read", *self.scope.split())
