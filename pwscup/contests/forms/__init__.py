# SPDX-License-Identifier: Apache-2.0
"""Forms of organizers: a contest, its staff and teams, its table and columns, its rounds."""

from pwscup.contests.forms.branding import (
    AlternativesForm,
    ColourForm,
    PictureForm,
    SponsorForm,
)
from pwscup.contests.forms.clock import (
    LengthForm,
    OutageForm,
    PauseForm,
    ResumeForm,
    clock_forms,
)
from pwscup.contests.forms.common import MomentField, VersionedForm, zone_choices
from pwscup.contests.forms.description import DescriptionForm, NewContestForm, SettingsForm
from pwscup.contests.forms.hints import HintForm
from pwscup.contests.forms.materials import (
    HierarchiesForm,
    LinkForm,
    MaterialFileForm,
    MaterialForm,
)
from pwscup.contests.forms.rounds import RoundForm, RoundsForm
from pwscup.contests.forms.staff import (
    ClassCodeForm,
    DivisionForm,
    InviteForm,
    JudgeForm,
    OrganizerForm,
    ReadmissionForm,
    TeamListForm,
)
from pwscup.contests.forms.table import (
    ColumnForm,
    ColumnsForm,
    FileForm,
    GenerateForm,
    GenerateSeriesForm,
    SeriesForm,
    TableForm,
)
from pwscup.contests.forms.terms import EraseForm, RetentionForm, TermsForm

__all__ = [
    "AlternativesForm",
    "ClassCodeForm",
    "ColourForm",
    "ColumnForm",
    "ColumnsForm",
    "DescriptionForm",
    "DivisionForm",
    "EraseForm",
    "FileForm",
    "GenerateForm",
    "GenerateSeriesForm",
    "HierarchiesForm",
    "HintForm",
    "InviteForm",
    "JudgeForm",
    "LengthForm",
    "LinkForm",
    "MaterialFileForm",
    "MaterialForm",
    "MomentField",
    "NewContestForm",
    "OrganizerForm",
    "OutageForm",
    "PauseForm",
    "PictureForm",
    "ReadmissionForm",
    "ResumeForm",
    "RetentionForm",
    "RoundForm",
    "RoundsForm",
    "SeriesForm",
    "SettingsForm",
    "SponsorForm",
    "TableForm",
    "TeamListForm",
    "TermsForm",
    "VersionedForm",
    "clock_forms",
    "zone_choices",
]
