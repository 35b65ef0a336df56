#!/usr/bin/env python
# SPDX-License-Identifier: Apache-2.0
"""Django's command line for PWSCup."""

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pwscup.settings")
    execute_from_command_line(sys.argv)
