# SPDX-License-Identifier: Apache-2.0
"""Several tables that a team submits together, each with some columns of its original."""

from __future__ import annotations

import io
import zipfile

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from pwscup.audits import services as audit_services
from pwscup.audits.models import Audit
from pwscup.contests.models import Contest
from pwscup.contests.teams import tables
from pwscup.core import jobs
from pwscup.core.files import storage
from pwscup.submissions import draws, selectors
from pwscup.submissions.models import Submission
from pwscup.submissions.proof import reveals
from scoring.proof.reveals import checks_of_release
from scoring.rulesets import parse_ruleset
from scoring.tables.text import UTF8_BOM
from tests import factories
from tests.web import lecture, pipeline
from tests.web.api import Program, codes
from tests.web.archives import bytes_of, imported, written
from tests.web.pipeline import scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("announced")]
PARTS = """
[[data.part]]
key = "people"
columns = ["age", "city"]
title = { en = "People", ja = "人物" }

[[data.part]]
key = "money"
columns = ["city", "balance"]
title = { en = "Money", ja = "残高" }

[validity]"""


def ruleset():
    """The lecture's rules with two tables in a submission."""
    head, _, rest = factories.lecture_ruleset().text.partition("\n[validity]")
    blocks = rest.split("\n[[round.file]]")
    kept = [blocks[0]]
    for block in blocks[1:]:
        if 'kind = "aligned_table"' in block:
            kept[-1] += block[block.index("\n[[") :] if "\n[[" in block else ""
        else:
            kept.append(block)
    return parse_ruleset(head + PARTS + "\n[[round.file]]".join(kept))


@pytest.fixture
def cup(cast):
    found = lecture.contest_of(cast, ruleset=ruleset())
    for team in (found.red, found.blue):
        draws.ensure_drawn(team)
    return found


def files_of(team) -> dict[str, bytes]:
    """Both tables with the team's own values."""
    header, *lines = lecture.records_of(lecture.own_table(team))
    places = {"people": ["age", "city"], "money": ["city", "balance"]}
    return {
        key: "".join(
            ",".join(line[header.index(name)] for name in names) + "\n" for line in (header, *lines)
        ).encode()
        for key, names in places.items()
    }


def hand_in(user, team, files):
    sent = {key: (f"{key}.csv", data) for key, data in files.items()}
    return scored(lecture.hand_in(user, team, b"", files=sent))


def archive_of(files) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as out:
        for name, data in files.items():
            out.writestr(name, data)
    return packed.getvalue()


