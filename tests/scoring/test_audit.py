# SPDX-License-Identifier: Apache-2.0
"""The audit: every attacker on one table, and a report that can be handed on."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from scoring.anonymizers import anonymize
from scoring.attacks.replay import Replay
from scoring.audits.audit import audit
from scoring.audits.numbers import percent
from scoring.audits.pictures import records_by_class_size
from scoring.audits.report import FAMILIES, report, verdict
from scoring.cli.main import REJECTED, WRONG_USE, main
from scoring.datasets.households import households
from scoring.evaluate import Options, score
from scoring.registry import ATTACKS, MEASURES
from scoring.rulesets.loader import load_schema
from scoring.tables.reading import write_rows, write_table
from scoring.tables.schema import Column, Kind, Role, Schema

SCHEMA = load_schema("households")
SOME = ["E1", "E3", "EUC2", "gower"]
FEW = ["U1", "S1", "E1", "E3", "EUC2", "entropy-l"]


def drawn(n: int, seed: int):
    return households(n, seed=seed)


@pytest.fixture(scope="module")
def tables():
    original = drawn(120, 1)
    steps = [("mondrian", {"k": 2}), ("sa-noise", {"scale": 0.05})]
    made = anonymize(original, SCHEMA, steps, rng=np.random.default_rng(1))
    return original, made.table, made.source


@pytest.fixture(scope="module")
def full(tables):
    """Everything there is, with strangers to compare with."""
    options = Options(table_columns=("region", "sex"))  # of all columns there are too many cells
    rng = np.random.default_rng(2)
    return audit(*tables, SCHEMA, rng=rng, control=drawn(60, 9), options=options)


def few(tables, seed=2, **changes):
    arguments = {"attacks": SOME, "measures": FEW} | changes
    return audit(*tables, SCHEMA, rng=np.random.default_rng(seed), **arguments)


@pytest.mark.long
def test_every_attacker_and_every_measure_takes_part(full):
    assert {finding.attack.id for finding in full.findings} == set(ATTACKS)
    assert list(full.values) == list(MEASURES)
    assert set(full.disclosures) == {"singling-out", "linkability", "inference"}
    assert 0 <= full.membership.auc <= 1
    assert full.class_sizes.sum() == full.n_anonymized == 120


def test_the_most_harmful_comes_first_and_official_rates_are_the_official_ones(full, tables):
    rates = [finding.rate for finding in full.findings]
    assert rates == sorted(rates, reverse=True)
    assert full.worst is full.findings[0]
    official = score(*tables, SCHEMA)
    for finding in full.findings:
        if finding.attack.id in official:
            assert finding.rate == official[finding.attack.id]
        else:
            assert finding.rate == finding.found.value
        assert 0 <= finding.found.low <= finding.found.value <= finding.found.high <= 1


def test_a_record_is_counted_once_for_each_attacker_that_finds_it(tables):
    found = few(tables)
    assert found.times_found.sum() == sum(f.found.hits for f in found.findings)
    assert found.times_found.max() <= len(SOME)
    alone = few(tables, attacks=["EUC2"])
    original, table, source = tables
    guess = ATTACKS["EUC2"](original, table, SCHEMA, rng=np.random.default_rng(0))
    assert alone.times_found.tolist() == (guess == source).astype(int).tolist()


def test_no_attacker_lives_on_the_order_of_the_file(tables):
    """Where all records are alike, matching in row order would find everybody."""
    original, _, source = tables
    alike = original[list(SCHEMA.public().names)].copy()
    for name in SCHEMA.sensitive_numeric:
        alike[name] = 1
    found = audit(
        original, alike, source, SCHEMA, rng=np.random.default_rng(3), attacks=["E3"], measures=[]
    )
    assert found.worst.found.value < 0.1


def test_inputs_are_unchanged_and_the_same_seed_gives_the_same(tables):
    original, table, source = tables
    before = original.copy(), table.copy(), source.copy()
    first, second = few(tables), few(tables)
    assert first.findings == second.findings
    assert first.times_found.tolist() == second.times_found.tolist()
    assert original.equals(before[0])
    assert table.equals(before[1])
    assert np.array_equal(source, before[2])


def test_progress_counts_every_step(tables):
    seen = []
    few(tables, control=drawn(30, 4), progress=lambda *step: seen.append(step))
    assert [done for done, _, _ in seen] == list(range(len(seen)))
    assert {total for _, total, _ in seen} == {len(seen)}
    assert len(seen) == len(SOME) + len(FEW) + 4


def test_records_are_counted_by_the_size_of_their_class():
    labels, counts = records_by_class_size(np.array([1, 2, 2, 4, 9, 10, 49, 50, 500]))
    assert dict(zip(labels, counts, strict=True)) == {
        "1": 1, "2": 4, "3–4": 4, "5–9": 9, "10–19": 10, "20–49": 49, "50+": 550,
    }  # fmt: skip


def test_the_risks_over_strangers_are_those_of_the_measures(full):
    for name, found in full.disclosures.items():
        assert full.values[name] == round(found.risk.value, 9)


def test_without_scored_columns_there_is_nothing_to_tell_members_by():
    schema = Schema((Column("note", Role.OTHER, Kind.CATEGORY),))
    table = pd.DataFrame({"note": ["a", "b", "c"]})
    control = pd.DataFrame({"note": ["d", "e"]})
    arguments = {"attacks": ["E1"], "measures": ["S1"], "control": control}
    found = audit(table, table, np.arange(3), schema, rng=np.random.default_rng(1), **arguments)
    assert found.membership is None
    assert found.disclosures == {}


# The report


class Page(HTMLParser):
    VOID = ("meta", "br", "img", "link")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.addresses: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        self.addresses += [v or "" for k, v in attributes if k in ("src", "href", "action")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_the_report_names_everything_and_needs_nothing_else(full):
    page = Page(report(full, {"original": "X.csv"}))
    assert page.open == []
    assert "script" not in page.seen
    assert page.seen.count("svg") == 3
    assert all(
        address.startswith(("#", "data:")) for address in page.addresses
    )  # no other file, no network
    assert all(id_ in page.text for id_ in [*ATTACKS, *MEASURES])
    assert verdict(full) in page.text
    assert full.worst.attack.id in verdict(full)
    assert "X.csv" in page.text


def test_a_verdict_of_two_sentences_has_the_gap_of_its_language(full):
    found = replace(full, replay=Replay(("mondrian",), 7, np.arange(3)))
    words = {"%(text)s %(sentence)s": "%(text)s%(sentence)s"}
    said = verdict(found, lambda text: words.get(text, text + "。"))
    assert ".。" in said
    assert "。 " not in said
    assert ". " in verdict(found)


def test_the_report_is_the_same_for_the_same_audit_and_escapes_what_it_is_given(tables):
    found = few(tables)
    text = report(found, {"<b>name</b>": "<script>alert(1)</script>"})
    assert text == report(found, {"<b>name</b>": "<script>alert(1)</script>"})
    assert "<script>" not in text
    assert "&lt;script&gt;" in text


def test_the_report_speaks_the_readers_language(tables, sketched):
    text = report(few(tables), {}, language="ja", translate=lambda s: f"訳{s}")
    assert '<html lang="ja">' in text
    assert "訳Audit of an anonymized table" in text
    assert "訳Smallest equivalence class" in text


def test_shares_have_two_decimals_as_on_the_pages():
    shares = {0.0: "0.00 %", 0.00012: "0.01 %", 0.5: "50.00 %", 0.9996: "99.96 %", 1.0: "100.00 %"}
    assert {share: percent(share) for share in shares} == shares


# The command


@pytest.fixture
def files(tables, tmp_path):
    original, table, source = tables
    paths = {name: tmp_path / f"{name}.csv" for name in ("x", "y", "rows")}
    paths["x"].write_bytes(write_table(original, SCHEMA))
    paths["y"].write_bytes(write_table(table, SCHEMA))
    paths["rows"].write_bytes(write_rows(source))
    return paths


def command(files, *more: str) -> list[str]:
    names = ["--original", files["x"], "--anonymized", files["y"], "--rows", files["rows"], *more]
    return ["audit", *map(str, names)]


def test_the_command_says_who_hurts_most_and_writes_the_report(
    files, tmp_path, capsys, tables, sketched
):
    target = tmp_path / "a.html"
    assert main(command(files, "--attacks", "EUC2, E3", "--report", str(target), "--json")) == 0
    values = json.loads(capsys.readouterr().out)
    assert values["worst"] == "EUC2"
    assert [finding["attack"] for finding in values["attacks"]] == ["EUC2", "E3"]
    assert sum(values["times_found"]) == values["n_anonymized"] == 120
    assert values["measures"]["S1"] == score(*tables, SCHEMA)["S1"]
    text = target.read_text()
    assert "x.csv" in text
    assert str(tmp_path) not in text  # names and digests, no folders


def test_an_unknown_attacker_is_named_and_nothing_is_written(files, tmp_path, capsys):
    target = tmp_path / "a.html"
    assert main(command(files, "--attacks", "EUC2,E9", "--report", str(target))) == WRONG_USE
    assert "E9" in capsys.readouterr().err
    assert not target.exists()


def test_a_control_with_other_columns_is_refused_with_every_problem(files, tmp_path, capsys):
    wrong = tmp_path / "c.csv"
    wrong.write_text("a,b\n1,2\n")
    assert main(command(files, "--control", str(wrong))) == REJECTED
    assert "control" in capsys.readouterr().out


def test_the_report_has_a_heading_for_every_family_of_measures():
    assert set(FAMILIES) == {measure.family for measure in MEASURES.values()}
