# SPDX-License-Identifier: Apache-2.0
"""WSGI entry point."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pwscup.settings")
application = get_wsgi_application()
