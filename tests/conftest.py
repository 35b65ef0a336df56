"""How `--dist loadgroup` spreads the tests over the workers."""

from __future__ import annotations

from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

# Tests that share one running installation, which each worker would otherwise start for itself. Named
# here beside their marks because pytest-xdist 3.8 writes its groups where pytest 9.2 no longer looks.
TOGETHER = ("tests/e2e/", "tests/distributed/", "tests/web/test_up.py")


class TogetherScheduling(LoadScopeScheduling):
    """Every test by itself, but for those that belong together."""

    def _split_scope(self, nodeid: str) -> str:
        return next((part for part in TOGETHER if nodeid.startswith(part)), nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling | None:
    if config.getvalue("dist") != "loadgroup":
        return None
    return TogetherScheduling(config, log)
