# SPDX-License-Identifier: Apache-2.0
"""Queries about contests, always restricted to the viewer's permissions."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Max, Min, Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import OfficeInvitation
from pwscup.accounts.policies import is_judge, is_organizer
from pwscup.accounts.selectors import namesakes, team_of
from pwscup.contests.models import Contest, Dataset, Preparation, Round, Sample, TableDraft
from pwscup.contests.policies import may_see_board
from pwscup.contests.teams import tables as team_tables
from pwscup.contests.teams.tables import ORIGINAL
from pwscup.core.db.prepared import Prepared, prefetch
from pwscup.core.installation import programs
from pwscup.core.models import Event
from pwscup.formats import format_of
from scoring.rulesets.kinds import ROUND_KINDS
from scoring.rulesets.loader import parse_stored
from scoring.tables.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Sequence

    from django.http import HttpRequest
    from django.utils.functional import _StrPromise

    from pwscup.accounts.models import Team
    from pwscup.contests.policies import Person


BRANDING = ("branding__logo", "branding__picture")
"""The relations that the appearance of a contest is read from."""


def visible_contests(user: Person) -> QuerySet[Contest]:
    """Published contests; drafts and dry runs only for their organizers."""
    if not user.is_authenticated:
        return Contest.objects.filter(Contest.PUBLIC)
    if user.is_superuser:
        return Contest.objects.all()
    own = user.organizes.values("pk")
    return Contest.objects.filter(Contest.PUBLIC | Q(pk__in=own))


def organized_contests(user: Person) -> QuerySet[Contest]:
    """The contests that this user may change."""
    if not user.is_authenticated:
        return Contest.objects.none()
    return Contest.objects.all() if user.is_superuser else user.organizes.all()


def _by_slug(slug: str) -> QuerySet[Contest]:
    return Contest.objects.filter(slug=slug).select_related(*BRANDING).order_by()


def _rounds(contest_id: int) -> QuerySet[Round]:
    return Round.objects.filter(contest=contest_id)


def _round(pk: int) -> QuerySet[Round]:
    return Round.objects.select_related("contest").filter(pk=pk).order_by()


_BY_SLUG, _ROUNDS, _ROUND = Prepared(_by_slug, str), Prepared(_rounds, int), Prepared(_round, int)


def round_now(round: Round) -> Round:
    """The round and its contest, reloaded from the database."""
    return _ROUND.get(round.pk)


def visible_contest(user: Person, slug: str) -> Contest:
    """The contest with that slug; Http404 if it does not exist or is not visible to the viewer."""
    contest = _BY_SLUG.first(slug)
    if contest is None:
        raise Http404
    rounds = _ROUNDS.rows(contest.pk)
    for round in rounds:
        round.contest = contest
    prefetch(contest, "rounds", rounds)
    # Most contests are public: then the viewer does not matter.
    if not contest.is_public and not visible_contests(user).filter(pk=contest.pk).exists():
        raise Http404
    return contest


def visible_round(user: Person, slug: str, key: str, kinds: Collection[str] = ROUND_KINDS) -> Round:
    """The round with that key; Http404 if it is of another kind or not visible to the viewer."""
    for round in rounds_of(visible_contest(user, slug)):
        if round.key == key and round.kind in kinds:
            return round
    raise Http404


def organized_contest(user: Person, slug: str) -> Contest:
    """The contest with that slug for its organizers; Http404 for everybody else."""
    contests = organized_contests(user).select_related(*BRANDING).prefetch_related("rounds")
    contest = contests.filter(slug=slug).first()
    if contest is None:
        raise Http404
    return contest


def rounds_of(contest: Contest) -> list[Round]:
    """The rounds in order, each with its contest set."""
    return list(contest.rounds.all())


def contest_page(request: HttpRequest, contest: Contest, tab: str) -> dict[str, Any]:
    """The context of `contest_base.html` for every page of a contest."""
    return {
        "contest": contest,
        "contest_rounds": rounds_of(contest),
        "my_team": team_of(request.user, contest),
        "is_organizer": is_organizer(request.user, contest),
        "may_see_board": may_see_board(request.user, contest),
        "tab": tab,
        "now": timezone.now(),
    }


def hosts(contest: Contest) -> list[str]:
    """The names that the organizers show, in the order in which they came."""
    return [user.display_name for user in contest.organizers.order_by("pk")]


# The front page


@dataclass(frozen=True, slots=True)
class Listed:
    """A contest in the list on the front page."""

    contest: Contest
    state: str  # draft | running | upcoming | finished
    rounds: tuple[Round, ...]
    current: Round | None
    following: Round | None
    n_teams: int
    shows_board: bool
    is_namesake: bool = False
    """Another contest of the list has the same title."""

    @property
    def is_awaited(self) -> bool:
        """All rounds have closed, and uploads that began in time may still arrive."""
        return self.state == "running" and self.current is None and self.following is None


def contest_state(rounds: Iterable[Round], now: datetime) -> str:
    """The state of a contest: upcoming, running (from the first opening until no upload is awaited after the last
    closing) or finished."""
    rounds = list(rounds)
    if not rounds or now < min(round.opens_at for round in rounds):
        return "upcoming"
    return "finished" if all(round.is_settled(now) for round in rounds) else "running"


def current_round(rounds: Iterable[Round], now: datetime) -> Round | None:
    """The open round; the first one if there are several."""
    return next((round for round in rounds if round.is_open(now)), None)


def following_round(rounds: Iterable[Round], now: datetime) -> Round | None:
    """The round that opens next."""
    coming = [round for round in rounds if not round.has_opened(now)]
    return min(coming, key=lambda round: round.opens_at, default=None)


def boards_closed_to(user: Person) -> set[int]:
    """The contests whose leaderboard is closed to this user, consistent with `policies.may_see_board`."""
    closed = Contest.objects.filter(board_audience=Contest.Audience.TEAMS)
    if user.is_authenticated:
        mine = Q(organizers=user) | Q(judges=user) | Q(teams__memberships__user=user)
        closed = Contest.objects.none() if user.is_superuser else closed.exclude(mine)
    return set(closed.values_list("pk", flat=True))


def listed(contest: Contest, now: datetime, *, shows_board: bool = True) -> Listed:
    """A line of a list of contests; expects `n_teams` counted and the rounds fetched."""
    rounds = rounds_of(contest)
    return Listed(
        contest=contest,
        state=contest_state(rounds, now) if contest.is_published else "draft",
        rounds=tuple(rounds),
        current=current_round(rounds, now),
        following=following_round(rounds, now),
        n_teams=contest.n_teams,  # type: ignore[attr-defined]  # see `_with_counts`
        shows_board=shows_board,
    )


def _with_counts(contests: QuerySet[Contest]) -> QuerySet[Contest]:
    return (
        contests.filter(rehearsal_of=None)
        .select_related(*BRANDING)
        .annotate(
            n_teams=Count("teams", distinct=True),
            starts_at=Min("rounds__opens_at"),
            ends_at=Max("rounds__closes_at"),
        )
        .prefetch_related("rounds")
        .order_by("starts_at", "id")
    )


def front_page(user: Person, now: datetime) -> dict[str, list[Listed]]:
    """The visible contests by state; those that end first, start first or ended last come first."""
    groups: dict[str, list[Listed]] = {
        state: [] for state in ("running", "upcoming", "draft", "finished")
    }
    closed = boards_closed_to(user)
    for contest in _with_counts(visible_contests(user)):
        line = listed(contest, now, shows_board=contest.pk not in closed)
        groups[line.state].append(line)
    groups["finished"].reverse()
    alike = namesakes(line.contest for lines in groups.values() for line in lines)
    return {state: _marked(lines, alike) for state, lines in groups.items()}


MOST_WINNERS = 6
"""Past contests of which the front page reads a board for the winner."""


def featured(running: list[Listed]) -> Listed | None:
    """The running contest that the front page shows large: the first with an open round, a demo only if there is no
    other."""
    lines = [line for line in running if line.current and not line.contest.paused_at]
    return min(lines, key=lambda line: line.contest.is_demo, default=None)


def _marked(lines: list[Listed], alike: Container[int]) -> list[Listed]:
    return [replace(line, is_namesake=line.contest.pk in alike) for line in lines]


def organizer_list(user: Person, now: datetime) -> list[Listed]:
    """The contests of an organizer, the newest first."""
    contests = _with_counts(organized_contests(user)).order_by("-created_at", "-id")
    lines = [listed(contest, now) for contest in contests]
    return _marked(lines, namesakes(line.contest for line in lines))


def judged_round(user: Person, rounds: Sequence[Round]) -> Round | None:
    """The round in which this user grades presentations; the one that closes last if there are several."""
    talks = [round for round in rounds if round.format.is_judged]
    if not talks or not is_judge(user, talks[0].contest):
        return None
    return max(talks, key=lambda round: round.closes_at)


# The data of a contest


def original_of(contest: Contest) -> Dataset | None:
    """The table that every team anonymizes."""
    found = _ORIGINAL.first(contest.pk)
    if found is not None:
        found.contest = contest
    return found


def _original(contest_id: int) -> QuerySet[Dataset]:
    found = Dataset.objects.filter(contest=contest_id, team=None, key=ORIGINAL)
    return found.select_related("sealed", "public").order_by("pk")[:1]


_ORIGINAL = Prepared(_original, int)


def dataset_of(contest: Contest) -> Dataset:
    """The original of a contest that has opened; LookupError where there is none."""
    dataset = original_of(contest)
    if dataset is None:
        raise LookupError(f"contest {contest.pk} has no original table")
    return dataset


def samples_of(contest: Contest) -> dict[str, Sample]:
    """The files of the sample submission by key."""
    return {sample.key: sample for sample in contest.samples.select_related("file")}


@dataclass(frozen=True, slots=True)
class Download:
    """A file for participants; with `n_records` if it is a table."""

    key: str
    url: str
    name: str
    size_bytes: int
    sha256: str
    n_records: int | None = None
    n_columns: int | None = None


def download_name(contest: Contest, name: str) -> str:
    """The file name of a download."""
    return f"{contest.slug}-{name}"


def shown_schema(dataset: Dataset) -> Schema:
    """The columns that participants get; for a series also the identifier, which links records over time."""
    return dataset.contest.format.setup.shown_schema(dataset.schema)


def public_schema(dataset: Dataset) -> bytes:
    """The schema file without the columns that participants do not get."""
    return shown_schema(dataset).to_toml().encode()


def downloads(
    contest: Contest, team: Team | None = None, *, for_organizers: bool = False
) -> list[Download]:
    """The table, its schema and the sample submission; empty if the contest has no table yet.

    If each team has its own table, that of `team`, once it is drawn; the whole table is for organizers, as is
    a hidden table, of which everybody else gets the schema.
    """
    dataset = original_of(contest)
    if dataset is None or dataset.public is None:
        return []
    if contest.format.own_tables and not for_organizers:
        own = _own_downloads(team) if team else []
        tables = [file for file in own if file.key == ORIGINAL]
        samples = [file for file in own if file.key != ORIGINAL]
        return [*tables, _schema_download(contest, dataset), *samples]
    if not (contest.format.gives_table or for_organizers):
        return [_schema_download(contest, dataset)]
    return [
        Download(
            "original",
            reverse("original", args=[contest.slug]),
            download_name(contest, f"original.{contest.format.suffix}"),
            dataset.public.size_bytes,
            dataset.public.sha256,
            dataset.n_records,
            len(shown_schema(dataset).columns),
        ),
        _schema_download(contest, dataset),
        *(_sample_download(contest, sample) for sample in samples_of(contest).values()),
    ]


def _own_downloads(team: Team) -> list[Download]:
    """The team's tables, and samples derived from them; none before they are drawn."""
    numbers = team.contest.ruleset.data.numbers
    tables = [(number, team_tables.table_of(team, number)) for number in numbers]
    return [
        Download(
            kind,
            team_tables.url_of(team, name := team_tables.numbered(kind, number)),
            download_name(team.contest, team_tables.team_file(team, name)),
            size_bytes,
            sha256,
            dataset.n_records,
            len(shown_schema(dataset).columns),
        )
        for number, dataset in tables
        if dataset is not None
        for kind, (size_bytes, sha256) in team_tables.facts_of(dataset).items()
    ]


