# SPDX-License-Identifier: Apache-2.0
"""Forms for decisions of organizers, and for appeals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pwscup.contests.forms import MomentField
from pwscup.contests.forms.common import RoundField
from pwscup.core.db.columns import longest
from pwscup.core.http.fields import row_field
from pwscup.submissions import selectors
from pwscup.submissions.decisions.appeals import TEXT_LENGTH
from pwscup.submissions.models import Ruling

if TYPE_CHECKING:
    from pwscup.accounts.models import Team
    from pwscup.contests.models import Contest

REASON_LENGTH = longest(Ruling, "reason")
LINES = forms.Textarea(attrs={"rows": 3})


class ReasonForm(forms.Form):
    """A decision that needs only a reason."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=REASON_LENGTH,
        widget=LINES,
        help_text=_("It is shown to the team, with your name."),
    )


class TeamRulingForm(ReasonForm):
    """Disqualify a team."""

    team: forms.ModelChoiceField[Team] = forms.ModelChoiceField(
        None, label=_("Team"), empty_label=_("Choose a team")
    )
    field_order = ["team", "reason"]

    def __init__(self, contest: Contest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        row_field(self, "team").queryset = contest.teams.order_by("name", "pk")


class ReinstateForm(TeamRulingForm):
    """Reinstate one of the disqualified teams."""

    def __init__(self, contest: Contest, *args: Any, **kwargs: Any) -> None:
        super().__init__(contest, *args, **{"auto_id": "id_back_%s"} | kwargs)
        row_field(self, "team").queryset = contest.teams.filter(
            pk__in=selectors.disqualified(contest)
        ).order_by("name", "pk")


class LateForm(TeamRulingForm):
    """Allow a late submission of a team in a round."""

    round = RoundField(None, label=_("Round"), empty_label=_("Choose a round"))
    field_order = ["team", "round", "until", "reason"]

    def __init__(self, contest: Contest, *args: Any, **kwargs: Any) -> None:
        super().__init__(contest, *args, **{"auto_id": "id_late_%s"} | kwargs)
        rounds = contest.rounds.select_related("contest")
        row_field(self, "round").queryset = rounds
        self.fields["until"] = MomentField(zone=contest.tz, label=_("Files are accepted until"))
        self.order_fields(self.field_order)


class AppealForm(forms.Form):
    """A message of the thread."""

    text = forms.CharField(
        label=_("Message"), max_length=TEXT_LENGTH, widget=forms.Textarea(attrs={"rows": 4})
    )
