# SPDX-License-Identifier: Apache-2.0
"""The appearance of a contest: colours that can be read, pictures without anything hidden, and the pages with them."""

from __future__ import annotations

import hashlib
import io
import random
import re
from dataclasses import asdict, replace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import translation
from PIL import Image

from pwscup.archives import problems
from pwscup.bots.copies import copy_for_bots
from pwscup.contests.branding import colours, pictures
from pwscup.contests.branding.colours import DARK, LIGHT, THEMES, contrast, shades
from pwscup.contests.branding.pictures import PICTURE, PictureRefused
from pwscup.contests.branding.shown import sponsors_of
from pwscup.contests.models import Branding, Contest, Sponsor
from pwscup.contests.services import ContestRefused, retention
from pwscup.contests.services import branding as services
from pwscup.core.files import storage
from pwscup.core.models import Event, StoredFile
from tests import factories, test_tokens
from tests.every import every
from tests.pictures import PLACE, SVG, bomb, photo, picture
from tests.web.archives import (
    bytes_of,
    entries,
    imported,
    listed,
    of_version,
    world,
    written,
    zipped,
)
from tests.web.branded import brand, clean

CORNERS = [
    f"#{r}{g}{b}" for r in ("00", "7f", "ff") for g in ("00", "7f", "ff") for b in ("00", "ff")
]


def some_colours(seed: int) -> list[str]:
    draw = random.Random(seed)
    return [f"#{draw.randrange(1 << 24):06x}" for _ in range(20)]


# Colours


@every(seed=range(50))
def test_text_in_and_on_every_colour_is_readable_in_both_themes(seed):
    for colour in CORNERS + some_colours(seed):
        for theme in THEMES:
            found = shades(colour, theme)
            for ground in (theme.paper, theme.surface, theme.sunken, found.soft):
                assert contrast(found.accent, ground) >= 4.5
            for text in (theme.ink, theme.text, theme.muted, found.strong):
                assert contrast(text, found.soft) >= 4.5
            for ground in (found.accent, found.strong):
                assert contrast(found.on_accent, ground) >= 4.5


def test_a_readable_colour_stays_and_others_move_towards_black_or_white():
    assert shades("#2457c5", LIGHT).accent == "#2457c5"
    assert shades("#8db4ff", DARK).accent == "#8db4ff"
    assert colours.adjusted("#2457c5").keys() == {"dark"}
    assert shades("#ffdd00", DARK).accent == "#ffdd00"
    dark_yellow = shades("#ffdd00", LIGHT).accent
    assert colours.adjusted("#ffdd00") == {"light": dark_yellow}
    red, green, blue = (int(dark_yellow[at : at + 2], 16) for at in (1, 3, 5))
    assert red > green > blue == 0


def test_the_contrast_is_that_of_wcag():
    for one, other in (("#777777", "#ffffff"), ("#12263f", "#ffd166"), ("#000000", "#ffffff")):
        assert contrast(one, other) == pytest.approx(test_tokens.contrast(one, other))


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_the_themes_are_those_of_the_style_sheets(theme):
    tokens = test_tokens.colours(theme.name)
    held = asdict(theme)
    names = set(held) - {"name", "end", "tint"}
    assert {name: held[name] for name in names} == {
        name: tokens[name.replace("_", "-")] for name in names
    }


def test_the_ring_of_the_focus_is_seen_on_every_accent():
    for theme in THEMES:
        tokens = test_tokens.colours(theme.name)
        for colour in CORNERS:
            accent = shades(colour, theme).accent
            rings = [contrast(tokens[ring], accent) for ring in ("ring", "ring-light")]
            assert max(rings) >= 3, (theme.name, colour)


def test_the_style_sheet_of_a_colour_is_shared_and_asked_for_again(client, db):
    address = reverse("brand-style", args=["ffdd00"])
    answer = client.get(address)
    assert answer["Content-Type"] == "text/css; charset=utf-8"
    assert answer["Cache-Control"] == "public, max-age=86400"
    text = answer.content.decode()
    assert f"--accent: {shades('#ffdd00', LIGHT).accent};" in text
    assert f"--accent: {shades('#ffdd00', DARK).accent};" in text
    assert "--brand: #ffdd00;" in text
    assert client.get(address, headers={"If-None-Match": answer["ETag"]}).status_code == 304


