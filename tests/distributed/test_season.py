# SPDX-License-Identifier: Apache-2.0
"""A whole contest through the API of a running installation, embedded and with PostgreSQL and Redis."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests import services
from tests.database import copy_migrated
from tests.season.pages import Browser, Pages, Remote
from tests.season.programs import Caller, Programs, over_http
from tests.season.story import PEOPLE, PLANS, play
from tests.up import Up

pytestmark = [pytest.mark.long, pytest.mark.timeout(3 * services.START_SECONDS)]
QUICK = {"SWEEP_SECONDS": "2", "UPLOAD_GRACE_SECONDS": "0"}
STOP_SECONDS = 180


@pytest.fixture(scope="module", params=["embedded", "distributed"])
def site(request, tmp_path_factory) -> Iterator[Up]:
    """`manage.py up` over its own broker and SQLite, or over servers."""
    up = Up(tmp_path_factory.mktemp(request.param), **QUICK)
    redis = None
    if request.param == "embedded":
        up.data.mkdir()
        copy_migrated(up.data / "pwscup.sqlite3")
    else:
        postgresql, redis = request.getfixturevalue("postgresql"), services.Redis()
        up.env |= {
            "DATABASE_URL": postgresql.url,
            "REDIS_URL": redis.url,
            "CACHE_URL": f"rediscache://127.0.0.1:{redis.port}/1",
        }
    try:
        up.start()
        yield up
    finally:
        stop(up)
        if redis is not None:
            redis.kill()


def stop(up: Up) -> None:
    if up.process is None or up.process.poll() is not None:
        return
    up.process.send_signal(signal.SIGINT)
    try:
        up.process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        up.process.kill()
        up.process.wait()


@pytest.fixture(scope="module")
def people(site) -> dict[str, tuple[str, str]]:
    """The token and the session of everybody."""
    call = "from tests.season import accounts; accounts.admit()"
    words = [line.split() for line in site.manage("shell", "-c", call).splitlines()]
    found = {word[1]: (word[2], word[3]) for word in words if word[:1] == ["person"]}
    assert set(found) == set(PEOPLE)
    return found


@pytest.mark.parametrize("name", PLANS)
def test_a_contest_by_program_has_the_boards_of_one_through_the_pages(site, people, name):
    callers = {one: Caller(over_http(site.url, token)) for one, (token, _) in people.items()}
    browsers = {
        one: Browser(Remote(site.url, {"sessionid": session}))
        for one, (_, session) in people.items()
    }
    by_program = play(Programs(callers), PLANS[name])
    by_page = play(Pages(browsers), replace(PLANS[name], slug=f"{name}-pages"))
    assert by_program == by_page
