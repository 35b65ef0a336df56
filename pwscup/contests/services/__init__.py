# SPDX-License-Identifier: Apache-2.0
"""Changes of a contest by organizers: each in one transaction, each with an event."""

from pwscup.contests.services.baselines import (
    add_baseline_team,
    may_change_baseline_teams,
    remove_baseline_team,
)
from pwscup.contests.services.clock import (
    close_round_now,
    extend_round,
    from_now,
    open_round_now,
    pause,
    publish_and_start,
    reopen_round,
    resume,
    start_rounds,
)
from pwscup.contests.services.columns import identifying
from pwscup.contests.services.common import ChangedMeanwhile, ContestRefused
from pwscup.contests.services.contest import (
    RESERVED_SLUGS,
    create_contest,
    free_slug,
    publish,
    unpublish,
    update_settings,
)
from pwscup.contests.services.divisions import (
    create_division,
    remove_division,
    rename_division,
)
from pwscup.contests.services.joining import join_as_guest, join_class
from pwscup.contests.services.outages import record_outage
from pwscup.contests.services.preparing import (
    apply_steps,
    change_reading,
    change_steps,
    choose_roles,
    columns_read_as_text,
    discard_raw,
    draft_risk,
    keep_raw,
    propose_steps,
    upload_raw,
)
from pwscup.contests.services.retention import LONGEST_DAYS, erase, erased_from, set_retention
from pwscup.contests.services.rounds import (
    RoundPlan,
    plan_of,
    round_problems,
    suggested_rounds,
    update_rounds,
    why_final,
)
from pwscup.contests.services.staff import (
    accept_office,
    invite_to_office,
    remove_judge,
    remove_organizer,
    withdraw_office_invitation,
)
from pwscup.contests.services.table import (
    attach_dataset,
    check_table,
    confirm_table,
    generate_table,
    keep_columns,
    upload_table,
)
from pwscup.contests.services.teams import (
    TeamListRefused,
    invite_address,
    resend_invitation,
    revoke_invitation,
    set_up_teams,
)
from pwscup.contests.services.terms import accept_terms, update_terms

__all__ = [
    "LONGEST_DAYS",
    "RESERVED_SLUGS",
    "ChangedMeanwhile",
    "ContestRefused",
    "RoundPlan",
    "TeamListRefused",
    "accept_office",
    "accept_terms",
    "add_baseline_team",
    "apply_steps",
    "attach_dataset",
    "change_reading",
    "change_steps",
    "check_table",
    "choose_roles",
    "close_round_now",
    "columns_read_as_text",
    "confirm_table",
    "create_contest",
    "create_division",
    "discard_raw",
    "draft_risk",
    "erase",
    "erased_from",
    "extend_round",
    "free_slug",
    "from_now",
    "generate_table",
    "identifying",
    "invite_address",
    "invite_to_office",
    "join_as_guest",
    "join_class",
    "keep_columns",
    "keep_raw",
    "may_change_baseline_teams",
    "open_round_now",
    "pause",
    "plan_of",
    "propose_steps",
    "publish",
    "publish_and_start",
    "record_outage",
    "remove_baseline_team",
    "remove_division",
    "remove_judge",
    "remove_organizer",
    "rename_division",
    "reopen_round",
    "resend_invitation",
    "resume",
    "revoke_invitation",
    "round_problems",
    "set_retention",
    "set_up_teams",
    "start_rounds",
    "suggested_rounds",
    "unpublish",
    "update_rounds",
    "update_settings",
    "update_terms",
    "upload_raw",
    "upload_table",
    "why_final",
    "withdraw_office_invitation",
]
