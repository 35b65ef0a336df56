# SPDX-License-Identifier: Apache-2.0
"""Every chart of a report that stands alone has a name, a table with its numbers, a PNG and a CSV, all in the file.

Nothing is fetched and no script runs: links hold the files themselves. Where a table of the report has the numbers, the
chart has none of its own. `tests/web/test_charts.py` is about charts of pages.
"""

from __future__ import annotations

import base64
import csv
import io
import math
import re
from collections.abc import Iterator
from statistics import fmean
from typing import NamedTuple

import numpy as np
import pytest
from django.utils import timezone, translation
from django.utils.translation import gettext
from PIL import Image

from pwscup.contests.models import Contest
from pwscup.leaderboards.services import boards_of
from pwscup.reports.facts import gather
from pwscup.reports.page import document
from scoring.audits.audit import audit
from scoring.audits.report import report as audit_report
from scoring.audits.series import audit_series
from scoring.audits.series_report import report as series_report
from scoring.examples import SCHEMA, table
from scoring.formats.sequential.examples import SMALL
from scoring.formats.sequential.publishing import Options, publish
from scoring.formats.sequential.series import of_publication
from tests import factories
from tests.every import some
from tests.web import board_facts, disclosure_facts, pipeline
from tests.web.trees import Node, tree

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(600)]

NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")
LEAST_WIDTH = 600
ROUNDED = 0.00501  # what a table leaves off
AUDIT = {"attacks": ["EUC1", "E1"], "measures": ["S1"]}


class Saved(NamedTuple):
    """The file behind a link of a chart."""

    name: str
    kind: str
    data: bytes

    @property
    def rows(self) -> list[list[str]]:
        return list(csv.reader(io.StringIO(self.data.decode("utf-8-sig"), newline="")))


def saved(figure: Node) -> Iterator[Saved]:
    for link in figure.below("a"):
        kind, _comma, data = link["href"].removeprefix("data:").partition(";base64,")
        yield Saved(link["download"], kind, base64.b64decode(data))


def files_of(html: str) -> dict[str, Saved]:
    """All that the links of a report save."""
    return {one.name: one for figure in tree(html).below("figure") for one in saved(figure)}


def rows_of(html: str, name: str) -> list[list[str]]:
    """The rows of a CSV, without its header."""
    return files_of(html)[f"{name}.csv"].rows[1:]


def numbers(text: str) -> list[float]:
    return [float(number.replace(",", "")) for number in NUMBER.findall(text)]


def numbers_in(tables: list[Node]) -> list[float]:
    """As they are written, and as they exactly are."""
    exact = [float(node["value"]) for one in tables for node in one.below("data")]
    return exact + [n for one in tables for cell in one.below("td") for n in numbers(cell.words)]


def is_among(value: float, shown: list[float]) -> bool:
    """A share may be shown in per cent."""
    return any(
        math.isclose(factor * value, one, rel_tol=1e-5, abs_tol=ROUNDED)
        for one in shown
        for factor in (1, 100)
    )


def faults_of(figure: Node, language: str = "en") -> Iterator[str]:
    """All that a chart lacks."""
    (picture,) = figure.below("svg")
    name = picture["aria-label"]
    if picture["role"] != "img" or not name:
        yield "no name"
    links = list(figure.below("a"))
    with translation.override(language):
        for link, words in zip(links, ("Download as PNG", "Download as CSV"), strict=False):
            if not (link["aria-label"].startswith(link.words) and name in link["aria-label"]):
                yield "a link does not say which chart it saves"
            if link.words != gettext(words):
                yield f"“{link.words}”"
    found = {one.kind: one for one in saved(figure)}
    if "image/png" not in found:
        yield "no PNG"
    elif (image := Image.open(io.BytesIO(found["image/png"].data))).width < LEAST_WIDTH:
        yield "a small PNG"
    elif len(image.convert("RGB").getcolors(10**6) or ()) < 2:
        yield "an empty PNG"
    if "text/csv;charset=utf-8" not in found:
        yield "no CSV"
        return
    lines = found["text/csv;charset=utf-8"].rows
    if len(lines) < 2 or len({len(line) for line in lines}) > 1 or not all(lines[0]):
        yield "no rows in the CSV"
    tables = list(next(figure.above("section")).below("table"))
    shown, words = numbers_in(tables), " ".join(one.words for one in tables)
    for cell in (cell for line in lines[1:] for cell in line if cell):
        value = numbers(cell)
        there = cell in words or (NUMBER.fullmatch(cell) and is_among(value[0], shown))
        if not there and not re.match(r"\d{4}-\d\d-\d\d ", cell):
            yield f"“{cell}” is in no table"


def faults(html: str, language: str = "en") -> list[str]:
    figures = list(tree(html).below("figure"))
    assert figures
    names = [one.name for figure in figures for one in saved(figure)]
    assert len(names) == len(set(names)) == 2 * len(figures)
    return [
        f"{next(figure.below('svg'))}: {one}"
        for figure in figures
        for one in faults_of(figure, language)
    ]


def final_report(contest: Contest, language: str = "en") -> str:
    with translation.override(language):
        return document(
            gather(Contest.objects.get(pk=contest.pk), timezone.now()), language=language
        )


def of_a_hidden_table() -> Contest:
    played = disclosure_facts.game()
    pipeline.close(played.interactive)
    return played.contest


@pytest.fixture(scope="module")
def audited():
    rng = np.random.default_rng(1)
    one, two = table("original"), table("noise")
    return audit(one, two, np.arange(len(two)), SCHEMA, rng=rng, **AUDIT)


