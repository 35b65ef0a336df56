# SPDX-License-Identifier: Apache-2.0
"""`sequential score`, `guess` and `mark`: series and guesses about them, evaluated as on the platform."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict, replace

from scoring.cli.input import read_ruleset
from scoring.cli.output import (
    Output,
    UsageError,
    aligned,
    check_writable,
    drawn_with,
    read_file,
    write_files,
)
from scoring.cli.sequential.command import LIMITS
from scoring.cli.sequential.files import (
    check_m,
    read_schema_file,
    read_tables,
    tables_read,
)
from scoring.formats.sequential.background import read_background, read_published
from scoring.formats.sequential.catalog import SERIES_MEASURES
from scoring.formats.sequential.files import identifier_of
from scoring.formats.sequential.guess_files import read_value_guess, write_value_guess
from scoring.formats.sequential.guesses import (
    GUESSERS,
    baseline_guesses,
    mark_values,
    true_values,
    values_of,
)
from scoring.formats.sequential.scores import score_series
from scoring.formats.sequential.series_files import read_series
from scoring.registry import drawing
from scoring.rulesets.base import SequentialSpec


def score(arguments: Namespace, output: Output) -> None:
    ruleset = read_ruleset(arguments.ruleset)
    spec = spec_asked(arguments, ruleset.sequential)
    schema = read_schema_file(arguments)
    original = read_tables(arguments, schema, output)
    output.step("checking the series")
    data, identifier = read_file(arguments.series), identifier_of(schema)
    series = read_series(
        data, original, identifier, m=spec.m, require=spec.require, limits=spec.limits
    )
    output.step("measuring")
    measures = [name for name in ruleset.measures if name in SERIES_MEASURES]
    found = score_series(
        original,
        series,
        m=spec.m,
        definition=spec.definition,
        measures=measures,
        seed=arguments.seed,
    )
    text = _text(found)
    if drawn := drawing(measures, spec.definition):
        found["seed"] = arguments.seed
        text += drawn_with(arguments.seed, drawn)
    output.result(found, text)


def spec_asked(arguments: Namespace, rules: SequentialSpec | None) -> SequentialSpec:
    """The limits of the series: those of the command, else of the ruleset."""
    rules = _with_m(arguments, rules)
    return replace(
        rules,
        require=arguments.require or rules.require,
        definition=arguments.definition or rules.definition,
        limits=replace(rules.limits, **limits_given(arguments)),
    )


def limits_given(arguments: Namespace) -> dict[str, float]:
    """The limits given on the command line, by their names."""
    found = {}
    for option in LIMITS:
        name = option.removeprefix("--").replace("-", "_")
        share: float | None = getattr(arguments, name, None)
        if share is None:
            continue
        if not 0 <= share <= 1:
            raise UsageError(f"{option}: expected a share from 0 to 1, got {share:g}")
        found[name] = share
    return found


def _with_m(arguments: Namespace, rules: SequentialSpec | None) -> SequentialSpec:
    if rules is None:
        raise UsageError(f"--ruleset {arguments.ruleset}: expected one about a series of tables")
    if arguments.m is None:
        return rules
    check_m(arguments.m)
    return replace(rules, m=arguments.m)


def _text(found: dict[str, float | int | None]) -> str:
    counts = (
        f"{found['n_people']} people, {found['n_tuples']} records, {found['n_rows']} rows "
        f"in {found['n_groups']} groups"
    )
    head = ("measure", "value", "better", "meaning")
    rows = [
        (id_, "–" if found[id_] is None else f"{found[id_]:.6f}", measure.direction, measure.title)
        for id_, measure in SERIES_MEASURES.items()
        if id_ in found
    ]
    return f"{counts}\n\n{aligned([head, *rows], right=[1])}"


def guess(arguments: Namespace, output: Output) -> None:
    check_writable(
        arguments.out,
        reads=tables_read(
            arguments, **{"--people": arguments.people, "--series": arguments.series}
        ),
    )
    schema = read_schema_file(arguments)
    output.step("reading the people and the releases")
    people = read_background(read_file(arguments.people), schema)
    published = read_published(read_file(arguments.series), people)
    output.step("guessing")
    found = GUESSERS[arguments.method](published.people, published.releases)
    guessed = values_of(found, published.people)
    write_files({arguments.out: write_value_guess(guessed)})
    n_people = len(published.people.ids)
    values = {"n_records": n_people, "n_guesses": len(guessed), "out": arguments.out}
    output.result(values, f"{len(guessed)} of {n_people} people guessed → {arguments.out}")


def mark(arguments: Namespace, output: Output) -> None:
    m = _with_m(arguments, read_ruleset(arguments.ruleset).sequential).m
    original = read_tables(arguments, read_schema_file(arguments), output)
    published = read_published(read_file(arguments.series), original)
    truth = true_values(original)
    guessed = read_value_guess(read_file(arguments.guess), truth, original.sensitive_values)
    output.step("marking")
    baseline = values_of(baseline_guesses(original, published.releases), original)
    found = mark_values(truth, baseline, guessed, m=m)
    output.result(
        asdict(found),
        f"{found.hits} of {found.n_records} people hit, {found.baseline_hits} by the baseline: "
        f"rate {found.rate:.6f}",
    )
