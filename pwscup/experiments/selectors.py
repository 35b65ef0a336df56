# SPDX-License-Identifier: Apache-2.0
"""Queries about experiments, restricted to those of the user."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.db.models import Max, Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from pwscup.experiments.models import Experiment, ResultFile, Upload

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pwscup.accounts.models import User

MOST_KEPT = 30
MOST_COMPARED = 4


def experiments_of(user: User) -> QuerySet[Experiment]:
    """A user's experiments, the newest first."""
    return Experiment.objects.filter(owner=user).order_by("-number")


def own(user: User, public_id: UUID) -> Experiment:
    """One of the user's experiments, otherwise 404."""
    return get_object_or_404(Experiment, owner=user, public_id=public_id)


def named(user: User, texts: Iterable[str]) -> list[Experiment]:
    """The user's experiments with these keys, each once and in this order; 404 if one is missing."""
    try:
        keys = list(dict.fromkeys(UUID(text) for text in texts))
    except ValueError:
        raise Http404 from None
    found = {each.public_id: each for each in experiments_of(user).filter(public_id__in=keys)}
    if len(found) < len(keys):
        raise Http404
    return [found[key] for key in keys]


def upload_of(user: User) -> Upload | None:
    return Upload.objects.filter(owner=user).first()


def blockers(user: User) -> list[str]:
    """The reasons why this user cannot start an experiment now."""
    found = []
    if user.guest_of_id is not None:
        found.append(_("Add an email address to your account first: experiments take long."))
    unfinished = experiments_of(user).filter(state__in=Experiment.UNFINISHED).first()
    if unfinished is not None:
        message = _("“%(name)s” is not done yet: wait until it is done, or stop it.")
        found.append(message % {"name": unfinished.title})
    if experiments_of(user).count() >= MOST_KEPT:
        message = _("You have %(n)d experiments, the maximum number: delete one first.")
        found.append(message % {"n": MOST_KEPT})
    return found


def next_number(user: User) -> int:
    last = experiments_of(user).aggregate(last=Max("number"))["last"]
    return (last or 0) + 1


def n_before(experiment: Experiment) -> int:
    """The number of experiments that run or wait before this one, of all users."""
    earlier = Q(requested_at__lt=experiment.requested_at) | Q(
        requested_at=experiment.requested_at, pk__lt=experiment.pk
    )
    running, waiting = Q(state=Experiment.State.RUNNING), Q(state=Experiment.State.WAITING)
    return Experiment.objects.filter(running | earlier & waiting).count()


def file_names(experiment: Experiment) -> list[str]:
    return list(experiment.files.values_list("name", flat=True))


def tables(experiment: Experiment) -> dict[str, bytes]:
    """The tables of the library, by their names."""
    return {file.name: file.data for file in experiment.files.filter(name__startswith="tables/")}


def figure(experiment: Experiment, name: str) -> ResultFile:
    """A figure by its name, otherwise 404."""
    if not name.isprintable():  # PostgreSQL refuses to search for NUL
        raise Http404
    return get_object_or_404(experiment.files, name=f"figures/{name}")
