# SPDX-License-Identifier: Apache-2.0
"""Empty choices, single records and columns, equal and missing cells: a named error, or a true value."""

from __future__ import annotations

import math
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import scoring
from scoring import sequential
from scoring.catalogs import UnknownNameError
from scoring.errors import ProblemsFound
from scoring.examples import SCHEMA, table
from scoring.measures.disclosure import DISCLOSURES
from scoring.measures.suda import Suda
from scoring.privacy.lower_bounds import empirical_epsilon
from scoring.rulesets import load_ruleset
from scoring.tables.schema import Column, Kind, Role, Schema

X, Y = table("original"), table("noise")
CATEGORY = Schema((Column("a", Role.QUASI_IDENTIFIER, Kind.CATEGORY),))
NUMBER = Schema((Column("n", Role.SENSITIVE, Kind.NUMBER),))
A, N = pd.DataFrame({"a": ["x", "y", "x"]}), pd.DataFrame({"n": [1.0, 2.0, 3.0]})
EQUAL = pd.concat([X.head(1)] * 4, ignore_index=True)
TABLES = {
    "as it is": (X, Y, SCHEMA),
    "one record": (X.head(1), Y.head(1), SCHEMA),
    "equal records": (EQUAL, EQUAL, SCHEMA),
    "one category": (A, A, CATEGORY),
    "one number": (N, N, NUMBER),
    "no records": (X.head(0), Y.head(0), SCHEMA),
    "no records kept": (X, Y.head(0), SCHEMA),
    "no cell known": (X.assign(SA1=np.nan), Y, SCHEMA),
    "no cell kept": (X, Y.assign(SA1=np.nan), SCHEMA),
}
OF_ONE_TABLE = [id_ for id_ in scoring.MEASURES if id_ not in DISCLOSURES]
WITHOUT_ROWS = [id_ for id_ in OF_ONE_TABLE if not scoring.MEASURES[id_].needs_rows]


class Sampler:
    """A synthesizer that has learned its table by heart."""

    def fit(self, data: pd.DataFrame) -> None:
        self.data = data

    def sample(self, n: int) -> pd.DataFrame:
        return self.data.head(n)


CALLS = {
    "score": lambda x, y, s: scoring.score(x, y, s, rows=range(len(y)), measures=OF_ONE_TABLE),
    "score without rows": lambda x, y, s: scoring.score(
        x, y, s, synthetic=True, measures=WITHOUT_ROWS
    ),
    "score of nothing": lambda x, y, s: scoring.score(x, y, s, rows=range(len(y)), measures=[]),
    "audit": lambda x, y, s: scoring.audit(
        x, y, s, rows=range(len(y)), attacks=["E1", "learned-linkage"], measures=["S1", "suda-max"]
    ),
    "audit of attacks": lambda x, y, s: scoring.audit(
        x, y, s, rows=range(len(y)), attacks="EUC2", measures=[]
    ),
    "audit of measures": lambda x, y, s: scoring.audit(
        x, y, s, rows=range(len(y)), attacks=[], measures=["S1", "U1"]
    ),
    "audit of nothing": lambda x, y, s: scoring.audit(
        x, y, s, rows=range(len(y)), attacks=[], measures=[]
    ),
    "compare": lambda x, y, s: scoring.compare(x, {"t": y.set_axis(x.index[: len(y)])}, s),
    "compare nothing": lambda x, y, s: scoring.compare(x, {}, s),
    "validate": lambda x, y, s: scoring.validate(x, y, s, rows=range(len(y))),
    "membership": lambda x, y, s: scoring.membership(x, x, y, s),
    "candidates": lambda x, y, s: scoring.candidates(x, y, s, n=1),
    "candidates of none": lambda x, y, s: scoring.candidates(x, y, s, n=0),
    "synthesize": lambda x, y, s: scoring.synthesize(x, Sampler(), s),
    "anonymize by nothing": lambda x, y, s: scoring.anonymize(x, [], s, seed=1),
    "generate": lambda x, y, s: scoring.generate("households", len(y), seed=1)[0],
    "hierarchies": lambda x, y, s: scoring.hierarchies({}, s),
    "k_anonymity": lambda x, y, s: scoring.k_anonymity(y, s.quasi_identifiers),
    "k_anonymity of nothing": lambda x, y, s: scoring.k_anonymity(y, []),
    "l_diversity": lambda x, y, s: scoring.l_diversity(y, s.quasi_identifiers, s.sensitive),
    "l_diversity of one class": lambda x, y, s: scoring.l_diversity(y, [], s.sensitive),
    "t_closeness": lambda x, y, s: scoring.t_closeness(y, s.quasi_identifiers, s.sensitive),
    "t_closeness of nothing": lambda x, y, s: scoring.t_closeness(y, [], []),
    "histogram": lambda x, y, s: scoring.privacy.histogram(y, [], 1.0, {}),
    "respond": lambda x, y, s: scoring.privacy.respond(pd.Series([], dtype="str"), 1.0, []),
    "estimate": lambda x, y, s: scoring.privacy.estimate(pd.Series([], dtype="str"), 1.0, []),
}
CALLS |= {
    f"anonymize {id_}": lambda x, y, s, id_=id_: scoring.anonymize(x, id_, s, seed=1)
    for id_ in scoring.ANONYMIZERS
}
CALLS |= {
    f"attack {id_}": lambda x, y, s, id_=id_: scoring.attack(x, y, id_, s, rows=range(len(y)))
    for id_ in scoring.ATTACKS
}
NAMED = re.compile(r"(option )?[a-z]\w*( \w+)*(:|,| —| of ).*(expected|unknown)|too few", re.DOTALL)
"""An error that begins with what it is about and says what was expected."""
NOT_ASKED = {"read", "study"}
"""Those that take a file, or nothing that can be empty."""