def test_without_a_colour_only_the_previews_have_one(cast, as_user, client):
    sheet = client.get(reverse("brand-style", args=["site"])).content.decode()
    assert ":root" not in sheet
    for theme in THEMES:
        assert f".brand-{theme.name} " in sheet
        assert f"--accent: {theme.accent};" in sheet
    page = as_user(cast.oscar).get(page_of(cast.contest)).content.decode()
    assert 'href="/brand/site.css"' in page
    assert "/brand/" not in overview(client, cast.contest)


@pytest.mark.whole
@pytest.mark.parametrize("name", ["FFDD00", "ffdd0", "ffdd000", "red", "ffdd0-", "gggggg"])
def test_only_colours_have_style_sheets(client, db, name):
    assert client.get(f"/brand/{name}.css").status_code == 404


# Pictures


@pytest.mark.parametrize(("kind", "suffix"), [("PNG", "png"), ("JPEG", "jpg"), ("WEBP", "webp")])
def test_nothing_but_pixels_is_kept(kind, suffix):
    data = photo(kind)
    assert PLACE.encode() in data
    found = clean(data)
    assert (found.suffix, found.width, found.height) == (suffix, 512, 256)
    assert PLACE.encode() not in found.data
    again = Image.open(io.BytesIO(found.data))
    assert not again.getexif()
    assert not set(again.info) & {"exif", "xmp", "comment", "Comment", "icc_profile"}
    assert again.convert("RGB").getpixel((5, 5)) == pytest.approx((36, 87, 197), abs=6)


def test_a_picture_of_a_turned_camera_is_turned():
    found = clean(photo(size=(400, 800), orientation=6), PICTURE)
    assert (found.width, found.height) == (800, 400)
    with pytest.raises(PictureRefused, match="too narrow"):
        clean(photo(size=(800, 400), orientation=6), PICTURE)


def test_colours_that_nobody_sees_are_removed():
    data = picture(mode="RGBA", colour=(1, 2, 3, 0))
    found = Image.open(io.BytesIO(clean(data).data))
    assert (found.mode, found.getpixel((0, 0))) == ("RGBA", (0, 0, 0, 0))


def test_the_frames_of_an_animation_but_the_first_are_removed():
    second = Image.new("RGB", (64, 32), (250, 0, 0))
    data = picture("WEBP", save_all=True, append_images=[second])
    assert Image.open(io.BytesIO(data)).n_frames == 2
    assert Image.open(io.BytesIO(clean(data).data)).n_frames == 1


def test_what_is_written_is_what_archives_accept():
    found = clean(picture("JPEG", size=(3000, 1000)), PICTURE)
    assert pictures.measured(found.data) == ("jpg", 2400, 800)


@pytest.mark.whole
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (SVG, "SVG files are refused, because they can contain scripts"),
        (b"<?xml version='1.0'?>" + b" " * 5000 + SVG, "SVG files are refused"),
        (b"\xef\xbb\xbf\n<?xml version='1.0'?><svg/>", "SVG files are refused"),
        (b"GIF89a" + b"\0" * 50, "no readable picture"),
        (picture("GIF"), "no readable picture"),
        (b"<!doctype html><script>", "no readable picture"),
        (b"", "no readable picture"),
        (picture()[:60], "no readable picture"),
        (picture("JPEG")[:300], "no readable picture"),
        (bomb(5000, 5000), "at most 16 million"),
        (bomb(30_000, 30_000), "at most 16 million"),
        (bomb(3000, 3000), "no readable picture"),
    ],
)
def test_what_is_no_picture_is_refused(data, said):
    with pytest.raises(PictureRefused, match=said):
        clean(data)


