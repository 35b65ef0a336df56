# SPDX-License-Identifier: Apache-2.0
"""Plugins: the template is built, installed and used; a broken one is named and harms nothing."""

from __future__ import annotations

import json

import numpy as np
import pytest
import tomli_w

from scoring import examples, plugins
from scoring.attacks.catalog import ATTACKS
from scoring.attacks.strongest import strongest_attack
from scoring.audits.audit import audit
from scoring.cli.main import main
from scoring.datasets.catalog import generated
from scoring.errors import PluginError, ProblemsFound
from scoring.evaluate import score
from scoring.formulas import FORMULAS, Scores, ranked, ranked_boards
from scoring.registry import MEASURES
from scoring.rulesets import load_ruleset, parse_ruleset, ruleset_names
from scoring.rulesets.gates import outside
from scoring.rulesets.loader import load_schema, parse_stored
from tests.plugins import (
    ATTACK,
    FORMAT,
    FORMULA,
    MEASURE,
    install,
    install_template,
    installed,
    registered,
)
from tests.scoring.rulesets import measure, message_of, problem_list, values_of

TABLES = examples.table("original"), examples.table("unified"), [0, 1, 2, 3]
A_MEASURE = "from dataclasses import replace\nfrom scoring.registry import MEASURES\n"
AN_ATTACK = "from dataclasses import replace\nfrom scoring.registry import ATTACKS\n"
A_FORMAT = """
from dataclasses import replace
from scoring.rulesets import Format, load_ruleset
TEXT = load_ruleset("microdata-classroom").text
OWN = TEXT.replace('id = "microdata-classroom"', 'id = "own"')
"""
A_FORMULA = "from dataclasses import replace\nfrom scoring.formulas import FORMULAS\n"
BROKEN = {
    "pwscup.measures": {
        "collides": ("ENTRY = MEASURES['U1']", "there is a Measure U1 already"),
        "raises": ("raise SystemExit('no licence')", "SystemExit: no licence"),
        "other": ("ENTRY = 3", "expected a Measure, got int"),
        "untitled": ("ENTRY = replace(MEASURES['U1'], id='own', title=' ')", "own has no title"),
        "unnamed": (
            "ENTRY = replace(MEASURES['U1'], id='own id')",
            "expected an id of letters, digits, hyphens and underscores, got own id",
        ),
        "nowhere": (
            "ENTRY = replace(MEASURES['U1'], id='own', address='nowhere:f')",
            "ModuleNotFoundError: No module named 'nowhere'",
        ),
        "silent": (
            "ENTRY = replace(MEASURES['U1'], id='own', texts={'title': {'ja': '題'}})",
            "texts of own: expected words by language, en among them, for title",
        ),
        "narrow": (
            "ENTRY = replace(MEASURES['U1'], id='own', low=1, high=1)",
            "own: expected low < high, got 1 and 1",
        ),
        "sideways": (
            "ENTRY = replace(MEASURES['U1'], id='own', direction='up')",
            "own: expected direction lower or higher, got up",
        ),
    },
    "pwscup.attacks": {
        "collides": ("ENTRY = ATTACKS['gower']", "there is a Attack gower already"),
        "untyped": (
            "ENTRY = replace(ATTACKS['gower'], id='own', columns=('q',))",
            "own: expected columns of the class ColumnChoice, and options of the class Option",
        ),
        "constant": (
            "ENTRY = replace(ATTACKS['gower'], id='own', address='math:pi')",
            "own names no function",
        ),
    },
    "pwscup.formulas": {
        "collides": ("ENTRY = FORMULAS['sum']", "there is a Formula sum already"),
        "uncalled": ("ENTRY = replace(FORMULAS['sum'], id='own', function=3)", "own names no function"),
        "unused": (
            "ENTRY = replace(FORMULAS['sum'], id='own', uses=('luck',))",
            "own: expected uses out of utility, protection, attack, presentation and loss, and needs out of uses",
        ),
        "unset": (
            "ENTRY = replace(FORMULAS['sum'], id='own', settings=('floor',))",
            "own: expected settings of the class Setting",
        ),
    },
    "pwscup.formats": {
        "collides": (
            "ENTRY = Format('pwscup2015', TEXT)",
            "there is a ruleset or a schema pwscup2015 already",
        ),
        "schema": ("ENTRY = Format('census', OWN)", "there is a ruleset or a schema census already"),
        "syntax": (
            "ENTRY = Format('own', 'id = ')",
            "rules of own: ruleset — not TOML — Invalid value (at end of document)",
        ),
        "other": (
            "ENTRY = Format('own', TEXT)",
            "rules of own: expected this id in them, got microdata-classroom",
        ),
        "wrong": (
            "ENTRY = Format('own', OWN.replace('minutes = 15', 'minutes = 0'))",
            "rules of own: ruleset — key round[1].minutes has a wrong value — expected a whole number from 1 to "
            "5256000 — got “0”, and 1 more problems",
        ),
        "drawn": (
            "ENTRY = Format('own', OWN, generator='math:pi')",
            "own: generator names no function",
        ),
        "free": (
            "ENTRY = Format('own', OWN.replace('schema = \"households\"', ''), generator='math:sin')",
            "own: expected no generator, as the rules name no columns of a table",
        ),
        "large": (
            "ENTRY = Format('own', OWN, generator='math:sin', n_records=0)",
            "own: expected n_records from 1 to 1000000, got 0",
        ),
        "silent": (
            "ENTRY = Format('own', OWN, generator='math:sin', generated={'ja': 'x'})",
            "own: expected a sentence in en and ja under generated",
        ),
    },
}  # fmt: skip
HEADS = dict(zip(BROKEN, (A_MEASURE, AN_ATTACK, A_FORMULA, A_FORMAT), strict=True))
SUBMISSION = [
    "--schema",
    "S.toml",
    "--original",
    "X.csv",
    "--anonymized",
    "Y.csv",
    "--rows",
    "R.csv",
]


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """The folder in which the template is installed."""
    return install_template(tmp_path_factory.mktemp("template"))


