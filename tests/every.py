# SPDX-License-Identifier: Apache-2.0
"""One test for many cases: it runs them all, and a failure names those that fail."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable
from typing import Any

import hypothesis
import pytest

Test = Callable[..., None]
MOST_NAMED = 10


def some(n_now: int, values: Iterable[Any]) -> list[Any]:
    """Values for `pytest.mark.parametrize`, all but so many of the first of them for `make test-long`.

    A tuple holds the values of several arguments.
    """
    given = [value if isinstance(value, tuple) else (value,) for value in values]
    later = [pytest.param(*value, marks=pytest.mark.long) for value in given[n_now:]]
    return [*(pytest.param(*value) for value in given[:n_now]), *later]


def examples(share: float) -> int:
    """So many of the examples that the profile asks of a property, for one whose examples cost more or less."""
    return round(share * hypothesis.settings.default.max_examples)


def every(n_now: int | None = None, **choices: Iterable[Any]) -> Callable[[Test], Test]:
    """Call a test with each combination of these arguments; the cases share its fixtures.

    It takes the place of `pytest.mark.parametrize` where hundreds of cases cost less than their reports. All but the
    first `n_now` of them, if that is given, are left for `make test-long`.
    """
    combinations = itertools.product(*choices.values())
    cases = [dict(zip(choices, combination, strict=True)) for combination in combinations]

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run(chosen: slice = slice(None), **fixtures: Any) -> None:
            failed: list[tuple[dict[str, Any], Exception]] = []
            for case in cases[chosen]:
                try:
                    test(**fixtures, **case)
                except Exception as error:
                    failed.append((case, error))
            if failed:
                named = [str(case) for case, _error in failed[:MOST_NAMED]]
                first = failed[0][1]
                n_run = len(cases[chosen])
                first.add_note(f"{len(failed)} of {n_run} cases fail: {'; '.join(named)}")
                raise first

        given = inspect.signature(test)
        needed = [p for name, p in given.parameters.items() if name not in choices]
        if n_now is not None:
            needed.insert(0, inspect.Parameter("chosen", inspect.Parameter.POSITIONAL_OR_KEYWORD))
        run.__signature__ = given.replace(parameters=needed)  # type: ignore[attr-defined]
        if n_now is None:
            return run
        parts = some(1, [slice(n_now), slice(n_now, None)])
        return pytest.mark.parametrize("chosen", parts, ids=[f"first {n_now}", "others"])(run)

    return decorate
