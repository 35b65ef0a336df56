"""Who organizes and who judges."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


class OrganizerForm(forms.Form):
    email = forms.EmailField(label=_("E-mail address of the account"))


class JudgeForm(OrganizerForm):
    """The account of somebody who marks presentations."""
