"""Every page that links lead to, on a phone and at a desk, in either language: nothing overflows, all is named."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import resolve
from playwright.sync_api import Page

from pwscup.demo.cast import ORGANIZER, PASSWORD, TEAMS
from scoring.datasets.households import HOUSEHOLDS_SCHEMA
from tests.e2e.browser import DESKTOP, Person

pytestmark = [pytest.mark.timeout(900)]

PHONE = {"width": 390, "height": 844}
AXE = (Path(__file__).parent / "vendor" / "axe-core" / "axe.min.js").read_text()
LANGUAGES = ("ja", "en")
PLAYER = next(iter(TEAMS.values()))[0]
ROLES = {"visitor": None, "player": PLAYER, "organizer": ORGANIZER}
MOST_ALIKE = 2
# Views that say the same to everybody: visitors see them in every contest, who is logged in in some.
NONE = re.compile(r"(?!)")
PUBLIC = re.compile(r"(?:board(?: .*)?|rules|news)$")
ALIKE = {
    "visitor": NONE,
    "player": PUBLIC,
    "organizer": re.compile(rf"{PUBLIC.pattern}|(?:round|team)$"),  # who is in no team has no forms
}
# In a short walk, pages of a view are alike in all contests, but for those that differ most and lead to further views.
FEW = re.compile(r"(?!round$|contest$|board$|organize-(?:board|contest|news|submissions)$)")
# And a view that one role has seen is not opened again, but for views of which every contest has its own, and for
# those that differ most by who is looking.
BY_CONTEST = re.compile(r"(?:board|contest|round)$")
BY_ROLE = re.compile(r"(?:home|contest|round|submission|team|terms)$")
# That a short walk opens: what roles before it have not seen.
LEAST_VIEWS = {"visitor": 17, "player": 22, "organizer": 31}
MOST_ACCESSIBILITY = 1
# Pages without a link to them.
START = ("/", "/accounts/login/", "/accounts/signup/", "/accounts/password/reset/")
PERSONAL = ("/account/", "/account/delete/", "/accounts/password/change/", "/accounts/email/")
LEAST_PAGES = {"visitor": 15, "player": 29, "organizer": 30}
# What a walk must have come to, of which many pages would not make up for one.
MUST_SEE = {
    "visitor": {"board comparison", "board estimates", "board curve"},
    "player": {"ask", "answer", "experiment", "experiments-compare", "experiment-new", "tokens"},
    "organizer": {"organize-disclosure"},
}
# The pages on which a contest of sequential release has words and forms of its own.
MUST_OPEN = {
    "visitor": {"/c/demo-series/board/", "/c/demo-series/round/attack/", "/c/demo-series/rules/"},
    "player": {"/c/demo-series-open/", "/c/demo-series-open/round/release/"},
    "organizer": {"/organize/demo-series-open/data/", "/organize/demo-series-open/rules/"},
}
# Audits, estimates, and a comparison of experiments; `stage.set_up` says which.
STAGED = 7
# What a page shows where something was forgotten: template marks, placeholders, values and names of the code.
RAW = re.compile(
    r"\{[{%]|%\([a-z_]+\)|%[sd]\b|<[a-z_.]+ object|\b(?:None|undefined|NaN)\b"
    r"|&(?:amp|lt|quot);|\[\]|\b[a-z]+(?:_[a-z]+)+\b(?![\w-]*\.(?:csv|json|zip))"
)
# Contests that have their own look, in `test_look_lecture`, and what organizers see in another contest like it.
ELSEWHERE = re.compile(r"/(c|organize)/lecture-|/organize/demo-(?:disclosed|robust|series)/")
LINK = re.compile(r'<a\b(?![^>]*\sdownload\b)[^>]*\shref="(?P<href>[^"]*)"')
# A report is a page of its own, in which no script runs, not even one that looks for faults.
FILES = (".csv", ".zip", ".toml", ".xml", ".html", ".pdf", ".json")
# Columns of tables, which people know by such names.
NAMED = {*HOUSEHOLDS_SCHEMA.names, "source_row", "short_name"}
FINDINGS = """() => {
  const shown = (node) => node.getClientRects().length > 0;
  const named = (control) =>
    control.labels?.length || control.getAttribute("aria-label") || control.getAttribute("aria-labelledby");
  const controls = [...document.querySelectorAll("input:not([type=hidden]), select, textarea")];
  return {
    "headings of the first level": document.querySelectorAll("h1").length,
    "title": document.title.trim(),
    "language": document.documentElement.lang,
    "without a label": controls.filter((c) => !named(c)).map((c) => c.outerHTML.slice(0, 120)),
    "without a text for the blind": [...document.images].filter((i) => !i.hasAttribute("alt")).map((i) => i.src),
    "buttons without words": [...document.querySelectorAll("button, a[href]")]
      .filter((b) => shown(b) && !b.textContent.trim() && !b.getAttribute("aria-label") && !b.querySelector("img[alt]"))
      .map((b) => b.outerHTML.slice(0, 120)),
    "identifiers used twice": [...document.querySelectorAll("[id]")].map((n) => n.id)
      .filter((id, place, all) => all.indexOf(id) !== place),
  };
}"""
WORDS = """() => {
  const copy = document.body.cloneNode(true);
  const names = "code, pre, .mono, .measure-name, .event-data, table.problems, script, noscript";
  copy.querySelectorAll(names).forEach((node) => node.remove());
  document.body.append(copy);
  const words = copy.innerText;
  copy.remove();
  return words;
}"""
OVERFLOW = """() => {
  const room = window.innerWidth, width = document.documentElement.scrollWidth;
  if (width <= room) return null;
  const inBox = (node) => node && (getComputedStyle(node).overflowX !== "visible" || inBox(node.parentElement));
  const beyond = [...document.querySelectorAll("body *")]
    .filter((node) => node.getBoundingClientRect().right > room && !inBox(node.parentElement));
  return `${width} pixels wide on ${room}: ${beyond.slice(0, 3).map((node) => node.outerHTML.slice(0, 120))}`;
}"""
# The rules that are off find nothing that is serious.
SERIOUS = """() => axe.run(document, {
  resultTypes: ["violations"], preload: false,
  rules: Object.fromEntries(["region", "landmark-unique", "landmark-one-main", "heading-order"]
    .map((rule) => [rule, {enabled: false}])),
}).then((found) => found.violations
  .filter((v) => ["serious", "critical"].includes(v.impact))
  .map((v) => `${v.id} (${v.impact}), ${v.nodes.length} times: ${v.nodes[0].html.slice(0, 160)}`))"""


Read = Counter[tuple[object, str]]


@pytest.fixture(scope="module")
def staged(site) -> Iterator[list[str]]:
    """A full stage; addresses of the player's that a walk would not come to by itself."""
    printed = site.manage("shell", "-c", "from tests.e2e import stage; stage.set_up()")
    addresses = [line for line in printed.splitlines() if line.startswith("/")]
    assert len(addresses) == STAGED, printed
    with site.worker_held():  # who looks at pages needs no worker
        yield addresses


