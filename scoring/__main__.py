"""`python -m scoring`."""

import sys

from scoring import kernels
from scoring.cli.main import main

kernels.needs_blas = False  # this process runs only the command
sys.exit(main())
