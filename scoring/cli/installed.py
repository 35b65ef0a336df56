# SPDX-License-Identifier: Apache-2.0
"""The command `plugins`: those that are installed, and what keeps one from being used."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict

from scoring.cli.arguments import Parser
from scoring.cli.output import Output, aligned


def add_arguments(_command: Parser) -> None:
    """None."""


def run(_arguments: Namespace, output: Output) -> int:
    """List every plugin with its package; the exit status is 1 where one cannot be used."""
    from scoring import plugins

    found = plugins.load()
    head = ("group", "name", "package", "version", "")
    rows = [(p.group, p.id, p.package, p.version, p.fault or "fine") for p in found]
    text = aligned([head, *rows]) if found else "no plugins are installed"
    output.result({"plugins": [asdict(plugin) for plugin in found]}, text)
    return int(any(plugin.fault for plugin in found))
