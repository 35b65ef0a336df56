"""What pages say where teams have tables of their own."""

from django.utils.translation import gettext_lazy as _

DATA_TITLE = _("Your team's table")
SAMPLE_LEAD = _(
    "A sample of the right form, made from your team's table: download it and hand it in as it is."
)
