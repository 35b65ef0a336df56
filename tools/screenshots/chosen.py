# SPDX-License-Identifier: Apache-2.0
"""The pictures of the documentation, in `docs/images/`, from a running demo: light, of one width.

Each is taken in English and, as `NAME-ja`, in Japanese.

It submits the two tables of the participant's tutorial as Alice, uploads fixtures/clinic.csv to a new draft contest
as Oscar and closes the finished contest with a ceremony, so that a demo of its own is better.
"""

from __future__ import annotations

import io
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urljoin

from django.conf import settings
from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Locator, Page, expect

from pwscup.bots.cast import BOTS
from pwscup.demo.cast import ORGANIZER, PASSWORD, TEAMS, Person
from scoring.cli import main as cli
from scoring.rulesets import load_ruleset
from tests.e2e.faults import PHONE

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"
MAX_BYTES = 200_000
WIDTH = 1280
SCORED_MS = 120_000
PLAYED_SECONDS = 180
BUILT_IN = load_ruleset("pwscup2015").ranking.linkage
SETTLED_MS = 1_500  # charts draw themselves in
CAPTAIN = TEAMS["Aoi"][0]
FIRST_TABLE = ("mondrian", "class-average", "--set", "k=5")
SECOND_TABLE = (
    *("qi-unification", "class-average", "yamaoka"),
    *("--set", "columns=sex,children,cars,industry,occupation"),
)
ROOM, FRAME, CORNER = 48, 7, 22  # pixels
PHONE_WIDTH = 300
GROUND, INK = "#dfe7f5", "#14294b"
FINISHED, RUNNING = "demo-finished", "demo-running"
ENDINGS = {"en": "", "ja": "-ja"}
"""The ends of the names of pictures, by language."""


def take(browser: Browser, site: str) -> None:
    """Replace the pictures in `docs/images`; SystemExit where one is too large or the demo not ready."""
    IMAGES.mkdir(exist_ok=True)
    front(browser, site)
    matrix(browser, site)
    result(browser, site)
    audit(browser, site)
    roles(browser, site)
    ceremony(browser, site)


def front(browser: Browser, site: str) -> None:
    """The first picture of the README: the attack matrix at a desk, and the finished contest on a phone before it."""
    with visit(browser, site) as page:
        board = f"{site}/c/{FINISHED}/board/?board=matrix"
        await_matrix(page, board)
        for language, ending in ENDINGS.items():
            page.set_viewport_size({"width": WIDTH, "height": 900})
            page.goto(board)
            read_in(page, language)
            desk = taken(page)
            page.set_viewport_size(PHONE)
            page.goto(f"{site}/c/{FINISHED}/")
            page.wait_for_timeout(SETTLED_MS)
            save(before(desk, taken(page)), IMAGES / f"front{ending}.png")


def taken(page: Page) -> Image.Image:
    """The screen as it is."""
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def before(desk: Image.Image, phone: Image.Image) -> Image.Image:
    """The phone, with round corners and a frame, before the lower right corner of the desk, on a plain ground."""
    ground = Image.new("RGB", (desk.width + 2 * ROOM, desk.height + 2 * ROOM), GROUND)
    ground.paste(desk, (ROOM, ROOM), round_corners(desk.size, CORNER))
    small = phone.resize((PHONE_WIDTH, round(phone.height * PHONE_WIDTH / phone.width)))
    framed = Image.new("RGB", (small.width + 2 * FRAME, small.height + 2 * FRAME), INK)
    framed.paste(small, (FRAME, FRAME), round_corners(small.size, CORNER))
    place = (ground.width - framed.width - ROOM // 2, ground.height - framed.height - ROOM // 2)
    ground.paste(framed, place, round_corners(framed.size, CORNER + FRAME))
    return ground


def round_corners(size: tuple[int, int], radius: int) -> Image.Image:
    mask = Image.new("L", size, 0)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, size[0] - 1, size[1] - 1), radius, fill=255)
    return mask


def save(picture: Image.Image, path: Path) -> None:
    """Write a picture of few colours; an error where the file is too large for a README."""
    picture.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    limit(path)


def matrix(browser: Browser, site: str) -> None:
    """The attack matrix of the finished contest, once everything is scored."""
    with visit(browser, site, width=1400) as page:  # at which all columns of the board fit
        await_matrix(page, f"{site}/c/{FINISHED}/board/?board=matrix")
        shoot(page, "matrix", 960)


def await_matrix(page: Page, address: str) -> None:
    """Look until every baseline team has attacked every other one: a closed contest's page does not poll."""
    deadline = time.monotonic() + PLAYED_SECONDS
    n_rows = len(BOTS) + len(BUILT_IN)
    while time.monotonic() < deadline:
        page.goto(address)
        table = page.locator("#board table").last
        is_scored = page.get_by_text("being scored").count() == 0
        if is_scored and table.locator("tbody tr").count() == n_rows and not missing(table):
            return
        page.wait_for_timeout(2_000)
    raise SystemExit(f"{address}: not full after {PLAYED_SECONDS} s")


def missing(table: Locator) -> int:
    """The number of targets without a guess."""
    return table.get_by_text("–", exact=True).count()


def result(browser: Browser, site: str) -> None:
    """The tutorial's first table, submitted by Alice and scored."""
    with visit(browser, site, CAPTAIN) as page, TemporaryDirectory() as folder:
        hand_in(page, anonymized(page, site, folder, *FIRST_TABLE))
        shoot(page, "result", 900)


