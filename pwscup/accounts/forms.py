# SPDX-License-Identifier: Apache-2.0
"""Forms of users about themselves and their teams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from allauth.account.forms import SetPasswordForm as AllauthSetPasswordForm
from allauth.account.forms import SignupForm as AllauthSignupForm
from django import forms
from django.contrib.auth.hashers import make_password
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from pwscup.accounts.models import AccessToken, Membership, Team, User
from pwscup.accounts.names import clean_new_name
from pwscup.accounts.names.short_names import clean_short_name
from pwscup.accounts.tokens import LIFETIMES, SCOPES, TEAM
from pwscup.core.db.columns import longest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

    from pwscup.contests.models import Division


class NameField(forms.CharField):
    """A name that is shown to others."""

    def clean(self, value: Any) -> str:
        typed = super().clean(value)
        return clean_new_name(typed) if typed else ""


def display_name_field() -> NameField:
    return NameField(
        label=_("Name shown to others"),
        max_length=longest(User, "display_name"),
        help_text=_("Your team and the organizers see it. It need not be your real name."),
        widget=forms.TextInput(attrs={"autocomplete": "nickname"}),
    )


class SignupForm(AllauthSignupForm):
    """Email address, display name and password."""

    display_name = display_name_field()
    field_order = ["email", "display_name", "password1", "password2"]

    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        """Hash the password also if the address has an account: the response time must not reveal that."""
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])
        return super().try_save(request)


class SetPasswordForm(AllauthSetPasswordForm):
    """A first password, for accounts with an address: without one nobody logs in, and a guest would lose the link."""

    def clean(self) -> dict[str, Any]:
        if self.user.is_guest:
            raise forms.ValidationError(
                _(
                    "Add an email address first, and confirm it: you log in with it and the password."
                )
            )
        return super().clean() or {}


class ProfileForm(forms.Form):
    display_name = display_name_field()


class PasswordForm(forms.Form):
    """The password again: an unattended open browser is not enough."""

    password = forms.CharField(
        label=_("Your password"),
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_password(self) -> str:
        password = self.cleaned_data["password"]
        if not self.user.check_password(password):
            raise forms.ValidationError(_("This is not your password."), "wrong_password")
        return password


def _lifetimes() -> list[tuple[int, str]]:
    return [(n, ngettext("%(n)s day", "%(n)s days", n) % {"n": n}) for n in LIFETIMES]


class ConfirmationForm(forms.Form):
    """A tick in place of the password, for accounts without one."""

    sure = forms.BooleanField(label=_("Yes, delete my account"))


class TokenForm(PasswordForm):
    """A name by which its owner recognizes a token, and its lifetime."""

    name = NameField(
        label=_("Name of the token"),
        max_length=longest(AccessToken, "name"),
        help_text=_("What it is for, such as “my laptop”. Only you see it."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    days = forms.TypedChoiceField(
        label=_("Ends after"),
        coerce=int,
        initial=30,
        choices=_lifetimes,
    )
    scopes = forms.MultipleChoiceField(
        label=_("What it may do in addition to reading"),
        choices=[*SCOPES.items()],
        initial=[TEAM],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Reading is everything that you may see and download."),
    )
    field_order = ["name", "days", "scopes", "password"]


class TeamForm(forms.Form):
    name = NameField(
        label=_("Team name"),
        max_length=longest(Team, "name"),
        help_text=_("At most 40 characters. Everybody sees it on the leaderboard."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


class TeamProfileForm(forms.Form):
    """The public page of the team; the affiliation is a field for the captain only."""

    affiliation = NameField(
        label=_("Affiliation"),
        max_length=longest(Team, "affiliation"),
        required=False,
        help_text=Team._meta.get_field("affiliation").help_text,
        widget=forms.TextInput(attrs={"autocomplete": "organization"}),
    )
    shows_name = forms.BooleanField(
        label=_("Show my name on the page of my team"),
        required=False,
        help_text=Membership._meta.get_field("shows_name").help_text,
    )

    def __init__(self, *args: Any, is_captain: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not is_captain:
            del self.fields["affiliation"]


class ShortNameField(forms.CharField):
    """The ASCII name of a team in file names and URLs."""

    def __init__(self, **kwargs: Any) -> None:
        attrs = {"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
        super().__init__(
            label=_("Short name"),
            max_length=50,
            widget=forms.TextInput(attrs=attrs),
            **kwargs,
        )

    def clean(self, value: Any) -> str:
        return clean_short_name(super().clean(value))


class ShortNameForm(forms.Form):
    """Another short name of a team."""

    short_name = ShortNameField(
        help_text=_(
            "2 to 24 letters a–z, digits and hyphens. It can be changed until the team submits or gets a table."
        )
    )


class FoundingForm(TeamForm):
    """A new team, and its division if the contest has divisions."""

    short_name = ShortNameField(
        required=False,
        help_text=_(
            "Stands in file names and URLs: 2 to 24 letters a–z, digits and hyphens, such as sakura. If empty, it is "
            "made from a team name in Latin letters, or is a number such as team-6."
        ),
    )

    def __init__(self, *args: Any, divisions: QuerySet[Division], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if divisions:
            self.fields["division"] = division_field(divisions)


class GuestForm(forms.Form):
    """The name of a visitor who joins without an account."""

    display_name = display_name_field()


class ClassForm(forms.Form):
    """Joining by a class code: a name (visitors only), a team that is open or the name of a new one, its division."""

    NEW = ""

    def __init__(
        self,
        *args: Any,
        user: User | None,
        teams: Sequence[Team],
        may_create: bool,
        divisions: QuerySet[Division],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        if user is None:
            self.fields["display_name"] = display_name_field()
            self.fields["display_name"].label = _("Your name")
        self.teams = {str(team.pk): team for team in teams}
        if teams:
            choices = [(key, team.name) for key, team in self.teams.items()]
            new = [(self.NEW, _("A new team"))] if may_create else []
            self.fields["team"] = forms.ChoiceField(
                label=_("Team"),
                choices=[*new, *choices],
                required=not may_create,
                error_messages={
                    "invalid_choice": _(
                        "This team is full or has begun. Ask its captain for the invitation link, or choose "
                        "another team."
                    )
                },
            )
        if may_create:
            self.fields["team_name"] = NameField(
                label=_("Name of the new team"),
                max_length=longest(Team, "name"),
                required=False,
                help_text=_("At most 40 characters. Everybody sees it on the leaderboard."),
                widget=forms.TextInput(attrs={"autocomplete": "off"}),
            )
            if divisions:
                self.fields["division"] = division_field(divisions)
                self.fields["division"].required = False
        if not teams and may_create:
            self.fields["team_name"].required = True
            if divisions:
                self.fields["division"].required = True

    def clean(self) -> dict[str, Any]:
        """A new team needs its name, and its division if there are any; of another team neither is read."""
        given = super().clean() or {}
        if "team" in self.errors:
            return given
        given["team"] = self.teams.get(given.get("team", self.NEW))
        if given["team"] is not None:
            return given | {"team_name": "", "division": None}
        for field in ("team_name", "division"):
            if field in self.fields and field not in self.errors and not given.get(field):
                self.add_error(
                    field,
                    forms.ValidationError(
                        self.fields[field].error_messages["required"], "required"
                    ),
                )
        return given


class DivisionChoiceForm(forms.Form):
    """Another division."""

    def __init__(self, *args: Any, divisions: QuerySet[Division], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["division"] = division_field(divisions)


def division_field(divisions: QuerySet[Division]) -> forms.ModelChoiceField:
    return forms.ModelChoiceField(
        divisions,
        label=_("Division"),
        empty_label=_("Choose division"),
        to_field_name="key",
        help_text=_("It can be changed until the first round closes."),
    )


class GrantForm(forms.Form):
    """The address of an account."""

    email = forms.EmailField(
        label=_("Email address"),
        help_text=_("The person signs up first, with this address."),
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )

    def clean_email(self) -> User:
        """The account with this address."""
        typed = self.cleaned_data["email"]
        user = User.objects.filter(email__iexact=typed, is_active=True, deleted_at=None).first()
        if user is None:
            raise forms.ValidationError(
                _("No account has the address %(email)s."), params={"email": typed}
            )
        return user
