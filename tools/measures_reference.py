# SPDX-License-Identifier: Apache-2.0
"""Writes docs/reference/measures.md from the registry and its docstrings: `python -m tools.measures_reference`."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from scoring.addresses import docstring_at, function_at
from scoring.attacks.catalog import INQUIRIES
from scoring.cli.methods import setting
from scoring.measures.catalog.analyses import ANALYSES, Analysis, Parameter
from scoring.measures.catalog.base import MeasureFunction
from scoring.registry import MEASURES
from scoring.scores.options import OPTION_CHOICES, OPTIONAL_CHOICES, Options

if TYPE_CHECKING:
    from collections.abc import Callable

    from scoring.attacks.catalog import Inquiry
    from scoring.options import Option
    from scoring.registry import Measure

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference" / "measures.md"
# In the order of the page. A new family of measures is one entry here.
FAMILIES: dict[str, tuple[str, str]] = {
    "utility": ("Utility", "What an anonymized table has lost: 0 is nothing."),
    "anonymity": ("Safety: equivalence classes", "How many records look alike to an attacker."),
    "linkage": (
        "Safety: re-identification rates",
        "What six built-in attackers find. Each has all of X and the shuffled Y, and does not know "
        "the declared rows. The rate is hits / n_anonymized.",
    ),
    "risk": (
        "Safety: re-identification risk",
        "How likely an attacker who knows the quasi-identifiers is right; f and F count the records "
        "with the same quasi-identifiers in Y and in X.",
    ),
    "diversity": (
        "Safety: diversity of sensitive values",
        "What an attacker learns who knows no more than the class that a person is in.",
    ),
    "similarity": (
        "Utility: similarity",
        "How far what is found in Y lies from what is found in X: 0 is nowhere, and so is 1 where higher "
        "is better. The scored columns are the quasi-identifiers and the sensitive ones, numbers and "
        "categories.",
    ),
    "generalization": (
        "Utility: generalization",
        "What equal quasi-identifiers cost, whichever method made them equal.",
    ),
    "disclosure": (
        "Safety: disclosure compared with a control",
        "What an attack on the records of X has over the same attack on strangers: records of a "
        "control table that Y was not made from. Without one the value is None.",
    ),
}
_HEADING = re.compile(r"^(?P<title>[A-Z][a-z]+)\n-{3,}$", re.MULTILINE)
_INTRODUCTION = """\
<!-- Written by `python -m tools.measures_reference` from the docstrings; edit those. -->
# Measures and attacks

X is the original table with n_original records, Y an anonymized table with n_anonymized. The *declared
rows* say from which record of X each record of Y was made. The paper is Ito & Kikuchi,
“ユークリッド距離を用いた再識別手法と PWSCup2015 の匿名加工データを用いた評価”; why a definition differs from its
text is described in [Measures and the paper](../explanation/measures-and-the-paper.md). A value is rounded to
nine decimals; one that a table has no columns for is None (in JSON `null`) and is not ranked.
"""


_ANALYSES = """\
## Measures with parameters

