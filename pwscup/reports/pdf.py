# SPDX-License-Identifier: Apache-2.0
"""Certificates as PDF: A4, landscape, with embedded fonts."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from django.utils import translation
from django.utils.translation import gettext as _
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4, landscape
from reportlab.pdfgen.canvas import Canvas

from pwscup.leaderboards.boards.medals import MIN_TEAMS
from pwscup.reports import lettering
from pwscup.reports.certificates import Certificate, Place
from pwscup.reports.lettering import Style

WIDTH, HEIGHT = landscape(A4)
CENTRE = WIDTH / 2
ROOM = WIDTH - 190
INK, NAVY, MUTED, LINE = "#1f2933", "#1d3a5f", "#5b6672", "#b8c0c9"
MEDALS = {1: "#b8912f", 2: "#8d97a3", 3: "#a5683a"}
"""Gold, silver and bronze, dark enough for white numbers; all other ranks are blue."""
SIGNATURES_IN_A_ROW = 4
MOST_SIGNATURES = 8


def document(certificates: Sequence[Certificate]) -> bytes:
    """One page for each certificate."""
    lettering.register()
    file = io.BytesIO()
    canvas = Canvas(
        file,
        pagesize=(WIDTH, HEIGHT),
        invariant=1,
        lang=certificates[0].language,
        initialFontName="sans",  # the default font would be referenced without being embedded
    )
    _describe(canvas, certificates)
    for certificate in certificates:
        with translation.override(certificate.language):
            _page(canvas, certificate)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def _describe(canvas: Canvas, certificates: Sequence[Certificate]) -> None:
    first = certificates[0]
    names = [first.contest, *([first.team] if len(certificates) == 1 else [])]
    canvas.setTitle(" – ".join(names))
    canvas.setAuthor(", ".join(first.signers))
    canvas.setCreator("PWSCup")


def _style(certificate: Certificate, size: float, smallest: float, colour: str = INK) -> Style:
    """Japanese pages use the Japanese font throughout, others a serif font if it has the glyphs."""
    japanese = certificate.language == "ja"
    fonts = ("gothic", "sans") if japanese else ("serif", "gothic", "sans")
    return Style(fonts, colour, size, smallest)


def _heading(certificate: Certificate, size: float) -> Style:
    style = _style(certificate, size, 20, NAVY)
    if certificate.language == "ja":
        return style
    return Style(("bold", *style.fonts), NAVY, size, 20)


def _page(canvas: Canvas, certificate: Certificate) -> None:
    _frame(canvas)
    place = certificate.place
    title = _("Certificate of Participation") if place is None else _("Certificate of Achievement")
    _text(canvas, certificate.contest, _style(certificate, 20, 11, MUTED), 508, n_lines=2)
    _text(canvas, title, _heading(certificate, 40), 446)
    _text(canvas, _("This certifies that the team"), _style(certificate, 14, 9, MUTED), 410)
    _text(canvas, certificate.team, _style(certificate, 38, 20), 356, n_lines=2)
    _rule(canvas, 340)
    if place is None:
        _text(canvas, _("took part in the contest."), _style(certificate, 18, 10), 268)
    else:
        _medal(canvas, place)
        _text(canvas, _words(place), _style(certificate, 18, 10), 232)
    _text(canvas, _division(certificate), _style(certificate, 13, 8, MUTED), 210)
    _text(canvas, certificate.ended_on, _style(certificate, 13, 8), 182)
    _signatures(canvas, certificate)
    _small_print(canvas, certificate)


def _words(place: Place) -> str:
    text = _("took rank %(rank)d of %(n)d in the final ranking of the contest.")
    return text % {"rank": place.rank, "n": place.n_ranked}


def _division(certificate: Certificate) -> str:
    place = certificate.place_in_division
    if not certificate.division:
        return ""
    if place is None:
        return _("Division: %(division)s") % {"division": certificate.division}
    return _("Division: %(division)s, rank %(rank)d of %(n)d") % {
        "division": certificate.division,
        "rank": place.rank,
        "n": place.n_ranked,
    }


def _text(canvas: Canvas, text: str, style: Style, baseline: float, *, n_lines: int = 1) -> None:
    """Centered lines; of several, the last one is at the position of a single line."""
    size, lines = lettering.fitted(text, style, ROOM, n_lines)
    canvas.setFillColor(HexColor(style.colour))
    for above, line in enumerate(reversed(lines)):
        lettering.write(canvas, line, size, CENTRE, baseline + 1.2 * size * above)


# Ornaments


def _frame(canvas: Canvas) -> None:
    canvas.setStrokeColor(HexColor(NAVY))
    canvas.setLineWidth(2.4)
    canvas.rect(26, 26, WIDTH - 52, HEIGHT - 52)
    canvas.setStrokeColor(HexColor(MEDALS[1]))
    canvas.setLineWidth(0.7)
    canvas.rect(33, 33, WIDTH - 66, HEIGHT - 66)
    canvas.setFillColor(HexColor(NAVY))
    for x in (26, WIDTH - 26):
        for y in (26, HEIGHT - 26):
            canvas.saveState()
            canvas.translate(x, y)
            canvas.rotate(45)
            canvas.rect(-6, -6, 12, 12, stroke=0, fill=1)
            canvas.restoreState()


def _rule(canvas: Canvas, y: float) -> None:
    canvas.setStrokeColor(HexColor(MEDALS[1]))
    canvas.setLineWidth(0.9)
    canvas.line(CENTRE - 170, y, CENTRE + 170, y)


def _medal(canvas: Canvas, place: Place) -> None:
    y = 288
    canvas.setFillColor(
        HexColor(MEDALS.get(place.rank, NAVY) if place.n_ranked >= MIN_TEAMS else NAVY)
    )
    canvas.circle(CENTRE, y, 28, stroke=0, fill=1)
    canvas.setStrokeColor(HexColor("#ffffff"))
    canvas.setLineWidth(1)
    canvas.circle(CENTRE, y, 24, stroke=1, fill=0)
    style = Style(("bold",), "#ffffff", 28, 10)
    size, lines = lettering.fitted(str(place.rank), style, 40)
    canvas.setFillColor(HexColor(style.colour))
    lettering.write(canvas, lines[0], size, CENTRE, y - 0.34 * size)


# The footer


def _signatures(canvas: Canvas, certificate: Certificate) -> None:
    """A signature line for each organizer."""
    names = certificate.signers[:MOST_SIGNATURES] or (_("Organizers"),)
    rows = [
        names[start : start + SIGNATURES_IN_A_ROW]
        for start in range(0, len(names), SIGNATURES_IN_A_ROW)
    ]
    step = 168
    for row, people in enumerate(rows):
        y = (126 if len(rows) == 1 else 146) - 42 * row
        for column, name in enumerate(people):
            x = CENTRE + (column - (len(people) - 1) / 2) * step
            _signature(canvas, certificate, name, x, y)


def _signature(canvas: Canvas, certificate: Certificate, name: str, x: float, y: float) -> None:
    canvas.setStrokeColor(HexColor(LINE))
    canvas.setLineWidth(0.8)
    canvas.line(x - 70, y, x + 70, y)
    style = _style(certificate, 10, 6, MUTED)
    size, lines = lettering.fitted(name, style, 150)
    canvas.setFillColor(HexColor(style.colour))
    lettering.write(canvas, lines[0], size, x, y - 14)


def _small_print(canvas: Canvas, certificate: Certificate) -> None:
    """The data to verify the random draws of the contest."""
    style = _style(certificate, 7, 5, MUTED)
    y = 54.0
    for text in _fingerprints(certificate):
        _text(canvas, text, style, y)
        y -= 10


def _fingerprints(certificate: Certificate) -> Iterable[str]:
    if certificate.commitment:
        text = _("Commitment to every draw of this contest (SHA-256): %(digest)s")
        yield text % {"digest": certificate.commitment}
    if certificate.reveal:
        text = _("The secret and all seeds, published afterwards (SHA-256): %(digest)s")
        yield text % {"digest": certificate.reveal}