@pytest.mark.parametrize("role", ROLES)
def test_a_page_of_every_view_is_sound(meet, staged, read, role):
    seen, _opened = look(meet, role, staged, read, FEW, is_short=True)
    assert len(seen) >= LEAST_VIEWS[role], seen
    assert seen.keys() >= MUST_SEE[role], seen


@pytest.mark.long
@pytest.mark.parametrize("role", ROLES)
def test_every_page_is_sound(meet, staged, read, role):
    seen, opened = look(meet, role, staged, read, ALIKE[role])
    assert seen.total() >= LEAST_PAGES[role], seen
    assert seen.keys() >= MUST_SEE[role], seen
    assert opened >= MUST_OPEN[role], MUST_OPEN[role] - opened


def look(
    meet,
    role: str,
    staged: list[str],
    read: Read,
    alike: re.Pattern[str],
    *,
    is_short: bool = False,
) -> tuple[Counter[str], set[str]]:
    """Look at the pages of a role; how many there are of each view, and their paths."""
    person = meet(role)
    if ROLES[role] is not None:
        person.log_in(ROLES[role].email, PASSWORD)
    start = [*START, *(PERSONAL if ROLES[role] else ()), *(staged if role == "player" else ())]
    always = staged if is_short else None
    pages = walk(person, start, lambda path: not ELSEWHERE.match(path), read, alike, always=always)
    return sound(person, pages, staged)


def sound(
    person: Person, pages: Iterator[tuple[str, str, str]], always: Sequence[str] = ()
) -> tuple[Counter[str], set[str]]:
    """Check that nothing is wrong with any of these pages; how many of each view there are, and their paths."""
    faults, seen, opened = [], Counter[str](), set[str]()
    for address, view, language in pages:
        found = [*width_faults(person.page), *content_faults(person.page, language)]
        # Colours and names of controls are the same in every language, and in the pages of a view.
        if seen[view] < MOST_ACCESSIBILITY or address in always:
            found += accessibility_faults(person.page)
        faults += [f"{address} ({language}): {fault}" for fault in found]
        seen[view] += 1
        opened.add(urlsplit(address).path)
    assert not faults, f"{len(faults)} faults on {seen.total()} pages:\n" + "\n".join(faults)
    return seen, opened


