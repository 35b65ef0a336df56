# SPDX-License-Identifier: Apache-2.0
"""What readers of the tutorials have downloaded, made from the seeds that the demo has."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

import numpy as np

from scoring.anonymizers import anonymize
from scoring.cli import main as cli
from scoring.datasets.hospital import HOSPITAL_SCHEMA, hospital
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.formats.sequential.background import background
from scoring.formats.sequential.bundles import pack
from scoring.formats.sequential.publishing import Options, publish
from scoring.formats.sequential.series import of_publication, published
from scoring.formats.sequential.series_files import read_tables
from scoring.rulesets import load_ruleset
from scoring.tables.reading import read_table, write_table
from scoring.tables.schema import Column, Kind, Role, Schema
from scoring.tables.suggestion import suggest_schema

CLINIC = Path(__file__).resolve().parent.parent / "fixtures" / "clinic.csv"
N_PATIENTS = 300
# How the house teams of the demo's open contest publish, more or less.
HOUSES = {
    "noise": Options(m=3),
    "unify": Options(m=3, method="improved"),
    "average": Options(m=4, side="none"),
}


def prepare_downloads(folder: Path) -> None:
    table = households(8333, seed=2)
    (folder / "demo-running-original.csv").write_bytes(write_table(table, HOUSEHOLDS_SCHEMA))
    (folder / "demo-running-schema.toml").write_text(HOUSEHOLDS_SCHEMA.to_toml(), encoding="utf-8")
    methods = {"average": "class-average", "noise": "sa-noise", "unify": "record-deletion"}
    rng = np.random.default_rng(1)
    for team, method in methods.items():
        made = anonymize(table, HOUSEHOLDS_SCHEMA, [(method, {})], rng=rng)
        (folder / f"{team}.csv").write_bytes(write_table(made.table, HOUSEHOLDS_SCHEMA))
    schema = clinic_schema()
    data = CLINIC.read_bytes()
    clinic = read_table(data, schema, file="original", original=True)
    public = schema.public()
    (folder / "clinic-cup-original.csv").write_bytes(write_table(clinic, public))
    (folder / "clinic-cup-schema.toml").write_text(public.to_toml(), encoding="utf-8")
    prepare_lecture(folder)
    prepare_hidden(folder)
    prepare_series(folder)


def prepare_hidden(folder: Path) -> None:
    """What team Aoi gets of the demo's hidden table: its release, and an answer for ε = 1 about the target."""
    hidden, disclosed = folder / "hidden.csv", load_ruleset("dp-disclosure").disclosure
    hidden.write_bytes(write_table(households(8333, seed=4), HOUSEHOLDS_SCHEMA))
    (folder / "demo-hidden-schema.toml").write_text(HOUSEHOLDS_SCHEMA.to_toml(), encoding="utf-8")
    asked = {"table": hidden, "columns": ",".join(disclosed.columns), "seed": 1}
    scoring("dp", "release", **asked, epsilon=4, out=folder / "batch.csv")
    asked["columns"] = ",".join(disclosed.target)
    answer = folder / "demo-hidden-interactive-answer-001.csv"
    with answer.open("w", encoding="utf-8") as file, contextlib.redirect_stdout(file):
        scoring("dp", "ask", **asked, epsilon=1)
    hidden.unlink()


def prepare_series(folder: Path) -> None:
    """What team Aoi gets in the demo of sequential release: its tables, and what is published of the house teams'."""
    (folder / "demo-series-open-schema.toml").write_text(
        HOSPITAL_SCHEMA.to_toml(), encoding="utf-8"
    )
    (folder / "demo-series-open-teamaoi_original.zip").write_bytes(tables_of_patients(0))
    for number, (team, options) in enumerate(HOUSES.items(), start=1):
        tables = tables_of_patients(number)
        made = of_publication(publish(read_tables(tables, HOSPITAL_SCHEMA), options))
        (folder / f"team{team}_series.zip").write_bytes(pack(published(made)))
        (folder / f"team{team}_people.zip").write_bytes(pack(background(tables, HOSPITAL_SCHEMA)))


def tables_of_patients(number: int) -> bytes:
    """The tables of one team's patients, out of those of the demo's hospital."""
    windows = hospital(1000, 4, seed=6)
    everybody = np.unique(np.concatenate([table["patient"] for table in windows]))
    own = np.random.default_rng(8).permutation(everybody)[N_PATIENTS * number :][:N_PATIENTS]
    drawn = [table[table["patient"].isin(own)] for table in windows]
    return pack({f"T{n}.csv": write_table(t, HOSPITAL_SCHEMA) for n, t in enumerate(drawn, 1)})


def prepare_lecture(folder: Path) -> None:
    """What team Red downloads of a lecture contest: its own table, and Blue's as it is published."""
    drawn, schema = folder / "lecture", folder / "lecture-schema.toml"
    table = folder / "customers.csv"
    table.write_bytes(write_table(households(1_000, seed=9), HOUSEHOLDS_SCHEMA))
    schema.write_text(HOUSEHOLDS_SCHEMA.to_toml(), encoding="utf-8")
    scoring("lecture-split", table=table, schema=schema, teams=2, seed=4, out=drawn)
    (drawn / "team1_original.csv").rename(folder / "lecture-teamred_original.csv")
    (drawn / "team2_candidate.csv").rename(folder / "teamblue_candidate.csv")
    blue, made = drawn / "team2_original.csv", drawn / "made.csv"
    methods = ("qi-unification", "class-swap", "--aligned")
    scoring("anonymize", *methods, schema=schema, original=blue, seed=2, out=made)
    key, released = {"key": drawn / "key.csv", "team": "team2"}, folder / "teamblue_anonymized.csv"
    files = {
        "original": blue,
        "anonymized": made,
        "out": released,
        "key-out": drawn / "key-out.csv",
    }
    scoring("lecture-release", schema=schema, **key, **files, seed=3)
    shutil.rmtree(drawn)


def scoring(*words: str, **options: object) -> None:
    """The command line with these words and options."""
    pairs = [str(word) for name, value in options.items() for word in (f"--{name}", value)]
    assert cli.main([*words, *pairs]) == cli.FINE


def clinic_schema() -> Schema:
    """The proposal for the clinic's table with the two changes that the tutorial makes."""
    schema = suggest_schema(CLINIC.read_bytes())
    for name in ("visits", "days_in_hospital"):
        assert schema.column(name).role is Role.QUASI_IDENTIFIER
        schema = schema.replace_column(Column(name, Role.SENSITIVE, Kind.INTEGER))
    return schema
