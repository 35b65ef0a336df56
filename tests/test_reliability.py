# SPDX-License-Identifier: Apache-2.0
"""`make load` and `make chaos`: the page has a row for all they know, and each runs with tiny sizes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from benchmarks.reliability import chaos, client, document, load, processes, scenarios
from benchmarks.reliability.faults import FAULTS
from benchmarks.reliability.installation import MODES, ROOT

PAGE = document.PAGE.read_text(encoding="utf-8")


def test_every_scenario_has_a_row_and_every_row_a_scenario():
    assert {row.scenario for row in load.ROWS.values()} == set(scenarios.SCENARIOS)


def test_the_page_has_a_row_for_all_that_is_measured():
    assert list(document.rows_of(PAGE, "load")) == [row.what for row in load.ROWS.values()]
    known = document.rows_of(PAGE, "load")
    assert [known[row.what][:2] for row in load.ROWS.values()] == [
        [row.before, row.reach] for row in load.ROWS.values()
    ]


@pytest.mark.parametrize("mode", MODES)
def test_the_page_has_a_row_for_every_fault(mode):
    titles = [fault.title for fault in FAULTS.values() if mode in fault.modes]
    assert list(document.rows_of(PAGE, f"chaos {mode}")) == [*titles, chaos.TOTAL]


def test_rows_that_were_not_measured_stay():
    known = {load.ROWS["burst"].what: ["before", "reach", "old", "old"]}
    made = load.table(known, {"embedded": {"burst": "new"}})
    assert made[load.ROWS["burst"].what][2:] == ["new", "old"]
    assert made[load.ROWS["rush"].what][2:] == [document.NOT_MEASURED] * 2
    page = "a\n<!-- load: x -->\nold\n<!-- end load -->\nb"
    page = document.written(page, "load", load.HEAD, made, "Measured.")
    assert document.rows_of(page, "load") == made
    assert page.startswith("a\n")
    assert page.endswith("Measured.\n<!-- end load -->\nb")


def test_processor_time_of_a_tree():
    assert os.getpid() in processes.tree(os.getpid())
    assert processes.cpu_seconds([os.getpid()]) > 0
    assert processes.cpu_seconds([2**30]) == 0


def test_words_for_times():
    assert scenarios.spans([0.001, 0.002, 2.0]) == "p50 2 ms, p99 2.0 s"
    assert scenarios.spans([]) == "p50 no answer, p99 no answer"
    assert scenarios.size(2_800_000) == "2.8 MB"


def test_hidden_fields_are_those_of_the_upload_form():
    page = (
        b'<form><input type="hidden" name="next" value="/"></form>'
        b'<form method="post" enctype="multipart/form-data">'
        b'<input type="hidden" name="csrfmiddlewaretoken" value="t">'
        b'<input type="hidden" name="nonce" value="n1"></form>'
    )
    assert client.hidden_fields(page) == {"nonce": "n1"}


def row(place: str, note: str, state: str = "scored", values: int = 7, n: int = 1, events: int = 1):
    return {"id": place, "note": note, "state": state, "values": [values] * n, "events": events}


def test_what_became_of_submissions_is_counted():
    siege = chaos.Siege(SimpleNamespace(mode="embedded"), [FAULTS["web"]], 10, seed=1)
    places = ["fine", "gone", "twice", "wrong", "double", "waits", "failed", None]
    siege.sent = {"web": [chaos.Sent(f"t{i}", 0, place) for i, place in enumerate(places)]}
    siege.outcomes = {"web": chaos.Outcome()}
    rows = [
        row("fine", "0 t0"),
        row("twice", "2.5 t2"),
        row("again", "2.5 t2"),
        row("wrong", "0 t3", values=8),
        row("double", "0 t4", n=2, events=2),
        row("waits", "0 t5", "waiting", n=0, events=0),
        row("failed", "0 t6", "failed", n=0, events=0),
    ]
    siege._compare(rows, [7])
    found = siege.outcomes["web"]
    assert (found.sent, found.accepted, found.lost, found.doubled) == (8, 7, 1, 1)
    assert (found.wrong, found.stuck, found.failed) == (2, 1, 1)
    assert chaos.together({"a": found, "b": found}).accepted == 14


@pytest.mark.long
def test_a_burst_and_polls_of_a_small_installation(tmp_path):
    path = tmp_path / "load.json"
    given = ["burst", "polls", "--small", "--mode", "embedded", "--json", str(path)]
    assert load.main(given) == 0
    found = json.loads(path.read_text())["embedded"]
    assert found["burst"].startswith("0 of 5 refused as late; stamped")
    assert "304" in found["polls"]


@pytest.mark.long
def test_a_killed_web_server_of_a_small_installation(tmp_path, monkeypatch):
    monkeypatch.setattr(chaos, "AFTER_SECONDS", 1)
    path = tmp_path / "chaos.json"
    given = ["web", "--submissions", "6", "--mode", "embedded", "--json", str(path)]
    assert chaos.main(given) == 0
    found = json.loads(path.read_text())["embedded"]["web"]
    assert found["accepted"] == found["sent"] == 7  # and the probe
    assert found["recovery"] < chaos.RECOVERY_SECONDS


def test_a_wrong_clock_keeps_no_worker_from_loading_what_it_needs():
    program = (
        "import datetime, time, pandas; print(time.time(), datetime.datetime.now().timestamp())"
    )
    clock = ROOT / "benchmarks/reliability/clock"
    env = os.environ | {"PYTHONPATH": str(clock), "CLOCK_OFFSET": "-3600"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True
    )
    assert [round((time.time() - float(said)) / 60) for said in done.stdout.split()] == [60, 60]