@pytest.fixture
def known(template):
    """The template's plugins."""
    with registered(template) as found:
        yield found


def own(tmp_path, code, group="pwscup.measures"):
    """A plugin of one entry: the code of its module after the imports."""
    return registered(install(tmp_path, {"own": HEADS[group] + code}, group=group, package="other"))


# The template


def test_the_template_has_a_measure_an_attack_and_a_formula(known):
    """Half of the records of the documentation's unified table keep their quasi-identifiers."""
    assert [(p.group, p.id, p.package, p.version, p.fault) for p in known] == [
        (group, id_, "pwscup-example", "0.1.0", "")
        for group, id_ in zip(BROKEN, (MEASURE, ATTACK, FORMULA, FORMAT), strict=True)
    ]
    text = load_ruleset("pwscup2015").text.replace('"U6",', f'"U6", "{MEASURE}",')
    ruleset = parse_ruleset(text)
    values = score(*TABLES, examples.SCHEMA, measures=[ruleset.measure(MEASURE)])
    assert values[MEASURE] == 0.5
    assert [p.id for p in plugins.used(ruleset)] == [MEASURE]
    assert "Share of the records of Y" in MEASURES[MEASURE].description
    guess = ATTACKS[ATTACK](*TABLES[:2], examples.SCHEMA, rng=np.random.default_rng(1))
    assert guess.tolist() == [0, 1, 2, 3]
    assert ATTACKS[ATTACK].summary.startswith("The original whose sum")
    scores = Scores(("a", "b"), {"a": {"b": 75.0}, "b": {"a": 0.0}}, {"a": 16.0, "b": 64.0})
    lines = ranked(FORMULA, scores)
    assert [(line.rank, line.total) for line in lines.values()] == [(1, 40.0), (1, 40.0)]
    assert ranked(FORMULA, scores, {"floor": 20.0})["a"].total == 0


