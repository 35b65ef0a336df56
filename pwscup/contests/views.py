"""The front page, a contest's overview and rules, and its downloads."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from pwscup.contests import guidance, policies, selectors
from pwscup.contests.models import Contest
from pwscup.contests.rules import rules_of
from pwscup.core import storage
from pwscup.core.models import StoredFile

CSV = "text/csv; charset=utf-8"


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    groups = selectors.front_page(request.user, now)
    demo = next((line.contest for line in groups["running"] if line.contest.is_demo), None)
    context = {"groups": groups, "now": now, "running_demo": demo}
    return render(request, "contests/home.html", context)


@require_safe
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    contest = selectors.visible_contest(request.user, slug)
    page = selectors.contest_page(request, contest, "overview")
    rounds, now = page["contest_rounds"], page["now"]
    may_download = policies.may_download_original(request.user, contest, now)
    page |= {
        "timeline": guidance.timeline(rounds, now),
        "boundary": guidance.next_boundary(rounds, now),
        "step": guidance.next_step(page, is_anonymous=request.user.is_anonymous),
        "has_started": policies.has_started(contest, now),
        "may_download": may_download,
        "downloads": selectors.downloads(contest),
        "n_teams": contest.teams.count(),
    }
    return render(request, "contests/overview.html", page)


@require_safe
def rules(request: HttpRequest, slug: str) -> HttpResponse:
    contest = selectors.visible_contest(request.user, slug)
    page = selectors.contest_page(request, contest, "rules")
    dataset = selectors.original_of(contest)
    page["rules"] = rules_of(
        contest.ruleset,
        page["contest_rounds"],
        dataset.schema if dataset else None,
        max_team_size=contest.max_team_size,
        unmeasured=selectors.unmeasured_of(contest, dataset),
    )
    return render(request, "contests/rules.html", page)


# Downloads


@require_safe
def original(request: HttpRequest, slug: str) -> HttpResponse:
    contest = selectors.visible_contest(request.user, slug)
    dataset = selectors.original_of(contest)
    return _offer(request, contest, dataset and dataset.public, "original.csv")


@require_safe
def sample(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    contest = selectors.visible_contest(request.user, slug)
    samples = {f"{key}.csv": one for key, one in selectors.samples_of(contest).items()}
    file = samples[name].file if name in samples else None
    return _offer(request, contest, file, f"sample-{name}")


@require_safe
def schema(request: HttpRequest, slug: str) -> HttpResponse:
    contest = selectors.visible_contest(request.user, slug)
    dataset = selectors.original_of(contest)
    if dataset is None:
        raise Http404
    response = HttpResponse(
        selectors.public_schema(dataset), content_type="application/toml; charset=utf-8"
    )
    name = selectors.download_name(contest, "schema.toml")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _offer(request: HttpRequest, contest: Contest, file: StoredFile | None, name: str) -> Any:
    """A published file for those who may have it; Http404 for strangers, log-in for visitors."""
    if not policies.may_download_original(request.user, contest, timezone.now()):
        if request.user.is_anonymous:
            return redirect_to_login(request.get_full_path())
        raise Http404
    if file is None:
        raise Http404
    return FileResponse(
        storage.path_of(file).open("rb"),
        as_attachment=True,
        filename=selectors.download_name(contest, name),
        content_type=CSV,
    )
