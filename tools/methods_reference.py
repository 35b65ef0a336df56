# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of methods in docs/reference/command-line.md from the registries:
`python -m tools.methods_reference`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scoring.anonymizers import ANONYMIZERS
from scoring.attacks.catalog import INQUIRIES, Inquiry
from scoring.cheaters import CHEATERS
from scoring.cli.methods import setting, summary
from scoring.options import Option

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference" / "command-line.md"
BEGIN, END = "<!-- {} written by tools.methods_reference -->\n", "<!-- end of {} -->\n"


def anonymizers() -> str:
    """A row for each anonymizer."""
    rows = [
        f"| `{a.id}` | {options(a.options)} | {_cell(summary(a.description))} |"
        for a in ANONYMIZERS.values()
    ]
    head = "| method | options with defaults | what it does |\n|---|---|---|"
    return "\n".join([head, *rows])


def attacks() -> str:
    """A row for each attack."""
    rows = [
        f"| `{a.id}` | {_choice(a, 'q')} | {_choice(a, 's')} | {options(a.options)} "
        f"| {_cell(a.summary)} |"
        for a in INQUIRIES.values()
    ]
    head = "| method | `q` | `s` | options with defaults | what it does |\n|---|---|---|---|---|"
    return "\n".join([head, *rows])


def cheaters() -> str:
    """A row for each cheater."""
    rows = [
        f"| `{c.id}` | {_yes(c.table)} | {_yes(c.rows)} | {_cell(c.sentence['en'])} |"
        for c in CHEATERS.values()
    ]
    head = "| cheater | table | guess | what it does |\n|---|---|---|---|"
    return "\n".join([head, *rows])


def _yes(plays: object) -> str:
    return "yes" if plays else ""


TABLES = {"anonymizers": anonymizers, "attacks": attacks, "cheaters": cheaters}


def options(known: Sequence[Option]) -> str:
    """Options with their defaults, choices and meaning in one cell."""
    return "<br>".join(f"`{setting(option)}` {_cell(_meaning(option))}" for option in known)


def rewritten(page: str) -> str:
    """The page with every table between its two markers, up to date."""
    for name, table in TABLES.items():
        before, begin, rest = page.partition(BEGIN.format(name))
        _, end, after = rest.partition(END.format(name))
        if not (begin and end):
            raise ValueError(f"expected {BEGIN.format(name)!r} and later {END.format(name)!r}")
        page = f"{before}{begin}\n{table()}\n\n{end}{after}"
    return page


def _meaning(option: Option) -> str:
    return f"{option.doc}: {', '.join(option.choices)}" if option.choices else option.doc


def _choice(attack: Inquiry, option: str) -> str:
    choice = attack.choice(option)
    if choice is None:
        return ""
    return "one" if choice.is_single else "numbers" if choice.only_numbers else "yes"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    TARGET.write_text(rewritten(TARGET.read_text(encoding="utf-8")), encoding="utf-8")