def unpacked(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as found:
        return {name: found.read(name) for name in found.namelist()}


def swapped(data: bytes) -> bytes:
    """The cells of the first column of the first two records exchanged."""
    header, *lines = lecture.records_of(data)
    at = next(n for n, line in enumerate(lines) if line[0] != lines[0][0])
    lines[0][0], lines[at][0] = lines[at][0], lines[0][0]
    return "".join(",".join(line) + "\n" for line in (header, *lines)).encode()


def test_the_worst_value_counts_and_each_is_shown(cup, cast):
    files = files_of(cup.red)
    found = hand_in(cast.alice, cup.red, {**files, "people": swapped(files["people"])})
    assert found.state == "scored", found.problems
    values = selectors.latest_evaluation(found).values
    assert values["LOSS"] == values["LOSS.people"] > values["LOSS.money"] == 0
    same = hand_in(cast.alice, cup.red, files)
    assert selectors.latest_evaluation(same).values["LOSS"] == 0


def test_problems_of_all_tables_come_together(cup, cast):
    files = files_of(cup.red)
    header, first, *lines = files["people"].splitlines(keepends=True)
    wrong = {
        "people": b"".join([header, first.replace(first.split(b",")[0], b"old", 1), *lines]),
        "money": files["money"].replace(b"balance", b"debt", 1),
    }
    found = hand_in(cast.alice, cup.red, wrong)
    assert {(p["file"], p["code"]) for p in found.problems} == {
        ("people", "cell.not_a_number"),
        ("money", "header.unexpected"),
        ("money", "header.missing"),
    }
    assert selectors.tries_left(cup.red, found.round) == found.round.tries
    blank = b"".join([header, b",\n", *lines])
    uneven = hand_in(cast.alice, cup.red, {**files, "people": blank})
    assert [(p["code"], p["file"], p["row"]) for p in uneven.problems] == [
        ("aligned.parts_differ", "money", 1)
    ]


def test_forms_take_the_files_or_an_archive(cup, cast, as_user):
    alice, round = as_user(cast.alice), pipeline.round_of(cup.contest, "anonymization")
    url = reverse("round", args=[cup.contest.slug, round.key])
    assert "<code>people.csv</code> age, city" in alice.get(url).content.decode()
    named = {f"{key}.csv": data for key, data in files_of(cup.red).items()}
    wrong = {"People.csv": named["people.csv"], "other.csv": b"a\n1\n"}
    for sent in (
        [SimpleUploadedFile(name, data) for name, data in wrong.items()],
        [SimpleUploadedFile("all.zip", archive_of(wrong))],
    ):
        page = alice.post(url, {"tables": sent})
        assert page.status_code == 422
        for words in (
            "a file of another name — expected people.csv, money.csv",
            "expected money.csv",
        ):
            assert words in page.content.decode()
    assert not Submission.objects.exists()
    alice.post(url, {"tables": [SimpleUploadedFile(n, data) for n, data in named.items()]})
    alice.post(url, {"tables": SimpleUploadedFile("all.zip", archive_of(named))})
    made = [scored(found) for found in Submission.objects.order_by("pk")]
    assert [found.state for found in made] == ["scored", "scored"]
    page = alice.get(reverse("submission", args=[made[0].public_id])).content.decode()
    assert '<th scope="row">Money</th>' in page
    assert '<th scope="col" class="num">LOSS</th>' in page


def test_programs_send_an_archive(cup, cast):
    path = f"/contests/{cup.contest.slug}/rounds/anonymization/submissions"
    named = {f"{key}.csv": data for key, data in files_of(cup.red).items()}
    program = Program(cast.alice)
    refused = program.post(path, archive_of({"people.csv": b"x"}), "application/zip")
    assert codes(refused) == ["bundle.missing"]
    assert refused.json()["problems"][0]["expected"] == "money.csv"
    made = program.post(path, archive_of(named), "application/zip")
    assert (made.status_code, len(made.json()["files"])) == (201, 2)
    assert scored(Submission.objects.get()).state == "scored"


def test_all_of_them_are_published_on_the_same_lines(cup, cast):
    files = files_of(cup.red)
    hand_in(cast.alice, cup.red, files)
    hand_in(cast.carol, cup.blue, files_of(cup.blue))
    release = lecture.publish(cup.contest)["Red"]
    assert release.table.name == "teamred_anonymized.zip"
    shown = {
        name: lecture.records_of(data)
        for name, data in unpacked(storage.read(release.table)).items()
    }
    assert [*shown] == ["people.csv", "money.csv"]
    whole = lecture.records_of(storage.read(release.candidates))
    for people, money, line in zip(
        shown["people.csv"][1:], shown["money.csv"][1:], lecture.key_of(release), strict=True
    ):
        record = dict(zip(whole[0], whole[1 + line], strict=True))
        assert people == [record["age"], record["city"]]
        assert money == [record["city"], record["balance"]]
    found = scored(
        pipeline.guess(cast.carol, cup.blue, release, lecture.guess_file(lecture.key_of(release)))
    )
    assert selectors.latest_evaluation(found).values["rate"] == 1


def test_a_team_verifies_its_release(cup, cast):
    files = files_of(cup.red)
    found = hand_in(cast.alice, cup.red, files)
    release = lecture.publish(cup.contest)["Red"]
    cup.contest.refresh_from_db()  # the mixes of its draws
    secret = bytes.fromhex((settings.PRIVATE_ROOT / cup.contest.secret.path).read_text())
    reveal = reveals.document(cup.contest, secret, timezone.now())
    schema = cup.contest.datasets.get(team=None).schema.public()
    packed = archive_of({f"{key}.csv": data for key, data in files.items()})
    checks = checks_of_release(reveal, packed, storage.read(release.table), schema)
    assert len(checks) == 5
    assert all(check.holds for check in checks), checks
    other = archive_of({f"{k}.csv": swapped(d) for k, d in files.items()})
    checks = checks_of_release(reveal, other, storage.read(release.table), schema)
    assert [check.holds for check in checks] == [True, False, False, False, False]
    assert found.state == "scored"


def test_the_sample_is_a_valid_submission(cup, cast, as_user):
    url = tables.url_of(cup.red, tables.SAMPLE)
    assert url.endswith("sample-anonymized.zip")
    got = as_user(cast.alice).get(url)
    files = {name.removesuffix(".csv"): data for name, data in unpacked(got.content).items()}
    assert all(data.startswith(UTF8_BOM) for data in files.values())
    assert hand_in(cast.alice, cup.red, files).state == "scored"


def test_an_audit_looks_at_the_joined_table(cup, cast, sketched):
    found = hand_in(cast.alice, cup.red, files_of(cup.red))
    audit = audit_services.request_audit(user=cast.alice, submission=found)
    jobs.work_on(Audit, audit.pk)
    audit.refresh_from_db()
    assert audit.state == "done", audit.reference


def test_archives_bring_all_of_them_back(cup, cast):
    hand_in(cast.alice, cup.red, files_of(cup.red))
    job = imported(cast.oscar, bytes_of(written(cup.contest, cast.oscar)))
    assert (job.problems, job.state, job.differences) == ([], "done", [])
    copy = Submission.objects.get(round__contest=Contest.objects.get(pk=job.contest_id))
    assert sorted(file.key for file in copy.files.all()) == ["money", "people"]


def test_the_rules_say_so(cup, cast, as_user):
    page = as_user(cast.alice).get(reverse("rules", args=[cup.contest.slug])).content.decode()
    for words in ("2 tables that belong together", "age, city", "the worst value"):
        assert words in page, words


def test_a_hidden_measure_of_a_table_is_hidden(cup, cast):
    Contest.objects.filter(pk=cup.contest.pk).update(hidden_measures=["LOSS"])
    hand_in(cast.alice, cup.red, files_of(cup.red))
    path = f"/contests/{cup.contest.slug}/rounds/anonymization/submissions"
    [line] = Program(cast.alice).get(path).json()
    assert not [key for key in line["values"] if key.startswith("LOSS")]
