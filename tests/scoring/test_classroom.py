# SPDX-License-Identifier: Apache-2.0
"""The lecture's sample functions: on frames, with deleted records, and files that the platform takes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from scoring import classroom as c
from scoring.classroom.frames import schema_of
from scoring.errors import ProblemsFound
from scoring.tables.aligned import read_aligned
from scoring.tables.schema import Column, Kind, Role, Schema

ROOT = Path(__file__).parents[2]
SCHEMA = Schema(
    (
        Column("age", Role.QUASI_IDENTIFIER, Kind.INTEGER, min=0, max=120),
        Column("city", Role.QUASI_IDENTIFIER, Kind.CATEGORY),
        Column("pay", Role.SENSITIVE, Kind.NUMBER, min=0),
    )
)
KANTO, KINKI = {"depth_1": "Kanto"}, {"depth_1": "Kinki"}
HIERARCHY = {
    "age": {"type": "numeric", "threshold_1": "30"},
    "city": {
        "type": "category",
        "definition": {"東京": KANTO, "埼玉": KANTO, "京都": KINKI, "大阪": KINKI},
    },
}
CSV = "age,city,pay\n21,東京,100\n25,埼玉,200.5\n29,埼玉,150\n38,京都,90\n44,大阪,300\n60,大阪,10\n"
BLANK = CSV.replace("29,埼玉,150", ",,")


@pytest.fixture
def tables(tmp_path):
    """The original, and the same with its third record deleted, as `pandas.read_csv` reads them."""
    found = []
    for name, text in (("x.csv", CSV), ("y.csv", BLANK)):
        (tmp_path / name).write_text(text, encoding="utf-8-sig")
        found.append(pd.read_csv(tmp_path / name, encoding="utf-8-sig"))
    return found


def codes(call, *args, **kwargs):
    with pytest.raises(ProblemsFound) as found:
        call(*args, **kwargs)
    return [problem.code for problem in found.value.problems]


def test_a_hierarchy_is_a_dict_or_a_path(tables, tmp_path):
    path = tmp_path / "attr_depth.json"
    path.write_text(json.dumps(HIERARCHY, ensure_ascii=False), encoding="utf-8")
    for source in (HIERARCHY, path, str(path)):
        found = c.generalize(tables[0], ["age", "city"], 1, source)
        assert found["age"].tolist() == [25, 25, 25, 44, 44, 44]
        assert found["city"].tolist() == ["Kanto"] * 3 + ["Kinki"] * 3
        assert found["pay"].tolist() == tables[0]["pay"].tolist()
    only_city = c.generalize(tables[0], "city", 1, path)
    assert only_city["age"].tolist() == tables[0]["age"].tolist()


def test_no_hierarchy_is_made_up(tables, tmp_path):
    assert codes(c.generalize, tables[0], "age", 1, tmp_path / "none.json") == [
        "hierarchy.unreadable"
    ]
    assert codes(c.generalize, tables[0], "pay", 1, HIERARCHY) == ["option.wrong_value"]
    assert codes(c.generalize, tables[0], "city", 2, HIERARCHY) == ["option.wrong_value"]
    assert codes(c.generalize, tables[0], "none", 1, HIERARCHY) == ["option.wrong_value"]


@pytest.mark.parametrize(
    "method",
    [
        lambda data: c.generalize(data, ["age", "city"], 1, HIERARCHY),
        lambda data: c.remove_rare_records(data, "city", 1),
        lambda data: c.laplace(data, ["age", "pay"], 1.0),
        lambda data: c.randomized_response(data, "city", 1.0),
        lambda data: c.fit_to_rules(
            data, pd.concat([data.iloc[:2], data.iloc[[0]], data.iloc[3:]])
        ),
    ],
)
def test_deleted_records_stay_blank_in_their_places(tables, method):
    before = tables[1].copy()
    found = method(tables[1])
    assert c.is_deleted(found).tolist() == [False, False, True, False, False, False]
    assert list(found.columns) == list(before.columns)
    pd.testing.assert_frame_equal(tables[1], before)


def test_a_partly_empty_record_is_no_deleted_one(tables):
    tables[0].loc[1, "city"] = None
    assert codes(c.laplace, tables[0], "age", 1) == ["cell.empty"]


def test_rare_records_are_blanked(tables):
    found = c.remove_rare_records(tables[1], "city", 2)
    assert c.is_deleted(found).tolist() == [True, True, True, True, False, False]
    assert codes(c.remove_rare_records, tables[0], ["age", "city"], 2) == ["option.wrong_value"]


def test_the_range_is_two_ends_or_the_whole_column(tables):
    column = tables[1]["age"]  # with a missing cell
    found = [
        c.laplace(tables[0], "age", 2.0, given, seed=5)["age"].tolist()
        for given in ([60, 21], (21, 60), column)
    ]
    assert found[0] == found[1] == found[2] != tables[0]["age"].tolist()
    assert codes(c.laplace, tables[0], "age", 1, [30, 30]) == ["option.wrong_value"]
    assert codes(c.laplace, tables[0], "city", 1) == ["option.wrong_value"]
    assert codes(c.laplace, tables[0], "age", 0) == ["option.wrong_value"]


def test_a_seed_is_optional_and_reported(tables):
    for method in (c.laplace, c.randomized_response):
        column = "age" if method is c.laplace else "city"
        first = method(tables[0], column, 0.1)
        assert first.attrs["seed"] >= 2**64
        again = method(tables[0], column, 0.1, seed=first.attrs["seed"])
        pd.testing.assert_frame_equal(first, again)
        assert c.fit_to_rules(first, tables[0]).attrs["seed"] == first.attrs["seed"]


def test_randomized_response_on_text(tables):
    many = pd.concat([tables[0]] * 500, ignore_index=True)
    variation = ["東京", "埼玉", "京都", "大阪", "奈良"]
    found = c.randomized_response(many, "city", np.log(4), variation, seed=7)["city"]
    assert set(found) == set(variation)
    assert (found == many["city"]).mean() == pytest.approx(4 / 8, abs=0.05)
    assert codes(c.randomized_response, tables[0], "city", 1, ["東京"])[0] == "cell.not_in_values"
    assert codes(c.randomized_response, tables[0], "none", 1, ["東京"]) == ["option.wrong_value"]


def test_neighbours_of_deleted_records(tables):
    original, published = tables
    rows, distances = c.nearest_candidates(published, original, ["age"], 2)
    assert rows.tolist() == [[0, 1], [1, 0], [-1, -1], [3, 4], [4, 3], [5, 4]]
    assert np.isinf(distances[2]).all()
    assert distances[1].tolist() == [0, 4]
    assert c.identify(rows, distances).tolist() == [0, 1, -1, 3, 4, 5]
    rows, distances = c.nearest_candidates(
        published, original, ["age", "city"], 1, distance="gower"
    )
    assert rows[:, 0].tolist() == [0, 1, -1, 3, 4, 5]
    assert codes(c.nearest_candidates, published, original, ["age", "city"], 1) == [
        "option.wrong_value"
    ]
    assert codes(c.nearest_candidates, published, original, "age", 7) == ["option.wrong_value"]


def test_rivals_for_a_candidate():
    """Both records are nearest to candidate 4; the second is nearer."""
    rows, distances = [[4, 119, 53], [4, 10, 124]], [[0.2, 0.24, 0.4], [0.01, 0.06, 0.14]]
    assert c.identify(rows, distances, duplicates=True).tolist() == [4, 4]
    assert c.identify(rows, distances).tolist() == [119, 4]


def test_what_fits_the_rules_is_written_as_the_platform_takes_it(tables, tmp_path):
    original, published = tables
    changed = c.laplace(c.generalize(published, ["city"], 1, HIERARCHY), "pay", 0.5, seed=2)
    path = tmp_path / "teamred_anonymized.csv"
    assert "aligned.not_in_original" in codes(c.write_anonymized, path, changed, original)
    assert not path.exists()
    fitted = c.fit_to_rules(changed, original)
    assert set(fitted["pay"].dropna()) <= set(original["pay"])
    assert fitted["city"].tolist()[:2] == ["埼玉", "埼玉"]
    for schema in (None, SCHEMA):
        c.write_anonymized(path, fitted, original, schema)
        data = path.read_bytes()
        assert data.splitlines()[3] == b",,"
        assert b"\r" not in data
        assert not data.startswith(b"\xef\xbb\xbf")
        _records, source = read_aligned(
            data, original=original, schema=SCHEMA, original_values_only=True
        )
        assert source.tolist() == [0, 1, 3, 4, 5]
    assert codes(c.fit_to_rules, changed.iloc[1:], original) == ["option.wrong_value"]


def test_labels_are_written_back_at_random(tables):
    original, published = tables
    recoded = c.generalize(published, ["city"], 1, HIERARCHY)
    found = [c.fit_to_rules(recoded, original, labels="random", seed=s) for s in (1, 1, 2, 3, 4)]
    assert found[0].equals(found[1])
    assert [each.attrs["seed"] for each in found] == [1, 1, 2, 3, 4]
    assert len({tuple(each["city"].dropna()) for each in found}) > 1
    for each in found:
        assert set(each["city"].dropna()) <= set(original["city"])
    assert c.fit_to_rules(recoded, original, labels="random").attrs["seed"] > 2**32
    arguments = (recoded, original, None)
    assert codes(lambda *a: c.fit_to_rules(*a, labels="rare"), *arguments) == ["option.wrong_value"]


def test_a_table_is_read_with_its_blank_records(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(CSV.replace("東京", "NA"), encoding="utf-8")
    whole = c.read_table(path, SCHEMA)
    assert (whole["age"].dtype, whole.loc[0, "city"]) == (np.int64, "NA")
    path.write_text(BLANK, encoding="utf-8")
    assert c.is_deleted(c.read_table(path, SCHEMA)).tolist() == [False, False, True] + [False] * 3
    path.write_text(BLANK.replace("44,", "old,"), encoding="utf-8")
    assert codes(c.read_table, path, SCHEMA) == ["cell.not_a_number"]
    (tmp_path / "s.toml").write_text(SCHEMA.to_toml(), encoding="utf-8-sig")
    assert c.read_schema(tmp_path / "s.toml") == SCHEMA


def test_an_attack_file_that_the_platform_would_refuse_is_not_written(tables, tmp_path):
    path = tmp_path / "teamred_attack_teamblue.csv"
    assert codes(c.write_attack, path, [0, 6], tables[0]) == ["candidate.too_large"]
    assert not path.exists()
    c.write_attack(path, [5, -1], tables[0])
    assert path.read_bytes() == b"6\n0\n"


def test_the_score_is_that_of_the_platform():
    """The lecture's hand-computed example: LOSS 5/12."""
    original = pd.DataFrame({"age": [20, 30, 40, 50], "city": ["A", "A", "B", "B"]})
    anonymized = pd.DataFrame({"age": [20, 40, 40, None], "city": ["A", "A", "A", None]})
    found = c.score(anonymized, original, schema_of(original))
    assert found["LOSS"] == pytest.approx(5 / 12)
    assert found["utility"] == pytest.approx(58.333333333)
    assert found["U6"] == 1


PORTABLE = """
import importlib, pkgutil, sys
POSIX = ("fcntl", "grp", "posix_ipc", "pty", "pwd", "resource", "spwd", "syslog", "termios", "tty")
import os
for name in ("fork", "forkpty", "getuid", "geteuid", "getpgid", "setsid", "killpg", "mkfifo"):
    delattr(os, name)
import signal
for name in ("SIGALRM", "SIGHUP", "SIGKILL", "SIGUSR1", "alarm", "setitimer"):
    delattr(signal, name)
import numba, pandas  # which may look for them
for name in POSIX:
    sys.modules[name] = None
import scoring
found = [m.name for m in pkgutil.walk_packages(scoring.__path__, "scoring.")]
for name in found:
    if name.rpartition(".")[2] != "__main__":
        importlib.import_module(name)
print(len(found))
"""


def test_no_module_needs_what_windows_lacks():
    done = subprocess.run(
        [sys.executable, "-c", PORTABLE], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 300
