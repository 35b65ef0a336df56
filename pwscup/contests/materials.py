# SPDX-License-Identifier: Apache-2.0
"""The materials of a contest that a viewer may have, and its generalization hierarchies."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.urls import reverse

from pwscup.contests import policies
from pwscup.contests.downloads import terms_url
from pwscup.contests.models import Material
from pwscup.contests.selectors import original_of
from pwscup.core.files import storage
from pwscup.core.http.attachments import file_response
from scoring.errors import Problem, ProblemsFound
from scoring.tables.hierarchy_files import check_definitions, content_in
from scoring.tables.hierarchy_trees import Node, tree_of
from scoring.tables.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from django.http import FileResponse, HttpRequest

    from pwscup.contests.models import Contest, Dataset
    from pwscup.contests.policies import Person
    from pwscup.core.models import StoredFile

TYPES = {
    "pdf": "application/pdf",
    "csv": "text/csv",
    "md": "text/markdown; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "json": "application/json",
    "zip": "application/zip",
    "ipynb": "application/x-ipynb+json",
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
}
"""The accepted files by their suffix; none of them is a page."""


def suffix_of(name: str) -> str:
    return name.lower().rpartition(".")[2]


def response_of(file: StoredFile) -> FileResponse:
    """A material as a download, by the type of its suffix."""
    kind = TYPES.get(suffix_of(file.name), "application/octet-stream")
    return file_response(storage.path_of(file), file.name, kind)


# Lists


@dataclass(frozen=True, slots=True)
class Offer:
    """A material as a viewer gets it; `note` is the site of a link, or the name of a file."""

    material: Material
    url: str
    note: str
    needs_terms: bool


def offered(request: HttpRequest, contest: Contest) -> list[Offer]:
    """The materials that this viewer may have, in their order; files of erased contests are left out."""
    user = request.user
    found = list(Material.objects.filter(contest=contest).select_related("file"))
    if any(material.audience == Material.Audience.TEAMS for material in found):
        is_involved = policies.is_involved(user, contest)
        found = [m for m in found if is_involved or m.audience == Material.Audience.EVERYBODY]
    return [_offer(request, contest, m) for m in found if m.file is None or not m.file.erased_at]


def _offer(request: HttpRequest, contest: Contest, material: Material) -> Offer:
    material.contest = contest
    needs_terms = needs_terms_first(request.user, material)
    note = site_of(material.url) if material.file is None else material.file.name
    url = terms_url(contest, request.path) if needs_terms else url_of(material)
    return Offer(material, url, note, needs_terms)


def needs_terms_first(user: Person, material: Material) -> bool:
    """It is for teams, and this player has not accepted the terms yet."""
    contest = material.contest
    if material.audience == Material.Audience.EVERYBODY:
        return False
    return policies.may_accept_terms(user, contest) and not policies.has_accepted(user, contest)


def site_of(url: str) -> str:
    return urlsplit(url).hostname or ""


def url_of(material: Material) -> str:
    """The page of hierarchies; of another material the link itself, or the address of its file."""
    slug = material.contest.slug
    if material.kind == Material.Kind.HIERARCHIES:
        return reverse("hierarchies", args=[slug])
    return material.url or reverse("material", args=[slug, material.pk])


# Generalization hierarchies


def file_of_hierarchies(contest: Contest) -> Material | None:
    """The contest's file of hierarchies, unless its bytes were deleted."""
    found = Material.objects.filter(contest=contest, kind=Material.Kind.HIERARCHIES)
    material = found.filter(file__erased_at=None).select_related("file").first()
    if material is not None:
        material.contest = contest
    return material


def check(data: bytes, name: str, dataset: Dataset) -> None:
    """Check hierarchies against the public columns of the contest's table, and the values in it.

    Raises
    ------
    ProblemsFound
        All problems.
    """
    schema = dataset.schema.public()
    check_definitions(content_in(data, name), schema, _occurring(dataset, schema))


def _occurring(dataset: Dataset, schema: Schema) -> Mapping[str, list[str]]:
    """The values of the categories that the schema does not list, if the table is one file."""
    open_ = [c.name for c in schema.columns if not c.is_numeric and c.values is None]
    if not open_ or dataset.public is None or dataset.contest.format.suffix != "csv":
        return {}
    text = storage.read(dataset.public).decode("utf-8-sig")
    found: dict[str, set[str]] = {name: set() for name in open_}
    for row in csv.DictReader(io.StringIO(text, newline="")):
        for name in found:
            found[name].add(row[name])
    return {name: sorted(values) for name, values in found.items()}


@dataclass(frozen=True, slots=True)
class Line:
    """A node of a tree as it is written: `closes` has an item for each list that ends after it."""

    label: str
    n_leaves: int
    is_group: bool
    is_open: bool
    closes: range


def lines_of(tree: Node) -> tuple[Line, ...]:
    """The nodes below the root from top to bottom, without recursion in the template."""
    return tuple(_lines(tree.children, 1))


def _lines(nodes: Sequence[Node], depth: int) -> Iterator[Line]:
    for node in nodes:
        below = list(_lines(node.children, depth + 1))
        yield Line(node.label, node.n_leaves, bool(below), depth == 1, range(0))
        if below:
            *first, last = below
            yield from first
            yield replace(last, closes=range(len(last.closes) + 1))


@dataclass(frozen=True, slots=True)
class Hierarchies:
    """The content of a file of hierarchies: its trees by column, or the problems with the present columns."""

    content: Mapping[str, Any]
    trees: tuple[tuple[str, tuple[Line, ...]], ...] = ()
    problems: tuple[Problem, ...] = ()


def hierarchies_of(material: Material) -> Hierarchies:
    """The hierarchies as they fit the contest's table now, whose columns may have changed since the upload."""
    dataset = original_of(material.contest)
    if dataset is None or material.file is None:
        return Hierarchies({})
    return _hierarchies(storage.read(material.file), material.file.name, dataset.schema_text)


@lru_cache(maxsize=32)
def _hierarchies(data: bytes, name: str, schema_text: str) -> Hierarchies:
    try:
        content = content_in(data, name)
        found = check_definitions(content, Schema.from_toml(schema_text).public())
    except ProblemsFound as refused:
        return Hierarchies({}, problems=tuple(refused.problems))
    trees = tuple((name, lines_of(tree_of(name, one))) for name, one in found.items())
    return Hierarchies(content, trees)


def content_of(contest: Contest) -> Mapping[str, Any]:
    """The hierarchies that trials in the browser use: none if there is no file, or it does not fit the table."""
    material = file_of_hierarchies(contest)
    return {} if material is None else hierarchies_of(material).content
