# SPDX-License-Identifier: Apache-2.0
"""Deep calls ask the system for no memory, at whatever depth; the threads of the web server have that room."""

from __future__ import annotations

import resource
import threading

import pytest

from pwscup.web.frames import with_room
from pwscup.web.server import threads

N_CALLS, DEPTHS = 500, range(400)


def larger(a=0, b=0, c=0, d=0, e=0, f=0, g=0, h=0, i=0, j=0, k=0, m=0, n=0, o=0, p=0) -> None:
    """Its frame is larger than that of `at_depth`: at every edge there is a depth at which it does not fit."""


def faults_of_calls() -> int:
    """New pages of memory that the system gave for many calls, for the worst depth."""
    return max(at_depth(depth) for depth in DEPTHS)


def at_depth(depth: int) -> int:
    if depth:
        return at_depth(depth - 1)
    before = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt
    for _ in range(N_CALLS):
        larger()
    return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt - before


def test_calls_ask_for_no_memory_at_any_depth():
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(with_room(faults_of_calls)))
    thread.start()
    thread.join()
    assert found[0] < N_CALLS / 2


def test_the_threads_of_the_web_server_have_that_room():
    found: list[int] = []
    is_done = threading.Event()

    class Task:
        def service(self) -> None:
            found.append(faults_of_calls())
            is_done.set()

    dispatcher = threads(1)
    dispatcher.add_task(Task())
    assert is_done.wait(30)
    dispatcher.shutdown()
    assert found[0] < N_CALLS / 2


def test_arguments_results_and_errors_pass():
    assert with_room(divmod, 7, 2) == (3, 1)
    assert with_room(sorted, [1, 2], reverse=True) == [2, 1]
    with pytest.raises(ValueError, match="x"):
        with_room(int, "x")
