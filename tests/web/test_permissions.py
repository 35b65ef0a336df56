# SPDX-License-Identifier: Apache-2.0
"""Every address × every role: what a GET and a POST answer. A new address without a line here fails the test.

The contest stands in its attack round, both tables are published, and `submission` is alice's own.
"""

from __future__ import annotations

import re
from datetime import timedelta
from functools import cache
from types import SimpleNamespace

import pytest
from django.test import Client
from django.urls import get_resolver, reverse

from pwscup.accounts import guests
from pwscup.accounts.models import Invitation, OfficeInvitation
from pwscup.accounts.tokens import create_token
from pwscup.api.views import document
from pwscup.audits.models import Audit
from pwscup.contests.branding.shown import name_of
from pwscup.contests.models import Branding, Material, RoundHint, Sample, Sponsor
from pwscup.core import jobs
from pwscup.core.files import storage
from pwscup.experiments.models import Experiment
from pwscup.notices.models import Announcement, Question, Webhook
from pwscup.notices.webhooks.signing import unsubscribe_token
from pwscup.submissions import releases, services
from pwscup.submissions.models import Submission
from pwscup.trials.models import Trial
from tests import factories
from tests.pictures import picture
from tests.web.conftest import hear
from tests.web.experiments import make_experiment

ROLES = ("visitor", "eve", "alice", "bob", "carol", "oscar", "olga")
STRANGERS = ("visitor", "eve", "carol", "olga")
LOGIN, OK, BACK, NO_TOKEN, GONE, SHUT, TAKEN, WRONG = "login", 200, 302, 401, 404, 405, 409, 422

# Who is answered how; the columns are ROLES. olga organizes another contest.
EVERYBODY = (OK, OK, OK, OK, OK, OK, OK)
NOBODY = (GONE, GONE, GONE, GONE, GONE, GONE, GONE)
# A log-in opens nothing of the API: what a token opens is in test_api.py.
BY_TOKEN = (NO_TOKEN, NO_TOKEN, NO_TOKEN, NO_TOKEN, NO_TOKEN, NO_TOKEN, NO_TOKEN)
NO_GET = (SHUT, SHUT, SHUT, SHUT, SHUT, SHUT, SHUT)
PERSON = (LOGIN, OK, OK, OK, OK, OK, OK)
PERSON_BACK = (LOGIN, BACK, BACK, BACK, BACK, BACK, BACK)
OWN_TEAM = (GONE, GONE, OK, OK, GONE, OK, GONE)
OWN = (LOGIN, GONE, OK, GONE, GONE, GONE, GONE)  # alice's
OWN_TEAM_OR_LOGIN = (LOGIN, GONE, OK, OK, GONE, OK, GONE)
PLAYERS = (GONE, GONE, OK, OK, OK, OK, GONE)
PLAYERS_OR_LOGIN = (LOGIN, GONE, OK, OK, OK, OK, GONE)
ITS_ORGANIZERS = (LOGIN, GONE, GONE, GONE, GONE, OK, GONE)
ORGANIZERS = (LOGIN, GONE, GONE, GONE, GONE, OK, OK)


def api_names(method: str) -> str:
    """The addresses of the API with an operation of this method."""
    described = {path for path, operations in document()["paths"].items() if method in operations}
    return " ".join(name for name, path in addresses_of_api().items() if path in described)


@cache
def addresses_of_api() -> dict[str, str]:
    """Name → address as the description of the API writes it."""
    found = {name: where for name, where in by_name().items() if where.startswith("api/v1/")}
    return {
        name: "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", where) for name, where in found.items()
    }


@cache
def by_name() -> dict[str, str]:
    """Name → one pattern, for every address of the installation."""

    def walk(resolver, prefix=""):
        for pattern in resolver.url_patterns:
            where = prefix + str(pattern.pattern)
            if hasattr(pattern, "url_patterns"):
                yield from walk(pattern, where)
            else:
                yield pattern.name, where

    return dict(walk(get_resolver()))


ALL_OF_API = {name for name in by_name() if name.startswith("api-")} - {
    "api-root",
    "api-openapi",
    "api-docs",
}


def api_without(method: str) -> str:
    return " ".join(ALL_OF_API - set(api_names(method).split()))


