# SPDX-License-Identifier: Apache-2.0
"""Audits of a series in the browser: the numbers of home, who is named to whom, and a report in both languages."""

from __future__ import annotations

import json

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from pwscup.audits import services
from pwscup.audits.models import Audit
from pwscup.contests.models import Round
from pwscup.core import jobs
from pwscup.formats.series import audits
from scoring.audits.series_texts import ATTACKERS, DEFINITIONS
from scoring.cli.main import main
from scoring.datasets.hospital import HOSPITAL_SCHEMA
from tests import factories
from tests.web import series
from tests.web.pipeline import scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("announced")]
LANGUAGES = settings.LANGUAGES


@pytest.fixture
def played(cast, sent):
    """A contest in which Red has handed in a series."""
    found = series.contest_of(cast)
    found.data = factories.series_of_team(found.red)
    found.submission = scored(series.hand_in(cast.alice, found.red, found.data))
    return found


@pytest.fixture
def quick(monkeypatch, settings, sketched):
    """Row counting and a report in English are enough where it does not matter what is found."""
    settings.LANGUAGES = [("en", "English")]
    from scoring.audits import effort

    monkeypatch.setattr(effort, "MOST_PLACES", 0)


def client(user) -> Client:
    found = Client()
    found.force_login(user)
    return found


def url(submission, name="audit") -> str:
    return reverse(name, args=[submission.public_id])


def audited(user, submission) -> Audit:
    audit = services.request_audit(user=user, submission=submission)
    jobs.work_on(Audit, audit.pk)
    audit.refresh_from_db()
    assert audit.state == Audit.State.DONE
    return audit


@pytest.mark.long
def test_the_server_finds_what_is_found_at_home(played, cast, tmp_path, capsys):
    audit = audited(cast.alice, played.submission)
    tables = []
    for n, data in factories.tables_of_team(played.red).items():
        (tmp_path / f"T{n}.csv").write_bytes(data)
        tables.append(str(tmp_path / f"T{n}.csv"))
    (tmp_path / "S.toml").write_text(HOSPITAL_SCHEMA.to_toml())
    (tmp_path / "series.zip").write_bytes(played.data)
    (tmp_path / "rules.toml").write_text(played.contest.ruleset_text)
    asked = [
        *("--schema", str(tmp_path / "S.toml"), "--ruleset", str(tmp_path / "rules.toml")),
        *("--series", str(tmp_path / "series.zip"), "--tables", *tables),
    ]
    assert main(["sequential", "audit", *asked, "--json"]) == 0
    at_home = json.loads(capsys.readouterr().out)
    del at_home["report"]
    assert audit.values == at_home
    no_last = [
        name for name in DEFINITIONS if name != "worlds-last"
    ]  # the series has no column last
    assert [f["definition"] for f in at_home["findings"]] == no_last
    assert audit.done_steps == audit.n_steps - 1  # the last step had begun


def test_the_risks_are_those_that_were_scored_in_whatever_order_they_are_stored(
    played, cast, quick
):
    values = audited(cast.alice, played.submission).values
    measured = played.submission.evaluations.get().values
    last = values["findings"][0]["after"][-1]
    assert last["max"] == pytest.approx(measured["series-risk-max"], abs=1e-9)
    assert last["mean"] == pytest.approx(measured["series-risk-mean"], abs=1e-9)
    shuffled = json.loads(json.dumps(values, sort_keys=True))
    assert audits.results(shuffled) == audits.results(values)


def test_a_team_asks_and_the_page_says_who_is_pinned_down(
    played, cast, announced, quick, django_capture_on_commit_callbacks
):
    alice = client(cast.alice)
    before = alice.get(url(played.submission)).text
    assert "Definitions and attackers" in before
    assert all(title in before for title in ATTACKERS.values() if "'" not in title)
    assert "All built-in attackers" not in before
    with django_capture_on_commit_callbacks(execute=True):
        assert alice.post(url(played.submission)).status_code == 302
    audit = Audit.objects.get(submission=played.submission)
    assert announced == [audit.pk]
    jobs.work_on(Audit, audit.pk)
    audit.refresh_from_db()
    page = alice.get(url(played.submission)).text
    first = audit.values["people"][0]
    assert first["id"] in page
    assert "Row counting: the largest risk is" in page
    assert "People at risk" in page
    assert "Not found: there are too many records" in page
    assert ", ".join(f"R{release}" for release in first["pinned_by"]) in page


def test_the_submission_leads_to_its_audit(played, cast):
    page = client(cast.alice).get(reverse("submission", args=[played.submission.public_id])).text
    assert url(played.submission) in page


def test_the_people_of_a_team_are_named_to_it_and_to_organizers_alone(played, cast, quick):
    audit = audited(cast.oscar, played.submission)
    name = audit.values["people"][0]["id"]
    for kind in ("audit", "audit-report"):
        assert name in client(cast.alice).get(url(played.submission, kind)).text
        assert name in client(cast.oscar).get(url(played.submission, kind)).text
        for other in (cast.carol, cast.eve):
            assert client(other).get(url(played.submission, kind)).status_code == 404
    Round.objects.filter(contest=played.contest).update(feedback=Round.Feedback.AFTER_CLOSE)
    assert client(cast.alice).get(url(played.submission)).status_code == 404
    own = {row[identifier()] for t in series.tables_of(played.red).values() for row in t}
    assert {person["id"] for person in audit.values["people"]} <= own


def identifier() -> str:
    return next(c.name for c in HOSPITAL_SCHEMA.columns if c.role == "identifier")


def test_the_report_is_a_download_in_the_readers_language(played, cast, quick, settings):
    settings.LANGUAGES = LANGUAGES
    audited(cast.alice, played.submission)
    alice = client(cast.alice)
    english = alice.get(url(played.submission, "audit-report"))
    assert english["Content-Disposition"].startswith("attachment; ")
    assert '<html lang="en">' in english.text
    assert "Audit of a series of releases" in english.text
    assert played.submission.files.get(key="series").file.sha256 in english.text
    japanese = alice.get(url(played.submission, "audit-report"), headers={"Accept-Language": "ja"})
    assert '<html lang="ja">' in japanese.text
