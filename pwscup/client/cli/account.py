# SPDX-License-Identifier: Apache-2.0
"""The commands `login` and `logout`."""

from __future__ import annotations

import argparse
import getpass
import os
import sys

from pwscup.client import tokens
from pwscup.client.cli.output import Output
from pwscup.client.contests import TOKEN_PAGE, Client
from pwscup.client.errors import TokenError
from pwscup.client.sites import site_of


def add_login(parser: argparse.ArgumentParser) -> None:
    """The arguments of `login`."""
    parser.add_argument("site", nargs="?", metavar="URL", help="the site (that of the last log-in)")
    parser.add_argument(
        "--token-stdin", action="store_true", help="read the token from standard input"
    )
    parser.add_argument(
        "--no-keyring", action="store_true", help="keep the token in a file, not in the keyring"
    )


def login(arguments: argparse.Namespace, output: Output) -> None:
    """Check a token with the site, and keep it."""
    site = _site(arguments)
    given = os.environ.get(tokens.TOKEN)
    if arguments.token_stdin:
        token = sys.stdin.readline().strip()
    elif given and not sys.stdin.isatty():
        token = given
    else:
        output.note(f"create a token on {site}{TOKEN_PAGE}, and paste it here (it is not shown)")
        token = getpass.getpass("token: ").strip()
    me = Client(site, token or " ").me()
    place = tokens.keep(site, token, in_keyring=not arguments.no_keyring)
    values = {"site": site, "name": me.name, "scopes": me.scopes, "expires_at": me.expires_at}
    allowed = ", ".join(me.scopes)
    text = f"{me.name} at {site}: {allowed}, until {me.expires_at:%Y-%m-%d}\nkept in {place}"
    output.result({**values, "kept_in": place}, text)


def logout(arguments: argparse.Namespace, output: Output) -> None:
    """Delete the kept token; it stays valid at the site until it is revoked there."""
    site = _site(arguments)
    was_kept = tokens.forget(site)
    text = f"deleted the token of {site}" if was_kept else f"no token of {site} was kept"
    output.result({"site": site, "was_kept": was_kept}, f"{text}; revoke it on {site}{TOKEN_PAGE}")


def _site(arguments: argparse.Namespace) -> str:
    given = arguments.site or arguments.url
    site = site_of(given) if given else tokens.default_site()
    if site is None:
        raise TokenError("no site — expected its address: pwscup login https://…")
    return site
