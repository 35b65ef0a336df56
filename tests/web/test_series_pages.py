# SPDX-License-Identifier: Apache-2.0
"""What participants see of a contest of sequential release: rules, round pages, refused archives, results."""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

from pwscup.contests.rules.pages import preview_of, rules_of
from pwscup.core.files import storage
from pwscup.submissions import draws, releases, services
from scoring.datasets.hospital import HOSPITAL_SCHEMA
from scoring.formats.sequential.bundles import pack, unpack
from scoring.formats.sequential.limits import SeriesLimits
from scoring.registry import SERIES_MEASURES
from scoring.rulesets import load_ruleset
from scoring.rulesets.base import SequentialSpec
from tests import factories
from tests.web import pipeline

RULESET = load_ruleset("sequential-release")


@pytest.fixture
def played(cast) -> SimpleNamespace:
    """The cast in a contest whose release round is open, Red and Blue with tables of their own."""
    contest = factories.make_series_contest(organizer=cast.oscar)
    red = factories.make_team(contest, "Red", cast.alice, cast.bob)
    blue = factories.make_team(contest, "Blue", cast.carol)
    for team in (red, blue):
        assert draws.ensure_drawn(team) is not None
    return SimpleNamespace(
        contest=contest,
        red=red,
        blue=blue,
        release=contest.rounds.get(key="release"),
        attack=contest.rounds.get(key="attack"),
    )


def text_of(response) -> str:
    return " ".join(response.content.decode().replace("\xa0", " ").split())


def hand_in(user, team, round, data: bytes):
    return services.submit(
        user=user,
        team=team,
        round=round,
        files={"series": ("series.zip", data)},
        arrived_at=timezone.now(),
    )


def publish(cast, played):
    """Both teams hand in, and the attack opens; the releases by team name."""
    for user, team in ((cast.alice, played.red), (cast.carol, played.blue)):
        pipeline.scored(hand_in(user, team, played.release, factories.series_of_team(team)))
    now, hour = timezone.now(), timedelta(hours=1)
    pipeline.move(played.release, now - 5 * hour, now - 2 * hour)
    pipeline.move(played.attack, now - hour, now + hour)
    return {release.team.name: release for release in releases.publish(played.attack)}


# The rules


def said(ruleset=RULESET) -> str:
    rules = preview_of(ruleset)
    files = [file.format for round in rules.rounds for file in round.files]
    return " ".join((*rules.data, *files, *rules.marking, *rules.options))


def test_the_rules_tell_what_a_series_is_and_how_it_is_checked():
    words = said()
    for part in ("R1.csv", "C1.csv", "N1.csv", "D1.csv", "_low", "_high", "id and value"):
        assert part in words
    for sentence in (
        "300 people",
        "No person is given to two teams",
        "whose region contains it",
        "every group has at least 3 rows",
        "rows that remain are counterfeits",
        "accuracy over the baseline",
        "its first release",
    ):
        assert sentence in words
    for of_tables in ("A cell may hold", "re-identification", "source_row", "candidate"):
        assert of_tables not in words


@pytest.mark.parametrize(
    ("require", "definition", "words"),
    [
        ("m-unique", "counting", ("m-unique with m = 7", "row counting")),
        ("m-invariance", "worlds", ("m-invariant with m = 7", "computed by possible worlds.")),
        ("m-unique", "m-invariance", ("m-unique with m = 7", "worlds that keep signatures")),
    ],
)
def test_the_rules_follow_what_is_asked_of_a_series(require, definition, words):
    ruleset = dataclasses.replace(RULESET, sequential=SequentialSpec(7, require, definition))
    for part in words:
        assert part in said(ruleset)


def test_the_rules_tell_how_much_may_be_left_out_displaced_and_made_up():
    limits = {
        SeriesLimits(max_deleted=0.05): "At most 5 % of the records of all tables are left out.",
        SeriesLimits(max_displaced=0.125): "At most 12.5 % of the published records lie outside",
        SeriesLimits(max_counterfeits=0): "at most 0 counterfeits for every 100 records",
    }
    for bound, words in limits.items():
        assert words not in said()
        spec = dataclasses.replace(RULESET.sequential, limits=bound)
        assert words in said(dataclasses.replace(RULESET, sequential=spec))


