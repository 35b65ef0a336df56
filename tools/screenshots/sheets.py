# SPDX-License-Identifier: Apache-2.0
"""Contact sheets: many pictures on one, so that somebody can look through them."""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw

CELL = (300, 560)
COLUMNS, ROWS = 6, 2
LABEL = 16


def write(pictures: list[Path], prefix: Path) -> list[Path]:
    """Write `PREFIX-1.png` and so on, each with up to twelve pictures, their upper parts and their names."""
    found = []
    most = COLUMNS * ROWS
    parts = [pictures[at : at + most] for at in range(0, len(pictures), most)]
    for number, part in enumerate(parts, start=1):
        sheet = Image.new("RGB", (COLUMNS * (CELL[0] + 8), ROWS * (CELL[1] + LABEL + 8)), "#8a8f98")
        pen = ImageDraw.Draw(sheet)
        for place, path in enumerate(part):
            left = (place % COLUMNS) * (CELL[0] + 8)
            top = (place // COLUMNS) * (CELL[1] + LABEL + 8)
            pen.text((left + 2, top + 2), path.stem[:48], fill="#ffffff")
            sheet.paste(_small(path), (left, top + LABEL))
        found.append(prefix.with_name(f"{prefix.name}-{number}.png"))
        sheet.save(found[-1])
    return found


def _small(path: Path) -> Image.Image:
    picture = Image.open(path).convert("RGB")
    scaled = picture.resize((CELL[0], round(picture.height * CELL[0] / picture.width)))
    return scaled.crop((0, 0, CELL[0], min(CELL[1], scaled.height)))
