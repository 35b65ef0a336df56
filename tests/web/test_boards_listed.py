# SPDX-License-Identifier: Apache-2.0
"""Contests whose rules list several boards: worked out on paper, on every page, by divisions and in a season."""

from __future__ import annotations

import csv
import io
import json
from datetime import timedelta

import numpy as np
import pytest
from django.urls import reverse
from django.utils import timezone

from pwscup.archives import standings
from pwscup.contests import truth
from pwscup.contests.models import Contest, Division
from pwscup.contests.rules.ranking import ranking_lines
from pwscup.leaderboards import services
from pwscup.leaderboards.ceremony import services as ceremonies
from pwscup.leaderboards.models import Standing
from pwscup.reports.boards.facts import groups
from pwscup.rescores.diff import placings
from pwscup.submissions.models import Ruling
from scoring.cli.main import main
from scoring.rulesets import load_ruleset
from tests import factories
from tests.web import board_facts

pytestmark = pytest.mark.django_db

LECTURE = load_ruleset("pets-lecture").text
RANKING = LECTURE[LECTURE.index("[ranking]") : LECTURE.index("presentation = 20") + 17]
BOARDS = """
[[board]]
key = "champion"
title.en = "Champion"
title.ja = "総合"
formula = "board-ranks"
boards = ["defence", "attack"]
weights = [1, 2]
tie_breaks = ["defence"]
season = "boards"

[[board]]
key = "defence"
title.en = "Defence"
title.ja = "匿名化部門"
formula = "sum"

[[board]]
key = "attack"
title.en = "Attackers"
title.ja = "攻撃部門"
formula = "top-k-attack"
settings = { k = 2, of = "total", combine = "sum", own = "left_out" }
boards = ["defence"]
season = "ranks"
season_tie_breaks = ["final"]

[ranking]
utility_measure = "LOSS"
"""
# Utility 58.33, 80, 50; protection 33.33, 90, 60. The two best tables are Blue's and Green's.
DEFENCE = {"Blue": (1, 170.0), "Green": (2, 110.0), "Red": (3, 91.666666667)}
ATTACK = {"Red": (1, 50.0), "Blue": (2, 20.0), "Green": (3, 0.0)}
# 3 + 2 × 1, 1 + 2 × 2, 2 + 2 × 3; Blue has the better rank as a defender
CHAMPION = {"Blue": (1, 5.0), "Red": (2, 5.0), "Green": (3, 8.0)}


def listed(more: str = "", *others: tuple[str, str], n_closed: int = 3, slug: str = "lecture"):
    replace = ((RANKING, BOARDS + more), *others)
    return board_facts.lecture(replace=replace, n_closed=n_closed, slug=slug)


def boards(contest, now=None, **asked):
    contest = Contest.objects.get(pk=contest.pk)
    return services.boards_of(contest, now or timezone.now(), **asked).data


def totals(section):
    return {row["name"]: (row["rank"], row["total"]) for row in section["rows"]}


def page_of(client, contest, name, **asked):
    url = reverse("board", args=[contest.slug])
    response = client.get(url, {"board": name, **asked} if name else asked)
    assert response.status_code == 200
    return response.content.decode()


def test_every_board_is_worked_out_on_paper():
    data = boards(listed().contest)
    assert [totals(data[key]) for key in ("defence", "attack", "champion")] == [
        DEFENCE,
        ATTACK,
        CHAMPION,
    ]
    champion = data["champion"]
    assert champion["title"] == {"en": "Champion", "ja": "総合"}
    assert champion["rows"][0]["below"] == [
        {"total": 170.0, "rank": 1},
        {"total": 20.0, "rank": 2},
    ]
    assert champion["rows"][0]["tie_broken_by"] == "defence"
    assert [row["name"] for row in data["matrix"]["rows"]] == ["Blue", "Red", "Green"]


