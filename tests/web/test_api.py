# SPDX-License-Identifier: Apache-2.0
"""The API: what a token's owner may see and do in a contest that discloses a hidden table, and no more."""

from __future__ import annotations

from decimal import Decimal
from types import SimpleNamespace

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from pwscup.accounts.models import Membership
from pwscup.accounts.tokens import revoke_token
from pwscup.api import auth
from pwscup.api.views import document
from pwscup.contests.models import Contest
from pwscup.core.files import storage
from pwscup.core.models import StoredFile
from pwscup.disclosure import ledger
from pwscup.disclosure.models import Answer, BatchRelease
from pwscup.submissions.models import Submission
from tests import factories
from tests.web.api import Program, codes, where
from tests.web.pipeline import close, scored

pytestmark = pytest.mark.django_db
DP = "/contests/dp"
ASK, BATCH = f"{DP}/rounds/interactive", f"{DP}/rounds/batch"
SEXES = {"query": {"columns": ["sex"]}, "epsilon": "0.25"}


@pytest.fixture
def dp(cast) -> SimpleNamespace:
    """A contest in its interactive round; Red's alice, Blue's carol, eve, and oscar, who organizes."""
    contest = factories.make_dp_contest(organizer=cast.oscar)
    red = factories.make_team(contest, "Red", cast.alice, cast.bob)
    blue = factories.make_team(contest, "Blue", cast.carol)
    people = ("alice", "bob", "carol", "eve", "oscar")
    return SimpleNamespace(
        contest=contest,
        red=red,
        blue=blue,
        round=contest.rounds.get(key="interactive"),
        batch=contest.rounds.get(key="batch"),
        **{name: Program(getattr(cast, name)) for name in people},
        visitor=Program(),
        cast=cast,
    )


def spent(dp, team=None) -> Decimal:
    return ledger.spent_by(team or dp.red, dp.round)


# Who calls


def test_a_log_in_is_no_token(dp):
    browser = Client()
    browser.force_login(dp.cast.alice)
    refused = browser.post(f"/api/v1{ASK}/answers", SEXES, content_type="application/json")
    assert refused.status_code == 401
    assert refused["WWW-Authenticate"] == "Bearer"
    assert codes(refused) == ["token.unknown"]
    assert not Answer.objects.exists()


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer ", "Basic YTpi", "Bearer \udcff", "x" * 9000]
)
def test_what_is_no_token_opens_nothing(dp, header):
    assert Program(Authorization=header).get("/contests").status_code == 401


def test_a_revoked_token_opens_nothing(dp):
    assert dp.alice.get("/contests").status_code == 200
    revoke_token(token=dp.cast.alice.access_tokens.get())
    for answer in (dp.alice.get("/contests"), dp.alice.post(f"{ASK}/answers", SEXES)):
        assert (answer.status_code, codes(answer)) == (401, ["token.unknown"])


def test_an_expired_token_opens_nothing(dp):
    dp.cast.alice.access_tokens.update(expires_at=timezone.now())
    assert dp.alice.get("/contests").status_code == 401


def test_no_cookie_is_set_and_no_cache_keeps_anything(dp):
    for answer in (dp.alice.get("/contests"), dp.alice.post(f"{ASK}/answers", SEXES)):
        assert not answer.cookies
        assert answer["Cache-Control"] == "private, no-store"


def test_head_answers_as_get_without_the_body(dp):
    got = dp.alice.get("/contests")
    head = dp.alice.client.head("/api/v1/contests")
    assert (head.status_code, head.content) == (200, b"")
    for name in ("Content-Type", "Content-Length"):
        assert head[name] == got[name]
    assert Client().head("/api/v1/contests").status_code == 401


def test_requests_are_counted_for_each_token(dp, settings, monkeypatch):
    settings.API_REQUESTS_PER_MINUTE = 2
    clock = SimpleNamespace(time=lambda: 6_000_000_045.5)
    monkeypatch.setattr(auth, "time", clock)
    assert [dp.alice.get("/contests").status_code for _ in range(3)] == [200, 200, 429]
    refused = dp.alice.post(f"{ASK}/answers", SEXES)
    assert (refused.status_code, codes(refused)) == (429, ["request.too_many"])
    assert refused["Retry-After"] == "15"
    assert not Answer.objects.exists()
    assert dp.bob.get("/contests").status_code == 200
    clock.time = lambda: 6_000_000_060.0
    assert dp.alice.get("/contests").status_code == 200


# Contests


