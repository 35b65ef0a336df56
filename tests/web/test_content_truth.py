# SPDX-License-Identifier: Apache-2.0
"""True records under other rows: found by their content, last on the board, and refused by the gate of copies."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.urls import reverse

from pwscup.core.files import storage
from pwscup.submissions import draws, evaluation, selectors
from scoring.rulesets import load_ruleset, parse_ruleset
from scoring.scores.content import Contents
from tests import factories
from tests.web import lecture, pipeline, questions
from tests.web.pipeline import scored
from tests.web.questions import LINKS

pytestmark = pytest.mark.usefixtures("sent")


def lines_of(data: bytes) -> list[bytes]:
    return data.decode("utf-8-sig").encode().splitlines()


def sorted_file(table: bytes) -> bytes:
    """As a spreadsheet sorts it by town: all records unchanged, few on their lines."""
    header, *lines = lines_of(table)
    return b"\n".join([header, *sorted(lines, key=lambda line: line.split(b",")[1]), b""])


def grouped(table: bytes) -> bytes:
    """Ten records as two groups of five equal ones."""
    header, *lines = lines_of(table)
    ranked = sorted(lines, key=lambda line: int(line.split(b",")[0]))
    cells = [line.split(b",") for line in ranked]
    group = {line: at // 5 for at, line in enumerate(ranked)}
    means = [b",".join((cells[5 * g + 2][0], cells[5 * g][1], cells[5 * g + 4][2])) for g in (0, 1)]
    return b"\n".join([header, *(means[group[line]] for line in lines), b""])


def true_guess(release) -> bytes:
    """An attacker who looks at the lines: the candidate that each of them equals, 0 for none."""
    known = {line: n for n, line in enumerate(lines_of(storage.read(release.candidates))[1:], 1)}
    lines = lines_of(storage.read(release.table))[1:]
    return b"".join(b"%d\n" % known.get(line, 0) for line in lines)


@pytest.fixture
def played(cast) -> SimpleNamespace:
    """Red's file was sorted by accident, Blue's is grouped; both are attacked by their lines."""
    cup = lecture.contest_of(cast)
    for team, (own, candidates) in {
        cup.red: questions.drawn_for(cup.red),
        cup.blue: questions.drawn_for(cup.blue),
    }.items():
        factories.give_table(team, own, candidates)
    made = sorted_file(lecture.own_table(cup.red))
    assert sorted(made.splitlines()) == sorted(lines_of(lecture.own_table(cup.red)))
    cup.table = scored(lecture.hand_in(cast.alice, cup.red, made))
    scored(lecture.hand_in(cast.carol, cup.blue, grouped(lecture.own_table(cup.blue))))
    cup.releases = lecture.publish(cup.contest)
    red, blue = cup.releases["Red"], cup.releases["Blue"]
    cup.guess = scored(pipeline.guess(cast.carol, cup.blue, red, true_guess(red)))
    scored(pipeline.guess(cast.alice, cup.red, blue, true_guess(blue)))
    pipeline.close(lecture.round_of(cup.contest, "attack"))
    return cup


def test_a_sorted_file_is_found_whole_and_last_on_the_board(cast, played, as_user):
    values = selectors.latest_evaluation(played.guess).values
    assert values["declared"] <= 0.2
    assert (values["content"], values["rate"], values["hits"]) == (1, 1, 10)
    page = as_user(None).get(reverse("board", args=[played.contest.slug])).text
    assert page.index("Blue") < page.index("Red")
    result = as_user(cast.carol).get(reverse("submission", args=[played.guess.public_id])).text
    assert "by the declared rows" in result
    assert "by the content of the lines" in result
    listed = as_user(cast.carol).get(reverse("round", args=[played.contest.slug, "attack"])).text
    assert "by content 100" in listed
    own = as_user(cast.alice).get(reverse("submission", args=[played.table.public_id])).text
    assert "10 records are as they were" in own


def test_a_debriefing_does_not_congratulate_on_it(played):
    debrief = evaluation.debriefed_table(played.releases["Red"], [played.guess])
    assert sum(debrief["times"][1:]) == 10
    assert debrief["n_copies"] == 10


def test_rules_that_change_afterwards_find_the_contents_then(played):
    release = played.releases["Red"]
    sealed = evaluation.cases.Case(played.guess).answer()
    assert Contents.from_dict(sealed["contents"]).shown.min() >= 0
    text = played.contest.ruleset_text.replace('truth = "either"', 'truth = "declared"')
    plain = evaluation.evaluate(played.guess.pk, parse_ruleset(text))
    assert plain.values == {
        "n_records": 10,
        "hits": plain.values["hits"],
        "rate": plain.values["rate"],
    }
    assert plain.values["rate"] <= 0.2
    release.submission.round.contest.ruleset = parse_ruleset(text)
    before = evaluation.shuffled_table(release.submission, release.round)
    assert b"contents" not in before.key


def test_the_line_of_a_record_is_the_one_that_shows_it(cast):
    rules = questions.ruleset({**LINKS, "result": "recall_precision_top"}, truth="either")
    cup = questions.contest_of(cast, rules)
    for user, team in ((cast.alice, cup.red), (cast.carol, cup.blue)):
        factories.give_table(team, *questions.drawn_for(team))
        scored(lecture.hand_in(user, team, sorted_file(lecture.own_table(team))))
    release = lecture.publish(cup.contest)["Red"]
    published = lines_of(storage.read(release.table))[1:]
    asked = lines_of(questions.sheets_of(release)["lines.csv"])
    assert asked[0] == b"question,age,city,balance"
    found = [
        published.index(record) + 1 if record in published else -1
        for record in (line.split(b",", 1)[1] for line in asked[1:])
    ]
    answer = "question,line_1,line_2\n" + "".join(
        f"{n},{line},-1\n" for n, line in enumerate(found, start=1)
    )
    taken = questions.answer(cast.carol, cup.blue, release, {"lines": answer.encode()})
    values = selectors.latest_evaluation(scored(taken)).values
    assert values["rate"] == 1
    assert values["lines.declared"] <= 0.2
    assert values["lines.content"] == 1


def test_rows_of_a_common_table_are_found_by_their_content(cast):
    rules = parse_ruleset(
        factories.without_gates(load_ruleset("microdata-classroom").text).replace(
            'schema = "households"', ""
        )
    )
    contest = factories.make_contest(slug="room", organizer=cast.oscar, ruleset=rules)
    cup = pipeline.two_teams(cast, contest)
    original = storage.read(contest.datasets.get(team=None, key="original").public)
    n = len(lines_of(original)) - 1
    rows = "".join(f"{(at + 1) % n + 1}\n" for at in range(n)).encode()
    round = pipeline.round_of(contest, "anonymization")
    scored(pipeline.hand_in(cast.alice, cup.red, round, anonymized=original, rows=rows))
    release = pipeline.publish(contest)["Red"]
    known = {line: at for at, line in enumerate(lines_of(original)[1:], start=1)}
    guess = b"".join(b"%d\n" % known[line] for line in lines_of(storage.read(release.table))[1:])
    values = selectors.latest_evaluation(
        scored(pipeline.guess(cast.carol, cup.blue, release, guess))
    ).values
    assert (values["rate"], values["declared"], values["content"]) == (1, 0, 1)


def test_the_lectures_gate_refuses_records_as_they_are(cast):
    rules = parse_ruleset(
        load_ruleset("pets-lecture")
        .text.replace("= 100  ", "= 10 ")
        .replace("sample = 100", "sample = 10")
    )
    cup = SimpleNamespace(
        **vars(
            pipeline.two_teams(
                cast, factories.make_lecture_contest(organizer=cast.oscar, ruleset=rules)
            )
        )
    )
    factories.give_table(cup.red, *questions.drawn_for(cup.red))
    refused = scored(lecture.hand_in(cast.alice, cup.red, sorted_file(lecture.own_table(cup.red))))
    assert (refused.state, [p["code"] for p in refused.problems]) == ("rejected", ["gate.above"])
    assert "Records as they were" in str(refused.problems[0])
    assert (
        scored(lecture.hand_in(cast.alice, cup.red, grouped(lecture.own_table(cup.red)))).state
        == "scored"
    )


def test_records_of_others_are_copies_too(cast):
    text = load_ruleset("synthetic-cohort").text
    gate = text[text.index("[[scoring.gate]]") : text.index("[scoring.options]")]
    rules = parse_ruleset(
        factories.cohort_ruleset().text.replace("[scoring.options]", gate + "[scoring.options]")
    )
    cup = pipeline.two_teams(cast, factories.make_cohort_contest(rules, organizer=cast.oscar))
    draws.ensure_drawn(cup.red)
    whole = lines_of(storage.read(cup.contest.datasets.get(team=None, key="original").public))
    lines = [line for line in whole if line not in set(lines_of(lecture.own_table(cup.red)))]
    for others, state in ((lines[:30], "rejected"), (changed_in_all(lines[:30]), "scored")):
        table = b"\n".join([whole[0], *others, b""])
        files = {"synthetic": ("y.csv", table)}
        assert scored(lecture.hand_in(cast.alice, cup.red, b"", files=files)).state == state


def changed_in_all(lines: list[bytes]) -> list[bytes]:
    """Each record with an amount that is one more."""
    found = []
    for line in lines:
        *cells, last = line.split(b",")
        found.append(b",".join([*cells, b"%d" % (int(last) + 1)]))
    return found
