# SPDX-License-Identifier: Apache-2.0
"""A first proposal of a schema for a table nobody prepared."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scoring.errors import Collector
from scoring.tables.cells import is_integer, is_number
from scoring.tables.exposure import proposed_cross
from scoring.tables.frames import csv_of, holds_numbers
from scoring.tables.schema import DECIMALS, MOST_DECIMALS, N_CROSS, Column, Kind, Role, Schema
from scoring.tables.text import MAX_UNUSABLE, decode, natural, plain_digits, read_header, records

if TYPE_CHECKING:
    import pandas as pd

MAX_NUMBERS_AS_CATEGORY = 50
MAX_LISTED_VALUES = 200
ORIGINAL_FILE = "original"

# Names that say more than the cells do, in the spelling of `_plain_name`: as a whole or after a separator, in Japanese
# also at the end of a longer name. The first role that has the name is taken.
_ROLE_NAMES = {
    Role.QUASI_IDENTIFIER: re.compile(
        r"(?:.*[_\W])?(?:age|dob|birth(?:[_ ]?(?:day|date|year))?|(?:year|date|month)[_ ]of[_ ]birth|sex|gender|race"
        r"|ethnicity|nationality|zip(?:[_ ]?code)?|post(?:al)?[_ ]?code|prefecture|occupation|marital[_ ]status)"
        r"(?:[_\W](?:class|group))?"
        r"|.*(?:年齢|年代|生年|生年月日|誕生日|性別|郵便番号|都道府県|市区町村|国籍|職業)"
    ),
    Role.SENSITIVE: re.compile(
        r"(?:.*[_\W])?(?:income|salary|wages?|earnings|diseases?|diagnos[ei]s|illness)"
        r"(?:[_\W](?:class|group|code|name|level|range|\d+))?"
        r"|.*(?:年収|月収|収入|所得|年俸|給与|給料|賃金|病名|傷病|疾病|疾患|診断)(?:名|コード|区分|階級|額)?"
    ),
    Role.IDENTIFIER: re.compile(
        r"names?|(?:.*[_\W])?(?:first|last|full|family|given|middle|maiden|user|nick|sur|fore|patient|customer|client"
        r"|person|member|student|employee|respondent)[_\W]?name"
        r"|(?:.*[_\W])?(?:uuid|guid|seqn|ssn|mrn|e[_\W]?mail|mail|phone|telephone|tel|fax|passport)"
        r"(?:[_\W]?(?:no|nr|num|number|addr|address|\d+))?\W*"
        r"|(?:.*[^a-z])?id(?:[_\W]?(?:no|nr|num|number|code))?\W*"
        r"|(?:.*[_\W])?(?:patient|customer|client|person|member|student|employee|respondent|subject|household|case|record"
        r"|chart|account|serial)[_\W]?(?:no|nr|num|number|key|code)\W*"
        r"|(?:(?:.*[_\W])?(?:home|street|postal|mailing|ip)[_\W])?address(?:[_\W]?(?:line)?[_\W]?\d+)?"
        r"|姓|名|.*(?:氏名|フリガナ|ふりがな|電話番号|携帯番号|メールアドレス|マイナンバー).*"
        r"|.*(?:姓名|名前|電話|携帯|メール|住所|番地|識別子)\d*"
        r"|.*(?:患者|個人|世帯|会員|顧客|社員|職員|学生|学籍|学生証|口座|カルテ|診察券|保険証|被保険者|受付|整理|登録|管理"
        r"|識別|通し)(?:番号|コード)"
    ),
}
_NEW_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def named_role(name: str) -> Role | None:
    """The role that the name of a column suggests, in English or Japanese.

    Examples
    --------
    >>> named_role("患者番号"), named_role("Zip code"), named_role("visits")
    (<Role.IDENTIFIER: 'identifier'>, <Role.QUASI_IDENTIFIER: 'quasi_identifier'>, None)
    """
    plain = _plain_name(name)
    return next((role for role, names in _ROLE_NAMES.items() if names.fullmatch(plain)), None)


def role_of(name: str, kind: Kind, n_distinct: int, n_records: int) -> Role:
    """The role that the name of a column suggests, else the one that its cells suggest.

    Parameters
    ----------
    name : str
    kind : Kind
        Of all cells.
    n_distinct, n_records : int
        The number of different cells, and of records.

    Examples
    --------
    >>> role_of("sex", Kind.CATEGORY, 2, 100), role_of("weight", Kind.NUMBER, 90, 100)
    (<Role.QUASI_IDENTIFIER: 'quasi_identifier'>, <Role.SENSITIVE: 'sensitive'>)
    """
    if (role := named_role(name)) is not None:
        return role
    if n_distinct == n_records >= 2 and kind is not Kind.NUMBER:
        return Role.IDENTIFIER
    if _are_few(kind, n_distinct, n_records):
        return Role.QUASI_IDENTIFIER
    return Role.OTHER if kind is Kind.CATEGORY else Role.SENSITIVE


def _are_few(kind: Kind, n_distinct: int, n_records: int) -> bool:
    """Few enough to be categories: numbers also repeat, on average at least once."""
    if kind is Kind.CATEGORY:
        return n_distinct <= MAX_LISTED_VALUES
    return n_distinct <= MAX_NUMBERS_AS_CATEGORY and 2 * n_distinct <= n_records


@dataclass(frozen=True, slots=True)
class _Profile:
    """The form of the cells of one column."""

    name: str
    counts: Counter[str]
    n_records: int

    @property
    def kind(self) -> Kind:
        if any(len(cell) > 1 and cell[0] == "0" and cell.isdecimal() for cell in self.counts):
            return Kind.CATEGORY  # a code: as a number it would lose its zeros
        if all(map(is_integer, self.counts)):
            return Kind.INTEGER
        return Kind.NUMBER if all(map(_is_number, self.counts)) else Kind.CATEGORY

    @property
    def decimals(self) -> int | None:
        """The decimals of numbers that have more than usual."""
        return self.most_decimals if self.kind is Kind.NUMBER else None

    @property
    def most_decimals(self) -> int | None:
        """The decimals of the cells as numbers, where they are more than usual; at most those of a schema."""
        most = max((len(cell.partition(".")[2]) for cell in self.counts), default=0)
        return min(most, MOST_DECIMALS) if most > DECIMALS else None

    @property
    def n_distinct(self) -> int:
        return len(self.counts)

    @property
    def role(self) -> Role:
        """The role that the column's name suggests, else the one that its cells suggest."""
        return role_of(self.name, self.kind, self.n_distinct, self.n_records)

    @property
    def has_few_values(self) -> bool:
        """Few enough to be categories."""
        return _are_few(self.kind, self.n_distinct, self.n_records)


