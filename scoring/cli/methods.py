# SPDX-License-Identifier: Apache-2.0
"""The methods of a command and their options, as its help lists them: read from the registries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import wrap

from scoring import plugins
from scoring.anonymizers import ANONYMIZERS
from scoring.attacks.catalog import INQUIRIES
from scoring.options import Option, Value

_WIDTH, _COLUMN = 98, 22
_ANONYMIZERS_LEAD = "methods and options (several methods are applied one after the other):"
_ANONYMIZERS_END = (
    "--set k=5 is for every method that has the option k, --set mondrian.k=5 for one."
)
_ATTACKS_LEAD = "methods and options:"
_ATTACKS_END = """\
Of equally good records the one with the lowest row number is guessed; 0 is no guess.
nearest-candidates writes n row numbers for each record; membership needs --control, writes a
score for each person where --out is given, and takes no --seed.
--set q=a,b looks at these quasi-identifiers only, --set s=c,d at these sensitive columns."""


def anonymizers() -> str:
    """Every anonymizer with its options and their defaults."""
    methods = ((a.id, summary(a.description), a.options) for a in ANONYMIZERS.values())
    return f"{_ANONYMIZERS_LEAD}\n{_listed(methods)}\n\n{_ANONYMIZERS_END}\n"


def attacks() -> str:
    """Every attack with its options and their defaults, those of plugins among them."""
    plugins.load()
    methods = ((a.id, a.summary, a.options) for a in INQUIRIES.values())
    return f"{_ATTACKS_LEAD}\n{_listed(methods)}\n\n{_ATTACKS_END}\n"


def summary(docstring: str) -> str:
    """The first line of a function's docstring."""
    return docstring.strip().partition("\n")[0].rstrip(".")


def setting(option: Option) -> str:
    """An option with its default as it is written after `--set`."""
    return f"{option.name}={written(option.default)}"


def written(value: Value) -> str:
    """A value as it is written on the command line."""
    return ",".join(value) if isinstance(value, tuple) else str(value)


def _listed(methods: Iterable[tuple[str, str, Sequence[Option]]]) -> str:
    lines: list[str] = []
    for id_, text, options in methods:
        lines += _entry(f"  {id_}", text)
        for option in options:
            choices = f" ({', '.join(option.choices)})" if option.choices else ""
            lines += _entry(f"      {setting(option)}", f"{option.doc}{choices}")
    return "\n".join(lines)


def _entry(name: str, text: str) -> list[str]:
    """A name and its description next to it, wrapped; below it if the name is too long."""
    texts = wrap(text, _WIDTH - _COLUMN, break_on_hyphens=False)
    lines = [" " * _COLUMN + line for line in texts]
    if len(name) + 2 > _COLUMN:
        return [name, *lines]
    return [f"{name:<{_COLUMN}}{texts[0]}", *lines[1:]] if texts else [name]
