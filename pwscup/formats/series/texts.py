# SPDX-License-Identifier: Apache-2.0
"""Texts of pages about series of releases."""

from django.utils.translation import gettext_lazy as _

ROW = _("Row")
OTHERS_FILES = _("The other teams' releases")
OWN_TARGET = _("Your own published releases are not a target:")
SUBMIT_TITLE = _("Submit a series of releases")
NOTE_EXAMPLE = _("e.g. m-invariance, wider regions")
DATA_TITLE = _("Your team's tables")
SAMPLE_LEAD = _("A valid sample, made from your team's table: download it and submit it unchanged.")
NOTHING_PUBLISHED = _(
    "Nothing was published: no team has a scored submission of the previous round."
)
PREPARING_TITLE = _("The releases are being prepared")
PREPARING_LEAD = _(
    "Each team's releases are sorted and published with its individuals; this takes some seconds. The page shows "
    "them as soon as they are available."
)
GUESS_EXAMPLE = _("e.g. intersection of all releases")
PUBLISHED_TITLE = _("The published releases")
ORIGINAL_LINK = _("All tables (zip)")
CHECKED = _(
    "All values match their column types, and the tables match each other. Review them below to use them."
)
COLUMNS_TITLE = _("Columns of the uploaded tables")
USE = _("Use these tables")
DRAFT_KEPT = _(
    "The uploaded tables are kept: correct the columns below, or upload a corrected archive."
)
REVEAL_NOW = _(
    "All rounds are over. With the secret everybody can recompute which individuals of the tables each team"
    " got, and check that nobody chose them. The rows of releases are sorted, so their order discloses "
    "nothing. This cannot be undone."
)
REVEAL_LATER = _(
    "It can be published when all rounds are over; then everybody can derive again who was given which "
    "people."
)
AUDIT = _("Audit: all built-in attacks against these releases")
COLUMNS_OF_CELLS = _(
    "The identifier links the records of an individual in the tables of several times. Attackers know identifiers and "
    "quasi-identifiers, and guess the sensitive value."
)
COLUMNS = _(
    "The identifier links the records of an individual in the tables of several times. Attackers know identifiers and "
    "quasi-identifiers, and guess the sensitive value."
)
NEWS_TITLE = _("The releases to attack are published: “%(round)s”")
NEWS_TEXT = _("Teams: %(n)d")
BOTS = {
    "Noise": _(
        "It publishes m-invariant releases, and guesses the most frequent value of each person's group: the baseline."
    ),
    "Unify": _(
        "It publishes by the improved method, which leaves no risk above 1/m by row counting, and attacks by "
        "intersecting all releases."
    ),
    "Average": _(
        "It publishes m-invariant releases with larger groups, and attacks by intersecting all releases."
    ),
    "Swap": _(
        "It publishes each table as if it were the first, which the attack of intersecting all releases exploits: a "
        "target to begin with. It attacks in the same way."
    ),
    "Yamaoka": _(
        "It publishes m-invariant releases that say which is each person's last one, and attacks by intersecting all "
        "releases."
    ),
    "Mondrian": _(
        "It publishes by the improved method with another rule for overlapping groups, and attacks by intersecting all "
        "releases."
    ),
}
