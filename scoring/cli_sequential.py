"""The command `sequential`: publish a changing table again and again, check what was published, find its risk."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from scoring.addresses import function_at
from scoring.cli_arguments import Parser, add_parts, add_seed
from scoring.cli_output import Output, UsageError, aligned, read_file

if TYPE_CHECKING:
    from scoring.schema import Schema
    from scoring.sequential.checking import Check
    from scoring.sequential.publishing import Publication
    from scoring.sequential.tables import Microdata

METHODS = ("m-invariance", "last", "improved")
DEFINITIONS = ("counting", "worlds", "worlds-counterfeit-known", "m-invariance")
N_SAMPLES, MAX_SAMPLES = 1_000, 1_000_000
SIDES, WHERE, RULES = ("below", "above", "none"), ("everywhere", "overlaps"), ("risk", "overlap")


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that the command does: its arguments, and the address of what runs it."""

    text: str
    arguments: Callable[[Parser], None]
    run: str


def sequential_arguments(command: Parser) -> None:
    """The things that the command does, each with its options."""
    add_parts(command, ((name, part.text, part.arguments) for name, part in PARTS.items()))


def sequential(arguments: Namespace, output: Output) -> int | None:
    """Run the part that was asked for."""
    run: Callable[[Namespace, Output], int | None] = function_at(PARTS[arguments.part].run)
    return run(arguments, output)


def add_tables(part: Parser) -> None:
    """The tables of all times, and their columns."""
    part.add_argument("--schema", required=True, metavar="S.toml", help="the tables' columns")
    part.add_argument(
        "--tables", required=True, nargs="+", metavar="T.csv", help="the table of each time"
    )


def add_releases(part: Parser) -> None:
    """The releases of all times."""
    part.add_argument(
        "--releases", required=True, nargs="+", metavar="R.csv", help="the release of each table"
    )


def _publish_arguments(part: Parser) -> None:
    _add_m(part)
    add_tables(part)
    part.add_argument(
        "--method", choices=METHODS, default=METHODS[0], help="how to publish (m-invariance)"
    )
    part.add_argument(
        "--out", required=True, metavar="DIR", help="the folder to write: new, or empty"
    )
    part.add_argument(
        "--tables-out",
        metavar="DIR",
        help="a folder for the tables without deleted records; not to be published",
    )
    part.add_argument(
        "--widths",
        metavar="W,W…",
        help="least width of boxes with counterfeits, for each attribute (a fiftieth of its range)",
    )
    part.add_argument(
        "--side",
        choices=SIDES,
        default=SIDES[0],
        help="where such a box is wider than its records (below)",
    )
    part.add_argument(
        "--where",
        choices=WHERE,
        default=WHERE[0],
        help="of last: where the group before is told (everywhere)",
    )
    part.add_argument(
        "--rule", choices=RULES, default=RULES[0], help="of improved: what is repaired (risk)"
    )


def _check_arguments(part: Parser) -> None:
    _add_m(part)
    add_tables(part)
    add_releases(part)
    part.add_argument(
        "--notice",
        action="append",
        default=[],
        metavar="J=N.csv",
        help="the notice of tampering of release J; may be repeated",
    )


def _risk_arguments(part: Parser) -> None:
    add_tables(part)
    add_releases(part)
    part.add_argument(
        "--counterfeits", nargs="+", metavar="C.csv", help="the counterfeits of each release"
    )
    part.add_argument(
        "--definition",
        choices=DEFINITIONS,
        default=DEFINITIONS[0],
        help="how the attacker reckons, and what it knows (counting)",
    )
    part.add_argument(
        "--over-time",
        action="store_true",
        help="the risk after each release, too, and which releases pin each record down",
    )
    part.add_argument(
        "--samples",
        type=int,
        default=N_SAMPLES,
        metavar="N",
        help=f"worlds looked at where there are too many to count ({N_SAMPLES})",
    )
    add_seed(part, required=False)
    part.add_argument("--pictures", metavar="DIR", help="a folder for pictures: new, or empty")


def _generate_arguments(part: Parser) -> None:
    part.add_argument("--records", type=int, default=1000, metavar="N", help="in each table (1000)")
    part.add_argument("--releases", type=int, default=4, metavar="N", help="how many tables (4)")
    add_seed(part, required=True)
    part.add_argument(
        "--out", required=True, metavar="DIR", help="the folder to write: new, or empty"
    )


def _add_m(part: Parser) -> None:
    part.add_argument(
        "--m", required=True, type=int, metavar="M", help="different values in each group, at least"
    )


PARTS: dict[str, Part] = {
    "generate": Part(
        "draw the half-year windows of a made-up hospital",
        _generate_arguments,
        "scoring.cli_sequential:generate",
    ),
    "publish": Part(
        "publish the tables of several times, one release for each",
        _publish_arguments,
        "scoring.cli_sequential:publish",
    ),
    "check": Part(
        "check that releases are generalizations, m-unique and m-invariant",
        _check_arguments,
        "scoring.cli_sequential:check",
    ),
    "risk": Part(
        "say how sure an attacker may be of each record's sensitive value",
        _risk_arguments,
        "scoring.cli_sequential_risk:risk",
    ),
}
"""Name to part, in the order in which they are shown."""


def generate(arguments: Namespace, output: Output) -> None:
    from scoring.datasets.hospital import HOSPITAL_SCHEMA, MAX_RECORDS, MAX_RELEASES, hospital
    from scoring.reading import write_table

    for option, most in (("records", MAX_RECORDS), ("releases", MAX_RELEASES)):
        if not 1 <= (got := getattr(arguments, option)) <= most:
            raise UsageError(f"--{option}: expected 1 to {most}, got {got}")
    output.step("drawing the tables")
    tables = hospital(arguments.records, arguments.releases, seed=arguments.seed)
    files = {f"T{i}.csv": write_table(t, HOSPITAL_SCHEMA) for i, t in enumerate(tables, start=1)}
    files["S.toml"] = HOSPITAL_SCHEMA.to_toml().encode()
    write_folder(arguments.out, files)
    values = {"n_records": arguments.records, "out": arguments.out, "files": sorted(files)}
    output.result(values, f"{len(tables)} tables of {arguments.records} records → {arguments.out}")


