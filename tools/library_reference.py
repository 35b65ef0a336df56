# SPDX-License-Identifier: Apache-2.0
"""Writes docs/reference/library.md from the public names and their docstrings: `python -m tools.library_reference`."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import scoring
from scoring.facade import results
from scoring.tables.schema import Schema
from tools.measures_reference import entries, sections

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference" / "library.md"
_INTRODUCTION = """\
<!-- Written by `python -m tools.library_reference` from the docstrings; edit those. -->
# The library

`import scoring` has these names, and imports what each needs at its first use. [Recipes](../how-to/recipes.md)
show them in tasks of five lines; [Compute at home](../how-to/compute-at-home.md) how to install them. The
functions are those of the [command line](command-line.md), with options of the same names.

**Frames.** Tables go in and come out as pandas frames. A frame is checked by its schema with the same problems
as a file: `ProblemsFound` lists all, each with its record and column. Nothing is converted but truth values,
which are texts in a file: numbers are numbers, categories are text. Read files by `read`, which takes a text
such as `NA` or `007` for what it is; `read` brings frames into this form, too.

**Roles.** A schema says which columns are quasi-identifiers, sensitive, identifiers or other.
`Schema.from_frame` proposes roles; functions that get a proposal warn until somebody confirms it by `confirm`.

**Rows.** Records of an anonymized table declare the original record that they were made from. A result of
`anonymize` knows them. For a frame they are `rows`, from 0 as in `iloc`, a column `source_row`, from 1 as in
files, or what its index names: `original[original["sex"] == "male"]` needs no rows.

**Seeds.** What draws takes `seed` or a generator `rng`, and reports the seed. Methods that make a table to be
published take 128 bits of the operating system by default, measures and attackers 1, as the commands do.