def test_contests_are_those_that_the_caller_may_see(dp):
    def slugs(program):
        return {line["slug"]: line["state"] for line in program.get("/contests").json()}

    assert slugs(dp.eve) == {"cup": "running", "dp": "running"}
    Contest.objects.filter(slug="dp").update(is_published=False)
    assert slugs(dp.eve) == slugs(dp.alice) == {"cup": "running"}
    assert slugs(dp.oscar) == {"cup": "running", "dp": "draft"}
    for path in (DP, f"{ASK}/domain", f"{ASK}/budget", f"{BATCH}/release"):
        assert dp.alice.get(path).status_code == 404
    assert dp.oscar.get(DP).json()["state"] == "draft"


def test_a_contest_tells_its_rounds_and_ones_own_team(dp):
    found = dp.alice.get(DP).json()
    assert found["team"] == {"slug": "red", "name": "Red"}
    assert found["terms_accepted"] is True
    rounds = {round["key"]: round for round in found["rounds"]}
    assert rounds["interactive"]["kind"] == "interactive"
    assert (rounds["interactive"]["is_open"], rounds["batch"]["is_open"]) == (True, False)
    assert rounds["interactive"]["epsilon"] == "1"
    assert rounds["interactive"]["tries_left"] == rounds["interactive"]["tries"]
    assert dp.eve.get(DP).json()["team"] is None
    assert dp.alice.get("/contests/cup").json()["rounds"][1]["tries_left"] is None


# Asking


def test_an_answer_is_paid_once_and_repeated_for_nothing(dp):
    first = dp.alice.post(f"{ASK}/answers", SEXES)
    again = dp.bob.post(f"{ASK}/answers", SEXES | {"epsilon": "0.250"})
    assert (first.status_code, again.status_code) == (201, 200)
    one, other = first.json(), again.json()
    assert (one.pop("is_new"), other.pop("is_new")) == (True, False)
    assert one == other
    assert one["budget"] == {"total": "1", "spent": "0.25", "left": "0.75"}
    assert (one["epsilon"], one["spent"], one["number"]) == ("0.25", "0.25", 1)
    assert (one["columns"], one["values"], one["sensitivity"]) == (["sex"], [["F", "M"]], 2)
    assert one["counts"] == Answer.objects.get().counts
    assert one["asked_by"] == "Alice"


def test_answers_are_listed_and_read_again(dp):
    dp.alice.post(f"{ASK}/answers", SEXES)
    query = {"columns": [], "where": {"age": ["old", "young"], "sex": ["F", "M"]}}
    counted = dp.bob.post(f"{ASK}/answers", {"query": query, "epsilon": "0.1"}).json()
    assert (counted["values"], len(counted["counts"]), counted["sensitivity"]) == ([], 1, 1)
    listed = dp.alice.get(f"{ASK}/answers").json()
    assert [line["number"] for line in listed] == [2, 1]
    assert listed[0]["query"] == {"columns": [], "where": {"age": ["young", "old"]}}
    assert (listed[0]["epsilon"], listed[0]["spent"]) == ("0.1", "0.35")
    assert "counts" not in listed[0]
    read = dp.alice.get(f"{ASK}/answers/2").json()
    assert read == {key: counted[key] for key in read}
    first = Answer.objects.get(number=1)
    file = dp.alice.get(f"{ASK}/answers/1.csv")
    assert file["Content-Type"].startswith("text/csv")
    lines = file.content.decode().splitlines()
    assert lines == ["sex,count", f"F,{first.counts[0]}", f"M,{first.counts[1]}"]
    assert dp.alice.get(f"{ASK}/budget").json() == {"total": "1", "spent": "0.35", "left": "0.65"}


def test_the_domain_says_what_may_be_asked(dp):
    found = dp.eve.get(f"{ASK}/domain").json()
    assert [column["name"] for column in found["columns"]] == ["sex", "age", "city"]
    assert found["columns"][1]["values"] == ["young", "middle", "old"]
    assert found["target"] == ["sex", "age"]
    assert found == dp.alice.get(f"{BATCH}/domain").json()
    assert dp.alice.get("/contests/cup/rounds/attack/domain").status_code == 404


def test_what_one_team_was_answered_no_other_sees(dp):
    answered = dp.alice.post(f"{ASK}/answers", SEXES).json()
    for program in (dp.carol, dp.eve, dp.oscar):
        assert program.get(f"{ASK}/answers/1").status_code in (403, 404)
        assert program.get(f"{ASK}/answers/1.csv").status_code in (403, 404)
    assert dp.carol.get(f"{ASK}/answers").json() == []
    assert dp.carol.get(f"{ASK}/budget").json()["spent"] == "0"
    own = dp.carol.post(f"{ASK}/answers", SEXES).json()
    assert (own["is_new"], own["number"], own["asked_by"]) == (True, 1, "Carol")
    assert answered["budget"] == own["budget"]