def publish(arguments: Namespace, output: Output) -> None:
    from scoring.sequential import publishing
    from scoring.sequential.files import write_counterfeits, write_notice, write_release
    from scoring.sequential.improved import MAX_ATTRIBUTES

    _check_m(arguments.m)
    schema = read_schema_file(arguments)
    n = len(schema.quasi_identifiers)
    if arguments.method == "improved" and n > MAX_ATTRIBUTES:
        expected = f"at most {MAX_ATTRIBUTES} quasi-identifiers"
        raise UsageError(f"--method improved: expected {expected}, got {n}")
    widths = _widths(arguments.widths, n)
    microdata = read_tables(arguments, schema, output)
    options = publishing.Options(
        arguments.m,
        arguments.method,
        widths,
        arguments.side,
        arguments.where,
        arguments.rule,
    )
    done = publishing.publish(microdata, options, progress=output.step)
    output.step("writing")
    files = {}
    for time, (release, groups) in enumerate(zip(done.releases, done.tampered, strict=True), 1):
        files[f"R{time}.csv"] = write_release(release, microdata)
        files[f"C{time}.csv"] = write_counterfeits(release)
        if len(groups):
            files[f"N{time}.csv"] = write_notice(groups)
    if arguments.tables_out is not None:
        write_folder(arguments.tables_out, _tables_as_published(arguments, schema, done))
    write_folder(arguments.out, files)
    _tell(arguments, done, sorted(files), output)


def _tell(arguments: Namespace, done: Publication, files: list[str], output: Output) -> None:
    from scoring.sequential.last import extra_information
    from scoring.sequential.loss import losses

    found = losses(done)
    information = extra_information(done.releases, done.tampered)
    values = {
        "m": arguments.m,
        "method": arguments.method,
        "releases": [asdict(loss) for loss in found],
        "information": asdict(information),
        "out": arguments.out,
        "files": files,
    }
    head = ("release", "records", "groups", "counterfeits", "deleted", "tampered", "displaced")
    rows = [
        (str(time), *(str(value) for value in list(asdict(loss).values())[:-1]))
        for time, loss in enumerate(found, start=1)
    ]
    extents = ["extent", *(f"{loss.extent:.3f}" for loss in found)]
    table = [(*row, extent) for row, extent in zip([head, *rows], extents, strict=True)]
    told = f"extra information: {information.n_groups} groups, {information.bits:,.1f} bits"
    text = [aligned(table, right=range(8)), told, f"{len(files)} files → {arguments.out}"]
    output.result(values, "\n\n".join(text))


def check(arguments: Namespace, output: Output) -> int:
    from scoring.sequential import checking
    from scoring.sequential.files import read_each, read_notice, read_release

    _check_m(arguments.m)
    checking.check_number(len(arguments.tables), len(arguments.releases))
    schema = read_schema_file(arguments)
    microdata = read_tables(arguments, schema, output)
    output.step("reading the releases")
    releases = read_each(
        [read_file(path) for path in arguments.releases],
        "R",
        lambda data, file, _: read_release(data, microdata, file=file),
    )
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


def read_tables(arguments: Namespace, schema: Schema, output: Output) -> Microdata:
    """The tables of `--tables`."""
    from scoring.sequential.files import read_microdata

    output.step("reading the tables")
    return read_microdata([read_file(path) for path in arguments.tables], schema)


def read_schema_file(arguments: Namespace) -> Schema:
    """The schema of `--schema`."""
    from scoring.cli_input import read_text
    from scoring.schema import Schema

    return Schema.from_toml(read_text(arguments.schema))


def _check_m(m: int) -> None:
    if m < 2:
        raise UsageError(f"--m: expected at least 2, got {m}")


def _widths(text: str | None, n: int) -> tuple[float, ...] | None:
    """The numbers between commas; None where the first table decides them."""
    from scoring.cells import is_number

    if text is None:
        return None
    pieces = text.split(",")
    if len(pieces) != n or not all(is_number(piece) and float(piece) > 0 for piece in pieces):
        expected = f"{n} numbers above 0, with at most 4 decimals"
        raise UsageError(f"--widths: expected {expected}, got {text}")
    return tuple(map(float, pieces))


def _tables_as_published(
    arguments: Namespace, schema: Schema, done: Publication
) -> dict[str, bytes]:
    """The tables' files without the records that were deleted."""
    import numpy as np

    from scoring.reading import read_table, write_table

    files = {}
    gone = np.zeros(0, dtype=np.int64)
    for time, (path, deleted) in enumerate(zip(arguments.tables, done.deleted, strict=True), 1):
        gone = np.union1d(gone, deleted)
        names = {done.microdata.ids[i] for i in gone.tolist()}
        table = read_table(read_file(path), schema, file=f"T{time}", original=True)
        identifier = next(c.name for c in schema.columns if c.role == "identifier")
        kept = table[~table[identifier].astype(str).isin(names)]
        files[f"T{time}.csv"] = write_table(kept, schema)
    return files


def write_folder(out: str, files: dict[str, bytes]) -> None:
    """Write all files to a folder that is new or empty."""
    from scoring.studies.folder import FolderError, fill, new_folder

    try:
        with new_folder(out) as folder:
            fill(folder, files)
    except FolderError as error:
        raise UsageError(str(error)) from error
