"""Forms of users about themselves and their teams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from allauth.account.forms import SignupForm as AllauthSignupForm
from django import forms
from django.contrib.auth.hashers import make_password
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from pwscup.accounts.models import AccessToken, Team, User
from pwscup.accounts.names import clean_new_name
from pwscup.accounts.tokens import LIFETIMES

if TYPE_CHECKING:
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
        max_length=User._meta.get_field("display_name").max_length,
        help_text=_("Your team and the organizers see it. It need not be your real name."),
        widget=forms.TextInput(attrs={"autocomplete": "nickname"}),
    )


class SignupForm(AllauthSignupForm):
    """E-mail address, display name and password."""

    display_name = display_name_field()
    field_order = ["email", "display_name", "password1", "password2"]

    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        """Hash the password also if the address has an account: the response time must not reveal that."""
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])
        return super().try_save(request)


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


class TokenForm(PasswordForm):
    """A name by which its owner recognizes a token, and its lifetime."""

    name = NameField(
        label=_("Name of the token"),
        max_length=AccessToken._meta.get_field("name").max_length,
        help_text=_("What it is for, such as “my laptop”. Only you see it."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    days = forms.TypedChoiceField(
        label=_("Ends after"),
        coerce=int,
        initial=30,
        choices=_lifetimes,
    )
    field_order = ["name", "days", "password"]


class TeamForm(forms.Form):
    name = NameField(
        label=_("Team name"),
        max_length=Team._meta.get_field("name").max_length,
        help_text=_("At most 40 characters. Everybody sees it on the leaderboard."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


class FoundingForm(TeamForm):
    """A new team, and its division if the contest has divisions."""

    def __init__(self, *args: Any, divisions: QuerySet[Division], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if divisions:
            self.fields["division"] = division_field(divisions)


class DivisionChoiceForm(forms.Form):
    """Another division."""

    def __init__(self, *args: Any, divisions: QuerySet[Division], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["division"] = division_field(divisions)


def division_field(divisions: QuerySet[Division]) -> forms.ModelChoiceField:
    return forms.ModelChoiceField(
        divisions,
        label=_("Division"),
        to_field_name="key",
        help_text=_("It can be changed until the first round closes."),
    )
