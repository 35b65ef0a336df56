# SPDX-License-Identifier: Apache-2.0
"""Texts of pages for contests with one table for all teams."""

from django.utils.translation import gettext_lazy as _

ROW = _("Record")
OTHERS_FILES = _("The other teams' tables")
OWN_TARGET = _("Your own published table is not a target:")
SUBMIT_TITLE = _("Submit a table")
NOTE_EXAMPLE = _("e.g. Mondrian k = 5, then class averages")
DATA_TITLE = _("The table to anonymize")
SAMPLE_LEAD = _("A valid sample: download both files and submit them unchanged.")
NOTHING_PUBLISHED = _(
    "No table was published: no team has a scored submission of the previous round."
)
PREPARING_TITLE = _("The tables are being prepared")
PREPARING_LEAD = _(
    "Each team's table is shuffled and published; this takes some seconds. The page shows them as soon as "
    "they are available."
)
GUESS_EXAMPLE = _("e.g. nearest record in all amounts")
PUBLISHED_TITLE = _("The published tables")
ORIGINAL_LINK = _("What participants get")
CHECKED = _("All values match their column types. Review the table below to use it.")
COLUMNS_TITLE = _("Columns of the uploaded table")
USE = _("Use this table")
DRAFT_KEPT = _("The uploaded table is kept: correct the columns below, or upload a corrected file.")
REVEAL_NOW = _(
    "All rounds are over. With the secret everybody can recompute the shuffles and check that nobody "
    "chose them. It also reveals which published record came from which line of a team's file: if a team"
    " submitted its records in the order of the original, this identifies them. This cannot be "
    "undone."
)
REVEAL_LATER = _(
    "It can be published when all rounds are over; then everybody can recompute the shuffles."
)
AUDIT = _("Audit: all built-in attacks against this table")
COLUMNS_OF_CELLS = _(
    "Attackers match quasi-identifiers; sensitive columns determine the utility of the table. The cross columns "
    "span the cells of U2 and U3."
)
COLUMNS = _(
    "Attackers match quasi-identifiers; sensitive columns determine the utility of the table."
)
NEWS_TITLE = _("The tables to attack are published: “%(round)s”")
NEWS_TEXT = _("Tables: %(n)d")
BOTS = {
    "Noise": _(
        "It adds noise to all amounts, and guesses the nearest record among those with the same quasi-identifiers."
    ),
    "Unify": _(
        "It deletes rare records and makes quasi-identifiers equal, and guesses the nearest record, with the same "
        "quasi-identifiers if there is one."
    ),
    "Average": _(
        "It makes quasi-identifiers equal and replaces amounts by the averages of equal records, and guesses by one "
        "amount."
    ),
    "Swap": _(
        "It swaps amounts between records with equal quasi-identifiers, and guesses by the rank of the sum of all "
        "amounts."
    ),
    "Yamaoka": _(
        "It makes quasi-identifiers equal and exchanges the declared rows of similar records, and guesses the record "
        "that is nearest in one amount."
    ),
    "Mondrian": _(
        "It generalizes by Mondrian and replaces amounts by averages, and guesses a random record among those with the "
        "same quasi-identifiers."
    ),
}