def test_all_problems_of_a_picture_are_named_together_in_both_languages():
    data = picture(size=(500, 10))
    small = replace(PICTURE, max_bytes=20)
    with pytest.raises(PictureRefused) as refused:
        clean(data, small)
    english = [str(one) for one in refused.value.messages]
    with translation.override("ja"):
        with pytest.raises(PictureRefused) as refused:
            clean(data, small)
        japanese = [str(one) for one in refused.value.messages]
    assert [text.partition(" — ")[0] for text in english] == [
        "The file is too large",
        "The picture is too narrow",
    ]
    assert len(japanese) == 2
    assert not any(re.search("[A-Za-z]{5}", text) for text in japanese)


# The organizer's page


def page_of(contest: Contest) -> str:
    return reverse("organize-appearance", args=[contest.slug])


def post(client, contest, do, prefix="", **given):
    fields = {"version": contest.version} | given
    prefix = f"{prefix}-" if prefix else ""
    data = {f"{prefix}{name}": value for name, value in fields.items()} | {"do": do}
    response = client.post(page_of(contest), data)
    contest.refresh_from_db()
    return response


def post_sponsor(client, contest, sponsor, do="", **given):
    data = {f"sponsor{sponsor.pk}-{name}": value for name, value in given.items()}
    data |= {"do": do, "version": contest.version}
    data[f"sponsor{sponsor.pk}-version"] = contest.version
    response = client.post(reverse("organize-sponsor", args=[contest.slug, sponsor.pk]), data)
    contest.refresh_from_db()
    return response


def upload(data: bytes, name="logo.png") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def overview(client, contest) -> str:
    return client.get(reverse("contest", args=[contest.slug])).content.decode()


def test_an_organizer_sets_everything_and_the_pages_show_it(cast, as_user, client):
    oscar, contest = as_user(cast.oscar), cast.contest
    assert post(oscar, contest, "colour", colour="#FFDD00 ").status_code == 302
    logo = upload(picture(), "our cube.png")
    given = {"file": logo, "alt": "A cube", "alt_ja": "立方体"}
    assert post(oscar, contest, "save-logo", "logo", **given).status_code == 302
    banner = upload(photo(size=(1600, 500)), "IMG_0001.JPG")
    assert post(oscar, contest, "save-picture", "picture", file=banner).status_code == 302
    acme = {"name": "ACME & Sons", "url": "https://acme.example.org/?a=1&b=2"}
    assert post(oscar, contest, "sponsor", "sponsor", **acme).status_code == 302
    text = overview(client, contest)
    held = contest.branding
    logo_url, banner_url = contest.brand.logo.url, contest.brand.picture.url
    assert '<link rel="stylesheet" href="/brand/ffdd00.css">' in text
    assert f'src="{logo_url}" alt="A cube" width="64" height="32" loading="lazy"' in text
    assert f'src="{banner_url}" alt="" width="1600" height="500" loading="lazy"' in text
    assert f'property="og:image" content="http://testserver{banner_url}"' in text
    sponsor = 'href="https://acme.example.org/?a=1&amp;b=2" rel="sponsored noopener noreferrer"'
    assert f"<a {sponsor}>ACME &amp; Sons</a>" in text
    assert (held.logo.name, held.picture.name) == ("logo.png", "picture.jpg")
    japanese = client.get(
        reverse("contest", args=[contest.slug]), headers={"Accept-Language": "ja"}
    )
    assert 'alt="立方体"' in japanese.content.decode()
    assert ">協賛</h2>" in japanese.content.decode()
    assert logo_url in client.get("/").content.decode()
    for name in ("rules", "news", "board"):
        assert (
            "/brand/ffdd00.css" in client.get(reverse(name, args=[contest.slug])).content.decode()
        )
    kinds = Event.objects.filter(contest_id=contest.pk).values_list("kind", flat=True)
    assert [kind for kind in kinds if "appearance" in kind] == ["contest.appearance_changed"] * 3


def test_without_branding_the_pages_are_those_of_the_site(cast, client):
    text = overview(client, cast.contest)
    assert "/brand/" not in text
    assert "/pictures/" not in text
    assert "img/preview.png" in text
    assert "sponsors-title" not in text


