# SPDX-License-Identifier: Apache-2.0
"""The rules by which files are read, as JSON, so that a browser finds the same problems before it sends a file.

They follow from the schema that participants have, and from published numbers of records; nothing in them is secret.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from scoring.errors import MAX_GOT, MESSAGES
from scoring.tables import cells, number_lists, text
from scoring.tables.schema import SOURCE_ROW

if TYPE_CHECKING:
    from scoring.tables.schema import Column, Schema

Rules = dict[str, Any]
"""As JSON: the reader of a file by `kind`, and its parameters."""
FAMILIES = (
    *("file", "header", "record", "cell", "note", "submission"),
    *("row_number", "candidate", "aligned", "answer", "counts", "estimate", "value_guess"),
)
"""The families of problems that are found without the answer key."""


def messages() -> dict[str, str]:
    """The English message of every problem that a browser may find, by code.

    Examples
    --------
    >>> messages()["file.semicolons"]
    'cells separated by semicolons — expected commas'
    """
    return {code: text for code, text in MESSAGES.items() if code.partition(".")[0] in FAMILIES}


def reading_rules() -> Rules:
    """The limits and forms that all readers share; forms are regular expressions of whole cells.

    Examples
    --------
    >>> reading_rules()["limits"]["category"], reading_rules()["forms"]["integer"]
    (1000, '-?[0-9]{1,15}')
    """
    return {
        "limits": {
            "category": text.MAX_CATEGORY,
            "cell": text.MAX_CELL,
            "digits": cells.MAX_DIGITS,
            "got": MAX_GOT,
            "line": text.MAX_LINE,
            "sample": text.SAMPLE,
            "unusable": text.MAX_UNUSABLE,
        },
        "signatures": [[start.hex(), name] for start, name in text.SIGNATURES],
        "workbook": text.WORKBOOK,
        "separators": text.SEPARATORS,
        "full_width": {chr(code): plain for code, plain in text.FULL_WIDTH.items()},
        "forms": {name: form.pattern for name, form in cells.FORMS.items()},
        "reasons": [[code, form.pattern] for code, form in cells.REASONS],
        "row_header": number_lists.ROW_HEADER,
        "source_row": SOURCE_ROW,
    }


def column_rules(column: Column) -> Rules:
    """The domain of a column; bounds are texts as messages show them.

    Examples
    --------
    >>> from scoring.examples import SCHEMA
    >>> column_rules(SCHEMA.column("QI1"))
    {'name': 'QI1', 'values': ['1', '2']}
    """
    rules: Rules = {"name": column.name}
    if not column.is_numeric:
        return rules if column.values is None else rules | {"values": list(column.values)}
    rules["decimals"] = column.most_decimals(original=False)
    bounds = {"min": column.min, "max": column.max}
    return rules | {key: str(bound) for key, bound in bounds.items() if bound is not None}


def table_rules(schema: Schema, *, least: int = 1, most: int | None = None) -> Rules:
    """The rules of a table with the columns of a schema; see `scoring.tables.reading.read_records`."""
    columns = [column_rules(column) for column in schema.public().columns]
    return {"kind": "table", "columns": columns, "least": least, "most": most}


def submission_rules(schema: Schema, n_original: int) -> dict[str, Rules]:
    """The rules of a table and of its row numbers; see `scoring.tables.validation.read_submitted_records`."""
    return {
        "anonymized": table_rules(schema, most=n_original) | {"rows_in": "rows"},
        "rows": number_rules(low=1, high=n_original),
    }


def number_rules(
    *, low: int, high: int, n_lines: int | None = None, of_candidates: bool = False
) -> Rules:
    """The rules of a file of one number per line; see `scoring.tables.number_lists`.

    Examples
    --------
    >>> number_rules(low=0, high=30, n_lines=25)["family"]
    'row_number'
    """
    family = "candidate" if of_candidates else "row_number"
    return {"kind": "numbers", "low": low, "high": high, "n_lines": n_lines, "family": family}


def aligned_rules(
    schema: Schema, n_original: int, *, blank_records: bool, names: Collection[str] | None = None
) -> Rules:
    """The rules of an aligned table, or of its part with these columns; see `scoring.tables.aligned.read_aligned`."""
    public = schema.public() if names is None else schema.public().only(names)
    columns = [column_rules(column) for column in public.columns]
    return {"kind": "aligned", "columns": columns, "n_lines": n_original, "blank": blank_records}
