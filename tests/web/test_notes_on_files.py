# SPDX-License-Identifier: Apache-2.0
"""Notes on files that were accepted: stored with the evaluation, and shown to the team in its language."""

from __future__ import annotations

from django.urls import reverse

from pwscup.submissions.models import Evaluation
from tests import factories
from tests.web import pipeline

FULL_WIDTH = "qi1,qi2,qi3,sa1,sa2\n2,1,1,１１０,90\n2,1,1,220,390\n1,1,2,280,210\n1,1,2,390,520\n"
WORDS = {
    "en": (
        "Notes on your files",
        "y.csv: read as CP932",
        "y.csv, column “sa1”: full-width digits were read as ASCII digits",
        "such as “１１０”",
    ),
    "ja": (
        "提出したファイルについての注意",
        "y.csv：CP932（Shift_JIS）として読み込みました",
        "y.csv、列「sa1」：全角数字を半角数字として読み込みました",
        "例：「１１０」",
    ),
}


def page_of(client, submission, language="en") -> str:
    url = reverse("submission", args=[submission.public_id])
    page = client.get(url, headers={"Accept-Language": language})
    assert page.status_code == 200
    return " ".join(
        page.content.decode()
        .replace('<span class="text-break">', "")
        .replace("</span>", "")
        .split()
    )


def test_a_table_as_excel_saves_it_is_scored_with_notes(cast, as_user):
    round = pipeline.round_of(cast.contest, "anonymization")
    plain = pipeline.scored(
        pipeline.hand_in(
            cast.alice, cast.red, round, anonymized=FULL_WIDTH.replace("１１０", "110").encode()
        )
    )
    data = FULL_WIDTH.encode("cp932")
    noted = pipeline.scored(pipeline.hand_in(cast.alice, cast.red, round, anonymized=data))
    one, other = Evaluation.objects.order_by("id")
    assert one.notes == []
    assert other.values == one.values
    assert [note["code"] for note in other.notes] == ["note.cp932", "note.full_width"]
    client = as_user(cast.alice)
    for language, words in WORDS.items():
        body = page_of(client, noted, language)
        for text in words:
            assert text in body
        assert words[0] not in page_of(client, plain, language)
    # The file, its receipt and its digest are those of the bytes that were uploaded.
    kept = client.get(reverse("submission-file", args=[noted.public_id, "anonymized"]))
    assert kept.content == data


def test_a_table_that_excel_sorted_is_noted(cast, as_user):
    contest = factories.make_lecture_contest(sample=30, organizer=cast.oscar)
    red = pipeline.two_teams(cast, contest).red
    factories.give_table(red, list(range(30)), list(range(40)))
    header, *lines = factories.lecture_table().decode().splitlines()[:31]
    kept = [header.partition(",")[2], *(line.partition(",")[2] for line in lines)]
    by_balance = [kept[0], *sorted(kept[1:], key=lambda line: int(line.rpartition(",")[2]))]
    round = pipeline.round_of(contest, "anonymization")
    found = [
        pipeline.scored(
            pipeline.hand_in(
                cast.alice, red, round, anonymized="\n".join([*table, ""]).encode(), rows=None
            )
        )
        for table in (kept, by_balance)
    ]
    codes = [[note["code"] for note in one.notes] for one in Evaluation.objects.order_by("id")]
    assert codes == [[], ["note.other_order"]]
    body = page_of(as_user(cast.alice), found[1])
    assert "y.csv: the records are those of the original, but in another order" in body