GET: dict[tuple[object, ...], str] = {
    EVERYBODY: """
        account_email_verification_sent account_inactive account_reset_password
        account_reset_password_done account_reset_password_from_key_done account_confirm_email
        account_reset_password_from_key
        join enter about status help help-file help-page help-search
        board-history board-history-csv brand-style contest-picture
        api-docs api-openapi board board-csv board-fragment ceremony ceremony-fragment contest contests home invitation
        debriefing debriefing-status projector projector-fragment team-page team-history-csv
        office-invitation
        round round-awaited rules schema terms trials
        news news-feed unsubscribe""",
    # The one is open only in a demo, from this very machine; in this contest teams share a table, and
    # its secret is not published before it is over.
    BY_TOKEN: api_names("get"),
    NOBODY: """
        api-root guest-vote library notebook release-candidates trial-file
        hierarchies mail report reveal team-data
        submission-data-csv answer answer-csv batch-release estimate-template""",
    PERSON: """
        account account-delete account_change_password account_email account_reauthenticate team toasts tokens questions
        experiments experiment-new""",
    (OK, OK, BACK, BACK, BACK, OK, OK): "join-class",
    (LOGIN, BACK, OK, OK, OK, BACK, BACK): "joined",
    PERSON_BACK: """
        account_confirm_login_code account_set_password experiments-compare
        team-contribute team-create team-division team-invite team-leave team-profile team-remove team-rename
        team-revoke team-short-name team-transfer""",
    (OK, BACK, BACK, BACK, BACK, BACK, BACK): "account_login account_signup",
    (BACK, OK, OK, OK, OK, OK, OK): "account_logout",
    (BACK, BACK, BACK, BACK, BACK, BACK, BACK): "set_language",
    OWN_TEAM: """
        receipt receipt-json submission submission-appeal submission-data submission-file submission-history
        submission-history-csv
        submission-status
        audit audit-status audit-report""",
    OWN_TEAM_OR_LOGIN: "submission-ranks question",
    OWN: "experiment experiment-figure experiment-figure-csv experiment-status experiment-zip",
    PLAYERS: "release round-check targets-zip",
    (GONE, GONE, OK, OK, OK, GONE, GONE): "round-history round-places board-trail",
    (GONE, GONE, OK, OK, GONE, GONE, GONE): "trial trial-status",
    PLAYERS_OR_LOGIN: "material original sample mail-preferences",
    ITS_ORGANIZERS: """
        organize-board organize-ceremony organize-ceremony-fragment organize-clock organize-contest
        organize-debriefing
        organize-data organize-prepare organize-terms organize-teams organize-poster organize-appearance
        organize-materials organize-hints
        organize-invitations-csv organize-decisions organize-events organize-events-csv
        organize-events-jsonl organize-rounds organize-settings organize-start
        organize-submissions organize-submissions-csv organize-live organize-live-csv
        organize-news organize-announcement organize-questions organize-question organize-webhooks
        organize-rules organize-rescore organize-dry-run organize-report organize-archive""",
    ORGANIZERS: "organize organize-new organize-import organize-codabench",
    NO_GET: api_without("get")
    + """
        set_theme
        organize-debriefing-again organize-debriefing-examples
        organize-columns organize-generate organize-prepare-apply
        organize-organizers organize-publish organize-unpublish
        organize-ceremony-end organize-ceremony-move organize-ceremony-start organize-freeze organize-thaw
        organize-reveal organize-public-value organize-round-open organize-round-close organize-round-extend
        organize-round-reopen
        organize-outage organize-pause organize-resume organize-erase organize-retention organize-judges
        organize-divisions organize-invitations organize-team-list organize-team-move
        organize-team-remove organize-team-short-name organize-team-readmit organize-class-code organize-guest-link
        organize-material organize-hint organize-sponsor
        organize-baseline-teams link-new organize-vote
        organize-announcement-withdraw organize-question-publish organize-webhook
        organize-rules-preview organize-report-publish organize-archive-delete team-archive
        original-choose submission-cancel submission-choose submission-note submission-rule organize-retry trial-submit
        experiment-delete experiment-stop token-revoke""",
    (LOGIN, GONE, OK, OK, OK, GONE, GONE): "decisions",
    # only administrators of the site: tests/web/test_site_organizers.py
    # nothing is computed, played or written down under that number, nobody presents in this contest
    # and nothing is disclosed: who may do what where it is, is in test_lecture_marks.py and
    # test_disclosure_pages.py
    (LOGIN, GONE, GONE, GONE, GONE, GONE, GONE): """
        site-organizers
        marks timer vote slides ask answers-zip organize-disclosure organize-prepare-steps organize-prepare-csv
        organize-archive-file organize-archive-history organize-archive-status organize-import-status
        organize-codabench-bundle
        organize-rescore-status organize-dry-run-status organize-rules-version
        organize-debriefing-part
        certificate organize-report-preview organize-report-status""",
    # the contest goes on: the page of the report says so
    (LOGIN, GONE, GONE, GONE, GONE, BACK, GONE): "organize-certificates",
}

