# SPDX-License-Identifier: Apache-2.0
"""Downloads of answers for the team that paid for them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING

from django.http import HttpResponse, StreamingHttpResponse

from pwscup.contests.selectors import download_name
from pwscup.core.files import storage
from pwscup.core.http.attachments import attached
from pwscup.core.http.pipes import Pipe
from pwscup.disclosure import ledger
from pwscup.formats.hidden.disclosed import disclosed_attributes
from pwscup.submissions.pages.downloads import table_response
from scoring.reporting.spreadsheets import BOM, csv_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Round
    from pwscup.disclosure.models import Answer
    from scoring.formats.disclosure.attributes import Attribute

INDEX = ("number", "file", "epsilon", "spent", "asked_at", "query")
AT_ONCE = 10
"""The number of answers in memory; each may have thousands of counts."""


def file_name(answer: Answer) -> str:
    return f"answer-{answer.number:03}.csv"


def csv_of(answer: Answer, attributes: Sequence[Attribute]) -> bytes:
    """The answer in the library's CSV format."""
    import numpy as np

    from scoring.formats.disclosure.queries import answer_csv, parse_query

    query = parse_query(answer.query, attributes)
    return answer_csv(query, attributes, np.array(answer.counts, dtype=np.int64))


def answer_response(answer: Answer) -> HttpResponse:
    """One answer as a CSV file for programs."""
    return table_response(*_named(answer))


def answer_page_response(answer: Answer) -> HttpResponse:
    """The same for people."""
    name, data = _named(answer)
    return table_response(name, storage.for_people(data, name))


def _named(answer: Answer) -> tuple[str, bytes]:
    contest = answer.round.contest
    name = download_name(contest, f"{answer.round.key}-{file_name(answer)}")
    return name, csv_of(answer, disclosed_attributes(contest))


def answers_response(team: Team, round: Round) -> StreamingHttpResponse:
    """All answers of a team in a round as one archive, created while it is sent."""
    response = StreamingHttpResponse(packed(team, round), content_type="application/zip")
    name = download_name(round.contest, f"{round.key}-answers.zip")
    return attached(response, name, is_private=True)


def packed(team: Team, round: Round) -> Iterator[bytes]:
    """A zip archive in pieces: each answer, and a list of the questions."""
    attributes = disclosed_attributes(round.contest)
    answers = ledger.answers_of(team, round).order_by("number")
    pipe, index = Pipe(), []
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        for answer in answers.iterator(chunk_size=AT_ONCE):
            name = file_name(answer)
            archive.writestr(name, storage.for_people(csv_of(answer, attributes), name))
            index.append(_line(answer))
            yield pipe.taken()
        archive.writestr("answers.csv", BOM + csv_text(INDEX, index))
    yield pipe.taken()


def _line(answer: Answer) -> tuple[object, ...]:
    return (
        answer.number,
        file_name(answer),
        f"{answer.epsilon:f}",
        f"{answer.epsilon_so_far:f}",
        answer.asked_at.isoformat(),
        json.dumps(answer.query, ensure_ascii=False),
    )
