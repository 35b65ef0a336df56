# SPDX-License-Identifier: Apache-2.0
"""The answer key: one door, every read on record, and nothing of it anywhere that people can look."""

from __future__ import annotations

import ast
import json
import logging
import random
import re
import secrets
from collections.abc import Iterable
from pathlib import Path

import pytest
from django.conf import settings
from django.core import serializers
from django.db.models import Manager, Q, QuerySet
from django.utils import timezone

from pwscup.accounts.models import Team, User
from pwscup.contests import truth
from pwscup.contests.models import Contest, Dataset
from pwscup.core import jobs
from pwscup.core.files import storage
from pwscup.core.models import Event, StoredFile
from pwscup.disclosure.models import Answer
from pwscup.experiments.models import Experiment
from pwscup.notices.models import Question, Webhook
from pwscup.submissions import evaluation
from pwscup.submissions.decisions import rulings
from pwscup.submissions.models import Evaluation, Release, Submission, SubmissionFile
from pwscup.trials.models import Trial
from scoring.proof import commitments
from tests import factories
from tests.every import some
from tests.web import crawler, pipeline
from tests.web.api import read_all
from tests.web.pipeline import hand_in, scored

SOURCES = sorted(Path(settings.BASE_DIR, "pwscup").rglob("*.py"))
N_RECORDS = 60
SUBSECOND = re.compile(rb"""(?:datetime|data-until)=["'][^"']*\.\d""")


