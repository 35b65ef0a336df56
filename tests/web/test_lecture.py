"""The lecture contest through the real pipeline: upload, worker, release, guess, marks of the note's example."""

from __future__ import annotations

import pytest

from pwscup.core import storage
from pwscup.submissions import selectors
from tests.web import lecture, pipeline
from tests.web.pipeline import scored

pytestmark = pytest.mark.usefixtures("sent")


@pytest.fixture
def example(cast):
    return lecture.example(cast)


def problems(submission) -> list[tuple[str, int | None, str | None]]:
    assert submission.state == "rejected"
    return [(p["code"], p.get("row"), p.get("column")) for p in submission.problems]


def test_the_notes_example_by_hand(cast, example):
    table = scored(lecture.hand_in(cast.alice, example.red, b"age,city\n20,A\n40,A\n40,A\n,\n"))
    values = selectors.latest_evaluation(table).values
    assert values["LOSS"] == pytest.approx(lecture.LOSS, abs=1e-9)
    assert (values["n_original"], values["n_anonymized"]) == (4, 3)

    release = lecture.publish(example.contest)["Red"]
    key = lecture.key_of(release)
    lines = lecture.records_of(storage.read(release.table))
    assert lines[0] == ["age", "city"]
    assert sorted(lines[1:]) == [["", ""], ["20", "A"], ["40", "A"], ["40", "A"]]
    assert key[lines[1:].index(["", ""])] == -1
    assert sorted(key) == [-1, 2, 4, 5]  # where the records 1, 3 and 2 stand among the candidates
    candidates = lecture.records_of(storage.read(release.candidates))
    assert candidates[1:] == [
        ["25", "A"], ["50", "B"], ["20", "A"], ["45", "A"],
        ["40", "B"], ["30", "A"], ["55", "B"], ["35", "B"],
    ]  # fmt: skip

    # Records 1 and 3 are named rightly, record 2 as a decoy; a guess for the deleted one is ignored.
    guess = [{2: 2, 4: 4, 5: 0, -1: 7}[line] for line in key]
    attack = scored(pipeline.guess(cast.carol, example.blue, release, lecture.guess_file(guess)))
    marked = selectors.latest_evaluation(attack).values
    assert marked == {"n_records": 3, "hits": 2, "rate": pytest.approx(2 / 3, abs=1e-9)}


def test_the_right_guess_of_every_record_and_of_none(cast, example):
    scored(lecture.hand_in(cast.alice, example.red, lecture.ANONYMIZED))
    release = lecture.publish(example.contest)["Red"]
    right = scored(
        pipeline.guess(
            cast.carol, example.blue, release, lecture.guess_file(lecture.key_of(release))
        )
    )
    assert selectors.latest_evaluation(right).values["rate"] == 1
    nothing = scored(pipeline.guess(cast.carol, example.blue, release, b"0\n\n0\n0\n"))
    assert selectors.latest_evaluation(nothing).values == {"n_records": 3, "hits": 0, "rate": 0}