def _schema_download(contest: Contest, dataset: Dataset) -> Download:
    schema = public_schema(dataset)
    return Download(
        "schema",
        reverse("schema", args=[contest.slug]),
        download_name(contest, "schema.toml"),
        len(schema),
        hashlib.sha256(schema).hexdigest(),
    )


def _sample_download(contest: Contest, sample: Sample) -> Download:
    return Download(
        f"sample-{sample.key}",
        reverse("sample", args=[contest.slug, f"{sample.key}.csv"]),
        download_name(contest, sample.file.name),
        sample.file.size_bytes,
        sample.file.sha256,
    )


def unmeasured_of(contest: Contest, dataset: Dataset | None) -> tuple[str, ...]:
    """The measures that have no value on this contest's table."""
    return () if dataset is None else _unmeasured(dataset.schema_text, contest.ruleset_text)


def unmeasured_under(contest: Contest, schema: Schema) -> tuple[str, ...]:
    """The measures that would have no value if the table had these columns."""
    return _unmeasured(schema.to_toml(), contest.ruleset_text)


@lru_cache(maxsize=64)
def _unmeasured(schema_text: str, ruleset_text: str) -> tuple[str, ...]:
    ruleset = parse_stored(ruleset_text)
    return format_of(ruleset).table.unmeasured(Schema.from_toml(schema_text), ruleset)