# An empty POST by those who have no business there; the columns are STRANGERS.
POST: dict[tuple[object, ...], str] = {
    (SHUT, SHUT, SHUT, SHUT): api_without("post")
    + """
        certificate organize-certificates organize-report-preview organize-report-status report
        debriefing debriefing-status organize-debriefing-part projector projector-fragment
        organize-ceremony organize-ceremony-fragment
        organize-archive-file organize-archive-history organize-archive-status organize-import-status
        organize-rescore-status organize-dry-run-status organize-rules-version
        api-docs api-openapi board board-csv board-fragment ceremony ceremony-fragment contest contests home mail
        organize toasts
        about status help help-file help-page help-search
        board-history board-history-csv board-trail brand-style contest-picture submission-data-csv
        answer answer-csv batch-release estimate-template organize-disclosure library notebook
        hierarchies material team-page team-history-csv organize-prepare-csv
        organize-clock organize-contest organize-live organize-live-csv
        organize-teams organize-invitations-csv organize-poster joined
        organize-events organize-events-csv organize-events-jsonl original receipt
        receipt-json release reveal round-awaited round-check round-history round-places rules sample schema
        submission submission-file submission-history submission-history-csv
        submission-ranks submission-status targets-zip team-data
        audit-status audit-report release-candidates trial trial-status trial-file
        news news-feed question organize-questions
        experiments experiments-compare experiment experiment-figure experiment-figure-csv
        experiment-status experiment-zip""",
    (
        LOGIN,
        SHUT,
        SHUT,
        SHUT,
    ): "answers-zip slides timer decisions organize-submissions organize-submissions-csv",
    (LOGIN, GONE, GONE, GONE): """
        site-organizers
        marks ask organize-codabench-bundle
        organize-board organize-ceremony-end organize-ceremony-move organize-ceremony-start
        organize-debriefing organize-debriefing-again organize-debriefing-examples
        organize-freeze organize-thaw
        organize-columns organize-generate organize-data organize-decisions organize-organizers
        organize-prepare organize-prepare-steps organize-prepare-apply
        organize-publish organize-reveal organize-public-value
        organize-round-close organize-retry
        organize-outage organize-pause organize-resume organize-round-extend
        organize-erase organize-retention organize-terms organize-judges
        organize-divisions organize-invitations organize-team-list organize-team-move
        organize-team-remove organize-team-short-name organize-team-readmit organize-class-code organize-guest-link
        organize-appearance organize-sponsor
        organize-material organize-materials organize-hint organize-hints
        organize-baseline-teams organize-vote vote
        organize-round-reopen organize-round-open organize-rounds organize-settings organize-start organize-unpublish
        team-remove team-transfer
        experiment-delete experiment-stop token-revoke
        organize-news organize-announcement organize-announcement-withdraw organize-question
        organize-question-publish organize-webhook organize-webhooks
        organize-rules organize-rules-preview organize-report organize-report-publish organize-rescore organize-dry-run
        organize-archive organize-archive-delete""",
    (LOGIN, GONE, GONE, OK): "organize-new",
    (LOGIN, GONE, GONE, WRONG): "organize-import organize-codabench",
    (
        GONE,
        GONE,
        GONE,
        GONE,
    ): """
        api-root guest-vote submission-cancel submission-choose submission-note submission-appeal
        submission-data submission-rule audit
        trial-submit""",
    (LOGIN, OK, OK, OK): "account account-delete team tokens",
    (NO_TOKEN, NO_TOKEN, NO_TOKEN, NO_TOKEN): api_names("post"),
    (LOGIN, WRONG, WRONG, WRONG): "round team-create experiment-new",
    # carol acts on her own team; to the others there is none
    (LOGIN, GONE, WRONG, GONE): "team-rename team-short-name questions mail-preferences trials",
    (
        LOGIN,
        GONE,
        BACK,
        GONE,
    ): """
        original-choose terms team-archive team-contribute team-division team-profile team-invite
        team-revoke team-leave""",
    (BACK, BACK, BACK, BACK): "set_language set_theme",
    # no code, no name and no team
    (WRONG, WRONG, WRONG, WRONG): "join join-class",
    (LOGIN, BACK, BACK, BACK): "link-new",  # accounts with a password have none
    (OK, OK, OK, OK): "unsubscribe",  # the token says for whom, and opens nothing else
}
# A POST that makes the stranger a member: tests/web/test_teams.py, test_joining.py; allauth's own: test_accounts.py.
POST_ELSEWHERE = {"invitation", "office-invitation", "enter"}


