# SPDX-License-Identifier: Apache-2.0
"""Forms for announcements, questions, answers, and recipients of notices."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from pwscup.notices.models import MAX_QUESTION, MAX_TEXT, Announcement, Preference

# Feeds are XML, which cannot contain these characters.
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def printable(text: str) -> None:
    if UNPRINTABLE.search(text):
        raise ValidationError(_("The text contains a control character. Remove it."))


def one_line(text: str) -> None:
    printable(text)
    if len(text.splitlines()) > 1:
        raise ValidationError(_("Enter a single line."))


def _lines(rows: int) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows})


class AnnouncementForm(forms.ModelForm):
    """A public announcement, in at least one of the two languages."""

    class Meta:
        model = Announcement
        fields = ["title", "text", "title_ja", "text_ja", "is_pinned"]
        widgets = {"text": _lines(6), "text_ja": _lines(6)}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name in ("title", "title_ja"):
            self.fields[name].validators.append(one_line)
        for name in ("text", "text_ja"):
            self.fields[name].validators.append(printable)

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        given = [values.get(name, "") for name in ("title", "text", "title_ja", "text_ja")]
        for (title, text), name in ((given[:2], "title"), (given[2:], "title_ja")):
            if text and not title and name not in self.errors:
                self.add_error(name, _("Give the text a title in the same language."))
        if not any(given) and not self.errors:
            raise ValidationError(_("Write a title and a text in English, in Japanese or in both."))
        return values


class CorrectionForm(AnnouncementForm):
    """A corrected text; `version` detects changes by others in the meantime."""

    version = forms.IntegerField(widget=forms.HiddenInput, min_value=0)


class ClarificationForm(AnnouncementForm):
    """A public question and answer."""

    name_is_a_word = forms.BooleanField(
        label=_("The team's name is an ordinary word here and does not identify the team"),
        required=False,
    )


class WithdrawalForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        max_length=500,
        validators=[one_line],
        help_text=_("It is shown to everybody in place of the text."),
    )


class QuestionForm(forms.Form):
    subject = forms.CharField(
        label=pgettext_lazy("of a question", "Subject"), max_length=120, validators=[one_line]
    )
    text = forms.CharField(
        label=_("Question"), max_length=MAX_QUESTION, widget=_lines(6), validators=[printable]
    )


class AnswerForm(forms.Form):
    answer = forms.CharField(
        label=_("Answer"), max_length=MAX_TEXT, widget=_lines(6), validators=[printable]
    )


class MailForm(forms.ModelForm):
    """The emails that a user wants."""

    language = forms.ChoiceField(
        label=_("Language"), choices=settings.LANGUAGES, widget=forms.RadioSelect
    )

    class Meta:
        model = Preference
        fields = ["wanted", "language"]
        widgets = {"wanted": forms.RadioSelect}


class WebhookForm(forms.Form):
    url = forms.CharField(
        label=_("URL"),
        max_length=500,
        validators=[one_line],
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
    )
