# SPDX-License-Identifier: Apache-2.0
"""Checks of everything that an installation needs, with advice for each fault."""

from __future__ import annotations

import ipaddress
import os
import smtplib
import sqlite3
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.apps import apps
from django.conf import settings
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured
from django.core.mail import get_connection
from django.db import DatabaseError, InterfaceError, connection
from django.db.models import Min
from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from pwscup.core.db import clock
from pwscup.core.files import space, storage
from pwscup.core.installation import broker, prepare, private, probe, programs, pulse
from pwscup.core.models import Job, StoredFile
from scoring import plugins
from scoring.errors import ProblemsFound

NO_DATABASE = (DatabaseError, InterfaceError, ImproperlyConfigured)
SKEW = timedelta(seconds=5)
WAITS = timedelta(minutes=10)
SINCE = ("arrived_at", "due_at", "requested_at")
DOCUMENTED = {"U1": 1.25, "U2": 13.75, "S1": 2, "E1": 0.5}
"""Scores of the example with four records, as in the documentation and the tests."""


class Level(Enum):
    OK = "ok"
    WARNING = "warning"
    FAULT = "fault"


class Finding(NamedTuple):
    """One check, and a sentence: it is fine, or what to do."""

    level: Level
    sentence: str


def ok(sentence: str) -> Finding:
    return Finding(Level.OK, sentence)


def warning(sentence: str) -> Finding:
    return Finding(Level.WARNING, sentence)


def fault(sentence: str) -> Finding:
    return Finding(Level.FAULT, sentence)


# Database


def message_of(error: BaseException) -> str:
    """The message of the server itself, on one line."""
    said = " ".join(str(error.__cause__ or error).split())
    return said or type(error).__name__


def check_database() -> Iterator[Finding]:
    try:
        n_due = prepare.n_migrations_due()
    except NO_DATABASE as error:
        yield fault(f"database: {message_of(error)} — check DATABASE_URL and that the server runs")
        return
    if n_due:
        yield fault(f"database: {n_due} migrations to apply — run `manage.py migrate`")
    else:
        yield ok(f"database: {connection.vendor}, tables are current")
    if connection.vendor == "sqlite" and sqlite3.sqlite_version_info < (3, 35):
        yield warning(f"database: SQLite {sqlite3.sqlite_version} is old — use 3.35 or newer")


def check_clock() -> Iterator[Finding]:
    """Leases, deadlines and receipts depend on clocks that must agree."""
    try:
        apart = timezone.now() - clock.read_db_clock()
    except NO_DATABASE:
        return  # reported by the check of the database
    seconds = apart.total_seconds()
    if abs(apart) > SKEW:
        yield fault(
            f"clock: {abs(seconds):.0f} s {'before' if seconds > 0 else 'behind'} the database's — keep both by NTP"
        )
    else:
        yield ok("clock: agrees with the database's")


# Files


def check_files() -> Iterator[Finding]:
    folder = Path(settings.DATA_DIR)
    if not os.access(folder, os.W_OK):
        yield fault(f"data folder: {folder} cannot be written")
        return
    yield ok(f"data folder: {folder}")
    for path in private.exposed():
        yield fault(f"permissions: other users can read {path} — run `chmod go= {path}`")


def check_space() -> Iterator[Finding]:
    try:
        free = space.free_bytes()
    except OSError as error:
        yield fault(f"disk: {error.strerror or error}")
        return
    reserve = settings.DISK_RESERVE_BYTES
    if free < reserve:
        yield fault(
            f"disk: {filesizeformat(free)} free, less than PWSCUP_DISK_RESERVE_BYTES — delete archives of contests, "
            "or make the disk larger"
        )
    elif space.is_low():
        yield warning(f"disk: {filesizeformat(free)} free — imports and archives stop soon")
    else:
        yield ok(f"disk: {filesizeformat(free)} free")


def check_stored() -> Iterator[Finding]:
    """Rows without bytes are a loss; bytes without a row may be left by a crash."""
    try:
        kept = StoredFile.objects.filter(erased_at=None)  # of the others only the rows are kept
        known = set(kept.values_list("path", flat=True))
        foreign = probe.refusal()
    except NO_DATABASE:
        return  # nothing to compare with; reported by the check of the database
    if foreign is not None:
        yield fault(f"stored files: this folder is not the shared one — {foreign}")
        return
    found = storage.paths_on_disk()
    missing, orphaned = len(known - found), len(found - known)
    if missing:
        yield fault(
            f"stored files: {missing} of {len(known)} are missing — restore them from a backup"
        )
    else:
        yield ok(
            f"stored files: {len(known)}, all there; {orphaned} left over by interrupted uploads"
        )


