# SPDX-License-Identifier: Apache-2.0
"""The check of files in a browser finds what the server finds: the same first problem, place and words."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.utils import translation
from hypothesis import given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page, Route, expect

from pwscup.core.texts.problems import SEPARATOR, parts
from pwscup.submissions.pages.checks import catalogue
from scoring.errors import MAX_REPORTED, Problem
from scoring.tables.published_rules import reading_rules, table_rules
from tests import broken_files
from tests.broken_files import READINGS, Case
from tests.every import examples, some

STATIC = Path(__file__).resolve().parents[2] / "static"
ORIGIN = "http://check.test"
LANGUAGES = ("en", "ja")
N_PARTS = 4  # of the broken files, each with some of every kind
KEYS = ("code", "file", "row", "column")
CHECK_ALL = """async ({cases, readings, rules, catalogues}) => {
  const {check} = await import("/js/check/check.js");
  const {partsOf} = await import("/js/check/problems.js");
  const found = [];
  for (const {kind, files} of cases) {
    const given = Object.entries(files).map(([key, data]) => {
      const own = readings[kind];
      const file = new Blob([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))]);
      return {key, file, rules: own[key], rowRules: own[own[key].rows_in]};
    });
    const result = await check(given, rules);
    const [first] = result.problems;
    const said = first && catalogues.map((words) => partsOf(first, words).join(" — "));
    found.push({...result, said, problems: result.problems.slice(0, 20)});
  }
  return found;
}"""

Checked = Callable[[Sequence[Case]], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """An empty page that may load the scripts of the check."""

    def answer(route: Route) -> None:
        path = STATIC / route.request.url.removeprefix(f"{ORIGIN}/")
        if path.is_file():
            route.fulfill(path=path, content_type="text/javascript")
        else:
            route.fulfill(body="<!doctype html>", content_type="text/html")

    opened = browser.new_page()
    opened.route(f"{ORIGIN}/**", answer)
    opened.goto(ORIGIN)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def checked(page: Page) -> Checked:
    """The problems that the browser finds in files."""
    fixed = {
        "readings": {kind: dict(reading.rules) for kind, reading in READINGS.items()},
        "rules": reading_rules(),
        "catalogues": [catalogue(language) for language in LANGUAGES],
    }

    def run(cases: Sequence[Case]) -> list[dict[str, Any]]:
        given = [
            {
                "kind": case.kind,
                "files": {key: base64.b64encode(data).decode() for key, data in case.files.items()},
            }
            for case in cases
        ]
        found: list[dict[str, Any]] = page.evaluate(CHECK_ALL, {"cases": given, **fixed})
        return found

    return run


def words_of(problem: Problem) -> list[str]:
    """The words of a problem in each language."""
    words = []
    for language in LANGUAGES:
        with translation.override(language):
            words.append(SEPARATOR.join(parts(problem)))
    return words


def place(problem: Mapping[str, Any]) -> dict[str, Any]:
    return {key: problem[key] for key in KEYS}


def differences(cases: Sequence[Case], results: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line for each case of which browser and server say something else."""
    lines = []
    for case, result in zip(cases, results, strict=True):
        problems = READINGS[case.kind].problems(case.files)
        expected = [place(problem.to_dict()) for problem in problems[:20]]
        got = [place(problem) for problem in result["problems"]]
        said = words_of(problems[0]) if problems else None
        counts = len(problems) == min(result["total"], MAX_REPORTED)
        # Who has an id is not in the schema: of guessed values the browser may find less.
        same = counts or case.kind == "value_guess"
        if expected[:1] != got[:1] or said != result["said"] or not same:
            shown = json.dumps(
                [expected[:2], got[:2], said, result["said"], len(problems), result["total"]],
                ensure_ascii=False,
            )
            lines.append(f"{case.kind}, {case.name}: {shown[:700]}")
    return lines


@pytest.mark.parametrize("first", some(1, range(N_PARTS)))
def test_browser_and_server_find_the_same_first_problem(checked: Checked, first: int) -> None:
    cases = broken_files.cases()[first::N_PARTS]
    results = checked(cases)
    assert sum(result["total"] > 0 for result in results) >= 300
    assert not (wrong := differences(cases, results)), "\n".join(wrong)


LARGE = r"""async ({rules, own, bytes}) => {
  const [header, ...records] = own.text.trimEnd().split("\n");
  const lines = records.join("\n") + "\n";
  const parts = [header + "\n", ...Array(Math.ceil(bytes / lines.length)).fill(lines)];
  const file = new File(parts, "table.csv");
  const worker = new Worker("/js/check/worker.js", {type: "module"});
  const seen = {size: file.size, progress: [], ticks: 0};
  const clock = setInterval(() => { seen.ticks += 1; }, 10);
  worker.postMessage({groups: [[{key: "synthetic", file, rules: own.rules}]], reading: rules});
  seen.results = await new Promise((resolve, reject) => {
    worker.onerror = (event) => reject(new Error(event.message));
    worker.onmessage = ({data}) => {
      if (data.progress) seen.progress.push(data.progress);
      else resolve(data.results);
    };
  });
  clearInterval(clock);
  worker.terminate();
  return seen;
}"""


def test_the_page_stays_usable_while_20_megabytes_are_checked(page: Page) -> None:
    schema = broken_files.SCHEMA
    own = {"text": broken_files.GOOD, "rules": table_rules(schema)}
    given = {"rules": reading_rules(), "own": own, "bytes": 20_000_000}
    seen = page.evaluate(LARGE, given)
    assert seen["size"] >= 20_000_000
    (result,) = seen["results"]
    assert (result["total"], result["problems"]) == (0, [])
    n_records = broken_files.GOOD.count("\n") - 1
    assert result["records"]["synthetic"] % n_records == 0
    assert result["records"]["synthetic"] > 500_000
    assert seen["progress"] == sorted(seen["progress"])
    assert len(seen["progress"]) > 20
    assert seen["ticks"] > 10, "the page could do nothing meanwhile"


