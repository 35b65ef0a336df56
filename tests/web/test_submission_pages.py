# SPDX-License-Identifier: Apache-2.0
"""Handing in and looking at results, through the pages."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.boards import counting_instances, play
from pwscup.core import jobs
from pwscup.core.files import exports
from pwscup.core.models import StoredFile
from pwscup.submissions import middleware, selectors
from pwscup.submissions.models import Submission
from pwscup.submissions.pages import downloads, listing
from pwscup.submissions.states import State
from scoring.reporting import spreadsheets
from tests import factories
from tests.web import pipeline

ROUND = "anonymization"


def round_url(cast, key=ROUND) -> str:
    return reverse("round", args=[cast.contest.slug, key])


def file(name: str, data: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data, content_type="text/csv")


def post(client, cast, *, anonymized=factories.NOISY, rows=factories.ROWS, note="", name="y.csv"):
    files = {"anonymized": file(name, anonymized)}
    if rows is not None:
        files["rows"] = file("rows.csv", rows)
    return client.post(round_url(cast), {"note": note, **files})


def hand_in(cast, **kwargs) -> Submission:
    return pipeline.hand_in(cast.alice, cast.red, cast.contest.rounds.get(key=ROUND), **kwargs)


def page(name: str, submission: Submission, *args: str) -> str:
    return reverse(name, args=[submission.public_id, *args])


def text(response) -> str:
    return " ".join(response.content.decode().split())


# The round's page


def test_the_page_offers_the_form_the_samples_and_the_tries(cast, as_user):
    body = text(as_user(cast.alice).get(round_url(cast)))

    assert 'name="anonymized"' in body
    assert 'name="rows"' in body
    assert "source_row" in body
    assert "20 of 20 attempts left" in body
    assert reverse("rules", args=[cast.contest.slug]) in body
    assert "data-until=" in body


@pytest.mark.parametrize(
    ("who", "phase", "says", "leads_to"),
    [
        (None, "anonymization", "Log in to submit", "account_login"),
        ("eve", "anonymization", "you are not in a team yet", "team"),
        ("alice", "before", "not opened yet", "rules"),
        ("alice", "between", "has closed", "board"),
        (None, "after", "has closed", "board"),
    ],
)
def test_where_nothing_can_be_handed_in_the_page_says_why_and_what_to_do(
    cast, as_user, who, phase, says, leads_to
):
    now = timezone.now()
    shift = {"before": 2, "anonymization": 0, "between": -2, "after": -9}[phase]
    for round in cast.contest.rounds.all():
        day = timedelta(days=shift)
        pipeline.move(round, round.opens_at + day, round.closes_at + day)
    assert now < timezone.now()

    body = text(as_user(getattr(cast, who) if who else None).get(round_url(cast)))

    assert says in body
    where = reverse(leads_to, args=[] if leads_to == "account_login" else [cast.contest.slug])
    assert f'href="{where}' in body
    assert 'type="file"' not in body


def test_an_organizer_is_not_sent_to_the_teams(cast, as_user):
    body = text(as_user(cast.oscar).get(round_url(cast)))

    assert "Organizers and judges do not play" in body
    assert "create or join one" not in body


def test_a_draft_and_an_unknown_round_are_not_found(cast, as_user):
    assert as_user(cast.alice).get(round_url(cast, "no-such")).status_code == 404
    cast.contest.is_published = False
    cast.contest.save()
    assert as_user(cast.eve).get(round_url(cast)).status_code == 404
    assert "draft" in text(as_user(cast.oscar).get(round_url(cast)))


def test_a_visitor_who_sends_the_form_is_asked_to_log_in(cast, as_user):
    response = post(as_user(None), cast)

    assert response.status_code == 302
    assert response.url.startswith(reverse("account_login"))
    assert not Submission.objects.exists()


def test_someone_without_a_team_cannot_hand_in(cast, as_user):
    response = post(as_user(cast.eve), cast, note="mine")

    assert response.status_code == 422
    assert "you are not in a team yet" in text(response)
    assert not Submission.objects.exists()


def test_what_is_handed_in_waits_and_its_page_follows(cast, as_user):
    client = as_user(cast.alice)

    response = post(client, cast, note="k = 5", name="../../y <b>.csv")

    submission = Submission.objects.get()
    assert response.url == page("submission", submission)
    assert (submission.state, submission.note, submission.team) == ("waiting", "k = 5", cast.red)
    assert {f.key: f.file.name for f in submission.files.all()} == {
        "anonymized": "y <b>.csv",
        "rows": "rows.csv",
    }
    body = text(client.get(response.url))
    assert "next in the queue" in body
    assert "y &lt;b&gt;.csv" in body
    assert 'hx-trigger="every 2s"' in body


def test_the_row_numbers_may_lie_in_the_table(cast, as_user):
    lines = factories.NOISY.decode().splitlines()
    numbered = [f"{line},{n}" for line, n in zip(lines, ["source_row", 1, 2, 3, 4], strict=True)]

    post(as_user(cast.alice), cast, anonymized="\n".join(numbered).encode(), rows=None)

    assert pipeline.scored(Submission.objects.get()).state == State.SCORED


def test_a_refused_form_keeps_the_note_and_says_why(cast, as_user):
    client = as_user(cast.alice)

    response = client.post(round_url(cast), {"note": "our <best> one", "rows": file("r", b"1")})

    body = text(response)
    assert response.status_code == 422
    assert 'value="our &lt;best&gt; one"' in body
    assert "Choose a file." in body
    assert "choose the files again" in body
    assert not Submission.objects.exists()


def test_what_arrives_after_the_deadline_is_refused_and_the_note_kept(cast, as_user):
    client = as_user(cast.alice)
    pipeline.close(cast.contest.rounds.get(key=ROUND))

    response = post(client, cast, note="a minute late")

    assert response.status_code == 422
    assert "after the deadline" in text(response)
    assert "a minute late" in text(response)
    assert not StoredFile.objects.filter(name="y.csv").exists()


def test_the_time_of_arrival_is_taken_before_the_body_is_read(cast, as_user, monkeypatch, settings):
    settings.UPLOAD_GRACE_SECONDS = 60
    closes = timezone.now() + timedelta(hours=1)
    round = cast.contest.rounds.get(key=ROUND)
    pipeline.move(round, round.opens_at, closes)
    clock = [closes - timedelta(seconds=1)]
    monkeypatch.setattr(timezone, "now", lambda: clock[-1])

    def slow(self, request, *args):
        clock.append(closes + timedelta(seconds=50))

    client = as_user(cast.alice)
    # The body is read by the protection against forged requests at the earliest, after this hook.
    monkeypatch.setattr(middleware.ArrivalMiddleware, "process_view", slow)
    response = post(client, cast)

    first, second = (name.rpartition(".")[2] for name in settings.MIDDLEWARE[:2])
    assert (first, second) == ("HealthMiddleware", "ArrivalMiddleware")  # the one reads no body
    assert response.status_code == 302
    assert Submission.objects.get().arrived_at == closes - timedelta(seconds=1)


def test_a_connection_held_open_over_the_deadline_is_late(rf, monkeypatch, settings):
    settings.UPLOAD_GRACE_SECONDS = 60
    grace = timedelta(seconds=60)
    now = timezone.now()
    request = rf.post("/")
    request.arrived_at = now - grace - timedelta(seconds=1)
    monkeypatch.setattr(middleware.timezone, "now", lambda: now)

    assert middleware.arrival(request) == now
    request.arrived_at = now - grace
    assert middleware.arrival(request) == request.arrived_at


def test_when_all_tries_are_used_the_form_goes(cast, as_user):
    round = cast.contest.rounds.get(key=ROUND)
    round.tries = 1
    round.save()
    hand_in(cast)
    client = as_user(cast.bob)

    assert "All attempts are used" in text(client.get(round_url(cast)))
    refused = post(client, cast)
    assert refused.status_code == 422
    assert "No attempts are left" in text(refused)


# History and what counts


def test_the_history_shows_results_and_which_one_counts(cast, as_user):
    first = pipeline.scored(hand_in(cast, note="noise"))
    second = pipeline.scored(hand_in(cast, anonymized=factories.AVERAGED, note="=1+1"))
    client = as_user(cast.alice)

    history = text(client.get(round_url(cast))).split('id="history"')[1]
    assert history.index("=1+1") < history.index("noise")
    assert page("submission-choose", first) in history
    assert page("submission-choose", second) not in history
    # The choice stands before the measures, which have to be scrolled to on a phone.
    row = history.split(f'id="line-{first.pk}"')[1].split("</tr>")[0]
    before, after = row.split("</td>", 1)[1].split(page("submission-choose", first))
    assert 'class="num"' not in before
    assert after.index("note-cell") < after.index('class="num"')

    response = client.post(page("submission-choose", first))
    assert response.url == round_url(cast)
    assert selectors.counted_submission(cast.red, first.round) == first
    assert page("submission-choose", second) in text(client.get(round_url(cast)))


def test_own_submissions_stand_above_the_downloads(cast, as_user):
    client = as_user(cast.alice)
    title = 'class="side-by-side"'
    before = text(client.get(round_url(cast)))
    assert before.index(title) < before.index('id="history"')
    pipeline.scored(hand_in(cast))
    after = text(client.get(round_url(cast)))
    assert after.count(title) == 1
    assert after.index('id="history"') < after.index(title)


def test_the_history_is_the_teams_own(cast, as_user):
    hand_in(cast, note="reds secret")

    assert "reds secret" in text(as_user(cast.bob).get(round_url(cast)))
    assert "reds secret" not in text(as_user(cast.carol).get(round_url(cast)))


def test_a_longer_history_costs_no_more_queries(cast, as_user, django_assert_max_num_queries):
    client = as_user(cast.alice)
    pipeline.scored(hand_in(cast))
    with django_assert_max_num_queries(40) as few:
        client.get(round_url(cast))
    for _ in range(5):
        pipeline.scored(hand_in(cast))
    with django_assert_max_num_queries(len(few)):
        client.get(round_url(cast))


# The result


def test_a_scored_table_shows_every_measure_with_its_direction(cast, as_user):
    submission = pipeline.scored(hand_in(cast))

    response = as_user(cast.alice).get(page("submission", submission))

    body = text(response)
    for measure in cast.contest.ruleset.measures:
        assert f'<span class="measure-id">{measure}</span>' in body
    rows = {row.measure.id: row for f in response.context["families"] for row in f.rows}
    assert rows["U1"].value == 1.25
    assert rows["E2"].value == 1
    assert rows["S1"].measure.direction == "higher"
    assert "↓" in body
    assert "↑" in body
    assert f'hx-get="{page("submission-ranks", submission)}"' in body
    assert "echarts" not in body
    assert 'hx-trigger="every' not in body.split('id="status"')[1]


def test_a_result_stands_beside_the_teams_other_results(cast, as_user):
    noisy = pipeline.scored(hand_in(cast))
    pipeline.scored(hand_in(cast, anonymized=factories.AVERAGED))
    client = as_user(cast.alice)

    response = client.get(page("submission", noisy))

    rows = {row.measure.id: row for f in response.context["families"] for row in f.rows}
    assert (rows["U1"].value, rows["U1"].best, rows["U1"].is_best) == (1.25, 0, False)


def test_a_rejected_table_shows_where_what_expected_and_got(cast, as_user):
    bad = factories.NOISY.replace(b"220,390", b"many,390").replace(b"1,1,2,390", b"1,1,7,390")
    submission = pipeline.scored(hand_in(cast, anonymized=bad))
    client = as_user(cast.alice)

    body = text(client.get(page("submission", submission)))

    assert submission.state == State.REJECTED
    assert "2 problems" in body
    assert "No attempt was used" in body
    assert '<td>y.csv</td><td class="num" data-label="Record">2</td><td>sa1</td>' in body
    assert "not a number" in body
    assert "got “many”" in body
    assert page("submission-file", submission, "anonymized") in body
    assert "20 of 20 attempts left" in text(client.get(round_url(cast)))


def test_problems_left_out_are_counted(cast, as_user):
    submission = pipeline.scored(hand_in(cast, anonymized=b"nonsense\n"))
    Submission.objects.filter(pk=submission.pk).update(n_problems=len(submission.problems) + 41)

    assert "and 41 more problems" in text(as_user(cast.alice).get(page("submission", submission)))


def test_problems_that_differ_only_in_the_record_are_one_line(cast, as_user):
    submission = hand_in(cast)
    stored = [
        {"code": "file.empty", "params": {}, "file": "rows"},
        *(
            {
                "code": "cell.not_a_number",
                "params": {"got": "関東" if row < 98 else "x"},
                "file": "anonymized",
                "row": row,
                "column": "income",
            }
            for row in range(1, 100)
        ),
    ]
    Submission.objects.filter(pk=submission.pk).update(
        state=State.REJECTED, n_problems=241, problems=stored
    )
    client = as_user(cast.alice)
    response = client.get(page("submission", submission))
    records = [problem.records for problem in response.context["problems"]]
    assert records == ["", "1, 2, 3, 4, 5 and 92 more", "98, 99"]
    assert "and 141 more problems" in text(response)
    client.cookies["django_language"] = "ja"
    assert "1、2、3、4、5、ほか92件" in text(client.get(page("submission", submission)))


def test_a_reason_of_an_older_library_is_shown_by_its_code(cast, as_user):
    submission = hand_in(cast)
    Submission.objects.filter(pk=submission.pk).update(
        state=State.REJECTED, n_problems=1, problems=[{"code": "no.longer.known"}]
    )

    assert "no.longer.known" in text(as_user(cast.alice).get(page("submission", submission)))


def test_a_failure_of_ours_apologizes_and_gives_a_reference(cast, as_user):
    submission = hand_in(cast)
    assert jobs.fail(jobs.claim(Submission, submission.pk), "ABCD1234")

    body = text(as_user(cast.alice).get(page("submission", submission)))

    assert "Sorry, scoring failed" in body
    assert "ABCD1234" in body
    assert "No attempt was used" in body


# Live status


def test_the_status_is_polled_until_it_is_final(cast, as_user):
    submission = hand_in(cast)
    client = as_user(cast.alice)
    url = page("submission-status", submission)

    waiting = client.get(url, headers={"HX-Request": "true"})
    assert 'hx-trigger="every 2s"' in text(waiting)
    assert "HX-Refresh" not in waiting
    unchanged = client.get(url, headers={"If-None-Match": waiting["ETag"]})
    assert (unchanged.status_code, unchanged.content) == (304, b"")

    pipeline.scored(submission)
    final = client.get(url, headers={"HX-Request": "true", "If-None-Match": waiting["ETag"]})
    assert final.status_code == 200
    assert final["HX-Refresh"] == "true"
    assert "hx-trigger" not in text(final)


def test_the_place_in_the_queue_is_part_of_the_tag(cast, as_user):
    ahead, submission = hand_in(cast), hand_in(cast)
    client = as_user(cast.alice)
    url = page("submission-status", submission)

    second = client.get(url)
    assert "position 2 in the queue" in text(second)
    pipeline.scored(ahead)
    first = client.get(url, headers={"If-None-Match": second["ETag"]})
    assert "next in the queue" in text(first)


def test_another_language_is_another_answer(cast, as_user):
    client = as_user(cast.alice)
    url = page("submission-status", hand_in(cast))

    english = client.get(url)
    japanese = client.get(url, headers={"Accept-Language": "ja", "If-None-Match": english["ETag"]})

    assert japanese.status_code == 200


# What a team may do with it


def test_taking_back_while_it_waits_uses_no_try(cast, as_user):
    submission = hand_in(cast)
    client = as_user(cast.bob)

    client.post(page("submission-cancel", submission))

    submission.refresh_from_db()
    assert submission.state == State.CANCELLED
    body = text(client.get(page("submission", submission)))
    assert "withdrew this submission" in body
    assert page("submission-cancel", submission) not in body


def test_too_late_to_take_back_is_said_not_failed(cast, as_user):
    submission = pipeline.scored(hand_in(cast))

    response = as_user(cast.alice).post(page("submission-cancel", submission), follow=True)

    assert response.status_code == 200
    assert "Only a waiting submission" in text(response)


def test_a_note_can_be_changed_and_a_long_one_is_kept_in_the_field(cast, as_user):
    submission = hand_in(cast)
    client = as_user(cast.bob)

    client.post(page("submission-note", submission), {"note": "second thoughts"})
    submission.refresh_from_db()
    assert submission.note == "second thoughts"

    response = client.post(page("submission-note", submission), {"note": "x" * 201})
    assert response.status_code == 422
    assert "x" * 201 in text(response)
    submission.refresh_from_db()
    assert submission.note == "second thoughts"


def test_a_file_comes_back_byte_for_byte_as_a_download(cast, as_user):
    raw = b"\xff\x00<script>alert(1)</script>\r\n"
    submission = hand_in(cast, anonymized=raw)

    response = as_user(cast.bob).get(page("submission-file", submission, "anonymized"))

    assert response.content == raw
    assert response["Content-Disposition"] == 'attachment; filename="y.csv"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "html" not in response["Content-Type"]
    assert as_user(cast.oscar).get(response.wsgi_request.path).content == raw
    missing = page("submission-file", submission, "guess")
    assert as_user(cast.bob).get(missing).status_code == 404


@pytest.mark.parametrize(
    ("name", "kind", "sent"),
    [
        ("y.csv", "anonymized", "y.csv"),
        ("Y.CSV", "anonymized", "Y.CSV"),
        ("x.html", "slides", "x.html.pdf"),
        ("x.svg", "", "x.svg.csv"),
        ("x.htm", "series", "x.htm.zip"),
        ("talk.pdf", "slides", "talk.pdf"),
    ],
)
def test_the_suffix_of_a_download_is_that_of_its_kind(name, kind, sent):
    assert downloads.safe_name(name, kind) == sent


def test_an_upload_that_is_called_a_web_page_comes_back_as_none(cast, as_user):
    submission = hand_in(cast)
    file = submission.files.get(key="anonymized").file
    file.name = "x.html"
    file.save()
    response = as_user(cast.bob).get(page("submission-file", submission, "anonymized"))
    assert response["Content-Disposition"] == 'attachment; filename="x.html.csv"'


@pytest.mark.parametrize("who", ["carol", "eve", None])
def test_strangers_find_nothing(cast, as_user, who):
    submission = pipeline.scored(hand_in(cast))
    client = as_user(getattr(cast, who) if who else None)

    for name, *args in (["submission"], ["submission-status"], ["submission-file", "rows"]):
        assert client.get(page(name, submission, *args)).status_code == 404
    for name in ("submission-cancel", "submission-choose", "submission-note"):
        assert client.post(page(name, submission), {"note": "x"}).status_code == 404
    submission.refresh_from_db()
    assert submission.note == ""


def test_an_organizer_watches_and_changes_nothing(cast, as_user):
    submission = pipeline.scored(hand_in(cast, note="theirs"))
    client = as_user(cast.oscar)

    body = text(client.get(page("submission", submission)))
    assert "theirs" in body
    assert page("submission-note", submission) not in body
    client.post(page("submission-note", submission), {"note": "mine"})
    submission.refresh_from_db()
    assert submission.note == "theirs"


@pytest.mark.parametrize("name", ["submission-cancel", "submission-choose", "submission-note"])
def test_changes_are_posts(cast, as_user, name):
    assert as_user(cast.alice).get(page(name, hand_in(cast))).status_code == 405


# The organizer's list


def test_the_organizer_sees_and_filters_everything(cast, as_user):
    hand_in(cast, note="from red")
    round = cast.contest.rounds.get(key=ROUND)
    rejected = pipeline.hand_in(cast.carol, cast.blue, round, anonymized=b"x\n", note="from blue")
    pipeline.scored(rejected)
    client = as_user(cast.oscar)
    url = reverse("organize-submissions", args=[cast.contest.slug])

    everything = text(client.get(url))
    assert "from red" in everything
    assert "from blue" in everything
    assert (
        f"{rejected.n_problems or len(Submission.objects.get(pk=rejected.pk).problems)} problem"
        in everything
    )
    assert "JST" in everything
    for query in ("team=blue", "state=rejected"):
        filtered = text(client.get(f"{url}?{query}"))
        assert "from red" not in filtered
        assert "from blue" in filtered
    assert "No submissions match" in text(client.get(f"{url}?round=attack"))
    assert client.get(f"{url}?team=nobody&state=odd&page=99").status_code == 200


def test_the_export_calculates_nothing_and_follows_the_filter(cast, as_user):
    pipeline.scored(hand_in(cast, note='=HYPERLINK("http://x","y")'))
    url = reverse("organize-submissions-csv", args=[cast.contest.slug])
    client = as_user(cast.oscar)

    response = client.get(url)

    assert "attachment" in response["Content-Disposition"]
    [row] = csv.DictReader(io.StringIO(response.getvalue().decode("utf-8-sig")))
    assert row["note"] == '\'=HYPERLINK("http://x","y")'
    assert (row["team"], row["state"], row["U1"], row["rate"]) == ("Red", "scored", "1.25", "")
    assert row["arrived_at"].endswith("+09:00")
    assert client.get(f"{url}?team=blue").getvalue().count(b"\n") == 1


def test_the_export_is_sent_while_it_is_read(cast, as_user, monkeypatch):
    """No part of it, no list and no number of objects grows with the submissions."""
    monkeypatch.setattr(listing, "ROWS_AT_A_TIME", 10)
    monkeypatch.setattr(spreadsheets, "ROWS_AT_A_TIME", 10)
    contest = play(6, "many")
    contest.organizers.add(cast.oscar)
    with counting_instances() as instances:
        response = as_user(cast.oscar).get(reverse("organize-submissions-csv", args=[contest.slug]))
        assert response.streaming
        parts = list(response.streaming_content)
    assert instances[0] <= 10
    _bom, *parts = parts
    assert max(part.count(b"\r\n") for part in parts) == 11  # the header stands in the first
    rows = list(csv.DictReader(io.StringIO(b"".join(parts).decode())))
    found = Submission.objects.filter(round__contest=contest).order_by("-arrived_at", "-id")
    assert [row["id"] for row in rows] == [str(s.public_id) for s in found]
    assert len(rows) == 6 * 2 + 6 * 5
    for row, submission in zip(rows, found, strict=True):
        values = submission.evaluations.get().values
        for key in ("U1", "rate"):
            assert row[key] == ("" if values.get(key) is None else str(values[key]))
        assert row["target"] == (submission.target.team.name if submission.target else "")
        assert row["seconds"] == "0.1"


def test_of_a_submission_that_was_scored_again_the_export_has_what_holds(cast, as_user):
    scored = pipeline.scored(hand_in(cast))
    refused = hand_in(cast)
    moment = timezone.now()  # several arrived at the same time
    Submission.objects.update(arrived_at=moment)
    common = {"fence": 9, "input_hashes": {}, "seed": "", "scoring_version": "1"}
    for seconds, value in ((7.5, 0.25), (8.5, 0.75)):
        common["fence"] += 1
        scored.evaluations.create(seconds=seconds, values={"U1": value}, **common)
    lines = list(listing.export_rows(cast.contest, {}))
    row = {line[0]: dict(zip(listing.header(cast.contest), line, strict=True)) for line in lines}
    assert [line[0] for line in lines] == [str(refused.public_id), str(scored.public_id)]
    found = row[str(scored.public_id)]
    assert (found["seconds"], found["U1"]) == (8.5, 0.75)
    assert (row[str(refused.public_id)]["seconds"], found["target"]) == ("", "")
    local = moment.astimezone(cast.contest.tz).isoformat(timespec="seconds")
    assert found["arrived_at"] == local


@given(
    st.integers(70_000_000, 4_000_000_000).map(lambda n: datetime.fromtimestamp(n, UTC)),
    st.sampled_from(["UTC", "Asia/Tokyo", "Asia/Kathmandu", "America/St_Johns", "Europe/Berlin"]),
)
def test_the_times_of_an_export_are_those_of_the_zone(moment, name):
    zone = ZoneInfo(name)
    found = exports.local_time(f"{moment:%Y-%m-%d %H:%M:%S}", zone)
    assert found == moment.astimezone(zone).isoformat()


@pytest.mark.parametrize("name", ["organize-submissions", "organize-submissions-csv"])
def test_the_list_is_for_organizers(cast, as_user, name):
    url = reverse(name, args=[cast.contest.slug])

    assert as_user(cast.alice).get(url).status_code == 404
    assert as_user(cast.eve).get(url).status_code == 404
    assert as_user(None).get(url).url.startswith(reverse("account_login"))


def test_the_form_comes_first_and_the_task_is_folded_on_a_phone(cast, as_user):
    body = text(as_user(cast.alice).get(round_url(cast)))
    task = body.index('<details class="panel fold"><summary><h2>What to submit</h2></summary>')
    assert body.index('name="anonymized"') < task
    assert '<span class="stat">20</span> of 20 attempts left' in body

    for round in cast.contest.rounds.all():
        pipeline.move(
            round, round.opens_at - timedelta(days=9), round.closes_at - timedelta(days=9)
        )
    body = text(as_user(cast.alice).get(round_url(cast)))
    assert '<details class="panel"><summary>The task of this round</summary>' in body
