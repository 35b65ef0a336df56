# SPDX-License-Identifier: Apache-2.0
"""A list of steps as data: read from TOML or JSON, checked, applied to a raw table, and written down."""

from __future__ import annotations

import dataclasses
import json
import secrets
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

import tomli_w

from scoring.errors import Problem, ProblemsFound, shorten
from scoring.tables import steps as run
from scoring.tables import toml_text
from scoring.tables.raw_files import AUTO, ENCODINGS, MAX_HEADER, SEPARATORS, Reading

if TYPE_CHECKING:
    import pandas as pd

VERSION = 1
FILE = "steps"
MAX_STEPS = 200
SEED_DIGITS = 32
_LEAST_SEED = 2**96  # others find smaller ones by trying
_REQUIRED = object()
Kind = Literal["columns", "column", "text", "texts", "choice", "integer", "date", "seed"]
Step = Mapping[str, Any]
"""`do` names the step; the other keys are its fields."""


@dataclass(frozen=True, slots=True)
class Field:
    """A key of a step: texts of at most 100 characters, and integers from `low` to `high`."""

    name: str
    kind: Kind
    default: Any = _REQUIRED
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = 0

    @property
    def is_required(self) -> bool:
        return self.default is _REQUIRED

    @property
    def expected(self) -> str:
        """The values that are accepted, for messages."""
        if self.kind == "choice":
            return f"one of {', '.join(self.choices)}"
        if self.kind == "integer":
            return f"an integer from {self.low} to {self.high}"
        return {
            "columns": "names of columns",
            "column": "the name of a column",
            "text": "a text of 1 to 100 characters",
            "texts": "texts",
            "date": "a date such as 2025-04-01",
            "seed": f"{SEED_DIGITS} hexadecimal digits that nobody can guess",
        }[self.kind]

    def accepts(self, value: object) -> bool:
        """True if a value is of the kind and within its bounds."""
        if self.kind in ("columns", "texts"):
            return isinstance(value, list | tuple) and all(isinstance(v, str) for v in value)
        if self.kind == "integer":
            is_integer = isinstance(value, int) and not isinstance(value, bool)
            return is_integer and self.low <= int(str(value)) <= self.high
        if not isinstance(value, str):
            return False
        if self.kind == "choice":
            return value in self.choices
        if self.kind == "date":
            return _day(value) is not None
        if self.kind == "seed":
            return _seed(value) is not None
        return 1 <= len(value) <= 100


@dataclass(frozen=True, slots=True)
class StepKind:
    """A kind of step: its name, a text, its fields, and the function that is called with them."""

    id: str
    doc: str
    fields: tuple[Field, ...]
    function: Callable[..., run.Done]

    def field(self, name: str) -> Field | None:
        """The field of this name."""
        return next((field for field in self.fields if field.name == name), None)


_COLUMNS = Field("columns", "columns")
STEPS: dict[str, StepKind] = {
    kind.id: kind
    for kind in (
        StepKind("drop", "leave columns out", (_COLUMNS,), run.drop),
        StepKind(
            "rename",
            "give a column another name",
            (Field("column", "column"), Field("name", "text")),
            run.rename,
        ),
        StepKind(
            "numbers",
            "make plain numbers of cells such as 1,234 or ¥1,234 or full-width digits",
            (_COLUMNS, Field("decimal", "choice", ".", (".", ","))),
            run.numbers,
        ),
        StepKind(
            "round",
            "round numbers to so many decimals",
            (_COLUMNS, Field("decimals", "integer", low=0, high=9)),
            run.rounded,
        ),
        StepKind(
            "missing",
            "drop records with missing values, make them a category, or impute them",
            (
                Field("columns", "columns", ()),
                Field(
                    "how",
                    "choice",
                    choices=("drop", "category", "empty", "most-frequent", "median", "mean"),
                ),
                Field("signs", "texts", run.MISSING),
                Field("label", "text", run.MISSING_LABEL),
            ),
            run.missing,
        ),
        StepKind(
            "dates",
            "make years, months, ages or classes of ages of dates",
            (
                _COLUMNS,
                Field("to", "choice", choices=("year", "month", "age", "age-class", "date")),
                Field("on", "date", ""),
                Field("width", "integer", 10, low=1, high=50),
                Field("order", "choice", AUTO, (AUTO, "ymd", "dmy", "mdy")),
            ),
            run.dates,
        ),
        StepKind(
            "merge-rare",
            "merge the values that few records have into one",
            (
                _COLUMNS,
                Field("least", "integer", low=2, high=100_000),
                Field("label", "text", "other"),
            ),
            run.merge_rare,
        ),
        StepKind(
            "sample",
            "draw records at random",
            (Field("records", "integer", low=1, high=1_000_000), Field("seed", "seed", "")),
            run.sample,
        ),
    )
}
"""Every kind of step by its name."""