def test_a_series_beyond_the_limits_is_refused_and_the_page_tells_them(cast, as_user):
    rules = factories.series_ruleset(definition='"counting"\nmax_counterfeits = 0')
    contest = factories.make_series_contest(organizer=cast.oscar, rules=rules)
    red = factories.make_team(contest, "Red", cast.alice)
    assert draws.ensure_drawn(red) is not None
    data = factories.series_of_team(red)
    submission = pipeline.scored(hand_in(cast.alice, red, contest.rounds.get(key="release"), data))
    client = as_user(cast.alice)
    response = client.get(reverse("submission", args=[submission.public_id]))
    assert {p.what for p in response.context["problems"]} == {"more rows than the limits allow"}
    page = text_of(client.get(reverse("round", args=[contest.slug, "release"])))
    assert "at most 0 counterfeits for every 100 records of all tables" in page
    assert "--definition counting --max-counterfeits 0.0</pre>" in page


def test_the_identifier_is_a_column_that_teams_get():
    rules = rules_of(RULESET, (), HOSPITAL_SCHEMA, max_team_size=3)
    roles = {column.name: column.role for column in rules.columns}
    assert list(roles) == list(HOSPITAL_SCHEMA.names)
    assert roles["patient"] == "identifier"


def test_every_measure_of_a_series_is_told():
    families = preview_of(RULESET).families
    assert [family.title for family in families] == [
        "Utility: the information loss of the releases",
        "Risk: the attacker's confidence about an individual's value",
    ]
    measures = [measure for family in families for measure in family.measures]
    assert {rule.measure.id for rule in measures} == set(SERIES_MEASURES)
    assert all(r.measure.summary and r.measure.best and r.measure.worst for r in measures)
    assert all(rule.measure.definition for rule in measures)


@pytest.mark.parametrize(
    ("attacked", "linkage", "words"),
    [
        (True, (), "once the attack round has closed, on the worst rate that another team"),
        (False, (), "mean of the ranks on series-risk-max, series-risk-mean, series-risk-share"),
        (True, ("series-risk-mean",), "the worst rate: over series-risk-mean and, once"),
        (False, ("series-risk-mean",), "and on the worst rate over series-risk-mean"),
    ],
)
def test_the_safety_rank_names_what_there_is(attacked, linkage, words):
    ruleset = dataclasses.replace(
        RULESET,
        rounds=RULESET.rounds if attacked else RULESET.rounds[:1],
        ranking=dataclasses.replace(RULESET.ranking, linkage=linkage),
    )
    lines = dict(preview_of(ruleset).ranking)
    assert words in lines["Safety rank"]
    assert lines["Safety rank"].endswith("share") == (not attacked and not linkage)
    assert ("Attack board" in lines) == attacked


def test_the_rules_page(played, as_user):
    page = text_of(as_user(None).get(reverse("rules", args=[played.contest.slug])))
    assert "20 people" in page
    assert "with m = 2" in page
    assert "Attackers know identifiers and quasi-identifiers" in page
    assert "Cross" not in page
    assert "None" not in page


# Overview


def test_the_overview_leads_to_the_teams_tables(cast, played, as_user):
    address = reverse("contest", args=[played.contest.slug])
    own = text_of(as_user(cast.alice).get(address))
    assert "publish a release of each" in own
    assert "no other team has these people" in own
    assert "teamred_original.zip" in own
    assert "sample" not in own
    assert "of 20 people, one for each time, drawn when the first round opens" in text_of(
        as_user(None).get(address)
    )
    organizers = text_of(as_user(cast.oscar).get(address))
    assert "records of 20 people of these tables" in organizers
    assert "series-original.zip" in organizers


def test_a_table_that_waits_is_offered_to_be_drawn(cast, played, as_user):
    factories.make_team(played.contest, "Green", cast.eve)
    page = text_of(as_user(cast.eve).get(reverse("contest", args=[played.contest.slug])))
    assert reverse("team-data", args=[played.contest.slug, "green", "original.zip"]) in page


