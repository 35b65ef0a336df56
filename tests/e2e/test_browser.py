# SPDX-License-Identifier: Apache-2.0
"""Where there is no Chromium the tests fail, and say what to install."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.e2e import browser


def test_a_machine_without_chromium_is_told_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(browser.shutil, "which", lambda name: None)
    none_fetched = SimpleNamespace(executable_path=str(tmp_path / "chrome"))
    with pytest.raises(browser.NoChromiumError, match="apt-get install chromium"):
        browser.launch(SimpleNamespace(chromium=none_fetched))
