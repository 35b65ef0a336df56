# SPDX-License-Identifier: Apache-2.0
"""A worker that could only do harm does not start: without kernels, or without the folder that all share."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from celery import signals
from django.db import OperationalError
from django.template import engines
from django.urls import URLResolver, clear_url_caches, reverse
from django.utils.translation import override

import pwscup.celery  # noqa: F401 — what a worker does at its start
from pwscup.core.files import storage
from pwscup.core.installation import prepare, probe
from pwscup.core.models import StorageProbe
from pwscup.web import site
from scoring import warm
from tests.services import free_port

# Celery closes the connections, which ends the transaction of a test that has one.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def connections_stay(monkeypatch):
    """Of the test; a worker closes them before its pool is forked."""
    monkeypatch.setattr("django.db.connections.close_all", lambda: None)


def start_worker():
    """What Celery does before it connects to the broker; handlers' exceptions it only logs."""
    signals.worker_init.send(sender=None)


def test_a_worker_starts():
    start_worker()


def test_a_worker_that_cannot_load_the_kernels_ends_with_a_sentence(monkeypatch, caplog):
    def fail():
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(warm, "warm_up", fail)
    with pytest.raises(SystemExit, match=r"cannot score, and ends.*no locator available"):
        start_worker()
    assert "CRITICAL" in caplog.text


# The shared folder


@pytest.fixture
def elsewhere(settings, tmp_path):
    """The folder of another machine, after the installation has begun in its own."""
    probe.ensure()
    settings.PRIVATE_ROOT = tmp_path / "elsewhere"


def test_the_folder_is_known_by_the_file_that_the_database_names(settings, tmp_path):
    assert probe.is_shared() is None  # nothing is in it yet
    probe.ensure()
    probe.ensure()
    assert StorageProbe.objects.count() == 1
    assert probe.is_shared()
    assert probe.refusal() is None
    settings.PRIVATE_ROOT = tmp_path / "elsewhere"
    assert probe.is_shared() is False


def test_a_worker_without_the_shared_folder_does_not_start(elsewhere, settings):
    with pytest.raises(
        SystemExit, match="is not the folder that this installation's database knows"
    ):
        start_worker()
    assert not settings.PRIVATE_ROOT.exists()  # nothing is written there


@pytest.mark.parametrize("start", [probe.ensure, prepare.prepare])
def test_nothing_else_makes_another_folder_the_shared_one(elsewhere, settings, start, monkeypatch):
    monkeypatch.setattr(prepare, "collect_static", lambda: None)
    with pytest.raises(SystemExit, match="PWSCUP_DATA_DIR"):
        start()
    assert not probe.is_shared()


def test_a_web_server_without_the_shared_folder_does_not_start(elsewhere, monkeypatch):
    monkeypatch.setattr(site, "prepare_spool", lambda: None)
    with pytest.raises(SystemExit, match="PWSCUP_DATA_DIR"):
        site.run(None, [f"127.0.0.1:{free_port()}"])


def test_a_web_server_reads_templates_and_addresses_before_it_has_several_processes(monkeypatch):
    [loader] = engines["django"].engine.template_loaders
    loader.reset()
    clear_url_caches()
    site.read_ahead()
    known = {template.name for template in loader.get_template_cache.values()}
    assert known >= {"base.html", "leaderboards/board.html", "contests/home.html"}
    monkeypatch.delattr(URLResolver, "_populate")  # which reads all addresses in a language
    for language in ("en", "ja"):
        with override(language):
            assert reverse("home") == "/"


def test_a_template_that_cannot_be_read_breaks_its_pages_only(tmp_path, monkeypatch, caplog):
    """Not the start: and what an editor leaves next to a template is none."""
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "wrong.html").write_text("{% load nothing_of_that_name %}")
    (tmp_path / "templates" / ".#wrong.html").symlink_to("nowhere")
    monkeypatch.setattr(site, "RESOURCES", tmp_path)
    [loader] = engines["django"].engine.template_loaders
    monkeypatch.setattr(loader.loaders[0], "dirs", [tmp_path / "templates"])
    loader.reset()
    site.read_ahead()
    loader.reset()
    assert [record.message.split(":")[0] for record in caplog.records] == [
        f"{tmp_path}/templates/wrong.html cannot be read"
    ]


def test_a_folder_that_was_restored_without_the_file_is_known_by_what_lies_in_it(settings):
    probe.ensure()
    storage.store(b"x", area=storage.Area.PUBLISHED, name="x")
    (settings.PRIVATE_ROOT / f"probe-{StorageProbe.objects.get()}").unlink()
    assert probe.is_shared()
    probe.ensure()
    assert storage.has_probe(str(StorageProbe.objects.get()))


def test_a_database_that_is_away_keeps_no_worker_from_starting(monkeypatch, caplog):
    def fail():
        raise OperationalError("connection refused")

    monkeypatch.setattr(probe, "is_shared", fail)
    start_worker()
    assert "the data folder is not checked" in caplog.text


# The kernels


def test_a_worker_compiles_no_kernels_while_another_does(monkeypatch, settings):
    """In a fresh clone two begin at the same time; the second finds what the first has kept."""
    events = []
    load = f"""
import sys
from filelock import FileLock
with FileLock({str(settings.DATA_DIR / "kernels.lock")!r}):
    print(flush=True)
    sys.stdin.read()
"""
    command = [sys.executable, "-c", load]
    monkeypatch.setattr(warm, "warm_up", lambda: events.append("loaded"))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as first:
        first.stdout.readline()

        def kill(*_, **__):  # the second has found the lock taken
            if not events:
                events.append("killed")
                first.kill()
                first.wait()

        monkeypatch.setattr(time, "sleep", kill)
        start_worker()
    assert events == ["killed", "loaded"]


def test_a_worker_waits_for_no_other_where_nothing_can_be_locked(monkeypatch, settings, tmp_path):
    events = []
    settings.DATA_DIR = tmp_path / "file"
    settings.DATA_DIR.touch()
    monkeypatch.setattr(warm, "warm_up", lambda: events.append("loaded"))
    start_worker()
    assert events == ["loaded"]