# The release round


def test_the_round_page_says_what_to_do(cast, played, as_user):
    client = as_user(cast.alice)
    address = reverse("round", args=[played.contest.slug, "release"])
    response = client.get(address)
    page = text_of(response)
    assert "Submit a series of releases" in page
    assert 'accept=".zip,application/zip"' in page
    original, schema = response.context["original"], response.context["schema"]
    assert original.name.endswith("teamred_original.zip")
    assert f"publish --m 2 --tables {original.name} --schema {schema.name}" in page
    assert "--m 2 --require m-unique --definition counting" in page
    for of_tables in ("header of", "source_row", "Row numbers", "CSV file here", "keep its line"):
        assert of_tables not in page
    assert client.get(original.url)["Content-Type"] == "application/zip"
    assert 'role = "identifier"' in client.get(schema.url).content.decode()


@pytest.mark.parametrize("who", ["oscar", "eve", None])
def test_spectators_see_the_rounds(cast, played, as_user, who):
    client = as_user(getattr(cast, who) if who else None)
    for key in ("release", "attack"):
        response = client.get(reverse("round", args=[played.contest.slug, key]))
        assert response.status_code == 200
        assert response.context["form"] is None
        assert "python -m scoring" not in response.content.decode()


def test_a_series_is_handed_in_and_its_result_reads_well(cast, played, as_user):
    client = as_user(cast.alice)
    address = reverse("round", args=[played.contest.slug, "release"])
    data = factories.series_of_team(played.red)
    sent = {"series": SimpleUploadedFile("series.zip", data), "note": "plain m-invariance"}
    response = client.post(address, sent)
    assert response.status_code == 302
    submission = pipeline.scored(played.red.submissions.get())
    assert submission.state == "scored"
    result = client.get(response["Location"])
    page = text_of(result)
    shown = [row.measure.id for family in result.context["families"] for row in family.rows]
    assert shown == list(SERIES_MEASURES)
    assert [family.title for family in result.context["families"]] == [
        "Utility",
        "Risk of a known value",
    ]
    n = result.context["sizes"]
    assert n["n_people"] == 20
    assert (
        f"{n['n_rows']} rows in {n['n_groups']} groups, for {n['n_tuples']} records of 20" in page
    )
    assert "None" not in page
    assert "anonymized records" not in page
    assert 'data-chart="linkage"' not in page
    history = client.get(address)
    assert [measure.id for measure in history.context["headline"]] == [
        "series-extent",
        "series-query-error",
        "series-risk-max",
        "series-risk-mean",
    ]
    assert "plain m-invariance" in text_of(history)


def test_headline_measures_begin_with_what_utility_is_made_of(played):
    from pwscup.submissions.pages.lines import headline_of

    rules = played.contest.ruleset
    ranking = dataclasses.replace(rules.ranking, utility_measure="series-discernibility")
    shown = headline_of(dataclasses.replace(rules, ranking=ranking), {"series-extent"})
    assert shown == [
        "series-discernibility",
        "series-query-error",
        "series-risk-max",
        "series-risk-mean",
    ]


# Refused archives


def changed(team, **files: bytes | None) -> bytes:
    """The team's series with other files, or without those that are None."""
    parts = unpack(factories.series_of_team(team), "RC", file="series")
    named = {f"{letter}{n}": data for letter, found in parts.items() for n, data in found.items()}
    named |= files
    return pack({f"{name}.csv": data for name, data in named.items() if data is not None})


def lines_of(team, name: str) -> list[list[str]]:
    data = unpack(factories.series_of_team(team), "RC", file="series")[name[0]][int(name[1:])]
    return [line.split(",") for line in data.decode().splitlines()]


def joined(lines: list[list[str]]) -> bytes:
    return "".join(",".join(line) + "\n" for line in lines).encode()


def not_a_zip(team):
    return b"group,age_low\n1,20\n", [("series.zip", None, "not a zip archive")]


def missing_release(team):
    return changed(team, R3=None, C3=None), [("series.zip", None, "expected R3.csv")]


