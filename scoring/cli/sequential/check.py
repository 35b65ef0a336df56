"""`sequential check`: are releases generalizations of their tables, m-unique and m-invariant."""

from __future__ import annotations

from argparse import Namespace

from scoring.cli.output import Output, UsageError, aligned, read_file
from scoring.cli.sequential.files import check_m, read_release_files, read_schema_file, read_tables
from scoring.formats.sequential import checking
from scoring.formats.sequential.checking import Check
from scoring.formats.sequential.release_files import read_notice


def check(arguments: Namespace, output: Output) -> int:
    check_m(arguments.m)
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
    _tell_check(found, output)
    return int(found.n_problems > 0)


def _tell_check(found: Check, output: Output) -> None:
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
