# SPDX-License-Identifier: Apache-2.0
"""`pwscup`: the client's commands, such as `pwscup submit`, and those of the platform, such as `pwscup up`."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

from pwscup import __version__

NEEDED = ("django", "allauth", "environ", "celery", "waitress", "whitenoise", "pwscup.core")
MISSING = 'pwscup: the platform needs more packages: pip install "pwscup[web]"'


def main() -> None:
    """Run the command that the arguments name."""
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["version"]):
        sys.stdout.write(f"pwscup {__version__}\n")
        return
    if _is_for_client(arguments):
        from pwscup.client.cli.main import main as run_client

        sys.exit(run_client(arguments))
    if not all(map(find_spec, NEEDED)):
        sys.exit(MISSING)
    from django.core.management import execute_from_command_line

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pwscup.settings")
    execute_from_command_line(["pwscup", *arguments])


def _is_for_client(arguments: list[str]) -> bool:
    """The client answers its commands, options without a command, and names that are like its own but no others."""
    from pwscup.client.cli.main import COMMANDS
    from scoring.catalogs import near

    if not arguments or arguments[0].startswith("-") or arguments[0] in COMMANDS:
        return True
    name = arguments[0]
    return bool(near(name, COMMANDS)) and name not in _platform_commands(name)


def _platform_commands(name: str) -> list[str]:
    """The platform's commands and those of Django, where it is installed; reading their names loads no settings."""
    from pathlib import Path

    found = [path.stem for path in Path(__file__).parent.glob("*/management/commands/*.py")]
    if find_spec("django") is not None:
        from django.core.management import get_commands

        found += get_commands()
    return found or [name]


if __name__ == "__main__":
    main()