@dataclass(frozen=True, slots=True)
class Steps:
    """The way in which a raw file is read, and the steps in their order.

    Examples
    --------
    >>> steps = Steps.from_toml('version = 1\\n[[step]]\\ndo = "drop"\\ncolumns = ["氏名"]\\n')
    >>> steps.steps
    ({'do': 'drop', 'columns': ['氏名']},)
    """

    reading: Reading = dataclasses.field(default_factory=Reading)
    steps: tuple[Step, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The data of the file of steps; what is not chosen is left out."""
        usual = dataclasses.asdict(Reading())
        read = {k: v for k, v in dataclasses.asdict(self.reading).items() if v != usual[k]}
        found: dict[str, Any] = {"version": VERSION}
        if read:
            found["read"] = read
        return found | {"step": [dict(step) for step in self.steps]}

    def labels_of(self, column: str) -> set[str]:
        """The labels of missing cells of a column where steps make them a category of their own.

        Examples
        --------
        >>> step = {"do": "missing", "columns": ["job"], "how": "category", "label": "none"}
        >>> Steps(steps=(step,)).labels_of("job")
        {'none'}
        """
        return {
            step.get("label", run.MISSING_LABEL)
            for step in self.steps
            if step["do"] == "missing" and step["how"] == "category"
            if column in (step.get("columns") or (column,))  # where it names none, all columns
        }

    def to_toml(self) -> str:
        """The file of steps."""
        return tomli_w.dumps(self.to_dict())

    @classmethod
    def from_toml(cls, text: str) -> Steps:
        """Read a file of steps in TOML.

        Raises
        ------
        ProblemsFound
            With the number of each step that is wrong, what was expected and what was found.
        """
        try:
            data = toml_text.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise _refused("toml.syntax", got=shorten(error, 200)) from error
        return cls.from_dict(data)

    @classmethod
    def from_json(cls, text: str) -> Steps:
        """Read a file of steps in JSON, of the same keys.

        Raises
        ------
        ProblemsFound
            As `from_toml`.
        """
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise _refused("step.version", expected=VERSION, got=shorten(error)) from error
        return cls.from_dict(data)

    @classmethod
    def from_dict(cls, data: object) -> Steps:
        """Read the data of a file of steps.

        Raises
        ------
        ProblemsFound
            As `from_toml`.
        """
        version = data.get("version") if isinstance(data, Mapping) else None
        if not isinstance(data, Mapping) or version != VERSION or isinstance(version, bool):
            raise _refused("step.version", expected=VERSION, got=shorten(version))
        for key in data:
            if key not in ("version", "read", "step"):
                raise _refused("toml.unknown_key", key=shorten(key), expected="version, read, step")
        given = data.get("step", [])
        if not isinstance(given, list | tuple) or len(given) > MAX_STEPS:
            expected = f"a list of at most {MAX_STEPS} steps"
            raise _refused("toml.wrong_value", key="step", expected=expected, got=shorten(given))
        problems = [p for n, step in enumerate(given, start=1) for p in _problems(step, n)]
        if problems:
            raise ProblemsFound(problems)
        return cls(_reading(data.get("read", {})), tuple(dict(step) for step in given))

    def and_then(self, steps: Iterable[Step]) -> Steps:
        """These steps, and others after them."""
        return Steps.from_dict(Steps(self.reading, (*self.steps, *steps)).to_dict())

    def without(self, number: int) -> Steps:
        """All steps but this one, from 1.

        Raises
        ------
        IndexError
            Where there is no such step.
        """
        if not 1 <= number <= len(self.steps):
            raise IndexError(number)
        return Steps(self.reading, self.steps[: number - 1] + self.steps[number:])

    def seeded(self) -> Steps:
        """The same, and each sample without a seed has one of 128 bits from the operating system."""
        return Steps(
            self.reading,
            tuple(
                {**step, "seed": drawn_seed()}
                if step["do"] == "sample" and not step.get("seed")
                else step
                for step in self.steps
            ),
        )

    def unseeded(self) -> Steps:
        """The same without the seeds of samples: what others may read."""
        hidden = tuple({k: v for k, v in step.items() if k != "seed"} for step in self.steps)
        return Steps(self.reading, hidden)


@dataclass(frozen=True, slots=True)
class Report:
    """The effect of a step: `n` cells, records or columns changed as `unit` says, and the size of the table after it.

    `left` cells could not be changed: they are no numbers, or no dates.
    """

    step: Step
    n: int
    unit: str
    left: int
    n_records: int
    n_columns: int
    examples: tuple[run.Example, ...] = ()


def applied(table: pd.DataFrame, steps: Sequence[Step]) -> tuple[pd.DataFrame, list[Report]]:
    """The table after all steps, and what each of them did.

    Parameters
    ----------
    table : DataFrame
        Of `raw_files.read_raw`.
    steps : sequence of dict
        As in `Steps`; samples have seeds.

    Raises
    ------
    ProblemsFound
        With the number of the step that the table does not allow.

    Examples
    --------
    >>> from scoring.tables.raw_files import read_raw
    >>> raw = read_raw(b"cost,city\\n\\"1,200\\",A\\nNA,B\\n")
    >>> table, reports = applied(raw.table, [{"do": "numbers", "columns": ["cost"]}])
    >>> table["cost"].tolist(), reports[0].n, reports[0].left
    (['1200', 'NA'], 1, 0)
    """
    reports = []
    for n, step in enumerate(steps, start=1):
        table, report = _done(table, step, n)
        reports.append(report)
    return table, reports


def tried(
    table: pd.DataFrame, steps: Sequence[Step], *, first: int = 1
) -> tuple[pd.DataFrame, list[Report | ProblemsFound]]:
    """The table after all steps that it allows; the others are left out, each with its problems.

    `first` is the number of the first step in problems.

    Examples
    --------
    >>> from scoring.tables.raw_files import read_raw
    >>> raw = read_raw(b"cost\\n1\\n")
    >>> table, found = tried(raw.table, [{"do": "drop", "columns": ["x", "y"]}])
    >>> [problem.params["got"] for problem in found[0].problems], len(table.columns)
    (['x', 'y'], 1)
    """
    found: list[Report | ProblemsFound] = []
    for n, step in enumerate(steps, start=first):
        try:
            table, report = _done(table, step, n)
            found.append(report)
        except ProblemsFound as error:
            found.append(error)
    return table, found


def names_after(names: Iterable[str], steps: Iterable[Step]) -> list[str]:
    """The names of the columns after these steps: columns are dropped and renamed, never added.

    Examples
    --------
    >>> names_after(["id", "age"], [{"do": "drop", "columns": ["id"]}])
    ['age']
    """
    left = list(names)
    for step in steps:
        if step["do"] == "drop":
            left = [name for name in left if name not in step["columns"]]
        elif step["do"] == "rename":
            left = [step["name"] if name == step["column"] else name for name in left]
    return left


def _done(table: pd.DataFrame, step: Step, n: int) -> tuple[pd.DataFrame, Report]:
    """The table after a step, and its effect; `n` is its number in problems."""
    kind = STEPS[step["do"]]
    values = {field.name: _value(field, step, table) for field in kind.fields}
    _check_columns(kind, values, table, n)
    if step["do"] == "dates" and step["to"] in ("age", "age-class") and values["on"] is None:
        expected = kind.fields[2].expected
        raise _refused("step.missing_key", n=n, key="on", expected=expected)
    if step["do"] == "sample" and values["seed"] is None:
        expected = kind.fields[1].expected
        raise _refused("step.missing_key", n=n, key="seed", expected=expected)
    try:
        done = kind.function(table, **values)
    except run.StepError as error:
        raise _refused(error.code, n=n, **error.params) from None
    size = len(done.table), len(done.table.columns)
    return done.table, Report(step, done.n, done.unit, done.left, *size, done.examples)


def drawn_seed() -> str:
    """A seed of 128 bits from the operating system, as hexadecimal digits."""
    while _seed(text := secrets.token_hex(SEED_DIGITS // 2)) is None:
        pass
    return text


def _check_columns(kind: StepKind, values: Mapping[str, Any], table: pd.DataFrame, n: int) -> None:
    problems = []
    for key in kind.fields:
        if key.kind not in ("columns", "column"):
            continue
        named = values[key.name] if key.kind == "columns" else [values[key.name]]
        for name in named:
            if name not in table.columns:
                expected = shorten(", ".join(map(str, table.columns)), 200)
                got = shorten(name)
                problems.append(_problem("step.unknown_column", n=n, expected=expected, got=got))
    if problems:
        raise ProblemsFound(problems)


def _value(field: Field, step: Step, table: pd.DataFrame) -> Any:
    """The argument of a field; all columns where a step names none."""
    value = step.get(field.name, field.default)
    if field.kind == "columns":
        return list(dict.fromkeys(value)) or list(table.columns)
    if field.kind == "date":
        return _day(value)
    return _seed(value) if field.kind == "seed" else value


def _problems(step: object, n: int) -> list[Problem]:
    """The problems of a step, whatever the table is."""
    names = ", ".join(STEPS)
    do = step.get("do") if isinstance(step, Mapping) else step
    if not isinstance(step, Mapping) or not isinstance(do, str) or do not in STEPS:
        return [_problem("step.unknown", n=n, expected=names, got=shorten(do))]
    kind, found = STEPS[do], []
    for key, value in step.items():
        if key == "do":
            continue
        if (field := kind.field(key)) is None:
            expected = ", ".join(f.name for f in kind.fields)
            found.append(_problem("step.unknown_key", n=n, key=shorten(key), expected=expected))
        elif not field.accepts(value) and not (value == field.default == ""):
            got = shorten(value)
            found.append(
                _problem("step.wrong_value", n=n, key=key, expected=field.expected, got=got)
            )
    for field in kind.fields:
        given = step.get(field.name, () if field.kind == "columns" else None)
        if field.is_required and (given is None or given == [] or given == ()):
            found.append(_problem("step.missing_key", n=n, key=field.name, expected=field.expected))
    return found


def _reading(data: object) -> Reading:
    """The way of reading in a file of steps."""
    expected = {
        "encoding": ", ".join((AUTO, *ENCODINGS)),
        "separator": ", ".join((AUTO, *SEPARATORS)),
        "sheet": "the name of a sheet",
        "header": f"an integer from 0 to {MAX_HEADER}",
    }
    if not isinstance(data, Mapping):
        raise _refused("toml.wrong_value", key="read", expected="a table", got=shorten(data))
    for key, value in data.items():
        if key not in expected:
            raise _refused("toml.unknown_key", key=shorten(key), expected=", ".join(expected))
        is_good = {
            "encoding": value in (AUTO, *ENCODINGS),
            "separator": value in (AUTO, *SEPARATORS),
            "sheet": isinstance(value, str) and len(value) <= 100,
            "header": isinstance(value, int)
            and not isinstance(value, bool)
            and 0 <= value <= MAX_HEADER,
        }[key]
        if not is_good:
            raise _refused(
                "toml.wrong_value", key=f"read.{key}", expected=expected[key], got=shorten(value)
            )
    return Reading(**data)


def _day(text: object) -> date | None:
    try:
        return date.fromisoformat(text) if isinstance(text, str) and len(text) == 10 else None
    except ValueError:
        return None


def _seed(text: object) -> int | None:
    """The number of a seed; None where it is none, or somebody could find it by trying."""
    if not isinstance(text, str) or len(text) != SEED_DIGITS or set(text) - set("0123456789abcdef"):
        return None
    return number if (number := int(text, 16)) >= _LEAST_SEED else None


def _problem(code: str, **params: str | int | float) -> Problem:
    return Problem(code, params, FILE)


def _refused(code: str, **params: str | int | float) -> ProblemsFound:
    return ProblemsFound([_problem(code, **params)])