def audit(browser: Browser, site: str) -> None:
    """The hits of all attackers in the tutorial's second table."""
    with visit(browser, site, CAPTAIN) as page, TemporaryDirectory() as folder:
        hand_in(page, anonymized(page, site, folder, *SECOND_TABLE))
        page.get_by_role("link", name="Attacks", exact=True).click()  # the audit begins by itself
        expect(page.locator(".audit-verdict")).to_be_visible(timeout=SCORED_MS)
        shoot(page, "audit", 1120)


def anonymized(page: Page, site: str, folder: str, *methods: str) -> list[Path]:
    """The table of the running contest, anonymized as the tutorial does, and its rows."""
    page.goto(f"{site}/c/{RUNNING}/")
    given = [download(page, f"{RUNNING}-{n}", folder) for n in ("original.csv", "schema.toml")]
    made = [Path(folder) / name for name in ("anonymized.csv", "rows.csv")]
    options = zip(("--original", "--schema", "--out", "--rows"), (*given, *made), strict=True)
    words = [str(word) for option in options for word in option]
    assert cli.main(["anonymize", *methods, "--seed", "1", *words]) == cli.FINE
    return made


def hand_in(page: Page, files: list[Path]) -> None:
    """Submit a table and its rows, and wait for the result."""
    page.goto(f"{page.url.split('/c/')[0]}/c/{RUNNING}/round/anonymization/")
    for field, file in zip(page.locator("input[type=file]").all(), files, strict=True):
        field.set_input_files(file)
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("main")).to_contain_text("Every measure", timeout=SCORED_MS)
    page.reload()


def roles(browser: Browser, site: str) -> None:
    """The proposal for an organizer's own table."""
    with visit(browser, site, ORGANIZER) as page:
        page.goto(f"{site}/organize/new/")
        page.locator("[name=title]").fill("Clinic cup")
        page.get_by_text("Optional: Japanese title, address, summaries").click()
        address = f"clinic-{secrets.token_hex(4)}"  # a second run needs another
        page.locator("[name=slug]").fill(address)
        page.get_by_role("button", name="Create draft", exact=True).last.click()
        page.locator("input[type=file]").set_input_files(ROOT / "fixtures" / "clinic.csv")
        page.get_by_role("button", name="Upload").click()
        expect(page.locator("#columns")).to_be_visible()
        shoot(page, "roles", 1000)


def ceremony(browser: Browser, site: str) -> None:
    """The projector's screen with two places revealed; then the ceremony is finished."""
    with visit(browser, site, ORGANIZER) as page:
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(f"{site}/organize/{FINISHED}/board/")
        page.get_by_role("button", name="Freeze", exact=True).click()
        page.get_by_role("button", name="Start ceremony").click()
        for n in range(1, 3):
            page.get_by_role("button", name="Next place").click()
            expect(page.locator("main")).to_contain_text(re.compile(rf"\b{n} of "))
        page.mouse.move(0, 0)
        shoot(page, "ceremony", 670)
        page.get_by_role("button", name="All", exact=True).click()
        page.get_by_role("button", name="Finish: show the whole leaderboard").click()
        expect(page.locator("main")).to_contain_text("The ceremony is over")


@contextmanager
def visit(
    browser: Browser, site: str, person: Person | None = None, *, width: int = WIDTH
) -> Iterator[Page]:
    """A page in a session of its own, in English and light, logged in where a person is given."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        device_scale_factor=WIDTH / width,  # every picture is as wide
        locale="en",
        color_scheme="light",
    )
    page = context.new_page()
    if person is not None:
        page.goto(f"{site}/accounts/login/")
        page.locator("[name=login]").fill(person.email)
        page.locator("[name=password]").fill(PASSWORD)
        page.locator("main").get_by_role("button", name="Log in").click()
        expect(page.get_by_role("button", name="Log out")).to_be_visible()
    yield page
    context.close()


def download(page: Page, name: str, folder: str) -> Path:
    with page.expect_download() as started:
        page.get_by_role("link", name=name).first.click()
    path = Path(folder) / name
    started.value.save_as(path)
    return path


def shoot(page: Page, name: str, height: int) -> None:
    """The upper part of a page in each language; an error where the file is too large for a README."""
    for language, ending in ENDINGS.items():
        read_in(page, language)
        shoot_once(page, IMAGES / f"{name}{ending}.png", height)
    read_in(page, "en")


def read_in(page: Page, language: str) -> None:
    """Load the page again in a language."""
    everywhere = urljoin(page.url, "/")
    page.context.add_cookies(
        [{"name": settings.LANGUAGE_COOKIE_NAME, "value": language, "url": everywhere}]
    )
    page.reload()
    page.wait_for_timeout(SETTLED_MS)


def shoot_once(page: Page, path: Path, height: int) -> None:
    footer = "document.querySelector('footer').getBoundingClientRect().top + scrollY"
    full = page.evaluate(f"{footer} || innerHeight")  # a full screen has no footer
    width = page.evaluate("document.documentElement.clientWidth")
    page.screenshot(
        path=path,
        clip={"x": 0, "y": 0, "width": width, "height": min(height, full)},
        full_page=True,
    )
    limit(path)


def limit(path: Path) -> None:
    if path.stat().st_size > MAX_BYTES:
        raise SystemExit(
            f"{path.name}: expected at most {MAX_BYTES} bytes, got {path.stat().st_size}"
        )
