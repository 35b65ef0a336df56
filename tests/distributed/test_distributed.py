# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL, Redis and several workers: whatever is killed, lost or doubled, every submission is scored once."""

from __future__ import annotations

import base64
import json
import signal
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import psycopg
import pytest
import redis

from tests import services
from tests.distributed.site import Site, send_group

pytestmark = [
    pytest.mark.timeout(3 * services.START_SECONDS),
]

ONCE = {"state": "scored", "evaluations": 1, "scored": 1}


@pytest.fixture(scope="module")
def servers(postgresql) -> Iterator[SimpleNamespace]:
    redis = services.Redis()
    yield SimpleNamespace(postgresql=postgresql, redis=redis)
    redis.kill()


@pytest.fixture(scope="module")
def site(servers, tmp_path_factory) -> Iterator[Site]:
    """The site with its beat and two workers, a and b."""
    folder = tmp_path_factory.mktemp("site")
    site = Site(folder, DATABASE_URL=servers.postgresql.url, REDIS_URL=servers.redis.url)
    try:
        site.beat()
        site.workers = {name: site.worker(name) for name in ("a", "b")}
        site.do("set_up")
        for name in site.workers:
            site.wait_for_worker(name)
        yield site
    finally:
        site.stop()


@contextmanager
def stopped(process) -> Iterator[None]:
    send_group(process, signal.SIGSTOP)
    try:
        yield
    finally:
        send_group(process, signal.SIGCONT)


def outcome(site, keys) -> list[dict]:
    return [{key: row[key] for key in ONCE} for row in site.do("rows", keys=keys)]


def test_a_killed_worker_a_lost_broker_and_doubled_messages(site, servers):
    doomed = site.worker("doomed")
    site.wait_for_worker("doomed")
    with site.held():
        keys = site.do("submit", n=30, note="0.5")["keys"]
        site.do("duplicate")
        site.wait_for(keys, "running", at_least=6)
        doomed.kill()  # in the middle of two, while the others are in the middle of four
    site.wait_for(keys, "scored", at_least=4)
    servers.redis.flush()
    site.wait_for(keys, "scored", at_least=8)
    servers.redis.kill()
    servers.redis.start()
    site.do("duplicate", times=1)

    site.wait_for(keys, "scored")
    time.sleep(1)  # what is still on its way must not score anything again
    assert outcome(site, keys) == [ONCE] * 30
    assert [row["attempts"] for row in site.do("rows", keys=keys)].count(2) in (1, 2)
    assert doomed.wait(services.START_SECONDS) == -signal.SIGKILL
    assert all(process.poll() is None for process in site.workers.values())


def test_workers_keep_their_connections_to_the_database(site, servers):
    def n_made() -> int:
        with psycopg.connect(servers.postgresql.url, autocommit=True) as connection:
            (n,) = connection.execute("SELECT sum(sessions) FROM pg_stat_database").fetchone()
        return int(n)

    site.wait_until_all_work()
    before = n_made()
    site.wait_for(site.do("submit", n=20)["keys"], "scored")
    time.sleep(1.5)  # the server counts a little later
    assert n_made() - before < 20


def test_uploads_of_teams_share_a_round_which_publishing_holds_alone(site, servers):
    publishing, outcome = psycopg.connect(servers.postgresql.url), []

    def submit() -> threading.Thread:
        thread = threading.Thread(target=lambda: outcome.append(site.do("submit")))
        thread.start()
        return thread

    def n_waiting() -> int:
        with psycopg.connect(servers.postgresql.url) as connection:
            found = connection.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            return found.fetchone()[0]

    with publishing:
        publishing.execute("SELECT FROM contests_round FOR SHARE")
        submit().join(services.START_SECONDS)
        assert len(outcome) == 1
    publishing = psycopg.connect(servers.postgresql.url)
    with publishing:
        publishing.execute("SELECT FROM contests_round FOR NO KEY UPDATE")
        upload = submit()
        services.wait_until(lambda: n_waiting() > 0, "the upload waits")
        assert len(outcome) == 1
    upload.join(services.START_SECONDS)
    assert len(outcome) == 2


def test_who_stands_still_in_a_transaction_keeps_no_upload_waiting(site):
    site.do("stand_still")
    (key,) = site.do("submit")["keys"]
    site.wait_for([key], "scored")


def test_a_worker_that_wakes_after_its_lease_is_refused(site):
    a, b = site.workers.values()
    with stopped(a), site.held():
        with stopped(b):
            (key,) = site.do("submit")["keys"]
        site.wait_for([key], "running")
        send_group(b, signal.SIGSTOP)
    site.wait_for([key], "scored")
    assert site.do("rows", keys=[key])[0]["fence"] == 2

    send_group(b, signal.SIGCONT)
    services.wait_until(lambda: "late result" in site.log("b"), "the late result is refused")
    assert outcome(site, [key]) == [ONCE]
    assert site.do("rows", keys=[key])[0]["fence"] == 2


