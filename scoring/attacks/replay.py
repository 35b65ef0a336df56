# SPDX-License-Identifier: Apache-2.0
"""Replay: runs the public anonymizers with small seeds until one gives the published table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, permutations

import numpy as np
import numpy.typing as npt
import pandas as pd

from scoring.anonymizers import ANONYMIZERS, Anonymized
from scoring.errors import ProblemsFound
from scoring.scores.comparison import Prepared
from scoring.tables.equivalence import Classes, IntArray
from scoring.tables.schema import Column, Kind, Role, Schema

Chain = tuple[str, ...]
Hashes = npt.NDArray[np.uint64]

LONGEST = 3
"""Methods in a row."""
POPULAR = (*range(2015, 2036), 1234, 4321, 12345, 31337, 54321, 123456, 1234567, 12345678)
"""Larger seeds that are often chosen."""
_SPANS = (10, 100)
"""Seeds below the first are replayed before the others of the same chain, and so on."""
_SHARES = {1: 2, 2: 2, 3: 1}
"""By length of chain: the part of the remaining work reserved for chains up to that length."""
_EXAMINED = 5  # the part spent on looking at chains of a length
_DEAR = 50  # a chain of several methods that takes more than such a part is left out
_PER_RECORD = 25  # tables of a few records come out by chance
_PROBES = (2**40 + 15, 2**41 + 9)
_WEIGHTS = {  # time for a cell, where that of `sa-noise` is 1
    "class-swap": 3,
    "across-class-swap": 3,
    "mondrian": 5,
    "local-recoding": 8,
    "back-mapping": 8,
    "univariate-microaggregation": 22,
    "rank-swap": 23,
    "lattice": 60,
    "class-average": 60,
    "mdav": 80,
}
_FEW = 100
"""Tables of so few records may keep a column by chance."""
_EACH_COLUMN = 2_000  # records that take as long as what does not depend on their number
_CLASS = "class of the record"


@dataclass(frozen=True, slots=True)
class Replay:
    """Replay: how a table was made, and the guess that follows.

    Attributes
    ----------
    chain : tuple of str
        The anonymizers, one after the other, each with its default options.
    seed : int or None
        The seed of their randomness; None where every seed gives this table.
    guess : int64 array, shape (n_anonymized,)
        The original row that each record declares.
    """

    chain: Chain
    seed: int | None
    guess: IntArray


def guess_replayed(
    original: pd.DataFrame | Prepared,
    anonymized: pd.DataFrame,
    schema: Schema,
    *,
    rng: np.random.Generator,
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    seeds: int = 1000,
    work: int = 400,
) -> IntArray:
    """Guess the rows declared by the chain of anonymizers and the seed that reproduce the table, if found.

    Parameters
    ----------
    original, anonymized : DataFrame, n_original and n_anonymized records
        The attacker has both tables and the anonymizers of this library.
    rng : numpy.random.Generator
        Draws nothing: the seeds are those of the team that made the table.
    quasi_identifiers, sensitive : sequence of str, optional
        Not used: a table is made of all its columns.
    seeds : int
        Seeds below this number are replayed, and some that are popular.
    work : int
        The most work, in millions of cells that `sa-noise` changes; a million is about 0.03 s.

    Returns
    -------
    int64 array, shape (n_anonymized,)
        0-based original rows. Equal records get their rows in any order. All -1 where no chain and
        seed make the table.

    Notes
    -----
    All anonymizers are replayed with their default options, in chains of up to three. Chains that leave other columns
    untouched, or another number of records, than the table shows are left out. Where a step does not draw at random it
    is run once; where the others draw column by column, two columns are drawn and compared with the table, and only a
    seed that gives these is drawn in full. Small seeds come first, with all chains. A table of n records is compared
    with no more than 25 n others, since one of a few records comes out by chance. The published table declares the rows
    that the chain declares, so only a seed that cannot be guessed protects against this attacker.

    Examples
    --------
    >>> from scoring.anonymizers import anonymize
    >>> from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
    >>> x = households(100, seed=1)
    >>> made = anonymize(x, HOUSEHOLDS_SCHEMA, [("class-swap", {})], rng=np.random.default_rng(7))
    >>> guess = guess_replayed(x, made.table, HOUSEHOLDS_SCHEMA, rng=np.random.default_rng(1))
    >>> bool((guess == made.source).all())
    True
    """
    found = replayed(original, anonymized, schema, seeds=seeds, work=work)
    return np.full(len(anonymized), -1, dtype=np.int64) if found is None else found.guess


def replayed(
    original: pd.DataFrame | Prepared,
    anonymized: pd.DataFrame,
    schema: Schema,
    *,
    seeds: int = 1000,
    work: int = 400,
) -> Replay | None:
    """The first chain and seed that reproduce the table; None where none of them does.

    Parameters are those of `guess_replayed`.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> found = replayed(table("original"), table("averaged"), SCHEMA)
    >>> found.chain, found.seed
    (('class-average',), None)
    """
    first = original.table if isinstance(original, Prepared) else original
    public = schema.public()
    start = first[list(public.names)].reset_index(drop=True)
    target = anonymized[list(public.names)].reset_index(drop=True)
    if not 0 < len(target) <= len(start):
        return None
    budget = _Budget(work * 1_000_000, _PER_RECORD * len(start))
    search = _Search(_State(start, np.arange(len(start), dtype=np.int64)), public, target, budget)
    return search.found(seeds)


@dataclass(slots=True)
class _Budget:
    """The remaining work, in cells, and the remaining tables."""

    cells: int
    runs: int

    @property
    def is_spent(self) -> bool:
        return self.cells <= 0 or self.runs <= 0


def _cost(step: str, n_records: int, n_columns: int) -> int:
    """The cost of a step, in cells that `sa-noise` changes."""
    return _WEIGHTS.get(step, 1) * (n_records + _EACH_COLUMN) * n_columns


@dataclass(frozen=True, slots=True)
class _State:
    """A table on its way, the original row of each of its records, and whether that took random numbers."""

    table: pd.DataFrame
    source: IntArray
    draws: bool = False


@dataclass(frozen=True, slots=True)
class _Footprint:
    """The effect of a method on a table: columns with changed values, and if records are deleted."""

    columns: frozenset[str]
    drops: bool


@dataclass(frozen=True, slots=True)
class _Screen:
    """A few columns of a chain's table, as a sum of hashes, for every seed at little cost."""

    chain: Chain
    start: _State
    schema: Schema
    steps: Chain
    columns: tuple[str, ...]
    wanted: int

    @property
    def cost(self) -> int:
        return sum(_cost(step, *self.start.table.shape) for step in self.steps)