@dataclass(frozen=True, slots=True, repr=False)
class ProposedSchema(Schema):
    """A schema whose roles nobody has decided on yet; `confirm` does.

    Examples
    --------
    >>> from scoring.examples import SCHEMA
    >>> proposed = ProposedSchema(SCHEMA.columns)
    >>> proposed
    <ProposedSchema: quasi-identifiers QI1, QI2, QI3; sensitive SA1, SA2 — confirm() accepts or changes this>
    >>> type(proposed.confirm()).__name__
    'Schema'
    """

    def __repr__(self) -> str:
        return f"<ProposedSchema: {self.roles} — confirm() accepts or changes this>"


def proposed_schema(table: pd.DataFrame) -> ProposedSchema:
    """A first proposal for a frame: as `suggest_schema`, but columns of numbers stay numbers.

    Raises
    ------
    ProblemsFound
        Where the frame has no record or no column.

    Examples
    --------
    >>> import pandas as pd
    >>> found = proposed_schema(pd.DataFrame({"age": [30, 31, 30, 31], "job": ["a", "b", "a", "b"]}))
    >>> [(column.name, str(column.kind)) for column in found.columns]
    [('age', 'integer'), ('job', 'category')]
    """
    profiles = _profiles(csv_of(table))
    columns: list[Column] = []
    crossed = _crossed(profiles)
    for profile, name in zip(profiles, table.columns, strict=True):
        column = _column(profile, may_cross=profile.name in crossed)
        if holds_numbers(table[name]):
            numbers = table[name].dropna()
            is_whole = bool((numbers % 1 == 0).all())
            kind = Kind.INTEGER if is_whole else Kind.NUMBER
            role = column.role
            decimals = None if is_whole else profile.most_decimals
            column = Column(column.name, role, kind, column.cross, decimals=decimals)
        columns.append(column)
    e2, e4 = _attack_columns(profiles, columns)
    return ProposedSchema(tuple(columns), e2, e4)


