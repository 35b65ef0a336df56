# SPDX-License-Identifier: Apache-2.0
"""The form of the usual keys: it edits the text of the rules, of which there is one."""

from __future__ import annotations

import html
import re
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwscup.contests import services
from pwscup.contests.models import Contest, RulesetVersion
from pwscup.rescores import keys
from pwscup.rescores.coloured import coloured
from pwscup.rescores.forms import KeysForm
from scoring.rulesets import load_ruleset, parse_ruleset, ruleset_names
from tests import factories
from tests.web.pipeline import hand_in

PAGE, PREVIEW = "/organize/cup/rules/", "/organize/cup/rules/preview/"


def entered(contest: Contest, **changes: object) -> dict[str, object]:
    """The form as a browser sends it: its initial values, with these changes."""
    form = KeysForm(contest)
    values = {name: form[name].value() for name in form.fields}
    filled = {name: "" if value is None else value for name, value in values.items()}
    return filled | {"keys": "1"} | changes


def now(contest: Contest) -> Contest:
    return Contest.objects.get(pk=contest.pk)


def rules(contest: Contest) -> dict:
    return tomllib.loads(now(contest).ruleset_text)


# The text


@pytest.mark.parametrize("name", ruleset_names())
def test_every_format_has_usual_keys_that_change_nothing_unless_changed(cast, name):
    ruleset = load_ruleset(name)
    contest = factories.make_contest("other", organizer=cast.oscar, ruleset=ruleset)
    form = KeysForm(contest, entered(contest))
    assert form.is_valid(), form.errors
    assert form.changed_data == []
    assert form.text(with_rounds=True) == contest.ruleset_text
    assert len(form.keys) >= 2
    assert form.plans() == [services.rounds.plan_of(round) for round in contest.rounds.all()]


@pytest.mark.parametrize("name", ruleset_names())
def test_comments_of_every_format_stay(name):
    text = load_ruleset(name).text
    edited = keys.with_keys(text, {("limits", "max_team_size"): 3, ("round", 0, "tries"): 7})
    changed = [
        (before, after)
        for before, after in zip(text.splitlines(), edited.splitlines(), strict=True)
        if before != after
    ]
    assert len(changed) == 2
    assert parse_ruleset(edited).limits.max_team_size == 3


@given(
    st.dictionaries(
        st.sampled_from(["a", "b", "a b", "ü", "1"]),
        st.one_of(st.integers(-9, 9), st.text(max_size=5), st.lists(st.integers(0, 9), max_size=9)),
        min_size=1,
    )
)
def test_any_value_is_read_back(values):
    text = '# first\n[t]\na = "x" # one\n\n[[u]]\nb = 1\n'
    edited = keys.with_keys(text, {("t", key): value for key, value in values.items()})
    assert tomllib.loads(edited) == {"t": {"a": "x"} | values, "u": [{"b": 1}]}
    assert edited.startswith("# first\n")


def test_an_unusual_text_is_written_anew():
    assert tomllib.loads(keys.with_keys("t.a = 1\n", {("t", "b"): 2})) == {"t": {"a": 1, "b": 2}}


def test_colours_hide_nothing_and_mark_up_nothing():
    for name in ruleset_names():
        text = load_ruleset(name).text
        shown = str(coloured(text))
        assert html.unescape(re.sub(r"</?span[^>]*>", "", shown)) == text
    assert "<b>" not in coloured('a = "<b>"')


# The page


def test_the_team_size_in_force_stands_next_to_the_one_of_the_rules(cast, oscar):
    Contest.objects.filter(pk=cast.contest.pk).update(max_team_size=4)
    page = oscar.get("/organize/cup/rules/").content.decode()
    assert "In force: 4, by the settings, which may allow less." in page


def test_saving_changes_the_text_and_the_rounds(cast, oscar):
    given = entered(
        cast.contest,
        **{"max_team_size": 6, "anonymization_weight": 60, "anonymization-tries": 7},
    )
    answer = oscar.post(PAGE, given, follow=True)
    assert "The new rules are in force." in answer.content.decode()
    found = rules(cast.contest)
    assert found["limits"]["max_team_size"] == 6
    assert (found["ranking"]["anonymization_weight"], found["ranking"]["attack_weight"]) == (
        0.6,
        0.4,
    )
    assert found["round"][0]["tries"] == 7
    assert now(cast.contest).rounds.first().tries == 7
    assert "# every team anonymizes the same table" in now(cast.contest).ruleset_text
    note = RulesetVersion.objects.order_by("-number").first().note
    assert "limits.max_team_size: 10 → 6" in note


def test_the_preview_lists_changes_and_saves_nothing(cast, oscar):
    given = entered(cast.contest, max_team_size=6)
    for address, extra in ((PAGE, {"preview": "1"}), (PREVIEW, {})):
        page = oscar.post(address, given | extra).content.decode()
        assert "1 change, not saved yet" in page
        assert "<code>limits.max_team_size</code>: <del>10</del> → <ins>6</ins>" in page
    assert now(cast.contest).ruleset_text == cast.contest.ruleset_text
    assert "not saved yet" not in oscar.get(PAGE).content.decode()


def test_a_removed_measure_leaves_the_ranking(cast, oscar):
    kept = [m for m in cast.contest.ruleset.measures if m not in ("U2", "E4")]
    oscar.post(PAGE, entered(cast.contest, measures=[*kept, "marginals"]))
    found = rules(cast.contest)
    assert found["scoring"]["measures"] == [*kept, "marginals"]
    assert found["ranking"]["utility"] == ["U1", "U3", "U4", "U5", "U6", "marginals"]
    assert "E4" not in found["ranking"]["linkage"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("max_team_size", "0"),
        ("max_file_mib", "x"),
        ("anonymization_weight", "101"),
        ("measures", "U99"),
    ],
)
def test_a_wrong_value_is_shown_at_its_field(cast, oscar, field, value):
    answer = oscar.post(PAGE, entered(cast.contest, **{field: value}))
    assert answer.status_code == 422
    assert answer.context["keys_form"].errors.keys() == {field}
    assert now(cast.contest).ruleset_text == cast.contest.ruleset_text


def test_what_the_library_refuses_is_refused(cast, oscar):
    answer = oscar.post(PAGE, entered(cast.contest, measures=["S1", "S2", "E1"]))
    assert answer.status_code == 422
    assert "problem" in answer.content.decode()
    assert now(cast.contest).ruleset_text == cast.contest.ruleset_text


def test_nothing_changed_is_refused_and_an_old_page_too(cast, oscar):
    answer = oscar.post(PAGE, entered(cast.contest))
    assert "Nothing differs from the rules in force." in answer.content.decode()
    given = entered(cast.contest, max_team_size=6, version=cast.contest.version + 7)
    assert "Another organizer changed this contest" in oscar.post(PAGE, given).content.decode()
    assert now(cast.contest).ruleset_text == cast.contest.ruleset_text


def test_attempts_change_without_a_new_version_once_there_are_submissions(cast, oscar):
    hand_in(cast.alice, cast.red, cast.contest.rounds.first())
    versions = RulesetVersion.objects.count()
    oscar.post(PAGE, entered(cast.contest, **{"anonymization-tries": 9}))
    assert now(cast.contest).rounds.first().tries == 9
    assert RulesetVersion.objects.count() == versions
    assert now(cast.contest).ruleset_text == cast.contest.ruleset_text
