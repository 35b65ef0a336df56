# SPDX-License-Identifier: Apache-2.0
"""Files of the parts of `sequential`: tables as several files or as one archive, and folders."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from scoring.cli.input import read_text
from scoring.cli.output import Output, UsageError, read_file
from scoring.formats.sequential.bundles import unpacked
from scoring.formats.sequential.files import read_each, read_microdata
from scoring.formats.sequential.release_files import read_release
from scoring.formats.sequential.tables import Microdata, Release
from scoring.studies.folder import FolderError, fill, new_folder
from scoring.tables.archives import is_archive
from scoring.tables.schema import Schema


def read_tables(arguments: Namespace, schema: Schema, output: Output) -> Microdata:
    """The tables of `--tables`."""
    output.step("reading the tables")
    return read_microdata(table_files(arguments), schema)


def table_files(arguments: Namespace) -> list[bytes]:
    """The files of `--tables`: one for each time, or those of one archive of T1.csv, T2.csv …"""
    files = [read_file(path) for path in arguments.tables]
    if len(files) == 1 and is_archive(files[0]):
        return unpacked(files[0], "T", file="tables")
    return files


def read_release_files(paths: Sequence[str], microdata: Microdata, output: Output) -> list[Release]:
    """The releases of the first tables."""
    output.step("reading the releases")
    return read_each(
        [read_file(path) for path in paths],
        "R",
        lambda data, file, _: read_release(data, microdata, file=file),
    )


def tables_read(arguments: Namespace, **others: str) -> dict[str, str | None]:
    """The files that are read, by their options, so that none of them is written over."""
    tables = {f"--tables {path}": path for path in vars(arguments).get("tables", ())}
    return {"--schema": arguments.schema, **tables, **others}


def read_schema_file(arguments: Namespace) -> Schema:
    """The schema of `--schema`."""
    return Schema.from_toml(read_text(arguments.schema))


def check_m(m: int) -> None:
    if m < 2:
        raise UsageError(f"--m: expected at least 2, got {m}")


def write_folder(out: str, files: dict[str, bytes]) -> None:
    """Write all files to a folder that is new or empty."""
    try:
        with new_folder(out) as folder:
            fill(folder, files)
    except FolderError as error:
        raise UsageError(str(error)) from error
