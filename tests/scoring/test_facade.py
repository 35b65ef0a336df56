# SPDX-License-Identifier: Apache-2.0
"""The public names of the library: frames in and out, with the numbers and the options of the commands."""

from __future__ import annotations

import ast
import doctest
import inspect
import json
import subprocess
import sys
import types
import typing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import scoring
from scoring.anonymizers import ANONYMIZERS, Anonymized
from scoring.cli import main as cli
from scoring.errors import ProblemsFound
from scoring.examples import SCHEMA
from scoring.examples import table as example
from scoring.facade import progress
from scoring.facade.results import Result
from scoring.tables.suggestion import ProposedSchema
from tests.scoring.test_cli_imports import HEAVY
from tests.test_docs import subparsers

ROOT = Path(__file__).parents[2]
FUNCTIONS = [n for n in scoring.__all__ if inspect.isfunction(getattr(scoring, n))]


@pytest.fixture(scope="module")
def drawn():
    """A table of 300 households and its schema."""
    return scoring.generate("households", 300, seed=1)


@pytest.fixture(scope="module")
def anonymized(drawn):
    table, schema = drawn
    return scoring.anonymize(table, ["mondrian", "sa-noise"], schema, k=5, scale=0.05, seed=2**70)


@pytest.fixture
def files(drawn, anonymized, tmp_path, monkeypatch):
    """The same pair as files."""
    monkeypatch.chdir(tmp_path)
    table, schema = drawn
    Path("S.toml").write_text(schema.to_toml(), encoding="utf-8")
    table.to_csv("X.csv", index=False)
    anonymized.save("Y.csv", "R.csv")
    return "--schema S.toml --original X.csv --anonymized Y.csv --rows R.csv"


@pytest.fixture
def command(capsys):
    """Runs a command; its result as data."""

    def call(line: str) -> dict:
        cli.main([*line.split(), "--json"])
        found: dict = json.loads(capsys.readouterr().out)
        return found

    return call


# The names


def test_every_public_name_is_there():
    assert scoring.__all__ == sorted(
        scoring.__all__, key=lambda n: (not n.isupper(), n.islower(), n)
    )
    assert set(scoring.__all__) <= set(dir(scoring))
    for name in scoring.__all__:
        assert getattr(scoring, name) is getattr(scoring, name)


