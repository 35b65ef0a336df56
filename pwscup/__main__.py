"""`pwscup`: the commands of the platform, such as `pwscup up`; without Django it says what is missing."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

from pwscup import __version__

NEEDED = ("django", "allauth", "environ", "celery", "waitress", "whitenoise")
MISSING = 'pwscup: the platform needs more packages: pip install "pwscup[web]"'


def main() -> None:
    """Run the command that the arguments name."""
    if sys.argv[1:] in (["--version"], ["version"]):
        sys.stdout.write(f"pwscup {__version__}\n")
        return
    if not all(map(find_spec, NEEDED)):
        sys.exit(MISSING)
    from django.core.management import execute_from_command_line

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pwscup.settings")
    execute_from_command_line(["pwscup", *sys.argv[1:]])


if __name__ == "__main__":
    main()
