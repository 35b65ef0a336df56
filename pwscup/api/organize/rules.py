# SPDX-License-Identifier: Apache-2.0
"""Rules with their versions, re-scoring, and the dry run of bots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext_noop as _
from ninja import Status

from pwscup.api import schemas
from pwscup.api.forms import checked, data_of
from pwscup.api.operations import Operations
from pwscup.api.organize.common import CONTEST, VERSION, contest_of
from pwscup.api.schemas import organize as shapes
from pwscup.api.teams.contests import rules_in_words
from pwscup.bots import copies
from pwscup.bots import selectors as dry_runs
from pwscup.bots.services import discard_dry_run, request_dry_run
from pwscup.contests import policies
from pwscup.contests.models import Contest
from pwscup.contests.selectors import missing_for_publication
from pwscup.core.http.attachments import attached
from pwscup.rescores import pages, selectors, services
from pwscup.rescores.forms import RulesForm
from scoring.rulesets import parse_ruleset

if TYPE_CHECKING:
    from collections.abc import Callable

    from pwscup.bots.models import Rehearsal
    from pwscup.core.http.requests import ApiRequest
    from pwscup.submissions.models import Rescore

router = Operations(tags=["organizing: rules"])
RULES, RESCORE, DRY_RUN = f"{CONTEST}/rules", f"{CONTEST}/rescore", f"{CONTEST}/dry-run"
TOML = "application/toml"


# Rules


@router.looks(
    RULES, "organize-rules", shapes.RulesText, _("The rules of a contest as TOML, and all versions")
)
def rules(request: ApiRequest, slug: str) -> shapes.RulesText:
    return _rules(contest_of(request, slug))


def _rules(contest: Contest) -> shapes.RulesText:
    held = Contest.objects.get(pk=contest.pk)
    return shapes.RulesText(
        text=held.ruleset_text,
        digest=held.ruleset.digest,
        version=held.version,
        has_begun=policies.has_submissions(held),
        versions=[
            shapes.RulesVersion(
                number=one.number,
                digest=one.digest,
                note=one.note,
                created_by=one.created_by.display_name if one.created_by else None,
                created_at=one.created_at,
                applied_at=one.applied_at,
            )
            for one in selectors.versions(held)
        ],
    )


@router.acts(
    RULES,
    "organize-rules",
    shapes.RulesText,
    _("Change the rules: in force immediately, or after the first submission by a re-scoring"),
    as_="organize-rules-change",
    method="PUT",
)
def change(
    request: ApiRequest, slug: str, body: shapes.NewRules, version: int | None = VERSION
) -> shapes.RulesText:
    contest = contest_of(request, slug)
    given = _given(body) | {"version": version}
    services.change_rules(actor=request.user, contest=contest, **given)
    return _rules(contest)


def _given(body: shapes.NewRules) -> dict[str, Any]:
    return dict(checked(RulesForm(data_of(body, version=0))).cleaned_data)


@router.acts(
    f"{RULES}/preview",
    "organize-rules-preview",
    schemas.Rules,
    _("The page of other rules in words; nothing is saved"),
)
def preview(request: ApiRequest, slug: str, body: shapes.NewRules) -> schemas.Rules:
    contest = contest_of(request, slug)
    text = _given(body)["text"]
    ruleset = parse_ruleset(text)
    return rules_in_words(pages.preview(contest, text)["rules"], ruleset.digest)


@router.file(
    f"{RULES}/{{int:number}}.toml",
    "organize-rules-version",
    [TOML],
    _("The text of one version of the rules"),
)
def rules_version(request: ApiRequest, slug: str, number: int) -> HttpResponse:
    contest = contest_of(request, slug)
    found = get_object_or_404(contest.ruleset_versions, number=number)
    response = HttpResponse(found.text, content_type=TOML)
    return attached(response, f"{contest.slug}-rules-{number}.toml")


# Re-scoring


@router.looks(
    RESCORE,
    "organize-rescore",
    shapes.Rescoring,
    _("The re-scoring: its progress, its effect once computed, and those of before"),
)
def rescore(request: ApiRequest, slug: str) -> shapes.Rescoring:
    return _rescoring(contest_of(request, slug))


def _rescoring(contest: Contest) -> shapes.Rescoring:
    held = Contest.objects.get(pk=contest.pk)
    current = selectors.undecided(held)
    library = pages.library(held)
    return shapes.Rescoring(
        version=held.version,
        installed=library["installed"],
        made_by=library["made_by"],
        current=_effect(current) if current else None,
        past=[_line(one) for one in selectors.rescores(held)],
    )


def _line(found: Rescore) -> shapes.RescoreLine:
    return shapes.RescoreLine(
        state=found.state,
        rules=found.rules.number,
        library=found.scoring_version,
        requested_at=found.requested_at,
        decided_at=found.decided_at,
    )


def _effect(found: Rescore) -> shapes.Effect:
    effect = pages.difference(found)
    return shapes.Effect(
        **_line(found).dict(),
        n_done=found.n_done,
        n_total=found.n_total,
        is_final=found.is_final,
        reference=found.reference,
        n_missing=effect.get("n_missing", 0),
        boards=[
            shapes.BoardEffect(
                title=board.title,
                rows=[
                    shapes.RankEffect(
                        team=row.team,
                        rank_before=row.rank_before,
                        rank_after=row.rank_after,
                        total_before=row.total_before,
                        total_after=row.total_after,
                    )
                    for row in board.rows
                ],
            )
            for board in effect["boards"]
        ],
        changed=[
            shapes.ResultEffect(
                submission=line.submission.public_id,
                state_before=line.state_before,
                state_after=line.state_after,
                values=[
                    shapes.ValueEffect(name=one.name, before=one.before, after=one.after)
                    for one in line.values
                ],
            )
            for line in effect.get("changed", ())
        ],
    )


@router.acts(
    RESCORE,
    "organize-rescore",
    shapes.Rescoring,
    _("Score everything again by the current rules and the installed library"),
    as_="organize-rescore-start",
)
def start(request: ApiRequest, slug: str, version: int | None = VERSION) -> shapes.Rescoring:
    return _decided(request, slug, services.start, version=version)


def _decided(
    request: ApiRequest, slug: str, service: Callable[..., Any], **what: Any
) -> shapes.Rescoring:
    contest = contest_of(request, slug)
    service(actor=request.user, contest=contest, **what)
    return _rescoring(contest)


@router.acts(
    f"{RESCORE}/complete",
    "organize-rescore-complete",
    shapes.Rescoring,
    _("Compute the rest: submissions that arrived meanwhile, or what failed"),
)
def complete(request: ApiRequest, slug: str) -> shapes.Rescoring:
    return _decided(request, slug, services.complete)


@router.acts(
    f"{RESCORE}/apply",
    "organize-rescore-apply",
    shapes.Rescoring,
    _("Apply a re-scoring: the boards use its results"),
)
def apply(request: ApiRequest, slug: str, version: int | None = VERSION) -> shapes.Rescoring:
    return _decided(request, slug, services.apply, version=version)


@router.acts(
    f"{RESCORE}/drop",
    "organize-rescore-drop",
    shapes.Rescoring,
    _("Discard a re-scoring: nothing changes"),
)
def drop(request: ApiRequest, slug: str, version: int | None = VERSION) -> shapes.Rescoring:
    return _decided(request, slug, services.drop, version=version)


# The dry run


@router.looks(
    DRY_RUN, "organize-dry-run", shapes.DryRun, _("The last dry run of bots, and its report")
)
def dry_run(request: ApiRequest, slug: str) -> shapes.DryRun:
    return _dry_run(contest_of(request, slug))


def _dry_run(contest: Contest) -> shapes.DryRun:
    held = Contest.objects.get(pk=contest.pk)
    found = dry_runs.newest(held)
    return shapes.DryRun(
        state=found.state if found else "none",
        is_final=found is None or found.is_final,
        step=found.step if found else "",
        seconds=found.seconds if found else None,
        reference=found.reference if found else "",
        n_bots=copies.n_bots(held),
        missing=[str(text) for text in missing_for_publication(held)],
        played_on=_copy(found),
        rounds=[
            shapes.DryRound(
                title=line.title,
                n_files=line.n_files,
                n_scored=line.n_scored,
                n_published=line.n_published,
                seconds=line.seconds,
                refused=[shapes.RefusedBot(who=who, why=why) for who, why in line.refused],
            )
            for line in (dry_runs.report_of(found) if found else [])
        ],
    )


def _copy(found: Rehearsal | None) -> str | None:
    return found.played_on.slug if found and found.played_on else None


@router.acts(
    DRY_RUN,
    "organize-dry-run",
    shapes.DryRun,
    _("Let bots play the contest on a copy that only its organizers see"),
    as_="organize-dry-run-start",
    status=201,
)
def play(request: ApiRequest, slug: str, version: int | None = VERSION) -> Status:
    contest = contest_of(request, slug)
    request_dry_run(actor=request.user, contest=contest, version=version)
    return Status(201, _dry_run(contest))


@router.acts(
    DRY_RUN,
    "organize-dry-run",
    shapes.DryRun,
    _("Remove the copy of a dry run; its report stays"),
    as_="organize-dry-run-remove",
    method="DELETE",
)
def discard(request: ApiRequest, slug: str, version: int | None = VERSION) -> shapes.DryRun:
    contest = contest_of(request, slug)
    discard_dry_run(actor=request.user, contest=contest, version=version)
    return _dry_run(contest)
