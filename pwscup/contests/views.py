# SPDX-License-Identifier: Apache-2.0
"""The front page, a contest's overview, rules and terms, and its downloads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from pwscup.accounts.policies import is_over
from pwscup.accounts.selectors import team_of
from pwscup.contests import guidance, policies, selectors, services
from pwscup.contests import materials as contest_materials
from pwscup.contests import notebook as notebooks
from pwscup.contests.branding.shown import sponsors_of
from pwscup.contests.data_picture import picture_of
from pwscup.contests.downloads import file_at, terms_first, terms_first_url, terms_url
from pwscup.contests.models import Contest
from pwscup.contests.rules.pages import rules_of
from pwscup.contests.services.commitment import mixes_of, public_value_of
from pwscup.contests.services.games import shown_games
from pwscup.contests.teams import tables
from pwscup.contests.terms import digest_of, has_terms, local_terms
from pwscup.core.files import storage
from pwscup.core.http.attachments import attached, file_response
from pwscup.core.installation import wheel
from pwscup.core.models import StoredFile

if TYPE_CHECKING:
    from pwscup.accounts.models import Team
    from pwscup.contests.models import Material

TYPES = {"csv": "text/csv; charset=utf-8", "zip": "application/zip"}


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    groups = selectors.front_page(request.user, now)
    demo = next((line.contest for line in groups["running"] if line.contest.is_demo), None)
    featured = selectors.featured(groups["running"])
    also_running = [line for line in groups["running"] if line is not featured]
    context = {"groups": groups, "now": now, "running_demo": demo}
    context |= {
        "featured": featured,
        "also_running": also_running,
        "with_winners": groups["finished"][: selectors.MOST_WINNERS],
    }
    return render(request, "contests/home.html", context)


@require_safe
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    contest = selectors.visible_contest(request.user, slug)
    page = selectors.contest_page(request, contest, "overview")
    rounds, now = page["contest_rounds"], page["now"]
    page |= {
        "timeline": guidance.timeline(rounds, now),
        "interruptions": guidance.interruptions(contest, now),
        "is_over": is_over(contest, now),
        "boundary": guidance.next_boundary(rounds, now),
        "step": guidance.next_step(page, request.user),
        "has_started": policies.has_started(contest, now),
        "n_teams": contest.teams.count(),
        "hosts": selectors.hosts(contest),
        "ends_at": max((round.closes_at for round in rounds), default=None),
        "picture": picture_of(contest),
        "mixes": mixes_of(contest),
        "public_value": public_value_of(contest),
    }
    page |= _offered_data(request, contest, page)
    page["sponsors"] = sponsors_of(contest)
    page["materials"] = contest_materials.offered(request, contest)
    page |= _offered_at_home(contest, has_table=bool(page["downloads"]))
    return render(request, "contests/overview.html", page)


def _offered_data(request: HttpRequest, contest: Contest, page: dict[str, Any]) -> dict[str, Any]:
    """The data that this viewer may download, and the missing prerequisites."""
    may_download = policies.may_download_original(request.user, contest, page["now"])
    return {
        "may_download": may_download,
        "has_terms": has_terms(contest),
        "terms_first": terms_first_url(request, contest) if may_download else "",
        "is_left_out": _is_left_out(contest, page["my_team"]),
        "sample_size": contest.ruleset.data.n_own,
        "downloads": selectors.downloads(
            contest, page["my_team"], for_organizers=page["is_organizer"]
        ),
    }


def _offered_at_home(contest: Contest, *, has_table: bool) -> dict[str, Any]:
    """The library, and the notebooks by language with their names."""
    is_offered = has_table and contest.format.has_notebook
    languages = [code for code, _name in settings.LANGUAGES] if is_offered else []
    languages.sort(key=lambda code: code != get_language())  # the reader's own first
    return {
        "library": wheel.file_name(),
        "notebooks": [(code, _notebook_name(contest, code)) for code in languages],
    }


def _notebook_name(contest: Contest, language: str) -> str:
    return selectors.download_name(contest, f"{language}.ipynb")


def _is_left_out(contest: Contest, team: Team | None) -> bool:
    """The individuals of a series were exhausted before this team got any."""
    if team is None or not contest.format.shares_out_people or tables.table_of(team):
        return False
    dataset = selectors.original_of(contest)
    return dataset is not None and not tables.parts_left(dataset)


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
    page["known"] = shown_games(contest)
    return render(request, "contests/rules.html", page)


# The terms


@require_http_methods(["GET", "HEAD", "POST"])
def terms(request: HttpRequest, slug: str) -> HttpResponse:
    contest = selectors.visible_contest(request.user, slug)
    if request.method == "POST":
        return _accept(request, contest)
    page = selectors.contest_page(request, contest, "overview")
    page |= {
        "terms": local_terms(contest),
        "digest": digest_of(contest),
        "has_accepted": policies.has_accepted(request.user, contest),
        "may_accept": policies.may_accept_terms(request.user, contest),
        "next": request.GET.get("next", ""),
    }
    target = _safe(request, page["next"])
    page["file_url"] = target if page["has_accepted"] and file_at(target) else ""
    return render(request, "contests/terms.html", page)


def _accept(request: HttpRequest, contest: Contest) -> HttpResponse:
    if request.user.is_anonymous:
        return redirect_to_login(request.get_full_path())
    if not policies.may_accept_terms(request.user, contest):
        raise Http404
    following = request.POST.get("next", "")
    try:
        services.accept_terms(
            user=request.user, contest=contest, digest=request.POST.get("digest", "")
        )
    except services.ContestRefused as refusal:
        messages.error(request, str(refusal))
        return redirect(terms_url(contest, following))
    if has_terms(contest):
        messages.success(request, _("You have accepted the terms. You can download the data now."))
    target = _safe(request, following) or reverse("contest", args=[contest.slug])
    # A browser that is sent to a file stays on the page: this one begins the download, and says that it does.
    return redirect(terms_url(contest, target) if file_at(target) else target)


def _safe(request: HttpRequest, address: str) -> str:
    """The URL, if it belongs to this installation."""
    here = url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return address if here else ""


# Downloads


@require_safe
def original(request: HttpRequest, slug: str) -> HttpResponse:
    """The table of all teams; if each has its own, for organizers only."""
    contest = selectors.visible_contest(request.user, slug)
    dataset = selectors.original_of(contest)
    file = dataset.public if dataset and policies.may_have_common(request.user, contest) else None
    return _offer(request, contest, file, f"original.{contest.format.suffix}")


@require_safe
def sample(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    contest = selectors.visible_contest(request.user, slug)
    samples = {f"{key}.csv": one for key, one in selectors.samples_of(contest).items()}
    offered = name in samples and policies.may_have_common(request.user, contest)
    file = samples[name].file if offered else None
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
    return attached(response, selectors.download_name(contest, "schema.toml"))


@require_safe
def notebook(request: HttpRequest, slug: str) -> HttpResponse:
    """The notebook with the names of this contest and of the viewer's team; `?language=` or the viewer's language."""
    contest = selectors.visible_contest(request.user, slug)
    dataset = selectors.original_of(contest)
    if dataset is None or not contest.format.has_notebook:
        raise Http404
    asked = request.GET.get("language", "")
    language = asked if asked in dict(settings.LANGUAGES) else get_language() or "en"
    content = notebooks.notebook(contest, dataset, team_of(request.user, contest), language)
    response = HttpResponse(content, content_type=notebooks.TYPE)
    return attached(response, _notebook_name(contest, language), is_private=True)


@require_safe
def material(request: HttpRequest, slug: str, number: int) -> Any:
    """The file of a material, as a download."""
    contest = selectors.visible_contest(request.user, slug)
    found = contest.materials.select_related("file").filter(pk=number).first()
    if found is None or found.file is None:
        raise Http404
    found.contest = contest
    return _material_refused(request, found) or contest_materials.response_of(found.file)


@require_safe
def hierarchies(request: HttpRequest, slug: str) -> Any:
    """The generalization hierarchies of the contest as trees."""
    contest = selectors.visible_contest(request.user, slug)
    found = contest_materials.file_of_hierarchies(contest)
    if found is None:
        raise Http404
    if (refused := _material_refused(request, found)) is not None:
        return refused
    page = selectors.contest_page(request, contest, "overview")
    page |= {"material": found, "hierarchies": contest_materials.hierarchies_of(found)}
    return render(request, "contests/hierarchies.html", page)


def _material_refused(request: HttpRequest, material: Material) -> HttpResponse | None:
    """Log-in for visitors and the terms for players, where a material is for teams only; Http404 for others."""
    if not policies.may_have_material(request.user, material):
        if request.user.is_anonymous:
            return redirect_to_login(request.get_full_path())
        raise Http404
    if contest_materials.needs_terms_first(request.user, material):
        return redirect(terms_url(material.contest, request.get_full_path()))
    return None


def _offer(request: HttpRequest, contest: Contest, file: StoredFile | None, name: str) -> Any:
    """A published file for users with permission; Http404 for others, log-in for visitors."""
    if not policies.may_download_original(request.user, contest, timezone.now()):
        if request.user.is_anonymous:
            return redirect_to_login(request.get_full_path())
        raise Http404
    if file is None:
        raise Http404
    if (terms_page := terms_first(request, contest)) is not None:
        return terms_page
    shown = selectors.download_name(contest, name)
    return file_response(storage.path_of(file), shown, TYPES[name.rpartition(".")[2]])