@pytest.mark.parametrize("who", ["eve", "oscar"])
def test_whoever_plays_in_no_team_asks_nothing(dp, who):
    program = getattr(dp, who)
    for answer in (
        program.get(f"{ASK}/budget"),
        program.get(f"{ASK}/answers"),
        program.post(f"{ASK}/answers", SEXES),
        program.post(f"{ASK}/submissions", factories.DP_TRUTH, "text/csv"),
    ):
        assert (answer.status_code, codes(answer)) == (403, ["team.none"])
    assert not Answer.objects.exists()


def test_who_left_the_team_is_shut_out(dp):
    dp.alice.post(f"{ASK}/answers", SEXES)
    Membership.objects.filter(user=dp.cast.bob, team=dp.red).delete()
    assert dp.bob.get(f"{ASK}/answers/1").status_code == 403
    assert dp.bob.post(f"{ASK}/answers", SEXES).status_code == 403


def test_the_budget_holds(dp):
    assert dp.alice.post(f"{ASK}/answers", SEXES | {"epsilon": "0.999999"}).status_code == 201
    refused = dp.alice.post(f"{ASK}/answers", SEXES | {"epsilon": "0.000002"})
    assert (refused.status_code, codes(refused)) == (409, ["budget.exceeded"])
    (problem,) = refused.json()["problems"]
    assert (problem["expected"], problem["got"]) == ("0.000001", "0.000002")
    assert spent(dp) == Decimal("0.999999")


def test_a_closed_round_answers_nothing_more(dp):
    dp.alice.post(f"{ASK}/answers", SEXES)
    close(dp.round)
    refused = dp.alice.post(f"{ASK}/answers", SEXES | {"epsilon": "0.1"})
    assert (refused.status_code, codes(refused)) == (409, ["round.closed"])
    assert spent(dp) == Decimal("0.25")
    assert dp.alice.get(f"{ASK}/answers/1").status_code == 200


def test_terms_come_first(dp):
    dp.alice.post(f"{ASK}/answers", SEXES)
    Contest.objects.filter(slug="dp").update(terms="Be fair.")
    assert dp.alice.get(DP).json()["terms_accepted"] is False
    for answer in (
        dp.alice.post(f"{ASK}/answers", SEXES),
        dp.alice.get(f"{ASK}/template.csv"),
        dp.alice.get(f"{BATCH}/release.csv"),
    ):
        assert (answer.status_code, codes(answer)) == (403, ["terms.first"])
    assert dp.alice.get(f"{ASK}/answers/1").status_code == 200


# The batch release


def test_the_release_is_for_members_and_organizers(dp):
    told = dp.alice.get(f"{BATCH}/release").json()
    release = BatchRelease.objects.get()
    assert told["sha256"] == release.table.sha256
    assert (told["epsilon"], told["n_records"]) == ("1", 12)
    assert told["columns"] == ["sex", "age", "city"]
    assert 0 < told["rho"] < 1
    data = storage.read(release.table)
    for program in (dp.alice, dp.carol, dp.oscar):
        assert b"".join(program.get(f"{BATCH}/release.csv").streaming_content) == data
    for path in (f"{BATCH}/release", f"{BATCH}/release.csv", f"{BATCH}/template.csv"):
        assert dp.eve.get(path).status_code == 404
    assert dp.alice.get(f"{ASK}/release").status_code == 404
    assert dp.alice.get(f"{BATCH}/budget").status_code == 404
    assert dp.alice.post(f"{BATCH}/answers", SEXES).status_code == 404


def test_nothing_is_released_before_the_opening(cast):
    contest = factories.make_dp_contest("early", organizer=cast.oscar, phase="before")
    factories.make_team(contest, "Red", cast.alice)
    for user in (cast.alice, cast.oscar):
        assert Program(user).get("/contests/early/rounds/batch/release").status_code == 404
    assert not BatchRelease.objects.exists()


def test_a_release_that_was_erased_is_gone(dp):
    dp.alice.get(f"{BATCH}/release")
    table = BatchRelease.objects.get().table_id
    storage.erase(StoredFile.objects.filter(pk=table), timezone.now())
    gone = dp.alice.get(f"{BATCH}/release.csv")
    assert (gone.status_code, codes(gone)) == (410, ["file.erased"])
    assert dp.alice.get(f"{BATCH}/release").json()["n_records"] == 12


# Estimates


