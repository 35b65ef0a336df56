# SPDX-License-Identifier: Apache-2.0
"""`sequential check`: are releases generalizations of their tables, m-unique and m-invariant."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace

from scoring.cli.input import read_ruleset
from scoring.cli.output import Output, UsageError, aligned, read_file
from scoring.cli.sequential.contest import limits_given
from scoring.cli.sequential.files import check_m, read_release_files, read_schema_file, read_tables
from scoring.formats.sequential import checking
from scoring.formats.sequential.checking import Check
from scoring.formats.sequential.limits import NO_LIMITS, SeriesLimits
from scoring.formats.sequential.release_files import read_notice
from scoring.formats.sequential.series import Series
from scoring.formats.sequential.series_files import exceeded


def check(arguments: Namespace, output: Output) -> int:
    check_m(arguments.m)
    limits = _limits(arguments)
    microdata = read_tables(arguments, read_schema_file(arguments), output)
    checking.check_number(len(microdata.snapshots), len(arguments.releases))
    releases = read_release_files(arguments.releases, microdata, output)
    tampered = [release.group[:0] for release in releases]
    for text in arguments.notice:
        time, _equals, path = text.partition("=")
        if not (time.isdecimal() and 1 <= int(time) <= len(releases) and path):
            expected = f"a release from 1 to {len(releases)}, = and a file"
            raise UsageError(f"--notice: expected {expected}, got {text}")
        notice = read_notice(read_file(path), releases[int(time) - 1], file=f"N{time}")
        tampered[int(time) - 1] = notice
    output.step("checking")
    found = checking.check(microdata, releases, arguments.m, tampered=tampered)
    series = Series(microdata, tuple(releases), tuple(tampered), (), knows_counterfeits=False)
    if beyond := exceeded(limits, microdata, series, file="releases"):
        problems = (*beyond, *found.problems)
        found = replace(found, problems=problems, n_problems=found.n_problems + len(beyond))
    _report(found, output)
    return int(found.n_problems > 0)


def _limits(arguments: Namespace) -> SeriesLimits:
    """The limits of a contest, but for deletions: the tables are those without the deleted records."""
    limits = NO_LIMITS
    if arguments.ruleset is not None:
        rules = read_ruleset(arguments.ruleset).sequential
        if rules is None:
            raise UsageError(
                f"--ruleset {arguments.ruleset}: expected one about a series of tables"
            )
        limits = rules.limits
    return replace(limits, max_deleted=None, **limits_given(arguments))


def _report(found: Check, output: Output) -> None:
    holds = {
        "generalization": found.is_generalization,
        "m_unique": found.is_m_unique,
        "m_invariant": found.is_m_invariant,
    }
    problems = [problem.to_dict() | {"message": problem.message} for problem in found.problems]
    values = holds | {"problems": problems, "n_problems": found.n_problems}
    nouns = ("generalizations of the tables (definition 2)", "m-unique", "m-invariant")
    rows = [
        (noun, "yes" if it_holds else "no")
        for noun, it_holds in zip(nouns, holds.values(), strict=True)
    ]
    text = aligned(rows)
    if found.problems:
        cells = [(p.file or "", str(p.row or ""), p.message) for p in found.problems]
        text += "\n\n" + aligned([("file", "record", "problem"), *cells])
        if found.n_problems > len(cells):
            text += f"\n… and {found.n_problems - len(cells)} more"
    output.result(values, text)