def imported_by(path: Path) -> set[str]:
    """Everything a module imports, at its top or inside a function."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    return found


def names_of(paths: Iterable[Path]) -> set[str]:
    return {str(path.relative_to(settings.BASE_DIR)) for path in paths}


def test_one_package_imports_the_door():
    importers = [path for path in SOURCES if "pwscup.contests.truth" in imported_by(path)]
    assert names_of(path.parent for path in importers) == {"pwscup/submissions/evaluation"}


LOOK_AT_THE_FOLDER = {"pwscup/core/http/health.py", "pwscup/core/installation/pulse.py"}
"""Whether it is there and can be written; they open no file of anybody."""


def test_two_modules_know_where_files_lie():
    knowing = [path for path in SOURCES if "PRIVATE_ROOT" in path.read_text()]
    assert names_of(knowing) == {
        "pwscup/settings.py",
        "pwscup/core/files/storage.py",
        "pwscup/contests/truth.py",
        *LOOK_AT_THE_FOLDER,
    }


def test_storage_does_not_hand_out_what_is_sealed(db):
    file = storage.store(b"secret", area=storage.Area.SEALED, name="x")
    with pytest.raises(storage.SealedFileError):
        storage.read(file)


def test_every_read_is_on_record_before_it_happens(cast):
    file = storage.store(b"secret", area=storage.Area.SEALED, name="x")
    args = {"reason": "an audit", "contest_id": cast.contest.pk, "actor": cast.oscar}
    assert truth.read_sealed(file, **args) == b"secret"
    event = Event.objects.get(kind="truth.read")
    assert (event.actor, event.contest_id) == (cast.oscar, cast.contest.pk)
    assert event.data == {"reason": "an audit"}
    assert file.path not in event.subject

    (settings.PRIVATE_ROOT / file.path).unlink()
    with pytest.raises(FileNotFoundError):
        truth.read_sealed(file, **args)
    assert Event.objects.filter(kind="truth.read").count() == 2


def test_scoring_and_downloads_leave_their_reasons(cast):
    evaluation._originals.clear()
    round = cast.contest.rounds.get(key="anonymization")
    submission = scored(hand_in(cast.alice, cast.red, round))
    name, data = evaluation.own_upload(cast.alice, submission, "rows")
    assert (name, data) == ("rows.csv", factories.ROWS)
    reads = Event.objects.filter(kind="truth.read").order_by("id")
    assert [(event.actor, event.data["reason"]) for event in reads] == [
        (None, f"scoring {submission.public_id}"),
        (None, "scoring: the original is prepared"),
        (cast.alice, f"download of {submission.public_id}"),
    ]


def test_a_scoring_is_one_event_that_names_every_file_and_the_purpose_before_any_is_read(
    cast, monkeypatch
):
    round = cast.contest.rounds.get(key="anonymization")
    scored(hand_in(cast.alice, cast.red, round))  # the original is prepared now
    submission = hand_in(cast.alice, cast.red, round)
    Event.objects.filter(kind="truth.read")._raw_delete("default")
    read_bytes, seen = Path.read_bytes, []

    def read(path):
        on_record = Event.objects.filter(kind="truth.read").values_list("data", flat=True)
        seen.append((str(path.relative_to(settings.PRIVATE_ROOT)), list(on_record)))
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", read)
    scored(submission)
    event = Event.objects.get(kind="truth.read")
    assert event.subject == str(submission.public_id)
    assert event.data["purpose"] == f"evaluation/{submission.public_id}"
    paths = dict(StoredFile.objects.values_list("path", "pk"))
    assert {str(paths[path]) for path, _ in seen} == set(event.data["files"].split(", "))
    assert all(on_record == [event.data] for _, on_record in seen)
    assert len(seen) == 3  # the secret and both files


def test_what_an_event_of_several_reads_does_not_name_has_its_own(cast):
    one, other = (storage.store(b"s", area=storage.Area.SEALED, name="x") for _ in range(2))
    given = {"reason": "r", "contest_id": cast.contest.pk}
    named = {"reason": "r", "contest": cast.contest, "subject": "s", "purpose": "p"}
    with truth.on_record([one], **named):
        truth.read_sealed(one, **given)
        truth.derived_seed(cast.contest, "p")
        assert Event.objects.filter(kind="truth.read").count() == 1
        truth.read_sealed(other, **given)
        truth.derived_seed(cast.contest, "q")
        assert Event.objects.filter(kind="truth.read").count() == 3
    truth.read_sealed(one, **given)
    assert Event.objects.filter(kind="truth.read").count() == 4


def test_the_seed_of_a_scoring_is_the_same_however_often_it_is_begun(cast):
    round = cast.contest.rounds.get(key="anonymization")
    submission = hand_in(cast.alice, cast.red, round)
    jobs.give_back(jobs.claim(Submission, submission.pk))  # a worker that was lost
    result = scored(submission).evaluations.get()
    assert result.fence == 2
    again = evaluation.evaluate(submission.pk)
    assert (again.seed, again.values) == (result.seed, result.values)
    purpose = f"evaluation/{submission.public_id}"
    assert result.seed == str(truth.derived_seed(Contest.objects.get(), purpose))


# The canary


class World:
    """A contest in its attack round whose original has an identifier column, and everything that is hidden in it."""

    def __init__(self, cast) -> None:
        self.cast, self.rng = cast, random.Random(4)
        self.names = [f"canary-{secrets.token_hex(6)}" for _ in range(N_RECORDS)]
        self._attach_original()
        anonymization = cast.contest.rounds.get(key="anonymization")
        self.declared = {}
        for user, team in ((cast.alice, cast.red), (cast.carol, cast.blue)):
            self.declared[team.pk] = self.rng.sample(range(1, N_RECORDS + 1), N_RECORDS)
            rows = csv_of(self.declared[team.pk])
            table = self._table(self.declared[team.pk])
            assert scored(hand_in(user, team, anonymization, anonymized=table, rows=rows)).pk
            scored(hand_in(user, team, anonymization, anonymized=b"sa1\n1\n", rows=rows))
            hand_in(user, team, anonymization, anonymized=b"x,y\n", rows=rows)
        Submission.objects.filter(state="waiting").update(state="failed", reference="abcdefghjk")
        for failed in Submission.objects.filter(state="failed"):
            rulings.withdraw(actor=cast.oscar, submission=failed, reason="it would be waited for")
        self.targets = pipeline.publish(cast.contest)
        for user, team, name in ((cast.alice, cast.red, "Blue"), (cast.carol, cast.blue, "Red")):
            guess = self.rng.sample(range(1, N_RECORDS + 1), N_RECORDS)
            scored(pipeline.guess(user, team, self.targets[name], csv_of(guess)))
        assert Evaluation.objects.count() == 4
        assert Release.objects.count() == 2

    def _attach_original(self) -> None:
        Dataset.objects.all().delete()
        schema = (
            '[[column]]\nname = "name"\nrole = "identifier"\nkind = "category"\n' + factories.SCHEMA
        )
        self.records = [f"1,2,1,{10 * i},{1000 - i}" for i in range(N_RECORDS)]
        header = "qi1,qi2,qi3,sa1,sa2"
        whole = [f"name,{header}"]
        whole += [f"{n},{r}" for n, r in zip(self.names, self.records, strict=True)]
        files = {"sealed": whole, "public": [header, *self.records]}
        stored = {
            area: storage.store("\n".join([*lines, ""]).encode(), area=stored_area, name="o.csv")
            for (area, lines), stored_area in zip(
                files.items(), (storage.Area.SEALED, storage.Area.PUBLISHED), strict=True
            )
        }
        Dataset.objects.create(
            contest=self.cast.contest, schema_text=schema, n_records=N_RECORDS, **stored
        )

    def _table(self, rows: list[int]) -> bytes:
        lines = ["qi1,qi2,qi3,sa1,sa2", *(self.records[row - 1] for row in rows)]
        return "\n".join([*lines, ""]).encode()

    def secrets(self, *, without_rows_of: int | None = None) -> dict[str, list[bytes]]:
        """What is hidden, by what it is; the declared rows of one's own team are no secret to it."""
        keys = [
            json.loads((settings.PRIVATE_ROOT / r.key.path).read_bytes())
            for r in self.targets.values()
        ]
        secret = StoredFile.objects.get(pk=Contest.objects.get(pk=self.cast.contest.pk).secret_id)
        text = (settings.PRIVATE_ROOT / secret.path).read_bytes()
        declared = [rows for team, rows in self.declared.items() if team != without_rows_of]
        return {
            "contest's secret": [text, text.upper(), bytes.fromhex(text.decode())],
            "identifiers": [name.encode() for name in self.names],
            "release seeds": [key["seed"].encode() for key in keys],
            "released orders": [run for key in keys for run in runs(key["source"])],
            "declared rows": [run for rows in declared for run in runs([r - 1 for r in rows])],
            "sealed paths": [
                path.encode()
                for path in StoredFile.objects.filter(area="sealed").values_list("path", flat=True)
            ],
        }

    def parameters(self, own: Team | None) -> dict[str, list[str]]:
        return parameters_of(self.cast.contest, self.cast.bob, own)


