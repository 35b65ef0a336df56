# SPDX-License-Identifier: Apache-2.0
"""The page comes up fast: what the web server imports before it answers."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import sys
import django
django.setup()
import pwscup.urls
from django.test import Client
print(Client().get("/healthz").status_code)
from pwscup.contests.organize.wizard import formats
print(sum(len(listed) for _, listed in formats()))
print(sorted({"numpy", "pandas", "scipy", "sklearn", "numba", "matplotlib", "reportlab"} & set(sys.modules)))
"""


@pytest.mark.django_db
def test_the_web_server_starts_and_reads_rules_without_numerical_libraries():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "pwscup.settings_test"},
        capture_output=True,
        text=True,
        check=True,
    )
    status, n_formats, libraries = done.stdout.split("\n")[:3]
    assert (status, libraries) == ("200", "[]")
    assert int(n_formats) > 3