A ruleset gives such a measure an id of its own and [names its parameters](ruleset.md#scoringmeasure): the same figures
are computed of both tables, and the value says how far apart they are. All look at the records of both tables in one
canonical order and at no declared rows, so that neither decides anything. Values of columns that the table does not
have are None.
"""


def reference() -> str:
    """The whole page."""
    parts = [_INTRODUCTION, _overview(), _options()]
    unknown = {measure.family for measure in MEASURES.values()} - set(FAMILIES)
    if unknown:
        raise ValueError(f"FAMILIES: expected a title and a lead for {', '.join(sorted(unknown))}")
    for family, (title, lead) in FAMILIES.items():
        if measures := [m for m in MEASURES.values() if m.family == family]:
            parts.append(f"## {title}\n\n{lead}\n")
            parts += map(_measure, measures)
    parts.append(_ANALYSES)
    parts += map(_analysis, ANALYSES.values())
    parts.append(
        "## Attacks\n\nWhat `python -m scoring attack` runs: mostly one definite guess a record, to be "
        "compared with the declared rows. Files count rows from 1, the library from 0.\n"
    )
    parts += [_attack(attack) for attack in INQUIRIES.values()]
    return "\n".join(parts)


def sections(docstring: str) -> dict[str, str]:
    """The sections of a numpydoc docstring by title; what stands before the first is "Summary"."""
    pieces = _HEADING.split(docstring)
    titles = ["Summary", *pieces[1::2]]
    return {title: text.strip() for title, text in zip(titles, pieces[::2], strict=True)}


def entries(section: str) -> dict[str, str]:
    """The descriptions in a section of parameters or attributes, by name, each on one line."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in section.splitlines():
        if line and not line[0].isspace():
            name = line.partition(" : ")[0].strip()
            found[name] = []
        elif line.strip():
            found[name].append(line.strip())
    return {name: " ".join(lines) for name, lines in found.items()}


CONTRACT = entries(sections(inspect.getdoc(MeasureFunction) or "")["Parameters"])
"""The default text on the columns of a measure."""


def _overview() -> str:
    rows = [
        f"| [{m.id}](#{_anchor(m)}) | {m.name} | {m.title} | {m.direction} | {_range(m)} |"
        for m in MEASURES.values()
    ]
    head = "| id | in the paper | what it is | better | range |\n|---|---|---|---|---|"
    return "\n".join([head, *rows, ""])


def _codes(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


_OPTIONAL = {
    "closeness": _codes(OPTIONAL_CHOICES["closeness"]),
    "table_columns": "a list of different columns",
    "population_fraction": "a number above 0, at most 1",
    "weight_column": "a column of numbers",
    "hierarchies": "a table by column",
}
"""The options that a ruleset may leave out."""


def _options() -> str:
    described = entries(sections(inspect.getdoc(Options) or "")["Attributes"])
    rows = [
        f"| `{field.name}` | `{field.default}` | {_codes(OPTION_CHOICES[field.name])} "
        f"| {described[field.name]} |"
        for field in fields(Options)
        if field.name in OPTION_CHOICES
    ]
    rows += [
        f"| `{name}` | left out | {values} | {described[name]} |"
        for name, values in _OPTIONAL.items()
    ]
    head = (
        "| option | default | choices | meaning, in the order of the choices |\n|---|---|---|---|"
    )
    lead = "How a score settles what the definitions leave open; a ruleset sets them."
    return "\n".join(["## Options", "", lead, "", head, *rows, ""])


def _measure(measure: Measure) -> str:
    found = sections(measure.description)
    parameters = CONTRACT | entries(found.get("Parameters", ""))
    lines = [
        f"### {_heading(measure)}",
        f"`{measure.name}` · {measure.direction} is better · {_range(measure)}",
        found["Summary"],
        f"**Looks at.** {parameters['comparison']}",
        f"**Value.** {_returned(found['Returns'])}",
        f"**Options.** {parameters['options']}",
        f"**Source.** {_flat(found['Notes'])}",
        _example(measure.function, found["Examples"]),
    ]
    return "\n\n".join(lines) + "\n"


def _analysis(analysis: Analysis) -> str:
    found = sections(docstring_at(analysis.address))
    described = {
        name: text
        for together, text in entries(found["Parameters"]).items()
        for name in together.split(", ")
    }
    rows = [f"| `{p.name}` | {_default(p)} | {described[p.name]} |" for p in analysis.parameters]
    package = f" · needs the package {analysis.package}" if analysis.package else ""
    high = "and up" if analysis.high is None else f"to {analysis.high:g}"
    lines = [
        f"### {analysis.id}: {analysis.title}",
        f"`{analysis.name}` · {analysis.direction} is better · {analysis.low:g} {high}{package}",
        found["Summary"],
        "\n".join(["| parameter | default | meaning |", "|---|---|---|", *rows]),
        f"**Value.** {_returned(found['Returns'])}",
        f"**Source.** {_flat(found['Notes'])}",
        _example(function_at(analysis.address), found["Examples"]),
    ]
    return "\n\n".join(lines) + "\n"


def _default(parameter: Parameter) -> str:
    """The default, and the other choices."""
    value = parameter.default
    if parameter.is_needed:
        return "needed"
    if parameter.kind == "choices":
        return f"all of {_codes(parameter.choices)}"
    others = tuple(choice for choice in parameter.choices if choice != value)
    shown = "left out" if value in ((), "") else f"`{value}`"
    return f"{shown} (or {_codes(others)})" if others else shown


def _attack(attack: Inquiry) -> str:
    found = sections(attack.description)
    lines = [
        f"### Attack {attack.id}",
        f"`{attack.name}` · {attack.title}",
        _capitalized(found["Summary"].removeprefix(f"{attack.id}: ")),
        f"**Options.** {_settings(attack)}",
        f"**Guess.** {_returned(found['Returns'])}",
        f"**Source.** {_flat(found['Notes'])}",
        _example(attack.function, found["Examples"]),
    ]
    return "\n\n".join(lines) + "\n"


def _settings(attack: Inquiry) -> str:
    described = entries(sections(attack.description)["Parameters"])
    words = [
        f"`{choice.option}`: {_uncapitalized(described[choice.parameter].rstrip('.'))}"
        for choice in attack.columns
    ]
    words += [
        f"`{setting(option)}`{_others(option)}: {_uncapitalized(described[option.name].rstrip('.'))}"
        for option in attack.options
    ]
    return ". ".join(words) + "."


def _others(option: Option) -> str:
    others = tuple(choice for choice in option.choices if choice != option.default)
    return f" (or {_codes(others)})" if others else ""


def _heading(measure: Measure) -> str:
    return f"{measure.id}: {measure.title}"


def _anchor(measure: Measure) -> str:
    return re.sub(r"[^\w\- ]", "", _heading(measure).lower()).replace(" ", "-")


def _range(measure: Measure) -> str:
    return (
        f"{measure.low:g} to {measure.high:g}"
        if measure.high is not None
        else f"{measure.low:g} and up"
    )


def _returned(section: str) -> str:
    """The description of the one value that is returned."""
    return next(iter(entries(section).values()))


def _flat(text: str) -> str:
    return " ".join(text.split())


def _capitalized(text: str) -> str:
    return text[0].upper() + text[1:]


def _uncapitalized(text: str) -> str:
    return text[0].lower() + text[1:]


def _example(function: Callable[..., object], text: str) -> str:
    """The docstring's example with the imports that stand above the function."""
    imports = ["import numpy as np"] if "np." in text else []
    imports.append(f"from {function.__module__} import {function.__name__}")
    return "\n".join(["```pycon", *(f">>> {line}" for line in imports), text, "```"])


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
