# SPDX-License-Identifier: Apache-2.0
"""The files of the distributed mode name what the code reads."""

from __future__ import annotations

import re
from pathlib import Path

from django.conf import settings

from tools.image_test import commands_of_compose, of_python

ROOT = Path(settings.BASE_DIR)
READ = re.compile(r"""env(?:\.\w+)?(?:\.get)?\(\s*["']([A-Z][A-Z_]+)["']""")
BY_TESTS = {"PWSCUP_WATCH_PARENT", "OMP_NUM_THREADS", "EMAIL_URL"}


def settings_that_are_read() -> set[str]:
    sources = [ROOT / "pwscup" / name for name in ("env.py", "settings.py")]
    sources.append(ROOT / "pwscup/core/management/commands/up.py")
    text = "\n".join(path.read_text() for path in sources)
    return set(READ.findall(text.replace("os.environ.get", "env.get")))


def test_every_setting_is_in_the_example_and_nothing_else():
    example = (ROOT / ".env.example").read_text()
    named = set(re.findall(r"^# ([A-Z][A-Z_]+)=", example, flags=re.M))
    assert named - {"EMAIL_URL"} == settings_that_are_read() - BY_TESTS
    assert "EMAIL_URL" in named


def test_compose_sets_only_what_is_read():
    compose = (ROOT / "docker-compose.yml").read_text()
    block = compose[compose.index("&environment") : compose.index("  volumes:")]
    named = set(re.findall(r"^    ([A-Z][A-Z_]+):", block, flags=re.M))
    assert named
    assert named <= settings_that_are_read() | {"EMAIL_URL"}


def test_the_image_copies_what_exists():
    lines = re.findall(r"^COPY (?!--)(.+) \S+$", (ROOT / "Dockerfile").read_text(), flags=re.M)
    copied = " ".join(lines).split()
    assert {"manage.py", "pwscup", "scoring"} <= set(copied)
    assert all((ROOT / path).exists() for path in copied)


def test_the_image_finds_its_kernels_where_they_were_compiled():
    """The settings that stand before the compilation are those that the workers have."""
    text = (ROOT / "Dockerfile").read_text()
    compiled = text.index("python -m tools.compile_kernels")
    for setting in (
        "NUMBA_CPU_NAME=generic",
        "NUMBA_CACHE_LOCATOR_CLASSES=UserProvidedCacheLocator,scoring.kernels.places.CompiledIn",
    ):
        assert 0 < text.index(setting) < compiled
    assert (ROOT / "scoring/kernels/places.py").exists()
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert "!tools/compile_kernels.py" in ignored


def test_commands_of_the_image_test_are_those_of_compose():
    found = commands_of_compose()
    assert found["worker"][:4] == ["celery", "-A", "pwscup", "worker"]
    assert found["worker"][found["worker"].index("--concurrency") + 1] == "2"
    assert found["beat"][:4] == ["celery", "-A", "pwscup", "beat"]


def test_the_locked_packages_of_another_python():
    hashes = " \\\n    --hash=sha256:x\n"
    locked = f"a==1 ; python_full_version < '3.12'{hashes}b==2{hashes}"
    assert [r.split()[0] for r in of_python(locked, "3.11.2")] == ["a==1", "b==2"]
    assert [r.split()[0] for r in of_python(locked, "3.13.0")] == ["b==2"]
