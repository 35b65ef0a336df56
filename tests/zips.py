# SPDX-License-Identifier: Apache-2.0
"""Zip archives as people and programs make them, well or badly."""

from __future__ import annotations

import io
import zipfile


def zipped(
    *entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED
) -> bytes:
    """An archive of these entries in their order, names as they are given."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return out.getvalue()


def zipped_raw(*entries: tuple[bytes, bytes]) -> bytes:
    """An archive whose names are these bytes, in an encoding that it does not declare: as Windows writes them."""
    names = [
        b"%04d" % number + b"x" * (len(name) - 4) for number, (name, _data) in enumerate(entries)
    ]
    pairs = zip(names, entries, strict=True)
    data = zipped(*((name.decode(), data) for name, (_raw, data) in pairs))
    for name, (raw, _data) in zip(names, entries, strict=True):
        data = data.replace(name, raw)
    return data
