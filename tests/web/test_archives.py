"""A contest as one file: what is in it, what is not, and that another installation makes the same of it."""

from __future__ import annotations

import random

import pytest

from pwscup.archives import tasks
from tests.web import archives


@pytest.fixture(autouse=True)
def waits(monkeypatch, sent) -> None:
    """The broker is told of nothing: the test works."""
    from pwscup.rescores import tasks as rescore_tasks

    monkeypatch.setattr(tasks, "send_write", lambda archive_id: None)
    monkeypatch.setattr(tasks, "send_read", lambda import_id: None)
    monkeypatch.setattr(rescore_tasks, "send_run", lambda rescore_id: None)


@pytest.mark.parametrize("format", archives.PLAYED)
@pytest.mark.parametrize("seed", [1, 2])
def test_round_trip(cast, format, seed):
    contest = archives.PLAYED[format](cast, random.Random(seed))
    first = archives.bytes_of(archives.written(contest, cast.oscar))
    job = archives.imported(cast.oscar, first)
    assert job.problems == []
    assert (job.state, job.differences) == ("done", [])