def parameters_of(contest: Contest, person: User, own: Team | None = None) -> dict[str, list[str]]:
    """Values for every parameter that an address of the site has, for a viewer of that team or of none.

    What stands after a segment is of one kind: everything of that kind, and one of the next kind. Of
    what is other teams', one submission of each round and state.
    """
    ids = {
        "s": submissions_for(own),
        "r": public_ids(Release.objects),
        "q": public_ids(Answer.objects),
        "t": public_ids(Trial.objects),
        "questions": public_ids(Question.objects),
        "webhooks": public_ids(Webhook.objects),
        "experiments": public_ids(Experiment.objects),
    }
    rounds = [round.key for round in contest.rounds.all()]
    files = sorted(set(SubmissionFile.objects.values_list("key", flat=True)))
    kinds = [kind for kind, found in ids.items() if found]
    after = dict(zip(kinds, [*kinds[1:], *kinds[:1]], strict=True))
    things = {
        f"{kind}/public_id": [*found, *ids[after.get(kind, "s")][:1]] for kind, found in ids.items()
    }
    return things | {
        "public_id": [thing for found in ids.values() for thing in found],
        "submissions/public_id": things["s/public_id"],
        "releases/public_id": things["r/public_id"],
        "trials/public_id": things["t/public_id"],
        "slug": [contest.slug],
        "team": ["red", "blue"],
        "key": [*rounds, *files, "slides", "3-abc"],
        "round/key": [*rounds, "3-abc"],
        "rounds/key": [*rounds, "3-abc"],
        "files/key": [*files, "slides"],
        "name": ["anonymized.csv", "rows.csv", "original.csv", "sample-anonymized.csv"],
        "token": ["no-such-token"],
        "code": ["AAAAAAAA"],
        "figure": ["figure3-k"],
        "division": ["students"],
        "board": ["overall", "anonymization", "attack", "matrix", "score"],
        "pk": ["1"],
        "number": ["1"],
        "user_id": [str(person.pk)],
        "uidb36": ["1"],
    }