def test_rules_name_plugins_wherever_those_of_the_library_may_stand(known):
    values = values_of("pwscup2015")
    values["scoring"]["measures"] += [MEASURE, "pairs"]
    values["baseline"] = {"attackers": {"Noise": ATTACK}}
    values["ranking"] = {"formula": FORMULA, "settings": {"floor": 5.0}, "utility_measure": "pairs"}
    text = tomli_w.dumps(values)
    ruleset = parse_ruleset(text)
    assert [p.id for p in plugins.used(ruleset)] == [MEASURE, FORMULA, ATTACK]
    values["board"] = [{"key": "main", "title": {"en": "M", "ja": "M"}, "formula": FORMULA}]
    values["ranking"] = {"utility_measure": "pairs"}
    assert [p.id for p in plugins.formulas_of(parse_ruleset(tomli_w.dumps(values)))] == [FORMULA]


def test_a_measure_that_needs_rows_is_refused_for_synthetic_tables(known):
    values = values_of("synthetic-cohort")
    measure(values, ["marginals", MEASURE])
    messages = [problem.message for problem in problem_list(values)]
    assert "a measure that needs no row numbers, as data.tables is cohort" in messages[0]
    assert MEASURES[MEASURE].needs_rows


def test_the_texts_of_plugins_are_found_by_their_english_ones(known):
    texts = plugins.texts()
    assert texts["Geometric mean of utility and protection"]["ja"] == "有用性と防御の幾何平均"
    assert texts["least utility, below which the total is 0"]["ja"] == "総合値が0になる有用性の下限"
    assert texts["every record was changed"]["ja"] == "すべてのレコードが変わった"


def test_at_home_the_commands_know_installed_plugins(template, tmp_path, capsys):
    (tmp_path / "M.csv").write_text("attacker,a,b\na,,75\nb,0,\n", "utf-8")
    (tmp_path / "U.csv").write_text("team,utility\na,16\nb,64\n", "utf-8")
    files = ["--matrix", str(tmp_path / "M.csv"), "--utility", str(tmp_path / "U.csv")]
    for command, expected in (
        (["attack", "--help"], ATTACK),
        (["rank", "--help"], "floor=0"),
        (["rank", "--formula", FORMULA, *files], "40.0"),
        (["audit", "--attacks", "nothing", *SUBMISSION], ATTACK),
    ):
        with installed(template):
            main(command)
        assert expected in "".join(capsys.readouterr()), command


# Formats


def test_a_format_is_loaded_by_its_name_as_those_of_the_library(known):
    assert FORMAT in ruleset_names()
    assert ruleset_names()[-1] == "template"
    ruleset = load_ruleset(FORMAT)
    assert ruleset.title["ja"] == "例：独自の指標を使う授業"
    assert [p.id for p in plugins.used(ruleset)] == [FORMAT, MEASURE, FORMULA, ATTACK]
    changed = parse_ruleset(ruleset.text.replace("version = 1", "version = 2"))
    assert FORMAT not in {p.id for p in plugins.used(changed)}
    table = generated(FORMAT, 20, seed=3)
    assert (
        list(table.columns) == list(load_schema(FORMAT).names) == ["sex", "age", "income", "rent"]
    )
    assert table.equals(generated(FORMAT, 20, seed=3))


