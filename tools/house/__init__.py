# SPDX-License-Identifier: Apache-2.0
"""The picture of the house and its figures in docs/explanation/architecture.md."""

from __future__ import annotations

from pathlib import Path

from tools.house.drawing import picture
from tools.house.imports import Graph, imports, reached
from tools.house.rooms import Wing, who_imports, wing

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "images" / "house.svg"
PAGE = ROOT / "docs" / "explanation" / "architecture.md"
BEGIN, END = "<!-- written by tools.house -->\n", "<!-- end -->\n"
PLATFORM, LIBRARY = "pwscup", "scoring"
COMMAND = "`python -m tools.house`"
FIND = "`find pwscup -name '*.py' -not -path '*/migrations/*' \\| wc -l`, and so for `scoring`"
CIRCLES = "`python -m pytest tests/test_architecture.py`"


def drawn() -> str:
    """The picture."""
    graph, platform, library = _wings()
    return picture(platform, library, len(who_imports(graph, platform, library)))


def rewritten(page: str) -> str:
    """The page with the figures between its two markers, up to date."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"expected {BEGIN!r} and later {END!r}")
    return f"{before}{BEGIN}\n{_figures()}\n\n{END}{after}"


def _wings() -> tuple[Graph, Wing, Wing]:
    found = imports(ROOT, PLATFORM, LIBRARY)
    graph = {name: below for name, below in found.items() if "migrations" not in name.split(".")}
    return graph, wing(graph, PLATFORM), wing(graph, LIBRARY)


def _figures() -> str:
    graph, *wings = _wings()
    circular = [name for name in graph if name in reached(graph, name)]
    rows = (
        ("", *(f"`{w.name}`" for w in wings), "command"),
        ("---", "---:", "---:", "---"),
        ("modules, without migrations", *(w.n_modules for w in wings), FIND),
        ("rooms", *(len(w.rooms) for w in wings), COMMAND),
        (
            "pairs of rooms, of which one imports the other",
            *(_n(w.imports) for w in wings),
            COMMAND,
        ),
        ("of these drawn, as the others follow", *(_n(w.arrows) for w in wings), COMMAND),
        (
            "modules that import each other in a circle",
            *(_n_of(w, circular) for w in wings),
            CIRCLES,
        ),
    )
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)


def _n(graph: Graph) -> int:
    return sum(map(len, graph.values()))


def _n_of(wing: Wing, modules: list[str]) -> int:
    return sum(name.partition(".")[0] == wing.name for name in modules)
