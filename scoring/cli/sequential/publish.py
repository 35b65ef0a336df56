# SPDX-License-Identifier: Apache-2.0
"""`sequential generate` and `sequential publish`: tables of several times, and a release of each."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict

import numpy as np

from scoring.cli.output import Output, UsageError, aligned, check_writable, write_files
from scoring.cli.sequential.files import (
    check_m,
    read_release_files,
    read_schema_file,
    table_files,
    tables_read,
    write_folder,
)
from scoring.formats.sequential import examples, publishing
from scoring.formats.sequential.background import background
from scoring.formats.sequential.bundles import numbered, pack
from scoring.formats.sequential.files import identifier_of, read_microdata
from scoring.formats.sequential.improved import MAX_ATTRIBUTES
from scoring.formats.sequential.last import extra_information
from scoring.formats.sequential.loss import losses
from scoring.formats.sequential.publishing import Publication
from scoring.formats.sequential.release_files import write_release
from scoring.formats.sequential.series import handed_in, not_telling, of_publication, published
from scoring.tables.cells import is_number
from scoring.tables.reading import read_table, write_table
from scoring.tables.schema import Schema


def generate(arguments: Namespace, output: Output) -> None:
    from scoring.datasets.hospital import (
        HOSPITAL_SCHEMA,
        MAX_RECORDS,
        MAX_RELEASES,
        hospital,
    )

    for option, most in (("records", MAX_RECORDS), ("releases", MAX_RELEASES)):
        if not 1 <= (got := getattr(arguments, option)) <= most:
            raise UsageError(f"--{option}: expected 1 to {most}, got {got}")
    output.step("drawing the tables")
    tables = hospital(arguments.records, arguments.releases, seed=arguments.seed)
    files = numbered("T", [write_table(table, HOSPITAL_SCHEMA) for table in tables])
    files["S.toml"] = HOSPITAL_SCHEMA.to_toml().encode()
    write_folder(arguments.out, files)
    values = {"n_records": arguments.records, "out": arguments.out, "files": sorted(files)}
    output.result(values, f"{len(tables)} tables of {arguments.records} records → {arguments.out}")


def example(arguments: Namespace, output: Output) -> None:
    files = numbered("T", [examples.csv(table) for table in examples.EXAMPLES[arguments.tables]])
    files["S.toml"] = examples.SCHEMA.to_toml().encode()
    if arguments.tables == "patients":
        files["R1.csv"] = write_release(examples.table_3(), examples.PATIENTS)
    write_folder(arguments.out, files)
    output.result(
        {"out": arguments.out, "files": sorted(files)}, f"{len(files)} files → {arguments.out}"
    )


def publish(arguments: Namespace, output: Output) -> None:
    _check_places(arguments)
    check_m(arguments.m)
    schema = read_schema_file(arguments)
    n = len(schema.quasi_identifiers)
    if arguments.method == "improved" and n > MAX_ATTRIBUTES:
        expected = f"at most {MAX_ATTRIBUTES} quasi-identifiers"
        raise UsageError(f"--method improved: expected {expected}, got {n}")
    widths = _widths(arguments.widths, schema)
    output.step("reading the tables")
    tables = table_files(arguments)
    microdata = read_microdata(tables, schema)
    options = publishing.Options(
        arguments.m,
        arguments.method,
        widths,
        arguments.side,
        arguments.where,
        arguments.rule,
    )
    if arguments.before and len(arguments.before) >= (n_tables := len(microdata.snapshots)):
        expected = f"fewer releases than the {n_tables} tables"
        raise UsageError(f"--before: expected {expected}, got {len(arguments.before)}")
    before = read_release_files(arguments.before, microdata, output)
    done = publishing.publish(microdata, options, before=before, progress=output.step)
    output.step("writing")
    series = of_publication(done)
    archives: dict[str, bytes] = {}
    written: dict[str, list[str]] = {}
    if arguments.tables_out is not None:
        write_folder(arguments.tables_out, _tables_as_published(tables, schema, done))
    if arguments.out is not None:
        files = published(series)
        write_folder(arguments.out, files)
        written[arguments.out] = sorted(files)
    if arguments.zip is not None:
        told = not_telling(series) if arguments.without_counterfeits else series
        parts = handed_in(told, identifier_of(schema))
        archives[arguments.zip] = pack(parts)
        written[arguments.zip] = sorted(parts)
    if arguments.people_out is not None:
        archives[arguments.people_out] = pack(background(pack(numbered("T", tables)), schema))
    write_files(archives)
    _tell(arguments, done, written, output)


def _check_places(arguments: Namespace) -> None:
    if arguments.out is None and arguments.zip is None:
        raise UsageError("--out or --zip is needed: where the releases are written")
    if arguments.without_counterfeits and arguments.zip is None:
        raise UsageError("--without-counterfeits is about the archive of --zip")
    before = {f"--before {path}": path for path in arguments.before}
    check_writable(arguments.zip, arguments.people_out, reads=tables_read(arguments, **before))


def _tell(
    arguments: Namespace, done: Publication, written: Mapping[str, list[str]], output: Output
) -> None:
    """The costs, and the files `written` into the folder and the archive."""
    found = losses(done)
    information = extra_information(done.releases, done.tampered)
    values = {
        "m": arguments.m,
        "method": arguments.method,
        "releases": [asdict(loss) for loss in found],
        "information": asdict(information),
        "out": arguments.out,
        "zip": arguments.zip,
        "files": written.get(arguments.out),
        "zip_files": written.get(arguments.zip),
    }
    head = ("release", "records", "groups", "counterfeits", "deleted", "tampered", "displaced")
    rows = [
        (str(time), *(str(value) for value in list(asdict(loss).values())[:-1]))
        for time, loss in enumerate(found, start=1)
    ]
    extents = ["extent", *(f"{loss.extent:.3f}" for loss in found)]
    table = [(*row, extent) for row, extent in zip([head, *rows], extents, strict=True)]
    told = f"extra information: {information.n_groups} groups, {information.bits:,.1f} bits"
    places = "\n".join(f"{len(names)} files → {place}" for place, names in written.items())
    output.result(values, "\n\n".join([aligned(table, right=range(8)), told, places]))


def _widths(text: str | None, schema: Schema) -> tuple[float, ...] | None:
    """The numbers between commas; None where the first table decides them."""
    if text is None:
        return None
    pieces, names = text.split(","), schema.quasi_identifiers
    if len(pieces) != len(names) or not all(is_number(p) and float(p) > 0 for p in pieces):
        expected = f"{len(names)} numbers above 0, with at most 4 decimals"
        raise UsageError(f"--widths: expected {expected}, got {text}")
    for name, piece in zip(names, pieces, strict=True):
        if not (schema.column(name).is_numeric or float(piece).is_integer()):
            raise UsageError(f"--widths: expected a whole number of values of {name}, got {piece}")
    return tuple(map(float, pieces))


def _tables_as_published(
    tables: Sequence[bytes], schema: Schema, done: Publication
) -> dict[str, bytes]:
    """The tables' files without the records that were deleted."""
    files = []
    gone = np.zeros(0, dtype=np.int64)
    identifier = identifier_of(schema)
    for time, (data, deleted) in enumerate(zip(tables, done.deleted, strict=True), start=1):
        gone = np.union1d(gone, deleted)
        names = {done.microdata.ids[i] for i in gone.tolist()}
        table = read_table(data, schema, file=f"T{time}", original=True)
        kept = table[~table[identifier].astype(str).isin(names)]
        files.append(write_table(kept, schema))
    return numbered("T", files)