def submissions_for(team: Team | None) -> list[str]:
    """The team's own, and of the others' the newest of each round and state."""
    others = Submission.objects.exclude(team=team)
    of_each = others.order_by("pk").values_list("round_id", "state", "pk")
    newest = {(round, state): pk for round, state, pk in of_each}
    return public_ids(Submission.objects.filter(Q(team=team) | Q(pk__in=newest.values())))


def public_ids(things: Manager | QuerySet) -> list[str]:
    return [str(found) for found in things.values_list("public_id", flat=True)]


def csv_of(rows: list[int]) -> bytes:
    return "".join(f"{row}\n" for row in rows).encode()


def runs(source: list[int], length: int = 8) -> list[bytes]:
    """Stretches of a mapping in every form it might leak in: JSON or CSV, counted from 0 or 1."""
    found = []
    for start in range(0, len(source) - length + 1, length):
        for first in (0, 1):
            numbers = [str(row + first) for row in source[start : start + length]]
            found += [separator.join(numbers).encode() for separator in (",", ", ", "\n", "\r\n")]
    return found


def leaks(text: bytes, hidden: dict[str, list[bytes]]) -> set[str]:
    return {what for what, needles in hidden.items() if any(needle in text for needle in needles)}


@pytest.fixture
def world(cast, caplog):
    caplog.set_level(logging.DEBUG)
    evaluation._originals.clear()
    return World(cast)


def test_the_canary_sings(world):
    """The detector itself: every kind of secret is found where it does stand."""
    hidden = world.secrets()
    sealed = StoredFile.objects.filter(area="sealed")
    everything = b"\n".join((settings.PRIVATE_ROOT / file.path).read_bytes() for file in sealed)
    assert leaks(everything, hidden) == set(hidden) - {"sealed paths"}
    as_lists = json.dumps([world.declared[world.cast.red.pk]]).encode()
    assert leaks(as_lists, hidden) == {"declared rows"}


@pytest.mark.parametrize(
    ("viewer", "is_over"),
    some(
        1,
        [
            ("alice", False),
            ("carol", True),
            ("eve", True),
            ("anonymous", False),
            ("alice", True),
            ("carol", False),
            ("eve", False),
            ("anonymous", True),
        ],
    ),
)
def test_nothing_hidden_is_on_any_page(world, as_user, viewer, is_over, caplog):
    user = None if viewer == "anonymous" else getattr(world.cast, viewer)
    own = {"alice": world.cast.red, "carol": world.cast.blue}.get(viewer)
    hidden = world.secrets(without_rows_of=own and own.pk)
    if is_over:  # everything has closed, and rates are shown
        pipeline.close(world.cast.contest.rounds.get(key="attack"))
    start = crawler.addresses(world.parameters(own))
    seen = list(crawler.crawl(as_user(user), start))
    assert {address: found for address, _, text in seen if (found := leaks(text, hidden))} == {}
    assert [address for address, status, _ in seen if status >= 500] == []
    # Digits of a microsecond may read like any hidden value, and HTML allows no six of them.
    assert [address for address, _, text in seen if SUBSECOND.search(text)] == []
    assert sum(status == 200 for _, status, _ in seen) >= 5
    assert leaks(caplog.text.encode(), world.secrets()) == set()


