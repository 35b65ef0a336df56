# SPDX-License-Identifier: Apache-2.0
"""Contests of an organizer: creation, settings, publication, staff, terms and the audit trail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_noop as _
from ninja import Query, Status

from pwscup.accounts.models import OfficeInvitation
from pwscup.api.forms import checked, data_of, refuse_unknown
from pwscup.api.operations import Operations, Paging, paged
from pwscup.api.organize.common import (
    CONTEST,
    ORGANIZED,
    VERSION,
    changed,
    contest_of,
    on_the_clock,
    shown,
)
from pwscup.api.schemas import organize as shapes
from pwscup.contests import policies, selectors, services
from pwscup.contests.forms import EraseForm, NewContestForm, RetentionForm, SettingsForm, TermsForm
from pwscup.contests.forms.staff import OrganizerForm
from pwscup.contests.models import Contest
from pwscup.contests.organize import staff, trail
from pwscup.contests.services.commitment import add_public_value
from pwscup.contests.services.staff import open_invitations
from pwscup.core import seals
from pwscup.core.files.exports import csv_stream, in_parts
from pwscup.core.http.attachments import attached
from pwscup.formats.files import CSV
from pwscup.submissions.proof import reveals
from scoring.rulesets import load_ruleset, localized, ruleset_names

if TYPE_CHECKING:
    from pwscup.core.http.requests import ApiRequest

router = Operations(tags=["organizing: contests"])
LINES = "application/x-ndjson"
START = Query(False, description="also open the first round now; all others move with it")


# A contest


@router.looks(
    "/organize/formats", "organize-formats", list[shapes.Format], _("The formats of the library")
)
def formats(request: ApiRequest) -> list[shapes.Format]:
    _may_create(request)
    language = get_language() or "en"
    found = [(name, load_ruleset(name)) for name in ruleset_names()]
    return [
        shapes.Format(
            name=name,
            title=localized(rules.title, language),
            summary=localized(rules.summary, language),
        )
        for name, rules in found
    ]


def _may_create(request: ApiRequest) -> None:
    if not policies.may_create_contests(request.user):
        raise Http404


@router.looks(
    ORGANIZED, "organize", list[shapes.OrganizedContestLine], _("The contests that you organize")
)
def contests(request: ApiRequest) -> list[shapes.OrganizedContestLine]:
    return [
        shapes.OrganizedContestLine(
            slug=line.contest.slug,
            title=line.contest.local_title,
            state=line.state,
            n_teams=line.n_teams,
        )
        for line in selectors.organizer_list(request.user, timezone.now())
    ]


@router.acts(
    ORGANIZED,
    "organize",
    shapes.OrganizedContest,
    _("Create a contest as a draft, from a format or from rules of your own"),
    as_="organize-new",
    status=201,
)
def create(request: ApiRequest, body: shapes.NewContest) -> Status:
    _may_create(request)
    given = {key: value for key, value in body.dict().items() if value is not None}
    data = given | {"starts_at": on_the_clock(body.starts_at, body.timezone)}
    files = {}
    if text := data.pop("ruleset_text", None):
        files["ruleset_file"] = SimpleUploadedFile("rules.toml", text.encode())
    form = NewContestForm(data, files)
    if body.max_team_size is None:
        del form.fields["max_team_size"]
    made = services.create_contest(actor=request.user, **checked(form).cleaned_data)
    return Status(201, shown(made))


@router.looks(
    CONTEST,
    "organize-contest",
    shapes.OrganizedContest,
    _("A contest with its settings and its version"),
)
def contest(request: ApiRequest, slug: str) -> shapes.OrganizedContest:
    return shown(contest_of(request, slug))


@router.acts(
    CONTEST,
    "organize-contest",
    shapes.OrganizedContest,
    _("Change settings of a contest"),
    as_="organize-settings",
    method="PATCH",
)
def settings(
    request: ApiRequest, slug: str, body: shapes.Settings, version: int | None = VERSION
) -> shapes.OrganizedContest:
    found = contest_of(request, slug)
    edited = Contest.objects.get(pk=found.pk)  # a form writes its input into its instance
    form = SettingsForm(instance=edited)
    held = {name: form.initial.get(name) for name in form.fields}
    sent = body.dict(exclude_unset=True)
    # Settings of other formats: nothing is refused that sends them back as they are read here.
    others = (key for key, value in sent.items() if value and key not in form.fields)
    refuse_unknown(others, "body", "body")
    given = {key: value for key, value in sent.items() if key in form.fields}
    values = checked(
        SettingsForm(held | given | {"version": found.version}, instance=edited)
    ).cleaned_data
    values = {key: value for key, value in values.items() if key != "version"}
    return changed(request, found, services.update_settings, version, values=values)


@router.acts(
    f"{CONTEST}/publish", "organize-publish", shapes.OrganizedContest, _("Publish a contest")
)
def publish(
    request: ApiRequest, slug: str, version: int | None = VERSION, start: bool = START
) -> shapes.OrganizedContest:
    service = services.publish_and_start if start else services.publish
    return changed(request, contest_of(request, slug), service, version)


@router.acts(
    f"{CONTEST}/unpublish",
    "organize-unpublish",
    shapes.OrganizedContest,
    _("Unpublish a contest that nobody has joined"),
)
def unpublish(
    request: ApiRequest, slug: str, version: int | None = VERSION
) -> shapes.OrganizedContest:
    return changed(request, contest_of(request, slug), services.unpublish, version)


# Staff


@router.looks(
    f"{CONTEST}/staff", "organize-staff", shapes.Staff, _("Organizers, judges and invitations")
)
def people(request: ApiRequest, slug: str) -> shapes.Staff:
    return _staff(contest_of(request, slug))


def _staff(found: Contest) -> shapes.Staff:
    def named(users: Any) -> list[shapes.Person]:
        ordered = users.order_by("display_name", "pk")
        return [shapes.Person(number=user.pk, name=user.display_name) for user in ordered]

    return shapes.Staff(
        organizers=named(found.organizers),
        judges=named(found.judges),
        invited=[
            shapes.OfficeOffer(
                number=one.pk, office=one.office, email=one.email, expires_at=one.expires_at
            )
            for one in open_invitations(found)
        ],
    )


@router.acts(
    f"{CONTEST}/staff",
    "organize-staff",
    shapes.Staff,
    _("Invite an organizer or a judge by email"),
    as_="organize-staff-invite",
    status=201,
)
def invite(request: ApiRequest, slug: str, body: shapes.NewOffice) -> Status:
    found = contest_of(request, slug)
    email = checked(OrganizerForm({"email": body.email})).cleaned_data["email"]
    if body.office not in OfficeInvitation.Office.values:
        raise Http404
    services.invite_to_office(actor=request.user, contest=found, office=body.office, email=email)
    return Status(201, _staff(found))


@router.acts(
    f"{CONTEST}/staff/invitations/{{int:number}}",
    "organize-staff-invitation",
    shapes.Staff,
    _("Withdraw the invitation of an organizer or a judge"),
    as_="organize-staff-withdraw",
    method="DELETE",
)
def withdraw(request: ApiRequest, slug: str, number: int) -> shapes.Staff:
    found = contest_of(request, slug)
    services.withdraw_office_invitation(actor=request.user, contest=found, invitation_id=number)
    return _staff(found)


@router.acts(
    f"{CONTEST}/staff/organizers/{{int:number}}",
    "organize-organizers",
    shapes.Staff,
    _("Remove an organizer"),
    method="DELETE",
)
def remove_organizer(request: ApiRequest, slug: str, number: int) -> shapes.Staff:
    found = contest_of(request, slug)
    services.remove_organizer(actor=request.user, contest=found, user_id=number)
    return _staff(found)


@router.acts(
    f"{CONTEST}/staff/judges/{{int:number}}",
    "organize-judges",
    shapes.Staff,
    _("Remove a judge"),
    method="DELETE",
)
def remove_judge(request: ApiRequest, slug: str, number: int) -> shapes.Staff:
    found = contest_of(request, slug)
    services.remove_judge(actor=request.user, contest=found, user_id=number)
    return _staff(found)


# Terms and retention


@router.looks(
    f"{CONTEST}/terms",
    "organize-terms",
    shapes.OrganizedTerms,
    _("The terms, who has accepted them, and how long data are kept"),
)
def terms(request: ApiRequest, slug: str) -> shapes.OrganizedTerms:
    found = contest_of(request, slug)
    return shapes.OrganizedTerms(
        terms=found.terms,
        terms_ja=found.terms_ja,
        retention_days=found.retention_days,
        erased_from=services.erased_from(found),
        acceptances=[
            shapes.Acceptance(
                name=one.name,
                team=one.team,
                accepted_at=one.accepted_at,
                is_current=one.is_present,
            )
            for one in staff.acceptances_of(found)
        ],
    )


@router.acts(
    f"{CONTEST}/terms",
    "organize-terms",
    shapes.OrganizedContest,
    _("Set the terms; everybody must accept them again"),
    as_="organize-terms-set",
    method="PUT",
)
def set_terms(
    request: ApiRequest, slug: str, body: shapes.NewTerms, version: int | None = VERSION
) -> shapes.OrganizedContest:
    found = contest_of(request, slug)
    given = dict(checked(TermsForm(data_of(body, version=0))).cleaned_data)
    del given["version"]
    return changed(request, found, services.update_terms, version, **given)


@router.acts(
    f"{CONTEST}/retention",
    "organize-retention",
    shapes.OrganizedContest,
    _("Set how long data are kept after the last round"),
    method="PUT",
)
def retention(
    request: ApiRequest, slug: str, body: shapes.Retention, version: int | None = VERSION
) -> shapes.OrganizedContest:
    found = contest_of(request, slug)
    days = checked(RetentionForm(data_of(body, version=0))).cleaned_data["days"]
    return changed(request, found, services.set_retention, version, days=days)


@router.acts(
    f"{CONTEST}/erase",
    "organize-erase",
    shapes.OrganizedContest,
    _("Delete the data of a contest that is over"),
)
def erase(
    request: ApiRequest, slug: str, body: shapes.Erasure, version: int | None = VERSION
) -> shapes.OrganizedContest:
    found = contest_of(request, slug)
    checked(EraseForm(data_of(body, version=0), slug=found.slug))
    return changed(request, found, services.erase, version)


# The audit trail


@router.looks(
    f"{CONTEST}/events",
    "organize-events",
    list[shapes.Event],
    _("The audit trail of a contest, the newest first"),
)
def events(
    request: ApiRequest, response: HttpResponse, slug: str, paging: Query[Paging]
) -> list[shapes.Event]:
    found = contest_of(request, slug)
    rows = paged(request, response, selectors.events_of(found), paging)
    return [
        shapes.Event(
            at=one.at,
            actor=one.actor,
            kind=one.kind,
            text=one.words,
            subject=one.subject,
            details=list(one.details),
        )
        for one in trail.shown(rows, found.tz)
    ]


@router.file(f"{CONTEST}/events.csv", "organize-events-csv", [CSV], _("The audit trail as CSV"))
def events_csv(request: ApiRequest, slug: str) -> StreamingHttpResponse:
    found = contest_of(request, slug)
    rows = trail.rows(in_parts(selectors.events_of(found)), found.tz)
    return csv_stream(selectors.download_name(found, "events.csv"), trail.HEADER, rows)


@router.file(
    f"{CONTEST}/events.jsonl",
    "organize-events-jsonl",
    [LINES],
    _("The audit trail with its seals, for verification"),
)
def events_jsonl(request: ApiRequest, slug: str) -> StreamingHttpResponse:
    found = contest_of(request, slug)
    seals.seal_all(found.pk)
    response = StreamingHttpResponse(trail.lines(found.pk), content_type=LINES)
    return attached(response, selectors.download_name(found, "events.jsonl"))


@router.acts(
    f"{CONTEST}/public-value",
    "organize-public-value",
    shapes.OrganizedContest,
    _("Announce a public value that draws depend on, or enter it"),
)
def public_value(
    request: ApiRequest, slug: str, body: shapes.PublicValue, version: int | None = VERSION
) -> shapes.OrganizedContest:
    return changed(request, contest_of(request, slug), add_public_value, version, **body.dict())


@router.acts(
    f"{CONTEST}/reveal",
    "organize-reveal",
    shapes.OrganizedContest,
    _("Publish the secret behind all draws, after the last round"),
)
def reveal(
    request: ApiRequest, slug: str, version: int | None = VERSION
) -> shapes.OrganizedContest:
    return changed(request, contest_of(request, slug), reveals.publish_reveal, version)
