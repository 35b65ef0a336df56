# SPDX-License-Identifier: Apache-2.0
"""The appearance of a contest by program: what organizers set, and what everybody reads."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pwscup.contests.branding.colours import DARK, LIGHT, shades
from pwscup.contests.models import Branding, Contest, Sponsor
from pwscup.core.files import storage
from tests import factories
from tests.pictures import PLACE, SVG, photo, picture
from tests.web.api import Program, codes, where
from tests.web.branded import brand

CUP, APPEARANCE = "/organize/contests/cup", "/organize/contests/cup/appearance"
LOGO, SPONSORS = f"{APPEARANCE}/logo", f"{CUP}/sponsors"


@pytest.fixture
def programs(cast) -> SimpleNamespace:
    people = ("alice", "oscar", "eve")
    return SimpleNamespace(**{name: Program(getattr(cast, name)) for name in people})


def fields_of(refused) -> list[str]:
    """The fields that are at fault."""
    return [where(problem)["field"] for problem in refused.json()["problems"]]


def test_an_appearance_is_set_read_and_removed(cast, programs, client):
    oscar = programs.oscar
    empty = oscar.get(APPEARANCE).json()
    assert (empty["colour"], empty["light"], empty["logo"], empty["sponsors"]) == (
        "",
        None,
        None,
        [],
    )
    colour = oscar.send("patch", APPEARANCE, {"colour": "#FFDD00"})
    assert colour.status_code == 200
    assert colour.json()["light"]["accent"] == shades("#ffdd00", LIGHT).accent
    assert colour.json()["dark"]["on_accent"] == shades("#ffdd00", DARK).on_accent
    banner = oscar.form(
        f"{APPEARANCE}/picture", {"file": photo(), "alt": "A hall", "alt_ja": "会場"}
    )
    assert banner.status_code == 200, banner.content
    assert banner.json()["version"] == 2
    assert oscar.form(LOGO, {"file": picture()}).status_code == 200
    added = oscar.form(SPONSORS, {"logo": picture(), "name": "ACME", "url": "https://example.org/"})
    assert added.status_code == 201
    assert oscar.form(SPONSORS, {"name": "Two"}).json()["sponsors"][1]["name"] == "Two"

    found = programs.eve.get("/contests/cup").json()
    assert found["colour"] == "#ffdd00"
    assert (found["picture"]["alt"], found["picture"]["width"]) == ("A hall", 800)
    assert [(one["name"], one["url"]) for one in found["sponsors"]] == [
        ("ACME", "https://example.org/"),
        ("Two", ""),
    ]
    japanese = programs.eve.get("/contests/cup", **{"Accept-Language": "ja"}).json()
    assert japanese["picture"]["alt"] == "会場"
    name = found["picture"]["url"].rpartition("/")[2]
    got = programs.eve.get(f"/contests/cup/pictures/{name}")
    data = b"".join(got.streaming_content)
    assert (got["Content-Type"], PLACE.encode() in data) == ("image/jpeg", False)
    assert b"".join(client.get(found["picture"]["url"]).streaming_content) == data

    one, two = (sponsor["number"] for sponsor in found_numbers(oscar))
    assert oscar.send("post", f"{SPONSORS}/{two}/up").status_code == 200
    changed = oscar.send("patch", f"{SPONSORS}/{two}", {"url": "https://example.com/"}).json()
    assert [(s["number"], s["url"]) for s in changed["sponsors"]] == [
        (two, "https://example.com/"),
        (one, "https://example.org/"),
    ]
    with_logo = oscar.form(f"{SPONSORS}/{two}/logo", {"logo": picture()}).json()
    assert with_logo["sponsors"][0]["logo"]["width"] == 64
    assert oscar.send("delete", f"{SPONSORS}/{two}/logo").json()["sponsors"][0]["logo"] is None
    for path in (f"{SPONSORS}/{one}", f"{SPONSORS}/{two}", LOGO, f"{APPEARANCE}/picture"):
        assert oscar.send("delete", path).status_code == 200
    assert oscar.send("patch", APPEARANCE, {"colour": ""}).status_code == 200
    left = oscar.get(APPEARANCE).json() | {"version": 0}
    assert left == empty | {"version": 0}


def found_numbers(program: Program) -> list[dict[str, object]]:
    return program.get(APPEARANCE).json()["sponsors"]


def test_the_text_alternatives_of_a_picture_are_changed_with_or_without_a_file(cast, programs):
    oscar = programs.oscar
    assert fields_of(oscar.form(LOGO, {"alt": "Without a file"})) == ["file"]
    brand(cast)
    changed = oscar.send("patch", APPEARANCE, {"logo_alt": "A die"}).json()["logo"]
    assert (changed["alt"], changed["alt_ja"]) == ("A die", "立方体")
    sent = oscar.form(LOGO, {"file": picture(), "alt_ja": "さいころ"}).json()["logo"]
    assert (sent["alt"], sent["alt_ja"]) == ("A die", "さいころ")
    assert oscar.form(LOGO, {"alt": "Only a text"}).json()["logo"]["alt"] == "Only a text"


@pytest.mark.whole
@pytest.mark.parametrize(
    ("path", "fields", "files", "places"),
    [
        (LOGO, {}, {"file": SVG}, ["file"]),
        (f"{APPEARANCE}/picture", {"alt": "a" * 201}, {"file": picture()}, ["file", "alt"]),
        (SPONSORS, {"url": "javascript:alert(1)"}, {"logo": SVG}, ["name", "url", "logo"]),
        (f"{SPONSORS}/{{number}}/logo", {}, {}, ["logo"]),
        (LOGO, {"colour": "#000000"}, {"file": picture()}, ["colour"]),
        (LOGO, {}, {"file": picture(), "other": picture()}, ["other"]),
    ],
)
def test_all_problems_of_a_form_are_answered(cast, programs, path, fields, files, places):
    brand(cast)
    contest = Contest.objects.get(slug="cup")
    path = path.format(number=contest.sponsors.first().pk)
    before = storage.paths_on_disk()
    refused = programs.oscar.form(path, files | fields)
    assert refused.status_code == 422
    assert sorted(fields_of(refused)) == sorted(places)
    assert storage.paths_on_disk() == before


@pytest.mark.parametrize("colour", ["red", "#12345", "#123456;}", "</style>"])
def test_what_is_no_colour_is_refused(cast, programs, colour):
    refused = programs.oscar.send("patch", APPEARANCE, {"colour": colour})
    assert (refused.status_code, fields_of(refused)) == (422, ["colour"])
    assert not Branding.objects.exists()


def test_only_organizers_of_the_contest_change_it(cast, programs):
    brand(cast)
    olga = Program(factories.make_user("olga", is_organizer=True))
    number = Sponsor.objects.first().pk
    for program in (programs.alice, programs.eve, olga):
        assert program.get(APPEARANCE).status_code == 404
        assert program.send("patch", APPEARANCE, {"colour": "#000000"}).status_code == 404
        assert program.form(LOGO, {"file": picture()}).status_code == 404
        assert program.form(SPONSORS, {"name": "Mine"}).status_code == 404
        for path in (LOGO, f"{SPONSORS}/{number}", f"{SPONSORS}/{number}/logo"):
            assert program.send("delete", path).status_code == 404
    for path in (f"{APPEARANCE}/secret", f"{SPONSORS}/0", f"{SPONSORS}/0/logo"):
        assert programs.oscar.send("delete", path).status_code == 404
    assert Contest.objects.get(slug="cup").brand.colour == "#ffdd00"


def test_pictures_of_a_draft_are_for_its_organizers_only(cast, programs):
    contest = brand(cast, factories.make_contest("draft", organizer=cast.oscar, published=False))
    name = contest.brand.logo.url.rpartition("/")[2]
    path = f"/contests/draft/pictures/{name}"
    assert programs.eve.get(path).status_code == 404
    assert programs.oscar.get(path).status_code == 200
    assert programs.oscar.get(f"/contests/cup/pictures/{name}").status_code == 404


def test_a_change_of_an_older_version_is_refused(cast, programs):
    version = programs.oscar.get(APPEARANCE).json()["version"]
    programs.oscar.send("patch", APPEARANCE, {"colour": "#000000"})
    refused = programs.oscar.send("patch", f"{APPEARANCE}?version={version}", {"colour": "#ffffff"})
    assert (refused.status_code, codes(refused)) == (409, ["contest.changed_meanwhile"])
    assert Branding.objects.get().colour == "#000000"
