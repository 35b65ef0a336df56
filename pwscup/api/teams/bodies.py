# SPDX-License-Identifier: Apache-2.0
"""The files of a request: one as the body, several as a zip archive or as the parts of a form."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict

from pwscup.api.forms import refuse_unknown
from pwscup.api.problems import ApiRefused
from pwscup.formats import FILES
from pwscup.formats.files import CSV, PDF, ZIP
from pwscup.submissions import selectors, services
from pwscup.submissions.forms import is_in_parts
from pwscup.submissions.intake import uploads
from pwscup.submissions.intake.guesses import files_of
from scoring.errors import ProblemsFound

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import IO

    from pwscup.contests.models import Round
    from pwscup.core.http.requests import ApiRequest
    from pwscup.submissions.intake.uploads import Part
    from scoring.rulesets.base import FileSpec

CHUNK = 64 * 1024
FORM = "multipart/form-data"
BINARY = {"type": "string", "format": "binary"}
ARCHIVE = "files.zip"


def form_of(fields: dict[str, Any], *, is_open: bool = False) -> dict[str, Any]:
    """The description of a form with files; `is_open` if the names of further ones depend on the round."""
    return {
        "schema": {
            "type": "object",
            "properties": fields,
            "additionalProperties": is_open and BINARY,
        }
    }


SUBMISSION_BODY = {
    FORM: form_of({}, is_open=True),
    **{kind: {"schema": BINARY} for kind in (CSV, ZIP, PDF)},
}
GUESSES_BODY = {
    FORM: form_of({"guess": {"type": "array", "items": BINARY}}),
    ZIP: {"schema": BINARY},
}
"""The descriptions of bodies in the operations."""


def content_types(round: Round) -> list[str]:
    """The types of a body that hold the files of one submission."""
    only = _only_file(round)
    found = [] if only is None else [FILES[only.kind].content_type]
    if _has_several(round):
        found.append(ZIP)
    return [*found, FORM]


def _only_file(round: Round) -> FileSpec | None:
    """The file that suffices by itself; None if there are several of these."""
    files = round.spec.files
    needed = files if len(files) == 1 else [spec for spec in files if spec.required]
    return needed[0] if len(needed) == 1 and not round.format.asks_questions else None


def _has_several(round: Round) -> bool:
    return round.format.asks_questions or len(round.spec.files) > 1


def check_type(request: ApiRequest, expected: Iterable[str]) -> None:
    if (request.content_type or "") not in expected:
        raise ApiRefused(
            "request.content_type", expected=", ".join(expected), got=request.content_type or "—"
        )


def received(request: ApiRequest, round: Round) -> dict[str, services.Upload]:
    """The files of one submission by their key."""
    check_type(request, content_types(round))
    if request.content_type == FORM:
        _refuse_fields(request)
        return {key: _single(request, key) for key in request.FILES}
    only = _only_file(round)
    if only is not None and request.content_type == FILES[only.kind].content_type:
        return {only.key: (f"{only.key}.{FILES[only.kind].suffix}", chunks(request))}
    return files_of(_unpacked(request, round))


def guess_files(request: ApiRequest) -> MultiValueDict[str, UploadedFile]:
    """The files about several targets, as a browser sends them."""
    check_type(request, (ZIP, FORM))
    if request.content_type == FORM:
        _refuse_fields(request)
        _refuse_other_files(request, "guess")
        return request.FILES
    packed, size = kept(request)
    return MultiValueDict({"guess": [UploadedFile(packed, ARCHIVE, ZIP, size)]})


def _refuse_fields(request: ApiRequest) -> None:
    """Whatever is no file stands in the address: a field of the form would be ignored."""
    refuse_unknown(request.POST, "form")


def _refuse_other_files(request: ApiRequest, *known: str) -> None:
    refuse_unknown(sorted(set(request.FILES) - {*known}), "form")


def _single(request: ApiRequest, key: str) -> services.Upload:
    file, *more = request.FILES.getlist(key)
    if more:
        raise ApiRefused("file.repeated", got=key)
    return file.name or key, file.chunks()


def _unpacked(request: ApiRequest, round: Round) -> dict[str, Part]:
    """The files of an archive, each named by its key.

    Raises
    ------
    ProblemsFound
        With all that is wrong with the archive.
    """
    packed, _size = kept(request)
    parts = uploads.parts_of(packed, ARCHIVE, selectors.max_file_bytes(round))
    suffixes = {spec.key: FILES[spec.kind].suffix for spec in round.spec.files}
    # A missing file is refused as in a form; missing tables that belong together are named together.
    optional = round.contest.ruleset.data.optional_parts if is_in_parts(round) else [*suffixes]
    found, problems = uploads.matched_files(parts, suffixes, optional)
    if problems:
        raise ProblemsFound(problems)
    return found


def kept(request: ApiRequest) -> tuple[IO[bytes], int]:
    """The body in memory or in a temporary file, and its size."""
    kept, size = tempfile.SpooledTemporaryFile(settings.FILE_UPLOAD_MAX_MEMORY_SIZE), 0  # noqa: SIM115
    for chunk in chunks(request):
        size += len(chunk)
        if size > settings.MAX_UPLOAD_BYTES:
            expected = settings.MAX_UPLOAD_BYTES
            raise services.SubmissionRefused("file.too_large", name=ARCHIVE, expected=expected)
        kept.write(chunk)
    kept.seek(0)
    return cast("IO[bytes]", kept), size


def chunks(request: ApiRequest) -> Iterator[bytes]:
    while chunk := request.read(CHUNK):
        yield chunk