def test_the_page_shows_what_is_set_and_lets_all_of_it_be_removed(cast, as_user):
    oscar, contest = as_user(cast.oscar), brand(cast)
    text = oscar.get(page_of(contest)).content.decode()
    for shown in ('value="#ffdd00"', 'value="A cube"', 'value="会場"', "ACME", "Remove logo"):
        assert shown in text
    light = shades("#ffdd00", LIGHT).accent
    assert f"{light} in the light theme" in text
    acme, other = contest.sponsors.all()
    files = storage.paths_on_disk()
    assert len(files) == len(set(files)) >= 3
    changed = {"name": "ACME Inc.", "url": "", "logo": upload(picture(colour=(9, 9, 9)))}
    assert post_sponsor(oscar, contest, acme, **changed).status_code == 302
    post_sponsor(oscar, contest, other, "up")
    assert [one.name for one in contest.sponsors.all()] == ["Without logo", "ACME Inc."]
    post_sponsor(oscar, contest, acme, "remove-logo")
    post_sponsor(oscar, contest, other, "remove")
    post(oscar, contest, "remove-logo")
    post(oscar, contest, "remove-picture")
    post(oscar, contest, "colour", colour="")
    contest = Contest.objects.get(pk=contest.pk)
    (left,) = contest.sponsors.all()
    assert (left.name, left.url, left.logo, left.logo_width) == ("ACME Inc.", "", None, 0)
    assert contest.brand == type(contest.brand)()
    assert (contest.branding.logo_alt, contest.branding.picture_alt_ja) == ("", "")
    assert not StoredFile.objects.filter(name__in=["logo.png", "picture.jpg"]).exists()


def test_a_preview_saves_nothing_and_works_without_scripts(cast, as_user):
    oscar, contest = as_user(cast.oscar), cast.contest
    answer = post(oscar, contest, "preview", colour="#123456")
    text = answer.content.decode()
    assert answer.status_code == 200
    assert 'href="/brand/123456.css"' in text
    assert 'value="#123456"' in text
    assert not Branding.objects.exists()
    assert contest.version == 0


HOSTILE = [
    "red",
    "#12345",
    "#1234567",
    "123456",
    "#12345g",
    "#12345\n",
    "#123456;}body{display:none",
    "</style><script>alert(1)</script>",
    "url(javascript:alert(1))",
    "#１２３４５６",
]


@pytest.mark.whole
@pytest.mark.parametrize("colour", HOSTILE)
def test_what_is_no_colour_is_refused_and_stays_in_the_form(cast, as_user, colour):
    stays = colour.strip() != "#12345"
    answer = post(as_user(cast.oscar), cast.contest, "colour", colour=colour)
    text = answer.content.decode()
    assert answer.status_code == 422
    assert "six hexadecimal digits, such as" in text
    assert "<script>alert" not in text
    assert not stays or answer.context["colour_form"]["colour"].value() == colour
    with pytest.raises(ContestRefused):
        services.change(actor=cast.oscar, contest=cast.contest, values={"colour": colour})
    assert not Branding.objects.exists()


LINKS = [
    "javascript:alert(1)",
    "JavaScript:alert(1)//https://",
    "data:text/html,x",
    "//example.org",
    "https://",
    "https://example.org/\r\nSet-Cookie: a=b",
    "ftp://example.org/",
    "http://[x",
]


@pytest.mark.whole
@pytest.mark.parametrize("url", LINKS)
def test_links_of_sponsors_lead_to_the_web_only(cast, as_user, url):
    oscar, contest = as_user(cast.oscar), cast.contest
    answer = post(oscar, contest, "sponsor", "sponsor", name="ACME", url=url)
    assert answer.status_code == 422
    assert "begins with http:// or https://" in answer.content.decode()
    with pytest.raises(ContestRefused):
        services.add_sponsor(actor=cast.oscar, contest=contest, name="ACME", url=url)
    assert not Sponsor.objects.exists()


