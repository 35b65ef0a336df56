# SPDX-License-Identifier: Apache-2.0
"""Uploaded pictures: checked, and written again from their pixels, so that nothing else of the file is kept."""

from __future__ import annotations

import io
import struct
import zlib
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext_lazy as _
from PIL import Image, ImageOps

from pwscup.core.texts.refusals import Refused

if TYPE_CHECKING:
    from pwscup.core.texts.refusals import Text

FORMATS = {"PNG": "png", "JPEG": "jpg", "MPO": "jpg", "WEBP": "webp"}
"""The suffix of each accepted format; phones write several pictures into one JPEG file, which is then an MPO file."""
TYPES = {"png": "image/png", "jpg": "image/jpeg", "webp": "image/webp"}
SAVED: dict[str, dict[str, Any]] = {
    "png": {"format": "PNG", "optimize": True},
    "jpg": {"format": "JPEG", "quality": 85, "optimize": True, "progressive": True},
    "webp": {"format": "WEBP", "quality": 90},
}
MAX_PIXELS = 16_000_000
"""Decoded, these are 64 MB."""
HEAD_BYTES = 1024
ORIENTATION, TURNED = 0x0112, (5, 6, 7, 8)
"""The tag of EXIF, and its values for a camera that was held upright."""
SVG = _("SVG files are refused, because they can contain scripts. Save the picture as PNG.")
UNREADABLE = _("This is no readable picture — expected PNG, JPEG or WebP.")
TOO_MANY_PIXELS = _("The picture has too many pixels — expected at most %(expected)d million.")
TOO_NARROW = _("The picture is too narrow — expected at least %(expected)d pixels — got %(got)d.")
TOO_LARGE = _("The file is too large — expected at most %(expected)s — got %(got)s")
BROKEN = (
    OSError,  # also what Pillow cannot identify
    SyntaxError,
    ValueError,
    TypeError,
    LookupError,
    EOFError,
    OverflowError,
    MemoryError,
    struct.error,
    zlib.error,
)
"""The errors of Pillow for a damaged file."""


@dataclass(frozen=True, slots=True)
class Kind:
    """The bounds of a picture: of the uploaded file, and of what is kept."""

    max_bytes: int
    min_width: int
    largest: tuple[int, int]
    """A larger picture is made smaller to fit these pixels."""


LOGO = Kind(max_bytes=512 * 1024, min_width=1, largest=(512, 512))
PICTURE = Kind(max_bytes=2 * 1024 * 1024, min_width=600, largest=(2400, 1600))
KINDS = {"logo": LOGO, "picture": PICTURE}


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A picture that holds nothing but its pixels."""

    data: bytes
    suffix: str
    width: int
    height: int


class PictureRefused(Refused):
    """A file that is no acceptable picture, with all reasons."""


def cleaned(file: IO[bytes], size_bytes: int, kind: Kind) -> Cleaned:
    """The picture without metadata, upright, and no larger than its kind needs.

    Raises
    ------
    PictureRefused
        With all problems.
    """
    problems: list[Text] = []
    if size_bytes > kind.max_bytes:
        sizes = {"expected": filesizeformat(kind.max_bytes), "got": filesizeformat(size_bytes)}
        problems.append(TOO_LARGE % sizes)
    try:
        picture = _opened(file)
    except PictureRefused as refused:
        raise PictureRefused(*problems, *refused.messages) from refused
    width, _height = _upright_size(picture)
    if width < kind.min_width:
        problems.append(TOO_NARROW % {"expected": kind.min_width, "got": width})
    if problems:
        raise PictureRefused(*problems)
    try:
        return _written_again(picture, kind)
    except BROKEN as error:
        raise PictureRefused(UNREADABLE) from error


def measured(data: bytes) -> tuple[str, int, int]:
    """The suffix, the width and the height of a picture, from its header.

    Raises
    ------
    PictureRefused
        It is no picture that `cleaned` accepts.
    """
    picture = _opened(io.BytesIO(data))
    return FORMATS[str(picture.format)], picture.width, picture.height


def _opened(file: IO[bytes]) -> Image.Image:
    """The picture, of which no pixel is decoded yet."""
    file.seek(0)
    head = file.read(HEAD_BYTES).lower()
    file.seek(0)
    if b"<svg" in head or head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<?xml"):
        raise PictureRefused(SVG)
    too_many_pixels = TOO_MANY_PIXELS % {"expected": MAX_PIXELS // 1_000_000}
    try:
        found = Image.open(file, formats=("PNG", "JPEG", "WEBP"))
    except Image.DecompressionBombError as error:
        raise PictureRefused(too_many_pixels) from error
    except BROKEN as error:
        raise PictureRefused(UNREADABLE) from error
    if found.width * found.height > MAX_PIXELS:
        raise PictureRefused(too_many_pixels)
    return found


def _upright_size(picture: Image.Image) -> tuple[int, int]:
    """Width and height as a camera that was turned meant them."""
    try:
        orientation = picture.getexif().get(ORIENTATION)
    except BROKEN:
        orientation = None
    width, height = picture.size
    return (height, width) if orientation in TURNED else (width, height)


def _written_again(picture: Image.Image, kind: Kind) -> Cleaned:
    """The first frame as a file of the same format: only pixels are copied, and none of those that nobody sees."""
    suffix = FORMATS[str(picture.format)]
    has_alpha = picture.has_transparency_data
    pixels = ImageOps.exif_transpose(picture).convert("RGBA" if has_alpha else "RGB")
    pixels.thumbnail(kind.largest)
    bare = Image.new(pixels.mode, pixels.size)
    bare.paste(pixels, mask=_seen(pixels) if has_alpha else None)
    target = io.BytesIO()
    bare.save(target, **SAVED[suffix])
    return Cleaned(target.getvalue(), suffix, *bare.size)


def _seen(pixels: Image.Image) -> Image.Image:
    """White where a pixel is not fully transparent."""
    return pixels.getchannel("A").point([0] + [255] * 255)