FORM = """<!doctype html><html lang="en"><meta charset="utf-8"><form>
  <label class="dropzone"><input type="file" name="anonymized"></label>
  <label class="dropzone"><input type="file" name="rows"></label>
  {panel}<button class="btn btn-primary" data-busy="">Submit</button>
</form><script type="module" src="/js/check/form.js"></script></html>"""


@pytest.fixture
def form(browser: Browser) -> Iterator[Page]:
    """The form of a round with its check, without the rest of its page."""
    rules = READINGS["submission"].rules
    published = {
        "reading": reading_rules(),
        "words": catalogue("en"),
        "files": {key: {"key": key, "rules": own} for key, own in rules.items()},
        "names": {},
    }
    names = {"contest": {"slug": "cup"}, "round": {"key": "anonymization"}}
    panel = re.sub(
        'data-worker="[^"]*"',
        'data-worker="/js/check/worker.js"',
        render_to_string("submissions/_check.html", names),
    )

    def answer(route: Route) -> None:
        path = STATIC / route.request.url.removeprefix(f"{ORIGIN}/")
        if path.is_file():
            route.fulfill(path=path, content_type="text/javascript")
        elif "anonymization" in route.request.url:
            route.fulfill(json=published)
        else:
            route.fulfill(body=FORM.format(panel=panel), content_type="text/html")

    opened = browser.new_page()
    opened.set_default_timeout(10_000)
    opened.route(f"{ORIGIN}/**", answer)
    opened.goto(ORIGIN)
    yield opened
    opened.close()


def chosen(form: Page, name: str, text: str, encoding: str = "utf-8") -> None:
    data = text.encode(encoding)
    files = [{"name": f"{name}.csv", "mimeType": "text/csv", "buffer": data}]
    form.locator(f"input[name={name}]").set_input_files(files)


def test_a_refused_file_is_marked_and_notes_stand_apart(form: Page) -> None:
    good = broken_files.GOOD
    header, *records = good.splitlines()
    wrong = "\n".join([header, *(",".join(["x"] * len(header.split(","))) for _ in records), ""])
    zone, panel = form.locator(".dropzone").first, form.locator(".file-check")
    button = form.locator("button[data-busy]")
    problems, notes = form.locator("[data-part=list] li"), form.locator("[data-part=noted] li")

    chosen(form, "rows", broken_files.ROWS)
    expect(panel).to_have_attribute("data-state", "fine", timeout=15_000)
    chosen(form, "anonymized", good, "cp932")
    expect(panel).to_have_attribute("data-state", "fine", timeout=15_000)
    expect(notes).to_have_count(1)
    expect(problems).to_have_count(0)
    expect(zone).not_to_have_class(re.compile("wrong"))
    expect(button).to_have_class(re.compile("btn-primary"))

    chosen(form, "anonymized", wrong)
    expect(panel).to_have_attribute("data-state", "wrong")
    expect(form.locator("[data-part=notes]")).to_be_hidden()
    expect(problems.first).to_contain_text("record 1, 2, 3, 4, 5 and 3 more")
    expect(zone).to_have_class(re.compile("wrong"))
    expect(form.locator(".dropzone").last).not_to_have_class(re.compile("wrong"))
    expect(button).to_have_text("Send anyway")
    expect(button).to_have_class("btn btn-outline-primary")

    chosen(form, "anonymized", good)
    expect(panel).to_have_attribute("data-state", "fine", timeout=15_000)
    expect(zone).not_to_have_class(re.compile("wrong"))
    expect(button).to_have_class("btn btn-primary")


def test_one_line_that_stands_for_all_problems_says_so(form: Page) -> None:
    header, *lines = csv.reader(io.StringIO(broken_files.GOOD))
    records = [dict(zip(header, cells, strict=True)) | {"age": "many"} for cells in lines]
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows([header, *(own.values() for own in records)])
    chosen(form, "rows", broken_files.ROWS)
    chosen(form, "anonymized", written.getvalue())
    said = f"{len(records)} problems of the same kind found."
    expect(form.locator("[data-part=status]")).to_contain_text(said, timeout=15_000)


def base_of(kind: str) -> tuple[str, str]:
    """A key and a text that the reader of a kind accepts."""
    return next(
        (key, case.files[key].decode())
        for case in broken_files.cases()
        if case.kind == kind and case.name == "as it is"
        for key in [next(iter(case.files))]
    )


BASES = {
    kind: base_of(kind)
    for kind in ("submission", "aligned", "guess", "candidates", "bits", "intervals", "lines")
}
EDITS = st.lists(
    st.tuples(
        st.floats(0, 1, exclude_max=True),
        st.one_of(st.sampled_from('\n\r,";\t ９.-\0'), st.text(max_size=3)),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=4,
)
ENCODINGS = st.sampled_from(("utf-8", "utf-8", "utf-8-sig", "cp932", "latin-1", "utf-16"))


@settings(max_examples=examples(0.4))
@given(kind=st.sampled_from(sorted(BASES)), edits=EDITS, encoding=ENCODINGS)
def test_browser_and_server_agree_on_files_of_chance(
    checked: Checked, kind: str, edits: list[tuple[float, str, int]], encoding: str
) -> None:
    key, text = BASES[kind]
    for share, letters, n_replaced in edits:
        at = int(share * len(text))
        text = text[:at] + letters + text[at + n_replaced :]
    case = Case("chance", kind, {key: text.encode(encoding, "ignore")})
    assert not (wrong := differences([case], checked([case]))), wrong
