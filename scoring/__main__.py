# SPDX-License-Identifier: Apache-2.0
"""`python -m scoring`, and the command `pwscup-scoring`."""

import sys

import scoring


def run() -> int:
    """Run the command that the arguments name."""
    if getattr(scoring, "DISTRIBUTION", None) != "pwscup":
        sys.exit(
            f"{scoring.__file__} belongs to another project that is called scoring, too: "
            "pip uninstall --yes scoring pwscup, then pip install pwscup"
        )
    from scoring import kernels
    from scoring.cli.main import main

    kernels.needs_blas = False  # this process runs only the command
    return main()


if __name__ == "__main__":
    sys.exit(run())
