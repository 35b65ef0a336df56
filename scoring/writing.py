"""Tables, written."""

from __future__ import annotations

import csv
import io

import pandas as pd

from scoring.cells import MAX_DECIMALS
from scoring.schema import Column, Schema


def write_table(table: pd.DataFrame, schema: Schema) -> bytes:
    """The canonical CSV of a table: UTF-8, LF, at most 4 decimals without trailing zeros.

    Columns are in the schema's order; those that the table lacks are left out.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> write_table(table("averaged").head(1), SCHEMA)
    b'QI1,QI2,QI3,SA1,SA2\\n2,1,1,150,250\\n'
    """
    columns = [column for column in schema.columns if column.name in table.columns]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.name for column in columns])
    writer.writerows(zip(*(_written(table[c.name], c) for c in columns), strict=True))
    return text.getvalue().encode()


def _written(values: pd.Series, column: Column) -> list[str]:
    if not column.is_numeric:
        return [str(value) for value in values.tolist()]
    numbers = values.to_numpy()
    if numbers.dtype.kind in "iu":
        return [str(number) for number in numbers.tolist()]
    return [_decimal(number) for number in numbers.tolist()]


def _decimal(number: float) -> str:
    if number.is_integer():
        return str(int(number))
    text = f"{number:.{MAX_DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
