# SPDX-License-Identifier: Apache-2.0
"""The end of a contest for organizers: report, certificates, debriefings, and the spending of a disclosure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import Http404, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_noop as _
from ninja import Status

from pwscup.api import schemas
from pwscup.api.forms import checked, refuse_unknown
from pwscup.api.operations import Operations
from pwscup.api.organize.common import CONTEST, VERSION, contest_of
from pwscup.api.problems import ApiRefused
from pwscup.api.schemas import organize as shapes
from pwscup.api.teams.reports import LANGUAGE, OCTETS, language_of, shown_part
from pwscup.contests.models import Contest
from pwscup.contests.services import ContestRefused
from pwscup.core.http.attachments import attached
from pwscup.debriefings import facts, forms
from pwscup.debriefings import pages as debriefed
from pwscup.debriefings import selectors as debriefings
from pwscup.debriefings import services as debriefing_services
from pwscup.disclosure.pages import disclosing_rounds
from pwscup.formats.files import PDF
from pwscup.reports import certificates as awards
from pwscup.reports import selectors, services
from pwscup.reports.outcome import blockers, deciding_rounds
from pwscup.submissions.pages.downloads import upload_response

if TYPE_CHECKING:
    from pwscup.core.http.requests import ApiRequest
    from pwscup.debriefings.models import DebriefingPart

router = Operations(tags=["organizing: reports"])
REPORT, DEBRIEFING = f"{CONTEST}/report", f"{CONTEST}/debriefing"


# The final report


@router.looks(
    REPORT,
    "organize-report",
    shapes.FinalReport,
    _("The final report: its progress, and what hinders it and the certificates"),
)
def report(request: ApiRequest, slug: str) -> shapes.FinalReport:
    return _report(contest_of(request, slug))


def _report(contest: Contest) -> shapes.FinalReport:
    held, now = Contest.objects.get(pk=contest.pk), timezone.now()
    newest = selectors.newest(held)
    hindered = selectors.report_blockers(held, now)
    undecided = blockers(held, now, deciding_rounds(held))
    return shapes.FinalReport(
        state=newest.state if newest else "none",
        is_final=newest is None or newest.is_final,
        reference=newest.reference if newest else "",
        published_at=[
            one.published_at for one in selectors.published_versions(held) if one.published_at
        ],
        hindered=[str(words) for words in hindered],
        certificates_hindered=[str(words) for words in undecided],
        version=held.version,
    )


@router.acts(
    REPORT,
    "organize-report",
    shapes.FinalReport,
    _("Write the final report; it is not published by that"),
    as_="organize-report-write",
    status=201,
)
def write(
    request: ApiRequest, slug: str, body: shapes.NewReport, version: int | None = VERSION
) -> Status:
    contest = contest_of(request, slug)
    services.request_report(
        actor=request.user,
        contest=contest,
        version=version,
        names_disqualified=body.names_disqualified,
    )
    return Status(201, _report(contest))


@router.acts(
    f"{REPORT}/publish",
    "organize-report-publish",
    shapes.FinalReport,
    _("Publish the newest final report"),
)
def publish(request: ApiRequest, slug: str, version: int | None = VERSION) -> shapes.FinalReport:
    contest = contest_of(request, slug)
    services.publish_report(actor=request.user, contest=contest, version=version)
    return _report(contest)


@router.file(
    f"{REPORT}/preview",
    "organize-report-preview",
    [OCTETS],
    _("The newest final report as HTML, published or not"),
)
def preview(request: ApiRequest, slug: str, language: str = LANGUAGE) -> HttpResponse:
    contest = contest_of(request, slug)
    newest = selectors.newest(contest)
    html = selectors.page_of(newest, language_of(language)) if newest else None
    if html is None:
        raise Http404
    return upload_response(f"{contest.slug}-report.html", html.encode())


@router.file(
    f"{CONTEST}/certificates",
    "organize-certificates",
    [PDF],
    _("The certificates of all teams in one file, once decided"),
)
def certificates(request: ApiRequest, slug: str, language: str = LANGUAGE) -> HttpResponse:
    from pwscup.reports import pdf  # imports the fonts, which few requests need

    contest, now = contest_of(request, slug), timezone.now()
    if hindered := blockers(contest, now, deciding_rounds(contest)):
        raise ContestRefused(*hindered)
    found = awards.for_everybody(contest, now, language_of(language))
    if not found:
        raise ContestRefused(gettext_lazy("There is no team for a certificate."))
    response = HttpResponse(pdf.document(found), content_type=PDF)
    return attached(response, f"{contest.slug}-certificates.pdf", is_private=True)


# Debriefings


@router.looks(
    DEBRIEFING,
    "organize-debriefing",
    shapes.OrganizedDebriefing,
    _("The settings of debriefings, and their parts by team and round"),
)
def debriefing(request: ApiRequest, slug: str) -> shapes.OrganizedDebriefing:
    return _debriefing(contest_of(request, slug))


def _debriefing(contest: Contest) -> shapes.OrganizedDebriefing:
    held = Contest.objects.get(pk=contest.pk)
    settings, found = (
        facts.settings_of(held),
        debriefing_services.ensure(held, timezone.now()),
    )
    chosen = debriefings.examples_in(held)
    return shapes.OrganizedDebriefing(
        after_stages=settings.after_stages,
        discloses_table=settings.discloses_table,
        state=found.state if found else "none",
        done_parts=found.done_parts if found else 0,
        n_parts=found.n_parts if found else 0,
        parts=[
            shapes.DebriefedTeam(
                team=one.part.team.slug,
                round=one.part.round.key,
                sentence=str(one.sentence),
                shown=_shown_as(chosen.get((one.part.team_id, one.part.round_id))),
            )
            for one in debriefed.overview(found)
        ],
        version=held.version,
    )


def _shown_as(named: bool | None) -> str:
    return forms.HIDDEN if named is None else forms.NAMED if named else forms.UNNAMED


@router.acts(
    DEBRIEFING,
    "organize-debriefing",
    shapes.OrganizedDebriefing,
    _("Set when debriefings are shown, and whether they disclose the hidden table"),
    as_="organize-debriefing-change",
    method="PATCH",
)
def change(
    request: ApiRequest,
    slug: str,
    body: shapes.DebriefingChange,
    version: int | None = VERSION,
) -> shapes.OrganizedDebriefing:
    contest = contest_of(request, slug)
    settings = facts.settings_of(contest)
    given = {key: value for key, value in body.dict().items() if value is not None}
    known = forms.SettingsForm(contest, instance=settings).fields
    refuse_unknown((name for name in given if name not in known), "body", "body")
    data = {name: getattr(settings, name) for name in known} | given
    chosen = checked(forms.SettingsForm(contest, data, instance=settings)).chosen
    debriefing_services.change(actor=request.user, contest=contest, version=version, **chosen)
    return _debriefing(contest)


@router.acts(
    f"{DEBRIEFING}/examples",
    "organize-debriefing-examples",
    shapes.OrganizedDebriefing,
    _("Choose the examples that the class sees, with or without the name of the team"),
    method="PUT",
)
def choose(
    request: ApiRequest, slug: str, body: shapes.Examples, version: int | None = VERSION
) -> shapes.OrganizedDebriefing:
    contest = contest_of(request, slug)
    found = debriefing_services.ensure(contest, timezone.now())
    parts = {(part.team.slug, part.round.key): part for part in debriefings.all_parts(found)}
    data = {
        forms.field_of(_part_in(parts, one)): forms.NAMED if one.names_team else forms.UNNAMED
        for one in body.examples
    }
    form = checked(forms.ExamplesForm([*parts.values()], {}, data | {"version": 0}))
    if parts:
        debriefing_services.choose_examples(
            actor=request.user, contest=contest, version=version, examples=form.examples
        )
    return _debriefing(contest)


def _part_in(parts: dict[tuple[str, str], DebriefingPart], one: shapes.Example) -> DebriefingPart:
    found = parts.get((one.team, one.round))
    if found is None:
        raise ApiRefused("debriefing.unknown", got=f"{one.team}, {one.round}")
    return found


@router.acts(
    f"{DEBRIEFING}/again",
    "organize-debriefing-again",
    shapes.OrganizedDebriefing,
    _("Compute all debriefings again"),
)
def again(
    request: ApiRequest, slug: str, version: int | None = VERSION
) -> shapes.OrganizedDebriefing:
    contest = contest_of(request, slug)
    debriefing_services.compute_again(actor=request.user, contest=contest, version=version)
    return _debriefing(contest)


@router.looks(
    f"{DEBRIEFING}/{{slug:team}}/{{slug:key}}",
    "organize-debriefing-part",
    schemas.DebriefingPart,
    _("The debriefing of a team in a round, without the records in it"),
)
def part(request: ApiRequest, slug: str, team: str, key: str) -> schemas.DebriefingPart:
    contest = contest_of(request, slug)
    found = debriefing_services.ensure(contest, timezone.now())
    one = debriefings.part_of_slug(found, team, key)
    return shown_part(one, (), one.team.slug, is_example=True)


# Disclosure of a hidden table


@router.looks(
    f"{CONTEST}/disclosure",
    "organize-disclosure",
    list[shapes.Disclosing],
    _("Rounds that disclose a hidden table: releases, and the spending of each team"),
)
def disclosure(request: ApiRequest, slug: str) -> list[shapes.Disclosing]:
    contest = contest_of(request, slug)
    if not contest.format.hides_table:
        raise Http404
    return [
        shapes.Disclosing(
            round=one.round.key,
            epsilon=f"{one.epsilon:f}",
            released_at=one.release.created_at if one.release else None,
            teams=[
                shapes.Spending(
                    team=line.team.slug,
                    spent=f"{line.budget.spent:f}",
                    left=f"{line.budget.remaining:f}",
                    n_answers=line.n_answers,
                    last_at=line.last_at,
                )
                for line in one.lines
            ],
        )
        for one in disclosing_rounds(contest)
    ]
