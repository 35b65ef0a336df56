# SPDX-License-Identifier: Apache-2.0
"""Progress bars by tqdm, where that is installed, of what takes longer than two seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

from scoring.addresses import function_at

SECONDS = 2.0
EVERY = 1.0


@contextmanager
def steps(total: int | None, *, progress: bool) -> Iterator[Callable[[str], None]]:
    """Show the steps of a computation on standard error.

    Parameters
    ----------
    total : int or None
        The number of steps; None where it is not known.
    progress : bool
        Without it, and without tqdm, nothing is shown.

    Yields
    ------
    callable
        To be called with the name of each step when it begins.

    Examples
    --------
    >>> with steps(2, progress=False) as step:
    ...     step("reading")
    ...     step("scoring")
    """
    make = _bars() if progress else None
    if make is None:
        yield _nothing
        return
    bar = make(total=total, delay=SECONDS, leave=False, unit=" steps", mininterval=0)
    done = Event()
    clock = Thread(target=_refresh, args=(bar, done), daemon=True)
    clock.start()
    n_begun = 0

    def step(name: str) -> None:
        nonlocal n_begun
        bar.set_description_str(name, refresh=False)
        bar.update(min(n_begun, 1))
        n_begun += 1

    try:
        yield step
    finally:
        done.set()
        clock.join()
        bar.close()


def _refresh(bar: Any, done: Event) -> None:
    """Draw the bar after a delay and then each second: it looks at the clock between steps only."""
    wait = SECONDS
    while not done.wait(wait):
        bar.refresh()
        wait = EVERY


def _bars() -> Callable[..., Any] | None:
    """The bars of tqdm; None where it is not installed."""
    try:
        return function_at("tqdm:tqdm")  # type: ignore[no-any-return]
    except ImportError:
        return None


def _nothing(_name: str) -> None:
    return
