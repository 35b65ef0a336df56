# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from pwscup.contests.models import Contest
from pwscup.core import seals
from pwscup.core.models import Seal
from scoring.proof.trail import first_broken


class Command(BaseCommand):
    help = "Check that no event of the audit trail was changed, left out or reordered since it was sealed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", nargs="?", help="one contest (default: all)")

    def handle(self, *args: Any, slug: str | None, **options: Any) -> None:
        chains = _chain_of(slug) if slug else _all_chains()
        if not chains:
            raise CommandError(f"{slug}: no contest has this address.")
        broken = [self._verify(name, contest_id) for name, contest_id in chains.items()]
        if any(broken):
            raise CommandError("\n".join(words for words in broken if words))

    def _verify(self, name: str, contest_id: int | None) -> str | None:
        """The inconsistency of a chain; None, and a message, if there is none."""
        broken = first_broken(seals.chain(contest_id))
        if broken is not None:
            return f"{name}: {broken}"
        last, waiting = seals.head(contest_id), seals.n_waiting(contest_id)
        n = last.position if last else 0
        told = f"{n} event holds" if n == 1 else f"{n} events hold"
        if last:
            told += f", the last has position {n} and hash {last.hash}"
        self.stdout.write(f"{name}: {told}" + (f"; {waiting} not sealed yet" if waiting else ""))
        return None


def _chain_of(slug: str) -> dict[str, int | None]:
    return dict(Contest.objects.filter(slug=slug).values_list("slug", "pk"))


def _all_chains() -> dict[str, int | None]:
    """Every chain by its name; events of deleted contests, such as dry runs, are kept."""
    slugs = dict(Contest.objects.values_list("pk", "slug"))
    gone = Seal.objects.exclude(contest_id=None).exclude(contest_id__in=slugs).order_by()
    slugs |= {
        key: f"contest {key}, deleted"
        for key in gone.values_list("contest_id", flat=True).distinct()
        if key is not None
    }
    return {"no contest": None} | {slugs[key]: key for key in sorted(slugs)}