def walk(
    person: Person,
    start: list[str],
    belongs: Callable[[str], bool],
    read: Read,
    all_alike: re.Pattern[str] = NONE,
    *,
    always: Sequence[str] | None = None,
) -> Iterator[tuple[str, str, str]]:
    """Open every page that links lead to and that belongs, with its view and language; a few of many alike.

    Of `all_alike` views the pages of different contests are alike, too. A walk that is given what to open `always`
    is short: it opens only pages of views and of contests that nobody has read yet, and one of each view that differs
    by role; of the others it takes the links from the answer.
    """
    todo, known, alike = list(start), set(start), Counter[object]()
    opened, is_short = set[str](), always is not None
    always = start if always is None else always
    while todo:
        address = todo.pop(0)
        view, kind, limit = kind_of(address)
        if limit and all_alike.match(view):
            kind, limit = (view,), MOST_ALIKE
        if alike[kind] >= limit and address not in always:
            continue
        alike[kind] += 1
        what = kind if BY_CONTEST.match(view) else view
        was_read = any(read[what, language] for language in LANGUAGES)
        is_new = address in always or (view not in opened and BY_ROLE.match(view))
        if is_short and was_read and not is_new:
            links = links_without_opening(person, address)
        else:
            opened.add(view)
            language = next_language(read, view, kind)
            person.reads(language)
            person.page.set_viewport_size(PHONE)
            person.go(address)
            yield address, view, language
            links = person.page.eval_on_selector_all(
                "a[href]:not([download])",
                "links => links.map((link) => link.getAttribute('href'))",
            )
        for link in links:
            path = link.split("#")[0]
            if path.startswith("/") and path not in known and belongs(path):
                known.add(path)
                todo.append(path)


def links_without_opening(person: Person, address: str) -> list[str]:
    """Where a page leads, by its text alone: a browser takes ten times as long to show it."""
    answer = person.context.request.get(address)
    assert answer.status == 200, f"{address}: status {answer.status}"
    return [unescape(found["href"]) for found in LINK.finditer(answer.text())]


def next_language(read: Read, view: str, kind: object) -> str:
    """The one in which fewer pages like this one, then fewer of its view, were read; first Japanese.

    A page of Japanese is the one that runs out of room, or that lacks a translation.
    """
    language = min(LANGUAGES, key=lambda language: (read[kind, language], read[view, language]))
    read.update([(kind, language), (view, language)])
    return language


def kind_of(address: str) -> tuple[str, object, int]:
    """The view, what tells its pages apart, and how many of one kind are worth a look: 0 for a file."""
    parts = urlsplit(address)
    found = resolve(parts.path)
    if parts.path.endswith(FILES):
        return found.view_name, address, 0
    named = {name: value for name, value in found.kwargs.items() if name in ("slug", "key")}
    board = parse_qs(parts.query).get("board", [""])[0]
    limit = 1 if named == found.kwargs else MOST_ALIKE
    view = f"{found.view_name} {board}".strip()
    return view, (view, *named.items()), limit


def width_faults(page: Page) -> Iterator[str]:
    """Whether one has to scroll sideways on a phone, for which the page was opened, and at a desk."""
    for size in (PHONE, DESKTOP):
        if page.viewport_size != size:
            page.set_viewport_size(size)
        if too_wide := page.evaluate(OVERFLOW):
            yield too_wide


def content_faults(page: Page, language: str) -> Iterator[str]:
    """What the page lacks, or shows by mistake."""
    found = page.evaluate(FINDINGS)
    if found.pop("headings of the first level") != 1:
        yield f"{page.locator('h1').count()} headings of the first level"
    if not found.pop("title"):
        yield "no title"
    if (shown := found.pop("language")) != language:
        yield f"in {shown}"
    yield from (f"{what}: {thing}" for what, things in found.items() for thing in things)
    raw = set(RAW.findall(page.evaluate(WORDS))) - NAMED
    yield from (f"forgotten: {words}" for words in sorted(raw))


def accessibility_faults(page: Page) -> list[str]:
    """What axe-core finds serious or critical."""
    page.evaluate(AXE)
    return page.evaluate(SERIOUS)
