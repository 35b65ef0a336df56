"""`python -m scoring`."""

import sys

from scoring import kernels
from scoring.cli.main import main

kernels.needs_blas = False  # this process is the command's alone
sys.exit(main())
