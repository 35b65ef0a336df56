"""What organizers do to a contest: each in one transaction, each with an event."""

from pwscup.contests.services.common import ChangedMeanwhile, ContestRefused
from pwscup.contests.services.contest import (
    RESERVED_SLUGS,
    add_organizer,
    create_contest,
    free_slug,
    publish,
    remove_organizer,
    unpublish,
    update_settings,
)
from pwscup.contests.services.rounds import (
    RoundPlan,
    close_round_now,
    open_round_now,
    plan_of,
    round_problems,
    suggested_rounds,
    update_rounds,
)
from pwscup.contests.services.table import (
    attach_dataset,
    check_table,
    confirm_table,
    upload_table,
)
from pwscup.contests.services.terms import accept_terms, update_terms

__all__ = [
    "RESERVED_SLUGS",
    "ChangedMeanwhile",
    "ContestRefused",
    "RoundPlan",
    "accept_terms",
    "add_organizer",
    "attach_dataset",
    "check_table",
    "close_round_now",
    "confirm_table",
    "create_contest",
    "free_slug",
    "open_round_now",
    "plan_of",
    "publish",
    "remove_organizer",
    "round_problems",
    "suggested_rounds",
    "unpublish",
    "update_rounds",
    "update_settings",
    "update_terms",
    "upload_table",
]
