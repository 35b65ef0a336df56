# SPDX-License-Identifier: Apache-2.0
"""The audit of a series: the risks under every definition, and a report that can be handed on."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from scoring.audits import effort, series_regions
from scoring.audits.effort import plan
from scoring.audits.series import audit_series
from scoring.audits.series_report import report
from scoring.audits.series_summary import summary
from scoring.audits.series_texts import ATTACKERS, DEFINITIONS, not_found
from scoring.cli.main import REJECTED, WRONG_USE, main
from scoring.cli.sequential.command import SCORED
from scoring.datasets.hospital import HOSPITAL_SCHEMA, hospital
from scoring.formats.sequential import pictures
from scoring.formats.sequential.bundles import pack
from scoring.formats.sequential.examples import SMALL
from scoring.formats.sequential.files import read_microdata
from scoring.formats.sequential.publishing import Options, publish
from scoring.formats.sequential.risk import Definition, identification_risks
from scoring.formats.sequential.scored import heeding
from scoring.formats.sequential.scores import score_series
from scoring.formats.sequential.series import handed_in, of_publication
from scoring.formats.sequential.series_files import read_series
from scoring.tables.reading import write_table

N_RECORDS = 12


def made(microdata, m=2, **options):
    series = of_publication(publish(microdata, Options(m=m, **options)))
    return audit_series(microdata, series, m=m, definition="counting")


def hospital_of(n_records):
    """Three tables of a synthetic hospital."""
    tables = [write_table(t, HOSPITAL_SCHEMA) for t in hospital(n_records, 3, seed=4)]
    return read_microdata(tables, HOSPITAL_SCHEMA)


@pytest.fixture(scope="module")
def patients():
    """So few that all possible worlds can be counted."""
    return hospital_of(N_RECORDS)


@pytest.fixture(scope="module")
def crowd():
    """So many that possible worlds are sampled."""
    return hospital_of(2 * N_RECORDS)


@pytest.fixture(scope="module")
def found(patients):
    return made(patients)


@pytest.fixture(scope="module")
def page(found):
    """The whole report."""
    return Page(report(found, {"series": "S.zip"}))


@pytest.fixture(scope="module")
def small():
    return made(SMALL)


# What is found


def test_bob_is_found_as_in_the_paper_under_all_definitions(small):
    """Section 4.2 has 2/3, 3/5, 2/3 and 1/2 for the person of the largest risk."""
    bob = SMALL.ids.index("Bob")
    risks = [finding.last.values[bob] for finding in small.findings]
    no_column = [name for name in Definition if name is not Definition.LAST]
    assert [finding.definition for finding in small.findings] == no_column
    assert risks == pytest.approx([2 / 3, 3 / 5, 2 / 3, 1 / 2])
    told = summary(small)["people"][0]
    assert (told["id"], told["pinned_by"]) == ("Bob", [1, 2])
    assert told["over_time"] == pytest.approx([1 / 2, 2 / 3])


def test_the_column_last_is_read_where_it_names_groups_of_the_release_before():
    """Tables 14 and 15 leave 8 possible worlds, and Bob is at 1/2 again."""
    audit = made(SMALL, method="last", where="overlaps")
    found = {finding.definition: finding.last for finding in audit.findings}
    bob = SMALL.ids.index("Bob")
    assert (found[Definition.LAST].worlds, found[Definition.LAST].values[bob]) == (8, 1 / 2)
    assert (found[Definition.WORLDS].worlds, found[Definition.WORLDS].values[bob]) == (10, 3 / 5)
    first, second = audit.series.releases
    wrong = replace(second, last=np.full(len(second.group), 7))
    lying = audit_series(
        SMALL, replace(audit.series, releases=(first, wrong)), m=2, definition="counting"
    )
    assert Definition.LAST not in [finding.definition for finding in lying.findings]


@pytest.mark.parametrize("definition", SCORED)
def test_the_risks_of_the_contests_definition_are_its_measures(patients, definition):
    series = of_publication(publish(patients, Options(m=2)))
    audit = audit_series(patients, series, m=2, definition=definition)
    score = score_series(patients, series, m=2, definition=definition)
    risks = summary(audit)
    chosen = next(f for f in risks["findings"] if f["definition"] == risks["definition"])
    last = chosen["after"][-1]
    assert risks["definition"] == heeding(Definition(definition), series)
    assert last["max"] == pytest.approx(score["series-risk-max"], abs=1e-9)
    assert last["mean"] == pytest.approx(score["series-risk-mean"], abs=1e-9)
    assert last["n_above"] / last["n_people"] == pytest.approx(score["series-risk-share"], abs=1e-9)


def test_losses_of_the_releases_add_up_to_the_measures(patients):
    audit = made(patients, method="improved")
    score = score_series(patients, audit.series, m=2, definition="counting")
    n_tuples = score["n_tuples"]
    counterfeits = sum(loss.n_counterfeits for loss in audit.losses)
    published = sum(loss.n_records for loss in audit.losses)
    extent = sum(loss.extent * loss.n_records for loss in audit.losses) + n_tuples - published
    assert score["series-counterfeits"] == pytest.approx(counterfeits / n_tuples, abs=1e-9)
    assert score["series-deletions"] == pytest.approx(1 - published / n_tuples, abs=1e-9)
    assert score["series-extent"] == pytest.approx(extent / n_tuples, abs=1e-9)


def test_who_has_not_come_yet_has_no_risk_and_a_risk_over_time_is_that_of_fewer_releases(patients):
    audit = made(patients)
    counting = audit.findings[0]
    for n, risks in enumerate(counting.history, start=1):
        alone = identification_risks(
            patients, audit.series.releases[:n], Definition.COUNTING, rng=np.random.default_rng(1)
        )
        come = np.unique(np.concatenate([s.ids for s in patients.snapshots[:n]]))
        assert np.flatnonzero(~np.isnan(risks.values)).tolist() == come.tolist()
        assert risks.values[come] == pytest.approx(np.nan_to_num(alone.values[come]))


def test_nothing_is_known_of_counterfeits_or_of_invariance_where_there_is_none(patients):
    audit = made(patients)
    untold = replace(audit.series, knows_counterfeits=False)
    silent = audit_series(patients, untold, m=2, definition="worlds-counterfeit-known")
    assert silent.definition is Definition.WORLDS
    names = [title for title, _reason in not_found(summary(silent), str)]
    assert names == ["Possible worlds, counterfeits known", "Possible worlds, the column last read"]

    signatures = handed_in(audit.series, "patient")
    alone = [publish(replace(patients, snapshots=(s,)), Options(m=2)) for s in patients.snapshots]
    files = {
        f"R{n}.csv": handed_in(of_publication(one), "patient")["R1.csv"]
        for n, one in enumerate(alone, start=1)
    }
    assert files["R2.csv"] != signatures["R2.csv"]
    series = read_series(pack(files), patients, "patient", m=2)
    variant = audit_series(patients, series, m=2, definition="counting")
    assert not variant.is_m_invariant
    assert Definition.M_INVARIANCE not in {f.definition for f in variant.findings}
    asked = audit_series(patients, series, m=2, definition="m-invariance")
    assert asked.definition is Definition.M_INVARIANCE


def test_regions_that_were_cut_leave_row_counting_to_stand_in(crowd):
    audit = made(crowd, method="improved")
    assert sum(loss.n_tampered for loss in audit.losses) > 0
    for finding in audit.findings:
        published = np.unique(np.concatenate([s.ids for s in audit.series.microdata.snapshots]))
        assert not np.isnan(finding.last.values[published]).any()


def test_attackers_are_those_of_the_library(found):
    assert [attacker.name for attacker in found.attackers] == list(ATTACKERS)
    baseline, intersection = found.attackers
    counted = min(baseline.found.hits, found.n_people // found.m)
    for attacker in (baseline, intersection):
        gain = (attacker.found.hits - counted) / found.n_people
        assert attacker.rate == pytest.approx(max(0.0, gain), abs=1e-9)


def test_the_same_files_give_the_same_numbers(patients, found):
    assert json.dumps(summary(made(patients))) == json.dumps(summary(found))


def test_progress_tells_every_step_and_all_of_them_once(patients):
    seen = []
    series = of_publication(publish(patients, Options(m=2)))
    untold = replace(series, knows_counterfeits=False)
    audit_series(patients, untold, m=2, definition="counting", progress=lambda *s: seen.append(s))
    assert [done for done, _n, _name in seen] == list(range(len(seen)))
    assert {n for _done, n, _name in seen} == {len(seen)}
    assert all(len(name) <= 40 for _done, _n, name in seen)  # what a column of the platform holds
    assert seen[-1][2] == "m-invariance 3"


# Bounds


def test_fewer_possible_worlds_are_looked_at_of_more_records_and_at_last_none(crowd, monkeypatch):
    series = of_publication(publish(crowd, Options(m=2)))
    full = plan(crowd, series.releases, Definition.WORLDS)
    assert full.effort.n_samples == effort.SAMPLES[0]
    assert full.is_over_time
    monkeypatch.setattr(effort, "MOST_WORK", 20_000)
    monkeypatch.setattr(effort, "MOST_WORK_OVER_TIME", 20_000)
    less = plan(crowd, series.releases, Definition.WORLDS)
    assert less.effort.n_samples < full.effort.n_samples
    assert not less.is_over_time
    monkeypatch.setattr(effort, "MOST_WORK", 10)
    assert plan(crowd, series.releases, Definition.WORLDS).effort is None
    assert plan(crowd, series.releases, Definition.COUNTING) == full


@pytest.mark.parametrize(("bound", "value"), [("MOST_WORK", 10), ("MOST_PLACES", 10)])
def test_what_takes_too_long_is_left_out_and_said(crowd, monkeypatch, bound, value, sketched):
    monkeypatch.setattr(effort, bound, value)
    audit = audit_series(
        crowd, of_publication(publish(crowd, Options(m=2))), m=2, definition="worlds"
    )
    assert audit.definition is Definition.COUNTING
    told = not_found(summary(audit), str)
    assert [title for title, _reason in told] == [
        title for name, (title, _text) in DEFINITIONS.items() if name != "counting"
    ]
    assert "there are too many records" in Page(report(audit, {})).text


def test_risks_after_the_last_release_only_have_no_history(patients, monkeypatch, sketched):
    monkeypatch.setattr(effort, "MOST_WORK_OVER_TIME", 0)
    series = of_publication(publish(patients, Options(m=2)))
    audit = audit_series(patients, series, m=2, definition="worlds")
    told = summary(audit)
    assert {len(f["after"]) for f in told["findings"]} == {1, 3}  # row counting has all
    assert all(person["over_time"] == [] for person in told["people"])
    assert all(person["pinned_by"] == [] for person in told["people"])
    text = Page(report(audit, {})).text
    assert "Only after the last release" in text
    assert "pinned down by" not in text


# The report


class Page(HTMLParser):
    VOID = ("meta", "br", "img", "link")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.seen: list[str] = []
        self.addresses: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.handle_startendtag(tag, attributes)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append(tag)
        self.ids += [v for k, v in attributes if k == "id"]
        self.addresses += [v or "" for k, v in attributes if k in ("src", "href", "action")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_the_report_has_every_part_and_needs_nothing_else(found, page):
    assert page.open == []
    assert "script" not in page.seen
    assert all(address.startswith(("#", "data:")) for address in page.addresses)
    assert len(page.ids) == len(set(page.ids))
    assert page.seen.count("svg") == len(found.findings) + 1 + found.n_releases - 1
    assert all(title in page.text for title, _text in DEFINITIONS.values())
    assert all(title in page.text for title in ATTACKERS.values())
    assert summary(found)["people"][0]["id"] in page.text
    assert "S.zip" in page.text


def test_regions_that_are_too_many_to_be_distinguished_are_not_drawn(found, monkeypatch, sketched):
    monkeypatch.setattr(pictures, "MOST_DRAWN", 1)
    page = Page(report(found, {}))
    assert page.seen.count("svg") == len(found.findings) + 1
    assert "Not drawn, with more than 1 groups in a release: R1–R2, R2–R3." in page.text


def test_of_many_releases_the_last_pairs_are_drawn(found, monkeypatch, sketched):
    monkeypatch.setattr(series_regions, "MOST_PAIRS", 1)
    page = Page(report(found, {}))
    assert page.seen.count("svg") == len(found.findings) + 2
    assert "The last 1 pairs are drawn." in page.text
    assert "R2 with solid and R3 with broken lines" in page.text


def test_the_report_escapes_and_speaks_the_readers_language(found, sketched):
    text = report(
        found, {"<b>": "<script>alert(1)</script>"}, language="ja", translate=lambda s: f"訳{s}"
    )
    assert "<script>" not in text
    assert '<html lang="ja">' in text
    for said in (
        "訳Audit of a series of releases",
        "訳Row counting",
        "訳largest",
        "訳exact",
        ">訳risk<",
    ):
        assert said in text


def test_one_table_only_has_neither_time_nor_pairs(sketched):
    alone = replace(SMALL, snapshots=SMALL.snapshots[:1])
    audit = made(alone)
    page = Page(report(audit, {}))
    assert page.seen.count("svg") == len(audit.findings)
    assert "Risk over time" not in page.text
    assert "Generalized regions of consecutive releases" not in page.text


# The command


@pytest.fixture
def files(tmp_path, patients):
    tables = [write_table(t, HOSPITAL_SCHEMA) for t in hospital(N_RECORDS, 3, seed=4)]
    for n, data in enumerate(tables, start=1):
        (tmp_path / f"T{n}.csv").write_bytes(data)
    (tmp_path / "S.toml").write_text(HOSPITAL_SCHEMA.to_toml())
    series = of_publication(publish(patients, Options(m=2)))
    identifier = next(c.name for c in HOSPITAL_SCHEMA.columns if c.role == "identifier")
    (tmp_path / "series.zip").write_bytes(pack(handed_in(series, identifier)))
    return tmp_path


def run(files, *more):
    tables = [str(files / f"T{n}.csv") for n in (1, 2, 3)]
    asked = ["--schema", str(files / "S.toml"), "--series", str(files / "series.zip"), "--m", "2"]
    return main(["sequential", "audit", *asked, "--tables", *tables, *more])


def test_the_command_writes_the_report_and_tells_what_the_library_finds(
    files, found, capsys, sketched
):
    names = [attribute.name for attribute in found.original.attributes]
    asked = ("--out", str(files / "a.html"), "--attributes", f"{names[1]},{names[0]}")
    assert run(files, *asked, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told.pop("report") == str(files / "a.html")
    assert told == json.loads(json.dumps(summary(found)))
    page = Page((files / "a.html").read_text())
    assert "SHA-256" in page.text
    assert f"by {names[1]} and {names[0]}" in page.text


def test_the_command_says_most_of_it_in_the_terminal(files, capsys):
    assert run(files) == 0
    text = capsys.readouterr().out
    assert "Row counting: the largest risk is" in text
    assert all(title in text for title, _text in DEFINITIONS.values())


def test_only_two_attributes_of_the_table_can_be_drawn(files, capsys):
    assert run(files, "--attributes", "nothing,here") == WRONG_USE
    assert "--attributes: expected two of" in capsys.readouterr().err


def test_a_series_that_breaks_the_rules_is_rejected_and_no_report_is_written(files, capsys):
    assert run(files, "--out", str(files / "a.html"), "--m", "9") == REJECTED
    assert "is too small" in capsys.readouterr().out
    assert not (files / "a.html").exists()


def test_no_file_that_is_read_is_written_over(files, capsys):
    before = (files / "series.zip").read_bytes()
    assert run(files, "--out", str(files / "series.zip")) == WRONG_USE
    assert "--series" in capsys.readouterr().err
    assert (files / "series.zip").read_bytes() == before
