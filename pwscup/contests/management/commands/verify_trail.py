from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from pwscup.contests.models import Contest
from pwscup.core import seals
from scoring.trail import first_broken


class Command(BaseCommand):
    help = "Check that no event of the audit trail was changed, left out or reordered since it was sealed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", nargs="?", help="one contest; without it all of them")

    def handle(self, *args: Any, slug: str | None, **options: Any) -> None:
        chains: dict[str, int | None] = {} if slug else {"no contest": None}
        contests = Contest.objects.order_by("pk")
        found = contests.filter(slug=slug) if slug else contests
        chains |= dict(found.values_list("slug", "pk"))
        if not chains:
            raise CommandError(f"{slug}: no contest has this address.")
        broken = [self._verify(name, contest_id) for name, contest_id in chains.items()]
        if any(broken):
            raise CommandError("\n".join(words for words in broken if words))

    def _verify(self, name: str, contest_id: int | None) -> str | None:
        """What is broken in a chain; where nothing is, say so."""
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
