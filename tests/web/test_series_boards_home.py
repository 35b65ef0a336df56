# SPDX-License-Identifier: Apache-2.0
"""The downloads of a contest of sequential release, ranked at home: the same places as on the boards."""

from __future__ import annotations

import json

import pytest

from scoring.cli.main import main
from tests.web import series_facts
from tests.web.series_facts import download, page, weighted

pytestmark = pytest.mark.django_db


def number(cell: str) -> float | None:
    return float(cell) if cell else None


def rates_of(lines) -> dict[str, dict[str, float | None]]:
    """The matrix that was downloaded: attacker, target, rate."""
    targets = [name for name in lines[0] if name not in ("attacker", "kind")]
    return {line["attacker"]: {t: number(line[t]) for t in targets} for line in lines}


def places(client, contest, board) -> dict[str, tuple[int, float]]:
    rows = page(client, contest, board).context["section"]["rows"]
    return {row["name"]: (row["rank"], row["total"]) for row in rows}


def test_the_command_ranks_the_downloads_as_the_boards_do(client, tmp_path, capsys):
    contest = series_facts.made_up().contest
    line = ["rank", "--ruleset", "sequential-release", "--json"]
    for option, board in (("--board", "anonymization"), ("--rates", "matrix")):
        path = tmp_path / f"{board}.csv"
        path.write_bytes(series_facts.file_of(client, contest, board))
        line += [option, str(path)]
    assert main(line) == 0
    teams = json.loads(capsys.readouterr().out)["teams"]
    found = {team["team"]: (team["rank"], team["total"]) for team in teams}
    assert found == places(client, contest, "overall")
    tables = {team["team"]: team["anonymization"] for team in teams}
    assert {name: (t["rank"], t["total"]) for name, t in tables.items()} == places(
        client, contest, "anonymization"
    )


def test_the_command_ranks_the_downloads_by_another_formula(client, tmp_path, capsys):
    contest = weighted().contest
    rates = rates_of(download(client, contest, "matrix"))
    targets = list(next(iter(rates.values())))
    matrix = [",".join(["attacker", *targets])] + [
        ",".join([by, *("" if r is None else str(100 * r) for r in cells.values())])
        for by, cells in rates.items()
    ]
    utility = ["team,utility"] + [
        f"{line['team']},{100 * (1 - float(line['series-extent']))}"
        for line in download(client, contest, "measures")
    ]
    for name, lines in (("M.csv", matrix), ("U.csv", utility)):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    files = ["--matrix", str(tmp_path / "M.csv"), "--utility", str(tmp_path / "U.csv")]
    assert main(["rank", "--formula", "weighted-sum", *files, "--json"]) == 0
    teams = json.loads(capsys.readouterr().out)["teams"]
    found = {team["team"]: (team["rank"], team["total"]) for team in teams}
    assert found == places(client, contest, "score")