def test_every_board_has_a_page_a_tab_and_a_download(client):
    contest = listed().contest
    assert "Sum of the ranks on other boards" in page_of(client, contest, None)
    for name, words in (
        ("champion", "Made of: Defence × 1, Attackers × 2."),
        ("champion", "the rank on “Defence”"),
        ("defence", "Sum of utility and protection"),
        ("attack", "The best tables are those of “Defence”."),
        ("measures", "The measures are not ranked"),
        ("matrix", "Attack matrix"),
    ):
        page = page_of(client, contest, name)
        assert words in page, name
        for title in ("Champion", "Defence", "Attackers", "Measures", "Attack matrix"):
            assert f">{title}</a>" in " ".join(page.split()).replace(" </a>", "</a>"), title
    found = client.get(reverse("board-csv", args=[contest.slug]), {"board": "champion"})
    rows = list(csv.DictReader(io.StringIO(found.content.decode("utf-8-sig"))))
    assert [
        (row["team"], row["total"], row["defence_rank"], row["attack_total"]) for row in rows
    ] == [
        ("Blue", "5.0", "1", "20.0"),
        ("Red", "5.0", "3", "50.0"),
        ("Green", "8.0", "2", "0.0"),
    ]
    for name in ("score", "overall", "season", "season-defence", "nothing"):
        assert client.get(reverse("board", args=[contest.slug]), {"board": name}).status_code == 404
    assert (
        "匿名化部門"
        in client.get(
            reverse("board", args=[contest.slug]), headers={"Accept-Language": "ja"}
        ).content.decode()
    )
    projector = client.get(reverse("projector", args=[contest.slug]), {"board": "attack"})
    assert "Attackers" in projector.content.decode()


def test_boards_are_stored_once_for_all_of_a_stage(client):
    contest = listed().contest
    for name in ("champion", "defence", "attack"):
        page_of(client, contest, name)
    assert Standing.objects.filter(contest=contest).count() == 1


def test_a_division_ranks_its_own_teams():
    played = listed()
    division = Division.objects.create(contest=played.contest, key="new", title="New")
    for name in ("Red", "Green"):
        played.teams[name].division = division
        played.teams[name].save()
    data = boards(played.contest, division=division)
    assert totals(data["defence"]) == {"Green": (1, 110.0), "Red": (2, 91.666666667)}
    # the best tables are those of all teams
    assert totals(data["attack"]) == {"Red": (1, 50.0), "Green": (2, 0.0)}
    assert totals(data["champion"]) == {"Green": (2, 5.0), "Red": (1, 4.0)}


def test_before_the_attacks_are_shown_utility_is_known(client):
    contest = listed(n_closed=1).contest
    data = boards(contest)
    assert data["champion"]["missing"] == ["protection", "attack"]
    assert all(row["total"] is None for row in data["attack"]["rows"])
    for name in ("champion", "defence", "attack"):
        assert "Provisional" in page_of(client, contest, name)


def test_the_platform_s_teams_attack_without_a_rank(client):
    played = listed('baselines = ["house"]\n')
    house = played.teams["Blue"]
    house.is_house = True
    house.save()
    data = boards(played.contest)
    # Blue's attack on Red, 66.67, still counts; its table is nobody's target
    assert totals(data["defence"]) == {"Green": (1, 110.0), "Red": (2, 91.666666667)}
    assert totals(data["attack"]) == {"Green": (1, 50.0), "Red": (2, 40.0)}
    assert {row["name"]: row["rank"] for row in data["matrix"]["rows"]}["Blue"] is None
    assert [row["name"] for row in data["matrix"]["defenders"]] == ["Green", "Red"]
    page = page_of(client, played.contest, "defence")
    assert "have no rank: the baseline teams of the platform" in page


def test_the_table_of_a_disqualified_team_is_lost(client):
    played = listed('disqualified = "lost"\n')
    Ruling.objects.create(team=played.teams["Blue"], kind=Ruling.Kind.DISQUALIFIED, reason="x")
    data = boards(played.contest)
    assert totals(data["defence"]) == {
        "Green": (1, 110.0),
        "Red": (2, 91.666666667),
        "Blue": (3, 80.0),
    }
    # against Green and Red; Blue found 20 of Green's and 66.67 of Red's
    assert totals(data["attack"])["Blue"] == (1, 86.666666667)
    assert "counts as found: Blue" in page_of(client, played.contest, "defence")
    out = boards(listed(slug="out").contest)
    assert set(totals(out["defence"])) == {"Blue", "Green", "Red"}


def test_records_that_several_attackers_found_take_points(client):
    played = listed('penalty = "repeats"\n')
    found = {
        ("Blue", "Red"): [True, True, False],
        ("Green", "Red"): [False, True, False],
        ("Red", "Green"): [True, False, False],
        ("Blue", "Green"): [False, True, False],
    }
    for pair, right in found.items():
        key = truth.right_key(np.array(right))
        played.guesses[pair].evaluations.update(right=key)
    data = boards(played.contest)
    # two attackers found Red's second record, and nobody the same one of Green's
    assert totals(data["defence"]) == {**DEFENCE, "Red": (3, 90.666666667)}
    assert "takes a point of its protection" in page_of(client, played.contest, "defence")
    Ruling.objects.create(team=played.teams["Green"], kind=Ruling.Kind.DISQUALIFIED, reason="x")
    assert totals(boards(played.contest)["defence"])["Red"] == (2, 91.666666667)


