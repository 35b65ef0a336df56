# SPDX-License-Identifier: Apache-2.0
"""`--set NAME=VALUE`: options of anonymizers and of attacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scoring import plugins
from scoring.anonymizers import ANONYMIZERS
from scoring.attacks.catalog import INQUIRIES, Inquiry
from scoring.cli.output import UsageError
from scoring.errors import Problem, ProblemsFound
from scoring.options import Option, Value, having, unknown_option, wrong_value
from scoring.tables.schema import Schema


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
    if problems := ANONYMIZERS.unknown(methods):
        raise UsageError("unknown method", problems)
    steps: list[tuple[str, dict[str, Value]]] = [(method, {}) for method in methods]
    for setting in parse_settings(texts, methods):
        problems += _apply(setting, steps)
    if problems:
        raise UsageError("options", problems)
    return steps


def _apply(setting: Setting, steps: list[tuple[str, dict[str, Value]]]) -> list[Problem]:
    methods = [(ANONYMIZERS[method], values) for method, values in steps]
    try:
        users = having(methods, setting.name, setting.method)
    except ProblemsFound as error:
        return list(error.problems)
    return [p for method, option, v in users for p in _set(method.id, option, setting.text, v)]


def inquiry(id_: str) -> Inquiry:
    """The attack, or the other question, of that name; plugins are known from here on."""
    plugins.load()
    if problems := INQUIRIES.unknown([id_]):
        raise UsageError("unknown method", problems)
    return INQUIRIES[id_]


def attack_options(attack: Inquiry, schema: Schema, texts: Sequence[str]) -> dict[str, Any]:
    """The columns and options of an attack, by the names of its function's parameters."""
    known = [*(choice.option for choice in attack.columns), *(o.name for o in attack.options)]
    values: dict[str, Any] = {}
    problems = []
    for setting in parse_settings(texts, [attack.id]):
        if (choice := attack.choice(setting.name)) is not None:
            values[choice.parameter] = names = _names(setting.text)
            if not choice.accepts(names, schema):
                expected = choice.expected(schema)
                problems.append(wrong_value(attack.id, choice.option, expected, setting.text))
        elif (option := attack.option(setting.name)) is not None:
            problems += _set(attack.id, option, setting.text, values)
        else:
            problems.append(unknown_option(setting.name, known, attack.id))
    if problems:
        raise UsageError("options", problems)
    return values


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


def _set(method: str, option: Option, text: str, values: dict[str, Value]) -> list[Problem]:
    """Take in an option's value, or say what is wrong with it."""
    value = option.parse(text)
    if value is None or not option.accepts(value):
        return [wrong_value(method, option.name, option.expected, text)]
    values[option.name] = value
    return []
