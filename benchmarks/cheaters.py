# SPDX-License-Identifier: Apache-2.0
"""`python -m benchmarks.cheaters`: every format against the cast of cheaters, and docs/explanation/known-games.md.

Each format is a contest of its own in a database of the benchmark's own, on a generated table; four honest bots and
the cast play it through, as in a dry run. `--formats a,b` plays some, `--small` with few records, and
`--write` writes the page.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
import tomllib
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

if TYPE_CHECKING:
    from scoring.rulesets import Ruleset

N_RECORDS = 2_000
"""Records of a table that all teams share, of a hidden one, and of people in a series."""
SPARE = 3
"""Of tables that are drawn for teams, records of the whole as a multiple of those that a team has."""
SMALL = {"sample": 100, "decoys": 100, "shared": 60, "targets": 50, "controls": 50, "ones": 50}
RED = ("pwscup2015", "pwscup2015-season")
"""Formats that keep the rules of the paper, and with them its games."""
OPEN: tuple[str, ...] = ()
"""Formats with games that are not closed yet; the certificate shows them."""
PAGES = {
    "en": Path("docs/explanation/known-games.md"),
    "ja": Path("docs/explanation/known-games.ja.md"),
}


def main() -> int:
    arguments = _parser().parse_args()
    folder = Path(tempfile.mkdtemp(prefix="pwscup-bench-cheaters-"))
    try:
        _set_up(folder)
        from scoring.rulesets import load_ruleset, ruleset_names

        names = [n for n in arguments.formats.split(",") if n] or list(ruleset_names())
        played = {}
        for name in names:
            started = time.perf_counter()
            rules = load_ruleset(name)
            played[name] = certificate_of(smaller(rules) if arguments.small else rules)
            _say(f"\n{name}, {time.perf_counter() - started:.0f} s")
            for line in played[name]["lines"]:
                _say("  " + _shown(line))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if arguments.write:
        for language, page in PAGES.items():
            page.write_text(page_of(played, language), encoding="utf-8")
    return int(any(is_red(lines) for name, lines in played.items() if name not in RED))


def is_red(certificate: dict[str, Any]) -> bool:
    """Some cheater gains."""
    return any(line["is_red"] for line in certificate["lines"])


def smaller(rules: Ruleset) -> Ruleset:
    """The format for fewer records; gates are wider, as few records differ by chance."""
    import tomli_w

    from scoring.rulesets import parse_ruleset

    values = tomllib.loads(rules.text)
    asked = [question for spec in values["round"] for question in spec.get("question", ())]
    for table in (values["data"], *asked):
        table |= {key: min(table[key], n) for key, n in SMALL.items() if key in table}
    if "rare" in values["data"]:
        values["data"]["rare"]["records"] = 2
    for gate in values["scoring"].get("gate", ()):
        if "max" in gate and not rules.measure(gate["measure"]).finds_copies:
            gate["max"] = gate["max"] * 10
    return parse_ruleset(tomli_w.dumps(values))


def certificate_of(rules: Ruleset, n_records: int = 0, seed: int = 1) -> dict[str, Any]:
    """The certificate of a contest by these rules on a generated table; needs Django."""
    from django.utils import timezone

    from pwscup.accounts.models import User
    from pwscup.bots import services as bots
    from pwscup.bots.models import Rehearsal
    from pwscup.contests import services
    from pwscup.core import jobs

    drawn = random.Random(f"{rules.id} {seed}")
    who, _new = User.objects.get_or_create(email="organizer@example.org", is_organizer=True)
    with (
        patch("secrets.token_bytes", drawn.randbytes),
        patch("secrets.randbits", drawn.getrandbits),
    ):
        begin = timezone.now() + timedelta(days=1)
        contest = services.create_contest(actor=who, ruleset=rules, title=rules.id, starts_at=begin)
        least = SPARE * rules.data.n_own + (rules.data.decoys or 0)
        chosen = {"n_records": n_records or max(N_RECORDS, least)}
        if rules.sequential is not None:
            chosen["n_tables"] = 4
        draft = services.generate_table(actor=who, contest=contest, **chosen)
        services.confirm_table(actor=who, contest=contest, schema=draft.schema)
        rehearsal = bots.request_dry_run(actor=who, contest=contest)
        jobs.work_on(Rehearsal, rehearsal.pk)
    rehearsal.refresh_from_db()
    if rehearsal.state != Rehearsal.State.DONE:
        raise RuntimeError(f"{rules.id}: the dry run {rehearsal.state}")
    certificate: dict[str, Any] = rehearsal.certificate
    return certificate


def _shown(line: dict[str, Any]) -> str:
    if line.get("problems"):
        codes = ", ".join(problem["code"] for problem in line["problems"])
        return f"{line['cheater']:12} {line['kind']:7} refused: {codes}"
    bound = f" (up to {line['bound']:.4g})" if "bound" in line else ""
    state = f"RED, answer: {line['answer']}" if line["is_red"] else "gains nothing"
    return f"{line['cheater']:12} {line['kind']:7} {line['value']:.4g} next to {line['usual']:.4g}{bound} {state}"


def page_of(played: dict[str, Any], language: str) -> str:
    return ""


def _set_up(folder: Path) -> None:
    """Django over a database of the benchmark's own."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "pwscup.settings_test"
    os.environ["PWSCUP_DATA_DIR"] = str(folder)
    os.environ.setdefault("LOG_LEVEL", "ERROR")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cheaters", description=__doc__)
    parser.add_argument("--formats", default="", help="some formats, with commas between them")
    parser.add_argument("--small", action="store_true", help="with few records")
    parser.add_argument("--write", action="store_true", help="write the page of known games")
    return parser


if __name__ == "__main__":
    sys.exit(main())
