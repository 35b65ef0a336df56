# SPDX-License-Identifier: Apache-2.0
"""Downloads of results for their owner."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

from django.http import Http404, HttpResponse

from pwscup.core.files import storage
from pwscup.core.files.exports import csv_response
from pwscup.core.http.attachments import attached
from pwscup.experiments import drawn, selectors

if TYPE_CHECKING:
    from pwscup.experiments.models import Experiment


def archive(experiment: Experiment) -> HttpResponse:
    """A zip archive of all files of the library; 404 if there are none yet."""
    if experiment.finished_at is None or experiment.state != experiment.State.DONE:
        raise Http404
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out:
        for file in experiment.files.iterator(chunk_size=10):
            entry = zipfile.ZipInfo(file.name, experiment.finished_at.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            out.writestr(entry, storage.for_people(bytes(file.data), file.name))
    response = HttpResponse(packed.getvalue(), content_type="application/zip")
    return attached(response, f"experiment-{experiment.number}.zip", is_private=True)


def figure(experiment: Experiment, name: str) -> HttpResponse:
    """A figure for the page."""
    return HttpResponse(selectors.figure(experiment, name).data, content_type="image/svg+xml")


def figure_csv(experiment: Experiment, stem: str) -> HttpResponse:
    """The numbers of a figure: those of all cells, also where the figure has room for a part of them."""
    selectors.figure(experiment, f"{stem}.svg")
    sheet = drawn.sheet_of(experiment, stem)
    return csv_response(f"experiment-{experiment.number}-{stem}.csv", sheet.names, sheet.rows)