def test_formats_are_scored_at_home(template, tmp_path, capsys):
    at = {name: str(tmp_path / name) for name in ("X.csv", "S.toml", "Y.csv", "R.csv")}
    tables = ["--original", at["X.csv"], "--anonymized", at["Y.csv"], "--rows", at["R.csv"]]
    with installed(template):
        drawn = ["generate", FORMAT, "--records", "60", "--seed", "1", "--out", at["X.csv"]]
        assert main([*drawn, "--schema-out", at["S.toml"]]) == 0
        files = ["--schema", at["S.toml"], "--original", at["X.csv"], "--out", at["Y.csv"]]
        assert main(["anonymize", "sa-noise", *files, "--rows", at["R.csv"], "--seed", "1"]) == 0
        capsys.readouterr()
        assert main(["score", "--ruleset", FORMAT, "--json", *tables]) == 0
    assert json.loads(capsys.readouterr().out)[MEASURE] == 1.0
    assert main(["score", "--ruleset", FORMAT, *tables]) == 2
    assert main(drawn) == 2
    assert "expected one of households, census" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("raise OSError('secret')", "the generator of the format own failed — got OSError"),
        ("return load_table(n_records + 1)", "got no table of 5 records"),
        ("return load_table(n_records)[['total']]", "got total"),
        ("return load_table(n_records).assign(q0=None)", "gave a wrong table"),
    ],
)
def test_a_generator_that_fails_says_so(tmp_path, code, expected):
    body = """
from scoring.datasets.households import households
def load_table(n): return households(n, seed=1)
ENTRY = Format('own', OWN, generator='other_own:drawn')
def drawn(n_records, *, seed): """
    with own(tmp_path, body + code, "pwscup.formats"):
        with pytest.raises(PluginError, match=expected) as found:
            generated("own", 5, seed=1)
        assert "secret" not in str(found.value)
    assert "own" not in ruleset_names()


def test_the_command_plugins_lists_them_with_their_faults(template, tmp_path, capsys):
    with installed(template):
        assert main(["plugins", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["plugins"]
    assert [plugin["id"] for plugin in listed] == [MEASURE, ATTACK, FORMULA, FORMAT]
    with installed(install(tmp_path, {"gone": "1 / 0"}, group="pwscup.formats", package="broken")):
        assert main(["plugins"]) == 1
    assert "ZeroDivisionError: division by zero" in capsys.readouterr().out
    assert main(["plugins"]) == 0
    assert capsys.readouterr().out == "no plugins are installed\n"


def test_without_its_package_nothing_knows_the_template():
    assert plugins.texts() == {}
    assert not {MEASURE, ATTACK, FORMULA} & {*MEASURES, *ATTACKS, *FORMULAS}
    with pytest.raises(ProblemsFound):
        parse_ruleset(load_ruleset("pwscup2015").text.replace('"U6"', f'"{MEASURE}"'))


# Faults


@pytest.mark.parametrize("group", BROKEN)
def test_a_broken_plugin_is_named_and_left_out(tmp_path, group):
    entries = {name: HEADS[group] + code for name, (code, _fault) in BROKEN[group].items()}
    before = {group: [*found[0]] for group, (_, found) in plugins.GROUPS.items()}
    with registered(install(tmp_path, entries, group=group, package="broken")) as found:
        assert {(p.group, p.package) for p in found} == {(group, "broken")}
        faults = {p.id: p.fault for p in found}
        assert faults == {name: fault for name, (_code, fault) in BROKEN[group].items()}
        assert before == {group: [*found[0]] for group, (_, found) in plugins.GROUPS.items()}


def test_an_entry_point_without_its_module_is_named(tmp_path):
    folder = install(tmp_path, {"gone": ""}, group="pwscup.measures", package="broken")
    (folder / "broken_gone.py").unlink()
    with registered(folder) as (plugin,):
        assert plugin.fault == "ModuleNotFoundError: No module named 'broken_gone'"


MEASURED = (
    "ENTRY = replace(MEASURES['U4'], id='own', address='other_own:f', low=0, high=1)\n"
    "def f(comparison, options): "
)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("raise KeyError('3141592653')", "the plugin’s measure own failed — got KeyError"),
        ("return float('nan')", "gave a wrong value"),
        ("return 'text'", "gave a wrong value"),
        ("return 1.5", "expected a number from 0 to 1"),
        ("return -1", "expected a number from 0 to 1"),
    ],
)
def test_a_measure_that_fails_says_so_without_a_value(tmp_path, code, expected):
    with own(tmp_path, MEASURED + code):
        with pytest.raises(PluginError, match=expected) as found:
            score(*TABLES, examples.SCHEMA, measures=["own"])
        assert "3141592653" not in str(found.value)
        rng, only = np.random.default_rng(1), {"attacks": ["E1"], "measures": ["own"]}
        reported = audit(*TABLES, examples.SCHEMA, rng=rng, **only)
        assert reported.values["own"] is None


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import numpy as np; return np.float64(0.25)", 0.25),
        ("import numpy as np; return np.int64(1)", 1),
        ("return None", None),
        ("return 1 + 1e-12", 1.0),
    ],
)
def test_a_measure_may_give_any_kind_of_number(tmp_path, code, expected):
    with own(tmp_path, MEASURED + code):
        value = score(*TABLES, examples.SCHEMA, measures=["own"])["own"]
        assert value == expected
        assert type(value) is type(expected)


