# SPDX-License-Identifier: Apache-2.0
"""How many workers `-n auto` starts, and how `--dist loadgroup` spreads the tests over them."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Generator
from html import escape
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from _pytest import runner
from django.db import connection
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

from pwscup.core.installation.catalogs import compile_catalogs
from pwscup.web.frames import with_room
from tests import database
from tests.compiled import compile_tests

# The same examples in every run: what a rare one finds is not the fault of the change at hand. `make test-long` takes
# more of them (`many`); to look for others: `--hypothesis-profile search`. No example has a deadline, as machines may
# be slow.
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=10)
hypothesis.settings.register_profile("many", derandomize=True, deadline=None, max_examples=200)
hypothesis.settings.register_profile("search", deadline=None)
hypothesis.settings.load_profile("repeatable")

# One worker runs each group, one test after the other. Those that wait, for processes that they started or for a
# browser, start first: the others have the processors meanwhile, and none is left over at the end. Those that share
# something costly follow, which each worker would otherwise make for itself: an experiment over many seeds, all
# pictures of a report. The first that fits counts.
# Named here instead of by marks because pytest-xdist 3.8 writes its groups where pytest 9.2 no longer looks.
TOGETHER: tuple[str | tuple[str, ...], ...] = (
    "tests/e2e/test_look",
    (
        "tests/distributed/test_distributed.py",
        "tests/web/test_up.py",
        "tests/web/test_web_server.py",
    ),
    (
        "tests/e2e/",
        "tests/web/test_budgets.py",
        "tests/web/test_in_the_browser.py",
        "tests/web/test_looks.py",
    ),
    "tests/test_docs.py",
    "tests/distributed/test_postgresql.py",
    "tests/distributed/test_season.py",
    "tests/scoring/test_privacy_experiments.py",
    "tests/scoring/test_sequential_audit.py",
    "tests/scoring/test_study",
    "tests/scoring/test_audit.py",
    "tests/web/test_translations.py",
    "tests/web/test_help.py",
)


def pytest_sessionstart(session: pytest.Session) -> None:
    """A worker that reads a catalogue before it is compiled knows no Japanese to its end."""
    if not hasattr(session.config, "workerinput"):
        compile_catalogs()
        if session.config.getoption("dist", "no") != "no":
            # Meanwhile the workers collect, instead of waiting for each other at their first test.
            threading.Thread(target=database.migrated, daemon=True).start()
            compile_tests(session.config)


MOST_WORKERS = 4  # each holds some 700 MB, and containers tell of processors that they may not use


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than processors: tests of browsers and of services wait for a third of their time."""
    return min((os.cpu_count() or 1) + 1, MOST_WORKERS)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None]:
    """Of the cases of one test the first and the last; then those that belong together first, the others as they are.

    The marks choose in between, and pytest-django puts all tests in an order of its own.
    """
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("whole") is None and item.get_closest_marker("long") is None:
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for found in cases.values():
        for item in found[1:-1]:
            item.add_marker("long")
    yield
    items.sort(key=place_of)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Pages are made some two hundred calls deep here: a third of the time of a test of pages."""
    return with_room(runner.pytest_runtest_protocol, item, nextitem)


def group_of(nodeid: str) -> str | tuple[str, ...] | None:
    return next((part for part in TOGETHER if nodeid.startswith(part)), None)


def place_of(item: pytest.Item) -> int:
    """The number of its group; those of none come last."""
    return [*TOGETHER, None].index(group_of(item.nodeid))


def pytest_collection_finish() -> None:
    """What is there now stays to the end: no search for garbage need look at it again, and there are few."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


class TogetherScheduling(LoadScopeScheduling):
    """Every test by itself, but for those that belong together."""

    def _split_scope(self, nodeid: str) -> str:
        group = group_of(nodeid)
        return str(group) if group else nodeid

    def mark_test_complete(
        self, node: WorkerController, item_index: int, duration: float = 0
    ) -> None:
        """Forget what is complete: all that a worker was ever given is counted after each of its tests."""
        super().mark_test_complete(node, item_index, duration)
        scope = self._split_scope(self.registered_collections[node][item_index])
        if all(self.assigned_work[node][scope].values()):
            del self.assigned_work[node][scope]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling | None:
    if config.getvalue("dist") != "loadgroup":
        return None
    config.option.loadscopereorder = False  # it would begin with the groups of most tests
    return TogetherScheduling(config, log)


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_modify_db_settings: None) -> bool:
    """Whether the database is there already: where it is SQLite, as a copy; its folder goes with the process."""
    if connection.vendor != "sqlite":
        return False
    test = connection.settings_dict["TEST"]
    test["MIGRATE"] = False
    database.copy_migrated(Path(test["NAME"]))
    return True


@pytest.fixture
def sketched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures are drawn, but hold only their words, and as PNG nothing: to place and write them takes most of a
    report's time.

    For tests of what reports say. Others look at whole pictures.
    """
    from matplotlib.figure import Figure
    from matplotlib.text import Text
    from PIL import Image

    def words(figure: Figure, file: Any, *, format: str, **_: Any) -> None:
        if format == "png":
            Image.new("RGB", (1, 1)).save(file, "PNG")
            return
        for axes in figure.axes:
            for axis in (axes.xaxis, axes.yaxis):
                axis.get_ticklabels()  # makes them up to date
        texts = [text.get_text() for text in figure.findobj(Text) if text.get_visible()]
        file.write(f"<svg>{''.join(f'<text>{escape(text)}</text>' for text in texts)}</svg>")

    monkeypatch.setattr(Figure, "savefig", words)
