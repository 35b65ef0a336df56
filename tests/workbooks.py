# SPDX-License-Identifier: Apache-2.0
"""Small .xlsx workbooks, written by hand: any cells, merged areas and formulas, and broken ones."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from datetime import date
from xml.sax.saxutils import escape

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
STYLES = (
    f'<styleSheet xmlns="{MAIN}"><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1">'
    '<border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0"/>'
    '<xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>'
)


class Formula(str):
    """A formula with the result that was saved."""

    result = "7"


def workbook(
    sheets: Mapping[str, Sequence[Sequence[object]]],
    *,
    merged: Sequence[str] = (),
    more: Mapping[str, bytes] | None = None,
) -> bytes:
    """A workbook: texts, numbers, dates, truth values, formulas and None for an empty cell."""
    parts = {
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}"><Relationship Id="rId1" Type="{OFFICE}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/styles.xml": STYLES,
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
        + "".join(
            f'<sheet name="{escape(name)}" sheetId="{at}" r:id="rId{at}"/>'
            for at, name in enumerate(sheets, start=1)
        )
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}">'
        + "".join(
            f'<Relationship Id="rId{at}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{at}.xml"/>'
            for at in range(1, len(sheets) + 1)
        )
        + f'<Relationship Id="rId99" Type="{OFFICE}/styles" Target="styles.xml"/></Relationships>',
    }
    for at, rows in enumerate(sheets.values(), start=1):
        parts[f"xl/worksheets/sheet{at}.xml"] = sheet_xml(rows, merged)
    parts["[Content_Types].xml"] = (
        f'<Types xmlns="{TYPES}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
        f'relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="{KIND}.sheet.main+xml"/></Types>'
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')
        for name, data in (more or {}).items():
            archive.writestr(name, data)
    return out.getvalue()


def sheet_xml(rows: Sequence[Sequence[object]], merged: Sequence[str] = ()) -> str:
    """The rows as the part of a workbook."""
    body = "".join(
        f'<row r="{r}">'
        + "".join(_cell(value, f"{_letters(c)}{r}") for c, value in enumerate(row))
        + "</row>"
        for r, row in enumerate(rows, start=1)
    )
    areas = "".join(f'<mergeCell ref="{area}"/>' for area in merged)
    areas = f"<mergeCells>{areas}</mergeCells>" if areas else ""
    return f'<worksheet xmlns="{MAIN}"><sheetData>{body}</sheetData>{areas}</worksheet>'


def _cell(value: object, at: str) -> str:
    if value is None:
        return ""
    if isinstance(value, Formula):
        return f'<c r="{at}"><f>{escape(value)}</f><v>{value.result}</v></c>'
    if isinstance(value, bool):
        return f'<c r="{at}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, date):
        return f'<c r="{at}" s="1"><v>{(value - date(1899, 12, 30)).days}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{at}"><v>{value!r}</v></c>'
    return f'<c r="{at}" t="inlineStr"><is><t>{escape(str(value))}</t></is></c>'


def _letters(column: int) -> str:
    found, rest = "", column + 1
    while rest:
        rest, letter = divmod(rest - 1, 26)
        found = chr(65 + letter) + found
    return found
