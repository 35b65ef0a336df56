"""The boards as CSV: stable English headers and full precision, for spreadsheets and scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from django.http import HttpResponse

from pwscup.core.files.exports import csv_response

Line = list[Any]


def board_csv(name: str, section: dict[str, Any], board: str) -> HttpResponse:
    """One board as a download; a missing value is an empty cell."""
    header, *lines = LINES[board](section)
    rows = [["" if cell is None else cell for cell in line] for line in lines]
    return csv_response(name, header, rows)


def _overall(section: dict[str, Any]) -> Iterator[Line]:
    yield ["rank", "team", "house_team", "total", "anonymization_rank", "attack_rank"]
    for row in section["rows"]:
        ranks = [row["anonymization_rank"], row["attack_rank"]]
        yield [*_start(row), row["total"], *ranks]


def _anonymization(section: dict[str, Any]) -> Iterator[Line]:
    measures = [name for m in section["measures"] for name in (m, f"{m}_rank")]
    scores = ["total", "utility_rank", "safety_rank", "worst_rate", "worst_rank"]
    yield ["rank", "team", "house_team", *scores, "worst_by", *measures]
    for row in section["rows"]:
        if not row["submitted"]:
            yield [*_start(row), *[None] * (len(scores) + 1 + len(measures))]
            continue
        cells = [part for cell in row["cells"] for part in (cell["value"], cell["rank"])]
        yield [*_start(row), *(row[score] for score in scores), row["worst_by"], *cells]


def _attack(section: dict[str, Any]) -> Iterator[Line]:
    yield ["rank", "team", "house_team", "mean_rate", "targets_guessed", "targets"]
    for row in section["rows"]:
        yield [*_start(row), row["mean_rate"], row["n_guessed"], row["n_targets"]]


def _score(section: dict[str, Any]) -> Iterator[Line]:
    yield ["rank", "team", "house_team", "total", *section["parts"], "tie_broken_by"]
    for row in section["rows"]:
        parts = [cell["value"] for cell in row["cells"]]
        yield [*_start(row), row["total"], *parts, row["tie_broken_by"]]


def _measures(section: dict[str, Any]) -> Iterator[Line]:
    yield ["rank", "team", "house_team", *section["measures"]]
    for row in section["rows"]:
        yield [*_start(row), *(cell["value"] for cell in row["cells"])]


def _season(section: dict[str, Any]) -> Iterator[Line]:
    stages = [f"{stage['key']}_{what}" for stage in section["stages"] for what in ("total", "rank")]
    yield ["rank", "team", "house_team", "total", *stages, "tie_broken_by"]
    for row in section["rows"]:
        cells = [part for cell in row["cells"] for part in (cell["total"], cell["rank"])]
        yield [*_start(row), row["total"], *cells, row["tie_broken_by"]]


def _matrix(section: dict[str, Any]) -> Iterator[Line]:
    """Attackers down, attacked teams across; empty where there is no rate."""
    yield ["attacker", "kind", *(column["name"] for column in section["defenders"])]
    for row in section["rows"]:
        kind = "built-in attack" if row["attack"] else "team"
        yield [row["name"], kind, *(cell["rate"] for cell in row["cells"])]


def _comparison(section: dict[str, Any]) -> Iterator[Line]:
    rounds = [f"{round['key']}_{what}" for round in section["rounds"] for what in ("total", "rank")]
    yield ["rank", "team", "house_team", "total", *rounds, "tie_broken_by"]
    for row in section["rows"]:
        cells = [part for cell in row["cells"] for part in (cell["total"], cell["rank"])]
        yield [*_start(row), row["total"], *cells, row["tie_broken_by"]]


def _estimates(section: dict[str, Any]) -> Iterator[Line]:
    """The boards of all rounds; `python -m scoring rank-estimates` makes them again."""
    measures = [name for m in section["measures"] for name in (m, f"{m}_rank")]
    yield ["round", "rank", "team", "house_team", "total", *measures]
    for row in section["rows"]:
        if not row["submitted"]:
            yield [row["round"], *_start(row), *[None] * (1 + len(measures))]
            continue
        cells = [part for cell in row["cells"] for part in (cell["value"], cell["rank"])]
        yield [row["round"], *_start(row), row["total"], *cells]


def _curve(section: dict[str, Any]) -> Iterator[Line]:
    yield ["round", "team", "house_team", "epsilon", "table-L2", "asked_once", "counts"]
    for row in section["rows"]:
        values = [row["epsilon"], row["value"], row["asked_once"], int(row["counts"])]
        yield [row["round"], row["name"], int(row["house"]), *values]


def _start(row: dict[str, Any]) -> Line:
    return [row["rank"], row["name"], int(row["house"])]


LINES: dict[str, Callable[[dict[str, Any]], Iterator[Line]]] = {
    "overall": _overall,
    "anonymization": _anonymization,
    "attack": _attack,
    "score": _score,
    "measures": _measures,
    "season": _season,
    "matrix": _matrix,
    "comparison": _comparison,
    "estimates": _estimates,
    "curve": _curve,
}