**Results** print in one line, are tables in notebooks, and have `to_frame`. With tqdm (`pip install
"pwscup[progress]"`) a bar shows what takes longer than two seconds; `progress=False` leaves it out.
"""


@dataclass(frozen=True)
class Group:
    """A section of the page: names of functions and classes, each with the object."""

    title: str
    lead: str
    names: Sequence[str]


GROUPS = (
    Group("Tables", "", ("Schema.from_frame", "Schema.confirm", "generate", "read", "validate")),
    Group(
        "Adapters",
        "Files and programs of others.",
        ("hierarchies", "synthesize"),
    ),
    Group("Anonymize and attack", "", ("anonymize", "attack", "candidates", "membership")),
    Group("Measure", "", ("score", "k_anonymity", "l_diversity", "t_closeness")),
    Group("Audit and compare", "", ("audit", "compare", "study")),
    Group(
        "Sequential release",
        "A changing table, published again and again; see [Sequential release](sequential.md).",
        tuple(
            f"sequential.{n}" for n in ("generate", "publish", "check", "risk", "score", "audit")
        ),
    ),
    Group(
        "Differential privacy",
        "With frames and texts; `scoring.privacy` has the [mechanisms and their accounting](privacy.md) as modules.",
        tuple(f"privacy.{name}" for name in ("histogram", "respond", "estimate")),
    ),
)
_CLASSES = (
    results.AnonymizedTable,
    results.Scores,
    results.Validation,
    results.Guesses,
    results.MembershipResult,
    results.AuditResult,
    results.ComparedTables,
    results.Picture,
)
_SERIES = ("PublishedSeries", "SeriesRisks", "SeriesAuditResult")
_OTHERS = {
    "ANONYMIZERS": "[Anonymizers](command-line.md#anonymize) by identifier. Each can be called: "
    '`ANONYMIZERS["mondrian"](table, schema, rng=rng, k=5)`.',
    "ATTACKS": "[Attackers](measures.md#attacks) by identifier. Each can be called: "
    '`ATTACKS["gower"](original, anonymized, schema, rng=rng)`.',
    "MEASURES": "[Measures](measures.md) by identifier, with title, direction and range.",
    "Schema, Column, Role, Kind": "The columns of a table; `Schema.from_toml` and `to_toml` read and "
    "write [schema files](files.md).",
    "ProblemsFound, Problem": "All that is wrong with a table, a schema or an option: "
    "`error.problems`, each with `code`, `row`, `column` and `message`.",
    "UnknownNameError": "There is no method, measure or ruleset of a name; its text names similar ones.",
    "UnconfirmedRolesWarning": "Roles were proposed and nobody has confirmed them.",
    "privacy, sequential": "Modules, see above.",
}


def reference() -> str:
    """The whole page."""
    missing = set(scoring.__all__) - _named() - {"__version__"}
    if missing:
        raise ValueError(f"GROUPS, _OTHERS: expected a place for {', '.join(sorted(missing))}")
    parts = [_INTRODUCTION]
    for group in GROUPS:
        parts.append(f"## {group.title}\n" + (f"\n{group.lead}\n" if group.lead else ""))
        parts += [_function(name) for name in group.names]
    parts.append("## Results\n")
    parts += [_class(known) for known in _CLASSES]
    parts += [_class(getattr(scoring.sequential, name), "sequential.") for name in _SERIES]
    rows = [f"| {_codes(name)} | {text} |" for name, text in _OTHERS.items()]
    parts.append("\n".join(["## Further names", "", "| name | meaning |", "|---|---|", *rows, ""]))
    return "\n".join(parts)


def _named() -> set[str]:
    functions = {name.partition(".")[0] for group in GROUPS for name in group.names}
    return functions | {name for names in _OTHERS for name in names.split(", ")}


def _codes(names: str) -> str:
    return ", ".join(f"`{name}`" for name in names.split(", "))


def _function(name: str) -> str:
    owner, _dot, last = name.rpartition(".")
    place: Any = {"Schema": Schema, "": scoring}.get(owner) or getattr(scoring, owner)
    function = getattr(place, last)
    found = sections(inspect.getdoc(function) or "")
    parts = [f"### {name}", found["Summary"], f"```python\n{_signature(name, function)}\n```"]
    if "Parameters" in found:
        parts.append(_described("parameter", _entries(found["Parameters"])))
    if "Returns" in found:
        parts.append(f"**Returns.** {_returned(found['Returns'])}")
    if "Raises" in found:
        raised = [f"`{error}` {_uncapitalized(text)}" for error, text in _entries(found["Raises"])]
        parts.append(f"**Raises.** {' '.join(raised)}")
    if "Examples" in found:
        place = f"scoring.{owner}" if owner in ("sequential", "privacy") else "scoring"
        parts.append(_example(place, found["Examples"], owner or last))
    return "\n\n".join(parts) + "\n"


def _example(module: str, text: str, name: str) -> str:
    """The example with the imports that stand above the function in its module."""
    imports = [f"import {package}" for package in ("math",) if f"{package}." in text]
    if "pd." in text and "import pandas" not in text:
        imports.append("import pandas as pd")
    public = ["Schema"] if name == "Schema" else _public(module, text)
    imports.append(f"from {module} import {', '.join(public)}")
    return "\n".join(["```pycon", *(f">>> {line}" for line in imports), text, "```"])


def _public(module: str, text: str) -> list[str]:
    """The public functions that an example calls."""
    known = importlib.import_module(module).__all__
    called = set(re.findall(r"(?<![.\w])(\w+)\(", text)) - {"table"}
    return [name for name in known if name in called]


def _class(known: type, prefix: str = "") -> str:
    found = sections(inspect.getdoc(known) or "")
    parts = [f"### {prefix}{known.__name__}", found["Summary"]]
    described = _entries(found.get("Attributes", ""))
    described += [(f"{name}{brackets}", text) for name, brackets, text in _members(known)]
    parts.append(_described("attribute", described))
    return "\n\n".join(parts) + "\n"


def _members(known: type) -> Iterator[tuple[str, str, str]]:
    """The public properties and methods that a result defines, with the first sentence of each."""
    for name, member in vars(known).items():
        function = member.fget if isinstance(member, property) else member
        if name.startswith("_") or not inspect.isfunction(function):
            continue
        brackets = "" if isinstance(member, property) else f"({_arguments(function)})"
        yield name, brackets, (inspect.getdoc(function) or "").partition("\n")[0]


def _arguments(function: Callable[..., Any]) -> str:
    return ", ".join(name for name in inspect.signature(function).parameters if name != "self")


def _signature(name: str, function: Callable[..., Any]) -> str:
    """The function with its parameters, one a line where there are many."""
    shown: list[str] = []
    star = False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            shown.append("*")
            star = True
        prefix = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
        kind = "" if prefix else f": {parameter.annotation}"
        has_default = parameter.default is not parameter.empty
        default = f" = {_default(parameter.default)}" if has_default else ""
        shown.append(f"{prefix}{parameter.name}{kind}{default}")
    returned = inspect.signature(function).return_annotation
    line = f"{name}({', '.join(shown)}) -> {returned}"
    if len(line) <= 88:
        return line
    return f"{name}(\n" + "".join(f"    {text},\n" for text in shown) + f") -> {returned}"


def _default(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _described(noun: str, described: Sequence[tuple[str, str]]) -> str:
    rows = [f"| {_names(name)} | {_cell(text)} |" for name, text in described]
    return "\n".join([f"| {noun} | meaning |", "|---|---|", *rows])


def _names(name: str) -> str:
    return ", ".join(f"`{part}`" for part in re.split(r", (?![^(]*\))", name))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _entries(section: str) -> list[tuple[str, str]]:
    """Names and descriptions of a section; where there is no description, the kind of the value."""
    kinds = dict(re.findall(r"^(\S[^:\n]*?) : (.+)$", section, re.MULTILINE))
    return [(name, _meaning(kinds.get(name, ""), text)) for name, text in entries(section).items()]


def _meaning(kind: str, text: str) -> str:
    """The description, with the choices where there are some."""
    if kind.startswith("{"):
        choices = kind.strip("{}").replace('"', "`")
        return f"{text} One of {choices}.".strip()
    return text or f"`{kind}`"


def _returned(section: str) -> str:
    [(name, text), *_] = entries(section).items()
    if text:
        return f"`{name}`: {_uncapitalized(text)}"
    kind = section.partition(" : ")[2]
    return f"{_names(name)}: {kind}." if kind else f"`{name}`."


def _uncapitalized(text: str) -> str:
    """The text as it goes on after a colon; abbreviations stay."""
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
