# SPDX-License-Identifier: Apache-2.0
"""Texts of pages for contests with synthetic tables."""

from django.utils.translation import gettext_lazy as _

DATA_TITLE = _("Your team's cohort")
SUBMIT_TITLE = _("Submit a synthetic table")
SAMPLE_LEAD = _(
    "A valid sample, made from your team's cohort: download it and submit it unchanged."
)
NOTE_EXAMPLE = _("e.g. decision trees, leaves of 10 records")
OTHERS_FILES = _("The other teams' synthetic tables")
AUDIT = _("Audit: what this synthetic table gives away")
PREPARING_LEAD = _(
    "Each team's synthetic table is published; this takes some seconds. The page shows them as soon as they are "
    "available."
)
REVEAL_NOW = _(
    "All rounds are over. With the secret everybody can recompute the draws and check that nobody chose them. It also "
    "reveals which records were in the cohort of which team. This cannot be undone."
)
REVEAL_LATER = _(
    "It can be published when all rounds are over; then everybody can recompute the draws."
)
COLUMNS_OF_CELLS = _(
    "Synthetic tables are compared with the cohort by quasi-identifiers and sensitive columns. The cross columns span "
    "the cells of U2 and U3."
)
COLUMNS = _(
    "Synthetic tables are compared with the cohort by quasi-identifiers and sensitive columns."
)
BOTS = {
    "Noise": _("It draws records with replacement and adds much noise."),
    "Unify": _("It draws each column from a decision tree with leaves of 50 records or more."),
    "Average": _("It draws each column from a decision tree with leaves of 10 records or more."),
    "Swap": _("It draws each column by itself, so that nothing ties the columns together."),
    "Yamaoka": _("It draws records with replacement and adds little noise."),
    "Mondrian": _("It draws from a Gaussian copula of all columns."),
}