def test_all_problems_of_a_sponsor_are_shown_together_and_nothing_is_lost(cast, as_user):
    oscar, contest = as_user(cast.oscar), cast.contest
    given = {"name": "n" * 101, "url": "javascript:alert(1)", "logo": upload(SVG, "logo.svg")}
    answer = post(oscar, contest, "sponsor", "sponsor", **given)
    text = answer.content.decode()
    assert set(answer.context["sponsor_form"].errors) == {"name", "url", "logo"}
    assert "n" * 101 in text
    assert "SVG files are refused" in text
    services.add_sponsor(actor=cast.oscar, contest=contest, name="ACME", url="")
    (acme,) = contest.sponsors.all()
    wrong = post_sponsor(
        oscar, contest, acme, name="", url="https://example.org/a", logo=upload(SVG)
    )
    assert wrong.status_code == 422
    assert "https://example.org/a" in wrong.content.decode()
    assert "<details open>" in wrong.content.decode()


@pytest.mark.whole
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (SVG, "SVG files are refused"),
        (bomb(20_000, 20_000), "too many pixels"),
        (b"not a picture", "no readable picture"),
        (picture(size=(300, 100)), "too narrow"),
        (b"", "empty"),
        (picture(size=(700, 100)) + b"\0" * PICTURE.max_bytes, "too large"),
    ],
)
def test_refused_pictures_change_nothing(cast, as_user, data, said):
    contest, files = brand(cast), storage.paths_on_disk()
    before = contest.branding.picture.sha256
    given = {"file": upload(data), "alt": "Another"}
    answer = post(as_user(cast.oscar), contest, "save-picture", "picture", **given)
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert 'value="Another"' in answer.content.decode()
    assert Branding.objects.get().picture.sha256 == before
    assert storage.paths_on_disk() == files


def test_a_text_alternative_is_changed_without_a_new_file(cast, as_user):
    oscar = as_user(cast.oscar)
    assert post(oscar, cast.contest, "save-logo", "logo", alt="A cube").status_code == 422
    contest = brand(cast)
    assert post(oscar, contest, "save-logo", "logo", alt="A die").status_code == 302
    held = Branding.objects.get()
    assert (held.logo_alt, held.logo_alt_ja, held.logo.sha256) == (
        "A die",
        "",
        contest.branding.logo.sha256,
    )


def test_an_older_page_changes_nothing(cast, as_user):
    contest = brand(cast)
    oscar, files = as_user(cast.oscar), storage.paths_on_disk()
    contest.version -= 1
    logo = {"file": upload(picture(colour=(1, 1, 1)))}
    post(oscar, contest, "save-logo", "logo", **logo)
    contest.version -= 1
    answer = post(oscar, contest, "colour", colour="#000000")
    assert "nothing was saved" in oscar.get(answer["Location"]).content.decode()
    assert Branding.objects.get().colour == "#ffdd00"
    assert storage.paths_on_disk() == files


def test_sponsors_are_limited(cast, monkeypatch):
    monkeypatch.setattr(services, "MOST_SPONSORS", 1)
    held = {"actor": cast.oscar, "contest": cast.contest, "url": ""}
    services.add_sponsor(**held, name="One")
    files = storage.paths_on_disk()
    with pytest.raises(ContestRefused, match="at most 1 sponsors"):
        services.add_sponsor(**held, name="Two", logo=clean(picture()))
    assert storage.paths_on_disk() == files


def test_unknown_buttons_and_sponsors(cast, as_user):
    oscar, contest = as_user(cast.oscar), brand(cast)
    for do in ("", "save-secret", "remove-contest"):
        assert post(oscar, contest, do).status_code == 302
    other = factories.make_contest("other", organizer=cast.oscar)
    foreign = Sponsor.objects.create(contest=other, name="Foreign")
    assert post_sponsor(oscar, contest, foreign, "remove").status_code == 404
    with pytest.raises(ContestRefused, match="removed in the meantime"):
        services.remove_sponsor(actor=cast.oscar, contest=contest, number=foreign.pk)


# Who gets the pictures


