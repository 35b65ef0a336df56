"""The files of the distributed mode name what the code reads."""

from __future__ import annotations

import re
from pathlib import Path

from django.conf import settings

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
    copied = re.findall(r"^COPY (?!--)(.+) \S+$", (ROOT / "Dockerfile").read_text(), flags=re.M)
    assert {"manage.py", "pwscup", "scoring"} <= set(copied)
    assert all((ROOT / path).exists() for path in copied)