def table(rows: dict[tuple[object, ...], str]) -> dict[str, tuple[object, ...]]:
    return {name: answers for answers, names in rows.items() for name in names.split()}


def answer(client: Client, method: str, url: str) -> int | str:
    """The status, or "login" for a redirect to the log-in page."""
    response = getattr(client, method)(url)
    if response.status_code == 302 and "/accounts/login/" in response["Location"]:
        return LOGIN
    return response.status_code


@pytest.fixture
def stage(transactional_db, monkeypatch) -> SimpleNamespace:
    """The cast, a contest in its attack round with two published tables, and a client for each role."""
    hear(monkeypatch, Submission)
    people = {name: factories.make_user(name) for name in ("eve", "alice", "bob", "carol")}
    people |= {name: factories.make_user(name, is_organizer=True) for name in ("oscar", "olga")}
    contest = factories.make_contest(organizer=people["oscar"], phase="attack")
    sample = storage.store(factories.NOISY, area=storage.Area.PUBLISHED, name="sample.csv")
    Sample.objects.create(contest=contest, key="anonymized", file=sample)
    red = factories.make_team(contest, "Red", people["alice"], people["bob"])
    blue = factories.make_team(contest, "Blue", people["carol"])
    first, second = contest.rounds.all()
    submissions = [
        services.submit(
            user=team.captain,
            team=team,
            round=first,
            files={"anonymized": ("y.csv", factories.NOISY), "rows": ("r.csv", factories.ROWS)},
            arrived_at=first.opens_at + timedelta(hours=1),
        )
        for team in (red, blue)
    ]
    for submission in submissions:
        jobs.work_on(Submission, submission.pk)
    releases.publish(second)
    slides = storage.store(b"%PDF-", area=storage.Area.PUBLISHED, name="slides.pdf")
    logo = storage.store(picture(), area=storage.Area.PUBLISHED, name="logo.png")
    Branding.objects.create(contest=contest, logo=logo, logo_width=64, logo_height=32)
    material = Material.objects.create(
        contest=contest, kind="file", title="Slides", file=slides, audience="teams"
    )
    type(contest).objects.update(has_trials=True)
    trial = Trial.objects.create(
        team=red,
        round=first,
        number=1,
        steps=[{"method": "mondrian", "values": {"k": 3}, "seed": "1"}],
        state=Trial.State.FAILED,
    )
    audit = Audit.objects.create(submission=submissions[0], state=Audit.State.FAILED)
    audit.reports.create(language="en", html="<!doctype html>")
    experiment = make_experiment(people["alice"], state=Experiment.State.DONE)
    question = Question.objects.create(contest=contest, team=red, subject="Rows", text="Which?")
    token, _text = create_token(user=people["alice"], name="laptop", days=7)
    guest = factories.make_user("guest", guest_of=contest)
    guest.set_unusable_password()
    guest.save()
    clients = {name: Client() for name in ROLES}
    for name, user in people.items():
        clients[name].force_login(user)
    return SimpleNamespace(
        contest=contest,
        clients=clients,
        submission=submissions[0],
        release=second.releases.get(team=red),
        code=guests.create_code(actor=people["oscar"], contest=contest, seats=9),
        link=guests.new_link(actor=people["oscar"], user=guest),
        invitation=Invitation.objects.create(team=red, created_by=people["alice"]),
        office=OfficeInvitation.objects.create(
            contest=contest, office="judge", email="x@example.org"
        ),
        question=question,
        material=material,
        picture=name_of(logo),
        sponsor=Sponsor.objects.create(contest=contest, name="ACME"),
        hint=RoundHint.objects.create(round=first, text="Look at the towns."),
        announcement=Announcement.objects.create(contest=contest, title="News"),
        experiment=experiment,
        trial=trial,
        token=token,
        webhook=Webhook.objects.create(contest=contest, url="https://hooks.example.org/"),
        unsubscribe=unsubscribe_token(people["bob"].pk, contest.pk),
    )


