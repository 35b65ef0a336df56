# SPDX-License-Identifier: Apache-2.0
"""Seeds of what is published: from the operating system, printed to be kept, and warned of where they are small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scoring.cli.main import main

ANONYMIZE = "anonymize sa-noise --original X.csv --out Y.csv --rows R.csv"
SPLIT = "lecture-split --table X.csv --teams 2 --sample 10 --decoys 5 --out L"
RELEASE = (
    "lecture-release --original L/team1_original.csv --anonymized A.csv --key L/key.csv --team team1 "
    "--out T.csv --key-out K.csv"
)
ASK = "dp ask --table X.csv --columns sex --epsilon 1"
DRAWN = re.compile(r"seed (\d+), of the operating system")


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a command that has to succeed; returns what it says on standard error."""
    monkeypatch.chdir(tmp_path)

    def call(line: str) -> str:
        assert main(line.split()) == 0
        return capsys.readouterr().err

    call("generate households --records 60 --seed 1 --out X.csv")
    return call


def test_without_a_seed_each_table_gets_one_of_128_bits_that_makes_it_again(run):
    seeds, tables = [], []
    for _ in range(2):
        [drawn] = DRAWN.findall(run(ANONYMIZE))
        seeds.append(int(drawn))
        tables.append(Path("Y.csv").read_bytes())
        assert run(f"{ANONYMIZE} --seed {drawn}") == ""
        assert Path("Y.csv").read_bytes() == tables[-1]
    assert seeds[0] != seeds[1]
    assert tables[0] != tables[1]
    assert all(2**64 < seed < 2**128 for seed in seeds)  # above 2^64 but once in 2^64


@pytest.mark.parametrize("seed", [0, 217, 2**32 - 1])
def test_a_small_seed_is_warned_of(run, seed):
    assert f"warning: seed {seed} is below 2^32" in run(f"{ANONYMIZE} --seed {seed}")


@pytest.mark.parametrize("choice", [f"--seed {2**32}", "--seed 217 --reproducible"])
def test_a_large_seed_or_a_reproducible_table_is_not_warned_of(run, choice):
    assert run(f"{ANONYMIZE} {choice}") == ""


def test_what_a_teacher_draws_has_no_small_seed_either(run):
    assert DRAWN.search(run(SPLIT))
    original = "anonymize class-average --aligned --original L/team1_original.csv --out A.csv"
    run(original)
    assert DRAWN.search(run(RELEASE))
    assert "warning: seed 3 is below 2^32" in run(f"{RELEASE} --seed 3")


def test_an_answer_under_differential_privacy_is_secure_or_warned_of(run):
    assert run(ASK) == ""
    assert "warning: seed 1 is below 2^32" in run(f"{ASK} --seed 1")
    assert run(f"{ASK} --seed 1 --reproducible") == ""
