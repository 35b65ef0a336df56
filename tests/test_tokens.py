# SPDX-License-Identifier: Apache-2.0
"""Colours of both themes, read from the style sheets: the contrast of WCAG 2.2 AA, and one place for each colour."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CSS = ROOT / "static" / "css"
TOKEN = re.compile(r"--([\w-]+):\s*(#[0-9a-f]{6});")
# A room's screen has its own colours in either theme.
OWN_COLOURS = {"tokens", "dark", "ceremony", "projector", "timer"}
# Names by which htmx and the browser tests find a part of a page.
HOOKS = {"poster-qr", "rank-summary"}
TEXT, SHAPE = 4.5, 3.0
SURFACES = ("paper", "surface", "sunken", "hover")
SOFT = ("utility", "safety", "attack", "good", "warn", "bad", "info")


def colours(theme: str) -> dict[str, str]:
    light = dict(TOKEN.findall((CSS / "tokens.css").read_text().partition("@media")[0]))
    return (
        light if theme == "light" else light | dict(TOKEN.findall((CSS / "dark.css").read_text()))
    )


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def pairs() -> list[tuple[str, str, float]]:
    """Foreground, background, and the least contrast between them."""
    found = [(text, on, TEXT) for text in ("ink", "text", "muted") for on in SURFACES]
    found += [("accent", on, TEXT) for on in ("paper", "surface", "sunken", "accent-soft")]
    found += [(name, on, TEXT) for name in SOFT for on in ("surface", f"{name}-soft")]
    found += [(text, on, TEXT) for text in ("ink", "text") for on in ("mine", "accent-soft")]
    found += [("muted", on, TEXT) for on in ("mine", "warn-soft", "accent-soft")]
    found += [("on-medal", medal, TEXT) for medal in ("gold", "silver", "bronze")]
    found += [("on-accent", on, TEXT) for on in ("accent", "accent-strong")]
    found += [("on-navy", "navy", TEXT), ("accent-strong", "accent-soft", TEXT)]
    found += [("on-rate-low", f"r{n}", TEXT) for n in range(7)]
    found += [("on-rate-high", f"r{n}", TEXT) for n in range(7, 11)]
    found += [("line-strong", on, SHAPE) for on in ("paper", "surface", "sunken")]
    return found


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_and_shapes_have_enough_contrast(theme):
    of = colours(theme)
    low = [
        f"{one} on {other}: {contrast(of[one], of[other]):.2f} < {least}"
        for one, other, least in pairs()
        if contrast(of[one], of[other]) < least
    ]
    assert not low, f"{theme}: " + "; ".join(low)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_one_ring_of_the_focus_is_seen_on_every_surface(theme):
    of = colours(theme)
    for on in (*SURFACES, "navy", "accent", "mine"):
        assert max(contrast(of[ring], of[on]) for ring in ("ring", "ring-light")) >= SHAPE, on


def test_contrast_is_that_of_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_the_dark_theme_names_only_colours_of_the_light_one():
    dark = dict(TOKEN.findall((CSS / "dark.css").read_text()))
    assert dark.keys() <= colours("light").keys()
    assert colours("light").keys() - dark.keys() == set()


def test_colours_stand_in_the_tokens_only():
    found = [
        f"{sheet.name}: {colour}"
        for sheet in sorted(CSS.glob("*.css"))
        if sheet.stem not in OWN_COLOURS
        for colour in re.findall(r"#[0-9a-fA-F]{3,8}\b(?=[^{}]*[;}])|rgba?\(", sheet.read_text())
    ]
    assert not found, found


def test_every_token_that_a_style_sheet_uses_is_defined():
    known = set(re.findall(r"(--[\w-]+):", (CSS / "tokens.css").read_text()))
    for sheet in sorted(CSS.glob("*.css")):
        text = sheet.read_text()
        used = {
            name
            for name in re.findall(r"var\((--[\w-]+)[,)]", text)
            if not name.startswith("--bs-")
        }
        assert used <= known | set(re.findall(r"(--[\w-]+):", text)), sheet.name


def test_every_class_of_a_page_has_a_rule():
    """The copy of Bootstrap holds only what pages used when it was made."""
    sheets = [*CSS.glob("*.css"), *(ROOT / "static" / "vendor").glob("bootstrap/*.css")]
    scripts = "".join(path.read_text() for path in (ROOT / "static" / "js").rglob("*.js"))
    named = set(re.findall(r"\.([a-z][\w-]*)", "".join(path.read_text() for path in sheets)))
    missing = {
        (path.name, name)
        for path in (ROOT / "templates").rglob("*.html")
        for names in re.findall(r' class="([^"{]*)"', path.read_text())
        for name in names.split()
        if name not in named | HOOKS and name not in scripts
    }
    assert not missing
