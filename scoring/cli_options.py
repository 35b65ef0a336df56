"""`--set NAME=VALUE`: options of anonymizers and of attacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.anonymizers import ANONYMIZERS
from scoring.cli_output import UsageError
from scoring.errors import Problem
from scoring.options import Value, unknown_option, wrong_value
from scoring.registry import ATTACKS
from scoring.schema import Schema

QUASI_IDENTIFIERS, SENSITIVE = "q", "s"
ATTACK_OPTIONS: dict[str, tuple[str, ...]] = {
    "E1": (QUASI_IDENTIFIERS,),
    "E2": (QUASI_IDENTIFIERS, SENSITIVE),
    "E3": (SENSITIVE,),
    "E4": (SENSITIVE,),
    "EUC1": (QUASI_IDENTIFIERS, SENSITIVE),
    "EUC2": (QUASI_IDENTIFIERS, SENSITIVE),
    "E4-rank": (SENSITIVE,),
}
ONE_COLUMN = ("E2", "E4", "E4-rank")
"""Attacks that look at a single sensitive column."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One `--set`: `method` is None where it is for every method that has the option."""

    method: str | None
    name: str
    text: str


def parse_settings(texts: Sequence[str], methods: Sequence[str]) -> list[Setting]:
    """The settings in the order in which they take effect: for one method after for all."""
    settings = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--set {text}: expected NAME=VALUE")
        method, dot, option = name.strip().partition(".")
        if dot and method not in methods:
            expected = ", ".join(dict.fromkeys(methods))
            raise UsageError(f"--set {text}: expected a method of the command ({expected})")
        settings.append(Setting(method, option, value) if dot else Setting(None, method, value))
    return sorted(settings, key=lambda setting: setting.method is not None)


def anonymizer_options(
    methods: Sequence[str], texts: Sequence[str]
) -> list[tuple[str, dict[str, Value]]]:
    """Each method with its options; UsageError with all problems where one cannot be used."""
    problems = [
        Problem("anonymizer.unknown", {"got": method, "expected": ", ".join(ANONYMIZERS)})
        for method in methods
        if method not in ANONYMIZERS
    ]
    if problems:
        raise UsageError("unknown method", problems)
    steps: list[tuple[str, dict[str, Value]]] = [(method, {}) for method in methods]
    for setting in parse_settings(texts, methods):
        problems += _apply(setting, steps)
    if problems:
        raise UsageError("options", problems)
    return steps


def _apply(setting: Setting, steps: list[tuple[str, dict[str, Value]]]) -> list[Problem]:
    meant = [step for step in steps if setting.method in (None, step[0])]
    users = [(m, values) for m, values in meant if ANONYMIZERS[m].option(setting.name)]
    if not users:
        methods = list(dict.fromkeys(method for method, _ in meant))
        known = list(dict.fromkeys(o.name for m in methods for o in ANONYMIZERS[m].options))
        return [unknown_option(setting.name, known, ", ".join(methods))]
    problems = []
    for method, values in users:
        option = ANONYMIZERS[method].option(setting.name)
        assert option is not None
        value = option.parse(setting.text)
        if value is None or not option.accepts(value):
            problems.append(wrong_value(method, option.name, option.expected, setting.text))
        else:
            values[option.name] = value
    return problems


def attack_columns(
    method: str, schema: Schema, texts: Sequence[str]
) -> dict[str, tuple[str, ...] | None]:
    """The columns that the attack looks at, by the names of its parameters."""
    if method not in ATTACKS:
        problem = Problem("attack.unknown", {"got": method, "expected": ", ".join(ATTACKS)})
        raise UsageError("unknown method", [problem])
    known = ATTACK_OPTIONS[method]
    chosen: dict[str, tuple[str, ...] | None] = {QUASI_IDENTIFIERS: None, SENSITIVE: None}
    problems = []
    for setting in parse_settings(texts, [method]):
        if setting.name not in known:
            problems.append(unknown_option(setting.name, list(known), method))
            continue
        names = tuple(name.strip() for name in setting.text.split(","))
        expected = _wrong_columns(method, setting.name, names, schema)
        if expected:
            problems.append(wrong_value(method, setting.name, expected, setting.text))
        chosen[setting.name] = names
    if problems:
        raise UsageError("options", problems)
    return {"quasi_identifiers": chosen[QUASI_IDENTIFIERS], "sensitive": chosen[SENSITIVE]}


def _wrong_columns(method: str, option: str, names: tuple[str, ...], schema: Schema) -> str | None:
    """What was expected, where these columns cannot be used."""
    columns = {QUASI_IDENTIFIERS: schema.quasi_identifiers, SENSITIVE: schema.sensitive_numeric}
    is_single = option == SENSITIVE and method in ONE_COLUMN
    fits = set(names) <= set(columns[option]) and len(set(names)) == len(names)
    if fits and not (is_single and len(names) > 1):
        return None
    number = "one column" if is_single else "different columns"
    return f"{number} out of {', '.join(columns[option]) or 'none'}"