def test_what_takes_too_long_is_tried_again_and_fails_and_the_worker_goes_on(site):
    a, b = site.workers.values()
    hasty = site.worker("hasty", SCORING_TIME_LIMIT="8")  # within which a first score is made
    site.wait_for_worker("hasty")
    with stopped(a), stopped(b):
        stuck = site.do("submit", n=2, note="1000")["keys"]
        (quick,) = site.do("submit")["keys"]
        site.wait_for(stuck, "failed")
        site.wait_for([quick], "scored")
        rows = site.do("rows", keys=stuck)
        assert [row["attempts"] for row in rows] == [3, 3]
        assert all(f"[{row['reference']}]" in site.log("hasty") for row in rows)
        assert hasty.poll() is None
        send_group(hasty, signal.SIGKILL)


MALFORMED = [
    b"\xff\xfe garbage",
    b"not json",
    b"[]",
    b"42",
    b"{}",
    b'{"properties": {}}',
    b'{"properties": {"delivery_tag": "t"}}',
    b'{"properties": {"delivery_tag": "t", "delivery_info": {}}, "headers": 7}',
]


def message(**changed) -> bytes:
    """A message as Celery sends it, but for what is changed of it."""
    made = {
        "body": base64.b64encode(b'[["submissions.submission", 1], {}, {}]').decode(),
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": {
            "lang": "py",
            "task": "pwscup.run_job",
            "id": "1",
            "root_id": "1",
        },
        "properties": {
            "correlation_id": "1",
            "delivery_mode": 2,
            "delivery_info": {"exchange": "", "routing_key": "scoring"},
            "priority": 0,
            "body_encoding": "base64",
            "delivery_tag": str(uuid.uuid4()),
        },
    }
    return json.dumps(made | changed).encode()


def test_malformed_messages_end_no_worker_and_hold_no_place(site, servers):
    """More of them than a worker may hold at once."""
    headers = {"lang": "py", "task": "pwscup.run_job", "id": "1", "root_id": "1"}
    wrong = [
        *MALFORMED,
        message(body="%%%"),
        message(body=base64.b64encode(b"\xff").decode()),
        message(body=base64.b64encode(b"{").decode()),
        message(body=base64.b64encode(b'[["x"], {}, {}]').decode()),
        message(body=base64.b64encode(b'[["x", 1], {}, {}]').decode()),
        message(body=base64.b64encode(b'[["accounts.user", 1], {}, {}]').decode()),
        message(body=base64.b64encode(b'[["submissions.submission", "x"], {}, {}]').decode()),
        message(headers=headers | {"task": "pwscup.submissions.tasks.score"}),
        message(body=base64.b64encode(b"[[], {}, {}]").decode()),
        message(body=base64.b64encode(b"7").decode()),
        message(**{"content-type": "application/x-python-serialize"}),
        message(**{"content-type": "text/nothing", "content-encoding": "no-such"}),
        message(headers=headers | {"task": "no.such.task"}),
        message(headers=headers | {"task": ["score"]}),
        message(headers={"task": headers["task"]}),
        message(headers=headers | {"eta": "tomorrow"}),
        message(headers=headers | {"eta": 7, "expires": [1], "retries": "x", "timelimit": "long"}),
        message(headers=None),
    ]
    with redis.Redis.from_url(servers.redis.url) as client:
        for _ in range(2):
            for raw in wrong:
                client.lpush("scoring", raw)
        services.wait_until(lambda: client.llen("scoring") == 0, "all of them are taken")
    keys = site.do("submit", n=8)["keys"]
    site.wait_for(keys, "scored")
    assert outcome(site, keys) == [ONCE] * 8
    assert all(process.poll() is None for process in site.workers.values())
    site.wait_until_all_work()


def test_an_upload_does_not_wait_until_the_broker_is_back_and_is_not_lost(site, servers):
    with stopped(servers.redis.process):
        silent = site.do("submit")  # answered while the broker still stands
    servers.redis.kill()
    absent = site.do("submit")
    servers.redis.start()

    keys = silent["keys"] + absent["keys"]
    site.wait_for(keys, "scored")
    assert outcome(site, keys) == [ONCE] * 2


def test_of_many_uploads_at_once_with_one_try_left_one_is_taken(site):
    for _ in range(3):
        assert site.do("race", n=6) == {"taken": 1, "tries.none_left": 5}


def test_workers_that_finish_while_the_broker_is_away_take_work_again(site, servers):
    """Their acknowledgements fail, and each of them held a place of the prefetch limit."""
    a, b = site.workers.values()
    site.wait_until_all_work()
    with site.held():
        keys = site.do("submit", n=4)["keys"]
        site.wait_for(keys, "running")
        servers.redis.kill()
    site.wait_for(keys, "scored")
    services.wait_until(
        lambda: all("Couldn't ack" in site.log(name) for name in site.workers),
        "the acknowledgements fail",
    )
    servers.redis.start()
    (late,) = site.do("submit")["keys"]
    site.wait_for([late], "scored")
    assert outcome(site, [*keys, late]) == [ONCE] * 5
    assert a.poll() is None
    assert b.poll() is None
