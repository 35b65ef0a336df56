# SPDX-License-Identifier: Apache-2.0
"""The pages of a hidden table's disclosure: asking, paying once, downloading, and who sees nothing of it."""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pytest
from django.conf import settings
from django.utils import timezone

from pwscup.disclosure import ledger, pages, services
from pwscup.disclosure.models import Answer
from pwscup.formats.attacks import estimates
from pwscup.formats.hidden import setup
from pwscup.submissions.evaluation import disclosing
from pwscup.submissions.services import submit
from scoring.formats.disclosure.attributes import Attribute
from scoring.formats.disclosure.queries import parse_query
from scoring.tables.schema import Schema
from scoring.tables.text import UTF8_BOM
from tests import factories
from tests.every import some
from tests.web import crawler
from tests.web.pipeline import close, scored
from tests.web.test_truth import parameters_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]
ROUND, BATCH = "/c/dp/round/interactive/", "/c/dp/round/batch/"
ASK = f"{ROUND}ask/"
SEX = {"columns": ["sex"], "epsilon": "0.25"}
PAID = SEX | {"pay": "1"}


@pytest.fixture
def dp(cast, as_user) -> SimpleNamespace:
    """A contest in its interactive round, and a browser of everybody."""
    contest = factories.make_dp_contest(organizer=cast.oscar)
    red = factories.make_team(contest, "Red", cast.alice, cast.bob)
    blue = factories.make_team(contest, "Blue", cast.carol)
    people = {name: as_user(getattr(cast, name)) for name in ("alice", "bob", "carol", "eve")}
    return SimpleNamespace(
        **people,
        oscar=as_user(cast.oscar),
        visitor=as_user(None),
        cast=cast,
        contest=contest,
        round=contest.rounds.get(key="interactive"),
        batch=contest.rounds.get(key="batch"),
        red=red,
        blue=blue,
    )


def spent(dp, team=None) -> Decimal:
    return ledger.spent_by(team or dp.red, dp.round)


def asked(dp, **changes) -> Answer:
    given = {"user": dp.cast.alice, "team": dp.red, "round": dp.round}
    query = {"query": {"columns": ["sex"]}, "epsilon": "0.25"}
    return services.ask(**given | query | changes).answer