def test_type_checkers_see_the_same_names():
    tree = ast.parse((ROOT / "scoring" / "__init__.py").read_text(encoding="utf-8"))
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    names = {alias.name for node in block.body for alias in node.names}
    assert names == set(scoring.__all__) - {"__version__"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_functions_are_typed_and_described(name):
    function = getattr(scoring, name)
    assert "Parameters\n" in function.__doc__
    parameters = inspect.signature(function).parameters
    assert set(parameters) <= set(function.__annotations__)
    assert "return" in function.__annotations__
    for parameter in parameters:
        assert parameter in function.__doc__, parameter


def test_unknown_names_get_a_hint():
    with pytest.raises(AttributeError, match="did you mean anonymize"):
        scoring.anonymise  # noqa: B018 — the attribute is asked for
    with pytest.raises(AttributeError, match="no attribute 'histogramm'"):
        scoring.privacy.histogramm  # noqa: B018


def test_importing_the_library_loads_nothing_heavy():
    program = f"""
import sys, scoring
dir(scoring), scoring.__version__, scoring.Schema, scoring.ProblemsFound
print([name for name in {HEAVY!r} if name in sys.modules])"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_the_example_of_the_package():
    assert doctest.testmod(scoring) == (0, 4)


# As the commands


SAME = {
    "anonymize": scoring.anonymize,
    "attack": scoring.attack,
    "audit": scoring.audit,
    "generate": scoring.generate,
    "score": scoring.score,
    "study": scoring.study,
    "validate": scoring.validate,
    "sequential publish": scoring.sequential.publish,
    "sequential risk": scoring.sequential.risk,
}
NO_OPTION = {
    *("help", "json", "set", "reproducible"),  # of the command line, and options by name
    *(
        "out",
        "report",
        "schema_out",
        "pictures",
        "zip",
        "people_out",
        "tables_out",
    ),  # results have `save`
    *(
        "candidates",
        "table",
        "control",
    ),  # of an attack: `scoring.classroom`, and `scoring.membership`
    *("programs", "without_counterfeits"),
}


@pytest.mark.parametrize("name", SAME)
def test_functions_have_the_options_of_their_commands(name):
    actions = subparsers()[name]._actions
    options = {action.dest for action in actions} - NO_OPTION
    parameters = inspect.signature(SAME[name]).parameters
    named = set(parameters) | ({"method", "methods"} & options)
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):  # the options of measures
        named |= {"population_fraction", "weight_column", "hierarchies", "closeness"}
    if name == "anonymize":
        options -= {"rows"}  # a file that the command writes
    if name in ("generate", "sequential publish", "sequential risk", "study"):
        options -= {"study", "dataset", "tables"}  # positional, under a name of its own
    if name == "validate":
        options -= {"progress"}  # one step only
    assert options <= named


def test_the_same_scores_as_the_command(drawn, anonymized, files, command):
    table, _schema = drawn
    printed = command(f"score {files}")
    found = scoring.score(table, anonymized, ruleset="pwscup2015")
    assert dict(found) == {id_: printed[id_] for id_ in found}
    assert {*found, "n_original", "n_anonymized"} == set(printed)
    read = scoring.read("Y.csv", "S.toml", rows="R.csv")
    assert dict(scoring.score(scoring.read("X.csv", "S.toml"), read, "S.toml")) == dict(found)
    assert found.n_original == found.n_anonymized == 300


def test_measures_and_options_of_a_score(drawn, anonymized):
    table, schema = drawn
    found = scoring.score(table, anonymized, measures=["pmse", "S1"], seed=3)
    assert list(found) == ["pmse", "S1"]
    assert found.seed == 3
    assert scoring.score(table, anonymized, measures="S1").seed is None
    zayatz = [
        scoring.score(table, table, schema, measures="zayatz", population_fraction=f)["zayatz"]
        for f in (0.01, 0.9)
    ]
    assert zayatz[0] != zayatz[1]
    with pytest.raises(scoring.UnknownNameError, match="did you mean pmse"):
        scoring.score(table, anonymized, measures="pmsee")
    with pytest.raises(scoring.UnknownNameError, match="no ruleset 'pwscup2051'"):
        scoring.score(table, anonymized, ruleset="pwscup2051")
    columns = scoring.score(table, anonymized, table_columns=["sex"])
    assert {"table-L2", "table-spearman"} <= set(columns)


def test_the_same_table_as_the_command(drawn, anonymized, files, command):
    line = "anonymize mondrian sa-noise --schema S.toml --original X.csv --set k=5 --set scale=0.05"
    command(f"{line} --seed {2**70} --out Z.csv --rows Q.csv")
    assert Path("Z.csv").read_bytes() == Path("Y.csv").read_bytes() == anonymized.file()
    assert Path("Q.csv").read_bytes() == Path("R.csv").read_bytes()


def test_the_same_audit_as_the_command(drawn, anonymized, files, command):
    table, _schema = drawn
    printed = command(f"audit {files} --attacks E1,EUC2 --measures S1,E1 --seed 5")
    found = scoring.audit(table, anonymized, attacks=["E1", "EUC2"], measures=["S1", "E1"], seed=5)
    rates = {line["attack"]: line["rate"] for line in printed["attacks"]}
    assert found.to_frame()["rate"].to_dict() == rates
    assert dict(found.scores) == printed["measures"]
    assert found.rate == max(rates.values())
    found.save("A.html")
    assert "<!doctype html>" in Path("A.html").read_text(encoding="utf-8")


def test_the_same_problems_as_the_command(drawn, anonymized, files, command):
    table, schema = drawn
    frame = anonymized.table.copy()
    frame.loc[7, "region"] = "Atlantis"
    frame["sex"] = frame["sex"].replace("male", "")
    frame.to_csv("Y.csv", index=False)
    printed = command(f"validate {files}")
    found = scoring.validate(table, frame, schema)
    assert not found
    assert found.n_problems == printed["n_problems"] > 100
    shown = found.to_frame()
    assert shown["problem"].tolist() == [p["message"] for p in printed["problems"]]
    assert shown.loc[0, ["file", "record", "column"]].tolist() == [
        printed["problems"][0][key] for key in ("file", "row", "column")
    ]


def test_rules_of_a_contest_are_kept_by_validate_and_score(drawn):
    table, schema = drawn
    lecture = scoring.anonymize(table, "sa-noise", schema, aligned=True, seed=1)
    assert scoring.validate(table, lecture, ruleset="pets-lecture")
    noisy = scoring.anonymize(table, "sa-noise", schema, seed=1)
    assert not scoring.validate(table, noisy, ruleset="pets-lecture")
    with pytest.raises(ProblemsFound):
        scoring.score(table, noisy, ruleset="pets-lecture")
    assert "utility" in scoring.score(table, lecture, ruleset="pets-lecture")
    with pytest.raises(ValueError, match="about a single table, got sequential-release"):
        scoring.validate(table, noisy, ruleset="sequential-release")


# Roles


def people() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "name": [f"p{i}" for i in range(40)],
            "age": [20 + i % 10 for i in range(40)],
            "member": [i % 2 == 0 for i in range(40)],
            "income": [100.5 + 3 * i for i in range(40)],
        }
    )


def test_roles_are_proposed_and_confirmed():
    table = people()
    proposed = scoring.Schema.from_frame(table)
    assert isinstance(proposed, ProposedSchema)
    assert (proposed.identifiers, proposed.quasi_identifiers) == (("name",), ("age", "member"))
    assert str(proposed.column("age").kind) == "integer"
    with pytest.warns(scoring.UnconfirmedRolesWarning, match="identifiers name"):
        scoring.anonymize(table, "mondrian", proposed, seed=1)
    with pytest.warns(scoring.UnconfirmedRolesWarning):
        made = scoring.anonymize(table, "mondrian", seed=1)
    assert made.table["member"].isin(["True", "False"]).all()
    scoring.anonymize(table, "mondrian", proposed.confirm(), seed=1)  # warnings are errors
    own = scoring.Schema.from_frame(table, quasi_identifiers=["age"], other=["member"])
    assert type(own) is scoring.Schema
    assert own.quasi_identifiers == own.cross == ("age",)
    assert own == proposed.confirm(quasi_identifiers=["age"])


def test_numbers_of_a_frame_stay_numbers():
    table = pd.DataFrame(
        {
            "few": [1, 2] * 20,
            "gaps": [1.0, None] * 20,
            "long": np.linspace(0, 1, 40),
            "text": ["1", "2"] * 20,
        }
    )
    schema = scoring.Schema.from_frame(table)
    assert [str(column.kind) for column in schema.columns] == [
        "integer",
        "integer",
        "number",
        "category",
    ]
    assert schema.column("long").decimals == 9
    with pytest.raises(ProblemsFound, match="record 2, column gaps — an empty cell"):
        scoring.anonymize(table, "mondrian", schema.confirm(), seed=1)


@pytest.mark.parametrize(
    ("roles", "codes"),
    [
        ({"sensitive": ["incme"]}, ["schema.unknown_column"]),
        ({"sensitive": ["age"], "other": ["age"]}, ["schema.repeated_name"]),
    ],
)
def test_wrong_roles_are_refused(roles, codes):
    with pytest.raises(ProblemsFound) as found:
        scoring.Schema.from_frame(people(), **roles)
    assert [problem.code for problem in found.value.problems] == codes


def test_attacks_look_at_amounts_that_there_are():
    assert SCHEMA.confirm(sensitive=["SA2"]).e2_column == "SA2"
    assert SCHEMA.confirm(sensitive=["QI3"], quasi_identifiers=["QI1"]).e4_column is None


# Rows


def test_rows_are_those_of_the_index_or_of_a_column(drawn):
    table, schema = drawn
    kept = table[table["sex"] == "male"]
    rows = np.flatnonzero(table["sex"] == "male")
    named = dict(scoring.score(table, kept, schema))
    reset = kept.reset_index(drop=True)
    assert dict(scoring.score(table, reset, schema, rows=rows)) == named
    assert dict(scoring.score(table, reset.assign(source_row=rows + 1), schema)) == named
    with pytest.raises(ValueError, match="index of the anonymized table does not name records"):
        scoring.score(table, reset, schema)
    with pytest.raises(ProblemsFound, match="named twice"):
        scoring.score(table, reset, schema, rows=np.zeros(len(rows), dtype=int))
    with pytest.raises(ValueError, match="one integer for each record"):
        scoring.score(table, reset, schema, rows=rows + 0.5)
    labelled = table.set_axis([f"p{i}" for i in range(len(table))])
    assert dict(scoring.score(labelled, labelled[labelled["sex"] == "male"], schema)) == named


def test_records_next_to_others_are_noted(drawn):
    table, schema = drawn
    mixed = table.sort_values("food").reset_index(drop=True)
    with pytest.warns(UserWarning, match="in another order"):
        scoring.score(table, mixed, schema)


def test_synthetic_tables_declare_no_rows(drawn):
    table, schema = drawn
    other, _ = scoring.generate("households", 500, seed=2)
    assert scoring.score(table, other, schema, synthetic=True, measures="marginals")["marginals"]
    with pytest.raises(ValueError, match="expected rows for U6"):
        scoring.score(table, other, schema, synthetic=True, measures="U6")


# Methods


def test_seeds_are_reported_and_repeat(drawn):
    table, schema = drawn
    made = scoring.anonymize(table, "sa-noise", schema)
    assert made.seed >= 2**64
    again = scoring.anonymize(table, "sa-noise", schema, seed=made.seed)
    assert made.table.equals(again.table)
    assert str(made.seed) in repr(made)
    rng = np.random.default_rng(made.seed)
    own = scoring.anonymize(table, "sa-noise", schema, rng=rng)
    assert own.seed is None
    assert own.table.equals(made.table)
    with pytest.raises(ValueError, match="got both"):
        scoring.anonymize(table, "sa-noise", schema, rng=rng, seed=1)
    with pytest.raises(ValueError, match="0 or more"):
        scoring.anonymize(table, "sa-noise", schema, seed=-1)


def test_options_go_to_the_methods_that_have_them(drawn):
    table, schema = drawn
    chain = ["mondrian", "mdav"]
    made = scoring.anonymize(
        table, chain, schema, k=4, seed=1, **{"mdav.k": 6, "columns": ["food"]}
    )
    assert made.steps == [("mondrian", {"k": 4}), ("mdav", {"k": 6, "columns": ("food",)})]
    pairs = [("mondrian", {"k": 4}), ("mdav", {"k": 6, "columns": ("food",)})]
    assert scoring.anonymize(table, pairs, schema, seed=1).table.equals(made.table)
    for wrong, code in (
        ({"kk": 1}, "option.unknown"),
        ({"mondrian.columns": ()}, "option.unknown"),
    ):
        with pytest.raises(ProblemsFound) as found:
            scoring.anonymize(table, chain, schema, **wrong)
        assert [p.code for p in found.value.problems] == [code]
    with pytest.raises(ProblemsFound, match="mondrain"):
        scoring.anonymize(table, "mondrain", schema)


def test_the_index_of_a_result_names_the_original_records(drawn):
    table, schema = drawn
    labelled = table.set_axis([f"p{i}" for i in range(len(table))])
    made = scoring.anonymize(labelled, "record-deletion", schema, fraction=0.5, seed=1)
    assert made.table.index.tolist() == [f"p{row}" for row in made.rows]
    assert made.table.equals(labelled.loc[made.table.index].astype(made.table.dtypes.to_dict()))


@pytest.mark.parametrize("id_", list(ANONYMIZERS))
def test_anonymizers_are_callable_as_attackers_are(id_):
    original = example("original")
    try:
        found = ANONYMIZERS[id_](original, SCHEMA, rng=np.random.default_rng(1))
    except ProblemsFound as error:  # an option is needed
        assert {p.params["method"] for p in error.problems} == {id_}  # noqa: PT017
        return
    assert isinstance(found, Anonymized)
    again = scoring.anonymize(original, id_, SCHEMA, seed=1)
    pd.testing.assert_frame_equal(found.table, again.table.reset_index(drop=True))
    with pytest.raises(ProblemsFound, match="nonsense"):
        ANONYMIZERS[id_](original, SCHEMA, rng=np.random.default_rng(1), nonsense=1)


def test_attackers_see_no_order_of_the_records(drawn):
    """One to one assignment finds records by chance only if nothing distinguishes those of a class."""
    table, schema = drawn
    same = table.assign(**dict.fromkeys(schema.sensitive, 1))
    known = scoring.Schema.from_frame(same, quasi_identifiers=["sex"], sensitive=["food"])
    found = scoring.attack(same, same, "optimal-assignment", known)
    assert found.rate < 0.1
    assert found.to_frame()["found"].sum() == found.hits


def test_attack_finds_what_the_attacker_finds(drawn, anonymized):
    table, schema = drawn
    found = scoring.attack(table, anonymized, "gower", q=["sex", "region"], s="food", seed=4)
    order = np.random.default_rng(4).permutation(len(table))
    shuffled = anonymized.table.iloc[order].reset_index(drop=True)
    guess = scoring.ATTACKS["gower"](
        table,
        shuffled,
        schema,
        rng=np.random.default_rng(4),
        quasi_identifiers=("sex", "region"),
        sensitive=("food",),
    )
    assert found.guess[order].tolist() == guess.tolist()
    assert found.hits == (found.guess == anonymized.rows).sum()
    assert found.seed == 4
    blind = scoring.attack(table, shuffled.iloc[:50], "gower", schema, seed=4)
    assert blind.rate is blind.hits is None
    assert "50 guesses for 50 records" in repr(blind)
    with pytest.raises(scoring.UnknownNameError, match="did you mean gower"):
        scoring.attack(table, anonymized, "gowr")
    for options in ({"q": ["food"]}, {"distances": "z"}, {"weights": 3}):
        with pytest.raises(ProblemsFound):
            scoring.attack(table, anonymized, "gower", **options)


def test_candidates_and_membership(drawn, anonymized):
    table, _schema = drawn
    nearest = scoring.candidates(table, anonymized, n=3, distance="gower")
    assert nearest.shape == (300, 3)
    others, _ = scoring.generate("households", 200, seed=9)
    found = scoring.membership(table, others, anonymized, s=["food"])
    frame = found.to_frame()
    assert frame["table"].value_counts().to_dict() == {"original": 300, "control": 200}
    assert frame["row"].tolist()[298:302] == [298, 299, 0, 1]
    assert len(repr(found)) < 200
    scores = frame.groupby("table")["score"].apply(list)
    wins = [(a > b) + (a == b) / 2 for a in scores["original"] for b in scores["control"]]
    assert found.auc == pytest.approx(np.mean(wins))


# Classes in a line


def test_classes_in_a_line_are_the_measures(drawn, anonymized):
    table, schema = drawn
    quasi, sensitive = list(schema.quasi_identifiers), list(schema.sensitive)
    measured = scoring.score(
        table, anonymized, measures=["S1", "distinct-l", "entropy-l", "recursive-l", "t-closeness"]
    )
    kinds = ["distinct", "entropy", "recursive"]
    found = [scoring.k_anonymity(anonymized, quasi)]
    found += [scoring.l_diversity(anonymized.table, quasi, sensitive, kind) for kind in kinds]
    found += [scoring.t_closeness(anonymized, quasi, sensitive)]
    assert found == list(measured.values())
    with pytest.raises(ValueError, match="distinct, entropy, recursive"):
        scoring.l_diversity(table, quasi, sensitive, "plain")
    with pytest.raises(ProblemsFound, match="a column is missing"):
        scoring.k_anonymity(table, ["sexx"])


# Compared


def test_tables_are_compared(drawn):
    table, schema = drawn
    names = ["sa-noise", "class-average", "mondrian"]
    made = {n: scoring.anonymize(table, n, schema, seed=1) for n in names}
    found = scoring.compare(table, made, measures=["S1", "U1"], seed=2)
    frame = found.to_frame()
    assert frame.columns.tolist() == ["records", "pairs", "S1", "U1", "risk", "attack"]
    assert frame.index.tolist() == names
    for name in names:
        own = scoring.score(table, made[name], measures=["pairs", "S1", "U1"])
        assert frame.loc[name, ["pairs", "S1", "U1"]].tolist() == list(own.values())
    picture = found.plot().svg
    assert all(f">{name}</text>" in picture for name in names)
    by_measure = scoring.compare(table, made, schema, utility="U1", risk="E1")
    assert by_measure.to_frame().columns.tolist() == ["records", "U1", "E1"]
    assert by_measure.labels[0] == "U1: Difference of column means (lower is better)"


# Results


def test_results_print_well(drawn, anonymized, tmp_path):
    table, schema = drawn
    results: list[Result] = [
        anonymized,
        scoring.score(table, anonymized),
        scoring.validate(table, anonymized),
        scoring.attack(table, anonymized, "E1"),
        scoring.audit(table, anonymized, attacks="E1", measures="S1"),
        scoring.compare(table, {"one": anonymized}),
    ]
    for result in results:
        assert len(repr(result)) < 200
        assert "\n" not in repr(result)
        assert "<table" in result._repr_html_()
        assert isinstance(result.to_frame(), pd.DataFrame)
    picture = results[-1].plot()
    picture.save(tmp_path / "p.svg")
    assert (tmp_path / "p.svg").read_text(encoding="utf-8").startswith("<svg")
    assert len(repr(picture)) < 80
    assert "<table" in schema._repr_html_()
    assert len(repr(schema)) < 300


def test_values_of_others_are_no_markup(drawn, anonymized):
    bad = anonymized.table.rename(columns={"region": "<script>"})
    found = scoring.validate(drawn[0], bad, drawn[1])
    assert not found
    assert "<script>" not in found._repr_html_()


# Progress


def test_a_bar_is_shown_where_it_takes_long(monkeypatch, capsys):
    monkeypatch.setattr(progress, "SECONDS", 0.0)
    with progress.steps(3, progress=True) as step:
        for name in ("reading", "scoring", "writing"):
            step(name)
    shown = capsys.readouterr().err
    assert "reading" in shown
    assert "| 0/3" in shown
    monkeypatch.setattr(progress, "SECONDS", 60.0)
    with progress.steps(2, progress=True) as step:
        step("reading")
    with progress.steps(2, progress=False) as step:
        step("reading")
    assert "reading" not in capsys.readouterr().err


def test_without_tqdm_nothing_is_shown(monkeypatch, capsys):
    monkeypatch.setattr(progress, "SECONDS", 0.0)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with progress.steps(3, progress=True) as step:
        step("reading")
    assert capsys.readouterr().err == ""


# Files


def test_frames_are_read_as_files(drawn):
    table = people()
    schema = scoring.Schema.from_frame(table, quasi_identifiers=["age", "member"])
    found = scoring.read(table.set_axis(range(10, 50)), schema)
    assert found["member"].tolist()[:2] == ["True", "False"]
    assert found.index.tolist() == list(range(10, 50))
    assert found["age"].dtype == np.int64
    with pytest.raises(ProblemsFound, match="empty"):
        scoring.read(table.assign(income=None), schema)
    with pytest.raises(scoring.UnknownNameError, match="did you mean households"):
        scoring.generate("houshold")
    with pytest.raises(ValueError, match="expected 1 to 1000000"):
        scoring.generate("census", 0)
    with pytest.raises(TypeError, match="expected a DataFrame, got list"):
        scoring.score([1], [2], schema)
    with pytest.raises(TypeError, match="original: expected a DataFrame, got str"):
        scoring.anonymize("X.csv", "mondrian")


def test_every_annotation_can_be_resolved():
    for name in FUNCTIONS:
        function = getattr(scoring, name)
        module = sys.modules[function.__module__]
        known = {"ArrayLike": object, **vars(module)}
        assert typing.get_type_hints(function, known)
        assert isinstance(module, types.ModuleType)


# Sequential release


def test_releases_of_frames_are_those_of_files(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tables, schema = scoring.sequential.generate(60, 3, seed=2)
    made = scoring.sequential.publish(tables, 2, schema)
    Path("S.toml").write_text(schema.to_toml(), encoding="utf-8")
    for time, table in enumerate(tables, start=1):
        table.to_csv(f"T{time}.csv", index=False)
    command("sequential publish --m 2 --schema S.toml --tables T1.csv T2.csv T3.csv --out P")
    made.save("Q")
    assert {p.name: p.read_bytes() for p in Path("P").iterdir()} == {
        p.name: p.read_bytes() for p in Path("Q").iterdir()
    }
    named = "--schema S.toml --tables T1.csv T2.csv T3.csv --releases P/R1.csv P/R2.csv P/R3.csv"
    printed = command(f"sequential risk {named}")
    for releases in (made, made.releases):
        found = scoring.sequential.risk(tables, releases, schema)
        assert found.to_frame()["risk"].to_dict() == {r["id"]: r["risk"] for r in printed["risks"]}
        assert scoring.sequential.check(tables, releases, 2, schema)
        assert not scoring.sequential.check(tables, releases, 4, schema)
    printed = command(f"sequential risk {named} --over-time")
    found = scoring.sequential.risk(tables, made, schema, over_time=True).to_frame()
    for record in printed["risks"]:
        line = found.loc[record["id"]]
        assert line["pinned_by"] == record["pinned_by"]
        shown = [None if np.isnan(v) else v for v in line[[f"release {i}" for i in (1, 2, 3)]]]
        assert shown == record["over_time"]
    known = scoring.sequential.risk(
        tables,
        made.releases,
        schema,
        definition="worlds-counterfeit-known",
        counterfeits=made.counterfeits,
    )
    of_series = scoring.sequential.risk(tables, made, schema, definition="worlds-counterfeit-known")
    assert known.to_frame().equals(of_series.to_frame())
    on = scoring.sequential.publish(tables, 2, schema, before=made.releases[:2])
    assert len(on.releases) == 3
    assert on.releases[0].equals(made.releases[0])
    assert len(made.to_frame()) == len(made.counterfeits) == 3
    Path("S.zip").write_bytes(made.archive())
    line = "sequential score --schema S.toml --tables T1.csv T2.csv T3.csv --series S.zip --m 2"
    printed = command(f"{line} --definition counting")
    values = scoring.sequential.score(made)
    assert {id_: printed[id_] for id_ in values if id_ in printed} == {
        id_: value for id_, value in values.items() if id_ in printed
    }


def test_a_series_is_audited(tmp_path):
    tables, schema = scoring.sequential.generate(20, 2, seed=2)
    found = scoring.sequential.audit(scoring.sequential.publish(tables, 2, schema))
    assert found.to_frame().loc["m-invariance", "max"] == 0.5
    assert "largest risk" in repr(found)
    found.save(tmp_path / "A.html")
    assert "<!doctype html>" in (tmp_path / "A.html").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="records: expected 1 to"):
        scoring.sequential.generate(0)


# Differential privacy


def test_a_noisy_histogram_counts_every_listed_value(drawn):
    table, schema = drawn
    exact = scoring.privacy.histogram(table, ["sex", "region"], 100_000, schema)
    counts = table.groupby(["sex", "region"]).size()
    for sex, region, n in exact.itertuples(index=False):
        assert n == counts.get((sex, region), 0)
    assert len(exact) == 2 * len(schema.column("region").values)
    noisy = [scoring.privacy.histogram(table, "sex", 0.1, schema)["count"].tolist() for _ in "abc"]
    assert len(set(map(tuple, noisy))) > 1
    seeded = [scoring.privacy.histogram(table, "sex", "0.1", schema, seed=1) for _ in "ab"]
    assert seeded[0].equals(seeded[1])
    assert seeded[0].attrs == {"epsilon": 0.1, "sensitivity": 2, "within": 60, "seed": 1}
    one = scoring.privacy.histogram(table, "sex", 1, schema, adjacency="add_remove")
    assert one.attrs["sensitivity"] == 1
    for columns, values in (("sexx", schema), ("food", schema), ("sex", {"sex": ["male"]})):
        with pytest.raises(ValueError, match="expected"):
            scoring.privacy.histogram(table, columns, 1, values)
    with pytest.raises(ValueError, match="epsilon: expected a number above 0"):
        scoring.privacy.histogram(table, "sex", 0, schema)


def test_the_noise_of_a_histogram_is_within_what_it_says():
    table = pd.DataFrame({"a": ["x"] * 50})
    values = {"a": [str(i) for i in range(2000)] + ["x"]}
    found = scoring.privacy.histogram(table, "a", 0.5, values, seed=3)
    beyond = (found["count"][:-1].abs() > found.attrs["within"]).mean()
    assert 0.01 < beyond < 0.06


def test_randomized_answers_are_estimated():
    truth = pd.Series(["a"] * 6_000 + ["b"] * 3_000 + ["c"] * 1_000, name="answer")
    answers = scoring.privacy.respond(truth, 1.5, ["a", "b", "c"], seed=2)
    assert answers.name == "answer"
    assert 0.5 < (answers == truth).mean() < 0.8
    found = scoring.privacy.estimate(answers)
    for value, share in {"a": 0.6, "b": 0.3, "c": 0.1}.items():
        assert found.loc[value, "low"] < share < found.loc[value, "high"]
    assert found["share"].sum() == pytest.approx(1)
    plain = answers.copy()
    plain.attrs = {}
    assert scoring.privacy.estimate(plain, 1.5, ["a", "b", "c"]).equals(found)
    with pytest.raises(ValueError, match="epsilon, values: expected"):
        scoring.privacy.estimate(plain)
    with pytest.raises(ValueError, match="expected one of a, b, got 'c'"):
        scoring.privacy.respond(truth, 1, ["a", "b"])


# The study


@pytest.mark.long
def test_the_study_is_that_of_the_command(tmp_path, command):
    printed = command(f"study pwscup2015 --quick --out {tmp_path / 'one'}")
    found = scoring.study(quick=True)
    assert found.to_frame().T.to_dict() == printed["methods"]
    found.save(tmp_path / "two")
    assert (tmp_path / "two" / "index.html").is_file()
    assert "signs as the paper expects" in repr(found)
    with pytest.raises(scoring.UnknownNameError):
        scoring.study("pwscup2016")