def wrong_box(team):
    lines = lines_of(team, "R2")
    lines[2][1] = str(int(float(lines[2][1])) - 1)
    assert lines[2][0] == lines[1][0]
    return changed(team, R2=joined(lines)), [("R2.csv", 2, "different intervals")]


def small_group(team):
    lines = lines_of(team, "R1")
    group = lines[1][0]
    kept = [line for n, line in enumerate(lines) if n <= 1 or line[0] != group]
    data = changed(team, R1=joined(kept), C1=None, C2=None, C3=None)
    return data, [
        ("R1.csv", ..., f"group {group} is too small"),
        ("T1.csv", ..., "no remaining row"),
    ]


def repeated_value(team):
    lines = lines_of(team, "R1")
    lines[2][-1] = lines[1][-1]
    data = changed(team, R1=joined(lines), C1=None, C2=None, C3=None)
    return data, [
        ("R1.csv", ..., f"group {lines[1][0]} has a value twice"),
        ("T1.csv", ..., "no remaining row"),
    ]


def unknown_id(team):
    return changed(team, D2=b"patient\nnobody\n"), [("D2.csv", 1, "got “nobody”")]


def wrong_counterfeits(team):
    lines = lines_of(team, "C1")
    lines[1][1] = str(int(lines[1][1]) + 1)
    return changed(team, C1=joined(lines)), [("C1.csv", None, "counterfeits of all groups")]


@pytest.mark.parametrize(
    "broken",
    [
        not_a_zip,
        missing_release,
        wrong_box,
        small_group,
        repeated_value,
        unknown_id,
        wrong_counterfeits,
    ],
    ids=lambda broken: broken.__name__,
)
def test_a_refused_series_is_told_file_by_file(cast, played, as_user, broken):
    data, expected = broken(played.red)
    submission = pipeline.scored(hand_in(cast.alice, played.red, played.release, data))
    assert submission.state == "rejected"
    response = as_user(cast.alice).get(reverse("submission", args=[submission.public_id]))
    found = response.context["problems"]
    for file, row, words in expected:
        assert any(
            p.file == file
            and (row is ... or p.row == row)
            and words in " ".join((p.what, *p.details))
            for p in found
        ), found
    page = text_of(response)
    assert "No attempt was used." in page
    assert "R, C, N and D are files of your archive" in page
    for problem in found:
        assert escape(problem.what) in page


def test_many_problems_are_counted_and_the_first_ones_shown(cast, played, as_user):
    lines = lines_of(played.red, "R1")
    rows = [[*line[:-1], "no such disease"] for line in lines[1:]]
    more = [[str(n), *rows[0][1:]] for n in range(1000, 1250)]
    data = changed(played.red, R1=joined([lines[0], *rows, *more]))
    submission = pipeline.scored(hand_in(cast.alice, played.red, played.release, data))
    assert (submission.state, submission.n_problems > 200) == ("rejected", True)
    response = as_user(cast.alice).get(reverse("submission", args=[submission.public_id]))
    n_shown = sum(1 + len(problem.further) for problem in response.context["problems"])
    assert 0 < n_shown < submission.n_problems
    assert f"and {submission.n_problems - n_shown} more problems" in text_of(response)
    assert {problem.file for problem in response.context["problems"]} == {"R1.csv"}


# The attack round


def test_the_attack_page_says_what_to_do(cast, played, as_user):
    publish(cast, played)
    response = as_user(cast.alice).get(reverse("round", args=[played.contest.slug, "attack"]))
    page = text_of(response)
    for part in (
        "teamblue_series.zip",
        "teamblue_people.zip",
        "20 people",
        "<code>id,value</code>",
        "Download all targets (zip)",
        "guess --method intersection --people teamblue_people.zip --series teamblue_series.zip",
        f"--schema {played.contest.slug}-schema.toml --out blue.csv",
        "teamred_series.zip",
    ):
        assert part in page
    for of_tables in ("One number per line", "Row numbers", "shuffled", "Candidates", "20 records"):
        assert of_tables not in page


