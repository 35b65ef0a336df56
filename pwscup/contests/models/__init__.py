# SPDX-License-Identifier: Apache-2.0
"""Models: contests and their rules, rounds, tables."""

from pwscup.contests.models.branding import Branding, Sponsor
from pwscup.contests.models.contest import Contest, Division, RulesetVersion, TermsAcceptance
from pwscup.contests.models.hints import RoundHint
from pwscup.contests.models.materials import Material
from pwscup.contests.models.rounds import Fault, Interruption, Round, upload_grace
from pwscup.contests.models.tables import Dataset, Preparation, Sample, TableDraft

__all__ = [
    "Branding",
    "Contest",
    "Dataset",
    "Division",
    "Fault",
    "Interruption",
    "Material",
    "Preparation",
    "Round",
    "RoundHint",
    "RulesetVersion",
    "Sample",
    "Sponsor",
    "TableDraft",
    "TermsAcceptance",
    "upload_grace",
]
