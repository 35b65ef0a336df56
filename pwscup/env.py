# SPDX-License-Identifier: Apache-2.0
"""Every setting that comes from the environment, read in one place; `.env.example` documents them."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import tempfile
import warnings
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

PACKAGE = Path(__file__).resolve().parent
BASE_DIR = PACKAGE.parent
BUNDLED = PACKAGE / "bundled"
IS_INSTALLED = BUNDLED.is_dir()
RESOURCES = BUNDLED if IS_INSTALLED else BASE_DIR
"""Templates, static files and catalogues: those of the wheel, or of the checkout."""
HOME = Path.home() / ".local" / "share" / "pwscup" if IS_INSTALLED else BASE_DIR
"""The folder of `.env`, of gathered static files and, unless a setting names another one, of the data."""
MANAGE = ("-m", "pwscup") if IS_INSTALLED else (str(BASE_DIR / "manage.py"),)
"""The arguments of Python for a management command."""
# Every process of the platform reads its settings here first: what it writes is for its own user only.
os.umask(0o077)

URLS = {
    "DATABASE_URL": "postgres://user:password@host:5432/name or sqlite:////folder/name.sqlite3",
    "CACHE_URL": "locmemcache:// or rediscache://:password@host:6379/1",
    "EMAIL_URL": "smtp+tls://user:password@host:587",
}
BROKERS = ("redis", "rediss", "redis+socket", "sentinel", "memory")
NOT_GIVEN = "PWSCUP_NOT_GIVEN"
MOST_PROCESSES = 4  # each takes as many connections of the database as it has threads
DATABASES = ("django.db.backends.postgresql", "django.db.backends.sqlite3")


class Environment(environ.Env):
    """Reads settings; a malformed one ends the process with a sentence that names it."""

    TRUE = ("1", "true", "yes", "on", "y", "t", "ok")
    FALSE = ("0", "false", "no", "off", "n", "f", "")

    def bool(self, var: str, default: Any = environ.Env.NOTSET) -> bool:
        given = str(self.str(var, default=str(default))).strip().lower()
        if given not in self.TRUE + self.FALSE:
            raise malformed(var, "true or false", given)
        return given in self.TRUE

    def int(self, var: str, default: Any = environ.Env.NOTSET) -> int:
        try:
            value = super().int(var, default=default)
        except ValueError:
            raise malformed(var, "a whole number of at least 0", self.str(var)) from None
        if value < 0:
            raise malformed(var, "a whole number of at least 0", str(value))
        return value

    def float(self, var: str, default: Any = environ.Env.NOTSET) -> float:
        try:
            value = super().float(var, default=default)
        except ValueError:
            raise malformed(var, "a number of at least 0", self.str(var)) from None
        if not 0 <= value < float("inf"):
            raise malformed(var, "a number of at least 0", str(value))
        return value

    def service(self, var: str, default: str) -> dict:
        """The parts of DATABASE_URL, CACHE_URL or EMAIL_URL; what was given may hold a password and is not repeated."""
        parse = {
            "DATABASE_URL": self.db_url,
            "CACHE_URL": self.cache_url,
            "EMAIL_URL": self.email_url,
        }
        if not self.str(var, default=""):
            return parse[var](NOT_GIVEN, default=default)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # an unknown scheme, which is refused below
                found: dict = parse[var](var)
        except (ValueError, KeyError, AttributeError, ImproperlyConfigured):
            found = {}
        engine = found.get("ENGINE") or found.get("BACKEND") or found.get("EMAIL_BACKEND") or ""
        if not engine or (var == "DATABASE_URL" and engine not in DATABASES):
            raise malformed(var, URLS[var])
        return found


def malformed(name: str, expected: str, got: str | None = None) -> SystemExit:
    """The end of a process that cannot read a setting."""
    return SystemExit(f"{name}: expected {expected}" + ("" if got is None else f" — got {got!r}"))


env = Environment()
Environment.read_env(HOME / ".env")

MAX_SOCKET_PATH = 100  # the kernel's limit is 108 bytes on Linux and 104 on macOS
DATA_DIR = Path(env.str("PWSCUP_DATA_DIR", default=str(HOME / "data"))).resolve()


def secret_key() -> str:
    """Return SECRET_KEY, or one that is made at the first start and kept in the data folder."""
    given = env.str("SECRET_KEY", default="")
    if given:
        return given
    path = DATA_DIR / "secret-key"
    try:
        make_private(DATA_DIR)
        if not path.exists():
            _write_key(path)
        return path.read_text(encoding="ascii")
    except OSError as error:
        raise SystemExit(unusable_data(error)) from None


def make_private(folder: Path) -> None:
    """Create a folder that only its user may enter; an existing one is not changed."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)