def test_the_rules_are_in_words():
    contest = listed(
        'baselines = ["built-in", "house"]\ndisqualified = "lost"\npenalty = "repeats"\n'
    )
    lines = dict(ranking_lines(contest.contest.ruleset))
    assert list(lines)[-5:-2] == ["Champion", "Defence", "Attackers"]
    assert lines["Champion"] == (
        "1 × rank on “Defence” + 2 × rank on “Attackers”; the lowest wins. "
        "Equal totals are decided by rank on “Defence”."
    )
    assert lines["Attackers"] == (
        "sum of the rates, in per cent, against the 2 tables that are best by total on “Defence”, and more where "
        "several are equal on the last place; a team whose own table is among them has the other ones only; the "
        "highest wins."
    )
    assert "L − 1" in lines["Also"]


def test_a_board_of_ranks_is_described_by_its_title():
    contest = listed("", ('formula = "sum"', 'formula = "part-ranks"')).contest
    assert dict(ranking_lines(contest.ruleset))["Defence"] == (
        "Sum of the ranks in utility, protection and attack; the lowest wins."
    )


def test_ceremonies_reports_archives_and_rescorings_know_the_boards(cast):
    contest = listed().contest
    now = timezone.now()
    assert list(placings(contest, now)) == ["Champion", "Defence", "Attackers"]
    assert [board.title for group in groups(contest, now) for board in group.boards] == [
        "Champion",
        "Defence",
        "Attackers",
        "Measures",
        "Attack matrix",
    ]
    data = boards(contest)
    assert ceremonies._order(data, contest.ruleset) == data["champion"]
    changed = [{"stage": "s", "division": "", "boards": data}]
    again = [{"stage": "s", "division": "", "boards": {**data, "defence": {"rows": []}}}]
    found = standings.differences(changed, again)
    assert {line["board"] for line in found} == {"s/defence"}


# At home


def downloads(client, contest, folder, stage=None):
    """The files of measures and of rates of a stage, as everybody downloads them."""
    paths = []
    for name in ("measures", "matrix"):
        asked = {"board": name, **({"stage": stage} if stage else {})}
        content = client.get(reverse("board-csv", args=[contest.slug]), asked).content
        path = folder / f"{stage}-{name}.csv"
        path.write_bytes(content)
        paths.append(str(path))
    return paths


def at_home(capsys, contest, folder, *arguments):
    """The boards that `rank` makes of the files: rank and total by team."""
    rules = folder / "rules.toml"
    rules.write_text(contest.ruleset_text, encoding="utf-8")
    assert main(["rank", "--ruleset", str(rules), *arguments, "--json"]) == 0
    return {
        board["key"]: {line["team"]: (line["rank"], line["total"]) for line in board["teams"]}
        for board in json.loads(capsys.readouterr().out)["boards"]
    }


def test_every_board_is_computed_at_home(client, capsys, tmp_path):
    contest = listed().contest
    measures, matrix = downloads(client, contest, tmp_path)
    found = at_home(capsys, contest, tmp_path, "--board", measures, "--rates", matrix)
    assert found == {"champion": CHAMPION, "defence": DEFENCE, "attack": ATTACK}
    lost = at_home(
        capsys, contest, tmp_path, "--board", measures, "--rates", matrix, "--lost", "Blue"
    )
    assert lost["defence"]["Blue"] == (3, 80.0)
    assert main(["rank", "--ruleset", str(tmp_path / "rules.toml"), "--board", measures]) == 0
    assert capsys.readouterr().out.startswith("Champion, lower is better\n\n")


def test_the_only_board_of_a_ruleset_is_computed_at_home(client, capsys, tmp_path):
    contest = board_facts.lecture().contest
    measures, matrix = downloads(client, contest, tmp_path)
    grades = tmp_path / "P.csv"
    grades.write_text("team,presentation\nRed,70\nBlue,50\n", encoding="utf-8")
    found = at_home(
        capsys, contest, tmp_path, "--board", measures, "--rates", matrix,
        "--presentation", str(grades),
    )  # fmt: skip
    assert found == {"score": totals(boards(contest)["score"])}


def test_a_season_is_computed_at_home_from_files_or_published_totals(client, capsys, tmp_path):
    contest = season()
    expected = {
        spec.key: totals(boards(contest, is_season=True)[name])
        for name, spec in zip(
            ("season", "season-defence", "season-attack"), contest.ruleset.boards, strict=True
        )
    }
    first, last = (downloads(client, contest, tmp_path, key) for key in ("preliminary", "final"))
    files = ["--board", first[0], last[0], "--rates", first[1], last[1], "--weights", "1:9"]
    assert at_home(capsys, contest, tmp_path, *files) == expected
    published = tmp_path / "T.csv"
    published.write_text("team,defence,attack\nRed,110,30\nBlue,150,50\n", encoding="utf-8")
    files = ["--totals", str(published), "--board", last[0], "--rates", last[1]]
    assert at_home(capsys, contest, tmp_path, *files, "--weights", "1:9") == expected


