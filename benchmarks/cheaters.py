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
BEFORE: dict[tuple[str, str], dict[str, str]] = {
    ("pets-lecture", "permuted"): {
        "en": "53.4 points; the best honest table had 49.2",
        "ja": "53.4点（まじめな表の最高は49.2点）",
    },
    ("pets-lecture", "sorted"): {
        "en": "protection 100, rank 2 of 6",
        "ja": "安全性100、6チーム中2位",
    },
    ("synthetic-2026", "sheets-only"): {
        "en": "true positive rate 40 % where chance is 1 %",
        "ja": "真陽性率40％（偶然なら1％）",
    },
    ("synthetic-2026", "verbatim"): {
        "en": "utility .94 to .96, rank 1 of 6",
        "ja": "有用性0.94～0.96、6チーム中1位",
    },
    ("synthetic-2026", "constant"): {
        "en": "9.5 to 27.6 % on three tables",
        "ja": "3つの表で9.5～27.6％",
    },
    ("membership-2025", "verbatim"): {"en": "utility 86.8", "ja": "有用性86.8"},
    ("reidentification-2021", "permuted"): {
        "en": "protection 88.0, rank 1",
        "ja": "安全性88.0、1位",
    },
    ("microdata-classroom", "permuted"): {
        "en": "75.4 points; honest tables had 37 to 40",
        "ja": "75.4点（まじめな表は37～40点）",
    },
    ("reconstruction-2023", "raw"): {
        "en": "utility 100, the best attack 15.5 %",
        "ja": "有用性100、最も強い攻撃で15.5％",
    },
    ("membership-2020", "verbatim"): {
        "en": "passed all gates in 11 of 11 cases",
        "ja": "11回中11回、すべての足切りを通過",
    },
    ("organizer-defends", "constant"): {
        "en": "an expected rate of 50 %, rank 1",
        "ja": "成功率の期待値50％、1位",
    },
}
"""The worth of games by the rules of November 2026, before the cast was there."""
TEXTS: dict[str, dict[str, Any]] = {
    "en": {
        "head": """# Known games

Each format is played against a cast of cheaters: players who publish true records without anonymizing them, or attack
without looking at what is published. A table gains where its total is better than the median of four honest bots, an
attack where its rate is above the 95 % interval around chance. *Before* is what a game was worth
when it was found. The [dry run](../reference/glossary.md) of a contest makes the same comparison with its own rules
and table. `python -m benchmarks.cheaters --small --write` writes this page.
""",
        "paper": "keeps the rules of the paper, and with them its games.",
        "columns": ("game", "plays", "before", "now"),
        "percent": " %",
        "colon": ": ",
        "gains": "gains: ",
        "lower": " (lower is better)",
        "table": "table",
        "attack": "attack",
        "refused": "refused",
        "tables": "{0}, honest {1}",
        "attacks": "{0}, chance {1}, at most {2}",
    },
    "ja": {
        "head": """# 知られている抜け道

どの形式も、不正プレイヤーを相手に試しています。本物のレコードを匿名加工せずに提出するプレイヤーや、公開データを見ずに攻撃する\
プレイヤーです。表は、合計点がまじめなボット4体の中央値を上回れば得をしたとみなします。攻撃は、成功率が偶然の水準の95％区間を\
上回れば得をしたとみなします。「以前」は、見つかった時点での値です。コンテストのリハーサルでは、\
そのルールと表で同じ比較を行います。このページは`python -m benchmarks.cheaters --small --write`で作られます。
""".replace("\\\n", ""),
        "paper": "論文のルールのままなので、抜け道も残っています。",
        "columns": ("抜け道", "種類", "以前", "現在"),
        "percent": "％",
        "colon": "：",
        "gains": "得をする：",
        "lower": "、小さいほど上位",
        "table": "表",
        "attack": "攻撃",
        "refused": "不受理",
        "tables": "{0}（まじめな表は{1}）",
        "attacks": "{0}（偶然なら{1}、上限{2}）",
    },
}
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
    """The page of known games: a row for each game in each format, with what it was worth before and is now."""
    from scoring.cheaters import CHEATERS
    from scoring.rulesets import load_ruleset

    texts = TEXTS[language]
    parts = [texts["head"]]
    for name, certificate in played.items():
        parts.append(f"\n## {load_ruleset(name).title[language]}\n\n`{name}`")
        parts.append(f" {texts['paper']}\n\n" if name in RED else "\n\n")
        parts.append(f"| {' | '.join(texts['columns'])} |\n|---|---|---|---|\n")
        for line in certificate["lines"]:
            before = BEFORE.get((name, line["cheater"]), {}).get(language, "–")
            play = (
                f"`{line['cheater']}`{texts['colon']}{CHEATERS[line['cheater']].sentence[language]}"
            )
            cells = (play, texts[line["kind"]], before, _now(line, texts))
            parts.append(f"| {' | '.join(cells)} |\n")
    return "".join(parts)


def _now(line: dict[str, Any], texts: dict[str, Any]) -> str:
    if line.get("problems"):
        return str(texts["refused"])
    times, unit = (100, texts["percent"]) if "bound" in line else (1, "")
    value, usual = (f"{times * line[key]:.3g}{unit}" for key in ("value", "usual"))
    bound = f"{times * line.get('bound', 0):.3g}{unit}"
    text = texts["attacks" if "bound" in line else "tables"].format(value, usual, bound)
    text += texts["lower"] if line.get("direction") == "lower" else ""
    return f"{texts['gains']}{text}" if line["is_red"] else str(text)


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
