"""Every setting that comes from the environment, read in one place; `.env.example` documents them."""

import hashlib
import os
import secrets
import tempfile
from pathlib import Path

import environ

BASE_DIR = Path(__file__).resolve().parent.parent

env = environ.Env()
environ.Env.read_env(BASE_DIR / ".env")

MAX_SOCKET_PATH = 100  # the kernel's limit is 108 bytes on Linux and 104 on macOS
DATA_DIR = Path(env.str("PWSCUP_DATA_DIR", default=str(BASE_DIR / "data"))).resolve()


def secret_key() -> str:
    """Return SECRET_KEY, or one that is made at the first start and kept in the data folder."""
    given = env.str("SECRET_KEY", default="")
    if given:
        return given
    path = DATA_DIR / "secret-key"
    try:
        DATA_DIR.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.touch(mode=0o600)
            path.write_text(secrets.token_urlsafe(48), encoding="ascii")
        return path.read_text(encoding="ascii")
    except OSError as error:
        raise SystemExit(unusable_data(error)) from None


def unusable_data(error: OSError) -> str:
    """Say that the data folder cannot be used, and which setting names it."""
    return (
        f"The data folder cannot be used: {error.strerror or error}: {error.filename or DATA_DIR}\n"
        "PWSCUP_DATA_DIR: expected a folder that can be written to."
    )


def database() -> dict:
    """Return Django's description of the database: SQLite in the data folder unless DATABASE_URL says otherwise."""
    config = env.db_url("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'pwscup.sqlite3'}")
    if config["ENGINE"].endswith("sqlite3"):
        # Without IMMEDIATE a reader that turns writer fails at once instead of waiting for its turn.
        config["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 10,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        }
    else:
        config["CONN_MAX_AGE"] = env.int("DATABASE_CONN_MAX_AGE", default=60)
        config["CONN_HEALTH_CHECKS"] = True
    return config


def broker_socket() -> Path:
    """Where the embedded broker listens: in the data folder, or beside it where that path is too long for a socket."""
    inside = DATA_DIR / "broker.sock"
    if len(os.fsencode(inside)) <= MAX_SOCKET_PATH:
        return inside
    name = hashlib.sha256(os.fsencode(DATA_DIR)).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"pwscup-{os.getuid()}-{name}" / "broker.sock"


def broker_url() -> str:
    """REDIS_URL, or the embedded broker that `manage.py up` starts."""
    return env.str("REDIS_URL", default="") or f"redis+socket://{broker_socket()}"
