# SPDX-License-Identifier: Apache-2.0
"""Downloads: files are always sent as attachments, never shown by the browser."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from django.http import FileResponse, Http404, HttpResponse, StreamingHttpResponse

from pwscup.core.files import storage
from pwscup.core.http.attachments import attached, file_response
from pwscup.core.http.pipes import Pipe
from pwscup.formats import FILES
from pwscup.formats.files import CSV, SUFFIXES
from pwscup.submissions.models import SubmissionFile

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.contests.models import Round
    from pwscup.core.models import StoredFile
    from pwscup.submissions.models import Release, Submission

CHUNK = 64 * 1024
TYPES = {"csv": "text/csv; charset=utf-8", "zip": "application/zip"}


def safe_name(name: str, kind: str) -> str:
    """The file name with the suffix of its kind: no upload is returned as a web page."""
    suffix = FILES[kind].suffix if kind in FILES else SUFFIXES[CSV]
    return name if name.lower().endswith(f".{suffix}") else f"{name}.{suffix}"


def upload_response(name: str, data: bytes) -> HttpResponse:
    """A file exactly as submitted."""
    response = HttpResponse(data, content_type="application/octet-stream")
    response["X-Content-Type-Options"] = "nosniff"
    return attached(response, name, is_private=True)


def own_upload_response(
    user: User, submission: Submission, key: str, *, name: str = ""
) -> HttpResponse:
    """A file of a submission exactly as submitted, for a user who may see it; Http404 if it has no such file.

    Its own name gets the suffix of its kind, if no other `name` is given.
    """
    from pwscup.submissions import evaluation  # imports pandas, which no other page needs

    try:
        own, data = evaluation.own_upload(user, submission, key)
    except SubmissionFile.DoesNotExist as error:
        raise Http404 from error
    kinds = {spec.key: spec.kind for spec in submission.round.spec.files}
    return upload_response(name or safe_name(own, kinds.get(key, "")), data)


def table_response(name: str, data: bytes) -> HttpResponse:
    """A team's own table, for the team only."""
    response = upload_response(name, data)
    response["Content-Type"] = _type_of(name)
    return response


def _type_of(name: str) -> str:
    return TYPES[name.rpartition(".")[2]]


def published_response(file: StoredFile) -> FileResponse:
    """A published table, or its candidates, under its published name."""
    return file_response(storage.path_of(file), file.name, _type_of(file.name))


def releases_response(round: Round, releases: Sequence[Release]) -> StreamingHttpResponse:
    """All published tables as one archive, created while it is sent."""
    for _release, file in _published(releases):
        storage.refuse_erased(file)  # while the response can still report an error
    response = StreamingHttpResponse(packed(releases), content_type="application/zip")
    return attached(response, f"{round.contest.slug}-targets.zip")


def _published(releases: Iterable[Release]) -> Iterator[tuple[Release, StoredFile]]:
    for release in releases:
        yield release, release.table
        if release.candidates is not None:
            yield release, release.candidates


def packed(releases: Iterable[Release]) -> Iterator[bytes]:
    """A zip archive in pieces; one piece in memory at a time."""
    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as archive:
        for release, file in _published(releases):
            entry = zipfile.ZipInfo(file.name, release.created_at.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            with (
                storage.path_of(file).open("rb") as source,
                archive.open(entry, "w") as out,
            ):
                while chunk := source.read(CHUNK):
                    out.write(chunk)
                    yield pipe.taken()
            yield pipe.taken()
    yield pipe.taken()