@pytest.mark.long
def test_the_commands_of_the_pages_lead_to_a_result(cast, played, as_user, tmp_path, monkeypatch):
    from scoring.cli import main as cli

    published = publish(cast, played)["Blue"]
    client = as_user(cast.alice)
    response = client.get(reverse("round", args=[played.contest.slug, "attack"]))
    monkeypatch.chdir(tmp_path)
    for file in (published.table, published.candidates):
        (tmp_path / file.name).write_bytes(storage.read(file))
    schema = client.get(reverse("schema", args=[played.contest.slug])).content
    (tmp_path / f"{played.contest.slug}-schema.toml").write_bytes(schema)
    command = response.content.decode().partition("python -m scoring ")[2].partition("</pre>")[0]
    assert cli.main(command.replace("\\\n", " ").split()) == 0
    guess = (tmp_path / "blue.csv").read_bytes()
    assert guess.startswith(b"id,value\n")
    sent = {"guess": SimpleUploadedFile("blue.csv", guess)}
    answer = client.post(response.request["PATH_INFO"], sent)
    assert answer.status_code == 302
    submission = pipeline.scored(played.attack.submissions.get())
    assert submission.state == "scored"
    waiting = text_of(client.get(reverse("submission", args=[submission.public_id])))
    assert "Its rate is shown after the round has closed" in waiting
    pipeline.close(played.attack)
    result = client.get(reverse("submission", args=[submission.public_id]))
    page, values = text_of(result), result.context["visible"].values
    assert set(values) == {"n_records", "hits", "baseline_hits", "rate"}
    assert "accuracy over the baseline" in page
    assert "correct guesses, of 20 people" in page
    assert f'<div class="stat">{values["baseline_hits"]}</div>' in page
    assert "re-identif" not in page.partition("<main")[2]


def test_the_first_commands_make_a_series_that_is_accepted(
    cast, played, as_user, tmp_path, monkeypatch
):
    from scoring.cli import main as cli

    client = as_user(cast.alice)
    response = client.get(reverse("round", args=[played.contest.slug, "release"]))
    monkeypatch.chdir(tmp_path)
    for key in ("original", "schema"):
        file = response.context[key]
        (tmp_path / file.name).write_bytes(client.get(file.url).content)
    for part in response.content.decode().split("python -m scoring ")[1:]:
        command = part.partition("</pre>")[0]
        assert cli.main(command.replace("\\\n", " ").split()) == 0
    data = (tmp_path / "series.zip").read_bytes()
    submission = pipeline.scored(hand_in(cast.alice, played.red, played.release, data))
    assert submission.state == "scored"


@pytest.mark.parametrize(
    ("guess", "row", "words"),
    [
        (b"id,value\nnobody,flu\n", 1, "no record has that id"),
        (b"id,value\n%s,no such disease\n", 1, "no such disease"),
        (b"id,value\n%s,flu\n%s,flu\n", 2, "guessed twice"),
        (b"1\n2\n", None, ""),
    ],
)
def test_a_refused_guess_is_told_line_by_line(cast, played, as_user, guess, row, words):
    target = publish(cast, played)["Blue"]
    table = factories.tables_of_team(played.blue)[1]
    someone = table.splitlines()[1].split(b",")[0]
    data = guess.replace(b"%s", someone)
    submission = pipeline.scored(pipeline.guess(cast.alice, played.red, target, data))
    assert submission.state == "rejected"
    response = as_user(cast.alice).get(reverse("submission", args=[submission.public_id]))
    problem = response.context["problems"][0]
    assert (problem.file, problem.row) == ("guess.csv", row)
    assert words in " ".join((problem.what, *problem.details))
    page = text_of(response)
    assert "Rows are counted from 1" in page
    assert "files of your archive" not in page


def test_where_nobody_published_there_is_nothing_to_attack(cast, played, as_user):
    now, hour = timezone.now(), timedelta(hours=1)
    pipeline.move(played.release, now - 5 * hour, now - 2 * hour)
    pipeline.move(played.attack, now - hour, now + hour)
    page = as_user(cast.alice).get(reverse("round", args=[played.contest.slug, "attack"]))
    assert "Nothing was published" in text_of(page)