def test_pictures_are_cached_for_good(cast, client):
    contest = brand(cast)
    answer = client.get(contest.brand.picture.url)
    assert b"".join(answer.streaming_content) == storage.read(contest.branding.picture)
    assert answer["Content-Type"] == "image/jpeg"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Cache-Control"] == "max-age=31536000, immutable, public"
    assert "attachment" not in answer.get("Content-Disposition", "")
    again = client.get(contest.brand.picture.url, headers={"If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again["Cache-Control"] == answer["Cache-Control"]


def test_pictures_of_a_draft_are_for_its_organizers_only(cast, as_user, client):
    contest = brand(cast, factories.make_contest("draft", organizer=cast.oscar, published=False))
    for url in (contest.brand.logo.url, contest.brand.picture.url):
        for stranger in (client, as_user(cast.eve), as_user(cast.alice)):
            assert stranger.get(url).status_code == 404
        answer = as_user(cast.oscar).get(url)
        assert answer.status_code == 200
        assert answer["Cache-Control"] == "max-age=31536000, immutable, private"


def test_only_names_of_its_pictures_lead_to_files(cast, client):
    contest = brand(cast)
    public = StoredFile.objects.exclude(name__in=["logo.png", "picture.jpg"])
    other = factories.make_contest("other", organizer=cast.oscar)
    name = contest.brand.logo.url.rpartition("/")[2]
    digest = name.partition(".")[0]
    names = [f"{file.sha256[:16]}.csv" for file in public]
    names += [f"{digest}.svg", f"{digest}.html", digest, ".png", "%.png", "%" * 16 + ".png"]
    names += [f"{digest[:8]}.png", f"{contest.branding.logo.sha256}.png", f"{digest}.png\r\nX: y"]
    for wrong in names:
        url = reverse("contest-picture", args=[contest.slug, wrong])
        assert client.get(url).status_code == 404, wrong
    assert client.get(reverse("contest-picture", args=[other.slug, name])).status_code == 404


# What else happens to a contest


def test_a_dry_run_shows_the_appearance_of_its_contest(cast, as_user):
    contest = brand(cast)
    copy = copy_for_bots(contest, actor=cast.oscar)
    oscar = as_user(cast.oscar)
    text = overview(oscar, copy)
    assert "/brand/ffdd00.css" in text
    assert "ACME" in text
    name = contest.brand.logo.url.rpartition("/")[2]
    assert oscar.get(reverse("contest-picture", args=[copy.slug, name])).status_code == 200
    page = oscar.get(page_of(copy)).content.decode()
    assert "A dry run has the appearance of its contest." in page
    assert 'name="colour"' not in page
    with pytest.raises(ContestRefused, match="appearance of its contest"):
        services.change(actor=cast.oscar, contest=copy, values={"colour": ""})


def test_the_appearance_stays_when_the_data_are_deleted(cast, client):
    contest = brand(cast, factories.make_contest("past", organizer=cast.oscar, phase="after"))
    retention.erase(actor=cast.oscar, contest=contest)
    assert client.get(contest.brand.picture.url).status_code == 200
    services.remove_picture(actor=cast.oscar, contest=contest, which="picture")
    assert client.get(contest.brand.picture.url).status_code == 404
    assert Contest.objects.get(pk=contest.pk).brand.picture is None


# Archives


@pytest.fixture
def packed(cast, unsent) -> dict[str, bytes]:
    """The entries of an archive of a contest with everything."""
    return entries(bytes_of(written(brand(cast), cast.oscar)))


def test_an_archive_brings_the_appearance_back(cast, packed, as_user):
    job = imported(cast.oscar, zipped(packed))
    assert (job.problems, job.state) == ([], "done")
    copy = Contest.objects.get(pk=job.contest_id)
    assert (copy.brand.colour, copy.brand.logo.alt) == ("#ffdd00", "A cube")
    assert [one.name for one in sponsors_of(copy)] == ["ACME", "Without logo"]
    oscar, url = as_user(cast.oscar), copy.brand.picture.url
    assert b"".join(oscar.get(url).streaming_content) == storage.read(cast.contest.branding.picture)
    services.remove_picture(actor=cast.oscar, contest=copy, which="picture")
    again = entries(bytes_of(written(cast.contest, cast.oscar)))
    for entry in ("branding.csv", "sponsors.csv", "files.csv"):
        assert again[entry] == packed[entry]


def test_archives_of_before_are_read_and_have_no_appearance(cast, packed):
    job = imported(cast.oscar, zipped(of_version(packed, 7)))
    assert (job.problems, job.state) == ([], "done")
    copy = Contest.objects.get(pk=job.contest_id)
    assert copy.brand == type(copy.brand)()
    assert sponsors_of(copy) == []


def test_without_the_answer_key_it_is_in_the_archive_as_well(cast, unsent):
    contest = brand(cast)
    open_ = written(contest, cast.oscar, names="none", with_key=False)
    found = entries(bytes_of(open_))
    assert b"#ffdd00" in found["branding.csv"]
    assert f"files/{contest.branding.logo.sha256}" in found


def with_banner(packed: dict[str, bytes], data: bytes) -> dict[str, bytes]:
    """The archive with other bytes for the banner picture."""
    text = packed["files.csv"].decode()
    (line,) = [one for one in text.splitlines() if ",picture.jpg," in one]
    before, n_bytes = line.split(",")[3:5]
    digest = hashlib.sha256(data).hexdigest()
    other = line.replace(before, digest).replace(f",{n_bytes},", f",{len(data)},")
    found = {name: held for name, held in packed.items() if name != f"files/{before}"}
    return found | {"files.csv": text.replace(line, other).encode(), f"files/{digest}": data}


@pytest.mark.whole
@pytest.mark.parametrize(
    "data",
    [
        SVG,
        b"<!doctype html><script>alert(1)</script>",
        picture("PNG", size=(800, 400)),
        picture("JPEG", size=(801, 400)),
        bomb(800, 400),
        bomb(30_000, 30_000),
    ],
)
def test_an_archive_with_another_file_than_its_picture_is_refused(cast, packed, data):
    before = world()
    job = imported(cast.oscar, zipped(listed(with_banner(packed, data))))
    assert job.state == "refused"
    (said,) = problems.sentences(job.problems)
    assert said.startswith("branding.csv, row 1, picture — a value that is not valid")
    assert world() == before


@pytest.mark.whole
@pytest.mark.parametrize(
    ("entry", "before", "after"),
    [
        ("branding.csv", "#ffdd00", "#ffdd0g"),
        ("branding.csv", "#ffdd00", "red;}"),
        ("branding.csv", ",64,32,", ",63,32,"),
        ("branding.csv", "\r\n1,", "\r\n1,x,"),
        ("sponsors.csv", "https://acme.example.org/", "javascript:alert(1)"),
        ("sponsors.csv", ",ACME,", f",{'n' * 101},"),
        ("sponsors.csv", ",64,32,", ",64,31,"),
    ],
)
def test_an_archive_with_wrong_values_is_refused(cast, packed, entry, before, after):
    text = packed[entry].decode()
    assert before in text
    changed = packed | {entry: text.replace(before, after, 1).encode()}
    job = imported(cast.oscar, zipped(listed(changed)))
    assert job.state == "refused"
    assert any(said.startswith(entry) for said in problems.sentences(job.problems))


def test_an_archive_with_too_many_sponsors_or_one_picture_in_two_places_is_refused(cast, packed):
    header, first, second = packed["sponsors.csv"].decode().splitlines()
    further = [second.replace("2,", f"{n},", 1) for n in range(3, services.MOST_SPONSORS + 2)]
    logo_at = header.split(",").index("logo")
    cells = second.split(",")
    banner = packed["branding.csv"].decode().splitlines()
    cells[logo_at] = banner[1].split(",")[banner[0].split(",").index("logo")]
    for lines in ([first, second, *further], [first, ",".join(cells)]):
        text = "\r\n".join([header, *lines, ""]).encode()
        job = imported(cast.oscar, zipped(listed(packed | {"sponsors.csv": text})))
        (said,) = problems.sentences(job.problems)
        assert said.startswith(f"sponsors.csv, row {len(lines)}")