def _write_key(path: Path) -> None:
    """Write a whole key or none: of several processes that start together, and on a full disk."""
    part = path.with_suffix(f".{os.getpid()}.part")
    try:
        part.write_text(secrets.token_urlsafe(48), encoding="ascii")
        with contextlib.suppress(FileExistsError):
            os.link(part, path)
    finally:
        part.unlink(missing_ok=True)


def unusable_data(error: OSError) -> str:
    """Say that the data folder cannot be used, and which setting names it."""
    return (
        f"The data folder cannot be used: {error.strerror or error}: {error.filename or DATA_DIR}\n"
        "PWSCUP_DATA_DIR: expected a folder that can be written to."
    )


def database() -> dict:
    """Return Django's description of the database: SQLite in the data folder unless DATABASE_URL says otherwise."""
    config = env.service("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'pwscup.sqlite3'}")
    if config["ENGINE"].endswith("sqlite3"):
        # Without IMMEDIATE a reader that turns writer fails immediately instead of waiting for its turn.
        config["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 10,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        }
    else:
        config["ENGINE"], config["CONN_HEALTH_CHECKS"] = "pwscup.core.db.postgresql", True
        options = config.setdefault("OPTIONS", {})
        if env.bool("DATABASE_PREPARED", default=True):
            # A connection plans a statement once: that is half of what the server does for an upload.
            options |= {"server_side_binding": True, "prepare_threshold": 3}
        if idle := env.int("DATABASE_IDLE_SECONDS", default=30):
            # A process that is paused in a transaction, or whose machine is, keeps its locks: uploads wait for them.
            limit = f"-c idle_in_transaction_session_timeout={idle}s"
            options["options"] = f"{options.get('options', '')} {limit}".strip()
    # Opening one costs more than most queries; the last one that is closed makes SQLite tidy up its files.
    config["CONN_MAX_AGE"] = env.int("DATABASE_CONN_MAX_AGE", default=60)
    return config


def web_processes() -> int:
    """The number of web processes: SQLite has one writer at a time, and one process serves it best."""
    n_cores = os.cpu_count() or 1
    default = (
        1 if database()["ENGINE"].endswith("sqlite3") else max(2, min(n_cores, MOST_PROCESSES))
    )
    return max(1, env.int("WEB_PROCESSES", default=default))


def web_threads() -> int:
    """The number of threads of each."""
    return max(1, env.int("WEB_THREADS", default=12))


def cache() -> dict:
    """Return Django's description of the cache: what Redis keeps is JSON, under names that no pickle has."""
    config = env.service("CACHE_URL", default="locmemcache://")
    if config["BACKEND"] == "django.core.cache.backends.redis.RedisCache":
        config["KEY_PREFIX"] = "json"
        config["OPTIONS"] = {
            **config.get("OPTIONS", {}),
            "serializer": "pwscup.core.http.plain_cache.JsonSerializer",
        }
    return config


def broker_socket() -> Path:
    """The socket of the embedded broker: in the data folder, or outside it if that path is too long for a socket."""
    inside = DATA_DIR / "broker.sock"
    if len(os.fsencode(inside)) <= MAX_SOCKET_PATH:
        return inside
    name = hashlib.sha256(os.fsencode(DATA_DIR)).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"pwscup-{os.getuid()}-{name}" / "broker.sock"


def broker_url() -> str:
    """REDIS_URL, or the embedded broker that `manage.py up` starts."""
    given = env.str("REDIS_URL", default="")
    if given and given.partition("://")[0] not in BROKERS:
        raise malformed("REDIS_URL", "redis://:password@host:6379/0")
    return given or f"redis+socket://{broker_socket()}"