@dataclass(frozen=True, slots=True)
class _Block:
    """Seeds to replay a chain with; `cost` is that of all seeds up to them."""

    screen: _Screen
    seeds: Sequence[int]
    cost: int


def _blocks(screen: _Screen, seeds: int) -> list[_Block]:
    ends = [0, *(end for end in _SPANS if end < seeds), seeds]
    blocks = [_Block(screen, range(begin, end), screen.cost * end) for begin, end in pairwise(ends)]
    popular = [seed for seed in POPULAR if seed >= seeds]
    return [*blocks, _Block(screen, popular, screen.cost * (seeds + len(popular)))]


@dataclass(slots=True)
class _Search:
    """The published table, and what is known of the anonymizers on this original."""

    start: _State
    schema: Schema
    target: pd.DataFrame
    budget: _Budget
    hashes: Hashes = field(init=False)
    footprints: dict[str, _Footprint] = field(init=False, default_factory=dict)
    prefixes: dict[Chain, _State | None] = field(init=False, default_factory=dict)
    levels: dict[str, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.hashes = _row_hashes(self.target, self.schema.names)

    def found(self, seeds: int) -> Replay | None:
        blocks: list[_Block] = []
        for length in range(1, LONGEST + 1):
            screens = self._examined_of(length)
            if isinstance(screens, Replay):
                return screens
            blocks += [block for screen in screens for block in _blocks(screen, seeds)]
            blocks.sort(key=lambda block: block.cost)
            left = self.budget.cells - self.budget.cells // _SHARES[length]
            while blocks and self.budget.cells > left:
                if found := self._replayed(blocks.pop(0)):
                    return found
        return None

    def _replayed(self, block: _Block) -> Replay | None:
        """The answer, if the chain makes the table with one of the seeds."""
        for seed in block.seeds:
            if self.budget.is_spent:
                return None
            if self._passes(block.screen, seed) and (found := self._made(block.screen.chain, seed)):
                return found
        return None

    # Chains

    def _examined_of(self, length: int) -> Replay | list[_Screen]:
        """The sketches of all random chains of a length; the answer if a deterministic one reproduces the table."""
        enough = self.budget.cells - self.budget.cells // _EXAMINED
        screens = []
        for chain in self._chains(length):
            if self.budget.is_spent or self.budget.cells < enough:
                break
            match self._examined(chain):
                case Replay() as found:
                    return found
                case _Screen() as screen:
                    screens.append(screen)
        return screens

    def _chains(self, length: int) -> Iterable[Chain]:
        """Chains that may have made the table: longer ones by the effect of each method on the original."""
        names = self.schema.names
        if length == 1:
            known = {method: self._prefix((method,)) for method in ANONYMIZERS}
            for method, state in known.items():
                if state is not None:
                    self.footprints[method] = _footprint(self.start.table, state.table, names)
        shown = _footprint(self.start.table, self.target, names)
        chains = permutations(self.footprints, length)
        return (chain for chain in chains if self._may_make(chain, shown))

    def _may_make(self, chain: Chain, shown: _Footprint) -> bool:
        if len(chain) == 1 and len(self.start.table) < _FEW:
            return True
        sensitive = frozenset(self.schema.sensitive)
        columns = frozenset().union(*(self.footprints[method].columns for method in chain))
        return (
            any(self.footprints[method].drops for method in chain) == shown.drops
            and shown.columns <= columns
            and columns & sensitive == shown.columns & sensitive
            and len(columns - shown.columns) <= len(columns) // 2
        )

    def _examined(self, chain: Chain) -> Replay | _Screen | None:
        """The answer if the result does not depend on the seed; otherwise the columns to compare."""
        drawing = (n for n, method in enumerate(chain) if self._draws(method))
        n_fixed = next(drawing, len(chain) - 1)
        if len(chain) > 1 and self._costs(chain[n_fixed:]) > self.budget.cells // _DEAR:
            return None
        start = self._prefix(chain[:n_fixed])
        return None if start is None else self._screened(chain, start, chain[n_fixed:])

    def _costs(self, steps: Chain) -> int:
        level = max(self._level(step) for step in steps)
        n_columns = (3, 2 + len(self.schema.quasi_identifiers), len(self.schema.columns))[level]
        return sum(_cost(step, len(self.start.table), n_columns) for step in steps)

    def _draws(self, method: str) -> bool:
        state = self._prefix((method,))
        return state is not None and state.draws

    def _prefix(self, chain: Chain) -> _State | None:
        """The tables that methods make of the original: those of one method are kept, and the last of several."""
        if not chain:
            return self.start
        if chain not in self.prefixes:
            for known in [known for known in self.prefixes if len(known) >= len(chain) > 1]:
                del self.prefixes[known]
            before = self._prefix(chain[:-1])
            made = before and self._applied(chain[-1:], before, self.schema, _PROBES[0])
            self.prefixes[chain] = made
        return self.prefixes[chain]

    # Single tables

    def _applied(self, steps: Chain, state: _State, schema: Schema, seed: int) -> _State | None:
        """The result of the steps on a table; None if one of them does not fit it."""
        self.budget.runs -= 1
        rng = np.random.default_rng(seed)
        before = rng.bit_generator.state
        table, source = state.table, state.source
        original = self.start.table
        for method in steps:
            anonymizer = ANONYMIZERS[method]
            self.budget.cells -= _cost(method, *table.shape)
            past = {"original": original, "source": source} if anonymizer.looks_back else {}
            try:
                made: Anonymized = anonymizer.function(table, schema, rng=rng, **past)
            except ProblemsFound:
                return None
            table, source = made.table, source[made.source]
        return _State(table, source, rng.bit_generator.state != before)

    def _made(self, chain: Chain, seed: int | None) -> Replay | None:
        """The answer, if this seed makes the whole table."""
        made = self._applied(chain, self.start, self.schema, seed or 0)
        return None if made is None else self._compared(chain, seed, made)

    def _compared(self, chain: Chain, seed: int | None, made: _State) -> Replay | None:
        if len(made.table) != len(self.target):
            return None
        hashes = _row_hashes(made.table, self.schema.names)
        ours, theirs = np.argsort(hashes, kind="stable"), np.argsort(self.hashes, kind="stable")
        if not np.array_equal(hashes[ours], self.hashes[theirs]):
            return None
        guess = np.empty(len(ours), dtype=np.int64)
        guess[theirs] = made.source[ours]
        return Replay(chain, seed, guess)

    # Many tables

    def _screened(self, chain: Chain, start: _State, steps: Chain) -> Replay | _Screen | None:
        """The parts of the chain's tables that depend on the seed; None if they cannot be the published table."""
        for level in range(max(self._level(step) for step in steps), _ALL + 1):
            table, schema = _narrowed(start.table, self.schema, level)
            begin = replace(start, table=table)
            one = other = self._applied(steps, begin, schema, _PROBES[0])
            if one is not None and one.draws:
                other = self._applied(steps, begin, schema, _PROBES[1])
            if one is None or other is None:
                return None
            if len(one.table) == len(other.table) != len(self.target):
                return None
            names = tuple(name for name in schema.names if name != _CLASS)
            varying = self._varying(one.table, other.table, names)
            if varying is None:
                return None
            if varying:
                wanted = _total(_row_hashes(self.target, varying))
                begin, schema = self._narrowest(begin, schema, steps, varying, one)
                return _Screen(chain, begin, schema, steps, varying, wanted)
            if not one.draws:
                break
        return self._made(chain, None)

    def _varying(
        self, one: pd.DataFrame, other: pd.DataFrame, names: tuple[str, ...]
    ) -> tuple[str, ...] | None:
        """The fewest columns by which two seeds differ, none where they do not.

        None where a column in which they agree is not the target's.
        """
        differing = []
        for name in names:
            totals = [_total(_row_hashes(table, (name,))) for table in (one, other, self.target)]
            if totals[0] != totals[1]:
                differing.append(name)
            elif totals[1] != totals[2]:
                return None
        if differing:
            return (differing[-1],)  # numbers come last, and are compared quicker than texts
        moved = [n for n in names if not _equal(one[n], other[n])]
        others = [n for n in names if n not in moved]
        for chosen in (tuple(moved[:2]), tuple(moved[:1] + others[:1]), names):
            totals = [_total(_row_hashes(table, chosen)) for table in (one, other)]
            if totals[0] != totals[1]:
                return chosen
        return ()

    def _narrowest(
        self, begin: _State, schema: Schema, steps: Chain, columns: tuple[str, ...], shown: _State
    ) -> tuple[_State, Schema]:
        """A start with these columns and the class, if the same is made of them; else as it was."""
        less = _only(schema, (*columns, _CLASS))
        narrow = replace(begin, table=begin.table[list(less.names)])
        made = self._applied(steps, narrow, less, _PROBES[0])
        is_same = made is not None and _agree(made, shown, columns)
        return (narrow, less) if is_same else (begin, schema)

    def _level(self, method: str) -> int:
        """The fewest columns from which a method draws the same values as from all: see `_narrowed`."""
        if method not in self.levels:
            least = 1 if ANONYMIZERS[method].looks_back else 0
            least = least if self.schema.sensitive else _ALL
            levels = range(least, _ALL)
            faithful = (level for level in levels if self._is_faithful(method, level))
            self.levels[method] = next(faithful, _ALL)
        return self.levels[method]

    def _is_faithful(self, method: str, level: int) -> bool:
        whole = self._prefix((method,))
        table, schema = _narrowed(self.start.table, self.schema, level)
        made = self._applied((method,), replace(self.start, table=table), schema, _PROBES[0])
        names = [name for name in schema.names if name != _CLASS]
        if whole is None or made is None or not names:
            return False
        if level == 0:  # the class represents the quasi-identifiers: both have to stay unchanged
            before = (table[_CLASS], *(self.start.table[q] for q in self.schema.quasi_identifiers))
            after = (
                made.table[_CLASS],
                *(whole.table[q] for q in self.schema.quasi_identifiers),
            )
            pairs = zip(before, after, strict=True)
            if not all(_equal(old.iloc[made.source], new) for old, new in pairs):
                return False
        return _agree(made, whole, names)

    def _passes(self, screen: _Screen, seed: int) -> bool:
        """True if the few columns equal those of the target."""
        made = self._applied(screen.steps, screen.start, screen.schema, seed)
        if made is None or len(made.table) != len(self.target):
            return False
        return _total(_row_hashes(made.table, screen.columns)) == screen.wanted


_ALL = 2


def _narrowed(table: pd.DataFrame, schema: Schema, level: int) -> tuple[pd.DataFrame, Schema]:
    """Two sensitive columns with the class of each record, then with all quasi-identifiers, then everything."""
    if level == _ALL:
        return table, schema
    numbers = schema.sensitive_numeric
    chosen = (*numbers, *(n for n in schema.sensitive if n not in numbers))[:2]
    if level == 1:
        less = _only(schema, (*schema.quasi_identifiers, *chosen))
        return table[list(less.names)], less
    less = _only(schema, chosen)
    of_row = Classes.of(table, schema.quasi_identifiers).of_row
    label = Column(_CLASS, Role.QUASI_IDENTIFIER, Kind.INTEGER)
    labelled = table[list(less.names)].assign(**{_CLASS: of_row})
    return labelled, replace(less, columns=(*less.columns, label))


def _only(schema: Schema, names: Sequence[str]) -> Schema:
    """The columns of these names."""
    columns = tuple(column for column in schema.columns if column.name in names)
    return replace(schema, columns=columns, e2_column=None, e4_column=None)


def _agree(made: _State, whole: _State, names: Sequence[str]) -> bool:
    return np.array_equal(made.source, whole.source) and all(
        _equal(made.table[name], whole.table[name]) for name in names
    )


def _equal(left: pd.Series, right: pd.Series) -> bool:
    return bool(np.array_equal(left.to_numpy(), right.to_numpy()))


def _footprint(before: pd.DataFrame, after: pd.DataFrame, names: Sequence[str]) -> _Footprint:
    """Columns that have a value more often than before: swaps, and records that go, give none."""
    touched = set()
    for name in names:
        if len(before) == len(after) and _equal(before[name], after[name]):
            continue
        values, counts = np.unique(_value_hashes(after[name]), return_counts=True)
        known, available = np.unique(_value_hashes(before[name]), return_counts=True)
        at = np.minimum(np.searchsorted(known, values), len(known) - 1)
        if ((known[at] != values) | (available[at] < counts)).any():
            touched.add(name)
    return _Footprint(frozenset(touched), len(after) < len(before))


# Hashes, the same for equal values whatever their types


def _value_hashes(column: pd.Series) -> Hashes:
    if pd.api.types.is_numeric_dtype(column):
        numbers = column.to_numpy(dtype=np.float64) + 0.0  # no negative zero
        return _mixed(numbers.view(np.uint64))
    texts = column.astype(object).to_numpy()
    hashed: Hashes = pd.util.hash_array(texts, categorize=True)
    return hashed


def _row_hashes(table: pd.DataFrame, names: Sequence[str]) -> Hashes:
    found = np.zeros(len(table), dtype=np.uint64)
    for name in names:
        found = _mixed(found * np.uint64(0x9E3779B97F4A7C15) + _value_hashes(table[name]))
    return found


def _mixed(values: Hashes) -> Hashes:
    """The finalizer of SplitMix64."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _total(hashes: Hashes) -> int:
    """A hash of all records that does not depend on their order."""
    return int(hashes.sum(dtype=np.uint64))
