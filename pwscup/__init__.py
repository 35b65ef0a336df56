# SPDX-License-Identifier: Apache-2.0
"""The contest platform, of the same distribution and version as the library `scoring`."""

import scoring

if getattr(scoring, "DISTRIBUTION", None) != "pwscup":
    raise ImportError(
        f"{scoring.__file__} belongs to another project that is called scoring, too: "
        "pip uninstall --yes scoring pwscup, then pip install pwscup"
    )

__version__ = scoring.__version__
