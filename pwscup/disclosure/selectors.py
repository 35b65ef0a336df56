# SPDX-License-Identifier: Apache-2.0
"""Queries about disclosures, always restricted to the viewer's permissions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Max
from django.http import Http404

from pwscup.disclosure.models import Answer
from pwscup.submissions.policies import is_member

if TYPE_CHECKING:
    from uuid import UUID

    from pwscup.contests.models import Contest
    from pwscup.contests.policies import Person


def own_answer(user: Person, public_id: UUID) -> Answer:
    """An answer for the team that paid for it; Http404 for everybody else, including organizers."""
    found = Answer.objects.select_related("round__contest", "team", "asked_by")
    answer = found.filter(public_id=public_id).first()
    if answer is None or not is_member(user, answer.team):
        raise Http404
    return answer


def spending_of(contest: Contest) -> dict[tuple[int, int], Mapping[str, Any]]:
    """By round and team the spending: `n_answers`, `spent` in millionths, `last_at`; without any count."""
    answers = Answer.objects.filter(round__contest=contest).order_by()
    totals = {"n_answers": Count("pk"), "spent": Max("spent"), "last_at": Max("asked_at")}
    lines = answers.values("round", "team").annotate(**totals)
    return {(line["round"], line["team"]): line for line in lines}