def as_text(page: str) -> str:
    """A page's words, without its tags."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))


# Before paying


def test_what_an_answer_would_cost_is_said_for_nothing(dp):
    page = dp.alice.post(ASK, {"columns": ["age", "sex"], "where.city": ["A"], "epsilon": "0.10"})
    text = as_text(page.text)
    assert page.status_code == 200
    assert "sex × age city: A" in text
    assert "Cost ε = 0.1 " in text
    assert "Remaining afterwards ε = 0.9 " in text
    assert "Counts 6 " in text
    assert "λ = 20 " in text
    assert "Error bound (in 19 of 20 cases) ± 60 " in text  # 20 ln 20 = 59.9
    assert "Spend ε = 0.1 and get the answer" in text
    assert not Answer.objects.exists()


def test_what_is_paid_is_what_was_looked_at(dp):
    form = {"columns": ["age"], "where.city": ["B", "A"], "where.sex": ["F"], "epsilon": "0.5"}
    page = dp.alice.post(ASK, form).text
    offer = page[page.index('id="offer"') : page.index("Or send a different query")]
    fields = re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', offer)
    sent = {}
    for name, value in fields:
        sent.setdefault(name, []).append(value)
    answered = dp.alice.post(ASK, sent | {"pay": "1"})
    answer = Answer.objects.get()
    assert answered.url == f"/q/{answer.public_id}/"
    assert answer.query == {"columns": ["age"], "where": {"sex": ["F"]}}
    assert spent(dp) == Decimal("0.5")


def test_an_answer_that_is_paid_is_free(dp):
    answer = asked(dp)
    page = dp.bob.post(ASK, SEX)
    assert "Free: your team already has this answer" in page.text
    assert f'href="/q/{answer.public_id}/"' in page.text
    assert 'name="pay"' not in page.text
    assert "ε = 0.75" in page.text


@pytest.mark.parametrize(
    ("columns", "n_cells", "scale", "bound"),
    [([], 1, 4, 12), (["sex"], 2, 8, 24), (["sex", "age"], 6, 8, 24)],
)
def test_the_noise_follows_from_the_question_alone(columns, n_cells, scale, bound):
    attributes = (Attribute("sex", ("F", "M")), Attribute("age", ("young", "middle", "old")))
    query = parse_query({"columns": columns}, attributes)
    noise = pages.noise_of(query, attributes, Decimal("0.25"))
    assert (noise.n_cells, noise.scale, noise.bound) == (n_cells, scale, bound)  # λ ln 20
    assert noise.distance == pytest.approx(scale * (2 * n_cells) ** 0.5, rel=0.01)


# Paying


def test_a_second_click_a_reload_and_another_member_pay_nothing(dp):
    first, second, third = (
        dp.alice.post(ASK, PAID),
        dp.alice.post(ASK, PAID),
        dp.bob.post(ASK, PAID),
    )
    assert {response.status_code for response in (first, second, third)} == {302}
    assert first.url == second.url == third.url
    assert Answer.objects.count() == 1
    assert spent(dp) == Decimal("0.25")
    assert "nothing was spent" in dp.bob.get(third.url).text
    assert "nothing was spent" not in dp.carol.get(ASK).text


def test_two_members_cannot_overspend_though_both_were_offered_it(dp):
    form = SEX | {"epsilon": "0.6"}
    offers = [dp.alice.post(ASK, form), dp.bob.post(ASK, form | {"columns": ["age"]})]
    assert all("Spend ε = 0.6" in offer.text for offer in offers)
    dp.alice.post(ASK, form | {"pay": "1"})
    late = dp.bob.post(ASK, form | {"columns": ["age"], "pay": "1"})
    assert late.status_code == 422
    assert "at most 0.4" in late.text
    assert spent(dp) == Decimal("0.6")


def test_all_problems_are_told_at_once_and_everything_is_kept(dp):
    form = {
        "columns": ["sex", "shoe"],
        "where.age": ["young", "ancient"],
        "where.shoe": ["44"],
        "epsilon": "-1<b>",
        "pay": "1",
    }
    page = dp.alice.post(ASK, form)
    assert page.status_code == 422
    assert page.text.count("no such column in the table") == 2
    assert "age — not one of the column" in page.text
    assert "not an ε" in page.text
    assert 'value="-1&lt;b&gt;"' in page.text
    assert re.search(r'name="columns" value="sex" id="column-1" checked', page.text)
    assert re.search(r'name="where.age" value="young" checked', page.text)
    assert not re.search(r'name="where.age" value="old" checked', page.text)
    assert not Answer.objects.exists()


HOSTILE = [
    {"columns": "\0"},
    {"columns": "sex\ud800".encode("utf-8", "surrogatepass")},
    {"where.": "x"},
    {"where.\0": "\0"},
    {"where.sex": ["F", "F"]},
    {"columns": ["sex"] * 3},
    {"columns": [f"c{n}" for n in range(500)]},
    {"where.age": [f"<script>{n}" for n in range(500)]},
]


@pytest.mark.parametrize("form", HOSTILE)
def test_hostile_forms_are_refused_as_bad_questions(dp, form):
    page = dp.alice.post(ASK, {"epsilon": "0.1", "pay": "1"} | form)
    assert page.status_code == 422
    assert "The query was not sent, and nothing was spent" in page.text
    assert "<script>0" not in page.text
    assert not Answer.objects.exists()


@pytest.mark.parametrize(
    "epsilon", ["", "0", "nan", "1e-3", "0.0000001", "２", "9" * 5000, f"0.1{50 * '0'}9"]
)
def test_no_epsilon_that_is_none_costs_anything(dp, epsilon):
    assert dp.alice.post(ASK, PAID | {"epsilon": epsilon}).status_code == 422
    assert not Answer.objects.exists()


def test_who_may_not_ask_pays_nothing(dp):
    for client in (dp.eve, dp.oscar):
        page = client.post(ASK, PAID)
        assert page.status_code == 422
        assert "you are not in a team yet" in page.text
    assert "/accounts/login/" in dp.visitor.post(ASK, PAID).url
    close(dp.round)
    late = dp.alice.post(ASK, PAID)
    assert late.status_code == 422
    assert "This round has closed." in late.text
    assert not Answer.objects.exists()


def test_where_nothing_can_be_asked_the_page_says_why(dp):
    assert "you are not in a team yet" in dp.eve.get(ASK).text
    dp.contest.terms = "Be fair."
    dp.contest.save()
    page = dp.alice.get(ASK).text
    assert "Accept the terms of the data first." in page
    assert 'name="epsilon"' not in page
    assert dp.alice.post(ASK, PAID).status_code == 422
    close(dp.round)
    assert "This round has closed." in dp.alice.get(ASK).text
    assert not Answer.objects.exists()


def test_an_address_fills_the_form_in_and_asks_nothing(dp):
    page = dp.alice.get(f"{ASK}?columns=age&where.sex=M&epsilon=0.5&pay=1")
    assert re.search(r'value="age" id="column-2" checked', page.text)
    assert re.search(r'name="where.sex" value="M" checked', page.text)
    assert 'value="0.5"' in page.text
    assert not Answer.objects.exists()


# Answers


def test_the_list_says_who_asked_what_and_what_it_cost_newest_first(dp):
    asked(dp)
    asked(dp, user=dp.cast.bob, query={"columns": [], "where": {"age": ["old"]}}, epsilon="0.5")
    text = as_text(dp.alice.get(ASK).text)
    newest_first = r"2 a single count age: old 0.5 0.75 Bob .* 1 sex 0.25 0.25 Alice"
    assert re.search(newest_first, text)
    assert "0.25 of ε = 1 left" in text


def test_an_answer_is_a_table_and_a_file(dp):
    answer = asked(dp, query={"columns": ["sex", "age"]})
    page = dp.bob.get(f"/q/{answer.public_id}/").text
    for count in answer.counts:
        assert f'<td class="num">{count}</td>' in page
    file = dp.bob.get(f"/q/{answer.public_id}.csv")
    assert file.content.startswith(UTF8_BOM)
    lines = file.content.decode("utf-8-sig").splitlines()
    assert lines[:2] == ["sex,age,count", f"F,young,{answer.counts[0]}"]
    assert len(lines) == 7
    assert "dp-interactive-answer-001.csv" in file["Content-Disposition"]
    assert file["Cache-Control"] == "private, no-store"


def test_a_long_answer_shows_its_beginning(dp, monkeypatch):
    monkeypatch.setattr(pages, "MAX_SHOWN_CELLS", 2)
    answer = asked(dp, query={"columns": ["age"]})
    page = dp.alice.get(f"/q/{answer.public_id}/").text
    assert page.count("<tr><td>") == 2
    assert "The CSV file has 1 more counts." in page


def test_all_answers_come_as_one_archive(dp):
    asked(dp)
    asked(dp, query={"columns": []}, epsilon="0.5")
    asked(dp, user=dp.cast.carol, team=dp.blue, epsilon="0.1")
    response = dp.bob.get(f"{ROUND}answers.zip")
    with zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content))) as archive:
        assert archive.namelist() == ["answer-001.csv", "answer-002.csv", "answers.csv"]
        assert archive.read("answers.csv").startswith(UTF8_BOM)
        index = archive.read("answers.csv").decode().splitlines()
        assert archive.read("answer-001.csv").startswith(UTF8_BOM + b"sex,count\nF,")
    assert index[1].startswith("1,answer-001.csv,0.25,0.25,")
    assert index[2].startswith("2,answer-002.csv,0.5,0.75,")
    assert dp.eve.get(f"{ROUND}answers.zip").status_code == 404


def test_the_list_takes_as_many_queries_for_many_as_for_few(dp, django_assert_max_num_queries):
    asked(dp)
    with django_assert_max_num_queries(40) as few:
        dp.alice.get(ASK)
    for n in range(1, 9):
        asked(dp, user=dp.cast.bob, epsilon=f"0.01{n}")
    with django_assert_max_num_queries(len(few)):
        dp.alice.get(ASK)


# Who sees what

LOGIN, OK, GONE, SHUT, WRONG = "login", 200, 404, 405, 422
ROLES = ("visitor", "eve", "alice", "bob", "carol", "oscar")
MAY = {
    # address: what a GET answers to each of ROLES, and what an empty POST does
    "round/interactive/ask/": ((LOGIN, OK, OK, OK, OK, OK), (LOGIN, *[WRONG] * 5)),
    "round/interactive/answers.zip": ((LOGIN, GONE, OK, OK, GONE, GONE), (LOGIN, *[SHUT] * 5)),
    "round/interactive/estimate.csv": ((LOGIN, GONE, OK, OK, OK, OK), [SHUT] * 6),
    "round/interactive/released.csv": ([GONE] * 6, [SHUT] * 6),
    "round/batch/ask/": ((LOGIN, *[GONE] * 5), (LOGIN, *[GONE] * 5)),
    "round/batch/answers.zip": ((LOGIN, *[GONE] * 5), (LOGIN, *[SHUT] * 5)),
    "round/batch/estimate.csv": ((LOGIN, GONE, OK, OK, OK, OK), [SHUT] * 6),
    "round/batch/released.csv": ((LOGIN, GONE, OK, OK, OK, OK), [SHUT] * 6),
    "round/batch/": ([OK] * 6, (LOGIN, *[WRONG] * 5)),
    "round/interactive/": ([OK] * 6, (LOGIN, *[WRONG] * 5)),
}


@pytest.mark.parametrize("address", MAY)
def test_every_address_answers_each_role_as_it_should(dp, address):
    asked(dp)
    for method, expected in zip(("get", "post"), MAY[address], strict=True):
        got = []
        for role in ROLES:
            response = getattr(getattr(dp, role), method)(f"/c/dp/{address}")
            to_login = response.status_code == 302 and "/accounts/login/" in response["Location"]
            got.append(LOGIN if to_login else response.status_code)
        assert (method, got) == (method, list(expected))
    assert spent(dp) == Decimal("0.25")


def test_only_its_team_sees_an_answer(dp):
    answer = asked(dp)
    for address in (f"/q/{answer.public_id}/", f"/q/{answer.public_id}.csv"):
        clients = (dp.visitor, dp.eve, dp.alice, dp.bob, dp.carol, dp.oscar)
        assert [c.get(address).status_code for c in clients] == [404, 404, 200, 200, 404, 404]
        assert dp.alice.post(address).status_code == 405
    assert dp.carol.get(f"{ROUND}answers.zip").status_code == 404
    assert "No queries yet." in dp.carol.get(ASK).text


@pytest.mark.parametrize("name", ["released.csv", "estimate.csv"])
def test_downloads_are_for_those_who_play_and_for_organizers(dp, name):
    address = f"{BATCH}{name}"
    clients = (dp.visitor, dp.eve, dp.alice, dp.bob, dp.carol, dp.oscar)
    assert [c.get(address).status_code for c in clients] == [302, 404, 200, 200, 200, 200]
    assert "/accounts/login/" in dp.visitor.get(address).url
    dp.contest.terms = "Be fair."
    dp.contest.save()
    assert dp.alice.get(address).url.startswith("/c/dp/terms/")
    assert dp.oscar.get(address).status_code == 200


def test_nothing_is_to_be_had_before_the_round_opens(cast, as_user):
    contest = factories.make_dp_contest("early", phase="before", organizer=cast.oscar)
    factories.make_team(contest, "Red", cast.alice)
    alice, oscar = as_user(cast.alice), as_user(cast.oscar)
    for name in ("batch/released.csv", "batch/estimate.csv", "interactive/estimate.csv"):
        assert alice.get(f"/c/early/round/{name}").status_code == 404
    assert oscar.get("/c/early/round/batch/released.csv").status_code == 404
    assert oscar.get("/c/early/round/batch/estimate.csv").status_code == 200
    assert "has not opened yet" in alice.get("/c/early/round/interactive/ask/").text
    assert alice.get("/c/early/round/batch/").status_code == 200


def test_the_release_is_made_once_and_the_round_page_describes_it(dp):
    assert "The table is being released" in dp.alice.get(BATCH).text
    first, second = (
        b"".join(client.get(f"{BATCH}released.csv").streaming_content)
        for client in (dp.alice, dp.carol)
    )
    assert first == second
    assert len(first.splitlines()) == 13
    text = as_text(dp.alice.get(BATCH).text)
    assert hashlib.sha256(first).hexdigest() in text
    assert "Records 12" in text
    # ε = 1 over columns of 2, 3 and 2 values
    rho = float(re.search(r"ρ = ([0-9.]+)", text)[1])
    kept = re.search(r"sex 2 ([0-9.]+) %", text)[1]
    assert float(kept) == pytest.approx(100 * (rho + (1 - rho) / 2), abs=0.01)
    assert "--columns sex,age --epsilon 1 " in text


def test_an_erased_release_is_gone_and_its_page_stays(dp):
    release = services.ensure_released(dp.batch)
    now = timezone.now()
    release.table.erased_at = dp.contest.erased_at = now
    release.table.save()
    dp.contest.save()
    assert dp.alice.get(f"{BATCH}released.csv").status_code == 410
    page = dp.alice.get(BATCH).text
    assert release.table.sha256 in page
    assert "released.csv" not in page


def test_the_template_is_an_estimate(dp):
    template = dp.alice.get(f"{ROUND}estimate.csv")
    assert template.content.startswith(UTF8_BOM + b"sex,age,count\nF,young,0\n")
    assert "dp-interactive-estimate.csv" in template["Content-Disposition"]
    files = {"estimate": ("e.csv", template.content)}
    submission = submit(
        user=dp.cast.alice, team=dp.red, round=dp.round, files=files, arrived_at=timezone.now()
    )
    assert scored(submission).state == "scored"


def test_organizers_see_what_was_spent_and_no_count(dp, monkeypatch):
    monkeypatch.setattr(disclosing, "noisy_counts", lambda *_: [424242424242, 535353535353])
    asked(dp)
    asked(dp, epsilon="0.5")
    page = dp.oscar.get("/organize/dp/disclosure/").text
    assert re.search(r"Red 0.75 0.25 2 ", as_text(page))
    assert re.search(r"Blue 0 1 0 –", as_text(page))
    assert "released once with ε = 1" in page
    assert "424242424242" not in page.replace(",", "")
    release = services.ensure_released(dp.batch)
    assert release.table.sha256 in dp.oscar.get("/organize/dp/disclosure/").text
    for client in (dp.alice, dp.eve):
        assert client.get("/organize/dp/disclosure/").status_code == 404
    assert "/organize/dp/disclosure/" in dp.oscar.get("/organize/dp/").text
    assert "/disclosure/" not in dp.oscar.get("/organize/cup/").text


# Estimates


def handed_in(dp, estimate: bytes):
    files = {"estimate": ("estimate.csv", estimate)}
    given = {"user": dp.cast.alice, "team": dp.red, "round": dp.round}
    return scored(submit(**given, files=files, arrived_at=timezone.now()))


def test_marks_are_shown_after_the_round_has_closed_and_not_before(dp):
    off = factories.DP_TRUTH.replace(b"F,young,1", b"F,young,4").replace(b"M,old,1", b"M,old,5")
    submission = handed_in(dp, off)
    address = f"/s/{submission.public_id}/"
    before = dp.alice.get(address).text
    assert "not covered by the privacy budget" in before
    assert "table-L2" not in before
    history = dp.alice.get(ROUND).text
    assert "table-L2" in history
    assert '<td class="num">5</td>' not in history
    close(dp.round)
    assert "Go to the answers" in dp.alice.get(ROUND).text
    after = as_text(dp.alice.get(address).text)
    assert re.search(r"table-L2 .* lower is better 5 ", after)
    assert "table-spearman" in after
    assert "anonymized records from" not in after
    assert '<td class="num">5</td>' in dp.alice.get(ROUND).text


def test_an_estimate_is_handed_in_on_the_page(dp):
    file = io.BytesIO(factories.DP_TRUTH)
    file.name = "estimate.csv"
    response = dp.alice.post(ROUND, {"estimate": file, "note": "asked once"})
    assert response.status_code == 302
    assert dp.red.submissions.get().note == "asked once"


# What the other pages say of a hidden table


def test_the_overview_offers_the_schema_alone(dp):
    text = dp.alice.get("/c/dp/").text
    assert "The table stays hidden." in text
    assert "dp-schema.toml" in text
    assert "original.csv" not in text
    assert "dp-original.csv" in dp.oscar.get("/c/dp/").text
    assert "Only organizers get this table." in dp.oscar.get("/c/dp/").text
    assert dp.alice.get("/c/dp/data/original.csv").status_code == 404


def test_organizers_are_told_which_columns_cannot_be_disclosed():
    schema = Schema.from_toml(
        factories.DP_SCHEMA.replace('values = ["A", "B"]', "").replace('["F", "M"]', '["F"]')
    )
    spec = factories.dp_ruleset().disclosure
    warnings = "\n".join(setup.of_columns(schema, spec))
    assert "“city” — a column whose values are not listed" in warnings
    assert "“sex” — an attribute with one value" in warnings
    assert "nothing of secret" in warnings
    right = setup.of_columns(Schema.from_toml(factories.DP_SCHEMA), spec)
    assert len(right) == 2
    assert not any("not listed" in words for words in right)


def test_the_data_page_of_a_hidden_table_talks_of_no_quasi_identifiers(dp):
    text = dp.oscar.get("/organize/dp/data/").text
    assert "list the values that sex, age, city can have" in text
    assert "U2 and U3 have no cells" not in text
    assert "Participants do not get the table" in text
    assert "What participants get" not in text


# The canary


# Numbers so long that no fingerprint and no identifier of a page holds one by chance.
RED, BLUE = (731_000_400_001, 731_000_400_002), (842_000_500_001, 842_000_500_002)
TRUE = tuple(953_000_600_001 + n for n in range(6))


@pytest.mark.parametrize(
    ("viewer", "is_over"),
    # Who is in no team is left to the crawl of test_truth now.
    some(
        1,
        [
            ("alice", False),
            ("carol", True),
            ("eve", True),
            ("alice", True),
            ("carol", False),
            ("eve", False),
            ("visitor", False),
            ("visitor", True),
        ],
    ),
)
def test_nothing_hidden_is_on_any_page(dp, monkeypatch, viewer, is_over, caplog):
    counts = {"0.25": RED, "0.5": BLUE}
    monkeypatch.setattr(disclosing, "noisy_counts", lambda _c, _q, e: list(counts[f"{e:f}"]))
    for module in (estimates, disclosing):
        monkeypatch.setattr(module, "counted", lambda *_: np.array(TRUE).reshape(2, 3))
    asked(dp)
    asked(dp, user=dp.cast.carol, team=dp.blue, epsilon="0.5")
    services.ensure_released(dp.batch)
    handed_in(dp, factories.DP_TRUTH)
    team = {"alice": dp.red, "carol": dp.blue}.get(viewer)
    parameters = parameters_of(dp.contest, dp.cast.bob, team)
    hidden = TRUE + {"alice": BLUE, "carol": RED}.get(viewer, RED + BLUE)
    needles = [b"canary", *(str(n).encode() for n in hidden), *(f"{n:,}".encode() for n in hidden)]
    sealed = dp.contest.datasets.get(key="original").sealed
    assert b"canary" in (settings.PRIVATE_ROOT / sealed.path).read_bytes()
    own = {"alice": RED, "carol": BLUE}.get(viewer)
    if is_over:  # marks and boards are shown
        close(dp.round)
    found = list(crawler.crawl(getattr(dp, viewer), crawler.addresses(parameters)))
    assert {a: n for a, _, text in found for n in needles if n in text} == {}
    assert [address for address, status, _ in found if status >= 500] == []
    if own:  # the detector itself: what one may see is found
        assert any(str(own[0]).encode() in text for _, _, text in found)
    assert [needle for needle in needles if needle in caplog.text.encode()] == []