def arguments(name: str, stage: SimpleNamespace) -> dict[str, object]:
    """What fills the pattern of an address."""
    pattern = by_name()[name]
    values: dict[str, object] = {}
    if "<slug:slug>" in pattern:
        values["slug"] = stage.contest.slug
    if "<slug:key>" in pattern:
        values["key"] = "anonymized" if name in ("submission-file", "trial-file") else "attack"
    if ":public_id>" in pattern:
        things = {
            "release": stage.release,
            "question": stage.question,
            "organize-question": stage.question,
            "organize-question-publish": stage.question,
            "organize-webhook": stage.webhook,
        }
        default = stage.experiment if name.startswith("experiment") else stage.submission
        default = stage.trial if name.startswith("trial") else default
        values["public_id"] = things.get(name, default).public_id
    if "<slug:division>" in pattern:
        values["division"] = "students"
    if "<slug:board>" in pattern:
        values["board"] = "overall"
    if "<slug:team>" in pattern:
        values["team"] = "red"
    if "<path:name>" in pattern:
        values["name"] = "images/house.svg"
    if "<path:address>" in pattern:
        values["address"] = "how-to/attack"
    if "<str:name>" in pattern:
        values["name"] = "anonymized.csv"
    if name.endswith("contest-picture"):
        values["name"] = stage.picture
    if name == "brand-style":
        values["name"] = "2457c5"
    if "<slug:token>" in pattern:
        office = name == "office-invitation"
        values["token"] = (stage.office if office else stage.invitation).token
    if "<class_code:code>" in pattern:
        values["code"] = stage.code.code
    if name == "enter":
        values["token"] = stage.link
    if "<str:figure>" in pattern:
        values["figure"] = "figure3-k"
    if "<str:token>" in pattern:
        values["token"] = stage.unsubscribe
    if "<int:number>" in pattern:
        things = {"token-revoke": stage.token, "organize-hint": stage.hint}
        things |= dict.fromkeys(("material", "organize-material"), stage.material)
        teams = ("team-page", "team-history-csv", "api-team-page")
        things |= dict.fromkeys(teams, stage.submission.team)
        things["organize-sponsor"] = stage.sponsor
        values["number"] = things.get(name, stage.announcement).pk
    if name == "account_confirm_email":
        values["key"] = "unknown"
    if name == "account_reset_password_from_key":
        values |= {"uidb36": "1", "key": "unknown"}
    return values


def test_every_address_has_its_line():
    names = set(by_name())
    ours = {name for name in names if not name.startswith("account_")}
    assert set(table(GET)) == names
    assert set(table(POST)) | POST_ELSEWHERE == ours


def test_get(stage):
    for name, expected in table(GET).items():
        url = reverse(name, kwargs=arguments(name, stage))
        got = tuple(answer(stage.clients[role], "get", url) for role in ROLES)
        assert (name, got) == (name, expected)


def test_post_of_strangers(stage):
    for name, expected in table(POST).items():
        url = reverse(name, kwargs=arguments(name, stage))
        got = tuple(answer(stage.clients[role], "post", url) for role in STRANGERS)
        assert (name, got) == (name, expected)
    stage.submission.refresh_from_db()
    assert stage.submission.state == "scored"
    stage.token.refresh_from_db()
    assert stage.token.revoked_at is None
    assert stage.contest.teams.count() == 2
