# SPDX-License-Identifier: Apache-2.0
"""What a series may leave out, displace and make up, where a ruleset bounds it."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from scoring.cli import main as cli
from scoring.datasets.hospital import HOSPITAL_SCHEMA, hospital
from scoring.errors import ProblemsFound
from scoring.formats.sequential import candidates, series_files
from scoring.formats.sequential.bundles import pack
from scoring.formats.sequential.examples import SMALL
from scoring.formats.sequential.limits import SeriesLimits
from scoring.formats.sequential.publishing import Options, publish
from scoring.formats.sequential.scores import score_series
from scoring.formats.sequential.series import handed_in, of_publication
from scoring.formats.sequential.series_files import read_series, read_tables
from scoring.formats.sequential.tables import Microdata
from scoring.rulesets import load_ruleset, parse_ruleset
from scoring.tables.reading import write_table

MEASURES = {
    "max_deleted": "series-deletions",
    "max_displaced": "series-displaced",
    "max_counterfeits": "series-counterfeits",
}
CODES = {
    "max_deleted": "series.too_many_deleted",
    "max_displaced": "series.too_many_displaced",
    "max_counterfeits": "series.too_many_counterfeits",
}


@pytest.fixture(scope="module")
def tables() -> dict[str, bytes]:
    drawn = hospital(60, 3, seed=3)
    return {f"T{n}.csv": write_table(table, HOSPITAL_SCHEMA) for n, table in enumerate(drawn, 1)}


@pytest.fixture(scope="module")
def microdata(tables) -> Microdata:
    return read_tables(pack(tables), HOSPITAL_SCHEMA)


@pytest.fixture(scope="module")
def improved(microdata) -> bytes:
    """A series with counterfeits, people who are left out, and regions that do not hold their records."""
    made = of_publication(publish(microdata, Options(m=3, method="improved")))
    return pack(handed_in(made, "patient"))


def codes(data: bytes, microdata: Microdata, name: str, **limits: float) -> list[str]:
    try:
        read_series(data, microdata, name, m=2, limits=SeriesLimits(**limits))
    except ProblemsFound as refused:
        return [problem.code for problem in refused.problems]
    return []


@pytest.mark.parametrize("limit", MEASURES)
def test_a_limit_is_the_largest_value_of_its_measure(improved, microdata, limit):
    series = read_series(improved, microdata, "patient", m=2)
    measure = MEASURES[limit]
    values = score_series(microdata, series, m=2, definition="counting", measures=[measure])
    share = values[measure]
    assert share > 0
    assert codes(improved, microdata, "patient", **{limit: share + 1e-9}) == []
    assert codes(improved, microdata, "patient", **{limit: share - 0.004}) == [CODES[limit]]


def test_all_limits_are_reported_together_with_what_else_is_wrong(improved, microdata):
    found = codes(improved, microdata, "patient", max_deleted=0, max_displaced=0)
    assert found == ["series.too_many_deleted", "series.too_many_displaced"]
    with pytest.raises(ProblemsFound) as refused:
        read_series(improved, microdata, "patient", m=5, limits=SeriesLimits(max_deleted=0))
    found = [problem.code for problem in refused.value.problems]
    assert found[0] == "series.too_many_deleted"
    assert "release.small_group" in found


def test_counterfeits_of_all_releases_count_together():
    """Of seven records one is 14.3 %; here each release has a row that is nobody's, once Andy is left out."""
    made = handed_in(
        replace(of_publication(publish(SMALL, Options(m=2))), knows_counterfeits=False), "name"
    )
    files = pack(made | {"D1.csv": b"name\nAndy\n"})
    series = read_series(files, SMALL, "name", m=2)
    n = [
        len(r.group) - len(t.ids)
        for r, t in zip(series.releases, series.microdata.snapshots, strict=True)
    ]
    assert n == [1, 1]
    assert codes(files, SMALL, "name", max_counterfeits=2 / 7) == []
    assert codes(files, SMALL, "name", max_counterfeits=1 / 7) == ["series.too_many_counterfeits"]
    assert codes(files, SMALL, "name", max_counterfeits=0.14) == ["release.too_many_rows"] * 2


def test_a_release_of_too_many_rows_is_refused_before_it_is_matched(
    improved, microdata, monkeypatch
):
    monkeypatch.delattr(series_files, "check")
    found = codes(improved, microdata, "patient", max_counterfeits=0)
    assert set(found) == {"release.too_many_rows"}


def test_a_limit_is_reported_also_of_a_series_that_is_too_large_to_be_matched(
    improved, microdata, monkeypatch
):
    monkeypatch.setattr(candidates, "MOST_PAIRS", 1)
    found = codes(improved, microdata, "patient", max_deleted=0)
    assert found == ["series.too_many_deleted", "release.too_many_pairs"]


# The ruleset, and the command


def ruleset(lines: str) -> str:
    """The built-in rules with these limits in the place of theirs."""
    text = load_ruleset("sequential-release").text
    text = re.sub(r"(?m)^max_(?:deleted|displaced|counterfeits) = .*\n", "", text)
    return text.replace('\ndefinition = "counting"', f'\n{lines}\ndefinition = "counting"', 1)


def test_a_ruleset_may_bound_each_of_them():
    assert parse_ruleset(ruleset("")).sequential.limits == SeriesLimits()
    found = parse_ruleset(ruleset("max_deleted = 0\nmax_displaced = 0.05\nmax_counterfeits = 1"))
    assert found.sequential.limits == SeriesLimits(0.0, 0.05, 1.0)


def test_the_built_in_rules_keep_a_team_from_leaving_everybody_out():
    assert load_ruleset("sequential-release").sequential.limits == SeriesLimits(0.2, 0.2, 0.5)


@pytest.mark.parametrize("value", ["-0.1", "1.5", '"0.1"', "true"])
@pytest.mark.parametrize("key", MEASURES)
def test_a_limit_is_a_share(key, value):
    with pytest.raises(ProblemsFound) as refused:
        parse_ruleset(ruleset(f"{key} = {value}"))
    [problem] = refused.value.problems
    assert f"sequential.{key}" in problem.message
    assert "a number from 0 to 1" in problem.message


def test_a_series_beyond_its_limits_is_refused_at_home(
    tables, improved, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    for name, data in {
        "tables.zip": pack(tables),
        "series.zip": improved,
        "S.toml": HOSPITAL_SCHEMA.to_toml().encode(),
        "rules.toml": ruleset("max_deleted = 0").encode(),
    }.items():
        (tmp_path / name).write_bytes(data)
    files = ["--schema", "S.toml", "--tables", "tables.zip", "--series", "series.zip"]
    line = ["sequential", "score", *files, "--json"]

    def told(*options: str) -> tuple[int, list[str]]:
        status = cli.main([*line, *options])
        values = json.loads(capsys.readouterr().out)
        return status, [problem["code"] for problem in values.get("problems", [])]

    assert told() == (0, [])
    refused = (1, ["series.too_many_deleted"])
    assert told("--ruleset", "rules.toml") == refused
    assert told("--max-deleted", "0") == refused
    assert told("--ruleset", "rules.toml", "--max-deleted", "1") == (0, [])
    assert cli.main([*line, "--max-deleted", "1.5"]) == 2
