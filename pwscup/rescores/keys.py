# SPDX-License-Identifier: Apache-2.0
"""The usual keys of rules as fields of a form, and the text of the rules with other values: comments stay."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import tomli_w
import tomlkit
from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from tomlkit.exceptions import TOMLKitError

from pwscup.contests.rules.measures import shown_measure
from scoring.formulas import PARTS
from scoring.rulesets.kinds import VALUE_SOURCES
from scoring.rulesets.loader_measures import measures_for

if TYPE_CHECKING:
    from pwscup.contests.models import Contest

Path = tuple[str | int, ...]
Edits = dict[Path, Any]
"""By the path of a key its new value; None removes the key."""

MIB = 2**20
PERCENT = 100
HEADINGS = {"utility": ("utility", "similarity"), "linkage": ("linkage",)}
"""Lists of a ranking by measures, and the families whose new measures join them."""
LISTS = ("utility", "safety", "linkage")
WRAPPED = 6
"""A list with more items has one on each line."""


@dataclass(frozen=True, slots=True)
class Key:
    """A field of the form: its initial value, and the keys of the rules that another value changes."""

    name: str
    field: forms.Field
    initial: Any
    edits: Callable[[Any], Edits]


def keys_of(contest: Contest) -> list[Key]:
    """The usual keys that the rules of this contest have."""
    document = tomllib.loads(contest.ruleset_text)
    return [
        *_limits(contest),
        *_table(contest, document),
        *_measures(contest, document),
        *_weights(document),
    ]


def _at(*path: str | int) -> Callable[[Any], Edits]:
    return lambda value: {path: value}


def _round(number: float) -> float:
    """A whole number without a point, as people write it."""
    return int(number) if number == int(number) else number


def _limits(contest: Contest) -> Iterator[Key]:
    limits = contest.ruleset.limits
    yield Key(
        "max_team_size",
        forms.IntegerField(
            label=gettext_lazy("Maximum team size"),
            min_value=1,
            max_value=1_000,
            help_text=format_lazy(
                gettext_lazy("In force: {n}, by the settings, which may allow less."),
                n=contest.max_team_size,
            ),
        ),
        limits.max_team_size,
        _at("limits", "max_team_size"),
    )
    yield Key(
        "max_file_mib",
        forms.FloatField(label=gettext_lazy("Largest file (MiB)"), min_value=0.001, max_value=950),
        _round(limits.max_file_bytes / MIB),
        lambda mib: {("limits", "max_file_bytes"): round(mib * MIB)},
    )
    if contest.format.gives_table or limits.max_records_factor != 1:
        yield Key(
            "max_records_factor",
            forms.FloatField(
                label=gettext_lazy("Records of a submission, as a multiple of the original's"),
                min_value=1,
                max_value=100,
            ),
            _round(limits.max_records_factor),
            _at("limits", "max_records_factor"),
        )


def _table(contest: Contest, document: Mapping[str, Any]) -> Iterator[Key]:
    data, labels = (
        document["data"],
        {
            "sample": (gettext_lazy("Records of each team"), 10),
            "decoys": (gettext_lazy("Further records among the candidates"), 0),
        },
    )
    for name, (label, least) in labels.items():
        if name in data:
            field = forms.IntegerField(label=label, min_value=least, max_value=1_000_000)
            yield Key(name, field, data[name], _at("data", name))
    if contest.format.gives_table or "validity" in document:
        titles = {
            "schema": gettext_lazy("any value that the column may have"),
            "original": gettext_lazy("only values that occur in the column of the original"),
        }
        choice = forms.ChoiceField(
            label=gettext_lazy("Values of anonymized tables"),
            choices=[(value, titles[value]) for value in VALUE_SOURCES],
        )
        yield Key("values", choice, contest.ruleset.validity.values, _at("validity", "values"))


def _measures(contest: Contest, document: Mapping[str, Any]) -> Iterator[Key]:
    listed = document["scoring"].get("measures")
    if not listed:
        return
    known = {m.id: shown_measure(m) for m in measures_for(contest.ruleset.data.tables).values()}
    ordered = [*listed, *(id_ for id_ in known if id_ not in listed)]
    field = forms.MultipleChoiceField(
        label=gettext_lazy("Measures"),
        choices=[(i, f"{known[i].name} {known[i].title}" if i in known else i) for i in ordered],
        widget=forms.CheckboxSelectMultiple,
    )
    ranking = document.get("ranking", {})
    yield Key("measures", field, list(listed), lambda chosen: _chosen(chosen, ordered, ranking))


def _chosen(chosen: Sequence[str], ordered: Sequence[str], ranking: Mapping[str, Any]) -> Edits:
    """The measures in their order; lists of the ranking lose what is gone, and get what is new in their families."""
    known, kept = measures_for(""), [id_ for id_ in ordered if id_ in chosen]
    before = {id_ for name in LISTS for id_ in ranking.get(name, ())}
    edits: Edits = {("scoring", "measures"): kept}
    for name in LISTS:
        if name not in ranking:
            continue
        families = HEADINGS.get(name, ())
        new = [i for i in kept if i in known and known[i].family in families and i not in before]
        edits["ranking", name] = [i for i in ranking[name] if i in kept] + new
    return edits


def _weights(document: Mapping[str, Any]) -> Iterator[Key]:
    ranking = document.get("ranking", {})
    if "anonymization_weight" in ranking:
        field = forms.IntegerField(
            label=gettext_lazy("Weight of anonymization in the total (%)"),
            min_value=0,
            max_value=PERCENT,
            help_text=gettext_lazy("The rest is the weight of attacks."),
        )
        yield Key(
            "anonymization_weight",
            field,
            round(PERCENT * ranking["anonymization_weight"]),
            lambda percent: {
                ("ranking", "anonymization_weight"): percent / PERCENT,
                ("ranking", "attack_weight"): (PERCENT - percent) / PERCENT,
            },
        )
    titles = {
        "utility": gettext_lazy("Weight of utility"),
        "protection": gettext_lazy("Weight of protection"),
        "attack": gettext_lazy("Weight of attacks"),
        "presentation": gettext_lazy("Weight of the presentation"),
    }
    for name in PARTS:
        if name in ranking.get("settings", {}) and name in titles:
            field = forms.FloatField(label=titles[name], min_value=0, max_value=1_000)
            path = ("ranking", "settings", name)
            yield Key(f"weight_{name}", field, _round(ranking["settings"][name]), _at(*path))


# The text


def with_keys(text: str, edits: Mapping[Path, Any]) -> str:
    """The rules with other values of some keys.

    Parameters
    ----------
    text : str
        TOML.
    edits : mapping
        By the path of a key its new value; None removes the key.

    Returns
    -------
    str
        TOML. Comments and the order of keys stay; comments inside of a list that changes are lost, and all of them
        if the text is written in an unusual way.

    Examples
    --------
    >>> print(with_keys('[limits]\\nmax_team_size = 10  # people\\n', {("limits", "max_team_size"): 4}))
    [limits]
    max_team_size = 4  # people
    <BLANKLINE>
    """
    before = tomllib.loads(text)
    wanted = tomllib.loads(text)
    changed = {path: value for path, value in edits.items() if _get(before, path) != value}
    for path, value in changed.items():
        _set(wanted, path, value, dict)
    edited = _edited(text, changed)
    return edited if edited is not None else tomli_w.dumps(wanted)


def _edited(text: str, edits: Mapping[Path, Any]) -> str | None:
    """The text changed in place; None if that does not give the wanted values."""
    wanted = tomllib.loads(text)
    try:
        document = tomlkit.parse(text)
        for path, value in edits.items():
            _set(wanted, path, value, dict)
            _set(document, path, _item(value), tomlkit.table)
        edited = tomlkit.dumps(document)
        return edited if tomllib.loads(edited) == wanted else None
    except (TOMLKitError, tomllib.TOMLDecodeError):
        return None


def _item(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    listed = tomlkit.array()
    listed.extend(value)
    return listed.multiline(len(value) > WRAPPED)


def _get(document: Any, path: Path) -> Any:
    for step in path:
        try:
            document = document[step]
        except (KeyError, IndexError):
            return None
    return document


def _set(document: Any, path: Path, value: Any, table: Callable[[], Any]) -> None:
    *parents, last = path
    for step in parents:
        if isinstance(step, str) and step not in document:
            document[step] = table()
        document = document[step]
    if value is None:
        document.pop(last, None)
    else:
        document[last] = value


@dataclass(frozen=True, slots=True)
class Change:
    """A key of the rules with another value, in the words of TOML; empty where there is none."""

    key: str
    before: str
    after: str


def changes_between(before: str, after: str) -> list[Change]:
    """The keys with different values in two texts, in the order of the new one.

    Examples
    --------
    >>> changes_between("a = 1\\nb = [1]", "a = 2\\nb = [1]\\nc.d = true")
    [Change(key='a', before='1', after='2'), Change(key='c.d', before='', after='true')]
    """
    old, new = dict(_flat(tomllib.loads(before))), dict(_flat(tomllib.loads(after)))
    keys = dict.fromkeys([*new, *old])
    shown = {key: (_shown(old, key), _shown(new, key)) for key in keys}
    return [Change(key, *both) for key, both in shown.items() if both[0] != both[1]]


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _flat(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        for number, item in enumerate(value):
            yield from _flat(item, f"{path}.{item.get('key', item.get('id', number))}")
    else:
        yield path, value


def _shown(values: Mapping[str, Any], key: str) -> str:
    return json.dumps(values[key], ensure_ascii=False, default=str) if key in values else ""


def note_of(changes: Sequence[Change], most: int) -> str:
    """The note of a version that was made with the form."""
    words = "; ".join(
        _("%(key)s: %(before)s → %(after)s")
        % {"key": one.key, "before": one.before or "–", "after": one.after or "–"}
        for one in changes
    )
    return words if len(words) <= most else words[: most - 1] + "…"