# The organizer's pages


def missing_for_publication(contest: Contest) -> list[str | _StrPromise]:
    """Missing prerequisites for the publication of a contest."""
    missing: list[str | _StrPromise] = []
    if original_of(contest) is None:
        is_uploaded = draft_of(contest) is not None
        missing.append(
            _("Confirm the columns of the original data.")
            if is_uploaded
            else _("The original data is missing. Upload it and confirm its columns.")
        )
    if not contest.rounds.exists():
        missing.append(_("The contest has no rounds."))
    program = contest.ruleset.program
    if program is not None and not programs.is_allowed(program.name):
        missing.append(
            _(
                "The administrator has not allowed the program “%(name)s”, which the rules name: no submission "
                "could be scored."
            )
            % {"name": program.name}
        )
    return missing


def draft_of(contest: Contest) -> TableDraft | None:
    """The uploaded table whose columns must be confirmed or corrected."""
    return TableDraft.objects.select_related("file").filter(contest=contest).first()


def preparation_of(contest: Contest) -> Preparation | None:
    """The raw file of the organizers, and the steps that make a table of it."""
    files = ("raw", "parsed", "result")
    return Preparation.objects.select_related(*files).filter(contest=contest).first()


def is_confirmed(draft: TableDraft | None, dataset: Dataset | None) -> bool:
    """The draft is the contest's table, including its columns."""
    if draft is None or dataset is None:
        return False
    same_file = draft.file.sha256 == dataset.sealed.sha256
    if draft.contest.format.rewrites_files:  # the stored copy of the archive is written again
        same_file = draft.uploaded_at <= dataset.created_at
    return same_file and draft.schema_text == dataset.schema_text


def events_of(contest: Contest) -> QuerySet[Event]:
    """The contest's audit trail, the newest first."""
    return Event.objects.filter(contest_id=contest.pk).select_related("actor").order_by("-id")


def office_invitation(token: str) -> OfficeInvitation:
    """The invitation to organize or judge with that token; Http404 if there is none."""
    return get_object_or_404(OfficeInvitation.objects.select_related("contest"), token=token)
