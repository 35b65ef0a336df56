# SPDX-License-Identifier: Apache-2.0
"""Terms of participation: read by everybody, accepted by members before the first download."""

from __future__ import annotations

import pytest

from pwscup.contests import policies, services
from pwscup.contests.models import TermsAcceptance
from pwscup.contests.terms import digest_of
from pwscup.core.models import Event
from pwscup.core.templatetags.pwscup import titled_paragraphs
from tests import factories
from tests.web import pipeline

URL = "/c/cup/terms/"
DATA = "/c/cup/data/original.csv"


@pytest.fixture
def contest(cast):
    """The cast's contest with terms."""
    services.update_terms(
        actor=cast.oscar, contest=cast.contest, terms="Be fair.\r\n ", terms_ja="公正に。"
    )
    cast.contest.refresh_from_db()
    return cast.contest


def accept(client, contest, **changes):
    return client.post(URL, {"digest": digest_of(contest), "next": DATA} | changes)


def test_a_new_contest_has_terms_in_both_languages(draft):
    for words in ("Purpose", "No re-identification outside the contest", "Data licence"):
        assert words in draft.terms
    for words in ("目的", "再識別の禁止", "データの利用許諾"):
        assert words in draft.terms_ja


def test_titles_of_paragraphs_are_bold():
    text = (
        "Purpose\nOnly for the <contest>.\n\nNo title here, but a sentence.\r\nAnd a second line."
    )
    assert titled_paragraphs(text) == (
        "<p><strong>Purpose</strong><br>Only for the &lt;contest&gt;.</p>\n"
        "<p>No title here, but a sentence.<br>And a second line.</p>"
    )


def test_data_come_after_the_terms(cast, as_user, contest):
    alice = as_user(cast.alice)
    assert alice.get(DATA).url == f"{URL}?next=%2Fc%2Fcup%2Fdata%2Foriginal.csv"
    assert "Be fair." in alice.get(alice.get(DATA).url).content.decode()
    assert accept(alice, contest).url == f"{URL}?next=%2Fc%2Fcup%2Fdata%2Foriginal.csv"
    assert b"".join(alice.get(DATA).streaming_content) == factories.ORIGINAL
    assert as_user(cast.bob).get(DATA).status_code == 302  # each person for themselves


def test_the_sample_comes_after_the_terms_and_the_schema_before(cast, as_user, contest):
    file = cast.contest.datasets.get().public
    cast.contest.samples.create(key="rows", file=file)
    alice = as_user(cast.alice)
    assert URL in alice.get("/c/cup/data/sample/rows.csv").url
    assert alice.get("/c/cup/data/schema.toml").status_code == 200


def test_published_tables_come_after_the_terms(cast, as_user, sent, round):
    pipeline.scored(pipeline.hand_in(cast.carol, cast.blue, round))
    target = pipeline.publish(cast.contest)["Blue"]
    services.update_terms(actor=cast.oscar, contest=cast.contest, terms="Be fair.", terms_ja="")
    cast.contest.refresh_from_db()
    alice = as_user(cast.alice)
    addresses = (f"/r/{target.public_id}.csv", "/c/cup/round/attack/targets.zip")
    for address in addresses:
        assert alice.get(address).url.startswith(URL)
    for key in ("anonymization", "attack"):
        page = alice.get(f"/c/cup/round/{key}/").content.decode()
        assert f'href="{URL}?next=' in page, key
        assert not any(f'href="{address}"' in page for address in (*addresses, DATA))
    accept(alice, cast.contest)
    for address in addresses:
        assert alice.get(address).status_code == 200
    assert f'href="{addresses[1]}" download' in alice.get("/c/cup/round/attack/").content.decode()


def test_strangers_are_told_nothing_by_the_terms(cast, as_user, contest):
    assert as_user(cast.eve).get(DATA).status_code == 404
    assert "/accounts/login/" in as_user(None).get(DATA).url
    assert accept(as_user(cast.eve), contest).status_code == 404
    assert not TermsAcceptance.objects.exists()


def test_organizers_are_not_asked(cast, oscar, contest):
    assert oscar.get(DATA).status_code == 200
    assert policies.has_accepted(cast.oscar, contest)


def test_acceptance_is_recorded_once_and_without_a_name(cast, as_user, contest):
    alice = as_user(cast.alice)
    accept(alice, contest)
    accept(alice, contest)
    acceptance = TermsAcceptance.objects.get()
    assert (acceptance.user, acceptance.digest) == (cast.alice, digest_of(contest))
    event = Event.objects.get(kind="terms.accepted")
    assert (event.actor, event.subject) == (cast.alice, f"user {cast.alice.pk}")
    assert event.data == {"digest": digest_of(contest)}


def test_changed_terms_are_asked_again(cast, as_user, contest):
    alice, old = as_user(cast.alice), digest_of(contest)
    accept(alice, contest)
    services.update_terms(actor=cast.oscar, contest=contest, terms="Be kind.", terms_ja="")
    assert URL in alice.get(DATA).url
    response = alice.post(URL, {"digest": old, "next": DATA}, follow=True)
    assert "changed the terms while you read them" in response.content.decode()
    assert not policies.has_accepted(cast.alice, contest)
    accept(alice, contest)
    assert policies.has_accepted(cast.alice, contest)


