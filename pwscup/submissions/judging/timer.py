# SPDX-License-Identifier: Apache-2.0
"""The lengths of talks and questions on the timer's page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django import forms
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django.http import QueryDict

TALK, QUESTIONS = 10, 5
LONGEST = 180


class LengthsForm(forms.Form):
    """Minutes in the address of the page: a bookmark keeps them, and no contest stores them."""

    talk = forms.IntegerField(label=_("Talk (minutes)"), min_value=1, max_value=LONGEST)
    questions = forms.IntegerField(label=_("Questions (minutes)"), min_value=0, max_value=LONGEST)

    @classmethod
    def of(cls, query: QueryDict) -> Self:
        """The form with the numbers of the address, or the usual ones."""
        usual = {"talk": TALK, "questions": QUESTIONS}
        form = cls({name: query.get(name, value) for name, value in usual.items()})
        return form if form.is_valid() else cls(usual)

    def seconds(self) -> dict[str, int]:
        """The lengths in seconds."""
        self.full_clean()
        return {name: 60 * minutes for name, minutes in self.cleaned_data.items()}
