# SPDX-License-Identifier: Apache-2.0
"""The client keeps nothing outside of a folder of the test's own, and reads no setting of this machine."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pwscup.client import places, tokens
from pwscup.client.cli import context


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch) -> Path:
    """The folder of the client; there is no keyring."""
    folder = tmp_path / "client home"
    monkeypatch.setenv(places.HOME, str(folder))
    for name in (tokens.URL, tokens.TOKEN, context.CONTEST, "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setitem(sys.modules, "keyring", None)
    return folder