def check_static() -> Iterator[Finding]:
    if prepare.is_static_current():
        yield ok("static files: gathered")
    else:
        yield fault("static files: not gathered or out of date — run `manage.py collectstatic`")


# Servers


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host in ("", "localhost")


def is_open_redis(url: str) -> bool:
    """A Redis server on another machine, or in another container, without a password."""
    parts = urlsplit(url)
    is_remote = parts.scheme in ("redis", "rediss") and not is_loopback(parts.hostname or "")
    return is_remote and not parts.password


def check_broker() -> Iterator[Finding]:
    reason = broker.silence(settings.CELERY_BROKER_URL)
    if reason is None:
        yield ok("broker: answers")
    else:
        yield fault(
            f"broker: {reason} — start `manage.py up`, or a Redis server named in REDIS_URL"
        )
    if is_open_redis(settings.CELERY_BROKER_URL):
        yield warning("broker: no password in REDIS_URL — set one with `requirepass`")


def check_cache() -> Iterator[Finding]:
    """Rate limits are counted in the cache, so all web processes need the same one."""
    used = settings.CACHES["default"]
    try:
        cache.set("doctor", "well", 10)
        is_well = cache.get("doctor") == "well"
    except Exception as error:  # any error of the cache client
        yield fault(f"cache: {message_of(error)} — check CACHE_URL")
        return
    if is_well:
        yield ok("cache: stores values")
    else:
        yield fault("cache: does not store values — check CACHE_URL")
    if "locmem" in used["BACKEND"] and (n_processes := settings.WEB_PROCESSES) > 1:
        yield warning(
            f"cache: each of {n_processes} web processes has its own rate limits — set CACHE_URL to a Redis server, "
            "or WEB_PROCESSES=1"
        )
    for url in _locations(used):
        if is_open_redis(url):
            yield warning("cache: no password in CACHE_URL — set one with `requirepass`")


def _locations(used: dict) -> list[str]:
    location = used.get("LOCATION", "")
    return location.split(",") if isinstance(location, str) else list(location)


def check_mail() -> Iterator[Finding]:
    if not settings.EMAIL_URL:
        if is_public():
            yield warning("mail: no mail is sent — set EMAIL_URL")
        else:
            yield ok("mail: kept in the data folder")
        return
    try:
        mail = get_connection()
        mail.open()
        mail.close()
    except (OSError, smtplib.SMTPException) as error:
        yield fault(f"mail: {message_of(error)} — check EMAIL_URL")
    else:
        yield ok("mail: the server accepts the log-in")


# Work


def check_workers() -> Iterator[Finding]:
    """Beat sends housekeeping through the broker to a worker every few seconds."""
    seconds = pulse.seconds_since()
    if seconds is None:
        yield fault(
            "workers: none has done housekeeping yet — start `manage.py up`, or a worker and beat; "
            "all share PWSCUP_DATA_DIR"
        )
    elif seconds > pulse.late_after():
        yield fault(
            f"workers: no housekeeping for {seconds:.0f} s — check that beat and a worker run, and read their logs"
        )
    else:
        yield ok(f"workers: housekeeping {seconds:.0f} s ago, so beat and a worker run")