@pytest.mark.parametrize("viewer", some(1, ["carol", "oscar", "alice", "eve"]))
def test_nothing_hidden_is_in_an_answer_of_the_api(world, viewer, settings, caplog):
    settings.API_REQUESTS_PER_MINUTE = 10_000
    own = {"alice": world.cast.red, "carol": world.cast.blue}.get(viewer)
    hidden = world.secrets(without_rows_of=own and own.pk)
    pipeline.close(world.cast.contest.rounds.get(key="attack"))
    told = read_all(getattr(world.cast, viewer), world.parameters(own))
    found = {address: leaks(text, hidden) for address, (_, text) in told.items()}
    assert {address: what for address, what in found.items() if what} == {}
    assert [address for address, (status, _) in told.items() if status >= 500] == []
    assert sum(status == 200 for status, _ in told.values()) >= 10
    assert leaks(caplog.text.encode(), world.secrets()) == set()


def test_nothing_hidden_is_in_the_logs_or_on_any_row_that_pages_show(world, caplog):
    hidden = world.secrets()
    assert leaks(caplog.text.encode(), hidden) == set()
    rows = [*Event.objects.all(), *Submission.objects.all()]
    assert leaks(serializers.serialize("json", rows).encode(), hidden) == set()
    results = list(Evaluation.objects.values_list("values", "input_hashes", "seed"))
    assert leaks(json.dumps(results).encode(), hidden) == set()


def test_a_release_has_neither_identifiers_nor_the_order_of_the_upload(world):
    for release in world.targets.values():
        table = storage.read(release.table)
        bom, _, table = table.partition(b"\xef\xbb\xbf")
        assert (bom, table[:20]) == (b"", b"qi1,qi2,qi3,sa1,sa2\n")
        assert leaks(table, world.secrets()) == set()
        upload = world._table(world.declared[release.team_id])
        assert sorted(table.splitlines()) == sorted(upload.splitlines())
        assert table != upload
    assert timezone.now() > release.created_at


# The secret that decides every draw


def test_every_draw_is_on_record_with_its_purpose(cast):
    truth.ensure_secret(cast.contest)
    seeds = {purpose: truth.derived_seed(cast.contest, purpose) for purpose in ("draw/a", "draw/b")}
    assert len(set(seeds.values())) == 2
    assert truth.derived_seed(cast.contest, "draw/a") == seeds["draw/a"]
    reads = Event.objects.filter(kind="truth.read", subject=f"file {cast.contest.secret_id}")
    assert [event.data["purpose"] for event in reads] == ["draw/a", "draw/b", "draw/a"]
    secret = truth.revealed_secret(cast.contest, actor=cast.oscar)
    assert commitments.commitment(secret) == cast.contest.commitment
    mix = commitments.mix_of("start", [])
    assert seeds["draw/a"] == commitments.derived_seed(secret, "draw/a", mix)
    assert (reads.last().actor, reads.last().data) == (cast.oscar, {"reason": "reveal"})


def test_a_contest_commits_once(cast):
    same = Contest.objects.get(pk=cast.contest.pk)  # two processes that have read it before
    truth.ensure_secret(cast.contest)
    truth.ensure_secret(same)
    assert same.commitment == cast.contest.commitment == Contest.objects.get().commitment
    event = Event.objects.get(kind="contest.committed")
    assert (event.actor, event.data) == (None, {"commitment": same.commitment})
    assert StoredFile.objects.get(pk=same.secret_id).area == "sealed"


def test_a_new_contest_commits_when_it_is_created(draft):
    event = Event.objects.get(kind="contest.created")
    assert event.data["commitment"] == draft.commitment
    assert len(draft.commitment) == 64


def test_scores_and_releases_draw_from_the_secret(cast):
    round = cast.contest.rounds.get(key="anonymization")
    submission = scored(hand_in(cast.alice, cast.red, round))
    release = pipeline.publish(cast.contest)["Red"]
    contest = Contest.objects.get()
    purpose = f"evaluation/{submission.public_id}"
    assert submission.evaluations.get().seed == str(truth.derived_seed(contest, purpose))
    key = json.loads((settings.PRIVATE_ROOT / release.key.path).read_bytes())
    seed = truth.derived_seed(contest, "release/attack/red")
    assert key["seed"] == str(seed)
    assert key["source"] == commitments.released_order(4, seed).tolist()
