# SPDX-License-Identifier: Apache-2.0
"""Questions of teams, the organizers' answers, and clarifications for everybody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import Team
from pwscup.core import audit_log
from pwscup.notices import policies
from pwscup.notices.kinds import ANSWER, MAX_OPEN_QUESTIONS, QUESTION
from pwscup.notices.models import Announcement, Question
from pwscup.notices.sending import outbox
from pwscup.notices.services.announcements import publish_announcement
from pwscup.notices.services.common import NoticeRefused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pwscup.accounts.models import User


@transaction.atomic
def ask_question(*, user: User, team: Team, subject: str, text: str) -> Question:
    """Ask the organizers a question as a member of the team; nobody else sees it."""
    held = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    if held.questions.filter(answered_at=None).count() >= MAX_OPEN_QUESTIONS:
        raise NoticeRefused(
            _(
                "Your team has %(n)d questions that are not answered yet. "
                "Wait for an answer before you ask another question."
            )
            % {"n": MAX_OPEN_QUESTIONS}
        )
    question = Question.objects.create(
        contest_id=held.contest_id, team=held, asked_by=user, subject=subject, text=text
    )
    _record("question.asked", user, question, team=held.slug)
    outbox.notify(
        contest=question.contest, kind=QUESTION, key=f"question:{question.pk}", question=question
    )
    return question


@transaction.atomic
def answer_question(*, actor: User, question: Question, answer: str) -> None:
    """Answer, or correct the answer; the team is notified of either."""
    held = Question.objects.select_for_update().get(pk=question.pk)
    if held.answer == answer:
        return
    now, before = timezone.now(), held.answer
    if held.answered_at is None:
        held.answered_at = now
    else:
        held.corrected_at = now
    held.answer, held.answered_by = answer, actor
    held.save(update_fields=["answer", "answered_by", "answered_at", "corrected_at"])
    event = _record("question.answered", actor, held, answer=[before, answer])
    outbox.notify(contest=held.contest, kind=ANSWER, key=f"answer:{event.pk}", question=held)


@transaction.atomic
def publish_clarification(
    *, actor: User, question: Question, values: Mapping[str, Any], name_is_a_word: bool = False
) -> Announcement:
    """Publish question and answer in a text that does not identify the team.

    Raises
    ------
    NoticeRefused
        Where it is published already, or the words name the team; `name_is_a_word` says that they
        do not, because the team is called by an ordinary word.
    """
    held = (
        Question.objects.select_for_update().select_related("team", "contest").get(pk=question.pk)
    )
    if Announcement.objects.filter(question=held).exists():
        raise NoticeRefused(_("This question is already published. Correct the clarification."))
    texts = [str(value) for value in values.values() if isinstance(value, str)]
    if not name_is_a_word and policies.names_team(texts, held.team):
        raise NoticeRefused(
            _(
                "The text contains “%(team)s”, the name of the team that asked. Leave it out, or "
                "confirm below that it is an ordinary word here."
            )
            % {"team": held.team.name}
        )
    return publish_announcement(actor=actor, contest=held.contest, values=values, question=held)


def _record(kind: str, actor: User, question: Question, **data: Any) -> Any:
    return audit_log.record(
        kind,
        actor=actor,
        contest_id=question.contest_id,
        subject=f"question {question.pk}",
        **data,
    )