@pytest.fixture(scope="module")
def series():
    made = of_publication(publish(SMALL, Options(m=2)))
    return audit_series(SMALL, made, m=2, definition="counting")


# What charts have


@pytest.mark.parametrize("language", some(1, ["ja", "en"]))
def test_every_chart_of_a_final_report_has_all(announced, language):
    contest = board_facts.game(factories.make_contest()).contest
    assert faults(final_report(contest, language), language) == []


@pytest.mark.parametrize(
    "play",
    some(1, [of_a_hidden_table, lambda: board_facts.lecture().contest]),
    ids=["estimates", "scores"],
)
def test_every_chart_of_final_reports_of_other_formats_has_all(announced, play):
    assert faults(final_report(play())) == []


def test_every_chart_of_an_audit_has_all(audited):
    assert faults(audit_report(audited, {})) == []


def test_every_chart_of_an_audit_of_a_series_has_all(series):
    assert faults(series_report(series, {})) == []


def test_what_a_chart_lacks_is_found():
    picture = '<svg role="img" aria-label="Ranks"></svg>'
    html = f"<section><figure>{picture}{{links}}</figure><table><tr>{{cell}}</tr></table></section>"
    link = (
        '<a aria-label="Download as CSV: Ranks" download="a.csv" '
        'href="data:text/csv;charset=utf-8;base64,{data}">{words}</a>'
    )
    data = base64.b64encode(b"Team,Rank\r\nRed,3\r\n").decode()
    (bare,) = tree(html.format(links="", cell="")).below("figure")
    assert list(faults_of(bare)) == ["no PNG", "no CSV"]
    csv_link = link.format(data=data, words="Download as PNG")
    (half,) = tree(html.format(links=csv_link, cell="<td>Red</td><td>4</td>")).below("figure")
    assert list(faults_of(half)) == [
        "a link does not say which chart it saves",
        "no PNG",
        "“3” is in no table",
    ]


# What is in them


def test_the_numbers_of_a_final_report_are_those_of_the_boards(announced, sketched):
    contest = board_facts.game(factories.make_contest()).contest
    data = boards_of(Contest.objects.get(pk=contest.pk), timezone.now()).data
    html = final_report(contest)
    stage = next(name for name in files_of(html) if name.endswith("-matrix.csv"))[:-11]
    matrix = data["matrix"]
    found = {row[0]: row[1:] for row in rows_of(html, f"{stage}-matrix")}
    assert found == {
        row["name"]: [
            "×" if cell["own"] else "" if cell["rate"] is None else f"{100 * cell['rate']}"
            for cell in row["cells"]
        ]
        for row in matrix["rows"]
    }
    means = {row["name"]: 100 * row["mean_rate"] for row in data["attack"]["rows"]}
    drawn = {row[0]: float(row[1]) for row in rows_of(html, f"{stage}-attackers")}
    assert drawn == pytest.approx({name: means[name] for name in drawn})
    hits = [r for (_attacker, team), r in board_facts.GUESSES.items() if team == "Red"]
    red = next(row for row in rows_of(html, f"{stage}-defenders") if row[0] == "Red")
    assert [float(cell) for cell in red[1:]] == pytest.approx([100 * fmean(hits), 100 * max(hits)])
    first = data["anonymization"]["rows"][0]
    names = data["anonymization"]["measures"]
    values = {name: cell["value"] for name, cell in zip(names, first["cells"], strict=True)}
    profile = files_of(html)[f"{stage}-team-0.csv"].rows
    assert profile[0][-1] == first["name"]
    own = {row[0]: float(row[-1]) if row[-1] else None for row in profile[1:]}
    assert own == pytest.approx({name: values[name] for name in own})
    middles = {row[0]: float(row[3]) for row in profile[1:]}
    known = [
        [cell["value"] for cell in column if cell["value"] is not None]
        for column in zip(*(row["cells"] for row in data["anonymization"]["rows"]), strict=True)
    ]
    medians = {name: float(np.median(one)) for name, one in zip(names, known, strict=True) if one}
    assert middles == pytest.approx(medians)


def test_the_numbers_of_an_audit_are_those_of_its_findings(audited, sketched):
    html = audit_report(audited, {})
    rates = {row[0]: [float(cell) for cell in row[1:]] for row in rows_of(html, "rates")}
    assert rates == {
        f.attack.id: pytest.approx([100 * x for x in (f.rate, f.found.low, f.found.high)])
        for f in audited.findings
    }
    times = [int(row[1]) for row in rows_of(html, "times-found")]
    assert times == np.bincount(audited.times_found, minlength=len(audited.findings) + 1).tolist()
    assert sum(int(row[1]) for row in rows_of(html, "class-sizes")) == audited.n_anonymized


def test_the_numbers_of_an_audit_of_a_series_are_its_risks_and_regions(series, sketched):
    html = series_report(series, {})
    for finding in series.findings:
        rows = rows_of(html, f"histogram-{finding.definition.value}")
        assert sum(int(row[2]) for row in rows) == (~np.isnan(finding.last.values)).sum()
    history = [[float(cell) for cell in row[1:]] for row in rows_of(html, "over-time")]
    assert history == [pytest.approx([risks.max, risks.mean]) for risks in series.chosen.history]
    regions = rows_of(html, "boxes-1")
    release = series.series.releases[0]
    groups = {row[1]: [float(cell) for cell in row[2:4]] for row in regions if row[0] == "R1"}
    assert groups == {
        str(group): [release.low[n, 0], release.high[n, 0]]
        for n, group in enumerate(release.group.tolist())
    }