def test_terms_that_were_not_changed_are_not_asked_again(cast, as_user, contest):
    accept(as_user(cast.alice), contest)
    n_events = Event.objects.count()
    services.update_terms(
        actor=cast.oscar, contest=contest, terms="Be fair.\n", terms_ja="公正に。"
    )
    assert policies.has_accepted(cast.alice, contest)
    assert Event.objects.count() == n_events


@pytest.mark.parametrize(
    "address", ["https://evil.example/", "//evil.example/", "javascript:x", ""]
)
def test_only_addresses_of_this_installation_are_followed(cast, as_user, contest, address):
    assert accept(as_user(cast.alice), contest, next=address).url == "/c/cup/"


def test_the_overview_leads_to_the_terms_until_they_are_accepted(cast, as_user, contest):
    alice = as_user(cast.alice)
    page = alice.get("/c/cup/").content.decode()
    assert f"{URL}?next=%2Fc%2Fcup%2F" in page
    assert f'href="{DATA}"' not in page
    accept(alice, contest)
    assert f'href="{DATA}"' in alice.get("/c/cup/").content.decode()


def test_terms_are_shown_in_the_readers_language_or_in_the_only_one(cast, as_user, contest):
    visitor = as_user(None)
    assert "Be fair." in visitor.get(URL).content.decode()
    japanese = {"headers": {"accept-language": "ja"}}
    assert "公正に。" in visitor.get(URL, **japanese).content.decode()
    services.update_terms(actor=cast.oscar, contest=contest, terms="Be kind.", terms_ja="")
    assert "Be kind." in visitor.get(URL, **japanese).content.decode()


def test_a_contest_without_terms_asks_nothing(cast, as_user):
    assert as_user(cast.alice).get(DATA).status_code == 200
    assert "set no terms" in as_user(None).get(URL).content.decode()
    assert accept(as_user(cast.alice), cast.contest).status_code == 302
    assert not TermsAcceptance.objects.exists()


# The organizer's page


def test_organizers_write_the_terms_and_see_who_accepted(cast, oscar, as_user):
    data = {"version": cast.contest.version, "terms": "Be fair.\r\n", "terms_ja": "公正に。"}
    oscar.post("/organize/cup/terms/", data)
    cast.contest.refresh_from_db()
    assert (cast.contest.terms, cast.contest.terms_ja) == ("Be fair.", "公正に。")
    event = Event.objects.get(kind="contest.terms_changed")
    assert event.data["digest"][1] == digest_of(cast.contest)
    accept(as_user(cast.alice), cast.contest)
    lines = {line.name: line for line in oscar.get("/organize/cup/terms/").context["acceptances"]}
    assert lines["Alice"].is_present
    assert lines["Alice"].team == "Red"
    assert lines["Bob"].accepted_at is None
    services.update_terms(actor=cast.oscar, contest=cast.contest, terms="Be kind.", terms_ja="")
    page = oscar.get("/organize/cup/terms/")
    (alice,) = [line for line in page.context["acceptances"] if line.name == "Alice"]
    assert not alice.is_present
    assert "(earlier terms)" in page.content.decode()


def test_terms_from_an_old_page_overwrite_nothing(cast, oscar):
    old = {"version": cast.contest.version, "terms": "Mine.", "terms_ja": ""}
    oscar.post("/organize/cup/terms/", old)
    response = oscar.post("/organize/cup/terms/", old | {"terms": "No, mine."}, follow=True)
    assert "Another organizer changed this contest" in response.content.decode()
    cast.contest.refresh_from_db()
    assert cast.contest.terms == "Mine."


def test_terms_that_are_too_long_come_back(cast, oscar):
    data = {"version": 0, "terms": "x" * 20_001, "terms_ja": ""}
    response = oscar.post("/organize/cup/terms/", data)
    assert response.status_code == 422
    assert response.context["terms_form"].errors


def test_more_teams_cost_no_more_queries(cast, oscar, django_assert_max_num_queries):
    counts = []
    for n_teams in (3, 30):
        while (n := cast.contest.teams.count()) < n_teams:
            person = factories.make_user(f"p{n}")
            factories.make_team(cast.contest, f"Team {n}", person)
            cast.contest.acceptances.create(user=person, digest=digest_of(cast.contest))
        with django_assert_max_num_queries(40) as found:
            oscar.get("/organize/cup/terms/")
        counts.append(len(found))
    assert counts[0] == counts[1]


def test_the_first_click_on_a_file_leads_back_to_the_file(cast, as_user, contest):
    alice = as_user(cast.alice)
    for page in ("/c/cup/", "/c/cup/round/anonymization/"):
        assert f'href="{URL}?next=%2Fc%2Fcup%2Fdata%2Foriginal.csv"' in alice.get(page).text
    accepted = accept(alice, contest)
    assert accepted.url == f"{URL}?next=%2Fc%2Fcup%2Fdata%2Foriginal.csv"
    text = alice.get(accepted.url).text
    assert f'<meta http-equiv="refresh" content="1; url={DATA}">' in text
    assert f'<a href="{DATA}" download>' in text
    assert f'href="{DATA}" download' in alice.get("/c/cup/").text
    assert accept(alice, contest, next="/c/cup/rules/").url == "/c/cup/rules/"


def test_no_other_site_is_led_to_by_the_terms(cast, as_user, contest):
    alice = as_user(cast.alice)
    assert accept(alice, contest, next=f"https://evil.example{DATA}").url == "/c/cup/"
    text = alice.get(f"{URL}?next=https://evil.example{DATA}").text
    assert "http-equiv" not in text