def test_every_public_function_is_asked():
    functions = {
        name
        for name in scoring.__all__
        if callable(getattr(scoring, name)) and not isinstance(getattr(scoring, name), type)
    }
    functions |= {"histogram", "respond", "estimate"}
    assert functions - NOT_ASKED == {call.split()[0] for call in CALLS}


def shown(found) -> str:
    """All that a result shows."""
    said = [repr(found)]
    for name in ("to_frame", "_repr_html_", "report", "plot"):
        if hasattr(found, name) and not isinstance(found, pd.DataFrame):
            said.append(str(getattr(found, name)()))
    return " ".join(said)


@pytest.mark.parametrize("given", TABLES)
@pytest.mark.parametrize("call", CALLS)
def test_a_call_names_what_is_wrong_or_has_values_that_can_be_shown(call, given):
    x, y, schema = TABLES[given]
    refused, found = None, None
    try:
        found = CALLS[call](x, y, schema)
    except (ProblemsFound, ValueError, UnknownNameError) as error:
        refused = str(error)
    if refused is not None:
        assert NAMED.match(refused), refused
        return
    assert shown(found)
    if isinstance(found, scoring.facade.results.Scores):
        numbers = {id_: value for id_, value in found.items() if value is not None}
        assert [id_ for id_, value in numbers.items() if not math.isfinite(value)] == []
        assert list(found.to_frame().index) == [m.id for m in found.measures]


def test_an_audit_without_attackers_is_its_measures():
    found = scoring.audit(X, Y, SCHEMA, attacks=[], measures=["S1", "U1"])
    assert (
        repr(found) == "<AuditResult: no attacker was run; 4 records of 4; S1 2, U1 1.25; seed 1>"
    )
    assert found.to_frame()["value"].to_dict() == {"S1": 2, "U1": 1.25}
    assert found.rate is None
    page = found.report()
    HTMLParser().feed(page)
    assert "No attacker was run." in page
    assert "Random guesses" not in page
    assert "All attackers" not in page
    full = scoring.audit(X, Y, SCHEMA, attacks=["E1"], measures=["S1"])
    assert full.to_frame()["rate"].to_dict() == {"E1": 0.5}
    assert "No attacker was run." not in full.report()


def test_the_only_record_of_a_table_is_at_risk():
    values = scoring.score(X.head(1), Y.head(1), SCHEMA, measures=["suda-mean", "suda-max"])
    assert dict(values) == {"suda-mean": 1.0, "suda-max": 1.0}
    assert Suda.of(X.head(1), ["QI1", "QI2", "QI3"]).counts.tolist() == [[3, 0, 0]]


def test_columns_that_are_missing_in_the_call_are_named():
    with pytest.raises(
        ValueError, match=r"^quasi_identifiers: expected at least one column, got none"
    ):
        scoring.k_anonymity(X, [])
    for function in (scoring.l_diversity, scoring.t_closeness):
        with pytest.raises(ValueError, match=r"^sensitive: expected at least one column, got none"):
            function(X, ["QI1"], [])
    with pytest.raises(ValueError, match=r"^tables: expected at least one table, got none"):
        scoring.compare(X, {}, SCHEMA)


@pytest.mark.parametrize("position", [0, 1])
@pytest.mark.parametrize("values", [[math.nan], [1.0, math.nan], [], [1.0, 2.0, 3.0]])
def test_statistics_that_are_no_numbers_bound_nothing(position, values):
    """A mechanism without numbers has no ε of 0 or more: the call says which one."""
    draws = [lambda n, rng: rng.random(n), lambda n, rng: rng.random(n)]
    draws[position] = lambda n, rng: (
        np.resize(values, n if len(values) < 3 else 3) if values else []
    )
    name = ("one", "other")[position]
    with pytest.raises(ValueError, match=f"^{name}: expected 50 numbers, got "):
        empirical_epsilon(*draws, np.random.default_rng(1), n_trials=100)


def test_a_series_of_nothing_is_named_and_of_no_measures_has_none():
    tables, schema = sequential.generate(40, 2, seed=1)
    for refused in (
        lambda: sequential.publish([], 2, schema),
        lambda: sequential.check([], [], 2, schema),
        lambda: sequential.risk([], [], schema),
    ):
        with pytest.raises(ValueError, match=r"^tables: expected at least one table, got none"):
            refused()
    for compared in (sequential.risk, lambda t, r, s: sequential.check(t, r, 2, s)):
        with pytest.raises(ProblemsFound, match="each table needs its release"):
            compared(tables, [], schema)
    series = sequential.publish(tables[:1], 2, schema)
    found = sequential.score(series, measures=[])
    assert dict(found) == {}
    assert shown(found)
    assert shown(sequential.audit(series, progress=False))


def test_no_measures_are_outside_of_no_bounds():
    rules = load_ruleset("membership-2020")
    assert rules.gates
    original, schema = scoring.generate("census", 40, seed=1)
    found = scoring.score(original, original, schema, ruleset="membership-2020", measures=[])
    assert (dict(found), found.problems) == ({}, ())
