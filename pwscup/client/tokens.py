# SPDX-License-Identifier: Apache-2.0
"""Access tokens on this machine: in the system's keyring, or in a file that only its user can read."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from pwscup.client import places
from pwscup.client.errors import FileError
from pwscup.client.sites import site_of

URL, TOKEN = "PWSCUP_URL", "PWSCUP_TOKEN"
SERVICE = "pwscup"
KEYRING = "the system's keyring"
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def default_site() -> str | None:
    """The site of the environment, else the one of the last login."""
    if given := os.environ.get(URL):
        return site_of(given)
    last = places.read_json(_sites()).get("default")
    return last if isinstance(last, str) else None


def token_for(site: str, *, is_trusted: bool = True) -> str | None:
    """The token for a site: that of the environment, else the kept one.

    Parameters
    ----------
    site : str
        In its one form.
    is_trusted : bool
        The user has named the site. An address out of a downloaded folder gets the token of the environment only
        where the environment names that site, too.
    """
    given, named = os.environ.get(TOKEN), os.environ.get(URL)
    is_own = site_of(named) == site if named else is_trusted
    if given and is_own:
        return given
    return kept_token(site)


def kept_token(site: str) -> str | None:
    """The token that was kept at a login."""
    found = _with_keyring(lambda keyring: keyring.get_password(SERVICE, site))
    if isinstance(found, str):
        return found
    _make_private()
    token = places.read_json(_tokens()).get(site)
    return token if isinstance(token, str) else None


def keep(site: str, token: str, *, in_keyring: bool = True) -> str:
    """Keep a token, and make its site the usual one.

    Parameters
    ----------
    site, token : str
    in_keyring : bool
        Use the system's keyring where the package `keyring` finds one.

    Returns
    -------
    str
        The place, in words.

    Raises
    ------
    FileError
        Where nothing can be written.
    """
    forget(site)
    place = ""
    if in_keyring and _with_keyring(lambda k: (k.set_password(SERVICE, site, token), True)[1]):
        place = KEYRING
    if not place:
        known = places.read_json(_tokens())
        places.write_json(_tokens(), {**known, site: token})
        place = f"{_tokens()}, which only you can read"
    places.write_json(_sites(), {**places.read_json(_sites()), "default": site})
    return place


def forget(site: str) -> bool:
    """Delete the kept token of a site; whether there was one."""
    was_kept = kept_token(site) is not None
    _with_keyring(lambda keyring: keyring.delete_password(SERVICE, site))
    known = places.read_json(_tokens())
    if known.pop(site, None) is not None:
        places.write_json(_tokens(), known)
    return was_kept


def _with_keyring(use: Callable[[Any], Any]) -> Any:
    """The answer of the system's keyring; None where there is none, or it refuses."""
    try:
        keyring = import_module("keyring")
    except ImportError:
        return None
    try:
        return use(keyring)
    except Exception:  # each of its backends has errors of its own
        return None


def _make_private() -> None:
    """Take a file of tokens back from others of this machine."""
    path = _tokens()
    try:
        mode = path.stat().st_mode
        if os.name == "posix" and mode & _OTHERS:
            path.chmod(stat.S_IRUSR | stat.S_IWUSR)
    except FileNotFoundError:
        return
    except OSError as error:
        raise FileError(
            f"others can read {path}, and this cannot be changed: {error.strerror}",
            code="token.readable",
        ) from error


def _tokens() -> Path:
    return places.folder() / "tokens.json"


def _sites() -> Path:
    return places.folder() / "sites.json"