ATTACKING = "ENTRY = replace(ATTACKS['E4'], id='own', address='other_own:f')\ndef f(*_, **given): "


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("raise KeyError('x')", "the plugin’s attack own failed — got KeyError"),
        ("return [0]", "gave a wrong answer"),
        ("return [0.5] * 4", "gave a wrong answer"),
        ("return [0, 1, 2, 4]", "gave a wrong answer"),
    ],
)
def test_an_attack_that_fails_says_so(tmp_path, code, expected):
    with (
        own(tmp_path, ATTACKING + code, "pwscup.attacks"),
        pytest.raises(PluginError, match=expected),
    ):
        ATTACKS["own"](*TABLES[:2], examples.SCHEMA, rng=np.random.default_rng(1))


@pytest.mark.parametrize("code", ["raise KeyError('x')", "raise ValueError('no amounts')"])
def test_an_attack_that_fails_is_left_out_of_reports(tmp_path, code):
    with own(tmp_path, ATTACKING + code, "pwscup.attacks"):
        rng = np.random.default_rng(1)
        reported = audit(*TABLES, examples.SCHEMA, rng=rng, measures=["S1"])
        assert "own" not in {finding.attack.id for finding in reported.findings}
        assert len(reported.findings) == len(ATTACKS) - 1
        strongest = strongest_attack(*TABLES, examples.SCHEMA, rng=rng)
        assert strongest.attack.id != "own"


@pytest.mark.parametrize("code", ["raise KeyError('a')", "return {}", "return {'a': 'b', 'b': 1}"])
def test_a_formula_that_fails_gives_no_totals(tmp_path, caplog, code):
    head = "ENTRY = replace(FORMULAS['sum'], id='own', function=lambda *given: f(*given))\n"
    with own(tmp_path, f"{head}def f(scores, settings): {code}", "pwscup.formulas"):
        lines = ranked("own", Scores(("a", "b"), {}, {"a": 10.0}))
    assert [line.total for line in lines.values()] == [None, None]
    assert "the plugin's formula own failed" in caplog.text


# Stored rules that name what no installed package has


def gone(**changes):
    """Rules with a composite and a gate on a measure that no package has."""
    values = values_of("pwscup2015")
    del values["scoring"]["measures"]
    ids = [("gone", "higher"), ("U1", "lower"), ("marginals", "lower")]
    values["scoring"]["measure"] = [{"id": id_, "direction": way} for id_, way in ids]
    values["scoring"]["gate"] = [{"measure": "gone", "min": 0.5}]
    title = {"en": "Points", "ja": "得点"}
    terms = [{"measure": "gone"}, {"measure": "marginals"}]
    values["scoring"]["composite"] = [{"id": "points", "of": "sum", "title": title, "term": terms}]
    return values | changes


def test_stored_rules_are_read_without_the_packages_that_they_name():
    text = tomli_w.dumps(gone(ranking={"formula": "lost", "settings": {"x": 1}}))
    with pytest.raises(ProblemsFound):
        parse_ruleset(text)
    ruleset = parse_stored(text)
    assert ruleset.absent == ("gone", "lost")
    assert (ruleset.measure("gone").direction, ruleset.measure("gone").title) == ("higher", "gone")
    assert ruleset.computed == ("U1", "marginals")
    assert outside(ruleset, {"U1": 1.0}) == []
    measures = [ruleset.measure("points")]
    with pytest.raises(PluginError, match="the measure gone is of a plugin that is not installed"):
        score(*TABLES, examples.SCHEMA, measures=measures)
    (board,) = ruleset.score_boards
    lines = ranked_boards([board], Scores(("a", "b"), {}, {"a": 10.0}))["score"]
    assert [line.total for line in lines.values()] == [None, None]
    assert "gone" not in MEASURES
    assert "lost" not in FORMULAS
    with pytest.raises(ProblemsFound):
        parse_ruleset(text)  # for new rules nothing has changed


