# SPDX-License-Identifier: Apache-2.0
"""Forms of the organizer's page of debriefings."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pwscup.contests.forms import VersionedForm
from pwscup.contests.models import Contest
from pwscup.debriefings.models import DebriefingPart, DebriefingSettings
from pwscup.formats.hidden.disclosed import errors_epsilon

HIDDEN, UNNAMED, NAMED = "", "unnamed", "named"
SHOWN_AS = ((HIDDEN, _("not shown")), (UNNAMED, _("as “a team”")), (NAMED, _("with its name")))


class SettingsForm(forms.ModelForm):
    """When debriefings are shown, and what they disclose."""

    class Meta:
        model = DebriefingSettings
        fields = ("after_stages", "discloses_table")

    def __init__(self, contest: Contest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not contest.format.hides_table:
            del self.fields["discloses_table"]
        elif errors_epsilon(contest.ruleset) is not None:
            field = self.fields["discloses_table"]
            field.label = _("show each team its estimates next to the noisy counts")
            field.help_text = _(
                "These are the counts that errors are computed from. Their noise is covered by the ε of the errors, "
                "so this discloses no more of the hidden table than the errors do."
            )
        if len(contest.ruleset.stages) == 1:
            del self.fields["after_stages"]

    @property
    def chosen(self) -> dict[str, bool]:
        """All settings: those without a field keep their value."""
        names = ("after_stages", "discloses_table")
        return {n: self.cleaned_data.get(n, getattr(self.instance, n)) for n in names}


class ExamplesForm(VersionedForm):
    """Choice of how each part is shown to the class."""

    def __init__(
        self,
        parts: list[DebriefingPart],
        chosen: dict[tuple[int, int], bool],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.parts = parts
        for part in parts:
            named = chosen.get((part.team_id, part.round_id))
            self.fields[field_of(part)] = forms.ChoiceField(
                label=part.team.name,
                choices=SHOWN_AS,
                required=False,
                initial=HIDDEN if named is None else NAMED if named else UNNAMED,
                widget=forms.Select(attrs={"class": "form-select form-select-sm"}),
            )

    @property
    def examples(self) -> dict[tuple[int, int], bool]:
        found = {
            (part.team_id, part.round_id): self.cleaned_data[field_of(part)] for part in self.parts
        }
        return {at: shown == NAMED for at, shown in found.items() if shown}


def field_of(part: DebriefingPart) -> str:
    """The name of the field of a part."""
    return f"shown-{part.team_id}-{part.round_id}"
