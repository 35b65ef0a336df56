# SPDX-License-Identifier: Apache-2.0
"""The accent colour of a contest in both themes: readable shades of it, by the contrast of WCAG 2.2 AA."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

COLOUR = re.compile(r"#[0-9a-f]{6}")
TEXT = 4.5
"""The smallest contrast between a text and its background."""
STEPS = 50
STRONG = 0.2
"""The share of black or white by which the strong accent is beyond the accent."""


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours of `tokens.css` or `dark.css` next to which an accent stands, and where it moves until it is readable."""

    name: str
    paper: str
    surface: str
    sunken: str
    line: str
    ink: str
    text: str
    muted: str
    accent: str
    accent_strong: str
    accent_soft: str
    on_accent: str
    end: str
    tint: float
    """The share of the accent in its soft background."""


LIGHT = Theme(
    name="light",
    paper="#f6f7f9",
    surface="#ffffff",
    sunken="#eff2f6",
    line="#dde3eb",
    ink="#101b2d",
    text="#2c3a4f",
    muted="#566477",
    accent="#2457c5",
    accent_strong="#1b469f",
    accent_soft="#e8effc",
    on_accent="#ffffff",
    end="#000000",
    tint=0.1,
)
DARK = Theme(
    name="dark",
    paper="#0b111b",
    surface="#131b28",
    sunken="#1b2535",
    line="#283547",
    ink="#f1f5fa",
    text="#cfd8e4",
    muted="#9babbf",
    accent="#8db4ff",
    accent_strong="#b3cdff",
    accent_soft="#1a2c4d",
    on_accent="#0b1526",
    end="#ffffff",
    tint=0.14,
)
THEMES = (LIGHT, DARK)


@dataclass(frozen=True, slots=True)
class Shades:
    """The tokens of an accent in one theme."""

    accent: str
    strong: str
    soft: str
    on_accent: str


def is_colour(text: str) -> bool:
    """Six hexadecimal digits in lower case after `#`.

    Examples
    --------
    >>> [is_colour(text) for text in ("#1a2b3c", "1a2b3c", "#abc", "red", "#1a2b3c;")]
    [True, False, False, False, False]
    """
    return COLOUR.fullmatch(text) is not None


def luminance(colour: str) -> float:
    """The relative luminance of WCAG, from 0 (black) to 1 (white)."""
    parts = [part / 255 for part in _parts(colour)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    """The contrast of WCAG between two colours, from 1 to 21.

    Examples
    --------
    >>> contrast("#000000", "#ffffff"), contrast("#336699", "#336699")
    (21.0, 1.0)
    """
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def mixed(one: str, other: str, share: float) -> str:
    """A colour with this share of the other one.

    Examples
    --------
    >>> mixed("#000000", "#ffffff", 0.5), mixed("#102030", "#ffffff", 0)
    ('#808080', '#102030')
    """
    pairs = zip(_parts(one), _parts(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


@lru_cache(maxsize=256)
def shades(colour: str, theme: Theme) -> Shades:
    """The colour, moved as far as text in it and on it needs in this theme: darker in the light one, else lighter."""
    found = (_shades(mixed(colour, theme.end, step / STEPS), theme) for step in range(STEPS + 1))
    return next(one for one in found if _is_readable(one, theme))


def _shades(accent: str, theme: Theme) -> Shades:
    return Shades(
        accent=accent,
        strong=mixed(accent, theme.end, STRONG),
        soft=mixed(theme.surface, accent, theme.tint),
        on_accent=theme.on_accent,
    )


def _is_readable(found: Shades, theme: Theme) -> bool:
    grounds = (theme.paper, theme.surface, theme.sunken, found.soft)
    pairs = [(found.accent, ground) for ground in grounds]
    pairs += [(text, found.soft) for text in (theme.ink, theme.text, theme.muted, found.strong)]
    pairs += [(found.on_accent, ground) for ground in (found.accent, found.strong)]
    return all(contrast(one, ground) >= TEXT for one, ground in pairs)


def _parts(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def adjusted(colour: str) -> dict[str, str]:
    """The accent by the name of each theme in which it differs from the chosen colour."""
    found = {theme.name: shades(colour, theme).accent for theme in THEMES}
    return {name: accent for name, accent in found.items() if accent != colour}


# The style sheet


def style_sheet(colour: str) -> str:
    """The tokens of `tokens.css` for this colour, in both themes, and for the previews of both."""
    light, dark = (_declared(_tokens(colour, theme)) for theme in THEMES)
    lines = [
        f":root {{ {light} }}",
        "@media not print {",
        f"  @media (prefers-color-scheme: dark) {{ :root:not([data-theme=light]) {{ {dark} }} }}",
        f"  :root[data-theme=dark] {{ {dark} }}",
        "}",
    ]
    return "\n".join([*lines, _previews(_tokens(colour, LIGHT), _tokens(colour, DARK))])


def style_sheet_of_site() -> str:
    """The previews of both themes without a colour of the contest's own."""
    names = ("accent", "accent_strong", "accent_soft", "on_accent")
    light, dark = ({name: getattr(theme, name) for name in names} for theme in THEMES)
    return _previews(light, dark)


def _tokens(colour: str, theme: Theme) -> dict[str, str]:
    found = shades(colour, theme)
    return {
        "brand": colour,
        "accent": found.accent,
        "accent_strong": found.strong,
        "accent_soft": found.soft,
        "on_accent": found.on_accent,
    }


def _previews(light: dict[str, str], dark: dict[str, str]) -> str:
    names = ("paper", "surface", "sunken", "line", "ink", "text", "muted")
    rules = []
    for theme, tokens in ((LIGHT, light), (DARK, dark)):
        surfaces = {name: getattr(theme, name) for name in names}
        declared = _declared({"brand": "transparent"} | tokens | surfaces)
        rules.append(f".brand-{theme.name} {{ color-scheme: {theme.name}; {declared} }}\n")
    return "".join(rules)


def _declared(values: dict[str, str]) -> str:
    return " ".join(f"--{name.replace('_', '-')}: {value};" for name, value in values.items())
