# SPDX-License-Identifier: Apache-2.0
"""`python -m pwscup.web HOST:PORT`: the web server of this machine."""

import sys

from pwscup.wsgi import application  # isort: skip — it loads the apps, which the rest needs
from pwscup.web.site import run

if __name__ == "__main__":
    run(application, sys.argv[1:])
