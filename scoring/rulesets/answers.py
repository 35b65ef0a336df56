# SPDX-License-Identifier: Apache-2.0
"""Rules that answer a cheater, and rulesets to which one of them is added."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import tomli_w

from scoring.cheaters import CHEATERS
from scoring.errors import gettext_noop as _
from scoring.questions.asked import LINKS
from scoring.registry import ALL_MEASURES

if TYPE_CHECKING:
    from scoring.rulesets.base import Ruleset

MARGIN, MOST_COPIES = 1.64, 0.5
"""Standard errors that are taken off results, and the share of records that may stay as they were."""
_GATE = f"""
[[scoring.measure]]
id = "copies"
measure = "verbatim"
title.en = "Records as they were"
title.ja = "元のままのレコード"

[[scoring.gate]]
measure = "copies"
max = {MOST_COPIES}
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """A rule: what it says, whether rules lack it and may have it, and the header under which a line of text adds it.

    With an empty header the text is added at the end.
    """

    title: str
    is_missing: Callable[[Ruleset], bool]
    header: str
    line: str
    fits: Callable[[Mapping[str, Any]], bool] = lambda _table: True


def _links(table: Mapping[str, Any]) -> bool:
    asked = [question["asks"] for question in table.get("question", ())]
    return table["kind"] in ("attack", "candidate-attack") or LINKS in asked


def _lacks_truth(rules: Ruleset) -> bool:
    named = ("attack", "candidate-attack")
    return any(
        spec.truth == "declared"
        and (spec.kind in named or LINKS in {q.asks for q in spec.questions})
        for spec in rules.rounds
    )


def _lacks_gate(rules: Ruleset) -> bool:
    gated = [rules.measure(gate.measure) for gate in rules.gates]
    return _has_tables(rules) and not any(measure.finds_copies for measure in gated)


def _has_tables(rules: Ruleset) -> bool:
    """Teams publish tables, not series or estimates."""
    return rules.disclosure is None and rules.sequential is None


ANSWERS: Mapping[str, Answer] = {
    "truth": Answer(
        _(
            "A guess also counts where the record that it names is the published one by its content."
        ),
        _lacks_truth,
        "round",
        'truth = "either"',
        _links,
    ),
    "verbatim": Answer(
        _("A table is refused of which more than half of the records are as they were."),
        _lacks_gate,
        "",
        _GATE,
    ),
    "attackers": Answer(
        _(
            "Attackers are ranked by the median of their rates, which a single table does not change."
        ),
        lambda rules: rules.disclosure is None and rules.ranking.attackers == "mean",
        "ranking",
        'attackers = "median"',
    ),
    "margin": Answer(
        _("Results are what is above chance by more than 1.64 standard errors."),
        lambda rules: any(q.margin is None for spec in rules.rounds for q in spec.questions),
        "round.question",
        f"margin = {MARGIN}",
    ),
}
"""By the names that `scoring.cheaters.Cheater.rules` lists."""


def answer_to(rules: Ruleset, cheater: str) -> str:
    """The first rule that answers a cheater and is missing; empty where there is none."""
    names = CHEATERS[cheater].rules
    return next((name for name in names if ANSWERS[name].is_missing(rules)), "")


def with_answer(text: str, name: str) -> str:
    """A ruleset with one of `ANSWERS`; comments stay, except where measures are a plain list.

    Examples
    --------
    >>> print(with_answer("[ranking]  # boards\\nformula = 'sum'\\n", "attackers"))
    [ranking]  # boards
    attackers = "median"
    formula = 'sum'
    <BLANKLINE>
    """
    answer, values = ANSWERS[name], tomllib.loads(text)
    if not answer.header:
        return _with_tables(text, values, answer.line)
    key = answer.line.partition(" = ")[0]
    tables = iter(_tables(values, answer.header))
    lines, skips = [], False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            skips = False
        if skips and re.match(rf"\s*{key}\s*=", line):
            continue
        lines.append(line)
        if re.match(rf"\s*\[{{1,2}}\s*{re.escape(answer.header)}\s*\]", line):
            skips = answer.fits(next(tables))
            lines += [f"{answer.line}\n"] if skips else []
    return "".join(lines)


def _tables(values: Mapping[str, Any], header: str) -> list[Mapping[str, Any]]:
    """All tables of a header, in the order of the text."""
    found: list[Any] = [values]
    for part in header.split("."):
        inner = [table.get(part, ()) for table in found]
        found = [one for some in inner for one in (some if isinstance(some, list) else [some])]
    return found


def _with_tables(text: str, values: dict[str, Any], more: str) -> str:
    """The text with further tables at its end; written again as a whole where it lists measures by their names."""
    scoring = values.get("scoring", {})
    names = scoring.pop("measures", None)
    if names is None:
        return text + more
    measures = [{"id": name, "direction": ALL_MEASURES[name].direction} for name in names]
    added = tomllib.loads(more)["scoring"]
    scoring["measure"] = measures + added["measure"]
    scoring["gate"] = scoring.get("gate", []) + added["gate"]
    return tomli_w.dumps(values)
