# SPDX-License-Identifier: Apache-2.0
"""Pictures as people upload them: with metadata, as other formats, damaged, and as bombs."""

from __future__ import annotations

import io
import struct
import zlib

from PIL import Image
from PIL.PngImagePlugin import PngInfo

PLACE = "35 N 139 E"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


def picture(kind="PNG", size=(64, 32), colour=(36, 87, 197), mode="RGB", **options) -> bytes:
    """A picture of one colour as a file."""
    target = io.BytesIO()
    Image.new(mode, size, colour).save(target, kind, **options)
    return target.getvalue()


def photo(kind="JPEG", size=(800, 400), orientation=1) -> bytes:
    """A picture that says where it was taken, in EXIF and, where the format has texts, in these."""
    exif = Image.Exif()
    exif[0x010E] = PLACE
    exif[0x0112] = orientation
    options = {"exif": exif}
    if kind == "PNG":
        options["pnginfo"] = PngInfo()
        options["pnginfo"].add_text("Comment", PLACE)
    elif kind == "JPEG":
        options["comment"] = PLACE.encode()
    else:
        options["xmp"] = PLACE.encode()
    return picture(kind, size, **options)


def bomb(width: int, height: int) -> bytes:
    """A small PNG file that claims to have this many pixels."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(b"\0" * 10_000)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        _chunk(name, body) for name, body in ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    )


def _chunk(name: bytes, body: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(name + body))
    return struct.pack(">I", len(body)) + name + body + check