def suggest_schema(data: bytes | pd.DataFrame) -> Schema:
    """A first proposal for any CSV file, or for a frame as `to_csv` writes it; the organizer decides.

    Kind: integer or number where every cell is one, without exponent or separators and with at most 9 decimals, and
    none is a code such as 007; else category. Where numbers have more than 4, the schema says how many.
    Role: what names such as age, zip code, income, diagnosis, email or patient id say, in English or Japanese,
    whatever the cells are; without one of these, identifier where all cells differ and are text or integers;
    quasi-identifier, kind category and values listed, where a category has at most 200 values, or a number at most 50
    and on average two records per value; sensitive for the other numbers; other for the other categories, their values
    listed only where some cell is empty. Cross columns are the quasi-identifiers with the fewest values: at most three,
    with no more cells than records. E2 and E4 look at the
    first and the second of the sensitive numeric columns with the most distinct values.

    Raises
    ------
    ProblemsFound
        Where the file is no UTF-8 CSV with a header and records of one length.
    """
    profiles = _profiles(data if isinstance(data, bytes) else csv_of(data))
    crossed = _crossed(profiles)
    columns = [_column(profile, may_cross=profile.name in crossed) for profile in profiles]
    e2, e4 = _attack_columns(profiles, columns)
    return Schema(tuple(columns), e2, e4)


def _profiles(data: bytes) -> list[_Profile]:
    rows = records(decode(data, file=ORIGINAL_FILE), file=ORIGINAL_FILE)
    header = read_header(rows, file=ORIGINAL_FILE)
    counts: list[Counter[str]] = [Counter() for _ in header]
    problems = Collector()
    n_records = 0
    for n_records, cells in enumerate(rows, start=1):
        if len(cells) != len(header):
            got, expected = len(cells), len(header)
            problems.add(
                "record.cell_count", file=ORIGINAL_FILE, row=n_records, expected=expected, got=got
            )
            if problems.n_total > MAX_UNUSABLE:
                break
            continue
        for count, cell in zip(counts, cells, strict=True):
            count[cell] += 1
    if not n_records:
        problems.add("file.header_only", file=ORIGINAL_FILE)
    problems.raise_if_any()
    return [_Profile(n, _plain(c), n_records) for n, c in zip(header, counts, strict=True)]


def _plain(counts: Counter[str]) -> Counter[str]:
    """The cells of a column; full-width digits are ASCII digits where all cells are numbers then."""
    plain = [plain_digits(cell) for cell in counts]
    if not all(map(_is_number, plain)):
        return counts
    found = Counter[str]()
    for cell, count in zip(plain, counts.values(), strict=True):
        found[cell] += count
    return found


def _crossed(profiles: Sequence[_Profile]) -> set[str]:
    """The names of the columns to cross-tabulate."""
    quasi = [p for p in profiles if p.role is Role.QUASI_IDENTIFIER and p.has_few_values]
    n_records = profiles[0].n_records if profiles else 0
    return {
        quasi[at].name for at in proposed_cross([p.n_distinct for p in quasi], n_records, N_CROSS)
    }


def _column(profile: _Profile, *, may_cross: bool) -> Column:
    role, is_quasi = profile.role, profile.role is Role.QUASI_IDENTIFIER
    is_category = profile.kind is Kind.CATEGORY or (is_quasi and profile.has_few_values)
    if role is Role.IDENTIFIER or not is_category:
        return Column(profile.name, role, profile.kind, decimals=profile.decimals)
    # An empty cell is allowed only where the values are listed.
    is_listed = "" in profile.counts or (
        role is not Role.OTHER and profile.n_distinct <= MAX_LISTED_VALUES
    )
    return Column(
        profile.name,
        role,
        Kind.CATEGORY,
        cross=may_cross and is_quasi and profile.has_few_values,
        values=tuple(sorted(profile.counts, key=_in_order)) if is_listed else None,
    )


def _plain_name(name: str) -> str:
    """The name in lower case and half-width letters, its words apart: `PatientID` is `patient_id`."""
    return _NEW_WORD.sub("_", unicodedata.normalize("NFKC", name)).strip().lower()


def _is_number(cell: str) -> bool:
    return is_number(cell, MOST_DECIMALS)


def _in_order(value: str) -> tuple[int, float, list[tuple[int, int, str]]]:
    """Numbers by their values, then texts, with classes such as 5-9 and 20-29 by their numbers."""
    return (0, float(value), natural(value)) if _is_number(value) else (1, 0.0, natural(value))


def _attack_columns(
    profiles: Sequence[_Profile], columns: Sequence[Column]
) -> tuple[str | None, str | None]:
    sensitive = [
        profile
        for profile, column in zip(profiles, columns, strict=True)
        if column.role is Role.SENSITIVE and column.is_numeric
    ]
    ranked = sorted(sensitive, key=lambda profile: -profile.n_distinct)
    names: list[str | None] = [profile.name for profile in ranked[:2]]
    e2, e4 = [*names, None, None][:2]
    return e2, e4