def check_queue() -> Iterator[Finding]:
    """The oldest waiting row of every kind of job."""
    now = timezone.now()
    is_late = False
    try:
        for model in apps.get_models():
            if not issubclass(model, Job):
                continue
            since = _oldest(model)
            if since is not None and now - since > WAITS:
                is_late = True
                minutes = int((now - since).total_seconds() // 60)
                name = model._meta.verbose_name
                yield warning(f"queue: the oldest {name} waits {minutes} min — check the workers")
    except NO_DATABASE:
        return
    if not is_late:
        yield ok("queue: no job waits long")


def _oldest(model: type[Job]) -> datetime | None:
    waiting = model.objects.filter(state=Job.WAITING)
    return waiting.aggregate(since=Min(waits_since(model)))["since"]


def waits_since(model: type[Job]) -> str:
    """The field with the time since when a row of a kind of job waits."""
    names = {field.name for field in model._meta.get_fields()}
    return next(name for name in SINCE if name in names)


def check_contests() -> Iterator[Finding]:
    """Unresolved failures of contests, as shown on their organizers' pages, and plugins that their rules miss."""
    try:
        found = list(apps.get_model("contests", "Fault").objects.select_related("contest"))
        absent = _absent()
    except NO_DATABASE:
        return
    for slug, names in absent.items():
        yield warning(
            f"contests: the rules of {slug} name {names}, of plugins that are not installed — install them again"
        )
    for one in found:
        advice = ", then `manage.py retry_failed`" if one.task == "failed" else ""
        yield warning(
            f"contests: {one.task} of {one.contest.slug} ({one.subject}), unresolved since "
            f"{one.since:%Y-%m-%d %H:%M} UTC — see the workers' log under {one.reference}{advice}"
        )
    if not (found or absent):
        yield ok("contests: no unresolved failures")


def _absent() -> dict[str, str]:
    """The missing plugins of contests whose data are kept, by the contest."""
    contests = apps.get_model("contests", "Contest").objects.filter(erased_at=None).order_by("pk")
    found = {contest.slug: _missing_in(contest) for contest in contests}
    return {slug: names for slug, names in found.items() if names}


def _missing_in(contest: Any) -> str:
    try:
        return ", ".join(contest.ruleset.absent)
    except ProblemsFound as problems:  # the rules were accepted by another version of the library
        return str(problems.problems[0])


def check_scoring() -> Iterator[Finding]:
    """The library with its compiled kernels, on the example with four records."""
    import numpy as np

    try:
        from scoring.evaluate import score
        from scoring.examples import SCHEMA, table
        from scoring.warm import warm_up

        warm_up()
        values = score(table("original"), table("noise"), np.arange(4), SCHEMA)
    except Exception as error:  # any error of numba without a writable cache folder
        yield fault(
            f"scoring: {message_of(error)} — set NUMBA_CACHE_DIR to a folder that this user can write"
        )
        return
    wrong = [name for name, expected in DOCUMENTED.items() if values[name] != expected]
    if wrong:
        yield fault(
            f"scoring: wrong values of {', '.join(wrong)} for the example of four records — install the locked packages"
        )
    else:
        yield ok("scoring: the example of four records has its documented scores")


# Settings


def is_public() -> bool:
    """An installation that others can reach: its address is not a loopback address."""
    hosts = [host for host in settings.ALLOWED_HOSTS if not is_loopback(host.strip("[]"))]
    return bool(hosts) or not is_loopback(urlsplit(settings.SITE_URL).hostname or "")


def check_settings() -> Iterator[Finding]:
    found = list(_of_public_site()) if is_public() else []
    yield from found or [ok("settings: consistent")]


def _of_public_site() -> Iterator[Finding]:
    site = urlsplit(settings.SITE_URL)
    host = site.hostname or ""
    if settings.DEBUG:
        yield fault(
            "settings: DEBUG is on, which shows code and settings to visitors — turn it off"
        )
    if settings.DEMO:
        yield fault("settings: the log-ins of the demo are public — PWSCUP_DEMO=false")
    if is_loopback(host):
        yield fault(f"settings: links in mail begin with {settings.SITE_URL} — set PWSCUP_SITE_URL")
    elif not _is_allowed(host):
        yield fault(f"settings: PWSCUP_SITE_URL names {host}, which ALLOWED_HOSTS does not")
    if site.scheme == "https" and not settings.HTTPS:
        yield warning(
            "settings: the site's address is https, but cookies are not — PWSCUP_HTTPS=true"
        )
    if site.scheme == "http" and not is_loopback(host):
        yield warning("settings: passwords travel unencrypted — serve the site by HTTPS")


def _is_allowed(host: str) -> bool:
    return any(
        allowed in ("*", host) or (allowed.startswith(".") and f".{host}".endswith(allowed))
        for allowed in settings.ALLOWED_HOSTS
    )


def check_programs() -> Iterator[Finding]:
    """Programs that are allowed as scorers."""
    faults = list(programs.faults())
    yield from map(fault, faults)
    if not faults:
        names = ", ".join(programs.known()) or "none"
        yield ok(f"programs: allowed as scorers: {names}")


def check_plugins() -> Iterator[Finding]:
    """Measures, attacks and formulas of further packages."""
    found = plugins.load()
    for plugin in found:
        if plugin.fault:
            yield warning(f"plugins: {plugin.id} of {plugin.package} is left out: {plugin.fault}")
    names = [f"{p.id} ({p.package} {p.version})" for p in found if not p.fault]
    yield ok(f"plugins: {', '.join(names) or 'none'}")


def check_sandbox() -> Iterator[Finding]:
    """The sandbox, in which programs run and model files are read."""
    if lacking := programs.lacking():
        yield warning(f"sandbox: this machine does not enforce {', '.join(lacking)}")
    else:
        yield ok("sandbox: enforced in all parts")


CHECKS: dict[str, Callable[[], Iterator[Finding]]] = {
    "database": check_database,
    "clock": check_clock,
    "files": check_files,
    "space": check_space,
    "stored": check_stored,
    "broker": check_broker,
    "cache": check_cache,
    "mail": check_mail,
    "workers": check_workers,
    "queue": check_queue,
    "contests": check_contests,
    "scoring": check_scoring,
    "programs": check_programs,
    "sandbox": check_sandbox,
    "plugins": check_plugins,
    "static": check_static,
    "settings": check_settings,
}
