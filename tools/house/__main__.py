# SPDX-License-Identifier: Apache-2.0
"""Writes docs/images/house.svg, and the figures under it, from the imports: `python -m tools.house`."""

from __future__ import annotations

from tools.house import PAGE, PICTURE, drawn, rewritten

if __name__ == "__main__":
    PICTURE.write_text(drawn(), encoding="utf-8")
    PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