def test_an_estimate_is_handed_in_and_its_marks_wait_for_the_close(dp):
    template = dp.alice.get(f"{ASK}/template.csv")
    assert template.content.startswith(b"sex,age,count\nF,young,0\n")
    sent = dp.alice.post(f"{ASK}/submissions?note=first", factories.DP_TRUTH, "text/csv")
    assert sent.status_code == 201
    found = Submission.objects.get()
    scored(found)
    assert (str(found.public_id), found.note, found.team) == (sent.json()["id"], "first", dp.red)
    address = f"/submissions/{found.public_id}"
    told = dp.bob.get(address).json()
    assert (told["state"], told["counts"], told["values"]) == ("scored", True, None)
    assert [file["key"] for file in told["files"]] == ["estimate"]
    assert dp.bob.get(f"{ASK}/submissions").json() == [told]
    assert dp.carol.get(address).status_code == dp.eve.get(address).status_code == 404
    assert dp.carol.get(f"{ASK}/submissions").json() == []
    close(dp.round)
    marks = dp.alice.get(address).json()["values"]
    assert (marks["table-L2"], marks["table-spearman"]) == (0.0, 1.0)


def test_a_rejected_estimate_tells_every_problem(dp):
    wrong = factories.DP_TRUTH.replace(b"F,young,1", b"F,young,-1").replace(b"M,old,1\n", b"")
    sent = dp.alice.post(f"{ASK}/submissions", wrong, "text/csv")
    found = scored(Submission.objects.get())
    told = dp.alice.get(f"/submissions/{sent.json()['id']}").json()
    assert (told["state"], told["n_problems"]) == ("rejected", found.n_problems)
    problems = {problem["code"]: problem for problem in told["problems"]}
    place = {"file": "estimate", "row": 1, "column": "count"}
    assert where(problems["cell.below_minimum"]) == place
    assert "estimate.missing_cells" in problems
    assert told["values"] is None


def test_files_of_other_rounds_are_not_taken(dp):
    path = "/contests/cup/rounds/anonymization/submissions"
    assert codes(dp.alice.form(path, {"estimate": b"a"})) == ["file.unknown"]
    assert codes(dp.alice.post(path, b"a", "application/pdf")) == ["request.content_type"]
    assert dp.alice.get(path).json() == []


# What it costs


def test_lists_cost_the_same_however_long_they_are(dp):
    def fill(start, stop):
        for n in range(start, stop):
            dp.alice.post(f"{ASK}/answers", SEXES | {"epsilon": f"0.0{n}"})
            dp.alice.post(f"{ASK}/submissions", factories.DP_TRUTH[: -n or None], "text/csv")
            other = factories.make_dp_contest(f"dp{n}")
            factories.make_team(other, "Red", dp.cast.alice)

    def n_queries():
        found = []
        for path in ("/contests", DP, f"{ASK}/answers", f"{ASK}/submissions"):
            with CaptureQueriesContext(connection) as queries:
                assert len(dp.alice.get(path).json()) > 2
            found.append(len(queries))
        return found

    fill(1, 4)
    few = n_queries()
    fill(4, 7)
    assert n_queries() == few
    assert max(few) < 25


# The form of problems


def test_problems_come_in_the_language_asked_for(dp):
    wrong = {"query": {"columns": ["shoe"], "where": {"age": ["ancient"]}}, "epsilon": "0"}
    english = dp.alice.post(f"{ASK}/answers", wrong)
    japanese = Program(dp.cast.alice, **{"Accept-Language": "ja"}).post(f"{ASK}/answers", wrong)
    expected = ["attribute.unknown_column", "query.unknown_value", "query.epsilon"]
    assert codes(english) == codes(japanese) == expected
    fields = [where(problem) for problem in english.json()["problems"]]
    assert fields == [{}, {"column": "age"}, {"field": "epsilon"}]
    assert english["Content-Language"] == "en"
    assert japanese["Content-Language"] == "ja"
    one = japanese.json()["problems"][1]["message"]
    assert one != english.json()["problems"][1]["message"]
    assert not Answer.objects.exists()


# The description


def test_the_document_names_every_address_and_no_other_host(client):
    shown = client.get("/api/v1/openapi.json")
    assert shown.status_code == 200
    paths = document()["paths"]
    assert shown.json()["paths"].keys() == paths.keys()
    operations = [(path, method) for path, methods in paths.items() for method in methods]
    assert ("/api/v1/contests/{slug}/rounds/{key}/answers", "post") in operations
    for path, method in operations:
        operation = paths[path][method]
        assert operation["summary"]
        (scopes,) = operation["security"]
        assert scopes["TokenAuth"] in (["read"], ["team"], ["organize"])
        assert "401" in {str(status) for status in operation["responses"]}
    assert b"http" not in shown.content.replace(b'"type": "http"', b"")