# A season

PRELIMINARY = load_ruleset("pwscup2015-season").text
OF_SEASON = PRELIMINARY[PRELIMINARY.index("[ranking]") :].partition("\n\n")[0]
RESULTS = {
    "first": {"Red": (0.4, 0.3), "Blue": (0.2, 0.5)},
    "last": {"Red": (0.1, 0.2), "Blue": (0.5, 0.4)},
}
"""The losses of the tables, and the rates of the attacks on the other team."""


def season(n_closed: int = 4):
    """Red is better in the final, which weighs nine times the preliminary."""
    replace = ((OF_SEASON, BOARDS), ("measures = [", 'measures = ["LOSS", '))
    contest = board_facts.contest_of(
        "pwscup2015-season", n_closed=n_closed, slug="season", replace=replace
    )
    teams = {name: factories.make_team(contest, name) for name in ("Red", "Blue")}
    first, first_attack, last, last_attack = contest.rounds.all()
    for key, table, attack in (("first", first, first_attack), ("last", last, last_attack)):
        published = {}
        for name, (loss, _) in RESULTS[key].items():
            submission = board_facts.scored(teams[name], table, {"LOSS": loss})
            published[name] = board_facts.release(submission, attack)
        for name, other in (("Red", "Blue"), ("Blue", "Red")):
            rate = board_facts.rate_of(RESULTS[key][name][1])
            board_facts.scored(teams[name], attack, rate, target=published[other])
    return contest


def test_every_board_of_a_list_has_a_season(client):
    contest = season()
    data = boards(contest, is_season=True)
    # 60 + 50 and 90 + 60; 80 + 70 and 50 + 80
    assert totals(data["season-defence"]) == {"Red": (1, 146.0), "Blue": (2, 132.0)}
    # the other's table: 30 against 50, then 20 against 40; ranks 2 and 2, 1 and 1
    assert totals(data["season-attack"]) == {"Blue": (1, 1.0), "Red": (2, 2.0)}
    # 1 + 2 × 2 and 2 + 2 × 1: of the seasons, in which Red is the better defender
    assert totals(data["season"]) == {"Blue": (1, 4.0), "Red": (2, 5.0)}
    assert data["season-attack"]["direction"] == "lower"
    for name, words in (
        ("season", "Season: Champion"),
        ("season-defence", "the weighted mean of the stages"),
        ("season-attack", "the weighted mean of the ranks in the stages"),
        ("season-attack", "the rank in the last stage"),
        ("defence", "Defence"),
    ):
        assert words in page_of(client, contest, name), name
    url = reverse("board-csv", args=[contest.slug])
    rows = list(
        csv.DictReader(
            io.StringIO(client.get(url, {"board": "season-attack"}).content.decode("utf-8-sig"))
        )
    )
    assert [(row["team"], row["total"]) for row in rows] == [("Blue", "1.0"), ("Red", "2.0")]
    assert client.get(url, {"board": "season-champion"}).status_code == 404
    found = [board.title for group in groups(contest, timezone.now()) for board in group.boards]
    assert found[:3] == ["Season: Champion", "Season: Defence", "Season: Attackers"]
    titles = list(placings(contest, timezone.now()))
    assert titles[-3:] == ["Season: Champion", "Season: Defence", "Season: Attackers"]
    assert ceremonies._order(data, contest.ruleset) == data["season"]
    lines = dict(ranking_lines(contest.ruleset))
    assert "Season: mean of the ranks in the stages, weighted 1 : 9" in lines["Attackers"]


def test_a_stage_enters_the_season_when_its_attacks_are_shown():
    contest = season(n_closed=2)
    data = boards(contest, timezone.now() + timedelta(hours=1), is_season=True)
    assert totals(data["season-defence"]) == {"Blue": (1, 150.0), "Red": (2, 110.0)}
    assert [stage["shown"] for stage in data["season"]["stages"]] == [True, False]


def test_an_archive_s_boards_are_those_of_the_contest():
    contest = season()
    teams = {
        team.pk: standings.Called(n, team.slug, team.name)
        for n, team in enumerate(contest.teams.all(), 1)
    }
    found = standings.boards_of(contest, timezone.now(), teams, is_final=True)
    of_season = next(variant["boards"] for variant in found if not variant["stage"])
    assert totals(of_season["season"]) == {"Blue": (1, 4.0), "Red": (2, 5.0)}