@pytest.mark.parametrize(
    ("changes", "absent"),
    [
        ({"ranking": {"formula": "sum", "utility_measure": "gone"}}, ("gone",)),
        ({"ranking": {"formula": "surviving-loss", "loss_measure": "gone"}}, ("gone",)),
        (
            {
                "ranking": {"utility_measure": "points"},
                "board": [{"key": "a", "title": {"en": "A", "ja": "A"}, "formula": "lost"}],
            },
            ("gone", "lost"),
        ),
        (
            {
                "ranking": {"formula": "sum", "utility_measure": "points"},
                "baseline": {"attackers": {"Noise": "away", "Swap": "E4"}},
            },
            ("gone", "away"),
        ),
    ],
)
def test_a_stand_in_may_be_used_wherever_the_rules_used_it(changes, absent):
    ruleset = parse_stored(tomli_w.dumps(gone(**changes)))
    assert sorted(ruleset.absent) == sorted(absent)
    assert "away" not in ruleset.baseline_attackers.values()


def test_a_heading_of_rates_keeps_a_measure_that_is_gone():
    values = values_of("pwscup2015")
    for section, key in (("scoring", "measures"), ("ranking", "linkage")):
        values[section][key].append("gone")
    assert parse_stored(tomli_w.dumps(values)).absent == ("gone",)


def test_a_name_of_the_rules_that_a_plugin_takes_later_stays_theirs(tmp_path):
    values = values_of("pwscup2015")
    del values["scoring"]["measures"]
    values["scoring"]["measure"] = [{"id": "own", "measure": "histograms"}]
    values["ranking"] = {"formula": "sum", "utility_measure": "own"}
    text = tomli_w.dumps(values)
    with own(tmp_path, MEASURED + "return 0"):
        with pytest.raises(ProblemsFound, match="a name that no measure of the library has"):
            parse_ruleset(text)
        assert not parse_stored(text).measure("own").is_foreign


def test_other_problems_of_stored_rules_are_named_as_ever():
    values = gone(ranking={"formula": "sum", "utility_measure": "gone"}, version=0)
    with pytest.raises(ProblemsFound, match="version"):
        parse_stored(tomli_w.dumps(values))


# Attackers of baseline teams


def test_a_baseline_team_may_run_an_attack_of_the_library():
    values = values_of("pwscup2015")
    values["baseline"] = {"teams": ["Noise"], "attackers": {"Noise": "gower", "Swap": "E4"}}
    ruleset = parse_ruleset(tomli_w.dumps(values))
    assert ruleset.baseline_teams == ("Noise",)
    assert ruleset.baseline_attackers == {"Noise": "gower", "Swap": "E4"}


@pytest.mark.parametrize(
    ("name", "attackers", "expected"),
    [
        ("pwscup2015", {"Noise": "nothing"}, "baseline.attackers.Noise"),
        ("pwscup2015", {"Nobody": "gower"}, "baseline.attackers.Nobody"),
        ("synthetic-2026", {"Noise": "gower"}, "no round is of the kind attack or candidate-attack"),
    ],
)  # fmt: skip
def test_attackers_of_baseline_teams_have_to_fit(name, attackers, expected):
    values = values_of(name)
    values["baseline"] = {"teams": ["Noise"], "attackers": attackers}
    assert expected in message_of(values)


def test_the_command_line_refuses_what_no_plugin_has(capsys):
    assert main(["rank", "--formula", FORMULA, "--matrix", "M.csv"]) == 2
    assert "no such formula" in capsys.readouterr().err
