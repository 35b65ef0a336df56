"""What a contest discloses of a hidden table: its columns with the values that these can have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pwscup.contests.selectors import dataset_of

if TYPE_CHECKING:
    from pwscup.contests.models import Contest
    from scoring.disclosure.attributes import Attribute
    from scoring.rulesets.base import DisclosureSpec

HIDDEN = "hidden"


def hides_table(contest: Contest) -> bool:
    """Whether teams get nothing of the organizer's table but what a round discloses."""
    return contest.ruleset.tables == HIDDEN


def spec_of(contest: Contest) -> DisclosureSpec:
    """What the rules disclose; LookupError where they hide no table."""
    spec = contest.ruleset.disclosure
    if spec is None:
        raise LookupError(f"contest {contest.pk} hides no table")
    return spec


def disclosed_attributes(contest: Contest) -> tuple[Attribute, ...]:
    """The columns whose values are released and may be asked for, each with its values."""
    from scoring.disclosure.attributes import attributes_of  # numpy, which most pages do without

    return attributes_of(dataset_of(contest).schema, spec_of(contest).columns)


def target_attributes(contest: Contest) -> tuple[Attribute, ...]:
    """The columns of the contingency table that is estimated, each with its values."""
    from scoring.disclosure.attributes import attributes_of

    return attributes_of(dataset_of(contest).schema, spec_of(contest).target)
